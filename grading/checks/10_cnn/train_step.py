"""train_step: steps with batches, beside PyTorch's."""

import math

import torch

from grading.checking.pairwise import pairwise
from grading.drivers.training import state_of, train_steps
from grading.exercise import Check, close, drive
from minigrad.training import train_step

from .network import data_of, network, one_thread, step, weights_of

LOSSES = "losses", "weights"
CALLS = "the model is in training at each call"
AFTER = "the model is in training afterwards"
NEVER = (
    "the losses have a graph",
    "a tensor is turned into a number",
    "the model has something new",
)
MODES = CALLS, AFTER, "every layer keeps its mode"


def steps(random, count, look, norm=None, training=True, lr=0.2, n=7, **how):
    batches = [data_of(random, n) for _ in range(count)]
    model = {"weights": weights_of(random), "norm": norm, "training": training}
    how = {"momentum": 0.0, "held": 1.0, "lr": lr, **how}
    return drive(train_steps, batches=batches, look=look, **model, **how)


def cases(random):
    for count, held in (1, 1.0), (3, 1.0), (2, math.inf):
        yield "the steps", steps(random, count, LOSSES, held=held)
    yield "many steps", steps(random, 15, LOSSES, lr=0.1, momentum=0.9)
    look = NEVER[0], "the losses' dtype", *NEVER[1:], "calls of the model"
    yield "no graph", steps(random, 2, look)
    for training, norm in (True, True), (False, False), (True, False):
        yield "the mode stays", steps(random, 1, MODES, norm, training)
    for row in pairwise(
        random,
        count=(1, 2),
        look=(LOSSES, MODES),
        norm=(None, True, False),
        training=(True, False),
        lr=(0, 0.2),
        momentum=(0.0, 0.9),
        held=(None, 1.0, math.inf, math.nan),
        n=(2, 7),
    ):
        part = "the mode stays" if row["look"] is MODES else "options together"
        yield part, steps(random, **row)


@one_thread()
def reference(batches, weights, norm, training, lr, momentum, look):
    model = network(weights, norm is not None).train(training)
    if norm is not None:
        model[1].train(norm)
    optimizer = torch.optim.SGD(model.parameters(), lr, momentum)
    losses = [step(model, optimizer, *map(torch.tensor, batch)) for batch in batches]
    facts = {
        **dict.fromkeys(NEVER, False),
        **dict(zip(MODES, ([training], training, True), strict=True)),
        "losses": losses,
        "weights": state_of(model),
        "the losses' dtype": "float64",
        "calls of the model": len(losses),
    }
    return {fact: facts[fact] for fact in look}


def describe(exercise, case):
    how, norm = case.options, {None: "", True: "; a batch norm in training",
                               False: "; a batch norm in eval mode"}  # fmt: skip
    optimizer = f"SGD(parameters, {how['lr']}, {how['momentum']})"
    call = f"train_step(model.train({how['training']}), {optimizer}, images, labels)"
    return f"{call}; batches: {len(how['batches'])}{norm[how['norm']]}"


check = Check(
    train_step,
    cases=cases,
    reference=reference,
    compare=close(1e-7, 1e-9),
    describe=describe,
    not_tested="float32, devices, and other optimizers: a step calls their methods",
)
