"""numerical_jacobian: PyTorch's central differences, and gradcheck with these."""

import numpy as np
import torch
from torch.autograd.gradcheck import get_numerical_jacobian_wrt_specific_input

from grading.checking.check import Check, drive
from grading.checking.compare import close, same
from grading.drivers.scenarios import FAULTS, FUNCTIONS, differences, faulty
from minigrad.autograd.gradcheck import numerical_jacobian

from .inputs import drawn

SHAPES = {"product": [(2, 3), (3, 2)], "quotient": [(2, 2), (2, 2)]}
JACOBIAN, INPUT = "the differences", "the input"


def cases(random):
    def of(name, *values, number=0, eps=1e-6):
        return drive(differences, name, values, number, eps)

    for name in FUNCTIONS:
        shapes = SHAPES.get(name, [(2, 3)])
        for number in range(len(shapes)):
            values = [drawn(random, *shape) for shape in shapes]
            yield "every element", of(name, *values, number=number)
    for name in "cube", "tanh":
        yield "eps", of(name, drawn(random, 3), eps=0.5)
    for name in "square", "sum of exp":
        yield "no elements", of(name, drawn(random, 0, 3))
    yield "no dimensions", of("square", drawn(random))
    yield "the input as it was", of("square", drawn(random, 4) * 1e6 + 1 / 3)
    for fault in random.sample([*FAULTS], len(FAULTS)):
        values = [drawn(random, 2, 2), drawn(random, 2, 2)]
        yield "gradcheck finds faults", drive(faulty, values, fault)


def reference(function, inputs, number, eps):
    inputs[number].requires_grad_()
    outputs = (function(*inputs),)
    jacobians = get_numerical_jacobian_wrt_specific_input(
        function, number, inputs, outputs, eps
    )
    return jacobians[0].numpy()


def observe(result, case):
    if case.driver is faulty:
        return result
    _, values, number, _ = case.args
    still = np.array_equal(result[INPUT], values[number])
    return {"the input is as it was": still, JACOBIAN: result[JACOBIAN]}


def compare(got, expected, case=None):
    """Rounding makes of differences what it makes of values, divided by eps."""
    if not isinstance(expected, dict):  # a part of a result
        return close(rtol=1e-6)(got, expected)
    if case.driver is faulty or got.keys() != expected.keys():
        return same(got, expected)
    (still, mine), (was_still, theirs) = got.values(), expected.values()
    double = theirs.dtype == np.float64  # else a mistake's, in float32
    if still != was_still or mine.shape != theirs.shape:
        return False
    if double and mine.dtype != np.float64:
        return False
    name, values, _, eps = case.args
    result = FUNCTIONS[name](*(torch.tensor(v) for v in values))
    size = result.abs().max().item() if result.numel() else 0
    size += abs(theirs).max(initial=0) * max(abs(v).max(initial=1) for v in values)
    return np.allclose(mine, theirs, 1e-8 if double else 1e-6, 8e-16 * size / eps)


def describe(exercise, case):
    if case.driver is faulty:
        return f"gradcheck of a * b, whose backward has this fault: {case.args[1]}"
    name, values, number, eps = case.args
    shapes = ", ".join(str(v.shape) for v in values)
    inputs = f"inputs of shape {shapes}, number={number}, eps={eps}"
    return f"numerical_jacobian of {name}, {inputs}"


def diagnose(got, expected, case):
    pair = [
        v[JACOBIAN] for v in (got, expected) if isinstance(v, dict) and JACOBIAN in v
    ]
    shapes = [np.shape(jacobian) for jacobian in pair]
    if len({*shapes}) < 2:
        return None
    return "other_shape", (
        f"the shape is {shapes[0]}, and {shapes[1]} is expected: a row for each "
        "element of the input, with all elements of the result side by side in it"
    )


check = Check(
    numerical_jacobian,
    cases=cases,
    reference=reference,
    compare=compare,
    observe=observe,
    describe=describe,
    diagnose=diagnose,
    not_tested="float32 and inputs that are not contiguous, as in the contract",
)
