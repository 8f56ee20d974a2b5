"""The windows that this chapter's checks share.

There may be many planes, and numbers above 2 ** 24. But rows and planes are short,
because a thread may compute a whole row or plane.
"""

import numpy as np

from grading.checking.pairwise import pairwise

FAR = 2, 200, 6, 2, 2, 2**24 + 3, 2**24 - 1, 2**24 + 3  # of which float and short err
WINDOWS = {  # planes, H, W, KH, KW, stride, padding, dilation
    "overlap": [(2, 5, 7, 3, 2, 1, 0, 1), (3, 6, 4, 2, 3, 1, 0, 1)],
    "one tap": [(3, 4, 5, 1, 1, 1, 0, 1)],
    "many planes": [(33_001, 1, 1, 1, 1, 1, 0, 1)],
    "stride": [(2, 7, 8, 3, 2, 2, 0, 1), (1, 9, 7, 2, 2, 3, 0, 1)],
    "padding": [(2, 5, 4, 3, 3, 1, 1, 1), (1, 4, 6, 5, 3, 1, 2, 1)],
    "dilation": [(2, 7, 8, 3, 2, 1, 0, 2), (1, 8, 9, 2, 3, 1, 0, 3)],
    "all of them": [(3, 9, 11, 3, 2, 2, 2, 2), (2, 12, 7, 2, 3, 3, 1, 2), FAR],
}


def windows(random):
    """(part, planes, H, W, KH, KW, stride, padding, dilation)"""
    for part, several in WINDOWS.items():
        for sizes in several:
            yield part, *sizes
    ends = [(3, 9)] * 3 + [(1, 3)] * 2
    yield "padding", *(random.randint(*pair) for pair in ends), 1, 1, 1
    for sizes in pairwise(
        random,
        planes=(1, 3),
        H=(3, 8, 13),
        W=(4, 9, 14),
        KH=(1, 2, 3),
        KW=(1, 2, 3),
        stride=(1, 2, 3),
        padding=(0, 1, 2),
        dilation=(1, 2, 3),
    ):
        sizes["padding"] = min(sizes["padding"], sizes["KH"], sizes["KW"])
        if sizes["H"] == 3 or sizes["W"] == 4:
            sizes["dilation"] = 1  # or no window fits
        yield "all of them", *sizes.values()


def squares(random):
    """(part, planes, H, W, K, stride, padding) of those that leave none empty."""
    for part, planes, H, W, K, _, stride, padding, dilation in windows(random):
        if dilation == 1 and 2 * padding <= K:
            yield part, planes, H, W, K, stride, padding


def cases_of_windows(random, core, launch):
    """launch(random, numbers): of the kernel's integers, in its order."""
    for part, *sizes in windows(random):
        yield core if part == "overlap" else part, launch(random, numbers(*sizes))
    for at in [0, -1], [17, 38]:  # at the edge, and amid
        special = launch(random, numbers(2, 5, 4, 3, 3, 1, 1, 1))
        special.args[0].reshape(-1)[at] = np.inf, np.nan
        yield "padding", special


def numbers(planes, H, W, KH, KW, stride, padding, dilation):  # noqa: N803
    OH, OW = (  # noqa: N806
        (n + 2 * padding - dilation * (k - 1) - 1) // stride + 1
        for n, k in ((H, KH), (W, KW))
    )
    return np.int32([planes, H, W, KH, KW, OH, OW, stride, padding, dilation])
