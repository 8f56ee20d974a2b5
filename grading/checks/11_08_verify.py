"""A verification: right operators pass, each wrong one is found."""

from grading.checking import Check, checks
from grading.mistakes import Known, mistakes, right
from grading.scenes.operators import OPERATORS
from grading.subject import Problem
from minigrad.testing.verify import verify

PARTS = {
    "right, and plainly wrong": ["by broadcasting", "by arrays", "by einsum", "a sum"],
    "values": ["the first batch's b", "M and N exchanged", "256 elements",
               "1024 elements", "NaN made 0", "infinities cut", "without signs",
               "without fractions"],
    "sizes": ["empty refused", "empty in one dimension"],
    "layout": ["strides ignored", "offset ignored"],
    "dtype": ["half gives float", "double by way of float"],
    "gradients": ["no gradient", "gradients of both or none", "no gradient of b",
                  "dy of ones", "gradient of a doubled", "gradient of b not summed"],
    "the rest of the world": ["changes a", "one buffer"],
}  # fmt: skip
RIGHT = "by broadcasting", "by arrays", "by einsum"


@checks(verify)
class Verify(Check):
    scene = "verified"
    seconds = 20

    def cases(self, random):
        for part, names in PARTS.items():
            for name in names:
                yield part, name

    def expected(self, name):
        return "accepted" if name in RIGHT else "rejected"

    def lines(self, case):
        (name,) = case.args
        kind = "a right operator" if name in RIGHT else "an operator that is wrong"
        return [("case", f"verify of {kind}: {name}"), *super().lines(case)[1:]]

    def general(self, case):
        (name,) = case.args
        if isinstance(case.got, Problem):
            return super().general(case)
        if case.got == "accepted":
            return "passes", f"an operator with this fault passes: {name}"
        if case.got == "rejected":
            return "strict", (
                "a right operator is rejected: is the comparison exact where sums may "
                "be rounded in another way, or is something asked that is not promised?"
            )
        return "stumbles", f"verify itself stumbles: {case.got:.60}"

    def picture(self, *args, expected, got):
        return ""


assert {name for names in PARTS.values() for name in names} == set(OPERATORS)

NEAR = "np.testing.assert_allclose(got.numpy(), expected.numpy(), rtol, rtol)"
EMPTY = "(0, 3, 4), (2, 0, 4), (2, 3, 0)"
mistakes(
    verify,
    passes=Known(
        f"{NEAR} -> np.allclose(got.numpy(), expected.numpy(), rtol, rtol)",
        "(2, 40, 30), ->",
        "(2, 40, 30) -> (2, 20, 15)",
        f", {EMPTY} ->",
        "near(op(odd, odd), reference(odd, odd), 1e-6) -> pass",
        "(True, True), (True, False), (False, True) -> (True, True),",
        "dy = minigrad.randn(*expected.shape, dtype=a.dtype) -> "
        "dy = minigrad.ones(*expected.shape, dtype=a.dtype)",
        "op(a + 1, b)\n -> pass\n",
        "assert got.dtype == expected.dtype -> pass",
        "compare(minigrad.randn(6, 3)[2:], minigrad.randn(5, 5)[1:], 1e-6) ->",
        "minigrad.float64: 1e-12 -> minigrad.float64: 1e-6",
        "near(got, right, 20 * rtol) -> pass",
        "minigrad.float16: 1e-3, ->",
        lambda op, reference: None,
    ),
    strict=Known(
        f"{NEAR} -> np.testing.assert_array_equal(got.numpy(), expected.numpy())",
        "def compare(a, b, rtol): -> def compare(a, b, rtol):\n"
        "        assert op is not reference",
        "def near(got, -> assert False\n\n    def near(got,",
    ),
    stumbles=Known("np.testing.assert_allclose -> np.testing.assert_near"),
)  # fmt: skip

right(verify, "with allclose",
      f"{NEAR} -> assert np.allclose(got.numpy(), expected.numpy(), rtol, rtol, "
      "equal_nan=True)")  # fmt: skip
right(verify, "larger tensors", "(2, 40, 30) -> (3, 50, 21)")
right(
    verify,
    "one dtype at a time",
    "for dtype, rtol in rtols.items(): -> for dtype in (minigrad.float64, "
    "minigrad.float32, minigrad.float16):\n        rtol = rtols[dtype]",
)
right(
    verify,
    "by grad",
    "f(a, b).backward(dy)\n        return [x.grad for x, r in ((a, needs[0]), "
    "(b, needs[1])) if r] -> wanted = [x for x, r in ((a, needs[0]), (b, needs[1])) "
    "if r]\n        return minigrad.autograd.grad(f(a, b), wanted, dy)",
)
