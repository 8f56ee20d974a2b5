"""What is said of an answer that is wrong: the case that shows it, and the cause.

A mistake is named only if it gives what the answer gave in every case that was tried,
those that are right among them, and no other mistake does. Where none does, two that
do so together are named.
"""

import contextlib
import itertools
import time
from typing import NamedTuple

from . import describe, patterns
from .cases import Raises, stops
from .features import common, sizes_of
from .mistakes import both

SECONDS = 1.0  # of the search for two mistakes
TWO = "There are two mistakes. The first: {}. The second: {}"


class Diagnosis(NamedTuple):
    """A cause. more: lines (key, text) of what else was found out.

    case: the one that shows it, the smallest that is wrong.
    """

    cause: str = "unknown"
    text: str = ""
    more: tuple = ()
    case: object = None


def diagnose(check, tried):
    """The Diagnosis of an answer of which one case is wrong, or more."""
    cases = by_size(tried)
    first, seen = cases[0], check.sees(cases)
    if seen and seen[0] in describe.CERTAIN:
        return Diagnosis(*seen, case=first)
    cases.sort(key=lambda case: (case.right, sum(sizes_of(case.args)[0])))  # cheap ones
    for find in computed, shown, twofold:
        if find is twofold:
            seen = seen or patterns.pattern(check, cases)
        named = {} if find is twofold and seen else find(check, cases)
        if len(named) == 1:
            ((text, name),) = named.items()
            return Diagnosis(name, text, _cure(check, cases), first)
    rule = common(check.exercise, cases, check.plain)
    more = ("only", rule), *_cure(check, cases)
    return Diagnosis(*(seen or Diagnosis()[:2]), more, first)


def _cure(check, cases):
    if not (cure := check.cure(cases)):
        return ()
    statement, places = cure
    what = " ".join([statement.removesuffix(";"), " and ".join(places)]).strip()
    return (("cure", f"tried: with {what} every case is right"),)


def computed(check, cases):
    """{text: name} of the mistakes that give what the answer gave in every case."""
    some = [one for one in check.causes() if _gives(check, one, cases, check.agrees)]
    if len({one.message for one in some}) > 1:  # in what is counted, too
        some = [one for one in some if _gives(check, one, cases, check.equals)] or some
    return {one.message: one.name for one in some}


def _gives(check, mistake, cases, alike):
    """Does one way of a mistake give what the answer gave?"""
    ways = check.ways(mistake)
    return any(all(alike(way, case) for case in cases) for way in ways)


def shown(check, cases):
    """{text: name} of the mistakes whose sign all wrong cases show."""
    return {one.message: one.name for one in check.causes()
            if one.sign and check.shows(one.sign, cases)}  # fmt: skip


def twofold(check, cases):
    """{text: "name+name"} of two mistakes that together give it in every case.

    First tried are those of which one alone gives what the smallest case gave.
    """
    end, named = time.thread_time() + SECONDS, {}
    causes = check.causes()
    part = {m.name for m in causes if _gives(check, m, cases[:1], check.agrees)}
    pairs = [*itertools.combinations(causes, 2)]
    pairs.sort(key=lambda pair: part.isdisjoint(m.name for m in pair))
    for a, b in pairs:
        if time.thread_time() > end:
            break
        way = both(a, b) if a.message != b.message else None
        with contextlib.suppress(ValueError):  # together they are no kernel
            if way and all(check.agrees(way, case) for case in cases):
                text = TWO.format(a.message.removesuffix("."), b.message)
                named[text] = f"{a.name}+{b.name}"
    return named


def holds(check, cause, tried):
    """Is this, which was said of an answer, true of it in these other cases?"""
    cases = by_size(tried)
    by_name = {one.name: one for one in check.causes()}
    if "+" in cause:
        way = both(*(by_name[name] for name in cause.split("+")))
        return all(check.agrees(way, case) for case in cases)
    if wrong := by_name.get(cause):
        if _gives(check, wrong, cases, check.agrees):
            return True
        if wrong.sign and check.shows(wrong.sign, cases):
            return True
    if cause == (patterns.pattern(check, cases) or [""])[0]:
        return True
    seen = [check.general(case) for case in cases if not case.right]
    return any(one and one[0] == cause for one in seen)


def by_size(tried):
    """The cases that were run: the wrong ones first, and the smallest of these.

    Smallest in the core of the task, if that is wrong. What shows little comes late: a
    case that must raise, one without elements, one that is wrong for what was before.
    """
    run = [case for n, case in enumerate(tried) if not n or not stops(tried[n - 1].got)]
    core = tried[0].part

    def key(case):
        elements, numbers = sizes_of(case.args)
        late = (
            case.part != core,
            getattr(case.got, "kind", "") == "reused",
            isinstance(case.expected, Raises),
            0 in elements,
        )
        return case.right, *late, sum(elements), sum(map(abs, numbers))

    return sorted(run, key=key)
