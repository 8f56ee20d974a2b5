"""The dtype of a result: torch.result_type is the oracle.

A tensor is described by its dtype and shape: {"tensor": ("float16", (3,))}.
"""

import functools
import itertools

import torch

from grading.exercise import Check, checks
from minigrad.dtypes import (
    DTYPES,
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
