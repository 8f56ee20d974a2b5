"""The first thing that a capture cannot hold."""

from grading.checking import Check, checks
from grading.mistakes import Mistake, equivalent, mistakes, right
from minigrad.cuda import capture_failure

POOL, BEGIN, END = "pool", "begin", "end"
READS = "item()", "bool()", "numpy()", "tolist()"


def numbered(*events):
    """(kind, detail) as events in lines of their own."""
    return [
        (kind, ("step.py", n), detail) for n, (kind, detail) in enumerate(events, 1)
    ]


@checks(capture_failure)
class CaptureFailure(Check):
    def cases(self, random):
        for how in READS:
            yield "reads", numbered((BEGIN, ""), ("launch", "mul"), ("read", how))
        yield "uploads and waits", numbered((BEGIN, ""), ("upload", "64 bytes"))
        yield "uploads and waits", numbered((BEGIN, ""), ("synchronize", ""))
        bad = [("upload", "x"), ("synchronize", ""), ("read", "item()")]
        for _ in range(3):
            yield "the first", numbered((BEGIN, ""), *random.sample(bad, 3))
        yield "outside", numbered(*bad, (BEGIN, ""), ("launch", "add"), (END, ""), *bad)
        yield "outside", numbered(*bad)
        yield "outside", []
        outside = (BEGIN, ""), ("launch", "a"), (END, ""), *bad, (BEGIN, ""), bad[2]
        yield "outside", numbered(*outside)
        yield "memory", numbered((POOL, 100), (BEGIN, ""), ("allocate", 60),
                                 ("allocate", 60))  # fmt: skip
        some = ("allocate", 60), ("free", 60), ("allocate", 100)
        yield "memory", numbered((POOL, 100), (BEGIN, ""), *some, (END, ""))
        yield "memory", numbered((BEGIN, ""), ("allocate", 1))
        yield "memory", numbered((BEGIN, ""), ("allocate", 0))
        yield "memory", numbered((POOL, 8), (POOL, 64), (BEGIN, ""), ("allocate", 40))
        yield "memory", numbered((POOL, 64), (POOL, 8), (BEGIN, ""), ("allocate", 40))
        yield "memory", numbered((POOL, 50), ("allocate", 40), (BEGIN, ""),
                                 ("allocate", 40), (END, ""), ("free", 9), (BEGIN, ""),
                                 ("allocate", 50), ("allocate", 5))  # fmt: skip
        for _ in range(8):
            yield "whole programs", self.drawn(random)

    def drawn(self, random):
        events, inside, held = [], False, []
        for _ in range(20):
            kinds = ["launch", "launch", "allocate", "begin" if not inside else "end"]
            kinds += ["free"] if held else []
            kinds += ["read", "upload", "synchronize", "pool"] if not inside else []
            kind = random.choice([*kinds, *["read"] * (random.random() < 0.1)])
            inside = kind == "begin" or (inside and kind != "end")
            detail = {"pool": random.choice([40, 80, 200]), "launch": "k"}.get(kind, "")
            if kind == "begin":
                held = []
            if kind == "allocate":
                detail = random.choice([10, 20, 30])
                held.append(detail)
            if kind == "free":
                detail = held.pop()
            events.append((kind, "item()" if kind == "read" else detail))
        return numbered(*events)

    def expected(self, events):
        inside, pool, left = False, 0, 0
        words = {
            "upload": "numbers are copied from the host: at a replay they are old",
            "synchronize": "the host waits for work that has not begun",
        }
        for kind, line, detail in events:
            if kind == "begin":
                inside, left = True, pool
            elif kind == "end":
                inside = False
            elif kind == "pool" and not inside:
                pool = detail
            elif inside and kind in words:
                return line, words[kind]
            elif inside and kind == "read":
                return line, f"{detail} reads numbers that are not there yet"
            elif inside and kind in ("allocate", "free"):
                left += detail if kind == "free" else -detail
                if left < 0:
                    return line, f"{-left} bytes are missing in the pool"
        return None


INSIDE = 'elif not inside:\n            pool = detail if kind == "pool" else pool\n'
mistakes(
    capture_failure,
    r"""
    outside: outside of a capture everything is allowed
    > elif not inside: -> elif kind == 'pool':
    & pool = detail if kind == "pool" else pool -> pool = detail
    > inside, pool, left = False, 0, 0 -> inside, pool, left = True, 0, 0
    last: the first reason is wanted: what comes after it is of no use
    > for kind, line, detail in events: -> worst = None\n    for kind, line, detail in
        events:
    & return line, f"{detail} reads -> worst = line, f"{detail} reads
    & return line, "numbers -> worst = line, "numbers
    & return line, "the host -> worst = line, "the host
    & return None -> return worst
    free_ignored: what is freed inside can be allocated again
    > left += detail ->  pass
    pool_ignored: the pool has as many bytes as the last "pool" before said
    > inside, left = True, pool -> inside, left = True, 0
    first_pool: the last "pool" counts
    > pool = detail if kind == "pool" else pool -> pool = pool or (detail if kind ==
        "pool" else 0)
    not_refilled: a capture begins with the whole pool, whatever an earlier one has
        taken
    > inside, left = True, pool -> inside, left = True, left or pool
    no_memory: memory counts: addresses are in the launches, so it comes from the pool
    > if left < 0: -> if False:
    exact: the pool may be used up to the last byte
    > if left < 0: -> if left <= 0:
    asked: how many bytes are missing is wanted, not how many were asked for
    > {-left} bytes -> {detail} bytes
    no_detail: the text begins with how the numbers were read
    > {detail} reads -> item() reads
    wrong_type:
    > return None -> return ()
    > return line, f"{detail} reads -> return f"{detail} reads
    """,
    after_the_end=Mistake(
        "after the end it is outside again",
        (
            'elif kind == "end":\n            inside = False -> elif kind == "end":\n'
            "            continue",
        ),
    ),
    counted_outside=Mistake(
        "memory that is allocated outside does not come from the pool",
        (
            INSIDE.split("\n")[0]
            + " -> elif not inside and kind in ('allocate', 'free'):\n"
            "            pool += detail if kind == 'free' else -detail\n"
            "        elif not inside:"
        ),
    ),
)


@right(capture_failure, "by a dict of texts")
def _(events):
    texts = {
        "read": "{} reads numbers that are not there yet",
        "upload": "numbers are copied from the host: at a replay they are old",
        "synchronize": "the host waits for work that has not begun",
    }
    capturing, size, free = False, 0, 0
    for what, where, detail in events:
        if what in ("begin", "end"):
            capturing, free = what == "begin", size
        elif what == "pool" and not capturing:
            size = detail
        elif capturing and what in texts:
            return (where, texts[what].format(detail))
        elif capturing and what in ("allocate", "free"):
            free += -detail if what == "allocate" else detail
            if what == "allocate" and free < 0:
                return (where, str(-free) + " bytes are missing in the pool")


@right(capture_failure, "capture by capture")
def _(events):
    pool, i = 0, 0
    while i < len(events):
        kind, _, detail = events[i]
        i += 1
        pool = detail if kind == "pool" else pool
        if kind != "begin":
            continue
        taken = 0
        while i < len(events) and events[i][0] != "end":
            kind, line, detail = events[i]
            i += 1
            if kind == "read":
                return line, detail + " reads numbers that are not there yet"
            if kind == "upload":
                return (
                    line,
                    "numbers are copied from the host: at a replay they are old",
                )
            if kind == "synchronize":
                return line, "the host waits for work that has not begun"
            taken += {"allocate": 1, "free": -1}.get(kind, 0) * (
                detail if kind in ("allocate", "free") else 0
            )
            if taken > pool:
                return line, f"{taken - pool} bytes are missing in the pool"
    return None


@right(capture_failure, "by match")
def _(events):
    left = None
    pool = 0
    for event in events:
        line = event[1]
        match (event[0], left is not None):
            case ("begin", _):
                left = pool
            case ("end", _):
                left = None
            case ("pool", False):
                pool = event[2]
            case ("read", True):
                return line, f"{event[2]} reads numbers that are not there yet"
            case ("upload", True):
                return (
                    line,
                    "numbers are copied from the host: at a replay they are old",
                )
            case ("synchronize", True):
                return line, "the host waits for work that has not begun"
            case ("free", True):
                left += event[2]
            case ("allocate", True) if event[2] > left:
                return line, f"{event[2] - left} bytes are missing in the pool"
            case ("allocate", True):
                left -= event[2]
    return None


right(
    capture_failure,
    "from the launch on",
    (
        'elif kind == "free": -> elif kind == "launch":\n            continue\n'
        '        elif kind == "free":',
    ),
)

equivalent(
    capture_failure,
    "what is left is set at the beginning of each capture",
    "off by one: inside, pool, left = False, 0, 0 -> inside, pool, left = False, 0, (",
)
