"""A graph of operations, inputs on top: of minigrad.jit, or of minigrad.graph."""

import itertools
import math

from .draw.canvas import Canvas
from .draw.picture import style

WIDE, LINE, GAP, DOWN = 1.5, 0.17, 0.22, 0.42  # inches
FILLS = {
    "input": ("#dceeda", "#3f7f3a"), "held": ("#f0e6f5", "#7a5296"),
    "call": ("#e3ecf7", "#4a6d99"), "fused": ("#fbe8d3", "#a8661c"),
}  # fmt: skip
KINDS = {"Placeholder": "input", "Variable": "held", "Const": "held",
         "placeholder": "input", "get_attr": "held"}  # fmt: skip


class ProgramBox:
    """A node: its lines of text, and the boxes that it uses."""

    def __init__(self, kind, lines, uses):
        self.kind, self.lines, self.uses = kind, lines, uses
        self.high = 0.14 + LINE * len(lines)
        self.layer = 1 + max((box.layer for box in uses), default=-1)


def program(graph):
    """Draw a graph: a jitted function, its Graph, or a minigrad.graph.Graph.

    Green: inputs. Violet: what is there before the run, parameters and constants.
    Blue: operators. Orange: one kernel for all that stands in the box.
    """
    graph = getattr(graph, "graph", graph)
    nodes = getattr(graph, "operations", None)
    boxes = of_operations(nodes) if nodes is not None else of_nodes(graph)
    layers = {}
    for box in sink(boxes):
        layers.setdefault(box.layer, []).append(box)
    return drawn([layers[n] for n in sorted(layers)], alt_of(boxes))


def of_operations(operations):
    box_of = {}
    for o in operations:
        value = [f"{o.value.tolist()}"[:20]] if o.type == "Const" else []
        kind = KINDS.get(o.type, "call")
        title = o.type if kind == "call" else o.name
        box_of[o] = ProgramBox(kind, [title, *value], [box_of[i] for i in o.inputs])
    return [*box_of.values()]


def of_nodes(graph):
    box_of, boxes = {}, []
    for node in graph.nodes:
        uses = list(dict.fromkeys(box_of[i] for i in node.inputs if i in box_of))
        if node.target in ("as_strided", "getitem") and len(uses) == 1:
            box_of[node] = uses[0]  # no work: it is left out
            continue
        kind = KINDS.get(node.op, "fused" if node.group else "call")
        names = [f"{n} {n.target}" for n in node.group or ()]
        spec = node.spec[0] if isinstance(node.spec, tuple) else node.spec
        shape = [str(list(spec.shape))] if spec is not None else []
        title = [] if node.group else [f"{node} {node.target}"]
        box = ProgramBox(kind, [*title, *names, *shape], uses)
        boxes.append(box)
        for n in getattr(node, "outputs", [node]):
            box_of[n] = box
    return boxes


def sink(boxes):
    """Let what uses nothing stand right above the first that uses it."""
    for box in boxes:
        users = [other.layer for other in boxes if box in other.uses]
        if not box.uses and users:
            box.layer = min(users) - 1
    return boxes


def drawn(layers, alt):
    """The Picture of boxes in layers."""
    across = max(map(len, layers))
    width = max(across * (WIDE + GAP) + GAP, 3)
    y = DOWN / 3
    for layer in layers:
        left = (width - len(layer) * (WIDE + GAP) + GAP) / 2
        for i, box in enumerate(place(layer)):
            box.x, box.y = left + i * (WIDE + GAP), y
        y += max(box.high for box in layer) + DOWN
    with style():
        canvas = Canvas(width, y - DOWN / 3)
        for box in itertools.chain(*layers):
            for used in box.uses:
                arrow(canvas, used, box)
            rectangle(canvas, box)
        return canvas.picture(alt)


def place(layer):
    """A layer from left to right, under what it uses."""

    def middle(box):
        above = [b.x for b in box.uses if hasattr(b, "x")]
        return sum(above) / len(above) if above else math.inf

    return sorted(layer, key=middle)


def arrow(canvas, used, box):
    start = used.x + WIDE / 2, used.y + used.high
    end = box.x + WIDE / 2, box.y
    straight = abs(start[0] - end[0]) > 0.1 or box.layer - used.layer < 2
    look = {"color": "#8a8a8a", "lw": 0.9, "zorder": 0, "mutation_scale": 10}
    if straight:
        canvas.arrow(start, end, **look)
        return
    from matplotlib.path import Path

    side = (WIDE + GAP) / 2 / 0.75  # so far the curve goes around what's between
    rise = 0.1 * (end[1] - start[1])
    points = [start, (start[0] - side, start[1] + rise), (end[0] - side, end[1] - rise),
              end]  # fmt: skip
    way = Path(points, [Path.MOVETO, Path.CURVE4, Path.CURVE4, Path.CURVE4])
    canvas.arrow(None, None, path=way, **look)


def rectangle(canvas, box):
    from matplotlib.patches import FancyBboxPatch

    fill, line = FILLS[box.kind]
    shape = "round,pad=0,rounding_size=0.06"
    canvas.axes.add_patch(FancyBboxPatch((box.x, box.y), WIDE, box.high, shape, fc=fill,
                                         ec=line, lw=1))  # fmt: skip
    for i, text in enumerate(box.lines):
        y, weight = box.y + 0.07 + LINE * (i + 0.5), "normal" if i else "bold"
        canvas.write(box.x + WIDE / 2, y, text[:24], 8, weight=weight)


def alt_of(boxes):
    parts = [f"{b.lines[0]} uses {', '.join(u.lines[0] for u in b.uses)}"
             for b in boxes if b.uses]  # fmt: skip
    fused = sum(b.kind == "fused" for b in boxes)
    return (
        f"A graph of {len(boxes)} boxes, {fused} of them fused kernels: "
        f"{'; '.join(parts[:12])}{' and so on' * (len(parts) > 12)}."
    )
