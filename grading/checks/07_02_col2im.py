"""And back: what lies in one place is added."""

import numpy as np

from grading.checking import checks
from grading.kernels import Fault, Launch
from grading.mistakes import Mistake, Patch, mistakes, right
from minigrad.kernels.convolution import col2im

from .tiles import exact
from .windows import (
    FLIPPED,
    OUTSIDE,
    TAPS_SWAPPED,
    WindowCheck,
    flipped,
    folded,
    sizes_of,
    taps_swapped,
    window_first,
)


@checks(col2im)
class Col2im(WindowCheck):
    heart = "what lies in one place is added"

    def launch(self, random, given):
        sizes = sizes_of(*given)
        columns = exact(random, sizes[0], *sizes[3:7])
        x = np.zeros(sizes[:3], np.float32)
        args = columns, x, *map(np.int32, sizes)
        return Launch(*self.threads(max(columns.size, x.size)), args)

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
mistakes(
    col2im,
    overwritten=Mistake(
        "what lies in one place is not added: where windows overlap, one element of "
        "columns overwrites another. Each must be added, by atomicAdd or by a thread "
        "of x that goes through all of them",
        "atomicAdd(&x[(plane * H + ih) * W + iw], columns[i]) -> "
        "x[(plane * H + ih) * W + iw] = columns[i]",
    ),
    order=Mistake(
        "the order is wrong: rows of columns are taps, (kh, kw), and within them the "
        "places, (oh, ow); here each window is read in one piece",
        window_first,
    ),
    taps_swapped=Mistake(TAPS_SWAPPED, taps_swapped),
    flipped=Mistake(FLIPPED, flipped),
    first_tap=Mistake(
        "only tap (0, 0) is added: every tap of every window has its part",
        "ih >= 0 && -> kh + kw == 0 && ih >= 0 &&",
    ),
    not_divided=Mistake(
        "a gather must ask whether ih + padding - kh * dilation is a multiple of the "
        "stride: between two places there is no window",
        Patch(" || oh % stride || ow % stride ->", of=GATHER),
    ),
    race=Mistake(
        "threads that add to the same element at once lose sums: x[...] += reads, adds "
        "and writes, and another thread comes between. Use atomicAdd",
        "atomicAdd(&x[(plane * H + ih) * W + iw], columns[i]) -> "
        "x[(plane * H + ih) * W + iw] += columns[i]",
    ),
    outside=Mistake(
        OUTSIDE,
        Fault("out-of-bounds"),
        "if (ih >= 0 && ih < H && iw >= 0 && iw < W) ->",
    ),
)

right(col2im, "a gather", GATHER)
right(
    col2im,
    "a thread a window",
    """
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= planes * OH * OW) return;
    int plane = i / (OH * OW), at = i % (OH * OW);
    for (int tap = 0; tap < KH * KW; tap++) {
        int ih = at / OW * stride - padding + tap / KW * dilation;
        int iw = at % OW * stride - padding + tap % KW * dilation;
        if (ih < 0 || iw < 0 || ih >= H || iw >= W) continue;
        atomicAdd(x + plane * H * W + ih * W + iw,
                  columns[(plane * KH * KW + tap) * OH * OW + at]);
    }
    """,
)
