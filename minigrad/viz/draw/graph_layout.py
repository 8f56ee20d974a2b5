"""Where the nodes of a graph stand: layers, repetitions folded, and the order within.

All of it goes through lists, not through calls: a graph may be 100,000 nodes deep.
"""

from typing import NamedTuple

from .text import count

MOST_LAYERS, MOST_WIDE, LONGEST_PERIOD = 24, 14, 12


class Fold(NamedTuple):
    """Layers that are left out: first to last, and what they are."""

    first: int
    last: int
    text: str


def nodes_in_order(root):
    """All nodes that can be reached, each before all that it points to."""
    order, seen, stack = [], set(), [(root, False)]
    while stack:
        node, ready = stack.pop()
        if ready:
            order.append(node)
        elif node not in seen:
            seen.add(node)
            stack.append((node, True))
            stack += [(n, False) for n in ends(node)]
    return order[::-1]


def ends(node):
    """The nodes that a node's gradients go to, in order; some perhaps several times."""
    return [n for n, _ in node.next_functions if n is not None]


def layers_of(order, copies=True):
    """The nodes by their longest way from the first; a leaf below each of its users.

    So a leaf may stand in several layers, and no edge goes up. Without copies it
    stands once, below all of them.
    """
    depth = {order[0]: 0}
    for node in order:
        for end in ends(node):
            depth[end] = max(depth.get(end, 0), depth[node] + 1)
    layers = [[] for _ in range(1 + max(depth.values()))]
    for node in order:
        if not (copies and is_leaf(node)) or node is order[0]:
            layers[depth[node]].append(node)
        for end in filter(is_leaf, ends(node) if copies else ()):
            if end not in layers[depth[node] + 1]:
                layers[depth[node] + 1].append(end)
    return layers


def is_leaf(node):
    """Do its gradients go nowhere else?"""
    return not node.next_functions


def folded(layers):
    """(layers that are drawn, as numbers; the Folds between them)."""
    number = len(layers)
    if number <= MOST_LAYERS:
        return list(range(number)), []
    names = [tuple(sorted(node.name() for node in layer)) for layer in layers]
    period, first, last = repetition(names)
    if last - first >= 3 * period:
        whole = (last - first) // period
        left_out = range(first + period, first + period * whole)
        text = f"the {count(period, 'layer')} above, {whole - 1} times more"
    else:
        left_out = range(MOST_LAYERS // 2, number - MOST_LAYERS // 2)
        text = count(len(left_out), "layer")
    kept = [n for n in range(number) if n not in left_out]
    folds = [Fold(left_out[0], left_out[-1], text)] if left_out else []
    if len(kept) > MOST_LAYERS:
        kept, folds = cut(kept, folds)
    return kept, folds


def cut(kept, folds):
    """The first and last of the layers alone."""
    half = MOST_LAYERS // 2
    out = kept[half:-half]
    fold = Fold(out[0], out[-1], count(out[-1] - out[0] + 1, "layer"))
    inside = [f for f in folds if not fold.first <= f.first <= fold.last]
    return kept[:half] + kept[-half:], sorted([*inside, fold])


def repetition(names):
    """(period, first, last): the longest stretch in which layers repeat themselves."""
    best = 1, 0, 0
    for period in range(1, LONGEST_PERIOD + 1):
        start = 0
        for n in range(period, len(names) + 1):
            if n < len(names) and names[n] == names[n - period]:
                continue
            if n - start > best[2] - best[1] and n - start >= 3 * period:
                best = period, start, n
            start = n - period + 1
    return best


def arranged(layers):
    """Each layer from left to right, under those that point to it."""
    place, users = {}, {}
    for layer in layers:
        for node in layer:
            for end in ends(node):
                users.setdefault(end, []).append(node)
    result = [[]]
    for layer in layers:

        def middle(node, before=result[-1]):
            positions = before if is_leaf(node) else place
            above = [place[u] for u in users.get(node, ()) if u in positions]
            return sum(above) / len(above) if above else 0.5

        layer = sorted(layer, key=middle)
        for i, node in enumerate(layer):
            place[node] = (i + 0.5) / len(layer)
        result.append(layer)
    return result[1:]
