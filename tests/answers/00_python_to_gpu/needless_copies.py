"""Answers of needless_copies by other algorithms."""

from minigrad.kernels.transfers import needless_copies
from tools.audit.specimens import answer


@answer(needless_copies, right="by looking back")
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


@answer(needless_copies, right="by when each was copied and changed last")
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


@answer(needless_copies, right="array by array")
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
