"""Answers of copy_inputs by other algorithms."""

from minigrad.cuda import copy_inputs
from tools.audit.specimens import answer


@answer(copy_inputs, right="all cloned")
def _(static, given):
    def facts(x):
        return tuple(x.shape), x.dtype, x.device

    if [facts(t) for t in static] != [facts(x) for x in given]:
        raise RuntimeError("the inputs are not those that the graph was captured with")
    copies = [x.clone() for x in given]
    for i in range(len(static)):
        static[i].copy_(copies[i])


@answer(copy_inputs, right="by comparing storages, and what is in its place left alone")
def _(static, given):
    copies = []
    for number, t in enumerate(static):
        x = given[number]
        for fact in "shape", "dtype", "device":
            if getattr(t, fact) != getattr(x, fact):
                raise RuntimeError(f"input {number} has another {fact}")
        if x is not t:
            inside = any(x.storage is other.storage for other in static)
            copies.append((t, x.clone() if inside else x))
    for t, x in copies:
        t.copy_(x)
