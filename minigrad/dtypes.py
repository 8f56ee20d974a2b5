"""The types of elements, their numbers, and which type an operator computes in."""

from numbers import Integral, Real

import numpy as np

from .exercises.registry import exercise

float16, float32, float64 = map(np.dtype, ("f2", "f4", "f8"))
uint8, int8, int16, int32, int64 = map(np.dtype, ("u1", "i1", "i2", "i4", "i8"))
bool_ = np.dtype(bool)
TOO_LARGE = "a whole number is too large: int64 ends at 2**63 - 1"


class BFloat16:
    """The dtype bfloat16: float32 without its last 16 bits. NumPy has none like it.

    Arrays hold its bits as uint16; `widen` makes float32 of them, `narrow` the reverse.
    """

    name, kind, itemsize = "bfloat16", "f", 2

    def __repr__(self):
        return "bfloat16"

    def __reduce__(self):
        return "bfloat16"  # the same object, as with NumPy's dtypes


bfloat16 = BFloat16()
DTYPES = (float32, int64, bool_, float64, int32, uint8, float16, int8, int16, bfloat16)
KNOWN = frozenset(DTYPES)


def as_dtype(dtype, default=float32):
    """The dtype that `dtype` means: one of DTYPES, or bool, int, float, np.float32."""
    if dtype is None:
        return default
    if dtype is bfloat16 or dtype == "bfloat16":
        return bfloat16
    try:
        numpy_dtype = np.dtype(dtype)
    except TypeError:
        numpy_dtype = None
    if numpy_dtype not in KNOWN:
        names = ", ".join(d.name for d in DTYPES)
        name = getattr(numpy_dtype, "name", dtype)
        raise TypeError(f"no tensor of {name}; the types are {names}")
    return numpy_dtype


def carrier(dtype):
    """The NumPy dtype of the arrays that hold elements of `dtype`."""
    return np.dtype(np.uint16) if dtype is bfloat16 else dtype


def widen(bits):
    """The bits of bfloat16 as float32: nothing is lost."""
    return (np.asarray(bits, np.uint32) << 16).view(np.float32)


def narrow(values):
    """float32 as the bits of the nearest bfloat16, ties to even."""
    bits = np.array(values, np.float32, order="C").view(np.uint32)
    rounded = bits + (0x7FFF + (bits >> 16 & 1))
    bits = np.where(np.isnan(values), bits | 0x400000, rounded)
    return (bits >> 16).astype(np.uint16)


def as_number(x, dtype):
    """A Python number, or the element of a tensor, as a number of NumPy."""
    x = of_bits(x.memory(), x.dtype).item() if hasattr(x, "storage") else x
    try:
        return dtype.type(x)
    except OverflowError:  # 300 beside uint8 wraps around, as in C
        if not -(2**63) <= x < 2**64:
            raise RuntimeError(TOO_LARGE) from None
        return np.asarray(x).astype(dtype)[()]


def of_bits(array, dtype):
    """An array of a storage as numbers: bfloat16 as float32."""
    return widen(array) if dtype is bfloat16 else array


def to_bits(array, dtype):
    """Numbers as a storage of `dtype` holds them; None: of their own dtype."""
    if dtype is bfloat16:
        return narrow(array)
    return array if dtype in (None, array.dtype) else array.astype(dtype)


# ------------------------------------------------- in CUDA C

C_NAMES = {
    bool_: "bool", uint8: "unsigned char", int8: "signed char", int16: "short",
    int32: "int", int64: "long long", float16: "__half", bfloat16: "__nv_bfloat16",
    float32: "float", float64: "double",
}  # fmt: skip
HEADERS = {float16: "cuda_fp16.h", bfloat16: "cuda_bf16.h"}


def computed_in(dtype):
    """Where an operator computes: float32 for half and bfloat16, else in the dtype."""
    return float32 if dtype in HEADERS else dtype


# ------------------------------------------------- promotion, by PyTorch's rules

INTEGERS = (uint8, int8, int16, int32, int64)
FLOATS = (float16, bfloat16, float32, float64)
NUMBERS = (*INTEGERS, *FLOATS)


def promote_types(a, b):
    """The smallest dtype that holds what both hold, like torch.promote_types.

    bool gives way to every other dtype, whole numbers give way to floats of any width,
    and of two of a kind the wider one wins. uint8 beside a signed one needs a signed
    one that is wider than 8 bits; float16 beside bfloat16 needs float32.
    """
    if kind(a) != kind(b):
        return max(a, b, key=kind)
    if a not in FLOATS:
        return np.promote_types(a, b)
    wider = max(a, b, key=FLOATS.index)
    return float32 if {a, b} == {float16, bfloat16} else wider


@exercise(points=2, stars=2, minutes=20, level="good to know")
def result_type(*operands):
    """Return the dtype in which an operator computes with these operands.

    The operands fall into three groups: tensors with dimensions, tensors without
    dimensions, and numbers. The dtype of a group is promote_types of all its members.
    The result is the dtype of the group with the highest kind. If several groups have
    that kind, the first of them wins, in the order above.

    operands: one or more tensors and Python numbers (bool, int, and float). A NumPy
        number counts like a Python number. A tensor without elements counts like any
        other.

    You can use promote_types(a, b), of_number(value), which returns a number's dtype,
    and kind(dtype), which returns 0 for bool, 1 for integers, and 2 for floats. A
    tensor is whatever has a storage: hasattr(x, "storage").

    The result is the same as torch.result_type, but for any number of operands. If
    an operand is neither a tensor nor a number, of_number raises TypeError.
    (int32 tensor, 2) -> int32;  (int32 tensor, 2.5) -> float32;
    (float16 tensor, float64 tensor without dimensions) -> float16
    """


def kind(dtype):
    """Return 0 for bool, 1 for integers, and 2 for floats."""
    return 2 if dtype in FLOATS else int(dtype != bool_)


def of_number(value):
    """Return the dtype that a number has beside tensors."""
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
