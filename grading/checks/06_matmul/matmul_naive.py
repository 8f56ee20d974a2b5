"""matmul_naive: the plain product."""

from dataclasses import replace

from grading.exercise import Check, arrays
from minigrad.kernels.matmul import matmul_naive

from ..products import launch, reference, three_sizes, zero_and_infinity
from ..reductions import U, coarse


def cases(random):
    for part, M, N, K in three_sizes(random):
        if K < 999:
            yield part, launch(random, M, N, K, (16, 16))
    for block in [(32, 4), (8, 8), (64, 1), (5, 7), (1, 1), (2, 512)]:
        yield "blocks of any shape", launch(random, 20, 25, 12, block)
    spare = replace(launch(random, 20, 45, 12, (16, 16)), grid=(4, 3))
    yield "blocks of any shape", spare
    yield zero_and_infinity(launch(random, 18, 20, 20, (16, 16)))


check = Check(
    matmul_naive,
    cases=cases,
    reference=reference,
    compare=arrays(atol=U),
    diagnose=coarse,
    not_tested="limits of reads and M or N of 0: the contract has neither; and a K of "
    "more than 999, which takes a thread a second",
)
