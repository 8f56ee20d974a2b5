"""DataLoader.order, by facts since many orders are right, and DataLoader.indices."""

import hashlib
import itertools
import random

import numpy as np
from torch.utils.data import BatchSampler

from grading.exercise import Problem, checks, mistakes, right
from minigrad.data import DataLoader

from .scene_check import SceneCheck
from .small_network import LOADERS

EACH = "each item comes once"
LIE = "the items come as they lie"
MIXED = "neighbours are separated"
OWN = "neighbours of one epoch are separated in the next"
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
        """Are few neighbours still neighbours?"""
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


SEED, RNG = "[self.seed, self.epoch]", "np.random.default_rng([self.seed, self.epoch])"
SHUFFLED = f"{RNG}.permutation(n)"
mistakes(DataLoader.order)(rf"""
same_order: the same order in every epoch: self.epoch is to decide, too, or the model
    sees the same batches again and again
> {SEED} -> self.seed
collides: two pairs of seed and epoch have the same order: their sum, say, is the same
    for (1, 2) and (2, 1). Give the generator both, as a list
> {SEED} -> self.seed + self.epoch
> {SEED} -> self.seed ^ self.epoch
> {SEED} -> 1000 * self.seed + self.epoch
stays: an item never moves: every item is part of the permutation
> {SHUFFLED} -> np.append({RNG}.permutation(n - 1), n - 1) if n else np.arange(0)
kept: the order is kept on the loader, and comes again when seed, epoch, shuffle or the
    data set have changed
> {SHUFFLED} -> self.__dict__.setdefault("orders", {{}}).setdefault((self.epoch, n),
    {SHUFFLED}).copy()
ignores_seed: self.seed is not used: two loaders with other seeds have the same order
> {SEED} -> self.epoch
not_reproducible: the order cannot be had again: it comes from random numbers that every
    part of a program shares, so a training that is stopped goes on with another one. A
    generator of its own, np.random.default_rng(...), made of self.seed and self.epoch
> {RNG} -> np.random
depends_on_calls: the order cannot be had again: it depends on how often it was made, or
    on chance, and not on self.seed and self.epoch alone
> {SEED} ->
> {RNG} -> self.__dict__.setdefault("generator", np.random.default_rng(self.seed))
another_run: the order is another in each run of Python, as hash() of a text is, and
    id() of anything
> {SEED} -> abs(hash(f"{{self.seed}} {{self.epoch}}"))
> {SEED} -> [self.seed, self.epoch, id(np)]
global_state: the order is right, but a generator that the whole program shares was
    seeded for it, and whatever is drawn next is no longer random: use one of its own,
    np.random.default_rng(...)
> return {RNG} -> np.random.seed((self.seed + 1000 * self.epoch) % 2**32)\n    return
    np.random
with_replacement: some items come twice and others never: an order is a permutation,
    without replacement
> permutation(n) -> integers(0, max(n, 1), n)
moved_along: the items are not mixed, only moved along: neighbours stay neighbours
> {SHUFFLED} -> np.roll(np.arange(n), {RNG}.integers(1, max(n, 2)) + self.epoch)
turned: the order of one epoch is that of another, moved along: neighbours stay
    neighbours
> {SHUFFLED} -> np.roll(np.random.default_rng(self.seed).permutation(n), 7 * self.epoch)
always_shuffled: self.shuffle is ignored: without it the items come as they lie
> if not self.shuffle -> if False
never_shuffled: nothing is shuffled
> return {SHUFFLED} -> order = np.arange(n)\n    {RNG}.shuffle(order.copy())\n    return
    order
right: by sorting random numbers
> permutation(n) -> random(n).argsort()
type:
> {SHUFFLED} -> {RNG}.shuffle(np.arange(n))
> permutation(n) -> permutation(n).tolist()
""")


@right(DataLoader.order, "by Python's generator")
def _(self):
    order = list(range(len(self.dataset)))
    if self.shuffle:
        random.Random(f"{self.seed} {self.epoch}").shuffle(order)
    return np.array(order, int)


@right(DataLoader.order, "by a hash")
def _(self):
    def key(item):
        text = f"{self.seed} {self.epoch} {item}"
        return hashlib.sha256(text.encode()).digest() if self.shuffle else item

    return np.fromiter(sorted(range(len(self.dataset)), key=key), int)


@right(DataLoader.order, "by swaps, and numbers of its own")
def _(self):
    order = np.arange(len(self.dataset))
    state = self.seed * 1_000_003 + self.epoch * 7919 + 12345
    for last in range(len(order) - 1, 0, -1) if self.shuffle else ():
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        other = (state >> 33) % (last + 1)
        order[[last, other]] = order[[other, last]]
    return order


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


BATCHES = "[order[start : start + size] for start in range(0, end, size)]"
mistakes(DataLoader.indices)(f"""
loses_last: the last batch is lost where it has fewer items: only drop_last leaves it
    out
> if self.drop_last -> if True
keeps_last: self.drop_last is ignored: with it a last batch that is smaller is left out
> if self.drop_last -> if False
drops_full: with drop_last a last batch is left out although it is full: only where
    items are left over
> end -= end % size -> pass
& {BATCHES} -> {BATCHES}[: -1 if self.drop_last else None]
ignores_order: the items come as they lie: which are in a batch, self.order() says
> self.order() -> np.arange(len(self.dataset))
empty_last: an empty batch stands at the end: where nothing is left over the batch
    before was the last
> (0, end, size) -> (0, end + (not self.drop_last), size)
""")


@right(DataLoader.indices, "split by NumPy")
def _(self):
    order, size = self.order(), self.batch_size
    batches = np.split(order, range(size, len(order), size)) if len(order) else []
    if self.drop_last and batches and len(batches[-1]) < size:
        batches.pop()
    return batches


@right(DataLoader.indices, "item by item")
def _(self):
    batches = []
    for n, item in enumerate(self.order()):
        if n % self.batch_size == 0:
            batches.append([])
        batches[-1].append(item)
    if self.drop_last and batches and len(batches[-1]) < self.batch_size:
        batches.pop()
    return [np.array(batch) for batch in batches]


@right(DataLoader.indices, "a matrix, and what is over")
def _(self):
    order = self.order()
    whole = len(order) - len(order) % self.batch_size
    found = [*order[:whole].reshape(-1, self.batch_size)]
    return found if self.drop_last or whole == len(order) else [*found, order[whole:]]
