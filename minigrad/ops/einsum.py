"""einsum: products and sums of tensors, by a letter for each dimension."""

import math

from ..check import check
from ..dispatch import tensor_for
from .matmul import matmul


def einsum(equation, *operands):
    """Sums of products, as "ij,jk->ik" says: a letter for each dimension.

    A letter that the result lacks is summed over; one that stands twice in an operand
    takes its diagonal. "..." stands for dimensions that are broadcast. Without "->" the
    result has the letters that stand once, in alphabetical order.
    """
    if len(operands) == 1 and isinstance(operands[0], list | tuple):
        operands = operands[0]
    for number, x in enumerate(operands):
        tensor_for("einsum", f"operand {number}", x)
    check(isinstance(equation, str), "einsum(): must specify the equation string and "
          "at least one operand", ValueError)  # fmt: skip
    inputs, output = parsed(equation, operands)
    sizes = sizes_of(inputs, operands)
    terms = [plain(x, names, sizes) for x, names in zip(operands, inputs, strict=True)]
    x, names = terms[0]
    for number, (other, others) in enumerate(terms[1:], 1):
        later = {n for _, ns in terms[number + 1 :] for n in ns} | {*output}
        x, names = contracted(x, names, other, others, later, sizes)
    dims = tuple(d for d, n in enumerate(names) if n not in output)
    x = x.sum(dims) if dims else x
    names = [n for n in names if n in output]
    return x.permute(*map(names.index, output)) if names else x


def parsed(equation, operands):
    """The names of the operands' dimensions, and of the result's.

    A name is a letter, or a number for a dimension of "...", counted from its end.
    """
    left, arrow, right = equation.replace(" ", "").partition("->")
    texts = left.split(",")
    check(len(texts) == len(operands), lambda: f"einsum(): {equation!r} has "
          f"{len(texts)} operands, but {len(operands)} were given")  # fmt: skip
    inputs = [named(t, x.ndim, equation) for t, x in zip(texts, operands, strict=True)]
    rest = sorted({n for names in inputs for n in names if isinstance(n, int)})
    if arrow:
        output = named(right, len(right.replace("...", "")) + len(rest), equation)
    else:
        every = [n for names in inputs for n in names]
        once = {n for n in every if every.count(n) == 1 and isinstance(n, str)}
        output = [*rest, *sorted(once)]
    for name in output:
        check(any(name in names for names in inputs) and output.count(name) <= 1,
              lambda: f"einsum(): {name!r} in the result of {equation!r} must stand "
              "there once, and in an operand")  # fmt: skip
    return inputs, output


def named(text, ndim, equation):
    """A name for each dimension that "ij...k" speaks of."""
    before, dots, after = text.partition("...")
    letters = before + after
    if letters and not (letters.isascii() and letters.isalpha()):
        raise RuntimeError(f"einsum(): {text!r} in {equation!r} is not made of letters")
    more = ndim - len(letters)
    check(more >= 0 and (not more or dots),
          lambda: f"einsum(): {text!r} in {equation!r} speaks of {len(letters)} "
          f"dimensions, but the operand has {ndim}")  # fmt: skip
    return [*before, *range(-more, 0), *after]


def sizes_of(inputs, operands):
    """{name: size}; sizes of 1 are broadcast."""
    sizes = {}
    for names, x in zip(inputs, operands, strict=True):
        for name, size in zip(names, x.shape, strict=True):
            size_before = sizes.setdefault(name, size)
            check(1 in (size_before, size) or size_before == size,
                  lambda: f"einsum(): dimension {name!r} has size {size}, which does "
                  f"not broadcast with {size_before}")  # fmt: skip
            sizes[name] = size if size_before == 1 else size_before
    return sizes


def plain(x, names, sizes):
    """An operand with each name once, in full size: views; and its names."""
    for name in [n for d, n in enumerate(names) if n in names[:d]]:
        one, two = [d for d, n in enumerate(names) if n == name][:2]
        others = [n for d, n in enumerate(names) if d not in (one, two)]
        x, names = x.diagonal(0, one, two), [*others, name]
    return x.expand(*(sizes[n] for n in names)) if names else x, names


def contracted(a, a_names, b, b_names, later, sizes):
    """The product of two operands, summed over what nobody needs later; its names."""
    both = [n for n in a_names if n in b_names]
    batch, inner = [n for n in both if n in later], [n for n in both if n not in later]
    left, right = ([n for n in names if n not in both] for names in (a_names, b_names))
    size = lambda names: math.prod(sizes[n] for n in names)  # noqa: E731
    a = a.permute(*map(a_names.index, [*batch, *left, *inner])) if a_names else a
    b = b.permute(*map(b_names.index, [*batch, *inner, *right])) if b_names else b
    a = a.reshape(size(batch), size(left), size(inner))
    b = b.reshape(size(batch), size(inner), size(right))
    names = [*batch, *left, *right]
    return matmul(a, b).reshape([sizes[n] for n in names]), names
