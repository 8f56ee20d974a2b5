"""numerical_jacobian: PyTorch's central differences, and gradcheck with these."""

import numpy as np
import torch
from torch.autograd.gradcheck import get_numerical_jacobian_wrt_specific_input

from grading.drivers.scenarios import FAULTS, FUNCTIONS, differences, faulty
from grading.exercise import Check, close, drive, same
from minigrad.autograd.gradcheck import numerical_jacobian

from .inputs import drawn

SHAPES = {"product": [(2, 3), (3, 2)], "quotient": [(2, 2), (2, 2)]}
JACOBIAN, INPUT = "the differences", "the input"


def cases(random):
    def of(function, *inputs, number=0, eps=1e-6):
        how = {"function": function, "inputs": inputs, "number": number, "eps": eps}
        return drive(differences, **how)

    for name in FUNCTIONS:
        shapes = SHAPES.get(name, [(2, 3)])
        for number in range(len(shapes)):
            inputs = [drawn(random, *shape) for shape in shapes]
            yield "every element", of(name, *inputs, number=number)
    for name in "cube", "tanh":
        yield "eps", of(name, drawn(random, 3), eps=0.5)
    for name in "square", "sum of exp":
        yield "no elements", of(name, drawn(random, 0, 3))
    yield "no dimensions", of("square", drawn(random))
    yield "the input as it was", of("square", drawn(random, 4) * 1e6 + 1 / 3)
    tiny = drawn(random, 4) * 1e-7
    yield "the input as it was", of("square", tiny)
    yield "the input as it was", of("square", drawn(random, 9) / 9, eps=0.5)
    for fault in random.sample([*FAULTS], len(FAULTS)):
        inputs = [drawn(random, 2, 2), drawn(random, 2, 2)]
        yield "gradcheck finds faults", drive(faulty, inputs=inputs, fault=fault)


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
    _, inputs, number, _ = case.options.values()
    still = np.array_equal(result[INPUT], inputs[number])
    return {"the input is as it was": still, JACOBIAN: result[JACOBIAN]}


def compare(got, expected, case=None):
    """Rounding makes of differences what it makes of values, divided by eps."""
    if not isinstance(expected, dict):  # a part of a result
        return close(rtol=1e-6)(got, expected)
    if case.driver is faulty:
        return same(got, expected)
    (still, mine), (was_still, theirs) = got.values(), expected.values()
    double = theirs.dtype == np.float64  # else a mistake's, in float32
    if still != was_still or mine.shape != theirs.shape:
        return False
    if double and mine.dtype != np.float64:
        return False
    function, inputs, _, eps = case.options.values()
    result = FUNCTIONS[function](*map(torch.tensor, inputs))
    size = result.abs().max().item() if result.numel() else 0
    size += abs(theirs).max(initial=0) * max(abs(x).max(initial=1) for x in inputs)
    return np.allclose(mine, theirs, 1e-8 if double else 1e-6, 8e-16 * size / eps)


def diagnose(got, expected, case):
    if not isinstance(got, dict) or JACOBIAN not in got:
        return None
    shape, right = np.shape(got[JACOBIAN]), expected[JACOBIAN].shape
    if shape == right:
        return None
    return "other_shape", (
        f"The shape is {shape} instead of {right}. It needs a row for each element "
        "of the input, and a column for each element of the result."
    )


check = Check(
    numerical_jacobian,
    cases=cases,
    reference=reference,
    compare=compare,
    observe=observe,
    diagnose=diagnose,
    not_tested="float32 and inputs that are not contiguous, as in the contract",
)
