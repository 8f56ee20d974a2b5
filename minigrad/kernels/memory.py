"""Memory: sharing it, moving it, timing it. Written by the learner in lab 02."""

from ..exercises.registry import exercise, kernel_exercise

shared_reverse = kernel_exercise(
    """\
// y is x with the elements of each block in reverse order, by way of shared memory,
// through which the threads exchange them.
//
// The launch has one dimension. Block b has blockDim.x elements, from number
// b * blockDim.x on; the last one of x may have fewer, and reverses just those. The
// grid may have blocks to spare. blockDim.x is at most 256, n >= 0. An array that is
// `extern __shared__` has 4 * blockDim.x bytes. A thread may return early: no barrier
// waits for it then.
// Blocks of 4, n = 6:  x = 0 1 2 3 4 5,  y = 3 2 1 0 5 4
__global__ void shared_reverse(const float* x, float* y, int n);
""",
    points=2,
    stars=1,
    minutes=10,
)

block_sum = kernel_exercise(
    """\
// sums[b] is the sum of block b's elements of x, added as a tree in shared memory.
//
// The launch has one dimension, and as many blocks as sums has elements. Block b has
// blockDim.x elements, from number b * blockDim.x on, those of them that are below n.
// A block without any has the sum 0. blockDim.x is a power of two, at most 256. n >= 0.
// No atomics; inf and NaN add as floats do. sums may hold anything before. A block's
// warps access shared memory 200 times at most, and may add by shuffles, too. An array
// that is `extern __shared__` has 4 * blockDim.x bytes.
// Blocks of 4, n = 6:  x = 1 2 3 4 5 6,  sums = 10 11
__global__ void block_sum(const float* x, float* sums, int n);
""",
    points=3,
    stars=2,
    minutes=20,
)

fix_the_race = kernel_exercise(
    """\
// y[i] = x[first] + ... + x[i], where `first` is the first element of i's block.
//
// Each block makes the running totals of its own elements in shared memory: block b has
// blockDim.x of them, from number b * blockDim.x on, those that are below n. The launch
// has one dimension. blockDim.x is at most 256, n >= 0. An array that is
// `extern __shared__` has 8 * blockDim.x bytes. No two threads may race, whatever the
// values are. A thread may return early: no barrier waits for it then.
// Blocks of 4, n = 6:  x = 1 1 1 1 1 1,  y = 1 2 3 4 1 2
__global__ void fix_the_race(const int* x, int* y, int n);
""",
    points=2,
    stars=2,
    minutes=15,
)

coalesced_copy = kernel_exercise(
    """\
// y[i] = x[i] for i = 0 ... n - 1, with few memory transactions: at most 1.3 sectors of
// 32 bytes for each that x and y fill, and 4 more.
//
// The launch has one dimension, blocks of whole warps, and any number of blocks: fewer
// threads than elements, so that each copies several, or more. Each element is written
// by one thread. n >= 0; x and y begin at a multiple of 32 bytes.
__global__ void coalesced_copy(const float* x, float* y, int n);
""",
    points=2,
    stars=2,
    minutes=15,
    level="good to know",
)

transpose_tiled = kernel_exercise(
    """\
// y[col, row] = x[row, col]: x is rows x cols, y is cols x rows, stored row by row.
//
// blockDim.x is 32; blockDim.y is 8, or another number up to 32. A block takes a tile
// of 32 x 32 elements of x: rows from blockIdx.y * 32 on, columns from blockIdx.x * 32
// on. The grid is the smallest that covers x, of at least one block; the last tiles may
// reach beyond x. rows >= 0, cols >= 0.
// Both x and y are to be used in whole rows of a tile, and shared memory without bank
// conflicts. An array that is `extern __shared__` has 4224 bytes, 32 x 33 floats.
__global__ void transpose_tiled(const float* x, float* y, int rows, int cols);
""",
    points=3,
    stars=3,
    minutes=30,
)


@exercise(points=2, stars=2, minutes=20, level="good to know")
def bench(run, device, warmup=3, repeat=20):
    """The median time of one run(), in seconds, as a float (NumPy's float64 is one).

    First run() is called `warmup` times, without being timed: 0 or more. Then it is
    called `repeat` times, 1 or more, and each of these calls is timed by itself. No
    work may be left over on the device when a timed call begins. There may be some even
    before the first call of run().

    run() starts work on the device and returns at once. device has:
    device.synchronize()   returns when all work that was started has been done
    device.clock()         the time now, in seconds
    device.event()         an event: event.record() puts it after the work that was
                           started; event.synchronize() waits until it is reached;
                           start.elapsed_time(stop) is the time between two events that
                           were reached, in milliseconds, as in PyTorch
    Use the clock or events, as you like. With an even `repeat` the median lies in the
    middle of the two times in the middle.
    """
