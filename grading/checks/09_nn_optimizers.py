"""SGD, Adam and AdamW: fifty steps beside torch.optim, in double."""

import numpy as np
import torch

from grading.exercise import checks
from minigrad.optim.adam import adam, adamw
from minigrad.optim.sgd import sgd

from .scene_check import SceneCheck, both, brief, numbers, options_of

STEPS = 50


class RuleCheck(SceneCheck):
    """A rule; its steps are compared one by one with those of an optimizer."""

    optimizer = None  # torch's
    kept = ()  # the names of its averages

    def words(self, scene):
        return f"{len(scene['which'])} steps with {options_of(scene)}"

    def of(self, random, steps=STEPS, dtype=np.float64, **options):
        param = numbers(random, 3, 2).astype(dtype)
        count = steps // 2 + 1
        grads = [numbers(random, 3, 2).astype(dtype) + param for _ in range(count)]
        which = [n % count for n in range(steps)]
        which = which[:2] + random.sample(which[2:], len(which[2:]))
        return {"scene": "adam" if self.kept else "sgd", "param": param, "grads": grads,
                "which": which, "options": options}  # fmt: skip

    def expected(self, scene):
        x = torch.nn.Parameter(torch.tensor(scene["param"]))
        optimizer, steps = self.optimizer([x], **scene["options"]), []
        for n in scene["which"]:
            x.grad = torch.tensor(scene["grads"][n])
            optimizer.step()
            steps.append(x.detach().numpy().copy())
        found = {"steps": np.stack(steps), "changed": ""}
        if self.kept:
            averages = [optimizer.state[x][name].numpy() for name in self.kept]
            return found | {"averages": np.stack(averages)}
        buffer = optimizer.state[x].get("momentum_buffer")
        return found | {"buffer": None if buffer is None else buffer.numpy()}

    def lines(self, case):
        """The first step that is wrong."""
        case_line, *rest = super().lines(case)
        got, expected = case.got, case.expected
        if not isinstance(got, dict) or "steps" not in got:
            return [case_line, *rest]
        if got["changed"] or got["steps"].shape != expected["steps"].shape:
            return [case_line, ("got", got["changed"] or brief(got["steps"]))]
        pairs = zip(got["steps"], expected["steps"], strict=True)
        near = [np.allclose(a, b, self.rtol, self.atol) for a, b in pairs]
        if all(near):
            return [case_line, *rest]
        step = near.index(False)
        pair = both(expected["steps"][step], got["steps"][step])
        which = f"after step {step + 1}: "
        return [case_line, ("expected", which + pair[0]), ("got", which + pair[1])]

    def general(self, case):
        if isinstance(case.got, dict) and case.got.get("changed"):
            return "changed", (
                f"{case.got['changed']}: whoever called still needs it. Make a new "
                f"tensor, or copy it with clone()"
            )
        return super().general(case)


@checks(sgd)
class Sgd(RuleCheck):
    """Leaves out shapes but (3, 2): the rule is that of each number alone; and
    nesterov without momentum or with dampening, which PyTorch refuses."""

    optimizer = torch.optim.SGD

    def cases(self, random):
        both = {"momentum": 0.7, "weight_decay": 0.1}
        for part, options in [
            ("plain steps", {}), ("plain steps", {"steps": 1}),
            ("plain steps", {"lr": 0.03}),
            ("momentum", {"momentum": 0.9}), ("momentum", {"momentum": 0.5}),
            ("dampening", {"dampening": 0.5}),
            ("dampening", {"momentum": 0.8, "dampening": 0.3}),
            ("weight decay", {"weight_decay": 0.2}), ("weight decay", both),
            ("nesterov", {"momentum": 0.9, "nesterov": True}),
            ("nesterov", both | {"nesterov": True}),
        ]:  # fmt: skip
            yield part, self.of(random, **{"lr": 0.1} | options)
        given = {"buffer": numbers(random, 3, 2)}
        yield "plain steps", self.of(random, 1, lr=0.1) | given
        for dtype in np.float32, np.float16:
            how = {"lr": 0.1, "momentum": 0.9, "weight_decay": 0.1}
            yield dtype.__name__, self.of(random, 2, dtype, **how)


class AdamCheck(RuleCheck):
    kept, first = ("exp_avg", "exp_avg_sq"), "the first steps"

    def cases(self, random):
        """Weight decay is the heart of AdamW."""
        usual = {"lr": 0.1, "betas": (0.9, 0.99), "eps": 1e-8, "weight_decay": 0.0}
        cases = [
            ("the first steps", {"steps": 1}), ("the first steps", {"steps": 3}),
            ("fifty steps", {}), ("fifty steps", {"lr": 0.01, "betas": (0.5, 0.8)}),
            ("a large eps", {"eps": 0.3}), ("weight decay", {"weight_decay": 0.3}),
            ("weight decay", {"steps": 2, "weight_decay": 0.1, "lr": 0.5}),
        ]  # fmt: skip
        for part, options in sorted(cases, key=lambda case: case[0] != self.first):
            yield part, self.of(random, **usual | options)
        how = usual | {"weight_decay": 0.1}
        yield "float32", self.of(random, 3, np.float32, **how)


@checks(adam)
class Adam(AdamCheck):
    """Leaves out shapes but (3, 2): the rule is that of each number alone."""

    optimizer = torch.optim.Adam


@checks(adamw)
class AdamW(AdamCheck):
    """Leaves out shapes but (3, 2): the rule is that of each number alone."""

    optimizer, first = torch.optim.AdamW, "weight decay"
