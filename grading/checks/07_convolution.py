"""Chapter 07, im2col and col2im: F.unfold and F.fold are the oracle.

The numbers are whole, and small enough for float to add them without rounding: in any
order the sums are the same. In half precision they would not be.
"""

import numpy as np
import torch
import torch.nn.functional as F

from grading.checking import cause, checks
from grading.kernels import Fault, KernelCheck, Launch, blank, distinct, mistake
from minigrad.kernels import convolution

# planes, H, W, KH, KW, stride, padding, dilation
HEART = (2, 5, 7, 3, 2, 1, 0, 1), (3, 6, 4, 2, 3, 1, 0, 1)
PARTS = [
    ("one tap", [(3, 4, 5, 1, 1, 1, 0, 1)]),
    ("stride", [(2, 7, 8, 3, 2, 2, 0, 1), (1, 9, 7, 2, 2, 3, 0, 1)]),
    ("padding", [(2, 5, 4, 3, 3, 1, 1, 1), (1, 4, 6, 5, 3, 1, 2, 1)]),
    ("dilation", [(2, 7, 8, 3, 2, 1, 0, 2), (1, 8, 9, 2, 3, 1, 0, 3)]),
    ("all of them", [(3, 9, 11, 3, 2, 2, 2, 2), (2, 12, 7, 2, 3, 3, 1, 2)]),
]
OUTSIDE = (
    "a thread reads or writes outside of the array: threads behind the end do nothing, "
    "and where ih or iw is below 0, or H or W and more, x has no element"
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
    """What both have in common."""

    def cases(self, random):
        for sizes in HEART:
            yield self.heart, self.launch(random, sizes)
        for part, several in PARTS:
            for sizes in several:
                yield part, self.launch(random, sizes)
        planes, H, W = (random.randint(3, 9) for _ in range(3))
        some = planes, H, W, random.randint(1, 3), random.randint(1, 3), 1, 1, 1
        yield "padding", self.launch(random, some)

    def threads(self, count):
        return -(-count // 64) + 1, 64  # more than are needed


@checks(convolution.im2col)
class Im2col(WindowCheck):
    heart = "windows as columns"

    def launch(self, random, given):
        sizes = sizes_of(*given)
        x = distinct(random, *sizes[:3])
        columns = blank(sizes[0], *sizes[3:7])
        args = x, columns, *map(np.int32, sizes)
        return Launch(*self.threads(columns.size), args)

    def expected(self, launch, x, columns, *sizes):
        return unfolded(x, *sizes)

    @cause(
        "the order is wrong: rows of columns are taps, (kh, kw), and within them the "
        "places, (oh, ow); here each window lies in one piece"
    )
    def order(self, launch, x, columns, *sizes):
        taps = unfolded(x, *sizes)
        return taps.permute(0, 3, 4, 1, 2).reshape(taps.shape)

    @cause("kh and kw are exchanged: the row of a tap is kh * KW + kw")
    def taps_swapped(self, launch, x, columns, *sizes):
        taps = unfolded(x, *sizes)
        return taps.transpose(1, 2).reshape(taps.shape)

    @cause("oh and ow are exchanged: the column of a place is oh * OW + ow")
    def places_swapped(self, launch, x, columns, *sizes):
        taps = unfolded(x, *sizes)
        return taps.transpose(3, 4).reshape(taps.shape)

    @cause("the window is turned around: tap (0, 0) is its upper left one")
    def flipped(self, launch, x, columns, *sizes):
        return unfolded(x, *sizes).flip(1, 2)

    @cause("all planes read the first one: plane p begins at p * H * W")
    def first_plane(self, launch, x, columns, *sizes):
        x[1:] = x[0]
        return unfolded(x, *sizes)

    def other(self, x, *sizes, **change):
        """im2col with other numbers for stride, padding or dilation."""
        planes, H, W, KH, KW, OH, OW, stride, padding, dilation = sizes
        how = {"stride": stride, "padding": padding, "dilation": dilation} | change
        ih = torch.arange(OH)[:, None] * how["stride"] - how["padding"]
        ih = (ih + torch.arange(KH) * how["dilation"]).T[:, None, :, None]
        iw = torch.arange(OW)[:, None] * how["stride"] - how["padding"]
        iw = (iw + torch.arange(KW) * how["dilation"]).T[None, :, None, :]
        inside = (ih >= 0) & (ih < H) & (iw >= 0) & (iw < W)
        found = torch.as_tensor(x)[:, ih.clamp(0, H - 1), iw.clamp(0, W - 1)]
        return torch.where(inside, found, 0)

    @cause("the stride is left out: the window at oh begins at oh * stride - padding")
    def no_stride(self, launch, x, columns, *sizes):
        return self.other(x, *sizes, stride=1)

    @cause("the padding is left out: the window at oh begins at oh * stride - padding")
    def no_padding(self, launch, x, columns, *sizes):
        return self.other(x, *sizes, padding=0)

    @cause(
        "the padding has the wrong sign: it lies before the image, so it is taken off"
    )
    def padding_added(self, launch, x, columns, *sizes):
        return self.other(x, *sizes, padding=-sizes[-2])

    @cause("the dilation is left out: taps are `dilation` elements apart")
    def no_dilation(self, launch, x, columns, *sizes):
        return self.other(x, *sizes, dilation=1)

    @cause("stride and dilation are exchanged: places go by stride, taps by dilation")
    def stride_for_dilation(self, launch, x, columns, *sizes):
        return self.other(x, *sizes, stride=sizes[-1], dilation=sizes[-3])

    @cause("outside of the image there are zeros, not the nearest element")
    def nearest(self, launch, x, columns, *sizes):
        planes, H, W, KH, KW, *_ = sizes
        padding = sizes[-2]
        x = torch.as_tensor(x)[None]
        x = F.pad(x, (padding,) * 4, "replicate") if padding else x
        H, W = H + 2 * padding, W + 2 * padding
        return unfolded(x, planes, H, W, *sizes[3:8], 0, sizes[-1])

    row_wraps = mistake(
        "left or right of the image the element of the next row is read: iw must be at "
        "least 0 and below W, as ih is for H",
        """
        int i = blockIdx.x * blockDim.x + threadIdx.x, rest = i;
        if (i >= planes * KH * KW * OH * OW) return;
        int ow = rest % OW; rest /= OW;
        int oh = rest % OH; rest /= OH;
        int kw = rest % KW; rest /= KW;
        int kh = rest % KH, plane = rest / KH;
        int ih = oh * stride - padding + kh * dilation;
        int at = ih * W + ow * stride - padding + kw * dilation;
        bool inside = at >= 0 && at < H * W;
        columns[i] = inside ? x[plane * H * W + at] : 0.0f;
        """,
    )

    @cause(OUTSIDE)
    def outside(self, launch, x, columns, *sizes):
        return Fault("out-of-bounds")

    @cause("several threads write the same element of columns: one thread, one element")
    def race(self, launch, x, columns, *sizes):
        return Fault("race")


@checks(convolution.col2im)
class Col2im(WindowCheck):
    heart = "what lies in one place is added"

    def launch(self, random, given):
        sizes = sizes_of(*given)
        columns = distinct(random, sizes[0], *sizes[3:7]) * 5  # sums beyond 2048
        x = np.zeros(sizes[:3], np.float32)
        args = columns, x, *map(np.int32, sizes)
        return Launch(*self.threads(max(columns.size, x.size)), args)

    def expected(self, launch, columns, x, *sizes):
        return folded(columns, *sizes)

    overwritten = mistake(
        "what lies in one place is not added: where windows overlap, one element of "
        "columns overwrites another. Each must be added, by atomicAdd or by a thread "
        "of x that goes through all of them",
        """
        int i = blockIdx.x * blockDim.x + threadIdx.x, rest = i;
        if (i >= planes * KH * KW * OH * OW) return;
        int ow = rest % OW; rest /= OW;
        int oh = rest % OH; rest /= OH;
        int kw = rest % KW; rest /= KW;
        int kh = rest % KH, plane = rest / KH;
        int ih = oh * stride - padding + kh * dilation;
        int iw = ow * stride - padding + kw * dilation;
        if (ih >= 0 && ih < H && iw >= 0 && iw < W)
            x[(plane * H + ih) * W + iw] = columns[i];
        """,
    )

    @cause(
        "the sums are made of means: an element of x was copied to several columns, "
        "and its gradient is the sum of theirs, not divided by their number"
    )
    def mean(self, launch, columns, x, *sizes):
        total = folded(columns, *sizes)
        return total / folded(np.ones_like(columns), *sizes).clamp(min=1)

    @cause(
        "the order is wrong: rows of columns are taps, (kh, kw), and within them the "
        "places, (oh, ow); here each window is read in one piece"
    )
    def order(self, launch, columns, x, *sizes):
        planes, _, _, KH, KW, OH, OW, *_ = sizes
        taps = columns.reshape(planes, OH, OW, KH, KW).transpose(0, 3, 4, 1, 2)
        return folded(taps.copy(), *sizes)

    @cause("kh and kw are exchanged: the row of a tap is kh * KW + kw")
    def taps_swapped(self, launch, columns, x, *sizes):
        planes, _, _, KH, KW, OH, OW, *_ = sizes
        taps = columns.reshape(planes, KW, KH, OH, OW).transpose(0, 2, 1, 3, 4)
        return folded(taps.copy(), *sizes)

    @cause("the window is turned around: tap (0, 0) is its upper left one")
    def flipped(self, launch, columns, x, *sizes):
        return folded(columns[:, ::-1, ::-1].copy(), *sizes)

    @cause("only tap (0, 0) is added: every tap of every window has its part")
    def first_tap(self, launch, columns, x, *sizes):
        columns[:, 1:], columns[:, :, 1:] = 0, 0
        return folded(columns, *sizes)

    not_divided = mistake(
        "a gather must ask whether ih + padding - kh * dilation is a multiple of the "
        "stride: between two places there is no window",
        """
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i >= planes * H * W) return;
        int plane = i / (H * W), ih = i / W % H, iw = i % W;
        float sum = 0.0f;
        for (int kh = 0; kh < KH; kh++)
            for (int kw = 0; kw < KW; kw++) {
                int oh = ih + padding - kh * dilation;
                int ow = iw + padding - kw * dilation;
                if (oh < 0 || ow < 0) continue;
                oh /= stride;
                ow /= stride;
                if (oh < OH && ow < OW)
                    sum += columns[(((plane * KH + kh) * KW + kw) * OH + oh) * OW + ow];
            }
        x[i] = sum;
        """,
    )

    race = mistake(
        "threads that add to the same element at once lose sums: x[...] += reads, adds "
        "and writes, and another thread comes between. Use atomicAdd",
        """
        int i = blockIdx.x * blockDim.x + threadIdx.x, rest = i;
        if (i >= planes * KH * KW * OH * OW) return;
        int ow = rest % OW; rest /= OW;
        int oh = rest % OH; rest /= OH;
        int kw = rest % KW; rest /= KW;
        int kh = rest % KH, plane = rest / KH;
        int ih = oh * stride - padding + kh * dilation;
        int iw = ow * stride - padding + kw * dilation;
        if (ih >= 0 && ih < H && iw >= 0 && iw < W)
            x[(plane * H + ih) * W + iw] += columns[i];
        """,
    )

    @cause(OUTSIDE)
    def outside(self, launch, columns, x, *sizes):
        return Fault("out-of-bounds")
