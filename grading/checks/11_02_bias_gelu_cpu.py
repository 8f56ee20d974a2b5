"""gelu(x + bias) on the CPU, in C++: memory of ATen, and a loop."""

import numpy as np
import torch

from grading.exercise import Model, Problem, checks, models
from minigrad.kernels.bindings import bias_gelu_cpu

from .built import BuiltCheck

UNIT = {"float16": 2.0**-11, "float32": 2.0**-24, "float64": 2.0**-53}


@checks(bias_gelu_cpu)
class BiasGeluCpu(BuiltCheck):
    """Leaves out bfloat16, not in the contract, and what check_bias_gelu refuses."""

    operands = "x", "bias"

    def cases(self, random):
        draw = np.random.default_rng(random.getrandbits(64))

        def both(dtype, *shape):
            x, bias = (2 * draw.standard_normal(s) for s in (shape, shape[-1:]))
            return [{"values": v, "dtype": dtype} for v in (x, bias)]

        for dtype in UNIT:
            part = "float" if dtype == "float32" else f"{dtype}, by itself"
            for shape in ((4, 3), (7, 11), (40, 33)):
                yield part, *both(dtype, *shape)
        for shape in ((5,), (2, 3, 4), (2, 1, 3, 2), (1, 9), (9, 1)):
            yield "any dimensions", *both("float32", *shape)
        for shape in ((0, 3), (0,), (3, 0)):
            yield "no elements", *both("float32", *shape)
        odd = np.array([[np.inf, np.nan, 0.0], [60.0, -60.0, 1e-3]])
        x, bias = ({"values": v, "dtype": "float32"} for v in (odd, np.zeros(3)))
        yield "NaN, infinity, far out", x, bias

    def expected(self, x, bias):
        return self.of(torch.nn.functional.gelu, x, bias)

    def of(self, function, x, bias, places=None):
        a, b = (
            torch.tensor(v["values"]).to(getattr(torch, v["dtype"])) for v in (x, bias)
        )
        u = a.double() + (
            b.double() if places is None else places(a.double(), b.double())
        )
        return {"dtype": x["dtype"], "values": function(u).numpy(), "new": True}

    def same(self, got, expected, x, bias):
        if not isinstance(got, dict) or got["dtype"] != expected["dtype"]:
            return False
        return got["new"] and self.near(got, expected, 1)

    def near(self, got, expected, more):
        mine, theirs = got["values"], expected["values"]
        if mine.shape != theirs.shape:
            return False
        unit = UNIT[expected["dtype"]]
        small = 16 * (unit if expected["dtype"] != "float16" else 2.0**-24)
        return np.allclose(mine, theirs, 1.05 * more * max(unit, 4 * small / 16),
                           more * small, equal_nan=True)  # fmt: skip

    def general(self, case):
        got, expected = case.got, case.expected
        if isinstance(got, Problem):
            if "not implemented for" in got.message:
                return "no_half", (
                    "the dispatch has no such dtype: "
                    "AT_DISPATCH_FLOATING_TYPES_AND_HALF has three"
                )
            return super().general(case)
        if not isinstance(got, dict):
            return "no_tensor", "a tensor is to be returned"
        if got["dtype"] != expected["dtype"]:
            return "dtype", f"the result is {got['dtype']}, x is {expected['dtype']}"
        if got["values"].shape != expected["values"].shape:
            return "shape", "the result has x's shape"
        if not got["new"]:
            return "in_place", (
                "the result lies in the memory of an input: at::empty_like(x) is new"
            )
        if self.near(got, expected, 2.0**32 if got["dtype"] == "float64" else 2.0**10):
            return "precision", (
                "right to a few digits: compute in at::opmath_type<scalar_t>, the sum "
                "as well, and round once"
            )
        return super().general(case)


def gives(function, places=None):
    return Model(lambda check, x, bias: check.of(function, x, bias, places))


def gelu(u):
    return torch.nn.functional.gelu(u)


def no_bias(a, b):
    return torch.zeros_like(a)


def outside(check, x, bias):
    found = check.of(gelu, x, bias, no_bias)
    more = np.asarray(bias["values"]).astype(bias["dtype"]).astype(np.float64)
    return found | {"values": found["values"] + more}


models(
    bias_gelu_cpu,
    no_bias=gives(gelu, no_bias),
    tanh=gives(lambda u: torch.nn.functional.gelu(u, approximate="tanh")),
    root=gives(lambda u: u * (1 + torch.erf(u)) / 2),
    first_row=gives(gelu, lambda a, b: b[:1].expand(a.shape) if b.numel() else a),
    bias_outside=Model(outside),
)
