"""Messages of check_bias_gelu: judged by what is wrong in the case that they are of."""

import pytest

pytest.importorskip("torch", reason="not run: grading (PyTorch is not installed)")

from grading.checking.check import find_check  # noqa: E402
from grading.isolation.replies import Outcome  # noqa: E402
from minigrad.kernels.bindings import check_bias_gelu  # noqa: E402

DTYPES = {
    "float32": "Float", "float64": "Double", "float16": "Half", "bfloat16": "BFloat16",
    "int64": "Long", "bool": "Bool", "complex64": "ComplexFloat",
}  # fmt: skip


class Tensor:
    """What a C++ answer asks a tensor, as PyTorch prints it."""

    def __init__(
        self, shape, dtype="float32", device="cpu", turned=False, spread=False
    ):
        self.sizes, self.dim, self.device = [*shape], len(shape), device
        self.last = shape[-1] if shape else None
        self.dtype, self.floating = DTYPES[dtype], "float" in dtype
        self.contiguous = not (spread or (turned and min(shape[:2]) > 1))


def fault(x, bias):
    """The kind of what is wrong first; "" where nothing is."""
    if x.device != bias.device:
        return "device"
    if x.dtype != bias.dtype or not x.floating:
        return "dtype" if x.dtype != bias.dtype else "floating"
    if x.dim < 1 or bias.dim != 1:
        return "x.dim" if x.dim < 1 else "bias.dim"
    if x.last != bias.last:
        return "size"
    return "" if x.contiguous and bias.contiguous else "memory"


USUAL = {
    "device": "x is on {x.device}, bias is on {bias.device}",
    "dtype": "x is {x.dtype}, bias is {bias.dtype}",
    "floating": "x must be floating, is {x.dtype}",
    "x.dim": "x must have a dimension, has {x.dim}",
    "bias.dim": "bias must have one dimension, has {bias.dim}",
    "size": "bias has {bias.last} elements, the last dimension of x {x.last}",
    "memory": "{wrong} must be contiguous",
}
ALL = (
    "x and bias must be on one device, cpu or meta, of one dtype, float, double, half, "
    "long, int64, bool or complex, have sizes 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 [], "
    "and be contiguous"
)
DUMP = (
    "x is {x.sizes} {x.dtype} on {x.device}, bias {bias.sizes} {bias.dtype} on "
    "{bias.device}, contiguous: {x.contiguous}, {bias.contiguous}"
)
RIGHT = {
    "as the course": {},
    "sizes for dimensions": {
        "x.dim": "x needs a dimension, its sizes are {x.sizes}",
        "bias.dim": "the sizes of bias must be one number, are {bias.sizes}",
    },
    "all sizes": dict.fromkeys(
        ("x.dim", "bias.dim", "size"), "x is {x.sizes}, bias is {bias.sizes}"
    ),
    "one message for memory": {"memory": "x and bias must be contiguous"},
    "x alone": {
        "device": "x is on another device, {x.device}, than bias",
        "dtype": "the dtype of x, {x.dtype}, is not that of bias",
    },
    "bias alone": {
        "device": "bias is on {bias.device}", "dtype": "bias is of dtype {bias.dtype}",
    },
    "floating ones listed": {"floating": "x: Float, Double or Half, not {x.dtype}"},
    "all that there is to say": dict.fromkeys(USUAL, DUMP),
}  # fmt: skip
WRONG = {
    "one text for all": (dict.fromkeys(USUAL, ALL), 0),
    "one text for devices": ({"device": "x and bias: cpu or meta"}, "devices"),
    "no name of a dtype": ({"dtype": "x and bias are not of one dtype"}, "dtypes"),
    "a word with a dtype's name in it": ({"dtype": "x is not floating"}, "dtypes"),
    "all dtypes": (dict.fromkeys(("dtype", "floating"), ALL), "dtypes"),
    "all numbers": ({"size": ALL}, "sizes"),
    "one of two sizes": ({"size": "bias has {bias.last} elements"}, "sizes"),
    "no number": ({"bias.dim": "bias has another form"}, "dimensions"),
    "the other tensor": ({"memory": "{other} must be contiguous"}, "memory"),
    "nobody": ({"memory": "must be contiguous"}, "memory"),
    "memory, whatever is wrong": (
        dict.fromkeys(USUAL, "x and bias must be contiguous"), 0),
}  # fmt: skip


class Messages:
    """A subject whose answer refuses by such messages."""

    simulator = None

    def __init__(self, messages):
        self.messages = USUAL | messages

    def call(self, name, args, seconds, own=False):
        return Outcome(
            [self.one(*map(self.tensor, case)) for case in args[1]], None, ""
        )

    def tensor(self, described):
        return Tensor(**described)

    def one(self, x, bias):
        kind = fault(x, bias)
        if not kind:
            return {"value": None}
        names = ("bias", "x") if x.contiguous else ("x", "bias")
        known = {"x": x, "bias": bias, "wrong": names[0], "other": names[1]}
        return {"error": "RuntimeError", "message": self.messages[kind].format(**known)}


def parts(messages):
    """{part: is it right?}, for several seeds."""
    check = find_check(check_bias_gelu)
    right = {}
    for seed in range(20):
        for case in check.judgment(Messages(messages), seed).tried():
            right[case.part] = right.get(case.part, True) and case.right
    refusing = [] if all(right.values()) else [*range(5)]
    assert check.refusing(Messages(messages), range(5)) == refusing
    return right


@pytest.mark.parametrize("style", RIGHT)
def test_a_message_may_be_of_any_style(style):
    assert all(parts(RIGHT[style]).values())


@pytest.mark.parametrize("style", WRONG)
def test_a_message_must_say_what_is_wrong_in_its_case(style):
    messages, part = WRONG[style]
    right, core = parts(messages), "what is right"
    assert right == {p: p == core or (part != 0 and p != part) for p in right}
