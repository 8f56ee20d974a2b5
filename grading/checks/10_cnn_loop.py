"""Chapter 10, train_mnist: the order of things, and what comes of them."""

import torch
from torch.nn import functional

from grading.checking import cause, checks
from grading.subject import Problem
from minigrad import training

from .scene_check import SceneCheck, each
from .small_network import data_of, network, one_thread, state_of, weights_of

PLACES = "epoch and batch that the loader stands at, after each step"
MODES, AFTER = "in training at each step", "in training afterwards"
FRESH = {"results": [], "epoch": 0, "batch": 0}


@checks(training.train_mnist)
class TrainMnist(SceneCheck):
    rtol, atol = 1e-5, 1e-8

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
        def of(epochs, look, start=FRESH, norm=False):
            n = 7
            data = [*data_of(random, n), *data_of(random, 5)]
            orders = [random.sample(range(n), n) for _ in range(4)]
            rest = {"size": 3, "start": start, "epochs": epochs, "look": look}
            return {"scene": "training_run", "data": data, "orders": orders, "lr": 0.1,
                    "weights": weights_of(random), "norm": norm, **rest}  # fmt: skip

        def stopped(results, epoch, batch):
            known = [(2.0 - i / 2, 0.25 * i) for i in range(results)]
            return {"results": known, "epoch": epoch, "batch": batch}

        yield "the epochs", of(2, ["work"])
        yield "the epochs", of(3, ["work", "returned"])
        yield "the epochs", of(0, ["work"])
        yield "as PyTorch trains", of(2, ["losses", "results", "weights"])
        yield "mode and place", of(2, [MODES, AFTER])
        yield "mode and place", of(2, [PLACES])
        yield "a training goes on", of(2, ["work"], stopped(1, 1, 0))
        yield "a training goes on", of(2, ["work"], stopped(0, 0, 2))
        yield "a training goes on", of(2, ["work"], stopped(0, 1, 0))
        yield "a training goes on", of(2, ["work", "returned"], stopped(2, 2, 0))

    def expected(self, scene):
        return self.trained(scene)

    @one_thread()
    def trained(self, scene, epochs=None, start=None, evaluations="each", steps=True,
                again=False, eval_after=False):  # fmt: skip
        """The training, perhaps with a mistake."""
        start = scene["start"] if start is None else start
        results, epoch, batch = list(start["results"]), start["epoch"], start["batch"]
        epochs = scene["epochs"] if epochs is None else epochs
        model = network(scene["weights"], scene["norm"])
        optimizer = torch.optim.SGD(model.parameters(), lr=scene["lr"])
        images, labels, *test = each(scene["data"])
        work, places, modes, losses = [], [], [], []
        size, n = scene["size"], len(labels)
        while len(results) < epochs:
            if epoch == len(results) or again:
                order = scene["orders"][epoch % len(scene["orders"])]
                batches = [order[i : i + size] for i in range(0, n, size)]
                for number, items in enumerate(batches[batch:], batch + 1):
                    optimizer.zero_grad()
                    loss = functional.nll_loss(model(images[items]), labels[items])
                    loss.backward()
                    optimizer.step()
                    last = number == len(batches)
                    if steps:
                        work.append(f"step on {' '.join(map(str, items))}")
                        places.append((epoch + 1, 0) if last else (epoch, number))
                        modes.append(model.training)
                        losses.append(loss.item())
                    if evaluations == "steps":
                        work.append("evaluated on test")
                epoch, batch = epoch + 1, 0
            model.train(not eval_after)
            with torch.no_grad():
                y = model(test[0])
                found = functional.nll_loss(y, test[1]).item()
            results.append((found, (y.argmax(1) == test[1]).double().mean().item()))
            if evaluations == "each" or evaluations == "last" and epoch == epochs:
                work.append("evaluated on test")
        told = {"work": work, "returned": "results", "losses": losses,
                "results": results, "weights": state_of(model), MODES: modes,
                AFTER: model.training, PLACES: places}  # fmt: skip
        return {key: told[key] for key in scene["look"]}

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
        if got.get("returned", "results") != "results":
            return "not_returned", "return training.results at the end"
        return super().general(case)

    def cached(self, work, scene):
        """Are the steps those of one epoch, again and again?"""
        steps = [line for line in work if line.startswith("step")]
        size = -(-len(scene["data"][1]) // scene["size"])
        rounds = [steps[i : i + size] for i in range(0, len(steps), size)]
        return len(rounds) > 1 and all(r == rounds[0] for r in rounds)

    @cause("one epoch too many")
    def one_more(self, scene):
        return self.trained(scene, epochs=scene["epochs"] + 1)

    @cause("one epoch too few")
    def one_less(self, scene):
        return self.trained(scene, epochs=max(scene["epochs"] - 1, 0))

    @cause("the model is evaluated once, at the end: after each epoch is wanted, to "
           "see how it goes, and training.evaluated notes it")  # fmt: skip
    def at_end(self, scene):
        return self.trained(scene, evaluations="last")

    @cause("the model is evaluated after every step: once after each epoch is enough, "
           "and takes less time than the training")  # fmt: skip
    def every_step(self, scene):
        return self.trained(scene, evaluations="steps")

    @cause("nobody hears of the results: training.evaluated(loss, accuracy)")
    def never_evaluated(self, scene):
        return self.trained(scene, evaluations="never")

    @cause("nobody hears of the steps: after each training.stepped(loss), which notes "
           "the loss and saves the state in time")  # fmt: skip
    def never_stepped(self, scene):
        return self.trained(scene, steps=False)

    @cause("a training that was stopped begins again: len(training.results) epochs are "
           "done already")  # fmt: skip
    def from_zero(self, scene):
        done = len(scene["start"]["results"])
        return self.trained(scene, epochs=scene["epochs"] + done)

    @cause("an epoch is trained twice: where training.train.epoch is one more than "
           "len(training.results) it has had its steps, and only the evaluation is "
           "missing")  # fmt: skip
    def trains_again(self, scene):
        return self.trained(scene, again=True)

    @cause("the model is left in eval mode after the first evaluation: what it learns "
           "from then on, it learns without dropout")  # fmt: skip
    def left_in_eval(self, scene):
        return self.trained(scene, eval_after=True)

    @cause("the batches of an epoch are all fetched before its first step: then the "
           "loader says that the epoch is done, and a checkpoint on the way forgets "
           "the rest of it. One batch, one step")  # fmt: skip
    def gathered(self, scene):
        told = self.trained(scene)
        if PLACES in told:
            each_epoch = -(-len(scene["data"][1]) // scene["size"])
            places = range(len(told[PLACES]))
            told[PLACES] = [(1 + number // each_epoch, 0) for number in places]
        return told
