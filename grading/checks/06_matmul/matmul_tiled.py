"""matmul_tiled: the product with tiles; reads and sectors are counted."""

from grading.exercise import Check, arrays
from minigrad.kernels.matmul import matmul_tiled

from ..products import TILE, launch, reference, three_sizes, whole, zero_and_infinity
from ..reductions import U, coarse

BLOCK = TILE, TILE


def limits(blocks, K):  # noqa: N803
    reads = whole(blocks, K)  # a row of 16 floats lies in three sectors at most
    return {"reads": reads, "sectors": 3 * (reads + TILE * TILE * blocks) // 16}


def cases(random):
    for part, *sizes in three_sizes(random):
        yield part, launch(random, *sizes, BLOCK, limits=limits)
    yield zero_and_infinity(launch(random, 18, 20, 19, BLOCK, limits=limits))


check = Check(
    matmul_tiled,
    cases=cases,
    reference=reference,
    compare=arrays(atol=U),
    diagnose=coarse,
    not_tested="blocks but 16 x 16 and M or N of 0: the contract has neither",
)
