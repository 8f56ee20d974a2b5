"""train_step and evaluate."""

import numpy as np
import torch
from torch.nn import functional as torch_functional

from grading.exercise import checks
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
