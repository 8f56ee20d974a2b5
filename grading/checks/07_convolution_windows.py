"""im2col and col2im: F.unfold and F.fold are the oracle.

What col2im adds has so few bits that float does not round: in any order the sums are
the same. In half precision they would not be.
"""

import numpy as np
import torch
import torch.nn.functional as F

from grading.exercise import KernelCheck, Launch, blank, checks, distinct
from minigrad.kernels.convolution import col2im, im2col

from .strided import cover
from .tiles import exact
from .windows import windows


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
        for part, *sizes in windows(random):
            part = self.heart if part == "overlap" else part
            yield part, self.launch(random, sizes)
        for at in [0, -1], [17, 38]:  # at the edge, and amid
            launch = self.launch(random, (2, 5, 4, 3, 3, 1, 1, 1))
            launch.args[0].reshape(-1)[at] = np.inf, np.nan
            yield "padding", launch


@checks(im2col)
class Im2col(WindowCheck):
    """Leaves out sizes of 0 and limits of reads: the contract names neither."""

    heart = "windows as columns"

    def launch(self, random, given):
        sizes = sizes_of(*given)
        x = distinct(random, *sizes[:3])
        columns = blank(sizes[0], *sizes[3:7])
        args = x, columns, *map(np.int32, sizes)
        return Launch(*cover(columns.size), args)

    def expected(self, launch, x, columns, *sizes):
        return unfolded(x, *sizes)


@checks(col2im)
class Col2im(WindowCheck):
    """Leaves out sizes of 0 and an x that is not 0 before: the contract has none."""

    heart = "what lies in one place is added"

    def launch(self, random, given):
        sizes = sizes_of(*given)
        columns = exact(random, sizes[0], *sizes[3:7])
        x = np.zeros(sizes[:3], np.float32)
        args = columns, x, *map(np.int32, sizes)
        return Launch(*cover(max(columns.size, x.size)), args)

    def expected(self, launch, columns, x, *sizes):
        return folded(columns, *sizes)
