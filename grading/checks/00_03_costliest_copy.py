"""Which array's copies take longest. Microseconds are whole, so that ties are exact."""

from collections import Counter, defaultdict
from fractions import Fraction

from grading.exercise import Check, checks, mistakes, right
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


mistakes(costliest_copy)("""
by_bytes: that has the most bytes: the time is latency + nbytes / rate, of each copy
> latency + nbytes / rate -> nbytes
latency_once: the latency is that of each copy, not of each array
> latency + nbytes -> (name not in spent) * latency + nbytes
last_only: of each array only its last copy is counted: add them up
> spent.get(name, 0) + ->
single: that is the longest single copy: all copies of an array count together
> spent.get(name, 0) + latency + nbytes / rate -> max(spent.get(name, 0), latency +
    nbytes / rate)
times_rate: rate is bytes a microsecond: divide by it
> nbytes / rate -> nbytes * rate
last_of_equals: of arrays that take equally long, the one that was copied first is
    wanted
> return max(spent, -> return max([*spent][::-1],
whole: a fraction of a microsecond counts: divide by /, not by //
> / rate -> // rate
no_time: an array whose copies take 0 microseconds was copied as well
> return max(spent, key=spent.get, default=None) -> return max(filter(spent.get, spent),
    key=spent.get, default=None)
no_latency: each copy takes its latency, too, however small it is
> latency + nbytes -> nbytes
equivalent: spent.get(name, 0) is 0 where setdefault puts a 0, and the sum goes there
    anyway
> function: spent.setdefault(name, 0)
equivalent: every array gets the same microsecond more or less: none overtakes another
> off by one: spent.get(name, (1))
> off by one: spent.get(name, (-1))
""")


@right(costliest_copy, "name by name")
def _(copies, links):
    def time(name):
        mine = [(link, nbytes) for other, link, nbytes in copies if other == name]
        return sum(links[link][0] + nbytes / links[link][1] for link, nbytes in mine)

    names = dict.fromkeys(name for name, *_ in copies)
    return max(names, key=time, default=None)


@right(costliest_copy, "two lists, and a loop for the largest")
def _(copies, links):
    names, times = [], []
    for name, link, nbytes in copies:
        if name not in names:
            names.append(name)
            times.append(0)
        times[names.index(name)] += links[link][0] + nbytes / links[link][1]
    best = 0
    for k in range(len(names)):
        if times[k] > times[best]:
            best = k
    return names[best] if names else None


@right(costliest_copy, "a Counter of exact fractions")
def _(copies, links):
    spent = Counter()
    for name, link, nbytes in copies:
        latency, rate = map(Fraction, links[link])
        spent[name] += latency + nbytes / rate
    return spent.most_common(1)[0][0] if copies else None
