"""bias_gelu_cpu: gelu(x + bias) on the CPU, in C++: memory of ATen, and a loop."""

import functools

import numpy as np
import torch

from grading.checking.built_judgment import operands
from grading.exercise import Check, Problem, call
from minigrad.kernels.bindings import bias_gelu_cpu

from .bias_kernels import odd

UNIT = {"float16": 2.0**-11, "float32": 2.0**-24, "float64": 2.0**-53}
gelu = torch.nn.functional.gelu


def cases(random):
    draw = np.random.default_rng(random.getrandbits(64))

    def of(dtype, *shape):
        x, bias = (2 * draw.standard_normal(s) for s in (shape, shape[-1:]))
        return inputs(x, bias, dtype)

    for dtype in UNIT:
        part = "float" if dtype == "float32" else f"{dtype}, by itself"
        for shape in ((4, 3), (7, 11), (40, 33)):
            yield part, of(dtype, *shape)
    for shape in ((5,), (2, 3, 4), (2, 1, 3, 2), (1, 9), (9, 1)):
        yield "any dimensions", of("float32", *shape)
    for shape in ((0, 3), (0,), (3, 0)):
        yield "no elements", of("float32", *shape)
    x, bias = odd(random)
    yield "NaN, infinity, far out", inputs(x.reshape(-1, bias.size), bias, "float32")


def inputs(x, bias, dtype):
    return call({"values": x, "dtype": dtype}, {"values": bias, "dtype": dtype})


def reference(x, bias, function=lambda x, bias: gelu(x + bias)):
    tensors = (torch.tensor(t["values"]).to(getattr(torch, t["dtype"])).double()
              for t in (x, bias))  # fmt: skip
    return {"dtype": x["dtype"], "values": function(*tensors).numpy(), "new": True}


def model(function):
    return functools.partial(reference, function=function)


def compare(got, expected, case=None):
    if isinstance(expected, np.ndarray | float):  # of which the first wrong is shown
        return np.allclose(got, expected, 2e-3, 2e-6, equal_nan=True)
    if not isinstance(expected, dict):
        return got == expected
    facts = "dtype", "new"
    return all(got[f] == expected[f] for f in facts) and near(got, expected, 1)


def near(got, expected, more):
    mine, theirs, dtype = got["values"], expected["values"], expected["dtype"]
    small = 16 * 2.0**-24 if dtype == "float16" else 16 * UNIT[dtype]
    close = 1.05 * more * max(UNIT[dtype], small / 4), more * small
    return mine.shape == theirs.shape and np.allclose(
        mine, theirs, *close, equal_nan=True
    )


def diagnose(got, expected, case):
    if "not implemented for" in getattr(got, "message", ""):
        return "no_half", (
            "The dispatch has no such dtype. Use AT_DISPATCH_FLOATING_TYPES_AND_HALF, "
            "which has three."
        )
    if isinstance(got, Problem):
        return None
    if not isinstance(got, dict):
        return "no_tensor", "The function doesn't return a tensor. Return y."
    if got["dtype"] != expected["dtype"]:
        return "dtype", (
            f"The result is {got['dtype']}, but x is {expected['dtype']}. Allocate it "
            "with `at::empty_like(x)`."
        )
    if got["values"].shape != expected["values"].shape:
        return "shape", "The result's shape isn't that of x. Use `at::empty_like(x)`."
    if not got["new"]:
        return "in_place", (
            "The result shares the memory of an input. Allocate a new tensor with "
            "`at::empty_like(x)`."
        )
    if by_row(got, case):
        return "row", (
            "The bias is selected by row. It has an element for each column, so use "
            "`i % N`."
        )
    if near(got, expected, 2.0**32 if got["dtype"] == "float64" else 2.0**10):
        return "precision", (
            "Only the first digits are correct. Compute everything in "
            "`at::opmath_type<scalar_t>`, also the sum, and round once."
        )
    return None


def by_row(got, case):
    """Does row r have bias[r]? There may be more rows than elements of bias."""
    x, bias = (torch.tensor(t["values"]) for t in case.args[:2])
    rows = x.reshape(-1, len(bias))[: len(bias)]
    expected = gelu(rows + bias[: len(rows), None]).numpy()
    found = got["values"].reshape(-1, len(bias))[: len(bias)]
    return min(rows.shape) > 1 and np.allclose(found, expected, 2e-2, 2e-2)


check = Check(
    bias_gelu_cpu,
    cases=cases,
    reference=reference,
    compare=compare,
    describe=operands,
    diagnose=diagnose,
    models={
        "no_bias": model(lambda x, bias: gelu(x)),
        "tanh": model(lambda x, bias: gelu(x + bias, approximate="tanh")),
        "root": model(lambda x, bias: (x + bias) * (1 + torch.erf(x + bias)) / 2),
        "first_row": model(lambda x, bias: gelu(x + bias[:1])),
        "tail": model(lambda x, bias: torch.where(x + bias < -40, 0.0, gelu(x + bias))),
        "bias_outside": model(lambda x, bias: gelu(x) + bias),
    },
    not_tested="bfloat16, not in the contract, and what check_bias_gelu refuses",
)
