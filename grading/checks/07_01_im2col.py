"""Windows as columns."""

import numpy as np

from grading.checking import checks
from grading.kernels import Fault, Launch, blank, distinct
from grading.mistakes import Mistake, mistakes, right
from minigrad.kernels.convolution import im2col

from .windows import (
    FLIPPED,
    OUTSIDE,
    TAPS_SWAPPED,
    WindowCheck,
    flipped,
    sizes_of,
    taps_swapped,
    unfolded,
    window_first,
)


@checks(im2col)
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


mistakes(
    im2col,
    order=Mistake(
        "the order is wrong: rows of columns are taps, (kh, kw), and within them the "
        "places, (oh, ow); here each window lies in one piece",
        window_first,
    ),
    taps_swapped=Mistake(TAPS_SWAPPED, taps_swapped),
    flipped=Mistake(FLIPPED, flipped),
    first_plane=Mistake(
        "all planes read the first one: plane p begins at p * H * W",
        "plane * H + ih -> ih",
    ),
    no_stride=Mistake(
        "the stride is left out: the window at oh begins at oh * stride - padding",
        " * stride ->",
    ),
    no_padding=Mistake(
        "the padding is left out: the window at oh begins at oh * stride - padding",
        " - padding ->",
    ),
    padding_added=Mistake(
        "the padding has the wrong sign: it lies before the image, so it is taken off",
        "- padding -> + padding",
    ),
    no_dilation=Mistake(
        "the dilation is left out: taps are `dilation` elements apart",
        " * dilation ->",
    ),
    masked=Mistake(
        "outside of the image an element is read from its edge and multiplied by 0: "
        "infinity times 0 is NaN. Choose 0 itself",
        "inside ? x[(plane * H + ih) * W + iw] : 0.0f -> inside * x[(plane * H + "
        "max(0, min(ih, H - 1))) * W + max(0, min(iw, W - 1))]",
    ),
    row_wraps=Mistake(
        "left or right of the image the element of the next row is read: iw must be at "
        "least 0 and below W, as ih is for H",
        "ih >= 0 && ih < H && iw >= 0 && iw < W -> "
        "ih * W + iw >= 0 && ih * W + iw < H * W",
    ),
    outside=Mistake(
        OUTSIDE,
        Fault("out-of-bounds"),
        "inside ? x[(plane * H + ih) * W + iw] : 0.0f -> x[(plane * H + ih) * W + iw]",
        "if (i >= planes * KH * KW * OH * OW) return; ->",
    ),
)

right(
    im2col,
    "a thread a window",
    """
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= planes * OH * OW) return;
    int plane = i / (OH * OW), at = i % (OH * OW);
    for (int tap = 0; tap < KH * KW; tap++) {
        int ih = at / OW * stride - padding + tap / KW * dilation;
        int iw = at % OW * stride - padding + tap % KW * dilation;
        float value = 0;
        if (ih >= 0 && iw >= 0 && ih < H && iw < W)
            value = x[plane * H * W + ih * W + iw];
        columns[(plane * KH * KW + tap) * OH * OW + at] = value;
    }
    """,
)
