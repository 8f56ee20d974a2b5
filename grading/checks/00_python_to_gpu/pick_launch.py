"""pick_launch: one thread for each element, within a device's limits."""

import math

from grading.checking.pairwise import drawn
from grading.exercise import Check, call
from minigrad.kernels.first import pick_launch

USUAL = {"threads": 1024, "registers": 65536, "blocks": 2**31 - 1}
OLD = {"threads": 512, "registers": 8192, "blocks": 65535}
SIZES = 1024, 512, 256, 128, 64, 32


def cases(random):
    for n in (1000, 1024, 1025, 1, 2048, 5000, 1_000_003):
        yield "the grid", call(n, 32, USUAL)
    yield "the grid", call(random.randint(3000, 90_000), 20, USUAL)
    for registers in (64, 65, 128, 129, 255, 256, 1024, 2048):
        yield "registers", call(70_000, registers, USUAL)
    for registers in (100, 37, 3, random.randrange(1, 99, 2)):
        for most in (512 * registers, 256 * registers - 1):
            yield "registers", call(70_000, registers, USUAL | {"registers": most})
    for threads in (2048, 1024, 1023, 512, 100, 64, 32):
        yield "threads in a block", call(3000, 16, USUAL | {"threads": threads})
    for registers in (10, 16, 17, 33, 256):
        yield "both limits", call(4001, registers, OLD)
    yield "both limits", call(4001, random.randint(1, 256), OLD)
    for n, registers, *most in drawn(
        random,
        n=(1, 31, 32, 33, 1025, 70_001, 2**31 + 1, 2**45, 2**50 - 1),
        registers=(1, 16, 32, 33, 64, 65, 255, 2048),
        threads=(31, 32, 33, 64, 511, 512, 1000, 1024, 2048),
        of_block=(2047, 8192, 65_535, 65_536, 2**18),
        blocks=(1, 3, 65_535, 2**31 - 1, 2**50),
    ):
        yield "both limits", call(n, registers, dict(zip(USUAL, most, strict=True)))
    for limits in (USUAL, OLD, dict.fromkeys(USUAL, 1)):
        yield "no elements", call(0, 32, limits)
    yield "no elements", call(0, 5000, USUAL)
    for blocks in (3, 4):
        yield "too many blocks", call(1025 * 3, 32, USUAL | {"blocks": blocks})
    for n in (2**41 - 1024, 2**41 - 1023):
        yield "too many blocks", call(n, 32, USUAL)
    yield "too many blocks", call(65535 * 512, 16, OLD)
    yield "too many blocks", call(65535 * 512 + 1, 16, OLD)
    for registers in (2049, 70_000):
        yield "no block is small enough", call(100, registers, USUAL)
    yield "no block is small enough", call(100, 16, USUAL | {"threads": 31})


def reference(n, registers, limits):
    if n == 0:
        return None
    fitting = [s for s in SIZES if s * registers <= limits["registers"]]
    threads = max(s for s in fitting if s <= limits["threads"])
    blocks = math.ceil(n / threads)
    if blocks > limits["blocks"]:
        raise ValueError("too many blocks")
    return blocks, threads


check = Check(
    pick_launch,
    cases=cases,
    reference=reference,
    not_tested="n < 0 and registers < 1: the contract has neither",
)
