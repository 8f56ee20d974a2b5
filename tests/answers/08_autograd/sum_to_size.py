"""Answers of sum_to_size by other algorithms."""

from minigrad.autograd.adjoints import sum_to_size
from tools.audit.specimens import answer


@answer(sum_to_size, right="dimension by dimension")
def _(x, shape):
    front = x.ndim - len(shape)
    pairs = [*zip(shape, x.shape[max(front, 0) :], strict=False)]
    if front < 0 or [n for n, m in pairs if n != m and n != 1]:
        raise RuntimeError(f"{shape} is not broadcast to {x.shape}")
    for _ in range(front):
        x = x.sum(0)
    for d, (n, m) in enumerate(pairs):
        x = x if n == m else x.sum(d, keepdim=True)
    return x


@answer(sum_to_size, right="one sum, and a view")
def _(x, shape):
    sizes = [None] * (x.ndim - len(shape)) + list(shape)
    added = [d for d, m in enumerate(x.shape) if sizes[d] != m]
    if len(sizes) > x.ndim or not {sizes[d] for d in added} <= {None, 1}:
        raise RuntimeError("nothing of that shape was broadcast")
    return (x.sum(added) if added else x).reshape(shape)
