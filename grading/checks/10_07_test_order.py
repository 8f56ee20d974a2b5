"""A test for the order of a loader.

Leaves out depends_on_calls, global_state, kept, stays, turned, and type: the contract
of a test names no mistakes that it must find.
"""

from types import SimpleNamespace

import numpy as np

from grading.exercise import own_test, right
from minigrad.data import DataLoader
from minigrad.exercises.own_tests import test_order

own_test(test_order, DataLoader.order)("""
never_shuffled: an order that is never shuffled
always_shuffled: an order that is always shuffled
same_order: an order that is the same in every epoch
ignores_seed: an order that the seed has no part in
collides: an order that the sum of seed and epoch decides
not_reproducible: an order that is another one in each run
with_replacement: an order in which items come twice
moved_along: an order that is only moved along
let_through:
> assert sorted(found) == rising -> assert True
> assert len(steps) > 2 -> assert True
> assert of(3, 1) == first -> assert True
> assert of(3, 2) != first -> assert True
> assert of(4, 1) != first -> assert True
> assert of(3, 2) != of(4, 1) -> assert True
false_alarm:
> sorted(found) == rising -> found == rising
> assert of(3, 1) == first -> assert of(3, 1) != first
> assert of(3, 2) != first -> assert of(3, 2) == first
right: more items
> range(50) -> range(80)
& % 50 -> % 80
""")


@right(test_order, "by sets of orders")
def _(order):
    def run(shuffle, seed=5, epoch=0):
        about = {"shuffle": shuffle, "seed": seed, "epoch": epoch}
        loader = SimpleNamespace(dataset=[0] * 30, **about)
        return tuple(np.asarray(order(loader)).tolist())

    pairs, rising = list(np.ndindex(4, 4)), tuple(range(30))
    several = [run(True, *pair) for pair in pairs]
    assert run(False) == rising and several == [run(True, *pair) for pair in pairs]
    assert len(set(several)) == 16
    for one in several:
        assert tuple(sorted(one)) == rising
        assert sum((b - a) % 30 == 1 for a, b in zip(one, one[1:], strict=False)) < 15
