"""DataLoader.indices: batches, as PyTorch's BatchSampler makes them."""

from torch.utils.data import BatchSampler

from grading.checking.check import Check, drive
from grading.drivers.training import batch_indices
from minigrad.data import DataLoader

from .network import LOADERS


def cases(random):
    for drop_last, part in (False, "all items, in order"), (True, "drop_last"):
        for n, size in (*LOADERS, (0, 4)):
            order = random.sample(range(n), n)
            how = {"order": order, "size": size, "drop_last": drop_last}
            yield part, drive(batch_indices, **how)


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
