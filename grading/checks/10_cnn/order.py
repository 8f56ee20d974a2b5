"""DataLoader.order: any random order is right, so facts about orders are compared."""

import itertools
import random as python_random

import numpy as np

from grading.drivers.training import changed_loader, epoch_orders, many_orders
from grading.exercise import Check, drive
from minigrad.data import DataLoader

FEW = [(seed, epoch) for seed in range(7) for epoch in range(7)]
FACTORS = 10, 16, 31, 32, 37, 64, 97, 100, 101, 128, 255, 256, 257, 500, 512, 997, 999
FACTORS += 1000, 1001, 1009, 1024, 4096, 9973, 10_000, 2**16, 65_537, 10**5, 10**6
FACTORS += 1_000_003, 10**9, 10**9 + 7, 2**31 - 1, 2**31  # of seed * factor + epoch
MOST = 2**32 - 1
MANY = [*FEW, (1, 23), (12, 3), *((1, f) for f in FACTORS), *((f, 1) for f in FACTORS)]
MANY += [(0, MOST), (MOST, 0), (MOST, MOST), (MOST, 1), (1, MOST), (MOST - 1, MOST)]


def cases(random):
    def epochs(n, shuffle=True):
        seed, another, *stirs = (random.getrandbits(32) for _ in range(9))
        how = {"shuffle": shuffle, "seed": seed, "another": another}
        return drive(epoch_orders, n=n, stirs=stirs, **how)

    for n in random.randint(190, 210), random.randint(55, 65):
        yield "a shuffled epoch", epochs(n)
    n = random.randint(18, 22)
    yield "seed and epoch", drive(many_orders, n=n, pairs=MANY)
    changes = drive(changed_loader, attributes=[*changing(random)])
    yield "one loader, again and again", changes
    yield "not shuffled", epochs(random.randint(45, 55), shuffle=False)
    for n in 1, 0:
        yield "few items", epochs(n)


def changing(random):
    """Attributes of a loader, of which one changes at a time."""
    now = [random.randint(25, 35), True, random.randrange(9), random.randrange(9)]
    yield [*now]
    for which in 3, 2, 1, 3, 0, 1, 2:
        new = random.randint(36, 45) if which == 0 else now[which] + 1
        now[which] = not now[which] if which == 1 else new
        yield [*now]


def reference(loader):
    """By Python's generator, which few answers take."""
    items = [*range(len(loader.dataset))]
    if loader.shuffle:
        python_random.Random(f"{loader.seed} {loader.epoch}").shuffle(items)
    return np.array(items, int)


def observe(result, case):
    return FACTS[case.driver](result, **case.options)


def of_epochs(result, n, stirs, **_):
    orders, plain = result["orders"], [*range(n)]
    first, second, third, again, resumed, other, run = orders
    same = sorted(first) == sorted(second)
    between = [first.index(i) for i in second] if same else second
    drawn = [*map(drawn_next, stirs)]
    return {
        "each item comes once": all(sorted(order) == plain for order in orders),
        "the same seed and epoch give the same order again":
            first == again and third == resumed,
        "another run of Python gives the same order": run == second,
        "random numbers that others share are untouched": result["drawn"] == drawn,
        "the items come as they lie": all(order == plain for order in orders),
        "neighbors are separated": apart(first),
        "neighbors of one epoch are separated in the next": apart(between),
        "another epoch has another order":
            first != second and second != third and first != third,
        "another seed has another order": first != other,
    }  # fmt: skip


def drawn_next(seed):
    """What NumPy and Python draw first after a seed, and minigrad's state."""
    python = python_random.Random(seed).random()
    return [np.random.RandomState(seed).random(), python, seed, 0]


def apart(order):
    """Are few neighbors still neighbors?"""
    steps = [b - a for a, b in itertools.pairwise(order)]
    return 4 * sum(abs(step) == 1 for step in steps) < len(steps)


def of_pairs(orders, n, pairs):
    places = zip(*orders[: len(FEW)], strict=False)
    different = len({*map(tuple, orders)}) == len(orders)
    return {
        "another pair of seed and epoch has another order": different,
        "every item moves": min(len({*place}) for place in places) > 2,
    }


def of_changes(orders, attributes):
    sizes = [n for n, *_ in attributes]
    return {
        "a loader whose attributes change gives the order of a new one": all(
            a == b == c and sorted(a) == [*range(n)]
            for (a, b, c), n in zip(orders, sizes, strict=True)
        )
    }


FACTS = {epoch_orders: of_epochs, many_orders: of_pairs, changed_loader: of_changes}


def describe(exercise, case):
    if case.driver is changed_loader:
        return "loader.order(), again after each change of an attribute"
    how = {"shuffle": True, "seed": "seed", **case.options}
    pairs = "for seeds and epochs (0, 0), (0, 1), ..., (1, 0), ..."
    when = "in epochs 0, 1, and 2" if case.driver is epoch_orders else pairs
    loader = "DataLoader(range({n}), 4, shuffle={shuffle}, seed={seed})"
    return f"{loader.format(**how)}.order() {when}"


check = Check(
    DataLoader.order,
    cases=cases,
    reference=reference,
    observe=observe,
    describe=describe,
    not_tested="whether all orders are as likely: any random order is right",
)
