"""First steps with a launch. Written by the learner in lab 00."""

from ..exercises.registry import exercise, kernel_exercise


@exercise(points=2, stars=1, minutes=10)
def pick_launch(n, registers, limits):
    """Return (blocks, threads) of a launch that gives each of n elements a thread.

    n: an int >= 0, below 2 ** 50.
    registers: how many registers each thread of the kernel needs, an int >= 1.
    limits: what the device allows at most, a dict of ints:
        "threads": threads per block
        "registers": registers per block, for all of its threads together
        "blocks": blocks per grid

    threads must be the largest of 1024, 512, 256, 128, 64, and 32 that's allowed, and
    blocks must be the smallest number that gives each element a thread.
    If n is 0, return None, whatever the kernel needs, because CUDA refuses a grid
    without blocks.
    Raises ValueError if not even 32 threads are allowed, or if the launch needs
    more blocks than are allowed.

    limits = {"threads": 1024, "registers": 65536, "blocks": 2147483647}
    pick_launch(1000, 32, limits) -> (1, 1024)
    pick_launch(1000, 100, limits) -> (2, 512), because 1024 threads need 102400
    """


roll = kernel_exercise(
    """\
// y[i] = x[(i - shift) mod n] for i = 0 ... n - 1, so x is moved by shift positions,
// and what leaves at one end comes in at the other.
//
// mod is Python's %, whose result is never negative for n > 0. shift is any int and may
// be negative or larger than n. i - shift fits into an int, but i + shift may not. The
// launch is one-dimensional, with at least n threads, often more. n >= 0, and no thread
// may divide by 0. x and y are different arrays, and you may read and write only their
// first n elements.
// n = 5, shift = 2: x = 0 1 2 3 4 gives y = 3 4 0 1 2
__global__ void roll(const float* x, float* y, int n, int shift);
""",
    points=2,
    stars=2,
    minutes=15,
    level="good to know",
)
