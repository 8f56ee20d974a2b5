"""The dtype of a result: torch.result_type is the oracle.

A tensor is described by its dtype and shape: {"tensor": ("float16", (3,))}.
"""

import functools
import itertools

import numpy as np
import torch

from grading.exercise import Check, checks, mistake, mistakes, right
from minigrad.dtypes import (
    DTYPES,
    bfloat16,
    kind,
    of_number,
    promote_types,
    result_type,
)

NAMES = [dtype.name for dtype in DTYPES]
NUMBERS = True, 3, 2.5
ALIKE = 1, 1.0, True  # equal, and of three types
SHAPES = (3,), (1,), (1, 1), (2, 3)
NUMPYS = [{"numpy": (name, number)} for name, number in
          [("bool", True), ("int8", 3), ("uint8", 3), ("float64", 2.5),
           ("float32", 2.5)]]  # fmt: skip


def tensor(name, *shape):
    return {"tensor": (name, shape)}


def typed(name):
    return getattr(torch, name)


def name_of(operand):
    """The name of a tensor's dtype; None for a number."""
    return operand["tensor"][0] if isinstance(operand, dict) else None


def promoted(names):
    """The dtype of tensors of one group."""
    return functools.reduce(torch.promote_types, map(typed, names))


def said(dtype):
    return {"dtype": str(dtype).removeprefix("torch.")}


@checks(result_type)
class ResultType(Check):
    """Leaves out layouts and values: the contract's rule looks at neither."""

    def cases(self, random):
        pairs = list(itertools.product(NAMES, NAMES))
        for a, b in [("int32", "float16"), ("int32", "int64"), ("uint8", "int8"),
                     ("int32", "int32"), ("bool", "bool"), ("float16", "bfloat16"),
                     ("int64", "float32"), *random.sample(pairs, 12)]:  # fmt: skip
            yield "tensors", tensor(a, 3), tensor(b, 2, 3)
        for name, number in itertools.product(NAMES, NUMBERS):
            yield "a tensor and a number", tensor(name, 4), number
        for number in random.sample([*ALIKE, *ALIKE], 6):
            yield "a tensor and a number", tensor("bool", 4), number
        for name, number in zip(random.sample(NAMES, 3), NUMBERS, strict=True):
            yield "a tensor and a number", number, tensor(name, 4)
        for a, b in [("float16", "float64"), ("int32", "float64"), ("bool", "uint8"),
                     ("int8", "int64"), ("float32", "int64"),
                     *random.sample(pairs, 12)]:  # fmt: skip
            yield "no dimensions", tensor(a, *random.choice(SHAPES)), tensor(b)
            yield "no dimensions", tensor(b), tensor(a, *random.choice(SHAPES))
        for shape in SHAPES:
            yield "no dimensions", tensor("float16", *shape), tensor("float64")
        for a, b in random.sample(pairs, 8):
            yield "no dimensions", tensor(a), tensor(b)
        for name, number in itertools.product(["int32", "float16", "bool"], NUMBERS):
            yield "no dimensions", tensor(name), number
        for a, b in itertools.product(NUMBERS, NUMBERS):
            yield "numbers alone", a, b
        for name in random.sample(NAMES, 3):
            yield "one operand", tensor(name, 3)
        yield "one operand", 2.5
        for number in NUMPYS:
            yield "NumPy's numbers", tensor(random.choice(NAMES), 3), number
            yield "NumPy's numbers", number, tensor("int8"), random.choice(NUMPYS)
        yield "an empty tensor", tensor("int32", 0, 3), tensor("float64")
        for _ in range(12):
            a, b, c = random.choices(NAMES, k=3)
            mixed = [tensor(a, 2), tensor(b), random.choice(NUMBERS), tensor(c, 3)]
            yield "three and more", *random.sample(mixed, random.choice([3, 4]))
        groups = tensor("float16", 2), tensor("float64"), 2.5
        for some in itertools.product(groups, repeat=3):
            yield "three and more", *some
        for sizes in ((2,), ()):
            few = [tensor(name, *sizes) for name in ("uint8", "int16", "uint8")]
            for name in "float32", "int64":
                yield "three and more", few[0], tensor(name, *sizes), few[2]
            yield "three and more", *few
        yield "three and more", True, 2.5, 3
        for name, more in ("int32", ()), ("float32", (tensor("float64"), 2.5)):
            yield "what is neither", tensor(name, 3), *more, "2"

    def expected(self, *operands):
        groups = self.groups(operands)
        with_dims, without, numbers = groups
        found = None
        if numbers:
            found = torch.result_type(*[max(numbers, key=self.rank)] * 2)
            number = max(numbers, key=self.rank)
        if without:
            first = torch.zeros((), dtype=promoted(without))
            found = torch.result_type(first, number) if numbers else first.dtype
        if with_dims:
            x = torch.zeros(1, dtype=promoted(with_dims))
            last = torch.zeros((), dtype=found) if without else None
            last = number if numbers and not without else last
            found = x.dtype if last is None else torch.result_type(x, last)
        return said(found)

    def rank(self, number):
        if isinstance(number, str):
            raise TypeError("expected a tensor or a number, got str")
        return [bool, int, float].index(type(number))

    def groups(self, operands):
        """The dtypes' names of tensors with dimensions, without; and the numbers."""
        groups = [], [], []
        for x in operands:
            if isinstance(x, dict) and "numpy" in x:
                groups[2].append(x["numpy"][1])
            elif name_of(x):
                groups[0 if x["tensor"][1] else 1].append(name_of(x))
            else:
                groups[2].append(x)
        return groups


GROUPS = "for group in groups if"


mistakes(result_type)(rf"""
widest: the dtype with more bytes wins here: a float wins over whole numbers of any
    width
numpy_table: this is NumPy's table: int32 with float32 is float64 there; PyTorch takes
    the float that is there
all_alike: a number or a tensor without dimensions changes the dtype only to another
    kind: bool, whole number, float
> groups[2] -> groups[0]
& 0 if x.shape else 1 -> 0
double_numbers: Python's float counts as float32 beside tensors, not as float64
> of_number(x) -> minigrad.float64 if type(x) is float else of_number(x)
numbers_like_tensors: a number counts like a tensor here: it may change only the kind,
    not int32 to int64
> groups[2] -> groups[0]
zero_dims_alike: tensors without dimensions count like those with dimensions
> 0 if x.shape else 1 -> 0
one_element: a tensor of one element may have dimensions, as one of shape (1,) has: ask
    for these
> if x.shape else -> if x.shape and max(x.shape) > 1 else
first_and_last: a group may have three members and more: all of them count
> functools.reduce(promote_types, group) -> promote_types(group[0], group[-1])
first_decides: the first operand decides: the order of operands has no say
> in operands -> in operands[:1]
numpys: a number of NumPy's counts as Python's does: of_number(x) takes both
> not hasattr(x, "storage") -> not hasattr(x, "dtype")
& if x.shape -> if getattr(x, 'shape', ())
no_numbers: numbers are left out: an int tensor and 2.5 give a float
> {GROUPS} -> for group in (groups[:2] if any(groups[:2]) else groups) if
zero_dims_left_out: a tensor without dimensions does not count at all: it changes the
    kind, as a number does
> {GROUPS} -> for group in (groups[::2] if any(groups[::2]) else groups) if
int_by_int: int with int is int: only `/` computes whole numbers in float32, and that is
    a rule of its own
> return max(dtypes, key=kind) -> found = max(dtypes, key=kind)\n    return
    minigrad.float32 if kind(found) == 1 else found
equivalent: it depends on dtypes, types, and whether there are dimensions, alone
> state kept: @damage.remembers
equivalent: promote_types gives the same for any order of a group's members
> order: for x in operands
right: from the end, as PyTorch's source does it
> return max(dtypes, key=kind) -> found = dtypes.pop()\n    for dtype in
    reversed(dtypes):\n        found = promote_types(dtype, found) if kind(found) >
    kind(dtype) else dtype\n    return found
""")


def dtype_of(x):
    return x.dtype if hasattr(x, "storage") else of_number(x)


@mistake(result_type)
def widest(*operands):
    return max(map(dtype_of, operands), key=lambda d: d.itemsize)


@mistake(result_type)
def numpy_table(*operands):
    types = [np.float64 if isinstance(x, float) else dtype_of(x) for x in operands]
    if bfloat16 in types:
        return functools.reduce(promote_types, map(dtype_of, operands))
    return np.result_type(*types)


@right(result_type, "the members of the highest kind in the first group alone")
def _(*operands):
    ranks = {}
    for x in operands:
        is_tensor = hasattr(x, "storage")
        dtype = x.dtype if is_tensor else of_number(x)
        rank = -kind(dtype), (0 if x.ndim else 1) if is_tensor else 2
        ranks[rank] = promote_types(ranks.get(rank, dtype), dtype)
    return ranks[min(ranks)]
