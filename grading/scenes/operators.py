"""Outer products, right and wrong: what a verification is tried on."""

import numpy as np

import minigrad
from minigrad.ops.special import erf as erf  # for the scenes beside this one


class Odd(RuntimeError):
    """What an operator of this file raises where it breaks down."""


def reference(a, b):
    return a.unsqueeze(2) * b.unsqueeze(1)


class Outer(minigrad.autograd.Function):
    """An outer product through arrays; subclasses change what is wrong."""

    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return minigrad.tensor(np.array(a.numpy()[:, :, None] * b.numpy()[:, None]))

    @staticmethod
    def backward(ctx, dy):
        a, b = ctx.saved_tensors
        wide, like = dy.numpy().astype(np.float64), a.numpy().dtype
        da = np.einsum("bmn,bn->bm", wide, b.numpy().astype(np.float64))
        db = np.einsum("bmn,bm->bn", wide, a.numpy().astype(np.float64))
        return minigrad.tensor(da.astype(like)), minigrad.tensor(db.astype(like))


def of_arrays(change):
    """An operator whose result is changed: change(y, a, b) of arrays gives y."""

    class Changed(Outer):
        @staticmethod
        def forward(ctx, a, b):
            ctx.save_for_backward(a, b)
            left, right = np.array(a.numpy()), np.array(b.numpy())
            y = left[:, :, None] * right[:, None]
            return minigrad.tensor(np.array(change(y, left, right)))

    return lambda: Changed.apply


def of_gradients(change):
    """An operator whose gradients are changed: change(da, db, dy, a, b) of arrays."""

    class Changed(Outer):
        @staticmethod
        def backward(ctx, dy):
            found = [g.numpy() for g in Outer.backward(ctx, dy)]
            arrays = [np.array(x.numpy()) for x in (dy, *ctx.saved_tensors)]
            found = change(*found, *arrays)
            return tuple(None if g is None else minigrad.tensor(g) for g in found)

    return lambda: Changed.apply


def beyond(most):
    def change(y, a, b):
        y.reshape(-1)[most:] = 0
        return y

    return change


def by_storage(a, b):
    """Reads the storages from their first cell on, as if both were contiguous."""

    def row_by_row(x):
        flat = np.array(x.storage.data[: x.numel()])
        size = int(np.prod(x.shape))
        flat = np.concatenate([flat, np.zeros(size, flat.dtype)])[:size]
        return minigrad.tensor(flat.reshape(x.shape))

    wrong = not (a.is_contiguous() and b.is_contiguous() and a.offset == b.offset == 0)
    return Outer.apply(*(map(row_by_row, (a, b)) if wrong else (a, b)))


def without_offset(a, b):
    plain = a.is_contiguous() and b.is_contiguous()
    return by_storage(a, b) if plain else Outer.apply(a, b)


def transposed_only(a, b):
    return Outer.apply(a, b) if a.offset or b.offset else by_storage(a, b)


def refuses_empty(a, b):
    if not a.numel() or not b.numel():
        raise Odd("a launch with no blocks is refused")
    return Outer.apply(a, b)


def wrong_empty(a, b):
    y = Outer.apply(a, b)
    return y if y.numel() else minigrad.zeros(0, dtype=a.dtype)


def half_in_float(a, b):
    y = Outer.apply(a, b)
    return y.float() if a.dtype == minigrad.float16 else y


def double_in_float(a, b):
    if a.dtype != minigrad.float64:
        return Outer.apply(a, b)
    return Outer.apply(a.float(), b.float()).double()


def changes_input(a, b):
    y = Outer.apply(a, b)
    with minigrad.no_grad():
        a.mul_(2)
    return y


def one_buffer():
    kept = {}

    def op(a, b):
        y = Outer.apply(a, b)
        key = y.shape, y.dtype
        with minigrad.no_grad():
            mine = kept.setdefault(key, y.detach().clone())
            if y.numel():
                mine.copy_(y.detach())
        return y if a.requires_grad or b.requires_grad else mine

    return op


def detached(a, b):
    return Outer.apply(a.detach(), b.detach())


def needs_both(a, b):
    one = a.requires_grad != b.requires_grad
    return Outer.apply(a, b).detach() if one else Outer.apply(a, b)


OPERATORS = {
    "by broadcasting": lambda: reference,
    "by arrays": lambda: Outer.apply,
    "by einsum": lambda: lambda a, b: minigrad.einsum("bm,bn->bmn", a, b),
    "a sum": of_arrays(lambda y, a, b: a[:, :, None] + b[:, None]),
    "the first batch's b": of_arrays(lambda y, a, b: a[:, :, None] * b[:1, None]),
    "M and N exchanged": of_arrays(
        lambda y, a, b: np.swapaxes(y, 1, 2).reshape(y.shape)
    ),
    "256 elements": of_arrays(beyond(256)),
    "1024 elements": of_arrays(beyond(1024)),
    "NaN made 0": of_arrays(
        lambda y, a, b: np.where(np.isnan(y), 0, y).astype(y.dtype)
    ),
    "infinities cut": of_arrays(
        lambda y, a, b: np.where(np.isinf(y), np.finfo(y.dtype).max, y).astype(y.dtype)
    ),
    "without signs": of_arrays(lambda y, a, b: np.abs(y)),
    "without fractions": of_arrays(lambda y, a, b: np.where(
        np.isfinite(y), np.trunc(y), y).astype(y.dtype)),
    "empty refused": lambda: refuses_empty,
    "empty in one dimension": lambda: wrong_empty,
    "strides ignored": lambda: transposed_only,
    "offset ignored": lambda: without_offset,
    "half gives float": lambda: half_in_float,
    "double by way of float": lambda: double_in_float,
    "no gradient": lambda: detached,
    "gradients of both or none": lambda: needs_both,
    "no gradient of b": of_gradients(lambda da, db, dy, a, b: (da, None)),
    "dy of ones": of_gradients(lambda da, db, dy, a, b: (
        (np.ones_like(dy) * b[:, None]).sum(2),
        (np.ones_like(dy) * a[:, :, None]).sum(1),
    )),
    "gradient of a doubled": of_gradients(lambda da, db, dy, a, b: (2 * da, db)),
    "gradient of b not summed": of_gradients(lambda da, db, dy, a, b: (
        da, dy[:, 0] * a[:, :1] if dy.shape[1] else db)),
    "changes a": lambda: changes_input,
    "one buffer": one_buffer,
}  # fmt: skip
