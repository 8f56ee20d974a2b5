"""The training loop of a line."""

import numpy as np
import torch

from grading.drivers import scenarios
from grading.exercise import checks, mistakes, right
from minigrad.training import linear_regression

from .scene_check import SceneCheck, numbers


@checks(linear_regression)
class LinearRegression(SceneCheck):
    """Leaves out other models and optimizers: the loop only calls what all have."""

    def words(self, scene):
        rows, n = scene["x"].shape
        points = f"{rows} points of {n} number{'s'[: n > 1]}"
        return (
            f"{scene['epochs']} epochs, {points}, SGD with lr={scene['lr']}, "
            f"momentum={scene['momentum']}"
        )

    def cases(self, random):
        yield "y = 3x + 2", self.of(random, np.array([[3.0]]), [2.0], 60, 0.1)
        yield "every epoch", self.of(random, numbers(random, 1, 1), [0.5], 4, 0.1)
        one = self.of(random, numbers(random, 1, 1), [0.5], 1, 0.3)
        yield "every epoch", one
        yield "every epoch", one | {"held": np.nan}
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
        model = torch.nn.Linear(scene["x"].shape[1], scene["y"].shape[1]).double()
        start = {name: torch.tensor(scene[name]) for name in ("weight", "bias")}
        model.load_state_dict(start)
        how = {"lr": scene["lr"], "momentum": scene["momentum"]}
        optimiser, losses = torch.optim.SGD(model.parameters(), **how), []
        x, y = torch.tensor(scene["x"]), torch.tensor(scene["y"])
        for _ in range(scene["epochs"]):
            optimiser.zero_grad()
            loss = scenarios.lopsided(model(x), y)
            loss.backward()
            optimiser.step()
            losses.append(loss.item())
        state = {k: v.detach().numpy() for k, v in model.named_parameters()}
        return {"losses": losses, "more than two losses are in memory": False, **state}


ZERO, STEP = "optimizer.zero_grad()", "optimizer.step()"
KEEP = "losses.append(loss.item())"
mistakes(linear_regression)(f"""
no_zero_grad: the gradients of earlier epochs add up: in each epoch, call
    optimizer.zero_grad(), and backward() of that epoch's loss alone
> {ZERO} ->
> {ZERO} ->
& losses = [] -> losses = []; {ZERO}
times_zero: gradients from before are multiplied by 0, and NaN times 0 is NaN: forget
    them
> {ZERO} -> [p.grad.mul_(0) for p in model.parameters() if p.grad is not None]
no_step: nothing is learned: optimizer.step() comes after loss.backward(), and no
    zero_grad() between the two, or there is nothing to step by
> {STEP} ->
> {STEP} -> {ZERO}; {STEP}
step_first: the step comes before backward(): it uses the gradients of the epoch before
> {ZERO} ->
& {STEP} ->
& loss.backward() -> {STEP}; loss.backward()
once: one epoch only: the loop runs `epochs` times
> {KEEP} -> return [loss.item()]
after: the losses are those after the step: a loss is from before its step
> {KEEP} -> losses.append(loss_fn(model(x), y).item())
exchanged: prediction and y are exchanged: loss_fn(prediction, y)
> loss_fn(model(x), y) -> loss_fn(y, model(x))
graphs: the losses of all epochs are kept as tensors, each with its graph, and so all
    that they were made from: keep loss.item()
> loss.item() -> loss
& return losses -> return [loss.item() for loss in losses]
""")


@right(linear_regression, "by a closure")
def _(model, loss_fn, optimizer, x, y, epochs):
    def closure():
        optimizer.zero_grad()
        loss = loss_fn(model(x), y)
        loss.backward()
        return loss

    return [optimizer.step(closure).item() for _ in range(epochs)]


@right(linear_regression, "numbers at the end")
def _(model, loss_fn, optimizer, x, y, epochs):
    losses = []
    while len(losses) < epochs:
        loss = loss_fn(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())
    return [float(loss) for loss in losses]


@right(linear_regression, "an epoch is a function")
def _(model, loss_fn, optimizer, x, y, epochs):
    def epoch(_):
        for p in model.parameters():
            p.grad = None
        loss = loss_fn(model(x), y)
        loss.backward()
        before = loss.item()
        optimizer.step()
        return before

    return [*map(epoch, range(epochs))]
