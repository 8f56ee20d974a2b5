"""roofline: PyTorch counts the FLOP and the elements."""

import torch
from torch.utils.flop_counter import FlopCounterMode

from grading.checking.pairwise import pairwise
from grading.exercise import Check, call
from minigrad.kernels.matmul import roofline

H200 = 4.24e12, 51.1e12  # bytes a second, FLOP a second


def drawn(random):
    """(bandwidth, peak)"""
    return 1e9 * random.randint(10, 99), 3e12


def cases(random):
    for M, K, N in [(2, 3, 4), (1, 1, 1), (1, 1000, 1), (1000, 1, 1000), (4096,) * 3]:
        yield "two matrices", call((M, K), (K, N), *H200)
    for _ in range(4):
        M, N, K = (random.randint(1, 300) for _ in range(3))  # noqa: N806
        yield "two matrices", call((M, K), (K, N), *drawn(random))
    yield "two matrices", call((70_000, 64), (64, 80_000), *H200)
    yield "two matrices", call((5 * 10**6, 10**6 + 1), (10**6 + 1, 5 * 10**6), *H200)
    for near in (1, 63 / 64, 65 / 64):  # intensity 1/4: all of it is exact
        yield "on the edge", call((2, 2), (2, 1), 2.0**30, 2.0**28 * near)
    for shapes in [((10, 3, 4), (10, 4, 5)), ((6, 30, 40), (40, 2)),
                   ((7, 2), (5, 2, 3)), ((4, 1, 9, 8), (3, 8, 7))]:  # fmt: skip
        yield "batches", call(*shapes, *drawn(random))
    for row in pairwise(
        random,
        shapes=(((50, 60), (60, 70)), ((1, 9), (9, 1)), ((2, 1, 3, 4), (5, 4, 2)),
                ((3, 1), (6, 2, 1, 5)), ((1, 5, 1, 1), (4, 1, 1, 3))),
        itemsize=(1, 2, 8, 16),
        machine=(H200, (1e9, 1e15), (1e15, 1e9), (10**12, 10**13)),
    ):  # fmt: skip
        some = call(*row["shapes"], *row["machine"], row["itemsize"])
        yield "other types", some


def reference(a, b, bandwidth, peak, itemsize=4):
    left, right = (torch.empty(shape, device="meta") for shape in (a, b))
    with FlopCounterMode(display=False) as counter:
        result = left @ right
    nbytes = itemsize * sum(x.numel() for x in (left, right, result))
    flops = counter.get_total_flops()
    fed = flops / nbytes * bandwidth
    return {
        "bytes": nbytes,
        "flops": flops,
        "intensity": flops / nbytes,
        "rate": float(min(peak, fed)),
        "bound": "memory" if fed < peak else "compute",
    }


def compare(got, expected, case=None):
    """Numbers may be ints or floats."""
    if isinstance(expected, dict):
        keys = isinstance(got, dict) and got.keys() == expected.keys()
        return keys and all(compare(got[key], value) for key, value in expected.items())
    if isinstance(expected, str):
        return type(got) is str and got == expected
    near = 1e-9 * expected  # an int may be beyond all floats: it can be compared
    return type(got) in (int, float) and expected - near <= got <= expected + near


def diagnose(got, expected, case):
    if isinstance(got, dict) and got.keys() != expected.keys():
        names = ", ".join(f'"{key}"' for key in expected)
        return "keys", f"The keys aren't the five of the contract. Use {names}."
    return None


check = Check(
    roofline,
    cases=cases,
    reference=reference,
    compare=compare,
    diagnose=diagnose,
    not_tested="sizes of 0, vectors and shapes that do not fit: none is allowed",
)
