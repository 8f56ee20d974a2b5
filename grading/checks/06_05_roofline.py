"""The roofline: PyTorch counts FLOP and bytes; some are done by hand."""

import itertools
import math
from fractions import Fraction

import numpy as np
import torch
from torch.utils.flop_counter import FlopCounterMode

from grading.checking import describe
from grading.exercise import Check, checks, mistakes, right
from minigrad.kernels.matmul import roofline

H200 = 4.24e12, 51.1e12  # bytes a second, FLOP a second
BY_HAND = {  # two shapes: bytes of floats, FLOP
    ((2, 3), (3, 4)): (4 * (6 + 12 + 8), 48),
    ((1, 1), (1, 1)): (12, 2),
    ((1, 1000), (1000, 1)): (8004, 2000),
    ((1000, 1), (1, 1000)): (4_008_000, 2_000_000),
    ((4096, 4096), (4096, 4096)): (201_326_592, 137_438_953_472),
}


@checks(roofline)
class Roofline(Check):
    """Leaves out sizes of 0, vectors and shapes that do not fit: none is allowed."""

    def cases(self, random):
        for shapes in BY_HAND:
            yield "two matrices", *shapes, *H200
        for _ in range(4):
            M, N, K = (random.randint(1, 300) for _ in range(3))  # noqa: N806
            yield "two matrices", (M, K), (K, N), 1e9 * random.randint(10, 99), 3e12
        yield "two matrices", (70_000, 64), (64, 80_000), *H200
        yield "two matrices", (5 * 10**6, 10**6 + 1), (10**6 + 1, 5 * 10**6), *H200
        for near in (1, 63 / 64, 65 / 64):  # intensity 1/4: all of it is exact
            yield "on the edge", (2, 2), (2, 1), 2.0**30, 2.0**28 * near
        for a, b in [((10, 3, 4), (10, 4, 5)), ((6, 30, 40), (40, 2)),
                     ((7, 2), (5, 2, 3)), ((4, 1, 9, 8), (3, 8, 7))]:  # fmt: skip
            yield "batches", a, b, 1e9 * random.randint(10, 99), 3e12
        for itemsize in (2, 8):
            yield "other types", (50, 60), (60, 70), *H200, itemsize

    def expected(self, a, b, bandwidth, peak, itemsize=4):
        left, right = (torch.empty(shape, device="meta") for shape in (a, b))
        with FlopCounterMode(display=False) as counter:
            result = left @ right
        nbytes = itemsize * sum(x.numel() for x in (left, right, result))
        flops = counter.get_total_flops()
        if (a, b) in BY_HAND and itemsize == 4:
            assert (nbytes, flops) == BY_HAND[a, b]
        fed = flops / nbytes * bandwidth
        return {
            "bytes": nbytes,
            "flops": flops,
            "intensity": flops / nbytes,
            "rate": float(min(peak, fed)),
            "bound": "memory" if fed < peak else "compute",
        }

    def same(self, got, expected, *args):
        if not isinstance(got, dict) or got.keys() != expected.keys():
            return False
        return all(self.alike(got[key], value) for key, value in expected.items())

    def alike(self, got, expected):
        if isinstance(expected, str) or type(got) not in (int, float):
            return type(got) is str and got == expected
        return math.isclose(got, expected, rel_tol=1e-9)

    def general(self, case):
        got, expected = case.got, case.expected
        if isinstance(got, dict) and got.keys() != expected.keys():
            names = ", ".join(f'"{key}"' for key in expected)
            return "keys", f"the dict has these five keys: {names}"
        return super().general(case)

    def lines(self, case):
        """Of two dicts, what differs; what is in the wrong one alone, by its name."""
        got, expected = case.got, case.expected
        said = dict(super().lines(case))
        if isinstance(got, dict):
            wrong = [k for k in expected if not self.alike(got.get(k), expected[k])]
            said["expected"] = describe.text({k: expected[k] for k in wrong})
            said["got"] = describe.text({k: got.get(k) for k in wrong})
        return [*said.items()]


NBYTES = "itemsize * sum(math.prod(shape) for shape in (a, b, result))"
mistakes(roofline)(rf"""
broadcast_re_reads: a matrix that serves for several products is counted for each of
    them: it is read once
> in (a, b, result) -> in ((*result[:-2], *a[-2:]), (*result[:-2], *b[-2:]), result)
larger_batch: one batch is taken for both: they are broadcast one size at a time, so
    that (4, 1) and (1, 5) make (4, 5)
> broadcast_shapes(a[:-2], b[:-2]) -> max(a[:-2], b[:-2])
no_result: the result is left out: it is written, and that is traffic, too
> (a, b, result) -> (a, b)
always_four: itemsize is not used: an element need not have 4 bytes
> itemsize * -> 4 *
one_for_both: a multiplication and its addition are two operations, not one
> 2 * math -> math
upside_down: the intensity is upside down: FLOP for each byte, flops / bytes
> flops / nbytes -> nbytes / flops
larger: the rate is not limited by the memory, or not by the peak: it is the smaller of
    peak and intensity * bandwidth
> min( -> max(
always_peak: the rate is always the peak: where the memory feeds less, that is the rate
> min(peak, fed) -> peak
bounds_swapped: the bounds have changed places: where the memory allows less, it is
    "memory"
> if fed < peak -> if fed >= peak
edge: where both allow the same, the bound is "compute"
> fed < -> fed <=
re_reads: each element is counted as often as it is used: that is what a plain kernel
    reads, not what must move. An element that has been read can be kept: count each of
    a, b and the result once
> {NBYTES} -> itemsize * math.prod(result) * (2 * a[-1] + 1)
no_batch: the batch is left out: there are as many products as it has elements
> result = -> a, b = a[-2:], b[-2:]\n    result =
keys:
> "rate" -> "flop_rate"
""")


@right(roofline, "by times")
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


@right(roofline, "size by size, in whole numbers and fractions")
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
