"""evaluate: loss and accuracy, beside PyTorch's, and how the model is used and left."""

import torch

from grading.checking.pairwise import pairwise
from grading.drivers.training import evaluation, state_of
from grading.exercise import Check, close, drive
from minigrad.training import evaluate

from .network import LOADERS, data_of, evaluated, network, one_thread, weights_of

BOTH, STATE = ("loss", "accuracy"), "weights and statistics"
CALLS = "the model is in training at each call"
AFTER = "the model is in training afterwards"
RECORDED, ON = "what the model does is recorded", "recording is on afterwards"
RUNS, MOST = "runs through the loader", "more than two outputs are in memory"
LOOKS = {
    "loss and accuracy": BOTH,
    "not in training": (CALLS, STATE),
    "the mode comes back": (AFTER,),
    "nothing is recorded": (RECORDED, ON, *BOTH),
    "once, and nothing is kept": (RUNS, MOST, *BOTH),
}


def of(random, n, size, *look, **how):
    usual = {"norm": False, "training": False, "recording": True, "drop_last": False}
    data, weights = data_of(random, n), weights_of(random)
    weights[0] *= 1 + how.get("norm", False)
    how = {"data": data, "size": size, "weights": weights, "look": look, **usual, **how}
    return drive(evaluation, **how)


def cases(random):
    for sizes in LOADERS:
        yield "loss and accuracy", of(random, *sizes, *BOTH)
    dropped = of(random, 10, 4, *BOTH, drop_last=True)
    yield "a loader that drops the last batch", dropped
    for training in True, False:
        yield "not in training", of(random, 13, 5, CALLS, norm=True, training=training)
        yield "the mode comes back", of(random, 9, 4, AFTER, training=training)
    for row in pairwise(
        random,
        part=(*LOOKS,),
        sizes=((9, 2), (8, 2), (6, 1), (4, 4), (4, 5)),
        norm=(False, True),
        training=(False, True),
        recording=(False, True),
        drop_last=(False, True),
    ):
        part, sizes = row.pop("part"), row.pop("sizes")
        row["drop_last"] = row["drop_last"] and sizes != (4, 5)
        yield part, of(random, *sizes, *LOOKS[part], **row)


@one_thread()
def reference(data, size, look, weights, norm, training, recording, drop_last):
    images, labels = map(torch.tensor, data)
    end = len(labels) - drop_last * (len(labels) % size)
    model = network(weights, norm)
    loss, accuracy = evaluated(model, images[:end], labels[:end])
    facts = {"loss": loss, "accuracy": accuracy, STATE: state_of(model),
             CALLS: [False], AFTER: training, RECORDED: False, ON: recording,
             RUNS: 1, MOST: False}  # fmt: skip
    return {fact: facts[fact] for fact in look}


def describe(exercise, case):
    how, n = case.options, len(case.options["data"][1])
    loader = f"DataLoader({n} images, {how['size']}, drop_last={how['drop_last']})"
    call = f"evaluate(model.train({how['training']}), {loader})"
    call += "; the model has a batch norm" if how["norm"] else ""
    return call if how["recording"] else f"with no_grad(): {call}"


check = Check(
    evaluate,
    cases=cases,
    reference=reference,
    compare=close(1e-5, 1e-8),  # an accuracy may be a mean in float
    describe=describe,
    not_tested="as in the contract, an empty loader, ties of outputs, layers that are "
    "in another mode than their model, and what an error leaves behind",
)
