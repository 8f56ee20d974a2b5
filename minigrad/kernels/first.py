"""First steps with a launch. Written by the learner in lab 00."""

from ..exercises.registry import exercise, kernel_exercise


@exercise(points=2, stars=1, minutes=10)
def pick_launch(n, registers, limits):
    """(blocks, threads) of a launch that gives each of n elements a thread.

    n: an int >= 0, below 2 ** 50. registers: how many each thread of the kernel needs,
    an int >= 1.
    limits: what the device allows at most, a dict of ints:
        "threads": threads in a block
        "registers": registers of a block, those of all its threads together
        "blocks": blocks in a grid

    threads: the largest of 1024, 512, 256, 128, 64 and 32 that a block may have.
    blocks: as few as give each element a thread.
    None where there is nothing to launch, n = 0, whatever the kernel needs: CUDA
    refuses a grid without blocks.
    ValueError where not even 32 threads are allowed, or where more blocks are needed
    than are allowed.

    limits = {"threads": 1024, "registers": 65536, "blocks": 2147483647}
    pick_launch(1000, 32, limits) -> (1, 1024)
    pick_launch(1000, 100, limits) -> (2, 512): 1024 threads need 102400 registers
    """


roll = kernel_exercise(
    """\
// y[i] = x[(i - shift) mod n] for i = 0 ... n - 1: x moved on by shift places; what
// leaves at one end comes in at the other.
//
// mod is Python's %: its result is never negative. shift is any int, also negative, or
// larger than n. i - shift fits into an int, but i + shift may not. The launch has one
// dimension and at least n threads, often more. n >= 0. x and y are different arrays,
// and only their first n elements may be read or written.
// n = 5, shift = 2: x = 0 1 2 3 4 gives y = 3 4 0 1 2
__global__ void roll(const float* x, float* y, int n, int shift);
""",
    points=2,
    stars=2,
    minutes=15,
    level="good to know",
)
