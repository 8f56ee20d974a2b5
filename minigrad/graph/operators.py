"""What types of operations compute, and their gradients, which are operations, too."""

from ..autograd.adjoints import sum_to_size
from ..creation import ones_like
from ..exercises.registry import exercise
from .operation import op

KERNELS = {  # type -> a function of tensors
    "Add": lambda a, b: a + b,
    "Sub": lambda a, b: a - b,
    "Mul": lambda a, b: a * b,
    "Div": lambda a, b: a / b,
    "Neg": lambda a: -a,
    "MatMul": lambda a, b: a @ b,
    "Transpose": lambda a: a.T,
    "Exp": lambda a: a.exp(),
    "Tanh": lambda a: a.tanh(),
    "Relu": lambda a: a.relu(),
    "Sum": lambda a: a.sum(),
    "Step": lambda a: (a > 0).to(a.dtype),
    "OnesLike": ones_like,
    "SumLike": lambda a, b: sum_to_size(a, b.shape),  # undoes broadcasting
    "Select": lambda p, a, b: a if bool(p) else b,
}
GRADIENTS = {}  # type -> a function (operation, dy) that returns one for each input


def exp(x):
    return op("Exp", x)


def tanh(x):
    return op("Tanh", x)


def relu(x):
    return op("Relu", x)


def reduce_sum(x):
    return op("Sum", x)


def transpose(x):
    return op("Transpose", x)


def cond(p, a, b):
    """a where p is true at the run, else b."""
    return op("Select", p, a, b)


def RegisterGradient(type):  # noqa: A002, N802
    """Say that the function below makes the gradients of a type of operations."""

    def register(function):
        GRADIENTS[type] = function
        return function

    return register


def broadcast_gradient(type, left, right):  # noqa: A002
    """The gradients of an operator that broadcasts its two inputs."""

    @RegisterGradient(type)
    def _(operation, dy):
        a, b = operation.inputs
        return op("SumLike", left(dy, a, b), a), op("SumLike", right(dy, a, b), b)


broadcast_gradient("Add", lambda dy, a, b: dy, lambda dy, a, b: dy)
broadcast_gradient("Sub", lambda dy, a, b: dy, lambda dy, a, b: -dy)
broadcast_gradient("Mul", lambda dy, a, b: dy * b, lambda dy, a, b: dy * a)
broadcast_gradient("Div", lambda dy, a, b: dy / b, lambda dy, a, b: -dy * a / (b * b))
RegisterGradient("Neg")(lambda o, dy: (-dy,))
RegisterGradient("MatMul")(
    lambda o, dy: (dy @ transpose(o.inputs[1]), transpose(o.inputs[0]) @ dy)
)
RegisterGradient("Transpose")(lambda o, dy: (transpose(dy),))
RegisterGradient("Exp")(lambda o, dy: (dy * o,))
RegisterGradient("Tanh")(lambda o, dy: (dy * (1.0 - o * o),))
RegisterGradient("Relu")(lambda o, dy: (dy * op("Step", o),))
RegisterGradient("OnesLike")(lambda o, dy: (None,))
RegisterGradient("SumLike")(lambda o, dy: (dy * op("OnesLike", o.inputs[0]), None))
RegisterGradient("Sum")(lambda o, dy: (dy * op("OnesLike", o.inputs[0]),))


@exercise("12.4", points=3, stars=3, minutes=30)
def gradients(y, xs, grad_of):
    """The gradients of y by each of xs, as new operations: a list, None where y does
    not depend on it.

    y: an operation whose value is one number, or is to be summed. xs: operations.
    grad_of(operation, dy) makes the operations that compute the gradients of the
    inputs of an operation, of the one of its result: a tuple, one for each of its
    inputs, None where nothing goes. That of y itself is op("OnesLike", y).

    Nothing is computed here; more operations are defined. Each operation that lies
    between xs and y is asked once, when its whole gradient is there: where it is used
    several times, the parts are added up, with +. Operations that do not depend on any
    of xs are not asked at all: a graph may hold some that have no gradient. An x may be
    used by another x, or be y. The same x given twice gets the same answer twice.
    """


def gradient_of(operation, dy):
    """What `gradients` asks: the function that is registered for a type."""
    if operation.type not in GRADIENTS:
        raise LookupError(
            f"no gradient is registered for {operation.type}: write a function of "
            f'(operation, dy) below @RegisterGradient("{operation.type}")'
        )
    return GRADIENTS[operation.type](operation, dy)
