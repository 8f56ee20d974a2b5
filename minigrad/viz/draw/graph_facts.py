"""What is known of the boxes of a graph: operator or module, result, gradient."""

import math

import numpy as np

from .graph_layout import ends
from .graph_modules import AUTO, boxes, parameter_names
from .text import count


class Facts:
    """The boxes below a tensor, in the order of backward, and what they compute.

    likes: {node: (shape, dtype) of its operator's result}. norms: {node: the length of
    that result's gradient}, where it is known.
    """

    def __init__(self, loss, root, names=None, depth=AUTO):
        self.order = boxes(root, depth)
        nodes = [node for box in self.order for node in box.nodes]
        named = {id(x): name for name, x in (names or {}).items()}
        self.names = parameter_names(nodes) | named
        self.likes = {root: (tuple(loss.shape), loss.dtype)}
        for node in nodes:
            pairs = zip(node.next_functions, node.likes, strict=False)
            for (end, _), like in pairs:
                if end is not None and like is not None:
                    self.likes.setdefault(end, (tuple(like[0]), like[1]))
        self.norms = {n: norm(grad_of(n)) for n in nodes if grad_of(n) is not None}
        home = {node: box for box in self.order for node in box.nodes}
        self.seen = {root}  # what other boxes point to
        for node in nodes:
            self.seen |= {end for end in ends(node) if home[end] is not home[node]}

    def title(self, box):
        """The operator's name, as a learner knows it: Mul, or x for a leaf."""
        if box.call is not None:
            return box.call.title()
        if box.leaf is not None:
            return self.names.get(id(box.leaf), "leaf")
        return box.nodes[0].name().partition("Backward")[0]

    def lines(self, box):
        """What stands in the box below its title."""
        results = [node for node in box.nodes if node in self.seen]
        shape, dtype = self.likes.get(results[0], ((), None))
        lines = [f"{list(shape)} {dtype}" if dtype is not None else ""]
        if box.call is None:
            return [line for line in [*lines, self.gradient(box)] if line]
        if len(results) > 1:
            lines[0] += f" and {len(results) - 1} more"
        size = box.size()
        return [*lines, count(size, "parameter") if size else "no parameters"]

    def gradient(self, box):
        """The length of its gradient, where it is known; of a module's parameters."""
        norms = [self.norms[node] for node in box.nodes if node in self.norms
                 and (box.call is None or hasattr(node, "variable"))]  # fmt: skip
        return f"|grad| {short(math.hypot(*norms))}" if norms else ""

    def whole_name(self, box):
        """The text for a reader who points at the box."""
        if box.call is not None:
            return f"{self.title(box)}, {count(len(box.nodes), 'node')}"
        return f"{self.title(box)}, a leaf" if box.leaf is not None else box.name()


def grad_of(node):
    """The gradient that a leaf has, or a tensor that retains it; else None."""
    if hasattr(node, "variable"):
        return node.variable.grad
    held = (node.retained or {}).get(0)
    meta = held() if held else None
    return None if meta is None else meta.grad


def norm(x):
    """The length of a tensor as a vector, in double precision, by NumPy alone."""
    try:
        data = x.storage.data
        data = data.get() if hasattr(data, "get") else np.asarray(data)
        shape, strides, offset = x._layout
        size = data.itemsize
        view = np.lib.stride_tricks.as_strided(
            data[offset:], shape, [s * size for s in strides], writeable=False
        )
        return float(np.linalg.norm(view.astype(np.float64).reshape(-1)))
    except Exception:
        return math.nan


def short(number):
    return "unknown" if math.isnan(number) else f"{number:.3g}"
