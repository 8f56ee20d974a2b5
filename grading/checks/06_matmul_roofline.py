"""Chapter 06, the roofline: PyTorch counts FLOP and bytes; some are done by hand."""

import math

import torch
from torch.utils.flop_counter import FlopCounterMode

from grading import show
from grading.checking import Check, cause, checks
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
    def cases(self, random):
        for shapes in BY_HAND:
            yield "two matrices", *shapes, *H200
        for _ in range(4):
            M, N, K = (random.randint(1, 300) for _ in range(3))  # noqa: N806
            yield "two matrices", (M, K), (K, N), 1e9 * random.randint(10, 99), 3e12
        for near in (1, 63 / 64, 65 / 64):  # intensity 1/4: all of it is exact
            yield "on the edge", (2, 2), (2, 1), 2.0**30, 2.0**28 * near
        for a, b in [((10, 3, 4), (10, 4, 5)), ((6, 30, 40), (40, 2)),
                     ((7, 2), (5, 2, 3)), ((4, 1, 9, 8), (3, 8, 7))]:  # fmt: skip
            yield "batches", a, b, 1e9 * random.randint(10, 99), 3e12
        for itemsize in (2, 8):
            yield "other types", (50, 60), (60, 70), *H200, itemsize

    def expected(self, a, b, bandwidth, peak, itemsize=4):
        nbytes, flops = self.counted(a, b, itemsize)
        if (a, b) in BY_HAND and itemsize == 4:
            assert (nbytes, flops) == BY_HAND[a, b]
        return self.under(nbytes, flops, bandwidth, peak)

    def counted(self, a, b, itemsize):
        """Bytes of the operands and the result, and what PyTorch's counter counts."""
        left, right = (torch.empty(shape, device="meta") for shape in (a, b))
        with FlopCounterMode(display=False) as counter:
            result = left @ right
        elements = sum(x.numel() for x in (left, right, result))
        return elements * itemsize, counter.get_total_flops()

    def under(self, nbytes, flops, bandwidth, peak):
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
            said["expected"] = show.text({k: expected[k] for k in wrong})
            said["got"] = show.text({k: got.get(k) for k in wrong})
        return [*said.items()]

    def sizes(self, a, b):
        """(the number of products, M, N, K)."""
        batch = torch.broadcast_shapes(a[:-2], b[:-2])
        return math.prod(batch), a[-2], b[-1], a[-1]

    def with_bytes(self, elements, a, b, bandwidth, peak, itemsize):
        flops = self.counted(a, b, itemsize)[1]
        return self.under(elements * itemsize, flops, bandwidth, peak)

    @cause(
        "each element is counted as often as it is used: that is what a plain kernel "
        "reads, not what must move. An element that has been read can be kept: count "
        "each of a, b and the result once"
    )
    def re_reads(self, a, b, bandwidth, peak, itemsize=4):
        count, M, N, K = self.sizes(a, b)  # noqa: N806
        elements = count * (2 * M * N * K + M * N)
        return self.with_bytes(elements, a, b, bandwidth, peak, itemsize)

    @cause(
        "a matrix that serves for several products is counted for each of them: it is "
        "read once"
    )
    def broadcast_re_reads(self, a, b, bandwidth, peak, itemsize=4):
        count, M, N, K = self.sizes(a, b)  # noqa: N806
        elements = count * (M * K + K * N + M * N)
        return self.with_bytes(elements, a, b, bandwidth, peak, itemsize)

    @cause("the batch is left out: there are as many products as it has elements")
    def no_batch(self, a, b, bandwidth, peak, itemsize=4):
        return self.expected(a[-2:], b[-2:], bandwidth, peak, itemsize)

    @cause("the result is left out: it is written, and that is traffic, too")
    def no_result(self, a, b, bandwidth, peak, itemsize=4):
        elements = math.prod(a) + math.prod(b)
        return self.with_bytes(elements, a, b, bandwidth, peak, itemsize)

    @cause("elements are counted, not bytes: each has itemsize bytes")
    def no_itemsize(self, a, b, bandwidth, peak, itemsize=4):
        return self.expected(a, b, bandwidth, peak, 1)

    @cause("itemsize is not used: an element need not have 4 bytes")
    def always_four(self, a, b, bandwidth, peak, itemsize=4):
        return self.expected(a, b, bandwidth, peak, 4)

    @cause("a multiplication and its addition are two operations, not one")
    def one_for_both(self, a, b, bandwidth, peak, itemsize=4):
        nbytes, flops = self.counted(a, b, itemsize)
        return self.under(nbytes, flops // 2, bandwidth, peak)

    @cause("the intensity is upside down: FLOP for each byte, flops / bytes")
    def upside_down(self, a, b, bandwidth, peak, itemsize=4):
        right = self.expected(a, b, bandwidth, peak, itemsize)
        intensity = right["bytes"] / right["flops"]
        fed = intensity * bandwidth
        bound = "memory" if fed < peak else "compute"
        return right | {
            "intensity": intensity,
            "rate": float(min(peak, fed)),
            "bound": bound,
        }

    @cause(
        "the rate is not limited by the memory, or not by the peak: it is the smaller "
        "of peak and intensity * bandwidth"
    )
    def larger(self, a, b, bandwidth, peak, itemsize=4):
        right = self.expected(a, b, bandwidth, peak, itemsize)
        return right | {"rate": max(peak, right["intensity"] * bandwidth)}

    @cause("the rate is always the peak: where the memory feeds less, that is the rate")
    def always_peak(self, a, b, bandwidth, peak, itemsize=4):
        return self.expected(a, b, bandwidth, peak, itemsize) | {"rate": peak}

    @cause("the rate is never limited by the peak: take the smaller of both")
    def always_memory(self, a, b, bandwidth, peak, itemsize=4):
        right = self.expected(a, b, bandwidth, peak, itemsize)
        return right | {"rate": right["intensity"] * bandwidth}

    @cause(
        'the bounds have changed places: where the memory allows less, it is "memory"'
    )
    def bounds_swapped(self, a, b, bandwidth, peak, itemsize=4):
        right = self.expected(a, b, bandwidth, peak, itemsize)
        other = "memory" if right["bound"] == "compute" else "compute"
        return right | {"bound": other}

    @cause('where both allow the same, the bound is "compute"')
    def edge(self, a, b, bandwidth, peak, itemsize=4):
        right = self.expected(a, b, bandwidth, peak, itemsize)
        fed = right["intensity"] * bandwidth
        return right | {"bound": "memory" if fed <= peak else "compute"}
