"""What the checks of functions of tensors share, in chapters 08 and 09."""

import numpy as np

from grading.drivers.scenarios import CUT, DTYPE, RECORDED, RESULT, SHARES
from grading.exercise import close

CLOSE = close()


def quarters(x):
    """Numbers in float16 whose sums are exact in it: multiples of 1/4, at most 1."""
    return (np.round(4 * np.clip(x, -1, 1)) / 4).astype(np.float16)


SEEN = {
    DTYPE: ("dtype", "The result has another dtype than the tensors that were passed."),
    SHARES: (
        "copied", "The values are correct, but they're copied. Return a view instead."
    ),
    CUT: (
        "cut", "The result is correct, but the gradient through it isn't. Compute only "
        "with tensor operators, without NumPy, numbers, and detach()."
    ),
    RECORDED: (
        "cut", "The result is correct, but no gradient goes through it. Compute it "
        "from what was passed, even if there are no elements."
    ),
}  # fmt: skip


def optional(*names, near=CLOSE):
    """diagnose, which also says how to ask whether one of these parameters is None."""
    asked = " or ".join(f"`{name} is not None`" for name in names)

    def either(got, expected, case=None):
        if "Boolean value of Tensor" in getattr(got, "message", ""):
            return "truth", (
                "A tensor of several elements is neither true nor false. To find out "
                f"whether a parameter is there, ask {asked}."
            )
        return diagnose(got, expected, case, near)

    return either


def diagnose(got, expected, case=None, near=CLOSE):
    """(cause, text) of what differs in a result, a view or a gradient; or None."""
    if not isinstance(got, dict) or not isinstance(expected, dict):
        return None
    mine, right = got.get(RESULT), expected.get(RESULT)
    if isinstance(right, np.ndarray) and np.shape(mine) != right.shape:
        return "other_shape", (
            f"The result's shape is {np.shape(mine)}. It must be {right.shape} here."
        )
    if isinstance(got.get(CUT), str) and near(mine, right):
        return "raised", "The result is correct, but its gradient can't be computed."
    wrong = [k for k, v in expected.items() if not near(got.get(k), v)]
    if (
        wrong[:1] == [RESULT]
        and DTYPE in wrong
        and np.allclose(mine, right, 1e-2, 1e-2, equal_nan=True)
    ):
        wrong = [DTYPE]
    if wrong[:1] == [SHARES] and near(expected[RESULT], expected[SHARES]):
        return "shares", (
            "The result shares memory with a tensor that was passed. Make a new one."
        )
    return SEEN.get(wrong[0]) if wrong else None
