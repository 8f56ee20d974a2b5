"""A formula of single numbers: what each was made from, its value and its gradient."""

from .draw.diagram import Arrow, Box, diagram
from .draw.graph_layout import arranged, layers_of, nodes_in_order
from .draw.text import count

WIDE, HIGH, DOWN, GAP = 1.25, 0.62, 0.5, 0.5  # inches


class FormulaNode:
    """A number as a node, as graph_layout wants it."""

    def __init__(self, value):
        self.value, self.next_functions = value, []


def formula(y):
    """Draw what `y` was made from, down to the numbers that it begins with.

    y: any object with data, grad, parents, slopes and name, as the Value of chapter 08.
    On an arrow stands the slope: backward sends the gradient times that. A number that
    several use stands once, below the last of them.
    """
    steps = {}
    stack = [y]
    while stack:  # a list, not calls: it may be deep
        value = stack.pop()
        if id(value) not in steps:
            steps[id(value)] = FormulaNode(value)
            stack += value.parents
    for step in steps.values():
        step.next_functions = [(steps[id(p)], 0) for p in step.value.parents]
    layers = arranged(layers_of(nodes_in_order(steps[id(y)]), copies=False))
    places = {}
    wide = max(map(len, layers)) * (WIDE + GAP)
    for n, layer in enumerate(layers):
        left = (wide - len(layer) * (WIDE + GAP) + GAP) / 2
        for i, step in enumerate(layer):
            places[step] = left + i * (WIDE + GAP), 0.1 + n * (HIGH + DOWN)
    boxes = [box(step, *place) for step, place in places.items()]
    size = max(wide, 3), 0.2 + len(layers) * (HIGH + DOWN) - DOWN
    return diagram(size, boxes, arrows(places), alt_of(places))


def box(step, x, y):
    value = step.value
    lines = f"data {value.data:.4g}", f"grad {value.grad:.4g}"
    kind = "read" if value.parents else "line"
    return Box(x, y, WIDE, HIGH, value.name or "number", lines, kind)


def arrows(places):
    """An arrow to each parent, with the slopes of all its uses."""
    for step, (x, y) in places.items():
        uses = {}
        pairs = zip(step.next_functions, step.value.slopes, strict=True)
        for (parent, _), slope in pairs:
            uses.setdefault(parent, []).append(f"{slope:.3g}")
        for parent, slopes in uses.items():
            to, low = places[parent]
            text = "× " + " and ".join(slopes)
            begin, end = (x + WIDE / 2, y + HIGH), (to + WIDE / 2, low)
            shift = (-0.12, -0.07) if to < x else (0.12, -0.07 * (to > x))
            yield Arrow(begin, end, text, shift)


def alt_of(places):
    captions = [
        f"{step.value.name or 'number'}: data {step.value.data:.4g}, grad "
        f"{step.value.grad:.4g}"
        for step in places
    ]
    numbers = count(len(captions), "number")
    return f"A formula of {numbers}, from the result down: {'; '.join(captions)}."
