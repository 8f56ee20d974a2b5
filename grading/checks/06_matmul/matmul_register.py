"""matmul_register: counted everywhere, timed where a GPU is."""

import functools

import numpy as np

from grading.exercise import Check, Launch, Limits, Problem, arrays
from grading.kernels import gpu
from minigrad.kernels.matmul import matmul_register
from minigrad.launch import cdiv

from .. import products
from ..reductions import U, coarse

SIZE, THREADS = 128, 256
DEEP = 48  # along K, the deepest tiles that 48 KB hold
SHARED = 0.6  # accesses of shared memory for each multiplication; tiles take 2
SHARE, BONUS = 0.35, 0.6  # of cuBLAS in float32
LARGE = 4096


def limits(blocks, K):  # noqa: N803
    reads, deep = 2 * blocks * SIZE * K, cdiv(K, DEEP) * DEEP + 8  # as k <= K has
    multiplied = blocks * SIZE * SIZE * deep
    return {
        "reads": int(products.SLACK * reads),
        "shared_requests": int((SHARED * multiplied + 2 * reads) / 32),
    }


launch = functools.partial(
    products.launch, block=(THREADS,), area=(SIZE, SIZE), limits=limits
)


def cases(random):
    yield "whole blocks", launch(random, 128, 256, DEEP)
    some = random.randint(129, 190), 4 * random.randint(20, 31), 16
    for sizes in some, (33_000, 4, 0), (1, 33_000, 0), (1, 4, 520):
        yield "any sizes", launch(random, *sizes)
    yield "a ragged K", launch(random, 20, 24, 4)
    yield products.zero_and_infinity(launch(random, 18, 20, 20))
    yield "K = 0", launch(random, 30, 140, 0)


def speed(exercise, text):
    """The time beside cuBLAS's, in the same process each."""
    n = LARGE
    matrices = [np.full((n, n), value, np.float32) for value in (1, 0.5, 0)]
    whole = Launch((n // SIZE, n // SIZE), THREADS, (*matrices, *np.int32([n, n, n])))
    measured = gpu.share(exercise, text, gpu.CUBLAS, whole, SHARE)
    if isinstance(measured, Problem):
        return [(False, measured.message)]
    share, *times = measured
    reached, best = (2 * n**3 / seconds / 1e12 for seconds in times)
    message = (
        f"Your kernel reaches {reached:.1f} TFLOP/s, {share:.0%} of the {best:.1f} "
        f"TFLOP/s of cuBLAS on this GPU. The exercise asks for {SHARE:.0%}, and the "
        f"bonus for {BONUS:.0%}."
    )
    if share >= BONUS:
        message += " You have the bonus."
    return [(share >= SHARE, message)]


check = Check(
    matmul_register,
    cases=cases,
    reference=products.reference,
    compare=arrays(atol=U),
    diagnose=coarse,
    limits=Limits(steps=200_000, tries=4),
    on_gpu={"speed": speed},
    not_tested="most of SIZES, as a block makes 128 x 128; and N and K that 4 does not "
    "divide: the contract has none",
)
