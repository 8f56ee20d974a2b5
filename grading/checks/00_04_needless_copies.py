"""Which copies between host and device bring nothing new."""

from grading.exercise import Check, checks
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
