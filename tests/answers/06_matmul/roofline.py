"""Answers of roofline by other algorithms."""

import itertools
import math
from fractions import Fraction

import numpy as np

from minigrad.kernels.matmul import roofline
from tools.audit.specimens import answer


@answer(roofline, right="by times")
def _(a, b, bandwidth, peak, itemsize=4):
    count, depth = math.prod(np.broadcast_shapes(a[:-2], b[:-2])), a[-1]
    c = count * a[-2] * b[-1]
    flops = c * depth * 2
    nbytes = (math.prod(a) + math.prod(b) + c) * itemsize
    moving, computing = nbytes / bandwidth, flops / peak
    bound = "compute" if computing >= moving else "memory"
    rate = flops / max(moving, computing)
    return dict(bytes=nbytes, flops=flops, intensity=flops / nbytes, rate=rate,
                bound=bound)  # fmt: skip


@answer(roofline, right="size by size, in whole numbers and fractions")
def _(a, b, bandwidth, peak, itemsize=4):
    c, count = [a[-2], b[-1]], Fraction(2 * a[-1])
    for m, n in itertools.zip_longest(a[-3::-1], b[-3::-1], fillvalue=1):
        c.append(m if n == 1 else n)
    for size in c:
        count *= size
    moved = 0
    for shape in (a, b, c):
        elements = 1
        for size in shape:
            elements *= size
        moved += elements * itemsize
    said = {"bytes": moved, "flops": int(count), "intensity": float(count / moved)}
    if float(count / moved) * bandwidth < peak:
        return said | {"rate": said["intensity"] * bandwidth, "bound": "memory"}
    return said | {"rate": peak, "bound": "compute"}
