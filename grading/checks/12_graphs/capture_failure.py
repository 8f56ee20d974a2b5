"""capture_failure: the first thing that a capture cannot hold."""

from grading.exercise import Check, call
from minigrad.cuda import capture_failure

POOL, BEGIN, END = "pool", ("begin", ""), ("end", "")
READS = "item()", "bool()", "numpy()", "tolist()"
BAD = ("upload", "x"), ("synchronize", ""), ("read", "item()")
SAID = {
    "read": "{} reads numbers that are not there yet",
    "upload": "numbers are copied from the host: at a replay they are old",
    "synchronize": "the host waits for work that has not begun",
}


def numbered(*events):
    """(kind, detail) as events in lines of their own."""
    lines = [("step.py", n) for n, _ in enumerate(events, 1)]
    return placed(events, lines)


def placed(events, lines):
    return call([(kind, line, detail) for (kind, detail), line in zip(events, lines)])


def allocate(*sizes):
    return [("allocate", size) for size in sizes]


def cases(random):
    for how in READS:
        yield "reads", numbered(BEGIN, ("launch", "mul"), ("read", how))
    yield "uploads and waits", numbered(BEGIN, ("upload", "64 bytes"))
    yield "uploads and waits", numbered(BEGIN, ("synchronize", ""))
    for _ in range(3):
        yield "the first", numbered(BEGIN, *random.sample(BAD, 3))
    for event in BAD:
        short = (POOL, 5), BEGIN, *allocate(9)
        yield "the first", numbered(*short, event)
        yield "the first", numbered(*short, END, BEGIN, event)
    for _ in range(3):  # lines that a loop comes back to, and of several files
        events = BEGIN, ("launch", "read"), *random.sample(BAD, 3)
        lines = [(random.choice("ab"), random.randrange(9)) for _ in events]
        yield "the first", placed(events, lines)
    inside = BEGIN, ("launch", "add"), END
    yield "outside", numbered(*BAD, *inside, *BAD)
    yield "outside", numbered(*BAD)
    yield "outside", numbered()
    yield "outside", numbered(BEGIN, ("launch", "a"), END, *BAD, BEGIN, BAD[2])
    yield "memory", numbered((POOL, 100), BEGIN, *allocate(60, 60))
    again = *allocate(60), ("free", 60), *allocate(100)
    yield "memory", numbered((POOL, 100), BEGIN, *again, END)
    yield "memory", numbered(BEGIN, *allocate(1))
    yield "memory", numbered(BEGIN, *allocate(0))
    yield "memory", numbered((POOL, 8), (POOL, 64), BEGIN, *allocate(40))
    yield "memory", numbered((POOL, 64), (POOL, 8), BEGIN, *allocate(40))
    two = BEGIN, *allocate(40), END, ("free", 9), BEGIN, *allocate(50, 5)
    yield "memory", numbered((POOL, 50), *allocate(40), *two)
    later = *allocate(60), (POOL, 99), *allocate(6), END
    yield "memory", numbered((POOL, 64), BEGIN, *later)
    yield "memory", numbered(BEGIN, (POOL, 64), *allocate(8))
    for first, second in (0, 64), (64, 8), (8, 64):  # a pool in a capture, for others
        within = (POOL, first), BEGIN, (POOL, second), END, BEGIN
        yield "memory", numbered(*within, *allocate(8, 9))
    for size in 300, 2**31, 2**53:
        yield "memory", numbered((POOL, size), BEGIN, *allocate(size))
        yield "memory", numbered((POOL, size), BEGIN, *allocate(size, 1))
        yield "memory", numbered((POOL, size), BEGIN, *allocate(size + 1))
    for _ in range(16):
        yield "whole programs", drawn(random)


def drawn(random):
    events, inside, allocated = [], False, []
    for _ in range(20):
        kinds = ["launch", "launch", "allocate", "begin" if not inside else "end"]
        kinds += ["free"] if allocated else []
        kinds += ["pool"] + ["read", "upload", "synchronize"] * (not inside)
        kind = random.choice([*kinds, *["read"] * (random.random() < 0.1)])
        inside = kind == "begin" or (inside and kind != "end")
        size = random.choice([40, 80, 200])
        detail = {"pool": size, "launch": "k", "read": "item()"}.get(kind, "")
        if kind == "begin":
            allocated = []
        if kind == "allocate":
            detail = random.choice([10, 20, 30])
            allocated.append(detail)
        if kind == "free":
            detail = allocated.pop()
        events.append((kind, detail))
    return numbered(*events)


def reference(events):
    inside, pool, left = False, 0, 0
    for kind, line, detail in events:
        if kind in ("begin", "end"):
            inside, left = kind == "begin", pool
        elif kind == "pool":
            pool = detail
        elif inside and kind in SAID:
            return line, SAID[kind].format(detail)
        elif inside and kind in ("allocate", "free"):
            left += detail if kind == "free" else -detail
            if left < 0:
                return line, f"{-left} bytes are missing in the pool"
    return None


check = Check(
    capture_failure,
    cases=cases,
    reference=reference,
    not_tested='"begin" in a capture, "end" outside of one, and freeing memory from '
    "outside: the contract says that they don't occur",
)
