"""What the checks of update rules share: fifty steps beside torch.optim, in double."""

import numpy as np
import torch

from .scene_check import SceneCheck, brief, numbers, options_of

STEPS = 50


class RuleCheck(SceneCheck):
    """A rule; its steps are compared one by one with those of an optimiser."""

    optimiser = None  # torch's
    kept = ()  # the names of its averages

    def words(self, scene):
        return f"{len(scene['grads'])} steps with {options_of(scene)}"

    def of(self, random, steps=STEPS, **options):
        param = numbers(random, 3, 2)
        grads = [numbers(random, 3, 2) + param for _ in range(steps)]
        scene = "adam" if self.kept else "sgd"
        return {"scene": scene, "param": param, "grads": grads, "options": options}

    def expected(self, scene):
        x = torch.nn.Parameter(torch.tensor(scene["param"]))
        optimiser, steps = self.optimiser([x], **scene["options"]), []
        for grad in scene["grads"]:
            x.grad = torch.tensor(grad)
            optimiser.step()
            steps.append(x.detach().numpy().copy())
        found = {"steps": np.stack(steps), "changed": ""}
        if self.kept:
            averages = [optimiser.state[x][name].numpy() for name in self.kept]
            return found | {"averages": np.stack(averages)}
        buffer = optimiser.state[x].get("momentum_buffer")
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
        pair = [brief(values["steps"][step]) for values in (expected, got)]
        which = f"after step {step + 1}: "
        return [case_line, ("expected", which + pair[0]), ("got", which + pair[1])]

    def general(self, case):
        if isinstance(case.got, dict) and case.got.get("changed"):
            return "changed", (
                f"{case.got['changed']}: whoever called still needs it. Make a new "
                f"tensor, or copy it with clone()"
            )
        return super().general(case)
