"""result_type: the dtype of a result.

A tensor is described by its dtype and shape: {"tensor": ("float16", (3,))}.
"""

import functools
import itertools
import math

import torch

from grading.checking.pairwise import drawn
from grading.exercise import Check, call
from minigrad.dtypes import DTYPES, result_type

NAMES = [dtype.name for dtype in DTYPES]
NUMBERS = True, 3, 2.5
ODD = False, 0, -0.0, -1, 300, 1e300, math.inf, math.nan
ALIKE = 1, 1.0, True  # equal, and of three types
SHAPES = (3,), (1,), (1, 1), (2, 3)
NUMPYS = [{"numpy": (name, number)} for name, number in
          [("bool", True), ("int8", 3), ("uint8", 3), ("float64", 2.5),
           ("float32", 2.5)]]  # fmt: skip


def tensor(name, *shape):
    return {"tensor": (name, shape)}


def cases(random):
    pairs = list(itertools.product(NAMES, NAMES))
    for a, b in [("int32", "float16"), ("int32", "int64"), ("uint8", "int8"),
                 ("int32", "int32"), ("bool", "bool"), ("float16", "bfloat16"),
                 ("int64", "float32"), *random.sample(pairs, 12)]:  # fmt: skip
        yield "tensors", call(tensor(a, 3), tensor(b, 2, 3))
    for name, number in itertools.product(NAMES, NUMBERS):
        yield "a tensor and a number", call(tensor(name, 4), number)
    for number in random.sample([*ALIKE, *ALIKE], 6):
        yield "a tensor and a number", call(tensor("bool", 4), number)
    for name, number in zip(random.sample(NAMES, 3), NUMBERS, strict=True):
        yield "a tensor and a number", call(number, tensor(name, 4))
    for a, b in [("float16", "float64"), ("int32", "float64"), ("bool", "uint8"),
                 ("int8", "int64"), ("float32", "int64"),
                 *random.sample(pairs, 12)]:  # fmt: skip
        yield "no dimensions", call(tensor(a, *random.choice(SHAPES)), tensor(b))
        yield "no dimensions", call(tensor(b), tensor(a, *random.choice(SHAPES)))
    for shape in SHAPES:
        yield "no dimensions", call(tensor("float16", *shape), tensor("float64"))
    for a, b in random.sample(pairs, 8):
        yield "no dimensions", call(tensor(a), tensor(b))
    for name, number in itertools.product(["int32", "float16", "bool"], NUMBERS):
        yield "no dimensions", call(tensor(name), number)
    for a, b in itertools.product(NUMBERS, NUMBERS):
        yield "numbers alone", call(a, b)
    for name in random.sample(NAMES, 3):
        yield "one operand", call(tensor(name, 3))
    yield "one operand", call(2.5)
    groups = *SHAPES, (), (0, 2)
    for a, b, *some in drawn(
        random,
        a=NAMES,
        b=NAMES,
        of_a=groups,
        of_b=groups,
        number=(None, *NUMBERS, *ODD),
    ):
        *shapes, number = some
        operands = [tensor(a, *shapes[0]), tensor(b, *shapes[1]), number]
        operands = operands[: 2 + (number is not None)]
        yield "three and more", call(*random.sample(operands, len(operands)))
    for number in NUMPYS:
        yield "NumPy's numbers", call(tensor(random.choice(NAMES), 3), number)
        yield "NumPy's numbers", call(number, tensor("int8"), random.choice(NUMPYS))
    yield "an empty tensor", call(tensor("int32", 0, 3), tensor("float64"))
    for _ in range(12):
        a, b, c = random.choices(NAMES, k=3)
        mixed = [tensor(a, 2), tensor(b), random.choice(NUMBERS), tensor(c, 3)]
        yield "three and more", call(*random.sample(mixed, random.choice([3, 4])))
    groups = tensor("float16", 2), tensor("float64"), 2.5
    for some in itertools.product(groups, repeat=3):
        yield "three and more", call(*some)
    for sizes in ((2,), ()):
        few = [tensor(name, *sizes) for name in ("uint8", "int16", "uint8")]
        for name in "float32", "int64":
            yield "three and more", call(few[0], tensor(name, *sizes), few[2])
        yield "three and more", call(*few)
    yield "three and more", call(True, 2.5, 3)
    for name, more in ("int32", ()), ("float32", (tensor("float64"), 2.5)):
        yield "what is neither", call(tensor(name, 3), *more, "2")


def made(operand):
    """PyTorch's tensor, or the number, of an operand."""
    if not isinstance(operand, dict):
        return operand
    if "numpy" in operand:
        return operand["numpy"][1]
    name, shape = operand["tensor"]
    return torch.zeros(shape, dtype=getattr(torch, name))


def joined(group):
    """One that stands for all of a group."""
    dtypes = [torch.as_tensor(x).dtype for x in group]
    dtype = functools.reduce(torch.promote_types, dtypes)
    if isinstance(group[0], torch.Tensor):
        return group[0].to(dtype)
    return torch.zeros((), dtype=dtype).item()


def reference(*operands):
    """torch.result_type, which takes two: those of a group are joined first."""
    operands = [*map(made, operands)]
    numbers = [x for x in operands if not isinstance(x, torch.Tensor)]
    tensors = [x for x in operands if isinstance(x, torch.Tensor)]
    groups = [x for x in tensors if x.ndim], [x for x in tensors if not x.ndim], numbers
    first, *others = map(joined, filter(None, groups))
    if len(others) == 2:
        others = [others[0].to(torch.result_type(*others))]
    dtype = torch.result_type(first, *(others or [first]))
    return {"dtype": str(dtype).removeprefix("torch.")}


check = Check(
    result_type,
    cases=cases,
    reference=reference,
    not_tested="layouts and values: the contract's rule looks at neither",
)
