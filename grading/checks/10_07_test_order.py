"""A test for the order of a loader."""

from grading.checking import checks
from grading.mistakes import Known, mistakes, right
from grading.own_tests import SWALLOWED, OwnTest
from minigrad.data import DataLoader
from minigrad.exercises.own_tests import test_order


@checks(test_order)
class OrderTest(OwnTest):
    of = DataLoader.order
    wrong = {
        "never_shuffled": "an order that is never shuffled",
        "always_shuffled": "an order that is always shuffled",
        "same_order": "an order that is the same in every epoch",
        "ignores_seed": "an order that the seed has no part in",
        "not_reproducible": "an order that is another one in each run",
        "with_replacement": "an order in which items come twice",
        "moved_along": "an order that is only moved along",
    }


mistakes(
    test_order,
    let_through=Known(
        "assert sorted(found) == rising -> assert True",
        "assert len(steps) > 2 -> assert True",
        "assert of(3, 1) == first -> assert True",
        "assert of(3, 2) != first -> assert True",
        "assert of(4, 1) != first -> assert True",
        SWALLOWED,
    ),
    false_alarm=Known(
        "sorted(found) == rising -> found == rising",
        "assert of(3, 1) == first -> assert of(3, 1) != first",
        "assert of(3, 2) != first -> assert of(3, 2) == first",
    ),
)
right(test_order, "more items", "range(50) -> range(80)", "% 50 -> % 80")
