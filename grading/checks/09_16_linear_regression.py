"""The training loop of a line."""

import numpy as np
import torch

from grading.drivers import scenarios
from grading.exercise import checks
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
        optimizer, losses = torch.optim.SGD(model.parameters(), **how), []
        x, y = torch.tensor(scene["x"]), torch.tensor(scene["y"])
        for _ in range(scene["epochs"]):
            optimizer.zero_grad()
            loss = scenarios.lopsided(model(x), y)
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        state = {k: v.detach().numpy() for k, v in model.named_parameters()}
        return {"losses": losses, "more than two losses are in memory": False, **state}
