"""The first thing that a capture cannot hold."""

import itertools

from grading.exercise import Check, checks, mistakes, right
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
    """Leaves out "begin" inside of a capture, and what is freed there but came from
    outside: the contract has no rule."""

    def cases(self, random):
        for how in READS:
            yield "reads", numbered((BEGIN, ""), ("launch", "mul"), ("read", how))
        yield "uploads and waits", numbered((BEGIN, ""), ("upload", "64 bytes"))
        yield "uploads and waits", numbered((BEGIN, ""), ("synchronize", ""))
        bad = [("upload", "x"), ("synchronize", ""), ("read", "item()")]
        for _ in range(3):
            yield "the first", numbered((BEGIN, ""), *random.sample(bad, 3))
        for kind in bad:
            short = (POOL, 5), (BEGIN, ""), ("allocate", 9), kind
            yield "the first", numbered(*short)
            yield "the first", numbered(*short[:3], (END, ""), (BEGIN, ""), kind)
        for _ in range(3):  # lines that a loop comes back to, and of several files
            events = numbered((BEGIN, ""), ("launch", "read"), *random.sample(bad, 3))
            lines = [(random.choice("ab"), random.randrange(9)) for _ in events]
            yield "the first", [(k, line, d) for (k, _, d), line in
                                zip(events, lines, strict=True)]  # fmt: skip
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
        yield "memory", numbered((POOL, 64), (BEGIN, ""), ("allocate", 60), (POOL, 99),
                                 ("allocate", 6), (END, ""))  # fmt: skip
        yield "memory", numbered((BEGIN, ""), (POOL, 64), ("allocate", 8))
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


mistakes(capture_failure)(r"""
smallest_line: the first event in the list is wanted, whatever its line is: a loop comes
    back to earlier lines
> for kind, line, detail in events: -> found = {}\n    for kind, line, detail in events:
& return line, -> found[line] =
& return None -> return min(found.items(), default=None)
pool_at_once: what a "pool" inside of a capture says is not for this capture: its pool
    is filled at "begin"
> elif not inside: -> elif kind == "pool":\n            pool = left =
    detail\n        elif not inside:
counted_outside: memory that is allocated outside does not come from the pool
> elif not inside: -> elif not inside and kind in ('allocate',
    'free'):\n            pool += detail if kind == 'free' else -detail\n        elif
    not inside:
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
> pool = detail if kind == "pool" else pool -> pool = pool or (detail if kind == "pool"
    else 0)
not_refilled: a capture begins with the whole pool, whatever an earlier one has taken
> inside, left = True, pool -> inside, left = True, left or pool
no_memory: memory counts: addresses are in the launches, so it comes from the pool
> if left < 0: -> if False:
asked: how many bytes are missing is wanted, not how many were requested
> {-left} bytes -> {detail} bytes
after_the_end: after the end it is outside again
> elif kind == "end": inside = False -> elif kind == "end":\n            continue
equivalent: what is left is set at the beginning of each capture
> off by one: inside, pool, left = False, 0, 0 -> inside, pool, left = False, 0, (
""")


@right(capture_failure, "capture by capture")
def _(events):
    texts = {
        "read": "{} reads numbers that are not there yet",
        "upload": "numbers are copied from the host: at a replay they are old",
        "synchronize": "the host waits for work that has not begun",
    }
    for n in [n for n, event in enumerate(events) if event[0] == "begin"]:
        free = next((e[2] for e in events[:n][::-1] if e[0] == "pool"), 0)
        inside = itertools.takewhile(lambda e: e[0] != "end", events[n:])
        for kind, line, detail in inside:
            if kind in texts:
                return line, texts[kind].format(detail)
            if kind in ("allocate", "free"):
                free += detail if kind == "free" else -detail
            if free < 0:
                return line, f"{-free} bytes are missing in the pool"
    return None


@right(capture_failure, "by a class with a method for each kind")
def _(events):
    class Capture:
        def __init__(self, size):
            self.left = size

        def launch(self, kernel):
            return None

        def read(self, how):
            return how + " reads numbers that are not there yet"

        def upload(self, what):
            return "numbers are copied from the host: at a replay they are old"

        def synchronize(self, _):
            return "the host waits for work that has not begun"

        def free(self, size):
            self.left += size

        def allocate(self, size):
            self.left -= size
            return self.left < 0 and f"{-self.left} bytes are missing in the pool"

    size, capture = 0, None
    for kind, line, detail in events:
        if kind == "pool":
            size = detail
        elif kind in ("begin", "end"):
            capture = Capture(size) if kind == "begin" else None
        elif capture and (text := getattr(capture, kind)(detail)):
            return line, text
    return None


@right(capture_failure, "by patterns, with None for outside")
def _(events):
    pool, left = 0, None
    for kind, line, detail in events:
        match kind, left:
            case "pool", _:
                pool = detail
            case "begin", _:
                left = pool
            case ("end", _) | (_, None):
                left = None
            case "read", _:
                return line, f"{detail} reads numbers that are not there yet"
            case "upload", _:
                text = "numbers are copied from the host: at a replay they are old"
                return line, text
            case "synchronize", _:
                return line, "the host waits for work that has not begun"
            case (("allocate" | "free"), _):
                left += detail if kind == "free" else -detail
                if left < 0:
                    return line, f"{-left} bytes are missing in the pool"
