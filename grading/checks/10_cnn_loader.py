"""DataLoader.order, by facts since many orders are right, and DataLoader.indices."""

import itertools
import random

import numpy as np
from torch.utils.data import BatchSampler

from grading.exercise import Problem, checks
from minigrad.data import DataLoader

from .scene_check import SceneCheck
from .small_network import LOADERS

EACH = "each item comes once"
LIE = "the items come as they lie"
MIXED = "neighbors are separated"
OWN = "neighbors of one epoch are separated in the next"
AGAIN = "the same seed and epoch give the same order again"
EPOCHS = "another epoch has another order"
SEEDS = "another seed has another order"
RUNS = "another run of Python gives the same order"
SHARED = "random numbers that others share are untouched"
PAIRS = "another pair of seed and epoch has another order"
PLACES = "every item moves"
NOW = "a loader whose attributes change gives the order of a new one"
FEW = [(seed, epoch) for seed in range(7) for epoch in range(7)]
FACTORS = 10, 16, 31, 32, 37, 64, 97, 100, 101, 128, 255, 256, 257, 500, 512, 997, 999
FACTORS += 1000, 1001, 1009, 1024, 4096, 9973, 10_000  # of seed * factor + epoch
MANY = [*FEW, (1, 23), (12, 3), *((1, f) for f in FACTORS), *((f, 1) for f in FACTORS)]


def drawn_next(seed):
    """What NumPy and Python draw first after a seed, and minigrad's state."""
    return [np.random.RandomState(seed).random(), random.Random(seed).random(), seed, 0]


@checks(DataLoader.order)
class Order(SceneCheck):
    """Leaves out whether all orders are as likely: any random order is right."""

    def words(self, scene):
        if scene["scene"] == "many_orders":
            return (
                f"{scene['n']} items, seeds and epochs (0, 0), (0, 1), ..., (1, 0), ..."
            )
        if scene["scene"] == "changed_loader":
            return "one loader, asked again after each change of an attribute"
        said = f"shuffle={scene['shuffle']}, seed={scene['seed']}"
        return f"{scene['n']} items, {said}, in epochs 0, 1 and 2"

    def cases(self, random):
        def of(n, shuffle=True):
            seed, another, *stirs = (random.getrandbits(32) for _ in range(9))
            return {"scene": "epoch_orders", "n": n, "shuffle": shuffle, "seed": seed,
                    "another": another, "stirs": stirs}  # fmt: skip

        for n in random.randint(190, 210), random.randint(55, 65):
            yield "a shuffled epoch", of(n)
        n = random.randint(18, 22)
        yield "seed and epoch", {"scene": "many_orders", "n": n, "pairs": MANY}
        yield "one loader, again and again", self.changing(random)
        yield "not shuffled", of(random.randint(45, 55), shuffle=False)
        for n in 1, 0:
            yield "few items", of(n)

    def changing(self, random):
        """Attributes of which one changes at a time."""
        now = [random.randint(25, 35), True, random.randrange(9), random.randrange(9)]
        found = [[*now]]
        for which in 3, 2, 1, 3, 0, 1, 2:
            new = random.randint(36, 45) if which == 0 else now[which] + 1
            now[which] = not now[which] if which == 1 else new
            found.append([*now])
        return {"scene": "changed_loader", "attributes": found}

    def expected(self, scene):
        if scene["scene"] == "many_orders":
            return {PAIRS: True, PLACES: True}
        if scene["scene"] == "changed_loader":
            return {NOW: True}
        shuffled = scene["shuffle"] and scene["n"] > 1
        facts = {EACH: True, AGAIN: True, RUNS: True, SHARED: True, LIE: not shuffled}
        return facts | dict.fromkeys([MIXED, OWN, EPOCHS, SEEDS], shuffled)

    def seen(self, got, scene):
        """The facts of what came of a scene."""
        if scene["scene"] == "changed_loader":
            whole = [list(range(n)) for n, *_ in scene["attributes"]]
            pairs = zip(got["as new"], whole, strict=True)
            return {NOW: all(a == b == c and sorted(a) == n for (a, b, c), n in pairs)}
        if scene["scene"] == "many_orders":
            orders = got["orders"]
            places = zip(*orders[: len(FEW)], strict=False)
            moves = min(len({*place}) for place in places) > 2
            return {PAIRS: len({*map(tuple, orders)}) == len(orders), PLACES: moves}
        orders, plain = got["orders"], list(range(scene["n"]))
        first, second, third, again, resumed, other, run = orders
        same = sorted(first) == sorted(second)
        between = [first.index(i) for i in second] if same else second
        return {
            EACH: all(sorted(order) == plain for order in orders),
            AGAIN: first == again and third == resumed,
            RUNS: run == second,
            SHARED: got["drawn next"] == [*map(drawn_next, scene["stirs"])],
            LIE: all(order == plain for order in orders),
            MIXED: self.apart(first),
            OWN: self.apart(between),
            EPOCHS: first != second and second != third and first != third,
            SEEDS: first != other,
        }

    def apart(self, order):
        """Are few neighbors still neighbors?"""
        steps = [b - a for a, b in itertools.pairwise(order)]
        return 4 * sum(abs(step) == 1 for step in steps) < len(steps)

    def same(self, got, expected, scene):
        facts = isinstance(expected, dict) and {*map(str, expected)}
        if facts and facts & {"orders", "as new"}:  # a mistake's
            expected = self.seen(expected, scene)
        return isinstance(got, dict) and self.seen(got, scene) == expected

    def lines(self, case):
        (scene,) = case.args
        if isinstance(case.got, Problem):
            return super().lines(case)
        seen = self.seen(case.got, scene)
        wrong = [k for k, v in case.expected.items() if v != seen[k]]
        said = "; ".join(f"{k}: {seen[k]}" for k in wrong)
        orders = case.got.get("orders", [])[:3]
        orders = [" ".join(map(str, order[:6])) for order in orders]
        shown = " | ".join(f"{order} ..." for order in orders)
        expected = "; ".join(f"{k}: {case.expected[k]}" for k in wrong)
        lines = [("case", self.words(scene)), ("expected", expected)]
        return [*lines, ("got", said), ("orders", shown)]


@checks(DataLoader.indices)
class Indices(SceneCheck):
    """Leaves out orders in which items repeat: self.order() gives none."""

    def words(self, scene):
        order = " ".join(map(str, scene["order"][:12]))
        more = " ..." if len(scene["order"]) > 12 else ""
        return (
            f"self.order() is [{order}{more}], {len(scene['order'])} items, batch_size="
            f"{scene['size']}, drop_last={scene['drop_last']}"
        )

    def cases(self, random):
        def of(n, size, drop_last=False):
            order = random.sample(range(n), n)
            rest = {"order": order, "size": size, "drop_last": drop_last}
            return {"scene": "batch_indices", **rest}

        for drop_last, part in (False, "all items, in order"), (True, "drop_last"):
            for sizes in (*LOADERS, (0, 4)):
                yield part, of(*sizes, drop_last)

    def expected(self, scene):
        return [list(b) for b in BatchSampler(
            scene["order"], scene["size"], scene["drop_last"])]  # fmt: skip
