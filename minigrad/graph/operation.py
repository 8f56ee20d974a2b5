"""Operations, and the graph that they are defined in."""

import contextlib
import itertools

from ..creation import tensor
from ..tensor import Tensor


class Operation:
    """A node: what is to be done (type) with which others (inputs).

    value: of a constant, its tensor; of a variable, its first one.
    """

    def __init__(self, graph, type, inputs, value=None, name=None):  # noqa: A002
        self.graph, self.type, self.inputs = graph, type, tuple(inputs)
        self.value, self.name = value, name or graph.unique_name(type)
        graph.operations.append(self)

    def __add__(self, other):
        return op("Add", self, other)

    def __sub__(self, other):
        return op("Sub", self, other)

    def __mul__(self, other):
        return op("Mul", self, other)

    def __truediv__(self, other):
        return op("Div", self, other)

    def __matmul__(self, other):
        return op("MatMul", self, other)

    def __neg__(self):
        return op("Neg", self)

    def __radd__(self, other):
        return op("Add", other, self)

    def __rsub__(self, other):
        return op("Sub", other, self)

    def __rmul__(self, other):
        return op("Mul", other, self)

    def __bool__(self):
        raise TypeError(
            f"using {self.name} as a Python bool is not allowed: it has no value while "
            "the graph is defined. cond(p, a, b) makes a choice at each run"
        )

    def __repr__(self):
        inputs = ", ".join(i.name for i in self.inputs)
        return f"{self.name} = {self.type}({inputs})"


class Graph:
    """Operations, in the order in which they were defined."""

    def __init__(self):
        self.operations, self.counts = [], itertools.count()

    @contextlib.contextmanager
    def as_default(self):
        """While this is open, operations go into this graph."""
        _defaults.append(self)
        try:
            yield self
        finally:
            _defaults.remove(self)

    def unique_name(self, type):  # noqa: A002
        names = {o.name for o in self.operations}
        tries = (f"{type.lower()}{i or ''}" for i in itertools.count())
        return next(name for name in tries if name not in names)

    def __str__(self):
        return "\n".join(map(repr, self.operations))

    __repr__ = __str__


_defaults = [Graph()]


def default_graph():
    """The graph that new operations go into."""
    return _defaults[-1]


def op(type, *inputs, value=None, name=None):  # noqa: A002
    """A new operation in the default graph; numbers and tensors become constants."""
    graph = _defaults[-1]
    inputs = [i if isinstance(i, Operation) else constant(i) for i in inputs]
    for i in inputs:
        if i.graph is not graph:
            raise ValueError(f"{i.name} is of another graph than the one that is open")
    return Operation(graph, type, inputs, value, name)


def placeholder(name=None):
    """An input: its value is given at each run, by feed_dict."""
    return op("Placeholder", name=name)


def constant(value, name=None):
    """A value that is part of the graph."""
    return op("Const", value=as_tensor(value), name=name)


def Variable(initial_value, name=None):  # noqa: N802
    """A value that a session keeps from run to run."""
    return op("Variable", value=as_tensor(initial_value), name=name)


def assign(variable, value):
    """Give a variable another value, at each run of this operation."""
    return op("Assign", variable, value)


def as_tensor(value):
    return value if isinstance(value, Tensor) else tensor(value)
