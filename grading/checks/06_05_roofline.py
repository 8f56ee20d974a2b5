"""The roofline: PyTorch counts FLOP and bytes; some are done by hand."""

import math

import torch
from torch.utils.flop_counter import FlopCounterMode

from grading.checking import describe
from grading.exercise import Check, checks
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
