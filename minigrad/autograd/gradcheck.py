"""gradcheck: is a gradient right? Compared with differences, element by element."""

import numpy as np

from ..exercises.registry import exercise
from .engine import grad


class GradcheckError(RuntimeError):
    """A gradient that differs from what differences say."""


@exercise(points=4, stars=3, minutes=30, level="good to know")
def numerical_jacobian(function, inputs, number, eps=1e-6):
    """Return the transposed Jacobian for one input, by central differences.

    function: `function(*inputs)` returns a tensor of float64, which may be a view of an
        input. It raises no error, and you may call it any number of times.
    inputs: a list of tensors, all different.
    number: which input to change. inputs[number] is contiguous and has dtype float64.
        It may have no dimensions or no elements.
    eps: a float > 0.

    Returns a float64 array of NumPy with a row for each element of the input and a
    column for each element of the result, both in row-major order. In row i, eps is
    added to and subtracted from element i only:

    (f(x + eps) - f(x - eps)) / (2 eps)

    Afterward, the input must have its old values again, bit for bit.

    You can use flat = x.detach().view(-1), which shares x's memory, and then
    flat[i] = value. y.detach().cpu().numpy() gives you the result as an array. You can
    also use no_grad(), because nothing needs to be recorded.
    """


def gradcheck(func, inputs, eps=1e-6, atol=1e-5, rtol=1e-3, raise_exception=True):
    """True if backward() of func agrees with central differences at these inputs.

    func: takes the inputs, returns a tensor or a tuple of tensors. inputs: a tensor or
    a tuple; those that require a gradient are checked, at every element. They must be
    float64: in float32 differences are mostly rounding.
    Raises GradcheckError (or returns False) where a gradient is off by more than
    atol + rtol * |difference|, and names the place.
    """
    inputs = (inputs,) if hasattr(inputs, "storage") else tuple(inputs)
    wanted = [i for i, x in enumerate(inputs) if getattr(x, "requires_grad", False)]
    if not wanted:
        raise ValueError(
            "gradcheck expects at least one input tensor to require gradient, but none "
            "of them have requires_grad=True."
        )
    for i in wanted:
        check_input(inputs[i], i)
    problem = first_problem(func, inputs, wanted, eps, atol, rtol)
    if problem and raise_exception:
        raise GradcheckError(problem)
    return not problem


def check_input(x, number):
    if x.dtype != np.float64:
        raise ValueError(
            f"gradcheck: input {number} is {x.dtype}. Differences need float64: "
            "x.double()"
        )
    if not x.is_contiguous() or not x.is_leaf:
        raise ValueError(
            f"gradcheck: input {number} must be a contiguous leaf: make it by "
            "tensor(), with requires_grad=True, and let the function make views of it"
        )


def first_problem(func, inputs, wanted, eps, atol, rtol):
    """What is wrong first, in words, or None."""
    outputs = results(func, inputs)
    lost = not any(y.requires_grad for y in outputs)  # then all must be constant
    for output in range(len(outputs)):

        def function(*inputs, output=output):
            return results(func, inputs)[output]

        y = function(*inputs)
        if y.requires_grad:
            by_backward = analytical_jacobians(function, inputs, wanted)
        elif lost and y.dtype.kind == "f":
            by_backward = [np.zeros((inputs[i].numel(), y.numel())) for i in wanted]
        else:
            continue
        for i, mine in zip(wanted, by_backward, strict=True):
            theirs = numerical_jacobian(function, list(inputs), i, eps)
            with np.errstate(all="ignore"):
                off = ~(np.abs(mine - theirs) <= atol + rtol * np.abs(theirs))
            if off.any():
                return in_words(output, i, mine, theirs, off)
    return None


def results(func, inputs):
    outputs = func(*inputs)
    outputs = outputs if isinstance(outputs, tuple | list) else (outputs,)
    for y in outputs:
        if not hasattr(y, "storage"):
            raise ValueError(
                "gradcheck expects the function to return a tensor, or several, not "
                f"{type(y).__name__}"
            )
    return outputs


def analytical_jacobians(function, inputs, wanted):
    """For each of the inputs the same array as numerical_jacobian's, by backward."""
    y = function(*inputs)
    n = y.numel()
    arrays = [np.zeros((inputs[i].numel(), n)) for i in wanted]
    for column in range(n):
        seed = np.zeros(n)
        seed[column] = 1
        seed = y.new_tensor(seed.reshape(y.shape))
        tensors = [inputs[i] for i in wanted]
        gradients = grad(y, tensors, seed, retain_graph=True, allow_unused=True)
        for array, g in zip(arrays, gradients, strict=True):
            if g is not None:
                array[:, column] = np.array(g.detach().cpu().numpy()).reshape(-1)
    return arrays


def in_words(output, number, mine, theirs, off):
    element, result = (int(i) for i in np.argwhere(off)[0])
    return (
        f"Jacobian mismatch for output {output} with respect to input {number}, in "
        f"{int(off.sum())} of {off.size} places. The first: d result[{result}] / d "
        f"input[{element}] is {mine[element, result]:.6g} by backward and "
        f"{theirs[element, result]:.6g} by differences (places counted row by row)."
    )
