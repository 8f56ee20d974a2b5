"""The graph of a tensor: nodes in layers, and backward step by step."""

import functools
from html import escape

from .draw.graph_facts import Facts
from .draw.graph_gradients import flow, text_of
from .draw.graph_layout import MOST_WIDE, arranged, folded, is_leaf, layers_of
from .draw.graph_modules import AUTO
from .draw.kernel_launch import sentence
from .draw.picture import Svg
from .draw.text import count, cut_text
from .widgets import Stepped

WIDE, HIGH, GAP, DOWN = 124, 50, 16, 34  # pixels: a box, between boxes, between layers
WIDEST, KEY = 216, 22
MOST_STEPS = 200
NO_GRAPH = (
    "This has no graph: it has no grad_fn. It is a leaf, or was made under "
    "no_grad() or by detach(), or from tensors that require no gradient."
)


def graph(loss, *, depth=AUTO, **names):
    """Draw the graph that `loss` was computed by, and backward through it.

    Each box is a node: its operator, the shape and dtype of the operator's result, and
    the norm of the gradient where one is kept: in leaves after backward(), and in
    tensors with retain_grad(). With a slider, in the order of backward, where anywidget
    is installed and works (not on Colab); a picture everywhere else.
    names: what leaves are called in the picture, as in graph(loss, x=x, w=w); a
    parameter of a module that was called has its own name.
    depth: how many levels of modules are open. One that lies deeper, or is in another
    and has none in it, is a box with its name and class, the shape of its result and
    the number of its parameters. 0: all modules are folded. None: none is. "auto": as
    many levels are open as fit into a picture, the outermost at least.
    """
    root = getattr(loss, "grad_fn", None)
    if root is None or not hasattr(root, "next_functions"):
        return sentence(NO_GRAPH)
    return Graph(loss, root, names, depth)


class Graph(Stepped):
    """The picture of a graph, and the steps of backward."""

    name = "graph"
    words = "Run this cell to step through backward here."

    def __init__(self, loss, root, names, depth=AUTO):
        self.facts = facts = Facts(loss, root, names, depth)
        self.flow = flow(loss, [node for box in facts.order for node in box.nodes])
        layers = arranged(layers_of(facts.order))
        kept, self.folds = folded(layers)
        self.layers = [(n, layers[n][:MOST_WIDE], len(layers[n])) for n in kept]
        self.drawn = {node for _, layer, _ in self.layers for node in layer}
        self.names = {n: i for i, n in enumerate(facts.order)}
        longest = max(len(facts.title(node)) for node in self.drawn)
        self.wide = min(max(WIDE, 8 * longest + 4), WIDEST)
        self.text = self.svg()
        super().__init__()

    def picture(self):
        return Svg(self.text, self.alt)

    # ------------------------------------------------ the drawing

    def svg(self):
        """The picture as SVG text."""
        across = max(min(len(layer), MOST_WIDE) for _, layer, _ in self.layers)
        width = max(across * (self.wide + GAP) + GAP + 120, 380)
        places, parts, y = {}, [], 12
        folds = list(self.folds)
        for number, layer, whole in self.layers:
            while folds and folds[0].first < number:
                parts.append(note(width, y, folds.pop(0).text))
                y += DOWN
            left = (width - len(layer) * (self.wide + GAP) + GAP) / 2
            for i, node in enumerate(layer):
                places[node, number] = left + i * (self.wide + GAP), y
            if whole > len(layer):
                parts.append(
                    note(width, y + HIGH + 2, f"and {whole - len(layer)} more")
                )
            y += HIGH + DOWN
        if folds:  # the last layers are left out
            parts.append(note(width, y, folds[0].text))
            y += DOWN
        edges = [self.edge(places, *ends) for ends in self.edges(places)]
        boxes = [self.box(node, *places[node, n]) for node, n in places]
        parts.append(self.key(y))
        y += KEY * (1 + len(self.kinds()))
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{width}" '
            f'height="{y}" viewBox="0 0 {width} {y}" font-family="sans-serif" '
            f'style="max-width: 100%; height: auto" aria-label="{escape(self.alt)}">'
            f"<title>{escape(self.alt)}</title>"
            f'<rect width="{width}" height="{y}" fill="#ffffff"/>'
            f"{ARROW}{''.join(edges)}{''.join(boxes)}{''.join(parts)}</svg>"
        )

    def kinds(self):
        """(shape of a box, what it is) of the shapes that are drawn."""
        modules = any(node.call for node in self.drawn)
        kinds = [(0, "an operator"), (1, "a leaf, once below each of its users")]
        return [*kinds, (2, "a module")] if modules else kinds

    def key(self, y):
        """A small box of each kind, with its name."""
        parts = []
        for row, (kind, name) in enumerate(self.kinds()):
            top = y + KEY * row
            parts.append(shape(12, top, 30, 14, kind))
            parts.append(write(54, top + 11, name, 10, anchor="start"))
        return "".join(parts)

    def edges(self, places):
        """((node, layer), (end, layer)) of what is drawn, each pair once."""
        layers = {node: n for node, n in places if not is_leaf(node)}
        pairs = {
            ((node, n), (end, n + 1 if is_leaf(end) else layers.get(end))): None
            for node, n in layers.items()
            for end, _ in node.next_functions
            if end is not None
        }
        return [pair for pair in pairs if pair[1] in places]

    def edge(self, places, begin, goal):
        (node, _), (end, _) = begin, goal
        (x0, y0), (x1, y1) = places[begin], places[goal]
        wide = self.wide
        x0, x1, y0, y1 = x0 + wide / 2, x1 + wide / 2, y0 + HIGH, y1 - 2
        times = sum(n is end for n, _ in node.next_functions)
        names = f'data-from="{self.names[node]}" data-to="{self.names[end]}"'
        bend = (y1 - y0) / 2
        if abs(y1 - y0) > DOWN and abs(x1 - x0) < wide:  # past what stands between
            side = x1 + (wide * 0.95 if x1 >= x0 else -wide * 0.95)
            low, high = (f"{side:.0f},{y:.0f}" for y in (y0 + bend / 4, y1 - bend / 4))
            way = f"C{low} {high} {x1:.0f},{y1:.0f}"
        else:
            way = (
                f"C{x0:.0f},{y0 + bend:.0f} {x1:.0f},{y1 - bend:.0f} {x1:.0f},{y1:.0f}"
            )
        line = (
            f'<path class="mg-edge" {names} d="M{x0:.0f},{y0:.0f} {way}" fill="none" '
            f'stroke="#8a8a8a" stroke-width="1.2" marker-end="url(#mg-arrow)"/>'
        )
        if times > 1:
            left = x1 > x0  # at its start, on the side from which the line bends away
            x, anchor = (x0 - 6, "end") if left else (x0 + 6, "start")
            line += write(x, y0 + 13, f"{times} times", 10, anchor=anchor)
        return line

    def box(self, node, x, y):
        title, *rest = [self.facts.title(node), *self.facts.lines(node)]
        most, middle = (self.wide - 4) // 8, x + self.wide / 2
        texts = write(middle, y + 16, cut_text(title, most), 12, "bold")
        for i, text in enumerate(rest):
            texts += write(middle, y + 30 + 13 * i, cut_text(text, self.wide // 5), 10)
        caption = escape(", ".join([self.facts.whole_name(node), *rest]))
        if len(rest) < 2:  # room for what comes to it when its turn comes
            come = f'<text class="mg-come" x="{middle:.0f}" y="{y + 43:.0f}"'
            texts += (
                f'{come} font-size="10" text-anchor="middle" fill="#222222"></text>'
            )
        rects = shape(x, y, self.wide, HIGH, 2 if node.call else node.leaf is not None)
        return (
            f'<g class="mg-node" data-node="{self.names[node]}">'
            f"<title>{caption}</title>{rects}{texts}</g>"
        )

    # ------------------------------------------------ in words, and step by step

    @functools.cached_property
    def alt(self):
        order = self.facts.order
        nodes = [node for box in order for node in box.nodes]
        leaves = sum(hasattr(node, "variable") for node in nodes)
        said = f"A graph of {count(len(nodes), 'node')}, {leaves} of them leaves. "
        modules = sum(box.call is not None for box in order)
        said += f"{count(modules, 'call')} of modules folded. " if modules else ""
        names = [self.facts.title(n) for n in order[:12]]
        said += f"Backward visits {', '.join(names)}"
        said += " and so on." if len(order) > 12 else "."
        folds = " ".join(f"Folded: {fold.text}." for fold in self.folds)
        return " ".join([said, folds]).strip()

    def payload(self):
        """What the slider needs: the drawing, and a step for each node in it."""
        steps = []
        for place, node in enumerate(self.facts.order):
            if node in self.drawn and len(steps) < MOST_STEPS:
                said = {"caption": self.caption(place, node), "grad": self.come(node)}
                steps.append({"node": self.names[node], **said})
        return {"svg": self.text, "title": self.alt, "steps": steps}

    def caption(self, place, node):
        name = self.facts.whole_name(node)
        come = self.come(node) or self.facts.gradient(node)
        said = f"step {place + 1} of {len(self.facts.order)}: {name}"
        said += f", {come}" if come else ""
        if node.leaf is not None:
            return f"{said}: adds what has come to .grad"
        ends = [end for end, _ in node.next_functions]
        if not ends:
            return f"{said}: its gradient is complete; sends on to nothing outside"
        sent = ", ".join(self.facts.title(end) for end in ends[:4])
        more = " and others" if len(ends) > 4 else ""
        return f"{said}: its gradient is complete; sends on to {sent}{more}"

    def come(self, box):
        """The gradient that comes to a box, in words; "" where it is not known."""
        known = box.call is None and box.nodes[0] in self.flow
        return text_of(self.flow[box.nodes[0]]) if known else ""


COLORS = ("#e3ecf7", "#4a6d99"), ("#dceeda", "#3f7f3a"), ("#f0e6f5", "#7a5296")
ARROW = (
    '<defs><marker id="mg-arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" '
    'markerHeight="8" markerUnits="userSpaceOnUse" orient="auto">'
    '<path d="M0,0 L8,4 L0,8 z" fill="#8a8a8a"/></marker></defs>'
)


def write(x, y, text, size, weight="normal", anchor="middle"):
    return (
        f'<text x="{x:.0f}" y="{y:.0f}" font-size="{size}" font-weight="{weight}" '
        f'text-anchor="{anchor}" fill="#222222">{escape(text)}</text>'
    )


def shape(x, y, wide, high, kind):
    """A box: 0, an operator; 1, a leaf, with round ends; 2, a module, a pile."""
    fill, line = COLORS[kind]
    return "".join(
        f'<rect x="{x + off:.0f}" y="{y + off:.0f}" width="{wide}" height="{high}" '
        f'rx="{high // 2 if kind == 1 else high // 8}" fill="{fill}" stroke="{line}"/>'
        for off in ((4, 0) if kind == 2 else (0,))
    )


def note(width, y, text):
    return write(width / 2, y + 12, f"\u22ee {text} \u22ee", 11, "bold")
