"""Answers of fold_constants by other algorithms."""

from minigrad.graph import fold_constants
from tools.audit.specimens import answer


@answer(fold_constants, right="by what changes")
def _(order, kernels, stateful):
    changes, known = set(), {}
    for o in order:
        if o.type == "Const":
            known[o] = o.value
        elif o.type in stateful or not o.inputs or changes.intersection(o.inputs):
            changes.add(o)
        else:
            known[o] = kernels[o.type](*map(known.get, o.inputs))
    return known


@answer(fold_constants, right="in rounds, until nothing is new")
def _(order, kernels, stateful):
    known = {o: o.value for o in order if o.type == "Const"}
    left = [o for o in order if o.inputs and o.type not in ("Const", *stateful)]
    while ready := [o for o in left if known.keys() >= {*o.inputs}]:
        known |= {o: kernels[o.type](*[known[i] for i in o.inputs]) for o in ready}
        left = [o for o in left if o not in known]
    return known


@answer(fold_constants, right="from the constants to those that use them")
def _(order, kernels, stateful):
    users, missing, values = {}, {}, {}
    for o in order:
        missing[o] = len(o.inputs)
        for i in o.inputs:
            users.setdefault(i, []).append(o)
    ready = [o for o in order if o.type == "Const"]
    for o in ready:
        given = [values[i] for i in o.inputs]
        values[o] = o.value if o.type == "Const" else kernels[o.type](*given)
        for user in users.get(o, ()):
            missing[user] -= 1
            if missing[user] == 0 and user.type not in stateful:
                ready.append(user)
    return values
