"""train_step and evaluate."""

import numpy as np
import torch
from torch.nn import functional as torch_functional

import minigrad
from grading.exercise import checks, mistake, mistakes, right
from minigrad import functional
from minigrad.training import evaluate, train_step

from .scene_check import SceneCheck, each
from .small_network import LOADERS, data_of, network, one_thread, state_of, weights_of

LOSSES = ("losses", "weights")
GRAPH, DTYPE = "the losses have a graph", "the losses' dtype"
WAITS = "a tensor is turned into a number"
NEW = "the model has something new"
RUNS, MOST = "runs through the loader", "more than two outputs are in memory"
CALLS = "the model is in training at each call"
AFTER = "the model is in training afterwards"
EACH, CALLED = "every layer keeps its mode", "calls of the model"
RECORDED, ON = "what the model does is recorded", "recording is on afterwards"


@checks(train_step)
class TrainStep(SceneCheck):
    """Leaves out float32, devices and other optimizers: a step calls their methods."""

    rtol, atol = 1e-7, 1e-9

    def words(self, scene):
        options = ", ".join(f"{k}={v}" for k, v in scene["options"].items())
        mode, count = "training" if scene["training"] else "eval", len(scene["batches"])
        norm = ", with a batch norm" if scene["norm"] is not None else ""
        norm += " in eval mode" * (scene["training"] and scene["norm"] is False)
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
        yield "the steps", self.of(random, 1, LOSSES, **sgd, held=np.nan)
        yield "fifty steps", self.of(random, 50, LOSSES, **fast)
        yield "no graph", self.of(random, 2, [GRAPH, DTYPE, WAITS, NEW, CALLED], **sgd)
        for mode, norm in (True, True), (False, False), (True, False):
            how = {"norm": norm, "training": mode, **sgd}
            yield "the mode stays", self.of(random, 3, [CALLS, AFTER, EACH], **how)
            yield "the mode stays", self.of(random, 3, LOSSES, **how)

    def of(self, random, steps, look, norm=None, training=True, **how):
        batches = [data_of(random, 7) for _ in range(steps)]
        rest = {"weights": weights_of(random), "norm": norm, "training": training}
        return {"scene": "train_steps", "batches": batches, "look": list(look),
                **rest, **how}  # fmt: skip

    @one_thread()
    def expected(self, scene):
        norm = scene["norm"]
        model = network(scene["weights"], norm is not None).train(scene["training"])
        if norm is not None:
            model[1].train(norm)
        optimizer = getattr(torch.optim, scene["optimizer"])
        optimizer, losses = optimizer(model.parameters(), **scene["options"]), []
        for x, t in map(each, scene["batches"]):
            optimizer.zero_grad()
            loss = torch_functional.nll_loss(model(x), t)
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        mode = model.training
        facts = {"losses": losses, "weights": state_of(model), GRAPH: False,
                 CALLS: [mode], AFTER: mode, DTYPE: "float64", WAITS: False,
                 NEW: False, EACH: True, CALLED: len(losses)}  # fmt: skip
        return {key: facts[key] for key in scene["look"]}


ZERO, BACKWARD, STEP = "optimizer.zero_grad()", "loss.backward()", "optimizer.step()"
mistakes(train_step)(rf"""
no_zero_grad: the gradients of the step before are still there, and these are added:
    begin with optimizer.zero_grad()
> {ZERO} ->
times_zero: gradients from before are multiplied by 0, and NaN times 0 is NaN: forget
    them
> {ZERO} -> [p.grad.mul_(0) for p in model.parameters() if p.grad is not None]
no_step: nothing is learned: optimizer.step() comes after loss.backward(), and no
    zero_grad() between the two, or nothing is left to step by
> {STEP} ->
> {ZERO} ->
& {BACKWARD} -> {BACKWARD}\n    {ZERO}
called_twice: the model is called twice: a batch norm's statistics then move twice a
    step
> {ZERO} -> {ZERO}\n    model(images)
step_first: the step comes before backward(): it uses the gradients of the step before
> {ZERO} ->
& {BACKWARD}\n    {STEP} -> {STEP}\n    {BACKWARD}
sum_of_all: the loss is the sum over the batch: its steps are as many times too long as
    the batch has images. The mean is wanted, the default
> labels)\n -> labels, reduction="sum")\n
after: the loss is computed anew after the step: it costs a second forward, and is not
    the loss that this step went down from
> loss.detach() -> functional.nll_loss(model(images), labels).detach()
with_graph: the loss has still its graph: whoever keeps the losses keeps every step's
    tensors alive, until the memory is full: loss.detach()
> .detach() ->
waits: a tensor is turned into a number in between: on a GPU that waits for every kernel
    of the step
> return loss -> loss.item()\n    return loss
> return loss -> assert loss == loss\n    return loss
kept: something is kept on the model, and its graph with it: return the loss, and keep
    nothing
> return loss -> model.loss = loss\n    return loss
sets_train: the model is put into training mode: a step leaves the mode to the caller,
    who may have put layers into eval on purpose
> {ZERO} -> {ZERO}\n    model.train()
> {ZERO} -> {ZERO}\n    model.train(model.training)
forgotten_after: gradients from before the call are still there, and these are added:
    zero_grad() comes before backward(), not after the step
> {ZERO} ->
& {STEP} -> {STEP}\n    {ZERO}
type:
> .detach() -> .item()
> return loss.detach() ->
right: the sum, divided
> labels)\n -> labels, reduction="sum") / len(labels)\n
& loss.detach() -> loss.detach().clone()
""")


@right(train_step, "by a closure")
def _(model, optimizer, images, labels):
    def closure():
        model.zero_grad()
        loss = functional.nll_loss(model(images), labels)
        loss.backward()
        return loss

    return optimizer.step(closure).detach()


@right(train_step, "the loss written out")
def _(model, optimizer, images, labels):
    loss = -model(images).gather(1, labels.unsqueeze(1)).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    with minigrad.no_grad():
        return loss * 1


@checks(evaluate)
class Evaluate(SceneCheck):
    """Leaves out an empty loader and ties of outputs: the contract settles neither."""

    rtol, atol = 1e-5, 1e-8  # an accuracy may be a mean in float

    def words(self, scene):
        n, mode = len(scene["data"][1]), "training" if scene["training"] else "eval"
        norm = ", with a batch norm" if scene["norm"] else ""
        norm += ", drop_last=True" * scene["drop_last"]
        norm += "" if scene["recording"] else ", called under no_grad()"
        return (
            f"{n} images in batches of {scene['size']}, a model in {mode} mode{norm}; "
            f"{', '.join(scene['look'])}"
        )

    def cases(self, random):
        def of(n, size, look, norm=False, training=False, on=True, drop_last=False):
            data, weights = data_of(random, n), weights_of(random)
            if norm:
                weights[0] *= 2
            rest = {"norm": norm, "training": training, "look": look}
            return {"scene": "evaluation", "data": data, "size": size, "recording": on,
                    "drop_last": drop_last, "weights": weights, **rest}  # fmt: skip

        both = ["loss", "accuracy"]
        for sizes in LOADERS:
            yield "loss and accuracy", of(*sizes, both)
        yield "a loader that drops the last batch", of(10, 4, both, drop_last=True)
        for training_ in (True, False):
            how = {"norm": True, "training": training_}
            yield "not in training", of(13, 5, [CALLS], **how)
            yield "not in training", of(13, 5, [*both, "weights and statistics"], **how)
            yield "the mode comes back", of(9, 4, [AFTER], **how)
        yield "nothing is recorded", of(9, 4, [RECORDED, *both])
        yield "nothing is recorded", of(9, 4, [ON], training=True)
        yield "nothing is recorded", of(9, 4, [ON], on=False)
        yield "once, and nothing is kept", of(13, 2, [RUNS, MOST, *both])

    @one_thread()
    def expected(self, scene):
        model = network(scene["weights"], scene["norm"]).eval()
        images, labels = each(scene["data"])
        if scene["drop_last"]:
            end = len(labels) // scene["size"] * scene["size"]
            images, labels = images[:end], labels[:end]
        with torch.no_grad():
            y = model(images)
        facts = {
            "loss": torch_functional.nll_loss(y, labels).item(),
            "accuracy": (y.argmax(1) == labels).double().mean().item(),
            CALLS: [False], AFTER: scene["training"], RECORDED: False,
            ON: scene["recording"], RUNS: 1, MOST: False,
            "weights and statistics": state_of(model),
        }  # fmt: skip
        return {key: facts[key] for key in scene["look"]}


MODE, SUMS, SHARE = "model.train(was_training)", ', reduction="sum"', "right / count"
mistakes(evaluate)(rf"""
mean_of_means: the means of the batches are averaged as if all were equally large: the
    images of a smaller last batch count for more. Add up sums, and divide by the number
    of images
> {SUMS} ->
& sum().item() -> sum().item() / len(labels)
& count += len(labels) -> count += 1
means_by_items: means of batches are added up and divided by the number of images: add
    up sums, nll_loss(..., reduction="sum")
> {SUMS} ->
over_images: argmax goes along the wrong dimension: each row is an image, and the
    largest of its outputs is wanted, argmax(1)
> argmax(1) -> argmax(0)
stays_training: the model is used as it is: if it was in training, dropout throws
    numbers away, and batch norm uses the batch, and learns from it. model.eval() first
> model.eval() ->
leaves_eval: the model is left in eval mode although it was in training: what is learned
    from here on is learned without dropout. Remember model.training, and put it back
> {MODE} ->
leaves_training: the model is left in training mode although it was in eval: remember
    model.training, and put that back
> {MODE} -> model.train()
records: a graph is recorded for every batch, which costs memory and time, and nobody
    calls backward: with no_grad()
> with no_grad(): -> if True:
turned_on: recording is turned on at the end, also where the caller had turned it off:
    `with no_grad():` puts back what was there
> {MODE} -> {MODE}\n    minigrad.set_grad_enabled(True)
of_dataset: the sums are divided by the size of the data set, but a loader may leave
    some items out, as drop_last does: count the items that came
> total / count, {SHARE} -> total / len(loader.dataset), right / len(loader.dataset)
left_off: recording is left off: whatever is trained afterwards has no gradients. `with
    no_grad():` puts it back by itself
> with no_grad(): -> minigrad.set_grad_enabled(False)\n    if True:
all_outputs: the outputs of all batches are kept, which may not fit into memory: add up
    the numbers of each batch
twice: the loader is gone through more than once: that reads all images again
> return total -> count = sum(len(t) for _, t in loader)\n    return total
right: means, each times its batch
> (output, labels, reduction="sum").item() -> (output, labels).item() * len(labels)
& (output.argmax(1) == labels) -> (output.max(1).indices == labels)
equivalent: sums do not depend on the order, and batches may be held at once: outputs
    not
> order: for images, labels in loader
""")


@mistake(evaluate)
def all_outputs(model, loader):
    before = model.training
    model.train(False)
    with minigrad.no_grad():
        pairs = [(model(x), t) for x, t in loader]
    model.train(before)
    output, labels = (minigrad.cat(parts) for parts in zip(*pairs))
    loss = functional.nll_loss(output, labels)
    return float(loss), (output.argmax(1) == labels).float().mean().item()


@right(evaluate, "lists of numbers, by NumPy")
def _(model, loader):
    mode, losses, hits = model.training, [], []
    try:
        model.eval()
        for images, labels in loader:
            with minigrad.no_grad():
                y = model(images).numpy()
            t = labels.numpy()
            losses += (-y[np.arange(len(t)), t]).tolist()
            hits += (y.argmax(1) == t).tolist()
    finally:
        model.train(mode)
    return sum(losses) / len(losses), sum(hits) / len(hits)
