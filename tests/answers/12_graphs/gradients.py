"""Answers of gradients by other algorithms."""

import functools
import operator

from minigrad import graph
from minigrad.graph import execution_order, gradients
from tools.audit.specimens import answer


@answer(gradients, right="by lists of parts, added up when all are there")
def _(y, xs, grad_of):
    order, leads, total = execution_order([y]), {*xs}, {}
    for o in order:
        leads |= set() if leads.isdisjoint(o.inputs) else {o}
    parts = {o: [] for o in order}
    parts[y].append(graph.op("OnesLike", y))
    for o in order[::-1]:
        if o not in leads or not parts[o]:
            continue
        total[o] = functools.reduce(operator.add, parts[o])
        if not leads.isdisjoint(o.inputs):
            for i, part in enumerate(grad_of(o, total[o])):
                parts[o.inputs[i]] += [] if part is None else [part]
    return [total.get(x) for x in xs]
