"""Type promotion: in which dtype an operator computes, by PyTorch's rules."""

from numbers import Integral, Real

import numpy as np

from .exercises.registry import exercise
from .storage import (
    bfloat16,
    bool_,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    uint8,
)

INTEGERS = (uint8, int8, int16, int32, int64)
FLOATS = (float16, bfloat16, float32, float64)
SIGNED = (int8, int16, int32, int64)  # from narrow to wide


def promote_types(a, b):
    """The smallest dtype that holds what both hold, like torch.promote_types.

    bool gives way to every other dtype, whole numbers give way to floats of any width,
    and of two of a kind the wider one wins. uint8 beside a signed one needs a signed
    one that is wider than 8 bits; float16 beside bfloat16 needs float32.
    """
    if a == b or b == bool_:
        return a
    if a == bool_:
        return b
    if (a in FLOATS) != (b in FLOATS):
        return a if a in FLOATS else b
    if a in FLOATS:
        wider = FLOATS[max(FLOATS.index(a), FLOATS.index(b))]
        return float32 if {a, b} == {float16, bfloat16} else wider
    if uint8 in (a, b):
        other = b if a == uint8 else a
        return SIGNED[max(SIGNED.index(other), 1)]
    return SIGNED[max(SIGNED.index(a), SIGNED.index(b))]


@exercise("04.4", points=2, stars=2, minutes=20)
def result_type(*operands):
    """The dtype in which an operator computes with these operands.

    operands: one or more tensors and Python's numbers (bool, int, float; NumPy's count
    as such). They fall into three groups: tensors with dimensions, tensors without, and
    numbers. A group's dtype is promote_types of its members. The result is the dtype of
    the group of the highest kind (bool, whole numbers, floats: kind(dtype) is 0, 1, 2);
    of several groups of that kind the first one, in the order above.

    At hand: promote_types(a, b), kind(dtype), of_number(value). A tensor is what has a
    storage: hasattr(x, "storage").
    The same as torch.result_type, with any number of operands:
    (int32 tensor, 2) -> int32;  (int32 tensor, 2.5) -> float32;
    (float16 tensor, float64 tensor without dimensions) -> float16
    Raises TypeError for what is neither (of_number does).
    """


def kind(dtype):
    """0 for bool, 1 for whole numbers, 2 for floats."""
    return 2 if dtype in FLOATS else int(dtype != bool_)


def of_number(value):
    """The dtype of a number beside tensors."""
    if isinstance(value, bool | np.bool_):
        return bool_
    if isinstance(value, Integral):
        return int64
    if isinstance(value, Real):
        return float32
    raise TypeError(
        f"expected a tensor or a number, got {type(value).__name__}: tensor(x) makes a "
        f"tensor of lists and arrays"
    )
