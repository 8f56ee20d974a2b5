"""What is said of an answer that is wrong: the case that shows it, and the cause.

A mistake is named only if it gives what the answer gave in every case that was tried,
those that are right among them, and no other mistake does.
"""

from typing import NamedTuple

from . import show
from .cases import Raises, stops
from .facts import common, sizes_of


class Blame(NamedTuple):
    """A cause. more: lines (key, text) of what else was found out."""

    cause: str = "unknown"
    text: str = ""
    more: tuple = ()


def blame(check, tried):
    """The Blame of an answer of which one case is wrong, or more."""
    cases = by_size(tried)
    seen = check.general(cases[0])
    if seen and seen[0] in show.CERTAIN:
        return Blame(*seen)
    for find in computed, shown:
        found = find(check, cases)
        if len(found) == 1:
            ((text, name),) = found.items()
            return Blame(name, text, _cure(check, cases))
    rule = common(check.hole, cases, check.scene is None)
    return Blame(*(seen or Blame()[:2]), (("only", rule), *_cure(check, cases)))


def _cure(check, cases):
    found = check.cure(cases)
    if not found:
        return ()
    what, places = found
    where = " and ".join(places)
    return (("cure", f"tried: with {what} {where} every case is right"),)


def computed(check, cases):
    """{text: name} of the mistakes that give what the answer gave in every case."""
    ways = [(text, name, way) for name, text, wrong in check.causes()
            for way in wrong.ways(check.hole, name)]  # fmt: skip
    small = [case for case in cases if check.is_small(case)]
    left = [w for w in ways if all(check.agrees(w[2], case) for case in small)]
    if len({text for text, *_ in left}) > 1:
        left = [w for w in left if all(check.equals(w[2], c) for c in small)] or left
    large, proved = [case for case in cases if not check.is_small(case)], {}
    for text, name, way in left:
        if text not in proved and all(check.agrees(way, case) for case in large):
            proved[text] = name
    return proved


def shown(check, cases):
    """{text: name} of the mistakes whose sign all wrong cases show."""
    return {text: name for name, text, wrong in check.causes()
            if wrong.sign and check.shows(wrong.sign, cases)}  # fmt: skip


def holds(check, cause, tried):
    """Is this, which was said of an answer, true of it in these other cases?"""
    cases = by_size(tried)
    known = {name: wrong for name, _, wrong in check.causes()}
    if cause in known:
        wrong, ways = known[cause], known[cause].ways(check.hole, cause)
        if any(all(check.agrees(way, case) for case in cases) for way in ways):
            return True
        if wrong.sign and check.shows(wrong.sign, cases):
            return True
    seen = [check.general(case) for case in cases if not case.right]
    return any(found and found[0] == cause for found in seen)


def by_size(tried):
    """The cases that were run: the wrong ones first, and the smallest of these."""
    run = [case for n, case in enumerate(tried) if not n or not stops(tried[n - 1].got)]
    return sorted(run, key=_size)


def _size(case):
    """What shows little comes late: a case that must raise, or one that is empty."""
    elements, numbers = sizes_of(case.args)
    late = isinstance(case.expected, Raises), 0 in elements
    return case.right, *late, sum(elements), sum(map(abs, numbers))
