"""Answers of guard_failures by other algorithms."""

from minigrad.jit.guards import guard_failures
from tools.audit.specimens import answer


@answer(guard_failures, right="by a function that compares")
def _(traced, now):
    def same(a, b):
        if type(a) is not type(b):
            return False
        if isinstance(a, tuple):
            return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b))
        return a == b or (a != a and b != b)

    failures = []
    for name, old in traced.items():
        if name not in now:
            failures.append(f"{name} was {old!r}, is nothing")
        elif not same(old, now[name]):
            failures.append(f"{name} was {old!r}, is {now[name]!r}")
    for name, new in now.items():
        if name not in traced:
            failures.append(f"{name} was nothing, is {new!r}")
    return failures


@answer(guard_failures, right="by what two sets of texts do not share")
def _(traced, now):
    old, new = ({k: repr(v) for k, v in d.items()} for d in (traced, now))
    differ = {name for name, _ in set(old.items()) ^ set(new.items())}
    return [
        f"{name} was {old.get(name, 'nothing')}, is {new.get(name, 'nothing')}"
        for name in {**old, **new}
        if name in differ
    ]


@answer(guard_failures, right="with types in the values, and what is left over")
def _(traced, now):
    def typed(value):
        if isinstance(value, tuple):
            return [typed(v) for v in value]
        return type(value), str(value)

    left, failures = dict(now), []
    for name, old in traced.items():
        if name not in left:
            failures.append(f"{name} was {old!r}, is nothing")
        elif typed(old) != typed(left[name]):
            failures.append(f"{name} was {old!r}, is {left[name]!r}")
        left.pop(name, None)
    return failures + [f"{name} was nothing, is {v!r}" for name, v in left.items()]
