"""Answers of pruned by other algorithms."""

from minigrad.graph import pruned
from tools.audit.specimens import answer


@answer(pruned, right="first what is needed, then in order")
def _(order, fetches, fed):
    needed, left = set(), [f for f in fetches if f not in fed]
    while left:
        operation = left.pop()
        if operation not in needed:
            needed.add(operation)
            left += [i for i in operation.inputs if i not in fed]
    for operation in needed:
        if operation.type == "Placeholder":
            raise ValueError(f"{operation.name} has no value")
    return [operation for operation in order if operation in needed]


@answer(pruned, right="layer by layer")
def _(order, fetches, fed):
    needed, layer = set(), set(fetches) - fed
    while layer:
        needed |= layer
        layer = {i for o in layer for i in o.inputs} - fed - needed
    missing = [o.name for o in needed if o.type == "Placeholder"]
    if missing:
        raise ValueError(f"not fed: {', '.join(missing)}")
    return [o for o in order if o in needed]


@answer(pruned, right="leaving out until all is used")
def _(order, fetches, fed):
    kept, before = [o for o in order if o not in fed], None
    while kept != before:
        used = {i for o in kept for i in o.inputs}.union(fetches)
        kept, before = [o for o in kept if o in used], kept
    for operation in kept:
        if operation.type == "Placeholder":
            raise ValueError("give " + operation.name)
    return kept
