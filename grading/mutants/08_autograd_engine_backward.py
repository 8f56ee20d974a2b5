"""Chapter 08, backward: wrong answers that learners write, and right ones."""

import collections

from grading.specimens import mutant, right
from minigrad.autograd.engine import backward


def engine(order, seeds, retain_graph, add=None, gather=None, release=None):
    """A right engine with places to spoil."""
    arrived = dict(seeds)
    for node in order:
        gradients = [arrived.pop((node, i), None) for i in range(node.outputs)]
        if gather:
            gradients = gather(gradients)
        if all(g is None for g in gradients):
            continue
        found = node(*gradients)
        if release(retain_graph) if release else not retain_graph:
            node.release()
        for edge, g in zip(node.next_functions, found, strict=True):
            if g is None:
                continue
            if edge in arrived:
                arrived[edge] = add(arrived[edge], g) if add else arrived[edge] + g
            else:
                arrived[edge] = g


@mutant(backward, "overwrites")
def _(order, seeds, retain_graph=False):
    engine(order, seeds, retain_graph, add=lambda old, new: new)


@mutant(backward, "overwrites", "by update")
def _(order, seeds, retain_graph=False):
    arrived = dict(seeds)
    for node in order:
        gradients = [arrived.get((node, i)) for i in range(node.outputs)]
        if any(g is not None for g in gradients):
            found = zip(node.next_functions, node(*gradients), strict=True)
            arrived.update({edge: g for edge, g in found if g is not None})
            if not retain_graph:
                node.release()


@mutant(backward, "ones")
def _(order, seeds, retain_graph=False):
    ones = {edge: g * 0 + 1 for edge, g in seeds.items()}
    engine(order, ones, retain_graph)


@mutant(backward, "first_result")
def _(order, seeds, retain_graph=False):
    def gather(gradients):
        return gradients[:1] + [None] * (len(gradients) - 1)

    engine(order, seeds, retain_graph, gather=gather)


@mutant(backward, "calls_all")
def _(order, seeds, retain_graph=False):
    arrived = dict(seeds)
    for node in order:
        gradients = [arrived.pop((node, i), None) for i in range(node.outputs)]
        found = node(*gradients)
        if not retain_graph:
            node.release()
        for edge, g in zip(node.next_functions, found, strict=True):
            if g is not None:
                arrived[edge] = arrived[edge] + g if edge in arrived else g


@mutant(backward, "in_place")
def _(order, seeds, retain_graph=False):
    def add(old, new):
        old += new
        return old

    engine(order, seeds, retain_graph, add=add)


@mutant(backward, "seeds_changed")
def _(order, seeds, retain_graph=False):
    for node in order:
        gradients = [seeds.pop((node, i), None) for i in range(node.outputs)]
        if all(g is None for g in gradients):
            continue
        for edge, g in zip(node.next_functions, node(*gradients), strict=True):
            if g is not None:
                seeds[edge] = seeds[edge] + g if edge in seeds else g
        if not retain_graph:
            node.release()


@mutant(backward, "never_released")
def _(order, seeds, retain_graph=False):
    engine(order, seeds, retain_graph, release=lambda retain: False)


@mutant(backward, "always_released")
def _(order, seeds, retain_graph=False):
    engine(order, seeds, retain_graph, release=lambda retain: True)


@mutant(backward, "none_added")
def _(order, seeds, retain_graph=False):
    arrived = dict(seeds)
    for node in order:
        gradients = [arrived.pop((node, i), None) for i in range(node.outputs)]
        if any(g is not None for g in gradients):
            found = node(*gradients)
            if not retain_graph:
                node.release()
            for edge, g in zip(node.next_functions, found, strict=True):
                arrived[edge] = arrived[edge] + g if edge in arrived else g


@right(backward, "with lists of what arrives")
def _(order, seeds, retain_graph=False):
    arrived = collections.defaultdict(list)
    for edge, g in seeds.items():
        arrived[edge].append(g)
    for node in order:
        gradients = []
        for i in range(node.outputs):
            several = arrived.pop((node, i), [])
            gradients.append(sum(several[1:], several[0]) if several else None)
        if any(g is not None for g in gradients):
            found = node(*gradients)
            for edge, g in zip(node.next_functions, found, strict=True):
                if g is not None and edge[0] is not None:
                    arrived[edge].append(g)
            if not retain_graph:
                node.release()


@right(backward, "with if and else")
def _(order, seeds, retain_graph=False):
    grads = seeds.copy()
    for node in order:
        mine = []
        for i in range(node.outputs):
            mine.append(grads.pop((node, i)) if (node, i) in grads else None)
        if mine.count(None) == len(mine):
            continue
        outgoing = node(*mine)
        for k in range(len(node.next_functions)):
            if outgoing[k] is None:
                continue
            edge = node.next_functions[k]
            if edge in grads:
                grads[edge] = grads[edge] + outgoing[k]
            else:
                grads[edge] = outgoing[k]
        if retain_graph is False:
            node.release()


@right(backward, "new on the left")
def _(order, seeds, retain_graph=False):
    engine(order, seeds, retain_graph, add=lambda old, new: new + old)
