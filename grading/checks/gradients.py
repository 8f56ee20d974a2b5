"""What the checks of functions of tensors share, in chapters 08 and 09."""

import numpy as np

from grading.drivers.scenarios import CUT, DTYPE, RESULT, SHARES
from grading.exercise import close

CLOSE = close()


def quarters(x):
    """Numbers in float16 whose sums are exact in it: multiples of 1/4, at most 1."""
    return (np.round(4 * np.clip(x, -1, 1)) / 4).astype(np.float16)


SEEN = {
    DTYPE: ("dtype", "the result has another dtype than the tensors given"),
    SHARES: (
        "copies", "the values are right, but a view shares the storage, and this copies"
    ),
    CUT: (
        "cut", "the result is right, but not the gradient that goes through it: use "
        "operators of tensors all the way, no NumPy, no number and no detach()"
    ),
}  # fmt: skip


def diagnose(got, expected, case=None, near=CLOSE):
    """(cause, text) of what differs in a result, a view or a gradient; or None."""
    if not isinstance(got, dict) or not isinstance(expected, dict):
        return None
    wrong = [k for k, v in expected.items() if not near(got.get(k), v)]
    if wrong[:1] == [SHARES] and near(expected[RESULT], expected[SHARES]):
        return "shares", (
            "the result lies in the memory of a tensor that was given: make a new one"
        )
    return SEEN.get(wrong[0]) if wrong else None
