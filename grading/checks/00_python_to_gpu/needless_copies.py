"""needless_copies: which copies between host and device bring nothing new."""

from grading.exercise import Check, call
from minigrad.kernels.transfers import needless_copies

UP, DOWN = "to device", "to host"
NAMES = "x", "y", "xy", "loss"


def kernel(reads, writes):
    return "kernel", tuple(reads), tuple(writes)


def host(reads, writes):
    return "host", tuple(reads), tuple(writes)


def drawn(random, known):
    """An event of some of the known arrays."""
    if random.random() < 0.6:
        return random.choice([UP, DOWN]), random.choice(known)
    reads, writes = (random.sample(known, random.choice([0, 1, 1, 2])) for _ in "rw")
    return random.choice([host, kernel])(reads, writes)


def cases(random):
    for events in [
        [(UP, "x"), (UP, "x")],
        [(UP, "x"), (UP, "y"), (UP, "x"), (UP, "x")],
        [(UP, "x"), kernel("x", "y"), (DOWN, "y"), (DOWN, "y")],
        [(UP, "x"), (UP, "y"), kernel("xy", "z")],
    ]:
        yield "the same way twice", call(events)
    for events in [
        [(UP, "x"), kernel("x", "y"), (DOWN, "x"), (DOWN, "y")],
        [(UP, "x"), kernel("", "x"), (DOWN, "x"), (UP, "x")],
        [(UP, "x"), (DOWN, "x"), (UP, "x")],
    ]:
        yield "there and back", call(events)
    for events in [
        [(UP, "x"), kernel("x", "x"), (DOWN, "x")],
        [(UP, "x"), kernel("x", "y"), (UP, "x"), kernel("y", "x"), (DOWN, "x")],
        [(UP, "x"), (UP, "y"), kernel("", "xy"), (DOWN, "y"), (DOWN, "x")],
        [(UP, "x"), kernel("", "x"), (UP, "x"), (UP, "x")],
    ]:
        yield "changed on the device", call(events)
    for events in [
        [*[(UP, "x"), host("", "x")] * 2, (UP, "x")],
        [(UP, "x"), host("x", "y"), (UP, "x"), (UP, "y")],
        [(UP, "x"), (DOWN, "x"), host("y", "x"), (DOWN, "x"), (UP, "x")],
        [(UP, "x"), (UP, "xy"), host("", ["xy"]), (UP, "x"), (UP, "xy")],
    ]:
        yield "changed on the host", call(events)
    yield "no copies", call([])
    yield "no copies", call([host("", "x"), kernel("x", "y")])
    batch = [host("", "x"), (UP, "x"), (UP, "w"), kernel("xw", "y"), (DOWN, "y")]
    yield "whole programs", call(batch * 3)
    for length in (*[4] * 40, *[8] * 10, 25, 40):
        yield (
            "whole programs",
            call([drawn(random, NAMES[: length // 2]) for _ in range(length)]),
        )


def reference(events):
    here, there, needless = {}, {}, []  # name -> version; a new one each time
    for number, (what, *names) in enumerate(events):
        if what in ("host", "kernel"):
            place = here if what == "host" else there
            place.update(dict.fromkeys(names[1], number))
            continue
        (name,) = names
        source, target = (here, there) if what == UP else (there, here)
        version = source.get(name, "at first" if source is here else "unset")
        if name in target and target[name] == version:
            needless.append(number)
        here[name] = there[name] = version
    return needless


check = Check(
    needless_copies,
    cases=cases,
    reference=reference,
    not_tested="copies of several arrays at once: the contract's copy has one name",
)
