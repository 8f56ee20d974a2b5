"""What the checks of im2col and col2im share: F.unfold and F.fold are the oracle.

The numbers are whole, and small enough for float to add them without rounding: in any
order the sums are the same. In half precision they would not be.
"""

import numpy as np
import torch
import torch.nn.functional as F

from grading.kernels import KernelCheck
from grading.mistakes import Patch

# planes, H, W, KH, KW, stride, padding, dilation
HEART = (2, 5, 7, 3, 2, 1, 0, 1), (3, 6, 4, 2, 3, 1, 0, 1)
# whole numbers that float does not hold
FAR = 2, 5, 4, 2, 2, 2**24 + 3, 2**24 + 1, 2**24 + 3
PARTS = [
    ("one tap", [(3, 4, 5, 1, 1, 1, 0, 1)]),
    (
        "large ones",
        [
            (33_000, 1, 1, 1, 1, 1, 0, 1),
            (1, 33_000, 1, 1, 1, 1, 0, 1),
            (1, 1, 33_000, 1, 2, 1, 0, 1),
        ],
    ),
    ("stride", [(2, 7, 8, 3, 2, 2, 0, 1), (1, 9, 7, 2, 2, 3, 0, 1)]),
    ("padding", [(2, 5, 4, 3, 3, 1, 1, 1), (1, 4, 6, 5, 3, 1, 2, 1)]),
    ("dilation", [(2, 7, 8, 3, 2, 1, 0, 2), (1, 8, 9, 2, 3, 1, 0, 3)]),
    ("all of them", [(3, 9, 11, 3, 2, 2, 2, 2), (2, 12, 7, 2, 3, 3, 1, 2), FAR]),
]
TAPS_SWAPPED = "kh and kw are exchanged: the row of a tap is kh * KW + kw"
FLIPPED = "the window is turned around: tap (0, 0) is its upper left one"
OUTSIDE = (
    "a thread reads or writes outside of the array: threads past the end do nothing, "
    "and where ih or iw is below 0, or H or W and more, x has no element"
)

# How both solutions take an index apart, and how a wrong one does.
window_first = Patch(
    "int ow = rest % OW; rest /= OW; -> int kw = rest % KW; rest /= KW;",
    "int oh = rest % OH; rest /= OH;\n    int kw = rest % KW; rest /= KW; -> "
    "int kh = rest % KH; rest /= KH;\n    int ow = rest % OW; rest /= OW;",
    "kh = rest % KH, plane = rest / KH -> oh = rest % OH, plane = rest / OH",
)
taps_swapped = Patch(
    "int kw = rest % KW; rest /= KW; -> int kh = rest % KH; rest /= KH;",
    "int kh = rest % KH, plane = rest / KH; -> int kw = rest % KW, plane = rest / KW;",
)
flipped = Patch(
    "kh * dilation -> (KH - 1 - kh) * dilation",
    "kw * dilation -> (KW - 1 - kw) * dilation",
)


def sizes_of(planes, H, W, KH, KW, stride, padding, dilation):
    """The kernel's whole numbers, in order."""
    OH = (H + 2 * padding - dilation * (KH - 1) - 1) // stride + 1
    OW = (W + 2 * padding - dilation * (KW - 1) - 1) // stride + 1
    return planes, H, W, KH, KW, OH, OW, stride, padding, dilation


def unfolded(x, planes, H, W, KH, KW, OH, OW, stride, padding, dilation):
    """im2col by PyTorch: (planes, KH, KW, OH, OW)."""
    x = torch.as_tensor(x, dtype=torch.float64).reshape(1, planes, H, W)
    columns = F.unfold(x, (KH, KW), dilation, padding, stride)
    return columns.reshape(planes, KH, KW, OH, OW)


def folded(columns, planes, H, W, KH, KW, OH, OW, stride, padding, dilation):
    """col2im by PyTorch: (planes, H, W)."""
    columns = torch.as_tensor(columns, dtype=torch.float64)
    columns = columns.reshape(1, planes * KH * KW, OH * OW)
    return F.fold(columns, (H, W), (KH, KW), dilation, padding, stride)[0]


class WindowCheck(KernelCheck):
    """`heart`: its first part; `launch(random, sizes)`: a launch."""

    def cases(self, random):
        for sizes in HEART:
            yield self.heart, self.launch(random, sizes)
        for part, several in PARTS:
            for sizes in several:
                yield part, self.launch(random, sizes)
        planes, H, W = (random.randint(3, 9) for _ in range(3))
        some = planes, H, W, random.randint(1, 3), random.randint(1, 3), 1, 1, 1
        yield "padding", self.launch(random, some)
        launch = self.launch(random, (2, 5, 4, 3, 3, 1, 1, 1))
        launch.args[0].flat[[0, -1]] = np.inf, np.nan
        yield "padding", launch

    def threads(self, count):
        size = (64, 96, 1024)[count % 3]
        return count // size + 2, size  # more than are needed
