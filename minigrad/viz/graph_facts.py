"""What is known of the nodes of a graph: operator, result, gradient."""

import math

import numpy as np

from .graph_layout import nodes_in_order

MOST = 2000  # nodes through which gradients are sent for the picture


class Facts:
    """The nodes below a tensor, in the order of backward, and what they compute.

    likes: {node: (shape, dtype) of its operator's result}. norms: {node: the length of
    that result's gradient}, where it is known.
    """

    def __init__(self, loss, root, names=None):
        self.names = {id(x): name for name, x in (names or {}).items()}
        self.order = nodes_in_order(root)
        self.likes = {root: (tuple(loss.shape), loss.dtype)}
        for node in self.order:
            pairs = zip(node.next_functions, node.likes, strict=False)
            for (end, _), like in pairs:
                if end is not None and like is not None:
                    self.likes.setdefault(end, (tuple(like[0]), like[1]))
        self.norms = {n: norm(grad_of(n)) for n in self.order if grad_of(n) is not None}

    def title(self, node):
        """The operator's name, as a learner knows it: Mul, or x for a leaf."""
        if is_leaf(node):
            return self.names.get(id(node.variable), "leaf")
        return node.name().partition("Backward")[0]

    def lines(self, node):
        """What stands in the node's box below its name."""
        shape, dtype = self.likes.get(node, ((), None))
        said = [f"{list(shape)} {dtype}" if dtype is not None else ""]
        if node in self.norms:
            said.append(f"|grad| {short(self.norms[node])}")
        return [line for line in said if line]


def is_leaf(node):
    return hasattr(node, "variable")


def grad_of(node):
    """The gradient that a leaf has, or a tensor that retains it; else None."""
    if is_leaf(node):
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
