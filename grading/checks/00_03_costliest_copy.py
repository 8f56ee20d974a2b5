"""Which array's copies take longest. Microseconds are whole, so that ties are exact."""

from collections import defaultdict

from grading.exercise import Check, checks
from minigrad.kernels.transfers import costliest_copy

UP, DOWN, INSIDE = "to device", "to host", "on the device"
LINKS = {UP: (10, 20_000), DOWN: (10, 10_000), INSIDE: (2, 1_000_000)}
SLOW = {UP: (1, 1000), DOWN: (500, 64_000)}
MB = 1_000_000


@checks(costliest_copy)
class CostliestCopy(Check):
    """Leaves out ties of times that are not whole: rounding decides which is longer."""

    def cases(self, random):
        yield "one copy each", [("x", UP, 4 * MB), ("y", UP, 8 * MB)], LINKS
        yield "one copy each", [("x", UP, 4 * MB), ("y", DOWN, 3 * MB)], LINKS
        yield "one copy each", [("x", UP, 5 * MB), ("y", DOWN, MB)], LINKS
        yield "one copy each", [("x", INSIDE, 90 * MB), ("y", UP, 4 * MB)], LINKS
        sizes = random.sample(range(1, 500), 4)
        copies = [(f"w{n}", UP, n * 20_000) for n in sizes]
        yield "one copy each", copies, LINKS
        copies = [("weights", UP, 16 * MB), *[("loss", DOWN, 4)] * 100]
        yield "many copies", copies, LINKS
        copies = [*[("batch", UP, MB)] * 3, ("weights", UP, 4 * MB)]
        yield "many copies", copies, LINKS
        copies = [*[("batch", UP, MB)] * 5, ("weights", UP, 4 * MB)]
        yield "many copies", copies, LINKS
        copies = [("x", UP, MB), ("y", DOWN, MB), ("x", DOWN, MB), ("y", UP, MB // 2)]
        yield "many copies", copies, LINKS
        yield "many copies", [("a", UP, 5 * MB), ("a", UP, 0), ("b", UP, 4 * MB)], LINKS
        copies = [*[("a", UP, 19_999)] * 10, ("b", UP, 19 * MB // 10)]
        yield "many copies", copies, LINKS
        for rest in (4000, 12_000):  # 0.4 and 1.2 microseconds
            copies = [*[("a", UP, 9000)] * 2, ("b", UP, 200_000 + 5 * rest)]
            yield "many copies", copies, LINKS
        copies = [("a", UP, 64_000), ("b", DOWN, 640_000), ("a", DOWN, 64_000)]
        yield "many copies", copies, SLOW
        yield "latency", [("x", DOWN, 64_000), ("y", UP, 400_000)], SLOW
        yield "latency", [("x", DOWN, 0), ("y", UP, 1000)], LINKS | SLOW
        copies = [("x", UP, 200_000), ("y", DOWN, 100_000), ("z", UP, 20_000)]
        yield "equally long", copies, LINKS
        copies = [("z", UP, 20_000), ("y", DOWN, 100_000), ("x", UP, 200_000)]
        yield "equally long", copies, LINKS
        copies = [("y", UP, 0), ("x", UP, 200_000), ("y", UP, 0)]
        yield "equally long", copies, LINKS
        for names in "xy", "yxy":
            copies = [(name, UP, 0) for name in names]
            yield "equally long", copies, {UP: (0, 20_000)}
        yield "no copies", [], LINKS

    def expected(self, copies, links):
        spent = defaultdict(float)
        for name, link, nbytes in copies:
            spent[name] += links[link][0] + nbytes / links[link][1]
        longest = max(spent.values(), default=0)
        return next((name for name in spent if spent[name] == longest), None)
