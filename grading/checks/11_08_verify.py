"""A verification: right operators pass, each wrong one is found."""

from pathlib import Path

import numpy as np

import minigrad
from grading.checking.learner_tests import OfATest
from grading.checks import operators
from grading.checks.operators import HEART, OPERATORS, RIGHT
from grading.exercise import Problem, checks, mistakes, right
from minigrad.testing.verify import verify

TEXT = Path(operators.__file__).read_text(encoding="utf-8")


@checks(verify)
class Verify(OfATest):
    """Leaves out operators wrong on a GPU, in bfloat16 or of integers: not promised."""

    seconds = 60  # each call of an operator is a message, in a box

    def cases(self, random):
        for part, names in OPERATORS.items():
            for name in names:
                yield part, name

    def is_right(self, args):
        return args[0] in RIGHT

    def presented(self, random, cases):
        """The heart's first: each has a process of its own, so that tells nothing."""
        heart = [case for case in cases if case[1][0] == HEART]
        yield from super().presented(random, heart)
        others = [case for case in cases if case not in heart]
        others += random.choices(others, k=random.randrange(3))
        random.shuffle(others)
        yield from others

    def tried(self, subject, seed):
        """All operators; only the heart's where these are not told apart."""
        right = True
        for case in super().tried(subject, seed):
            if case.part != HEART and not right:
                return
            right = right and (case.right or case.part != HEART)
            yield case

    def _got(self, subject, args, own=False):
        scene = {"scene": "verified", "text": TEXT, "name": args[0]}
        return super()._got(subject, [scene], own)

    def expected(self, name):
        return "accepted" if name in RIGHT else "rejected"

    def _right(self, got, expected, args):
        if isinstance(got, Problem):
            return expected == "rejected" and got.kind == "raised"
        return got == expected

    def words(self, name):
        kind = "a right operator" if name in RIGHT else "an operator that is wrong"
        return f"verify of {kind}: {name}"

    def general(self, case):
        (name,) = case.args
        if case.got == "accepted":
            return "passes", f"an operator with this fault passes: {name}"
        if "AssertionError" in getattr(case.got, "types", ()):
            return "strict", (
                "a right operator is rejected: is the comparison exact where sums may "
                "be rounded in another way, or is something asked that is not promised?"
            )
        return super().general(case)


EXACT = "np.testing.assert_array_equal(got.numpy(), right.numpy(), strict=True)"
EPS = "near = 100 * np.finfo(right.dtype).eps"
mistakes(verify)(rf"""
strict:
> np.testing.assert_allclose(got, right, near, near)
    -> np.testing.assert_array_equal(got, right)
> near = 100 * np.finfo(right.dtype).eps -> assert False
passes:
> {EXACT} -> np.array_equal(got.numpy(), right.numpy())
> 3, 40, 30 -> 3, 20, 15
& (0, 1, 40), (0, 1, 30) -> (0, 1, 20), (0, 1, 15)
> ((0, 1, 3), (0, 1, 40), (0, 1, 30)) -> ((1, 3), (1, 40), (1, 30))
>     compare(odd, odd) ->
> (True, True), (True, False), (False, True) -> (True, True),
> dy = (-reference(b, a)).transpose(1, 2) -> dy = expected * 0 + 1
> (-reference(b, a)).transpose(1, 2) -> -expected
> op(-a, b) -> pass
> {EXACT} -> np.testing.assert_array_equal(got.numpy(), right.numpy())
> {EPS} -> near = 0.1
> for dtype in minigrad.float16, -> for dtype in minigrad.float32,
> = None
right: by grad
> f(*leaves).backward(dy)\n        return [x.grad.numpy() for x in leaves if
    x.requires_grad] -> wanted = [x for x in leaves if x.requires_grad]\n        found =
    minigrad.autograd.grad(f(*leaves), wanted, dy)\n        return [g.numpy() for g in
    found]
equivalent: which of the two is right makes no difference
> arguments swapped: for got, right in zip((y,
> arguments swapped: np.testing.assert_array_equal
> arguments swapped: -> np.testing.assert_allclose(right, got,
equivalent: every pair of operands is tried, in whatever order, b and a as well as a and
    b
> order: for got, right
> order: for needs in
> order: for B, M, N in
> order: for dtype in
> arguments swapped: -> compare(b
> arguments swapped: -> compare(minigrad.cat([b
> arguments swapped: -> compare(minigrad.randn(B, N
> arguments swapped: op(-a, b)
equivalent: sizes and tolerances that serve as well; odd has one row: B = 1 is tried
    there
> off by one: (0, 1, (
> off by one: (0, (0), 3)
> off by one: (0, (2), 3)
> off by one: B, M, N =
> arguments swapped: for B, M, N in itertools.product
> off by one: ) * np.finfo
> loop capped: 30)))][
right: with allclose
> np.testing.assert_allclose(got, right, near, near) -> assert np.allclose(got, right,
    near, near, equal_nan=True)
right: larger tensors
> (0, 1, 40) -> (0, 1, 50)
""")


@right(verify, "against NumPy in double, operand by operand")
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
