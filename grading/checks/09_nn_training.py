"""Chapter 09, clip_grad_norm_ and the training loop of a line."""

import math

import numpy as np
import torch

from grading.checking import cause, checks
from minigrad import training
from minigrad.nn import utils

from .scene_check import SceneCheck, numbers

INF = math.inf


@checks(utils.clip_grad_norm_)
class ClipGradNorm(SceneCheck):
    def words(self, scene):
        shapes = [None if g is None else tuple(g.shape) for g in scene["grads"]]
        options = ", ".join(f"{k}={v}" for k, v in scene["options"].items())
        kind = "a generator" if scene["lazy"] else "a list"
        return f"gradients of shapes {shapes} in {kind}, {options}"

    def cases(self, random):
        def of(*shapes, scale=1.0, lazy=False, **options):
            grads = [None if s is None else numbers(random, *s, scale=scale)
                     for s in shapes]  # fmt: skip
            rest = {"grads": grads, "lazy": lazy, "options": options}
            return {"scene": "clip", **rest}

        yield "one factor for all", of((3, 4), (5,), scale=10, max_norm=1.0)
        yield "one factor for all", of((2,), (4, 2), (3,), scale=3, max_norm=2.5)
        yield "small ones stay", of((3, 2), (2,), scale=0.01, max_norm=1.0)
        yield "missing gradients", of((3,), None, (2, 2), scale=5, max_norm=1.0)
        yield "missing gradients", of(None, max_norm=1.0)
        yield "any iterable", of((3, 4), (2,), scale=10, max_norm=1.0, lazy=True)
        for norm_type in (1.0, 3.0, INF):
            how = {"max_norm": 1.5, "norm_type": norm_type}
            yield "other norms", of((3, 2), (4,), scale=4, **how)

    def expected(self, scene):
        return self.model(scene)

    def model(self, scene, alone=False, always=False, root=True, after=False,
              squared=False, two=False, mean=False, skip=False, in_place=True,
              value=False):  # fmt: skip
        """The norm and the gradients, perhaps with a mistake."""
        o = scene["options"]
        p, most = 2.0 if two else o.get("norm_type", 2.0), o["max_norm"]
        there = [g for g in scene["grads"] if g is not None]
        flat = np.concatenate([g.reshape(-1) for g in there]) if there else np.zeros(0)

        def norm_of(values):
            if not values.size:
                return 0.0
            if p == INF:
                return float(abs(values).max())
            total = float((abs(values) ** p).sum())
            total = total / values.size if mean else total
            return total ** (1 / p) if root else total

        def clipped(g):
            if g is None:
                return None
            norm = norm_of(g.reshape(-1)) if alone else norm_of(flat)
            if value:
                return np.clip(g, -most, most)
            factor = most / (norm + 1e-6)
            factor = factor if always else min(factor, 1.0)
            return g if skip else g * factor

        grads = [clipped(g) for g in scene["grads"]]
        norm = norm_of(flat)
        if after:
            left = [g.reshape(-1) for g in grads if g is not None]
            norm = norm_of(np.concatenate(left)) if left else 0.0
        return {"norm": norm, "grads": grads, "in place": in_place}

    def same(self, got, expected, scene):
        """A norm without gradients may be a float32 0."""
        return super().same(got, expected, scene)

    @cause("each gradient is clipped by its own norm: all have one norm together, or "
           "the direction of the step changes")  # fmt: skip
    def each_alone(self, scene):
        return self.model(scene, alone=True)

    @cause("small gradients are made larger: the factor is 1 at most")
    def always(self, scene):
        return self.model(scene, always=True)

    @cause("the root is missing: the norm is the root of the sum of squares")
    def no_root(self, scene):
        return self.model(scene, root=False)

    @cause("the norm after clipping is returned: the one before says what happened")
    def norm_after(self, scene):
        return self.model(scene, after=True)

    @cause("norm_type is not used: it is always 2")
    def always_two(self, scene):
        return self.model(scene, two=True)

    @cause("that is the root of the mean square: the norm is that of the sum")
    def root_mean(self, scene):
        return self.model(scene, mean=True)

    @cause("the norm is right, and the gradients have not changed: if `parameters` is "
           "a generator it can be gone through once only; and g * factor is to be "
           "written to g itself: g.mul_(factor)")  # fmt: skip
    def not_changed(self, scene):
        return self.model(scene, skip=True)

    @cause("p.grad is another tensor now: others may hold the gradient, so it is "
           "changed in place, g.mul_(factor)")  # fmt: skip
    def not_in_place(self, scene):
        there = any(g is not None for g in scene["grads"])
        return self.model(scene, in_place=not there)

    @cause("the elements are clipped, each by itself: that is clip_grad_value_, and "
           "changes the direction")  # fmt: skip
    def by_value(self, scene):
        return self.model(scene, value=True)


@checks(training.linear_regression)
class LinearRegression(SceneCheck):
    def words(self, scene):
        rows, n = scene["x"].shape
        points = f"{rows} points of {n} number{'s'[: n > 1]}"
        return (
            f"{scene['epochs']} epochs, {points}, SGD with lr={scene['lr']}, "
            f"momentum={scene['momentum']}"
        )

    def cases(self, random):
        yield "y = 3x + 2", self.of(random, np.array([[3.0]]), [2.0], 300, 0.1)
        yield "every epoch", self.of(random, numbers(random, 1, 1), [0.5], 4, 0.1)
        yield "every epoch", self.of(random, numbers(random, 1, 1), [0.5], 1, 0.3)
        yield "every epoch", self.of(random, numbers(random, 1, 1), [1.0], 0, 0.3)
        w = numbers(random, 2, 3)
        yield "several numbers, momentum", self.of(random, w, [1.0, 2.0], 20, 0.05, 0.9)

    def of(self, random, w, b, epochs, lr, momentum=0.0):
        x = numbers(random, 20, w.shape[1])
        y = x @ w.T + np.array(b) + numbers(random, 20, w.shape[0], scale=0.01)
        start = {"weight": numbers(random, *w.shape), "bias": numbers(random, len(b))}
        rest = {"lr": lr, "momentum": momentum, "epochs": epochs}
        return {"scene": "training", "x": x, "y": y, **start, **rest}

    def expected(self, scene):
        return self.trained(scene)

    def trained(self, scene, zero="first", step=True, epochs=None, after=False,
                keep="all", as_type=float):  # fmt: skip
        """The loop, perhaps with a mistake."""
        model = torch.nn.Linear(scene["x"].shape[1], scene["y"].shape[1]).double()
        with torch.no_grad():
            model.weight.copy_(torch.tensor(scene["weight"]))
            model.bias.copy_(torch.tensor(scene["bias"]))
        how = {"lr": scene["lr"], "momentum": scene["momentum"]}
        optimiser, losses = torch.optim.SGD(model.parameters(), **how), []
        x, y = torch.tensor(scene["x"]), torch.tensor(scene["y"])
        loss_fn = torch.nn.MSELoss()
        for _ in range(scene["epochs"] if epochs is None else epochs):
            if zero == "first":
                optimiser.zero_grad()
            loss = loss_fn(model(x), y)
            if step == "before":
                optimiser.step()
            loss.backward()
            if step is True:
                optimiser.step()
            loss = loss_fn(model(x), y) if after else loss
            losses.append(as_type(loss.item()))
        state = {k: v.detach().numpy() for k, v in model.named_parameters()}
        losses = losses[-1:] if keep == "last" else losses
        return {"losses": losses, **state}

    @cause("the gradients are never forgotten, so they add up from epoch to epoch: "
           "call optimizer.zero_grad() in each")  # fmt: skip
    def no_zero_grad(self, scene):
        return self.trained(scene, zero="never")

    @cause("nothing is learned: optimizer.step() comes after loss.backward(), and no "
           "zero_grad() between the two, or there is nothing to step by")  # fmt: skip
    def no_step(self, scene):
        return self.trained(scene, step=False)

    @cause(
        "the step comes before backward(): it uses the gradients of the epoch before"
    )
    def step_first(self, scene):
        return self.trained(scene, zero="never", step="before")

    @cause("one epoch only: the loop runs `epochs` times")
    def once(self, scene):
        return self.trained(scene, epochs=1)

    @cause("one epoch too many")
    def one_more(self, scene):
        return self.trained(scene, epochs=scene["epochs"] + 1)

    @cause("one epoch too few")
    def one_less(self, scene):
        return self.trained(scene, epochs=max(scene["epochs"] - 1, 0))

    @cause("the losses are those after the step: a loss is from before its step")
    def after(self, scene):
        return self.trained(scene, after=True)

    @cause("only the last loss is returned: return a list of all")
    def last_alone(self, scene):
        return self.trained(scene, keep="last")
