"""Chapter 06, roofline: wrong answers that learners write, and right ones."""

import math

from grading.specimens import mutant, right
from minigrad.kernels.matmul import roofline
from minigrad.layout import broadcast_shapes, numel


def under(nbytes, flops, bandwidth, peak):
    fed = flops / nbytes * bandwidth
    return {
        "bytes": nbytes,
        "flops": flops,
        "intensity": flops / nbytes,
        "rate": min(peak, fed),
        "bound": "memory" if fed < peak else "compute",
    }


def sizes(a, b):
    """(the result's shape, K)."""
    return (*broadcast_shapes(a[:-2], b[:-2]), a[-2], b[-1]), a[-1]


def counted(a, b, bandwidth, peak, itemsize=4):
    c, K = sizes(a, b)  # noqa: N806
    elements = numel(a) + numel(b) + numel(c)
    return under(itemsize * elements, 2 * numel(c) * K, bandwidth, peak)


@mutant(roofline, "re_reads")
def _(a, b, bandwidth, peak, itemsize=4):
    c, K = sizes(a, b)  # noqa: N806
    elements = numel(c) * (K + K + 1)
    return under(itemsize * elements, 2 * numel(c) * K, bandwidth, peak)


@mutant(roofline, "broadcast_re_reads")
def _(a, b, bandwidth, peak, itemsize=4):
    c, K = sizes(a, b)  # noqa: N806
    count = numel(c[:-2])
    elements = count * (numel(a[-2:]) + numel(b[-2:])) + numel(c)
    return under(itemsize * elements, 2 * numel(c) * K, bandwidth, peak)


@mutant(roofline, "no_batch")
def _(a, b, bandwidth, peak, itemsize=4):
    return counted(a[-2:], b[-2:], bandwidth, peak, itemsize)


@mutant(roofline, "no_result")
def _(a, b, bandwidth, peak, itemsize=4):
    c, K = sizes(a, b)  # noqa: N806
    nbytes = itemsize * (math.prod(a) + math.prod(b))
    return under(nbytes, 2 * math.prod(c) * K, bandwidth, peak)


@mutant(roofline, "no_itemsize")
def _(a, b, bandwidth, peak, itemsize=4):
    return counted(a, b, bandwidth, peak, 1)


@mutant(roofline, "always_four")
def _(a, b, bandwidth, peak, itemsize=4):
    return counted(a, b, bandwidth, peak)


@mutant(roofline, "one_for_both")
def _(a, b, bandwidth, peak, itemsize=4):
    c, K = sizes(a, b)  # noqa: N806
    elements = numel(a) + numel(b) + numel(c)
    return under(itemsize * elements, numel(c) * K, bandwidth, peak)


@mutant(roofline, "upside_down")
def _(a, b, bandwidth, peak, itemsize=4):
    said = counted(a, b, bandwidth, peak, itemsize)
    said["intensity"] = said["bytes"] / said["flops"]
    said["rate"] = min(peak, said["intensity"] * bandwidth)
    below = said["intensity"] * bandwidth < peak
    said["bound"] = "memory" if below else "compute"
    return said


@mutant(roofline, "larger")
def _(a, b, bandwidth, peak, itemsize=4):
    said = counted(a, b, bandwidth, peak, itemsize)
    said["rate"] = max(peak, said["intensity"] * bandwidth)
    return said


@mutant(roofline, "always_peak")
def _(a, b, bandwidth, peak, itemsize=4):
    return {**counted(a, b, bandwidth, peak, itemsize), "rate": peak}


@mutant(roofline, "always_memory")
def _(a, b, bandwidth, peak, itemsize=4):
    said = counted(a, b, bandwidth, peak, itemsize)
    return {**said, "rate": said["flops"] / said["bytes"] * bandwidth}


@mutant(roofline, "bounds_swapped")
def _(a, b, bandwidth, peak, itemsize=4):
    said = counted(a, b, bandwidth, peak, itemsize)
    below = said["intensity"] * bandwidth < peak
    return {**said, "bound": "compute" if below else "memory"}


@mutant(roofline, "edge")
def _(a, b, bandwidth, peak, itemsize=4):
    said = counted(a, b, bandwidth, peak, itemsize)
    below = said["intensity"] * bandwidth <= peak
    return {**said, "bound": "memory" if below else "compute"}


@mutant(roofline, "none", "returns nothing")
def _(a, b, bandwidth, peak, itemsize=4):
    counted(a, b, bandwidth, peak, itemsize)


@mutant(roofline, "keys", "another name for the rate")
def _(a, b, bandwidth, peak, itemsize=4):
    said = counted(a, b, bandwidth, peak, itemsize)
    said["flop_rate"] = said.pop("rate")
    return said


@mutant(roofline, "wrong_type", "a tuple")
def _(a, b, bandwidth, peak, itemsize=4):
    return tuple(counted(a, b, bandwidth, peak, itemsize).values())


right(roofline, "in small steps")(counted)


@right(roofline, "by times")
def _(a, b, bandwidth, peak, itemsize=4):
    *batch, rows, columns = sizes(a, b)[0]
    depth, count = a[-1], math.prod(batch)
    flops = count * rows * columns * depth * 2
    nbytes = (math.prod(a) + math.prod(b) + count * rows * columns) * itemsize
    moving, computing = nbytes / bandwidth, flops / peak
    bound = "compute" if computing >= moving else "memory"
    rate = flops / max(moving, computing)
    return dict(bytes=nbytes, flops=flops, intensity=flops / nbytes, rate=rate,
                bound=bound)  # fmt: skip


@right(roofline, "by the ridge")
def _(a, b, bandwidth, peak, itemsize=4):
    batch = []
    x, y = a[:-2][::-1], b[:-2][::-1]
    for i in range(max(len(x), len(y))):
        p, q = (x[i] if i < len(x) else 1), (y[i] if i < len(y) else 1)
        batch.append(p if q == 1 else q)
    products, out = 1, a[-2] * b[-1]
    for size in batch:
        products *= size
    elements = products * out
    for shape in (a, b):
        size = 1
        for n in shape:
            size *= n
        elements += size
    said = {"bytes": float(elements * itemsize), "flops": 2.0 * products * out * a[-1]}
    said["intensity"] = said["flops"] / said["bytes"]
    is_left = said["intensity"] < peak / bandwidth
    said["bound"] = ("compute", "memory")[is_left]
    said["rate"] = said["intensity"] * bandwidth if is_left else peak
    return said
