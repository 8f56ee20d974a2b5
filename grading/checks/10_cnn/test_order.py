"""test_order: a test for the order of a loader."""

from grading.checking.candidates import TestCheck
from minigrad.data import DataLoader
from minigrad.exercises.own_tests import test_order

check = TestCheck(
    test_order,
    of=DataLoader.order,
    rejects={
        "never_shuffled": "an order that is never shuffled",
        "always_shuffled": "an order that is always shuffled",
        "same_order": "an order that is the same in every epoch",
        "ignores_seed": "an order that the seed has no part in",
        "collides": "an order that the sum of seed and epoch decides",
        "not_reproducible": "an order that is another one in each run",
        "with_replacement": "an order in which items come twice",
        "moved_along": "an order that is only moved along",
    },
    not_tested="depends_on_calls, global_state, kept, stays, turned, and type: the "
    "contract of a test names no mistakes that it must find",
)
