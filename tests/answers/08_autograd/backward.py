"""Answers of backward by other algorithms."""

from minigrad.autograd.engine import backward
from tools.audit.specimens import answer


@answer(backward, right="parts that are added up when all are there")
def _(order, seeds, retain_graph=False):
    parts = {edge: [g] for edge, g in seeds.items()}
    for node in order:
        given = []
        for i in range(node.outputs):
            first, *others = parts.pop((node, i), [None])
            for g in others:
                first = first + g
            given.append(first)
        if given != [None] * node.outputs:
            for edge, g in zip(node.next_functions, node(*given), strict=True):
                if g is not None:
                    parts.setdefault(edge, []).append(g)
            if not retain_graph:
                node.release()


@answer(backward, right="a row for each node")
def _(order, seeds, retain_graph=False):
    rows = {node: [None] * node.outputs for node in order}
    for (node, i), g in seeds.items():
        rows[node][i] = g
    for node in order:
        row = rows.pop(node)
        if all(g is None for g in row):
            continue
        for (to, i), g in zip(node.next_functions, node(*row), strict=True):
            if to is not None and g is not None:
                rows[to][i] = g if rows[to][i] is None else rows[to][i] + g
        if not retain_graph:
            node.release()
