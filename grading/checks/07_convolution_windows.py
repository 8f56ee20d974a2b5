"""im2col and col2im: F.unfold and F.fold are the oracle.

What col2im adds has so few bits that float does not round: in any order the sums are
the same. In half precision they would not be.
"""

import numpy as np
import torch
import torch.nn.functional as F

from grading.exercise import KernelCheck, Launch, blank, checks, distinct, mistakes
from minigrad.kernels.convolution import col2im, im2col

from .strided import cover
from .tiles import exact
from .windows import MISTAKES, windows

OUTSIDE = (
    "a thread reads or writes outside of the array: threads past the end do nothing, "
    "and where ih or iw is below 0, or H or W and more, x has no element"
)

# how both solutions take an index apart, and how wrong ones do
INDICES = f"""
order: the order is wrong: rows of columns are taps, (kh, kw), and within them the
    places, (oh, ow); here each window lies in one piece
> int ow = rest % OW; rest /= OW; -> int kw = rest % KW; rest /= KW;
& int oh = rest % OH; rest /= OH; int kw = rest % KW; rest /= KW; -> int kh = rest % KH;
    rest /= KH; int ow = rest % OW; rest /= OW;
& kh = rest % KH, plane = rest / KH -> oh = rest % OH, plane = rest / OH
taps_swapped: kh and kw are exchanged: the row of a tap is kh * KW + kw
> int kw = rest % KW; rest /= KW; -> int kh = rest % KH; rest /= KH;
& int kh = rest % KH, plane = rest / KH; -> int kw = rest % KW, plane = rest / KW;
first_plane: all planes use the first one: plane p begins at p * H * W
> plane * H + ih -> ih
{MISTAKES}
padding_added: the padding has the wrong sign: it lies before the image, so it is taken
    off
> - padding -> + padding
no_dilation: the dilation is left out: taps are `dilation` elements apart
>  * dilation ->
row_wraps: left or right of the image the element of the next row is used: iw must be at
    least 0 and below W, as ih is for H
> ih >= 0 && ih < H && iw >= 0 && iw < W -> ih * W + iw >= 0 && ih * W + iw < H * W
first_left_out: row or column 0 of the image is left out: ih and iw are inside from 0 on
> ih >= 0 -> ih > 0
> iw >= 0 -> iw > 0
> ih >= 0 -> ih > 0
& iw >= 0 -> iw > 0
flipped: the window is turned around: tap (0, 0) is its upper left one
> kh * dilation -> (KH - 1 - kh) * dilation
& kw * dilation -> (KW - 1 - kw) * dilation
equivalent: 2 ** 15 places in a row show it: a right answer that loops over them takes
    seconds
> type: int ow = rest % OW; rest /= OW; -> short
> type: int oh = rest % OH; rest /= OH; -> short
equivalent: 2 ** 15 taps show it: a right answer that loops over them takes seconds
> type: int kw = rest % KW; rest /= KW; -> short
"""
LOOPED = """
right: a loop over the grid
> int i = -> int n = planes * KH * KW * OH * OW, grid = gridDim.x * blockDim.x; for (int
    i =
& , rest = i; if (i >= planes * KH * KW * OH * OW) return; -> ; i < n; i += grid) { int
    rest = i;
"""


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


mistakes(im2col)(f"""
masked: outside of the image an element is read from its edge and multiplied by 0:
    infinity times 0 is NaN. Choose 0 itself
> inside ? x[(plane * H + ih) * W + iw] : 0.0f -> inside * x[(plane * H + max(0, min(ih,
    H - 1))) * W + max(0, min(iw, W - 1))]
outside: {OUTSIDE}
! out-of-bounds
> inside ? x[(plane * H + ih) * W + iw] : 0.0f -> x[(plane * H + ih) * W + iw]
> if (i >= planes * KH * KW * OH * OW) return; ->
{INDICES}
{LOOPED}
& 0.0f; -> 0.0f; }}
""")

A_WINDOW = """
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= planes * OH * OW) return;
    int plane = i / (OH * OW), at = i % (OH * OW);
    for (int tap = 0; tap < KH * KW; tap++) {
        int ih = at / OW * stride - padding + tap / KW * dilation;
        int iw = at % OW * stride - padding + tap % KW * dilation;
"""  # a thread has one, and these are the pixels of its taps
mistakes(im2col)(f"""
right: a thread a window
> {A_WINDOW}
        float value = 0;
        if (ih >= 0 && iw >= 0 && ih < H && iw < W)
            value = x[plane * H * W + ih * W + iw];
        columns[(plane * KH * KW + tap) * OH * OW + at] = value;
    }}
right: a thread a row
>
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= planes * KH * KW * OH) return;
    int kw = i / OH % KW, kh = i / OH / KW % KH, plane = i / OH / KW / KH;
    int ih = i % OH * stride - padding + kh * dilation;
    for (int ow = 0; ow < OW; ow++) {{
        int iw = ow * stride - padding + kw * dilation;
        bool outside = ih < 0 || iw < 0 || ih >= H || iw >= W;
        columns[i * OW + ow] = outside ? 0.0f : x[(plane * H + ih) * W + iw];
    }}
""")


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


GATHER = """
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= planes * H * W) return;
    int plane = i / (H * W), ih = i / W % H, iw = i % W, count = 0;
    float sum = 0.0f;
    for (int kh = 0; kh < KH; kh++)
        for (int kw = 0; kw < KW; kw++) {
            int oh = ih + padding - kh * dilation, ow = iw + padding - kw * dilation;
            if (oh < 0 || ow < 0 || oh % stride || ow % stride) continue;
            oh /= stride;
            ow /= stride;
            if (oh >= OH || ow >= OW) continue;
            sum += columns[(((plane * KH + kh) * KW + kw) * OH + oh) * OW + ow];
            count++;
        }
    x[i] = sum;
"""
mistakes(col2im)(f"""
not_divided: a gather must ask whether ih + padding - kh * dilation is a multiple of the
    stride: between two places there is no window
> {GATHER.replace(" || oh % stride || ow % stride", "")}
no_window: a gather must ask whether oh and ow are at least 0 and below OH and OW:
    elsewhere there is no window
> {GATHER.replace("oh < 0 || ow < 0 ||", "")}
> {GATHER.replace("if (oh >= OH || ow >= OW) continue;", "")}
not_zeroed: the sum begins with whatever its register holds: it begins with 0
> {GATHER.replace("sum = 0.0f", "sum")}
overwritten: what lies in one place is not added: where windows overlap, one element of
    columns overwrites another. Each must be added, by atomicAdd or by a thread of x
    that goes through all of them
> atomicAdd(&x[(plane * H + ih) * W + iw], columns[i]) -> x[(plane * H + ih) * W + iw] =
    columns[i]
first_tap: only tap (0, 0) is added: every tap of every window has its part
> ih >= 0 && -> kh + kw == 0 && ih >= 0 &&
race: threads that add to the same element at once lose sums: x[...] += reads, adds and
    writes, and another thread comes between. Use atomicAdd
> atomicAdd(&x[(plane * H + ih) * W + iw], columns[i]) -> x[(plane * H + ih) * W + iw]
    += columns[i]
nan_left_out: a NaN is neither above nor below 0, and is lost: add every element
> if (ih >= 0 && -> if ((columns[i] > 0 || columns[i] < 0) && ih >= 0 &&
outside: {OUTSIDE}
! out-of-bounds
> if (ih >= 0 && ih < H && iw >= 0 && iw < W) ->
{INDICES}
right: a gather
> {GATHER}
right: a thread a window
> {A_WINDOW}
        if (ih < 0 || iw < 0 || ih >= H || iw >= W) continue;
        float value = columns[(plane * KH * KW + tap) * OH * OW + at];
        atomicAdd(x + (plane * H + ih) * W + iw, value);
    }}
{LOOPED}
& columns[i]); -> columns[i]); }}
""")
