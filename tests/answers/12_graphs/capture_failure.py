"""Answers of capture_failure by other algorithms."""

import itertools

from minigrad.cuda import capture_failure
from tools.audit.specimens import answer


@answer(capture_failure, right="capture by capture")
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


@answer(capture_failure, right="by a class with a method for each kind")
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


@answer(capture_failure, right="by patterns, with None for outside")
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
