"""Which copies between host and device bring nothing new."""

from grading.exercise import Check, checks, mistakes, right
from minigrad.kernels.transfers import needless_copies

UP, DOWN = "to device", "to host"
NAMES = "x", "y", "xy", "loss"


def kernel(reads, writes):
    return "kernel", tuple(reads), tuple(writes)


def host(reads, writes):
    return "host", tuple(reads), tuple(writes)


@checks(needless_copies)
class NeedlessCopies(Check):
    """Leaves out copies of several arrays at once: the contract's copy has one name."""

    def cases(self, random):
        yield "the same way twice", [(UP, "x"), (UP, "x")]
        yield "the same way twice", [(UP, "x"), (UP, "y"), (UP, "x"), (UP, "x")]
        events = [(UP, "x"), kernel("x", "y"), (DOWN, "y"), (DOWN, "y")]
        yield "the same way twice", events
        yield "the same way twice", [(UP, "x"), (UP, "y"), kernel("xy", "z")]
        yield "there and back", [(UP, "x"), kernel("x", "y"), (DOWN, "x"), (DOWN, "y")]
        yield "there and back", [(UP, "x"), kernel("", "x"), (DOWN, "x"), (UP, "x")]
        yield "there and back", [(UP, "x"), (DOWN, "x"), (UP, "x")]
        yield "changed on the device", [(UP, "x"), kernel("x", "x"), (DOWN, "x")]
        events = [(UP, "x"), kernel("x", "y"), (UP, "x"), kernel("y", "x"), (DOWN, "x")]
        yield "changed on the device", events
        events = [(UP, "x"), (UP, "y"), kernel("", "xy"), (DOWN, "y"), (DOWN, "x")]
        yield "changed on the device", events
        events = [(UP, "x"), kernel("", "x"), (UP, "x"), (UP, "x")]
        yield "changed on the device", events
        step = [(UP, "x"), host("", "x")]
        yield "changed on the host", [*step, *step, (UP, "x")]
        yield "changed on the host", [(UP, "x"), host("x", "y"), (UP, "x"), (UP, "y")]
        events = [(UP, "x"), (DOWN, "x"), host("y", "x"), (DOWN, "x"), (UP, "x")]
        yield "changed on the host", events
        events = [(UP, "x"), (UP, "xy"), host("", ["xy"]), (UP, "x"), (UP, "xy")]
        yield "changed on the host", events
        yield "no copies", []
        yield "no copies", [host("", "x"), kernel("x", "y")]
        batch = [host("", "x"), (UP, "x"), (UP, "w"), kernel("xw", "y"), (DOWN, "y")]
        yield "whole programs", batch * 3
        for length in (10, 25, 40):
            yield "whole programs", [self.event(random) for _ in range(length)]

    def event(self, random):
        if random.random() < 0.6:
            return random.choice([UP, DOWN]), random.choice(NAMES)
        reads, writes = (
            random.sample(NAMES, random.choice([0, 1, 1, 2])) for _ in "rw"
        )
        return random.choice([host, kernel])(reads, writes)

    def expected(self, events):
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


mistakes(needless_copies)(r"""
first: the first copy brings something: at first the device holds nothing
> equal = [], set() -> equal = [], {e[1] for e in events if len(e) < 3}
reads_change: reading does not change an array: only the last tuple counts
> set(writes) -> set(reads + writes)
reads_only: the names in the last tuple are those that are changed
> reads, writes = -> writes, reads =
kernels_only: the CPU changes arrays as well
> equal -= set(writes) -> equal -= set(writes) if what == "kernel" else set()
host_only: a kernel changes arrays as well
> equal -= set(writes) -> equal -= set(writes) if what == "host" else set()
all_changed: an event changes the arrays in its last tuple, and no other
> equal -= set(writes) -> equal.clear()
each_direction: after a copy in either direction both places hold the same: a copy back
    is needless, too
> equal -= set(writes) -> equal -= {(way, name) for way in ("to device", "to host") for
    name in writes}
& names[0] in equal -> (what, names[0]) in equal
& equal.add(names[0]) -> equal.add((what, names[0]))
ever_copied: an array that was copied before may have been changed since then
> equal -= set(writes) -> pass
letters: a set of a name is one of its letters: put the name into a tuple or set, or
    write .add and .discard
> set(writes) -> {letter for name in writes for letter in name}
one_change: an event may change several arrays
> equal -= set(writes) -> equal -= set(writes[:1])
needed: those are the copies that are needed: the others are wanted
> elif names[0] in equal: -> elif names[0] not in
    equal:\n            equal.add(names[0])
& else: equal.add(names[0]) -> else:\n            pass
equivalent: a copy has one name: the first is the last
> off by one: names[(-1)]
""")


@right(needless_copies, "by looking back")
def _(events):
    def needless(n):
        name = events[n][1]
        for what, *rest in reversed(events[:n]):
            if what.startswith("to ") and rest[0] == name:
                return True
            if not what.startswith("to ") and name in rest[1]:
                return False
        return False

    return [n for n, e in enumerate(events) if e[0][:3] == "to " and needless(n)]


@right(needless_copies, "by when each was copied and changed last")
def _(events):
    changed, copied, needless = {}, {}, []
    for number, event in enumerate(events):
        if len(event) == 3:
            changed.update(dict.fromkeys(event[2], number))
            continue
        name = event[1]
        if copied.get(name, -1) > changed.get(name, -1):
            needless.append(number)
        copied[name] = number
    return needless


@right(needless_copies, "array by array")
def _(events):
    needless = set()
    for name in {names[0] for what, *names in events if what[:3] == "to "}:
        equal = False
        for number, (what, *names) in enumerate(events):
            if what in ("host", "kernel"):
                equal = equal and name not in names[1]
            elif names == [name]:
                needless |= {number} if equal else set()
                equal = True
    return sorted(needless)
