"""Answers of pick_launch by other algorithms."""

from minigrad.kernels.first import pick_launch
from tools.audit.specimens import answer


@answer(pick_launch, right="by powers of two")
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


@answer(pick_launch, right="by halving, in a function that calls itself")
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


@answer(pick_launch, right="every launch that a block allows, and the last of them")
def _(n, registers, limits):
    most = limits["threads"], limits["registers"] / registers
    launches = [((n - 1) // t + 1, t) for t in (2**k for k in range(5, 11))
                if all(t <= limit for limit in most)]  # fmt: skip
    if n == 0:
        return None
    if not launches or launches[-1][0] > limits["blocks"]:
        raise ValueError("it cannot be launched")
    return launches[-1]
