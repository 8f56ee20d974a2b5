"""Outer products, right and wrong: what a verification is tried on.

The name of each follows "an operator that". Their text runs in a notebook; or, where it
is graded, in the references' process, so that no verification can read it. There
x.numpy() is a copy.
"""

import functools

import numpy as np

import minigrad

HALF, SINGLE, DOUBLE = minigrad.float16, minigrad.float32, minigrad.float64


def reference(a, b):
    return a.unsqueeze(2) * b.unsqueeze(1)


def summed(dy, a, b):
    """The gradients of arrays, summed in double."""
    dy, a, b = (x.astype(np.float64) for x in (dy, a, b))
    return np.einsum("bmn,bn->bm", dy, b), np.einsum("bmn,bm->bn", dy, a)


def in_order(dy, a, b):
    """The same, one term after the other, in single at least."""
    wide = np.promote_types(dy.dtype, np.float32)
    zeros = (np.zeros(x.shape, wide) for x in (a, b))
    dy, a, b = (x.astype(wide) for x in (dy, a, b))
    da, db = zeros
    for n in range(b.shape[1]):
        da += dy[:, :, n] * b[:, n : n + 1]
    for m in range(a.shape[1]):
        db += dy[:, m] * a[:, m : m + 1]
    return da, db


def array(x):
    return np.array(x.numpy())


def outer(change=lambda y, a, b: y, gradients=summed, read=array):
    """An outer product through arrays.

    change(y, a, b): its result; gradients(dy, a, b): these. All are arrays. read(dy):
    the array of a tensor.
    """

    @functools.cache  # so that there is no class of those that are never called
    def apply():
        class Outer(minigrad.autograd.Function):
            @staticmethod
            def forward(ctx, a, b):
                ctx.save_for_backward(a, b)
                a, b = array(a), array(b)
                with np.errstate(all="ignore"):
                    y = change(a[:, :, None] * b[:, None], a, b)
                return minigrad.tensor(np.array(y))

            @staticmethod
            def backward(ctx, dy):
                arrays = [read(dy), *map(array, ctx.saved_tensors)]
                with np.errstate(all="ignore"):
                    grads = gradients(*arrays)
                return tuple(minigrad.tensor(g.astype(arrays[1].dtype)) for g in grads)

        return Outer.apply

    return lambda a, b: apply()(a, b)


right = outer()
wrong = outer(lambda y, a, b: y + 1)


def where(condition, change, otherwise=right):
    """An operator that is another one where condition(a, b) holds."""
    return lambda a, b: (change if condition(a, b) else otherwise)(a, b)


def refuses(a, b):
    raise RuntimeError("a launch with no blocks is refused")


def size(dim, count):
    """Is a size of the result so much?"""
    return lambda a, b: (*a.shape, b.shape[1])[dim] == count


def squeezed(dim):
    return outer(lambda y, a, b: y.squeeze(dim) if y.shape[dim] == 1 else y)


def beyond(most):
    def change(y, a, b):
        y.reshape(-1)[most:] = 0
        return y

    return where(lambda a, b: a.is_contiguous() and b.is_contiguous(), outer(change))


def by_way_of(dtype, other):
    """Operands of a dtype go through another one."""

    def through(a, b):
        return right(*(x.to(other).to(dtype) for x in (a, b)))

    return where(lambda a, b: a.dtype == dtype, through)


def values_by_way_of(dtype, other):
    """Only the products of operands of a dtype go through another one."""

    def change(y, a, b):
        return array(minigrad.tensor(y).to(other).to(dtype))

    return where(lambda a, b: a.dtype == dtype, outer(change))


def gradients_of(change):
    """change(da, db, dy, a, b): what the gradients are; all are arrays in double."""

    def gradients(dy, a, b):
        return change(*summed(dy, a, b), dy, a, b)

    return outer(gradients=gradients)


def with_dy(change):
    """The gradients for another dy than the one that came: change(dy, a, b)."""
    return outer(gradients=lambda dy, a, b: summed(change(dy, a, b), a, b))


def without(a_needs, b_needs):
    """Leaves out the gradients where just these require them."""
    return where(
        lambda a, b: (a.requires_grad, b.requires_grad) == (a_needs, b_needs),
        lambda a, b: right(a.detach(), b.detach()),
    )


def changes(number):
    def op(a, b):
        y = right(a, b)
        (a, b)[number].storage.data[:] *= 2
        return y

    return op


def changes_what_was_copied(a, b):
    y = right(a.clone(), b.clone())
    a.storage.data[:] *= -1  # so it never becomes large
    return y


def doubles_first(a, b):
    a.storage.data[:] *= 2
    return right(a, b)


def held(x):
    """x, which is used in a later call. (A process that has only lent it keeps it.)"""
    return x


def one_buffer(a, b):
    y = right(a, b)
    if y.requires_grad:
        return y
    if (y.shape, y.dtype) not in buffers:
        buffers[y.shape, y.dtype] = held(y)
    mine = buffers[y.shape, y.dtype]
    mine.storage.data[:] = y.storage.data
    return mine


buffers = {}  # of one_buffer
RIGHT = (
    "multiplies by broadcasting",
    "multiplies NumPy arrays",
    "uses einsum",
    "adds up gradients one term after the other",
    "transposes the product of b and a",
    "gives 0.0 instead of -0.0",
)
HEART = "right, and plainly wrong"
OPERATORS = {
    HEART: {
        "multiplies by broadcasting": reference,
        "multiplies NumPy arrays": right,
        "uses einsum": lambda a, b: minigrad.einsum("bm,bn->bmn", a, b),
        "adds up gradients one term after the other": outer(gradients=in_order),
        "transposes the product of b and a": lambda a, b: reference(b, a).transpose(
            1, 2
        ),
        "gives 0.0 instead of -0.0": outer(
            lambda y, a, b: np.where(np.isnan(y), np.nan, y) + 0.0
        ),
        "adds instead of multiplying": outer(
            lambda y, a, b: a[:, :, None] + b[:, None]
        ),
    },
    "values": {
        "uses only the first batch's b": outer(
            lambda y, a, b: a[:, :, None] * b[:1, None]
        ),
        "exchanges M and N": outer(
            lambda y, a, b: np.swapaxes(y, 1, 2).reshape(y.shape)
        ),
        "computes only 256 elements": beyond(256),
        "computes only 1024 elements": beyond(1024),
        "turns NaN into 0": outer(lambda y, a, b: np.where(np.isnan(y), 0, y)),
        "turns infinity into the largest number": outer(
            lambda y, a, b: np.minimum(y, np.finfo(y.dtype).max)
        ),
        "turns -infinity into the lowest number": outer(
            lambda y, a, b: np.maximum(y, np.finfo(y.dtype).min)
        ),
        "gives 0 for 0 times infinity": outer(
            lambda y, a, b: np.where(a[:, :, None] == 0, 0, y)
        ),
        "drops the signs": outer(lambda y, a, b: np.abs(y)),
        "drops the fractions": outer(lambda y, a, b: np.trunc(y)),
    },
    "sizes": {
        **{f"refuses {n} = 0": where(size(d, 0), refuses) for d, n in enumerate("BMN")},
        **{f"leaves out {n} if it is 1": squeezed(d) for d, n in enumerate("BMN")},
        "gives an empty result another shape": outer(
            lambda y, a, b: y if y.size else y.reshape(0)
        ),
    },
    "layout": {
        f"is wrong if {name} {how}": where(lambda *x, n=n, test=test: test(x[n]), wrong)
        for how, test in {
            "is transposed": lambda x: x.shape[1] > 1 and x.strides[1] > 1,
            "is expanded": lambda x: x.shape[0] > 1 and x.strides[0] == 0,
            "begins inside its storage": lambda x: x.offset > 0,
        }.items()
        for n, name in enumerate("ab")
    },
    "dtype": {
        "gives float32 for float16": where(
            lambda a, b: a.dtype == HALF, lambda a, b: right(a, b).float()
        ),
        "rounds float16 to bfloat16": by_way_of(HALF, minigrad.bfloat16),
        "rounds float32 to float16": by_way_of(SINGLE, HALF),
        "rounds float64 to float32": by_way_of(DOUBLE, SINGLE),
        "rounds only products of float32 to float16": values_by_way_of(SINGLE, HALF),
        "rounds only products of float64 to float32": values_by_way_of(DOUBLE, SINGLE),
    },
    "gradients": {
        "has no gradients": lambda a, b: right(a.detach(), b.detach()),
        "has no gradient of b": lambda a, b: right(a, b.detach()),
        "has no gradient if only a requires one": without(True, False),
        "has no gradient if only b requires one": without(False, True),
        "doubles the gradient of b if both require one": where(
            lambda a, b: a.requires_grad and b.requires_grad,
            gradients_of(lambda da, db, dy, a, b: (da, 2 * db)),
        ),
        "doubles the gradient of a": gradients_of(
            lambda da, db, dy, a, b: (2 * da, db)
        ),
        "doesn't sum the gradient of b": gradients_of(
            lambda da, db, dy, a, b: (da, dy[:, 0] * a[:, :1] if dy.shape[1] else db)
        ),
        "rounds gradients to float32": gradients_of(
            lambda da, db, *_: (da.astype(np.float32), db.astype(np.float32))
        ),
        "computes gradients for a dy of ones": with_dy(
            lambda dy, a, b: np.ones_like(dy)
        ),
        "uses the first batch's dy for all batches": with_dy(
            lambda dy, a, b: dy[:1].repeat(len(a), 0)
        ),
        "computes gradients from y instead of dy": with_dy(
            lambda dy, a, b: a[:, :, None] * b[:, None]
        ),
        "ignores the strides of dy": outer(
            read=lambda dy: np.resize(dy.storage.data[dy.offset :], dy.shape)
        ),
        "doubles the gradient of b if b begins inside its storage": where(
            lambda a, b: b.offset > 0,
            gradients_of(lambda da, db, *_: (da, 2 * db)),
        ),
    },
    "side effects": {
        "changes a": changes(0),
        "changes b": changes(1),
        "changes a before it computes": doubles_first,
        "changes a after it has copied it": changes_what_was_copied,
        "returns the same memory in each call": one_buffer,
    },
}
OF_NAME = {name: op for group in OPERATORS.values() for name, op in group.items()}
