"""train_mnist: the order of things, and what comes of them."""

import torch
from torch.nn import functional as torch_functional

from grading.exercise import Problem, checks
from minigrad.training import train_mnist

from .scene_check import SceneCheck, each
from .small_network import data_of, network, one_thread, state_of, weights_of

PLACES = "epoch and batch that the loader stands at, after each step"
MODES, AFTER = "in training at each step", "in training afterwards"
FRESH = {"results": [], "epoch": 0, "batch": 0}


@checks(train_mnist)
class TrainMnist(SceneCheck):
    """Leaves out a model in eval mode: the contract speaks of one in training."""

    rtol, atol, seconds = 1e-5, 1e-8, 2

    def words(self, scene):
        start, n = scene["start"], len(scene["data"][1])
        batches = f"{n} items in batches of {scene['size']}"
        if start == FRESH:
            return f"a new training of {batches}, epochs={scene['epochs']}"
        known = len(start["results"])
        return (
            f"a training of {batches} that was stopped: {known} "
            f"result{'s'[: known != 1]}, loader in epoch {start['epoch']}, batch "
            f"{start['batch']}; epochs={scene['epochs']}"
        )

    def cases(self, random):
        def of(epochs, look, start=FRESH, norm=False, n=7):
            data = [*data_of(random, n), *data_of(random, 5)]
            orders = [random.sample(range(n), n) for _ in range(4)]
            rest = {"size": 3, "start": start, "epochs": epochs, "look": look}
            return {"scene": "training_run", "data": data, "orders": orders, "lr": 0.1,
                    "weights": weights_of(random), "norm": norm, **rest}  # fmt: skip

        def stopped(results, epoch, batch):
            known = [(2.0 - i / 2, 0.25 * i) for i in range(results)]
            return {"results": known, "epoch": epoch, "batch": batch}

        for epochs in 2, 3, 0:
            yield "the epochs", of(epochs, ["work", "returned"])
        yield "as PyTorch trains", of(2, ["losses", "results", "weights"])
        for look in [MODES, AFTER], [PLACES]:
            yield "mode and place", of(2, look)
        yield "mode and place", of(2, ["losses", "weights"], norm=True, n=8)
        known = (2, 1, 1, 0), (1, 2, 2, 0), (2, 0, 0, 2), (2, 0, 1, 0), (2, 2, 2, 0)
        for epochs, *place in known:
            yield "a training goes on", of(epochs, ["work"], stopped(*place))

    @one_thread()
    def expected(self, scene):
        start, size, n = scene["start"], scene["size"], len(scene["data"][1])
        results, epoch, batch = list(start["results"]), start["epoch"], start["batch"]
        model = network(scene["weights"], scene["norm"])
        optimizer = torch.optim.SGD(model.parameters(), lr=scene["lr"])
        images, labels, *test = each(scene["data"])
        work, places, losses = [], [], []
        while len(results) < scene["epochs"]:
            if epoch == len(results):
                order = scene["orders"][epoch % len(scene["orders"])]
                batches = [order[i : i + size] for i in range(0, n, size)]
                for number, items in enumerate(batches[batch:], batch + 1):
                    optimizer.zero_grad()
                    y = model.train()(images[items])
                    loss = torch_functional.nll_loss(y, labels[items])
                    loss.backward()
                    optimizer.step()
                    last = number == len(batches)
                    work.append(f"step on {' '.join(map(str, items))}")
                    places.append((epoch + 1, 0) if last else (epoch, number))
                    losses.append(loss.item())
                epoch, batch = epoch + 1, 0
            with torch.no_grad():
                y = model.eval()(test[0])
                found = torch_functional.nll_loss(y, test[1]).item()
            results.append((found, (y.argmax(1) == test[1]).double().mean().item()))
            work.append("evaluated on test")
        returned = [*results, (0.0, float(scene["epochs"]))]
        shown = {"work": work, "returned": returned, "losses": losses,
                "results": results, "weights": state_of(model), AFTER: True,
                MODES: [True] * len(losses), PLACES: places}  # fmt: skip
        return {key: shown[key] for key in scene["look"]}

    def general(self, case):
        """Mistakes that are seen in what was done, whatever else goes wrong."""
        (scene,), got = case.args, case.got
        if isinstance(got, Problem):
            return super().general(case)
        work = got.get("work", [])
        if any(line == "evaluated on train" for line in work):
            return "on_train", (
                "the model is evaluated on training.train: how well it does on images "
                "that it has learned says little. training.test has others"
            )
        if any(line.startswith("step on test") for line in work):
            return "trains_on_test", (
                "steps are made with training.test: what the model has learned by "
                "heart cannot test it any more"
            )
        if work != case.expected.get("work", work) and self.cached(work, scene):
            return "cached", (
                "the batches of the first epoch are kept, and come again in each: ask "
                "training.train for new ones in each epoch, `for batch in "
                "training.train`"
            )
        returned, done = case.expected.get("returned"), case.expected.get("work", work)
        if work == done and not self.near(got.get("returned"), returned):
            return "not_returned", "return training.results at the end"
        return super().general(case)

    def cached(self, work, scene):
        """Are the steps those of one epoch, again and again?"""
        steps = [line for line in work if line.startswith("step")]
        size = -(-len(scene["data"][1]) // scene["size"])
        rounds = [steps[i : i + size] for i in range(0, len(steps), size)]
        return len(rounds) > 1 and all(r == rounds[0] for r in rounds)
