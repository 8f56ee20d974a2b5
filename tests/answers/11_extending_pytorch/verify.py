"""Answers of verify by other algorithms."""

import numpy as np

import minigrad
from minigrad.testing.verify import verify
from tools.audit.specimens import answer


@answer(verify, right="against NumPy in double, operand by operand")
def _(op, reference):
    def check(a, b, eps):
        p, q = (np.array(x.numpy(), float) for x in (a, b))
        y, exact = op(a, b), p[:, :, None] * q[:, None]
        op(a * 3, b)
        assert (y.shape, y.dtype) == (exact.shape, a.dtype)
        np.testing.assert_allclose(y.numpy(), exact, eps, eps)
        assert np.array_equal([*a.numpy().flat, *b.numpy().flat], [*p.flat, *q.flat])
        dy = minigrad.randn(*exact.shape[::-1], dtype=a.dtype).permute(2, 1, 0)
        sums = (dy.numpy() * q[:, None]).sum(2), (dy.numpy() * p[:, :, None]).sum(1)
        for needs in "a", "b", "ab":
            leaves = [
                x.detach().requires_grad_(n in needs) for x, n in ((a, "a"), (b, "b"))
            ]
            op(*leaves).backward(dy)
            for x, total in zip(leaves, sums, strict=True):
                if x.requires_grad:
                    np.testing.assert_allclose(
                        x.grad.numpy(), total, 200 * eps, 200 * eps
                    )

    for kind, eps in ("float16", 1e-3), ("float32", 2e-7), ("float64", 3e-16):
        for text in ("3 50 40", "1 2 3", "3 1 2", "2 3 1", "0 2 3", "3 0 2", "2 3 0"):
            B, *sizes = map(int, text.split())
            check(
                *(minigrad.randn(B, n, dtype=getattr(minigrad, kind)) for n in sizes),
                eps,
            )
    a, b = minigrad.randn(5, 4), minigrad.randn(5, 7)
    for n, x in enumerate((a, b)):
        odd = x.T.contiguous().T, x[:1].expand(x.shape), minigrad.cat([x, x])[5:]
        for view in odd:
            check(*((view, b), (a, view))[n], 2e-7)
    odd = minigrad.tensor([[np.nan, np.inf, -np.inf, 0, 2]])
    np.testing.assert_array_equal(op(odd, odd).numpy(), reference(odd, odd).numpy())
