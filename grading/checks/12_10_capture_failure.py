"""The first thing that a capture cannot hold."""

from grading.exercise import Check, checks
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
