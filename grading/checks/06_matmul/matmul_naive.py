"""matmul_naive: the plain product."""

from dataclasses import replace

from grading.checking.pairwise import pairwise
from grading.exercise import Check, arrays
from minigrad.kernels.matmul import matmul_naive

from ..products import launch, reference, three_sizes, zero_and_infinity
from ..reductions import U, coarse


def cases(random):
    for part, M, N, K in three_sizes(random):
        if K < 999:
            yield part, launch(random, M, N, K, (16, 16))
    for row in pairwise(
        random,
        block=((16, 16), (32, 4), (8, 8), (64, 1), (1, 64), (5, 7), (1, 1), (2, 512)),
        size=((20, 25, 12), (1, 33, 0), (31, 1, 17)),
        spare=((0, 0), (1, 0), (0, 2)),
    ):
        some = launch(random, *row["size"], row["block"])
        grid = tuple(map(sum, zip(some.grid, row["spare"], strict=True)))
        yield "blocks of any shape", replace(some, grid=grid)
    yield zero_and_infinity(launch(random, 18, 20, 19, (16, 16)))


check = Check(
    matmul_naive,
    cases=cases,
    reference=reference,
    compare=arrays(atol=U),
    diagnose=coarse,
    not_tested="limits of reads and M or N of 0: the contract has neither; and a K of "
    "more than 999, which takes a thread a second",
)
