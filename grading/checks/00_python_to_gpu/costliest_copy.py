"""costliest_copy: whose copies take longest. Ties are exact: times are integers."""

from collections import defaultdict

from grading.checking.pairwise import drawn
from grading.exercise import Check, call
from minigrad.kernels.transfers import costliest_copy

UP, DOWN, INSIDE = "to device", "to host", "on the device"
LINKS = {UP: (10, 20_000), DOWN: (10, 10_000), INSIDE: (2, 1_000_000)}
SLOW = {UP: (1, 1000), DOWN: (500, 64_000)}
MB = 1_000_000
NAMES = "x", "y", "xy"


def cases(random):
    sizes = random.sample(range(1, 500), 4)
    for copies in [
        [("x", UP, 4 * MB), ("y", UP, 8 * MB)],
        [("x", UP, 4 * MB), ("y", DOWN, 3 * MB)],
        [("x", UP, 5 * MB), ("y", DOWN, MB)],
        [("x", INSIDE, 90 * MB), ("y", UP, 4 * MB)],
        [(f"w{n}", UP, n * 20_000) for n in sizes],
    ]:
        yield "one copy each", call(copies, LINKS)
    for copies in [
        [("weights", UP, 16 * MB), *[("loss", DOWN, 4)] * 100],
        [*[("batch", UP, MB)] * 3, ("weights", UP, 4 * MB)],
        [*[("batch", UP, MB)] * 5, ("weights", UP, 4 * MB)],
        [("x", UP, MB), ("y", DOWN, MB), ("x", DOWN, MB), ("y", UP, MB // 2)],
        [("a", UP, 5 * MB), ("a", UP, 0), ("b", UP, 4 * MB)],
        [*[("a", UP, 19_999)] * 10, ("b", UP, 19 * MB // 10)],
        [*[("a", UP, 9000)] * 2, ("b", UP, 220_000)],  # 0.4 microseconds
        [*[("a", UP, 9000)] * 2, ("b", UP, 260_000)],
    ]:
        yield "many copies", call(copies, LINKS)
    copies = [("a", UP, 64_000), ("b", DOWN, 640_000), ("a", DOWN, 64_000)]
    yield "many copies", call(copies, SLOW)
    for most in 2**24 + 1, 2**53 - 1:  # more than float32, and than a tolerance, tells
        copies = [("a", UP, most // 2), ("b", DOWN, most), ("a", UP, most // 2)]
        yield "many copies", call(copies, {UP: (0, 1), DOWN: (0, 1)})
    yield "latency", call([("x", DOWN, 64_000), ("y", UP, 400_000)], SLOW)
    yield "latency", call([("x", DOWN, 0), ("y", UP, 1000)], LINKS | SLOW)
    for copies in [
        [("x", UP, 200_000), ("y", DOWN, 100_000), ("z", UP, 20_000)],
        [("z", UP, 20_000), ("y", DOWN, 100_000), ("x", UP, 200_000)],
        [("y", UP, 0), ("x", UP, 200_000), ("y", UP, 0)],
    ]:
        yield "equally long", call(copies, LINKS)
    for names in "xy", "yxy":
        copies = [(name, UP, 0) for name in names]
        yield "equally long", call(copies, {UP: (0, 20_000)})
    for count, ends, latency in drawn(
        random, count=(1, 2, 3, 5, 8), ends=(0, 1, 3), latency=(0, 1, 40)
    ):
        rates = {UP: 20_000, DOWN: 3, INSIDE: 1_000_000}
        some = random.choices([*rates], k=count)
        copies = [(random.choice(NAMES), link, random.randint(0, ends) * rates[link])
                  for link in some]  # fmt: skip
        links = {link: (latency, rate) for link, rate in rates.items()}
        yield "equally long", call(copies, links)
    yield "no copies", call([], LINKS)


def reference(copies, links):
    spent = defaultdict(float)
    for name, link, nbytes in copies:
        spent[name] += links[link][0] + nbytes / links[link][1]
    longest = max(spent.values(), default=0)
    return next((name for name in spent if spent[name] == longest), None)


check = Check(
    costliest_copy,
    cases=cases,
    reference=reference,
    not_tested="ties of times that are no integers: rounding decides which is longer",
)
