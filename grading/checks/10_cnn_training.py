"""Chapter 10, train_step and evaluate."""

import torch
from torch.nn import functional

from grading.checking import cause, checks
from minigrad import training

from .scene_check import SceneCheck, each
from .small_network import data_of, network, one_thread, state_of, weights_of

LOSSES = ("losses", "weights")
GRAPH = "the losses have a graph"
CALLS = "the model is in training at each call"
AFTER = "the model is in training afterwards"
RECORDED, ON = "what the model does is recorded", "recording is on afterwards"


@checks(training.train_step)
class TrainStep(SceneCheck):
    rtol, atol = 1e-7, 1e-9

    def words(self, scene):
        options = ", ".join(f"{k}={v}" for k, v in scene["options"].items())
        mode, count = "training" if scene["training"] else "eval", len(scene["batches"])
        norm = ", with a batch norm" if scene["norm"] else ""
        return (
            f"{count} {'step' if count == 1 else 'steps'} of "
            f"{scene['optimizer']}({options}), "
            f"batches of {len(scene['batches'][0][1])}, a model in {mode} mode{norm}"
        )

    def cases(self, random):
        sgd = {"optimizer": "SGD", "options": {"lr": 0.2}}
        fast = {"optimizer": "SGD", "options": {"lr": 0.1, "momentum": 0.9}}
        yield "the steps", self.of(random, 1, LOSSES, **sgd)
        yield "the steps", self.of(random, 3, LOSSES, **sgd)
        yield "fifty steps", self.of(random, 50, LOSSES, **fast)
        yield "no graph", self.of(random, 2, [GRAPH], **sgd)
        for mode in (True, False):
            how = {"norm": True, "training": mode, **sgd}
            yield "the mode stays", self.of(random, 3, [CALLS, AFTER], **how)
            yield "the mode stays", self.of(random, 3, LOSSES, **how)

    def of(self, random, steps, look, norm=False, training=True, **how):
        batches = [data_of(random, 7) for _ in range(steps)]
        rest = {"weights": weights_of(random), "norm": norm, "training": training}
        return {"scene": "train_steps", "batches": batches, "look": list(look),
                **rest, **how}  # fmt: skip

    def expected(self, scene):
        return self.trained(scene)

    @one_thread()
    def trained(self, scene, zero=True, step=True, reduction="mean", after=False,
                told="mean", graph=False, mode=None):  # fmt: skip
        """The steps, perhaps with a mistake. mode: which the answer sets."""
        model = network(scene["weights"], scene["norm"]).train(scene["training"])
        make, losses = getattr(torch.optim, scene["optimizer"]), []
        optimizer, modes = make(model.parameters(), **scene["options"]), set()
        for x, t in map(each, scene["batches"]):
            if mode is not None:
                model.train(mode)
            if zero:
                optimizer.zero_grad()
            modes.add(model.training)
            y = model(x)
            loss = functional.nll_loss(y, t, reduction=reduction)
            said = functional.nll_loss(y, t, reduction=told)
            if step == "before":
                optimizer.step()
            loss.backward()
            if step is True:
                optimizer.step()
            said = functional.nll_loss(model(x), t) if after else said
            losses.append(said.item())
        facts = {"losses": losses, "weights": state_of(model), GRAPH: graph,
                 CALLS: sorted(modes), AFTER: model.training}  # fmt: skip
        return {key: facts[key] for key in scene["look"]}

    def wrong(self, scene, **mistake):
        if len(scene["batches"]) > 3:
            raise ValueError("the short cases tell the cause as well, and sooner")
        return self.trained(scene, **mistake)

    @cause("the gradients of the step before are still there, and these are added: "
           "begin with optimizer.zero_grad()")  # fmt: skip
    def no_zero_grad(self, scene):
        return self.wrong(scene, zero=False)

    @cause("nothing is learned: optimizer.step() comes after loss.backward(), and no "
           "zero_grad() between the two, or there is nothing to step by")  # fmt: skip
    def no_step(self, scene):
        return self.wrong(scene, step=False)

    @cause("the step comes before backward(): it uses the gradients of the step before")
    def step_first(self, scene):
        return self.wrong(scene, zero=False, step="before")

    @cause("the loss is the sum over the batch: its steps are as many times too long "
           "as the batch has images. The mean is wanted, the default")  # fmt: skip
    def sum_of_all(self, scene):
        return self.wrong(scene, reduction="sum", told="sum")

    @cause("the steps are right, but the loss that is returned is a sum")
    def sum_told(self, scene):
        return self.wrong(scene, told="sum")

    @cause("the loss is computed anew after the step: it costs a second forward, and "
           "is not the loss that this step went down from")  # fmt: skip
    def after(self, scene):
        return self.wrong(scene, after=True)

    @cause("the loss has still its graph: whoever keeps the losses keeps every step's "
           "tensors alive, until the memory is full: loss.detach()")  # fmt: skip
    def with_graph(self, scene):
        return self.wrong(scene, graph=True)

    @cause("the model is put into training mode: a step leaves the mode to the caller, "
           "who may have put layers into eval on purpose")  # fmt: skip
    def sets_train(self, scene):
        return self.wrong(scene, mode=True)

    @cause("the model is put into eval mode: dropout and batch norm would do nothing "
           "while it learns")  # fmt: skip
    def sets_eval(self, scene):
        return self.wrong(scene, mode=False)


@checks(training.evaluate)
class Evaluate(SceneCheck):
    rtol, atol = 1e-5, 1e-8  # an accuracy may be a mean in float

    def words(self, scene):
        n, mode = len(scene["data"][1]), "training" if scene["training"] else "eval"
        norm = ", with a batch norm" if scene["norm"] else ""
        return (
            f"{n} images in batches of {scene['size']}, a model in {mode} mode{norm}; "
            f"{', '.join(scene['look'])}"
        )

    def cases(self, random):
        def of(n, size, look, norm=False, training=False):
            data, weights = data_of(random, n), weights_of(random)
            if norm:
                weights[0] *= 2
            rest = {"norm": norm, "training": training, "look": look}
            return {"scene": "evaluation", "data": data, "size": size,
                    "weights": weights, **rest}  # fmt: skip

        both = ["loss", "accuracy"]
        yield "loss and accuracy", of(9, 4, both)
        yield "loss and accuracy", of(13, 5, both)
        yield "loss and accuracy", of(12, 4, both)
        for training_ in (True, False):
            how = {"norm": True, "training": training_}
            yield "not in training", of(13, 5, [CALLS], **how)
            yield "not in training", of(13, 5, [*both, "weights and statistics"], **how)
            yield "the mode comes back", of(9, 4, [AFTER], **how)
        yield "nothing is recorded", of(9, 4, [RECORDED])
        yield "nothing is recorded", of(9, 4, [ON], training=True)

    def expected(self, scene):
        return self.evaluated(scene)

    @one_thread()
    def evaluated(self, scene, mode=False, after=None, recorded=False, on=True,
                  loss="items", accuracy="items", dim=1, swapped=False):  # fmt: skip
        """The evaluation, perhaps with a mistake. mode: None leaves it as it is."""
        model = network(scene["weights"], scene["norm"]).train(scene["training"])
        model.train(scene["training"] if mode is None else mode)
        calls, batches = model.training, []
        images, labels = each(scene["data"])
        with torch.no_grad():
            for x, t in zip(images.split(scene["size"]), labels.split(scene["size"]),
                            strict=True):  # fmt: skip
                y = model(x)
                total = functional.nll_loss(y, t, reduction="sum").item()
                batches.append((total, (y.argmax(dim) == t).sum().item(), len(t)))
        losses, rights, counts = zip(*batches, strict=True)
        n = len(batches)
        means = [part / count for part, count in zip(losses, counts, strict=True)]
        shares = [part / count for part, count in zip(rights, counts, strict=True)]
        found = {
            "loss": {
                "items": sum(losses) / sum(counts), "batches": sum(means) / n,
                "sum": sum(losses), "last": means[-1], "by batches": sum(losses) / n,
                "means by items": sum(means) / sum(counts),
            }[loss],
            "accuracy": {
                "items": sum(rights) / sum(counts), "batches": sum(shares) / n,
                "percent": 100 * sum(rights) / sum(counts), "last": shares[-1],
                "by batches": sum(rights) / n, "count": float(sum(rights)),
            }[accuracy],
        }  # fmt: skip
        if swapped:
            found = dict(zip(found, reversed(found.values()), strict=True))
        after = scene["training"] if after is None else after
        found |= {CALLS: [calls], AFTER: after, RECORDED: recorded, ON: on}
        found["weights and statistics"] = state_of(model)
        return {key: found[key] for key in scene["look"]}

    @cause("the means of the batches are averaged as if all were equally large: the "
           "images of a smaller last batch count for more. Add up sums, and divide by "
           "the number of images")  # fmt: skip
    def mean_of_means(self, scene):
        return self.evaluated(scene, loss="batches", accuracy="batches")

    @cause("the accuracy is right, but the loss is a mean of the batches' means: a "
           "smaller last batch counts for more. nll_loss(..., reduction=\"sum\") can "
           "be added up")  # fmt: skip
    def loss_of_means(self, scene):
        return self.evaluated(scene, loss="batches")

    @cause("means of batches are added up and divided by the number of images: add up "
           "sums, nll_loss(..., reduction=\"sum\")")  # fmt: skip
    def means_by_items(self, scene):
        return self.evaluated(scene, loss="means by items")

    @cause("the sums are divided by the number of batches, and not of images")
    def by_batches(self, scene):
        return self.evaluated(scene, loss="by batches", accuracy="by batches")

    @cause("the accuracy is divided by the number of batches, and not of images")
    def share_by_batches(self, scene):
        return self.evaluated(scene, accuracy="by batches")

    @cause("that is the sum of the losses: their mean is wanted")
    def not_divided(self, scene):
        return self.evaluated(scene, loss="sum")

    @cause("that is how many are right: divide by the number of images")
    def count(self, scene):
        return self.evaluated(scene, accuracy="count")

    @cause("the accuracy is in percent: a share from 0 to 1 is wanted")
    def percent(self, scene):
        return self.evaluated(scene, accuracy="percent")

    @cause("argmax goes along the wrong dimension: each row is an image, and the "
           "largest of its outputs is looked for, argmax(1)")  # fmt: skip
    def over_images(self, scene):
        return self.evaluated(scene, dim=0)

    @cause("only the last batch counts")
    def last_batch(self, scene):
        return self.evaluated(scene, loss="last", accuracy="last")

    @cause("the accuracy is that of the last batch alone")
    def last_share(self, scene):
        return self.evaluated(scene, accuracy="last")

    @cause("accuracy and loss are swapped")
    def swapped(self, scene):
        return self.evaluated(scene, swapped=True)

    @cause("the model is used as it is: if it was in training, dropout throws numbers "
           "away, and batch norm uses the batch, and learns from it. model.eval() "
           "first")  # fmt: skip
    def stays_training(self, scene):
        return self.evaluated(scene, mode=None)

    @cause("the model is left in eval mode although it was in training: what is "
           "learned from here on is learned without dropout. Remember model.training, "
           "and put it back")  # fmt: skip
    def leaves_eval(self, scene):
        return self.evaluated(scene, after=False)

    @cause("the model is left in training mode although it was in eval: remember "
           "model.training, and put that back")  # fmt: skip
    def leaves_training(self, scene):
        return self.evaluated(scene, after=True)

    @cause("a graph is recorded for every batch, which costs memory and time, and "
           "nobody calls backward: with no_grad()")  # fmt: skip
    def records(self, scene):
        return self.evaluated(scene, recorded=True)

    @cause("recording is left off: whatever is trained afterwards has no gradients. "
           "`with no_grad():` puts it back by itself")  # fmt: skip
    def left_off(self, scene):
        return self.evaluated(scene, on=False)
