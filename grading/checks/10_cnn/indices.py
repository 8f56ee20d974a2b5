"""DataLoader.indices: batches, as PyTorch's BatchSampler makes them."""

from torch.utils.data import BatchSampler

from grading.checking.pairwise import pairwise
from grading.drivers.training import batch_indices
from grading.exercise import Check, drive
from minigrad.data import DataLoader

from .network import LOADERS

PARTS = {False: "all items, in order", True: "drop_last"}


def cases(random):
    for drop_last, part in PARTS.items():
        for n, size in LOADERS:
            yield part, batches(random, n, size, drop_last)
    rows = {"n": (0, 1, 2, 8, 9, 300), "size": (1, 2, 4, 8, 9, 1000)}
    for row in pairwise(random, **rows, drop_last=(False, True)):
        yield PARTS[row["drop_last"]], batches(random, **row)


def batches(random, n, size, drop_last):
    order = random.sample(range(n), n)
    return drive(batch_indices, order=order, size=size, drop_last=drop_last)


def reference(order, size, drop_last):
    return [*BatchSampler(order, size, drop_last)]


def describe(exercise, case):
    call = (
        "DataLoader(data, {size}, drop_last={drop_last}).indices(); order() is {order}"
    )
    return call.format(**case.options)


check = Check(
    DataLoader.indices,
    cases=cases,
    reference=reference,
    describe=describe,
    not_tested="orders in which items repeat: self.order() gives none",
)
