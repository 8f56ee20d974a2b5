"""test_order: a test for the order of a loader."""

from grading.checking.candidates import TestCheck
from minigrad.data import DataLoader
from minigrad.exercises.own_tests import test_order

check = TestCheck(
    test_order,
    of=DataLoader.order,
    rejects={
        "never_shuffled": "an order that never shuffles",
        "always_shuffled": "an order that always shuffles",
        "same_order": "an order that ignores the epoch",
        "ignores_seed": "an order that ignores the seed",
        "collides": "an order that uses only the sum of seed and epoch",
        "not_reproducible": "an order that changes from call to call",
        "with_replacement": "an order that returns items twice",
        "moved_along": "an order that only rotates the items",
    },
    not_tested="other mistakes than these eight, as in the contract: changed loaders, "
    "shared generators, kept orders, and other types",
)
