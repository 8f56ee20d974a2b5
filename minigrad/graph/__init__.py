"""A small TensorFlow 1: first define a graph, then run it.

    with Graph().as_default() as graph:
        x = placeholder("x")
        y = (x * x + constant(1.0)) * constant(2.0)
    Session(graph).run(y, feed_dict={x: 3.0})

Nothing is computed while the graph is defined: `x * x` makes an Operation, and returns
it. Names are TensorFlow's; where TensorFlow tells an operation from the tensor that it
makes, here one object is both.
"""

from .operation import Graph, Operation, Variable, assign, constant, placeholder
from .operators import (
    KERNELS,
    RegisterGradient,
    cond,
    exp,
    gradient_of,
    gradients,
    op,
    reduce_sum,
    relu,
    tanh,
    transpose,
)
from .session import STATEFUL, Session, execution_order, fold_constants, pruned

__all__ = [
    "KERNELS",
    "STATEFUL",
    "Graph",
    "Operation",
    "RegisterGradient",
    "Session",
    "Variable",
    "assign",
    "cond",
    "constant",
    "execution_order",
    "exp",
    "fold_constants",
    "gradient_of",
    "gradients",
    "op",
    "placeholder",
    "pruned",
    "reduce_sum",
    "relu",
    "tanh",
    "transpose",
]
