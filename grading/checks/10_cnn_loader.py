"""Chapter 10, DataLoader.order and DataLoader.indices."""

from torch.utils.data import BatchSampler

from grading.checking import cause, checks
from grading.subject import Problem
from minigrad.data import DataLoader

from .scene_check import SceneCheck

EACH = "each item comes once"
LIE = "the items come as they lie"
MIXED = "neighbours are separated"
AGAIN = "the same seed and epoch give the same order again"
EPOCHS = "another epoch has another order"
SEEDS = "another seed has another order"
SHARED = "random numbers that others share are untouched"


@checks(DataLoader.order)
class Order(SceneCheck):
    """What is expected is a list of facts, since many orders are right."""

    def words(self, scene):
        return (
            f"{scene['n']} items, shuffle={scene['shuffle']}, seed={scene['seed']}, in "
            "epochs 0, 1 and 2"
        )

    def cases(self, random):
        def of(n, shuffle=True):
            seeds = {"seed": random.getrandbits(32), "another": random.getrandbits(32)}
            return {"scene": "epoch_orders", "n": n, "shuffle": shuffle, **seeds}

        yield "a shuffled epoch", of(200)
        yield "a shuffled epoch", of(61)
        yield "not shuffled", of(50, shuffle=False)
        yield "few items", of(1)
        yield "few items", of(0)

    def expected(self, scene):
        return self.facts(scene)

    def facts(self, scene, **wrong):
        """What is so with a right answer, but for a mistake."""
        shuffled = scene["shuffle"] and scene["n"] > 1
        facts = {EACH: True, AGAIN: True, SHARED: True, LIE: not shuffled}
        facts |= {MIXED: shuffled, EPOCHS: shuffled, SEEDS: shuffled}
        return facts | {k: v for k, v in wrong.items() if shuffled}

    def seen(self, got, scene):
        """The facts of what came of a scene."""
        orders, plain = got["orders"], list(range(scene["n"]))
        first, second, third, again, resumed, other = orders
        steps = [b - a for a, b in zip(first, first[1:], strict=False)]
        return {
            EACH: all(sorted(order) == plain for order in orders),
            AGAIN: first == again and third == resumed,
            SHARED: not got["changed"],
            LIE: all(order == plain for order in orders),
            MIXED: 4 * sum(abs(step) == 1 for step in steps) < len(steps),
            EPOCHS: first != second and second != third and first != third,
            SEEDS: first != other,
        }

    def same(self, got, expected, scene):
        return isinstance(got, dict) and self.seen(got, scene) == expected

    def lines(self, case):
        (scene,) = case.args
        if isinstance(case.got, Problem):
            return super().lines(case)
        seen = self.seen(case.got, scene)
        wrong = [k for k, v in case.expected.items() if v != seen[k]]
        said = "; ".join(f"{k}: {seen[k]}" for k in wrong)
        orders = [" ".join(map(str, order[:6])) for order in case.got["orders"][:3]]
        shown = " | ".join(f"{order} ..." for order in orders)
        expected = "; ".join(f"{k}: {case.expected[k]}" for k in wrong)
        return [
            ("case", self.words(scene)),
            ("expected", expected),
            ("got", said),
            ("orders", shown),
        ]

    @cause("the same order in every epoch: self.epoch is to decide, too, or the model "
           "sees the same batches again and again")  # fmt: skip
    def same_order(self, scene):
        return self.facts(scene, **{EPOCHS: False})

    @cause("self.seed is not used: two loaders with other seeds have the same order")
    def ignores_seed(self, scene):
        return self.facts(scene, **{SEEDS: False})

    @cause("neither self.seed nor self.epoch is used: the order is always the same")
    def one_for_all(self, scene):
        return self.facts(scene, **{SEEDS: False, EPOCHS: False})

    @cause("the order cannot be had again: it comes from random numbers that every "
           "part of a program shares, so a training that is stopped goes on with "
           "another one. A generator of its own, np.random.default_rng(...), made of "
           "self.seed and self.epoch")  # fmt: skip
    def not_reproducible(self, scene):
        return self.facts(scene, **{AGAIN: False, SHARED: False})

    @cause("the order cannot be had again: it depends on how often it was asked for, "
           "or on chance, and not on self.seed and self.epoch alone")  # fmt: skip
    def depends_on_calls(self, scene):
        return self.facts(scene, **{AGAIN: False})

    @cause("the order is right, but a generator that the whole program shares was "
           "seeded for it, and whatever is drawn next is no longer random: use one of "
           "its own, np.random.default_rng(...)")  # fmt: skip
    def global_state(self, scene):
        return self.facts(scene, **{SHARED: False})

    @cause("some items come twice and others never: an order is a permutation, without "
           "replacement")  # fmt: skip
    def with_replacement(self, scene):
        return self.facts(scene, **{EACH: False})

    @cause("the items are not mixed, only moved along: neighbours stay neighbours")
    def moved_along(self, scene):
        return self.facts(scene, **{MIXED: False})

    @cause("self.shuffle is not asked: without it the items come as they lie")
    def always_shuffled(self, scene):
        return self.facts({**scene, "shuffle": True})

    @cause("nothing is shuffled")
    def never_shuffled(self, scene):
        return self.facts({**scene, "shuffle": False})


@checks(DataLoader.indices)
class Indices(SceneCheck):
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

        yield "all items, in order", of(10, 4)
        yield "all items, in order", of(12, 4)
        yield "all items, in order", of(23, 5)
        yield "drop_last", of(10, 4, drop_last=True)
        yield "drop_last", of(23, 5, drop_last=True)
        yield "drop_last", of(12, 4, drop_last=True)
        yield "other sizes", of(3, 8)
        yield "other sizes", of(3, 8, drop_last=True)
        yield "other sizes", of(4, 1)
        yield "other sizes", of(7, 7)
        yield "other sizes", of(0, 4)

    def expected(self, scene):
        return [list(b) for b in BatchSampler(
            scene["order"], scene["size"], scene["drop_last"])]  # fmt: skip

    def model(self, scene, **other):
        return self.expected({**scene, **other})

    @cause("the last batch is lost where it has fewer items: only drop_last leaves it "
           "out")  # fmt: skip
    def loses_last(self, scene):
        return self.model(scene, drop_last=True)

    @cause("self.drop_last is not asked: with it a last batch that is smaller is left "
           "out")  # fmt: skip
    def keeps_last(self, scene):
        return self.model(scene, drop_last=False)

    @cause("with drop_last a last batch is left out although it is full: only where "
           "items are left over")  # fmt: skip
    def drops_full(self, scene):
        batches = self.model(scene, drop_last=False)
        return batches[:-1] if scene["drop_last"] else batches

    @cause("the items come as they lie: which are in a batch, self.order() says")
    def ignores_order(self, scene):
        return self.model(scene, order=list(range(len(scene["order"]))))

    @cause("the batches are made about equally large: each has batch_size items, and "
           "what is left over is the last")  # fmt: skip
    def equal_shares(self, scene):
        n, size = len(scene["order"]), scene["size"]
        count = n // size if scene["drop_last"] else -(-n // size)
        order = scene["order"][: count * size if scene["drop_last"] else n]
        sizes = [len(order) // count + (i < len(order) % count) for i in range(count)]
        ends = [sum(sizes[: i + 1]) for i in range(count)]
        return [order[e - s : e] for e, s in zip(ends, sizes, strict=True)]

    @cause("an empty batch stands at the end: where nothing is left over the batch "
           "before was the last")  # fmt: skip
    def empty_last(self, scene):
        batches = self.model(scene)
        whole = len(scene["order"]) % scene["size"] == 0
        return [*batches, []] if whole and not scene["drop_last"] else batches

    @cause("what is left over in the last batch is filled up with items from the "
           "beginning, which come twice then")  # fmt: skip
    def filled_up(self, scene):
        batches = self.model(scene)
        return [b + scene["order"][: scene["size"] - len(b)] for b in batches]

    @cause("batch_size is taken for the number of batches")
    def size_as_count(self, scene):
        each = max(1, len(scene["order"]) // scene["size"])
        return self.model(scene, size=each)
