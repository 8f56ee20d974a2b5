"""Chapter 04, result_type: torch.result_type is the oracle.

A tensor is described by its dtype and shape: {"tensor": ("float16", (3,))}.
"""

import functools
import itertools

import numpy as np
import torch

from grading.checking import Check, cause, checks
from minigrad import dtypes
from minigrad.dtypes import DTYPES

NAMES = [dtype.name for dtype in DTYPES]
NUMBERS = True, 3, 2.5
KINDS = {"bool": 0} | {n: 2 if "float" in n else 1 for n in NAMES if n != "bool"}


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


@checks(dtypes.result_type)
class ResultType(Check):
    def cases(self, random):
        pairs = list(itertools.product(NAMES, NAMES))
        for a, b in [("int32", "float16"), ("int32", "int64"), ("uint8", "int8"),
                     ("int32", "int32"), ("bool", "bool"), ("float16", "bfloat16"),
                     ("int64", "float32"), *random.sample(pairs, 12)]:  # fmt: skip
            yield "tensors", tensor(a, 3), tensor(b, 2, 3)
        for name, number in itertools.product(NAMES, NUMBERS):
            yield "a tensor and a number", tensor(name, 4), number
        for name, number in zip(random.sample(NAMES, 3), NUMBERS, strict=True):
            yield "a tensor and a number", number, tensor(name, 4)
        for a, b in [("float16", "float64"), ("int32", "float64"), ("bool", "uint8"),
                     ("int8", "int64"), ("float32", "int64"),
                     *random.sample(pairs, 12)]:  # fmt: skip
            yield "no dimensions", tensor(a, 2), tensor(b)
            yield "no dimensions", tensor(b), tensor(a, 2)
        for a, b in random.sample(pairs, 8):
            yield "no dimensions", tensor(a), tensor(b)
        for name, number in itertools.product(["int32", "float16", "bool"], NUMBERS):
            yield "no dimensions", tensor(name), number
        for a, b in itertools.product(NUMBERS, NUMBERS):
            yield "numbers alone", a, b
        for name in random.sample(NAMES, 3):
            yield "one operand", tensor(name, 3)
        yield "one operand", 2.5
        yield "an empty tensor", tensor("int32", 0, 3), tensor("float64")
        for _ in range(12):
            a, b, c = random.choices(NAMES, k=3)
            mixed = [tensor(a, 2), tensor(b), random.choice(NUMBERS), tensor(c, 3)]
            yield "three and more", *random.sample(mixed, random.choice([3, 4]))
        yield "what is neither", tensor("int32", 3), "2"

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

    def _explains(self, wrong, case):
        return "2" not in case.args and super()._explains(wrong, case)

    def rank(self, number):
        if isinstance(number, str):
            raise TypeError("expected a tensor or a number, got str")
        return [bool, int, float].index(type(number))

    def groups(self, operands):
        """The dtypes' names of tensors with dimensions, without; and the numbers."""
        groups = [], [], []
        for x in operands:
            if name_of(x):
                groups[0 if x["tensor"][1] else 1].append(name_of(x))
            else:
                groups[2].append(x)
        return groups

    def names(self, operands, number=("bool", "int64", "float32")):
        """The dtypes' names of all operands; numbers have the ones given."""
        return [name_of(x) or number[self.rank(x)] for x in operands]

    @cause("a number or a tensor without dimensions changes the dtype only to another "
           "kind: bool, whole number, float")  # fmt: skip
    def all_alike(self, *operands):
        return said(promoted(self.names(operands)))

    @cause("this is NumPy's table: int32 with float32 is float64 there; PyTorch takes "
           "the float that is there")  # fmt: skip
    def numpy_table(self, *operands):
        names = self.names(operands, ("bool", "int64", "float64"))
        if "bfloat16" in names:
            return None
        return said(np.result_type(*map(np.dtype, names)))

    @cause("int with int is int: only `/` computes whole numbers in float32, and that "
           "is a rule of its own")  # fmt: skip
    def int_by_int(self, *operands):
        found = self.expected(*operands)["dtype"]
        return said("float32" if KINDS[found] == 1 else found)

    @cause("Python's float counts as float32 beside tensors, not as float64")
    def double_numbers(self, *operands):
        found = self.expected(*operands)["dtype"]
        floats = any(isinstance(x, float) for x in operands)
        tensors = [KINDS[name_of(x)] for x in operands if name_of(x)]
        only_number = floats and 2 not in tensors
        return said("float64" if only_number else found)

    @cause("numbers are left out: an int tensor and 2.5 give a float")
    def no_numbers(self, *operands):
        return self.expected(*[x for x in operands if name_of(x)] or operands)

    @cause("a number counts like a tensor here: it may change only the kind, not int32 "
           "to int64")  # fmt: skip
    def numbers_like_tensors(self, *operands):
        names = self.names(operands)
        return self.expected(*map(self.as_tensor, names, operands))

    def as_tensor(self, name, x):
        return x if name_of(x) else tensor(name, 1)

    @cause("tensors without dimensions count like those with dimensions")
    def zero_dims_alike(self, *operands):
        tensors = [tensor(name_of(x), 1) if name_of(x) else x for x in operands]
        return self.expected(*tensors)

    @cause("a tensor without dimensions does not count at all: it changes the kind, as "
           "a number does")  # fmt: skip
    def zero_dims_left_out(self, *operands):
        some = [x for x in operands if not name_of(x) or x["tensor"][1]]
        return self.expected(*some or operands)

    @cause("the first operand decides: the order of operands has no say")
    def first_decides(self, *operands):
        return self.expected(operands[0])

    @cause("the last operand decides: the order of operands has no say")
    def last_decides(self, *operands):
        return self.expected(operands[-1])

    @cause("the dtype with more bytes wins here: a float wins over whole numbers of "
           "any width")  # fmt: skip
    def widest(self, *operands):
        names = self.names(operands)
        return said(max(names, key=lambda n: typed(n).itemsize))

    @cause("only the first two operands count: there may be any number")
    def two_operands(self, *operands):
        return self.expected(*operands[:2])
