"""The launch that gives each element a thread, within a device's limits."""

import math

from grading.exercise import Check, checks, mistakes, right
from minigrad.kernels.first import pick_launch

USUAL = {"threads": 1024, "registers": 65536, "blocks": 2**31 - 1}
OLD = {"threads": 512, "registers": 8192, "blocks": 65535}
SIZES = 1024, 512, 256, 128, 64, 32


@checks(pick_launch)
class PickLaunch(Check):
    """Leaves out n < 0 and registers < 1: the contract has neither."""

    def cases(self, random):
        for n in (1000, 1024, 1025, 1, 2048, 5000, 1_000_003):
            yield "the grid", n, 32, USUAL
        yield "the grid", random.randint(3000, 90_000), 20, USUAL
        for registers in (64, 65, 128, 129, 255, 256, 1024, 2048):
            yield "registers", 70_000, registers, USUAL
        for registers in (100, 37, 3, random.randrange(1, 99, 2)):
            for all_of_them in (512 * registers, 256 * registers - 1):
                few = USUAL | {"registers": all_of_them}
                yield "registers", 70_000, registers, few
        for threads in (2048, 1024, 1023, 512, 100, 64, 32):
            yield "threads in a block", 3000, 16, USUAL | {"threads": threads}
        for registers in (10, 16, 17, 33, 256):
            yield "both limits", 4001, registers, OLD
        yield "both limits", 4001, random.randint(1, 256), OLD
        for limits in (USUAL, OLD):
            yield "no elements", 0, 32, limits
        yield "no elements", 0, 5000, USUAL
        for blocks in (3, 4):
            yield "too many blocks", 1025 * 3, 32, USUAL | {"blocks": blocks}
        for n in (2**41 - 1024, 2**41 - 1023):
            yield "too many blocks", n, 32, USUAL
        yield "too many blocks", 65535 * 512, 16, OLD
        yield "too many blocks", 65535 * 512 + 1, 16, OLD
        for registers in (2049, 70_000):
            yield "no block is small enough", 100, registers, USUAL
        yield "no block is small enough", 100, 16, USUAL | {"threads": 31}

    def expected(self, n, registers, limits):
        if n == 0:
            return None
        fitting = [s for s in SIZES if s * registers <= limits["registers"]]
        threads = max(s for s in fitting if s <= limits["threads"])
        blocks = math.ceil(n / threads)
        if blocks > limits["blocks"]:
            raise ValueError("too many blocks")
        return blocks, threads


mistakes(pick_launch)(r"""
floor: rounded down: the elements after the last whole block get no thread
> -(-n // threads) -> n // threads
one_more: n // threads + 1 is a block too many where n is a multiple: round up with -(-n
    // threads)
> -(-n // threads) -> n // threads + 1
smallest: the largest block that is allowed is wanted: begin with 1024
> (1024, 512, 256, 128, 64, 32) -> (32, 64, 128, 256, 512, 1024)
no_registers: the registers are not looked at: threads * registers must be within the
    limit
>  and enough ->
a_thread_alone: limits["registers"] is for a whole block: compare threads * registers
    with it
> threads * registers -> registers
no_threads: limits["threads"] is not looked at
> threads <= limits["threads"] and enough -> enough
no_cap: 1024 is the largest block, even where limits["threads"] is above it
> (1024, 512, 256, 128, 64, 32) -> (2048, 1024, 512, 256, 128, 64, 32)
rounded_up: the registers count as they are given: nothing rounds them up
> threads * registers -> threads * -(-registers // 8) * 8
strict: a block that needs all of its registers is allowed: compare with <=
> registers <= limits["registers"] -> registers < limits["registers"]
not_shrunk: a block is as large as the limits allow, also where n is small
> in (1024, 512, 256, 128, 64, 32): -> in (1024, 512, 256, 128, 64, 32):\n        if
    threads >= 2 * n and threads > 32:\n            continue
empty_grid: n = 0: there is nothing to launch, so None is wanted
> if n == 0: -> if n < 0:
shrinks_for_blocks: where the grid has too many blocks, a smaller block needs more
    still: raise ValueError
> raise ValueError("more blocks than the grid may have") -> return None
capped: a grid that is cut to its limit leaves elements without a thread: raise
    ValueError
> raise ValueError("more blocks than the grid may have") -> blocks = limits["blocks"]
nothing_allowed: where no block is small enough, raise ValueError
> raise ValueError("not even 32 threads are allowed") -> return None
""")


@right(pick_launch, "by powers of two")
def _(n, registers, limits):
    if n == 0:
        return None
    most = min(limits["threads"], limits["registers"] // registers, 1024)
    if most < 32:
        raise ValueError("no block")
    threads = 2 ** (most.bit_length() - 1)
    blocks = len(range(0, n, threads))
    if blocks > limits["blocks"]:
        raise ValueError("no grid")
    return blocks, threads


@right(pick_launch, "by halving, in a function that calls itself")
def _(n, registers, limits):
    def largest(threads):
        if threads < 32:
            raise ValueError("no block is small enough")
        much = threads > limits["threads"] or threads * registers > limits["registers"]
        return largest(threads // 2) if much else threads

    if not n:
        return None
    threads = largest(1024)
    blocks, rest = divmod(n, threads)
    blocks += rest > 0
    if limits["blocks"] < blocks:
        raise ValueError("no grid is large enough")
    return blocks, threads


@right(pick_launch, "every launch that a block allows, and the last of them")
def _(n, registers, limits):
    most = limits["threads"], limits["registers"] / registers
    launches = [((n - 1) // t + 1, t) for t in (2**k for k in range(5, 11))
                if all(t <= limit for limit in most)]  # fmt: skip
    if n == 0:
        return None
    if not launches or launches[-1][0] > limits["blocks"]:
        raise ValueError("it cannot be launched")
    return launches[-1]
