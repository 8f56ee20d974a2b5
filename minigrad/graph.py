"""A small TensorFlow 1: first define a graph, then run it.

    with Graph().as_default() as graph:
        x = placeholder("x")
        y = (x * x + constant(1.0)) * constant(2.0)
    Session(graph).run(y, feed_dict={x: 3.0})

Nothing is computed while the graph is defined: `x * x` makes an Operation, and returns
it. Names are TensorFlow's; where TensorFlow tells an operation from the tensor that it
makes, here one object is both.
"""

import contextlib
import operator

from .autograd.adjoints import sum_to_size
from .creation import ones_like, tensor
from .exercises.registry import exercise
from .jit.passes import common_subexpressions
from .tensor import Tensor

STATEFUL = "Placeholder", "Variable", "Assign", "RandomNormal"  # not the same each time

# ------------------------------------------------- define


def binary(type):  # noqa: A002
    """a + b and b + a, say, where a is an operation."""
    return lambda a, b: op(type, a, b), lambda a, b: op(type, b, a)


class Operation:
    """A node: what is to be done (type) with which others (inputs).

    value: of a constant, its tensor; of a variable, its first one. op, target, args and
    kwargs say the same as they do of a node of minigrad.jit.
    """

    def __init__(self, graph, type, inputs, value=None, name=None):  # noqa: A002
        self.graph, self.type, self.inputs = graph, type, tuple(inputs)
        self.value = value
        self.name = name or f"{type.lower()}{len(graph.operations)}"
        self.op = "placeholder" if type in STATEFUL else "call_function"
        self.target, self.args = self.type, self.inputs
        self.kwargs = {"value": known(value)} if type == "Const" else {}
        graph.operations.append(self)

    __add__, __radd__ = binary("Add")
    __sub__, __rsub__ = binary("Sub")
    __mul__, __rmul__ = binary("Mul")
    __truediv__, __rtruediv__ = binary("Div")
    __matmul__, __rmatmul__ = binary("MatMul")

    def __neg__(self):
        return op("Neg", self)

    def __bool__(self):
        raise TypeError(
            f"using {self.name} as a Python bool is not allowed: it has no value while "
            "the graph is defined. cond(p, a, b) makes a choice at each run"
        )

    def __repr__(self):
        return f"{self.name} = {self.type}({', '.join(i.name for i in self.inputs)})"


class Graph:
    """Operations, in the order in which they were defined."""

    def __init__(self):
        self.operations = []

    @contextlib.contextmanager
    def as_default(self):
        """While this is open, operations go into this graph."""
        _defaults.append(self)
        try:
            yield self
        finally:
            _defaults.remove(self)

    def __repr__(self):
        return "\n".join(map(repr, self.operations))


_defaults = [Graph()]


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


def cond(p, a, b):
    """a where p is true at the run, else b."""
    return op("Select", p, a, b)


def unary(type):  # noqa: A002
    return lambda x: op(type, x)


exp, tanh, relu = unary("Exp"), unary("Tanh"), unary("Relu")
reduce_sum, transpose = unary("Sum"), unary("Transpose")


def as_tensor(value):
    return value if isinstance(value, Tensor) else tensor(value)


def known(value):
    """A constant's value, by which an equal one is found."""
    small = value.numel() <= 16 and value.device == "cpu"
    return (str(value.dtype), value.tolist()) if small else id(value)


# ------------------------------------------------- what types compute, and gradients

KERNELS = {  # type -> a function of tensors
    "Add": operator.add, "Sub": operator.sub, "Mul": operator.mul,
    "Div": operator.truediv, "MatMul": operator.matmul, "Neg": operator.neg,
    "Transpose": lambda a: a.T, "Sum": Tensor.sum, "Exp": Tensor.exp,
    "Tanh": Tensor.tanh, "Relu": Tensor.relu, "OnesLike": ones_like,
    "Step": lambda a: (a > 0).to(a.dtype),
    "SumLike": lambda a, b: sum_to_size(a, b.shape),  # undoes broadcasting
    "Select": lambda p, a, b: a if bool(p) else b,
}  # fmt: skip
GRADIENTS = {}  # type -> a function (operation, dy) that returns one for each input


def RegisterGradient(type):  # noqa: A002, N802
    """Say that the function below makes the gradients of a type of operations."""

    def register(function):
        GRADIENTS[type] = function
        return function

    return register


def broadcast(type, left, right):  # noqa: A002
    """The gradients of an operator that broadcasts its two inputs."""

    @RegisterGradient(type)
    def _(operation, dy):
        a, b = operation.inputs
        return op("SumLike", left(dy, a, b), a), op("SumLike", right(dy, a, b), b)


broadcast("Add", lambda dy, a, b: dy, lambda dy, a, b: dy)
broadcast("Sub", lambda dy, a, b: dy, lambda dy, a, b: -dy)
broadcast("Mul", lambda dy, a, b: dy * b, lambda dy, a, b: dy * a)
broadcast("Div", lambda dy, a, b: dy / b, lambda dy, a, b: -dy * a / (b * b))
RegisterGradient("MatMul")(
    lambda y, dy: (dy @ transpose(y.inputs[1]), transpose(y.inputs[0]) @ dy)
)
RegisterGradient("Neg")(lambda y, dy: (-dy,))
RegisterGradient("Transpose")(lambda y, dy: (transpose(dy),))
RegisterGradient("Exp")(lambda y, dy: (dy * y,))
RegisterGradient("Tanh")(lambda y, dy: (dy * (1.0 - y * y),))
RegisterGradient("Relu")(lambda y, dy: (dy * op("Step", y),))
RegisterGradient("Sum")(lambda y, dy: (dy * op("OnesLike", y.inputs[0]),))
RegisterGradient("SumLike")(lambda y, dy: (dy * op("OnesLike", y.inputs[0]), None))
RegisterGradient("OnesLike")(lambda y, dy: (None,))


def gradient_of(operation, dy):
    """What `gradients` asks: the function that is registered for a type."""
    if operation.type not in GRADIENTS:
        raise LookupError(
            f"no gradient is registered for {operation.type}: write a function of "
            f'(operation, dy) below @RegisterGradient("{operation.type}")'
        )
    return GRADIENTS[operation.type](operation, dy)


@exercise(points=3, stars=3, minutes=30, level="good to know")
def gradients(y, xs, grad_of):
    """Return the gradients of y with respect to each of the xs, as new operations.

    The result is a list. For each x, it contains an operation, or None if y doesn't
    depend on that x. Nothing is computed, because the gradients are only defined, and
    you may define more than you need. If y has several elements, the gradient is that
    of their sum.

    y: an operation. Its own gradient must be graph.op("OnesLike", y), because y * 0 + 1
        would be nan if y is infinite.
    xs: a list of operations, perhaps empty. They may have inputs of their own, depend
        on each other, be y, or occur twice.
    grad_of(operation, dy): dy is the gradient of the operation's result. It returns a
        tuple with the gradient of each input, or None for an input that gets none.

    Call grad_of exactly once, when dy is complete, for each operation that meets two
    conditions: it's y or needed for y, and an input of it is an x or depends on an x.
    Don't call it for others, because they may have no gradient. If an operation is used
    several times, add the parts of its gradient with +, even if two parts are the same
    object. If an operation gets only None, it has no gradient, so don't call grad_of
    for it, and return None if it's one of the xs.
    """


# ------------------------------------------------- run


@exercise(points=2, stars=2, minutes=20, level="good to know")
def execution_order(fetches):
    """Return all operations that the fetches depend on, each after all of its inputs.

    The fetches themselves are among them. The result is a list that contains each of
    these operations once, and no others. Any order that puts inputs first will do.

    fetches: a list of operations, perhaps empty. It may contain an operation twice.
    operation.inputs: a tuple of the operations that it uses, perhaps one of them
        twice. Nothing leads from an operation to those that use it.

    Graphs are up to 10,000 operations deep, so the function mustn't call itself. There
    may be billions of paths to an operation, so follow each operation's inputs once.
    """


@exercise(points=2, stars=2, minutes=15, level="good to know")
def pruned(order, fetches, fed):
    """Return those operations of `order` that a run must compute, in the given order.

    The result is a list. A run has to compute the fetches and everything they need,
    with two exceptions. It computes neither what's fed, even if it's a fetch, nor what
    only fed operations need.

    order: a list, as execution_order(fetches) returns it.
    fetches: a list of operations. It may contain an operation twice.
    fed: a set of operations, of any type. Some of them might not be needed at all.
    operation.inputs: a tuple of operations.
    operation.type, operation.name: strings.

    Raises ValueError for an operation of type "Placeholder" that the run would have to
    compute, because its value isn't fed. The message must contain its name. If there
    are several, any of them will do.
    """


@exercise(points=2, stars=1, minutes=15, level="good to know")
def fold_constants(order, kernels, stateful):
    """Return {operation: value} for all operations that are the same in every run.

    An operation of type "Const" is constant, and its value is operation.value. Any
    other operation is constant if it has inputs, all of them are constant, and its type
    isn't in `stateful`. Then its value is kernels[operation.type](*values of its
    inputs), in the order of the inputs. This kernel must be called once, and no other
    kernel may be called. Read operation.value only if the type is "Const".

    order: a list of operations, each after its inputs.
    kernels: {type: a function}. A type may be missing if no such operation is constant.
    stateful: a tuple of types, without "Const".

    A value may be anything, for example None, 0, or an array.
    """


class Session:
    """Runs a graph, and keeps the values of its variables."""

    def __init__(self, graph=None):
        self.graph, self.variables, self.plans = graph or _defaults[-1], {}, {}

    def run(self, fetches, feed_dict=None):
        """The values of the fetches, an operation or a list of them.

        feed_dict: {operation: value}. The first run with such fetches and feeds plans
        what is to be done; further ones do it.
        """
        wanted = [*fetches] if isinstance(fetches, list | tuple) else [fetches]
        feeds = {o: as_tensor(v) for o, v in (feed_dict or {}).items()}
        key = tuple(wanted), tuple(feeds)
        if key not in self.plans:
            self.plans[key] = self.plan(wanted, feeds)
        steps, values, twins = self.plans[key]
        values = {**values, **feeds}
        for operation in steps:
            inputs = [values[twins.get(i, i)] for i in operation.inputs]
            if operation.type == "Assign":
                self.variables[operation.inputs[0]] = values[operation] = inputs[1]
            elif operation.type == "Variable":
                values[operation] = self.variables.get(operation, operation.value)
            else:
                values[operation] = KERNELS[operation.type](*inputs)
        results = [values[twins.get(o, o)] for o in wanted]
        return results if isinstance(fetches, list | tuple) else results[0]

    def plan(self, wanted, feeds):
        """(what is computed, in order; values that are known; {operation: its twin})"""
        order = pruned(execution_order(wanted), wanted, set(feeds))
        twins = common_subexpressions(order)
        order = [o for o in order if o not in twins]
        values = fold_constants(order, KERNELS, STATEFUL)
        return [o for o in order if o not in values], values, twins
