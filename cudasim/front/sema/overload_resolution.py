"""Overload resolution: the one candidate that fits best, by C++'s rule."""

from .. import ctype as C, tree as T
from ..errors import CompileError
from .conversions import EXACT, rank, same_object
from .inheritance import upcast
from .values import decayed


class Candidate:
    """A function as overload resolution sees it."""

    def __init__(self, function, template=None):
        self.function, self.template = function, template
        self.types = tuple(function.types)
        self.required = len(self.types) - len(function.defaults)

    def takes(self, arguments):
        """Does it take so many?"""
        return self.required <= len(arguments) <= len(self.types)


def candidate_for(function, base=None):
    """A function for `resolve`; `this` takes what has no address, too."""
    candidate = Candidate(function)
    this = function.parameters[:1]
    if base is not None and this and not T.is_lvalue(base):
        first = this[0].type.to.qualified(C.CONST).reference()
        candidate.types = (first, *candidate.types[1:])
    return candidate


def resolve(scope, name, candidates, values):
    """The one candidate that fits best: C++'s rule."""
    count = len(values)
    fitting = [c for c in candidates if c.required <= count <= len(c.types)]
    if not fitting:
        raise wrong_count(name, candidates, count)
    if len(candidates) == 1:
        return candidates[0]
    ranked = []
    for candidate in fitting:
        pairs = list(zip(values, candidate.types))  # noqa: B905
        ranks = [rank_argument(scope, v, t) for v, t in pairs]
        if None not in ranks:
            quals = [t.to.quals if isinstance(t, C.Reference) else None
                     for _, t in pairs]  # fmt: skip
            ranked.append((list(zip(ranks, quals, strict=True)), candidate))
    best = [
        (ranks, c)
        for ranks, c in ranked
        if all(better(ranks, other) for other, d in ranked if d is not c)
    ]
    if len(best) == 1:
        return best[0][1]
    given = ", ".join(str(v.type.plain) for v in values)
    message = f"more than one '{name.name}' fits ({given})"
    note = "cast the arguments to one type"
    if not ranked:
        shown = ["(" + ", ".join(map(str, c.types)) + ")" for c in fitting]
        message = f"no '{name.name}' takes ({given})"
        note = "there is " + ", ".join(shown[:8])
    raise CompileError(message, name.place, note)


def rank_argument(scope, value, type):
    """The rank of an argument for a parameter, perhaps a reference."""
    if not isinstance(type, C.Reference):
        return rank(upcast(scope, decayed(value), type), type)
    target, value = type.to, upcast(scope, value, type)
    if T.is_lvalue(value) and same_object(value.type, target):
        return None if value.type.quals & ~target.quals else EXACT
    return rank(decayed(value), target) if target.const else None


def wrong_count(name, candidates, count):
    wanted = sorted({len(c.types) for c in candidates})
    least = min(c.required for c in candidates)
    few = "few" if count < least else "many"
    shown = " or ".join(map(str, wanted)) or "0"
    message = f"too {few} arguments: '{name.name}' takes {shown}, not {count}"
    return CompileError(message, name.place)


def better(ranks, other):
    """Is no argument of `ranks` worse than in `other`, and one better?"""
    signs = {compared(a, b) for a, b in zip(ranks, other, strict=True)}
    return -1 in signs and 1 not in signs


def compared(one, other):
    """-1, 0, 1: how one (rank, qualifiers of a reference or None) fits beside another:
    of two references the one with fewer qualifiers is better."""
    a, b = one, other
    if None in (one[1], other[1]):
        a, b = one[:1], other[:1]
    return (a > b) - (a < b)
