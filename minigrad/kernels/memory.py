"""Memory: sharing it, moving it, timing it. Written by the learner in lab 02."""

from ..exercises.registry import exercise, kernel_exercise

shared_reverse = kernel_exercise(
    """\
// Set y to x with the elements of each block in reverse order.
//
// Block b has the elements i with b * blockDim.x <= i < (b + 1) * blockDim.x and i < n.
// So the block that contains x[n - 1] may have fewer than blockDim.x, and must reverse
// only those. Later blocks have none. The elements must go through shared memory, from
// one thread to another, and no two threads may race.
//
// The launch has one dimension, and the grid may have more blocks than needed.
// blockDim.x is at most 256, and n >= 0. An array declared as `extern __shared__` has
// 4 * blockDim.x bytes. A thread may return early, and then no barrier waits for it.
// Blocks of 4, n = 6:  x = 0 1 2 3 4 5,  y = 3 2 1 0 5 4
__global__ void shared_reverse(const float* x, float* y, int n);
""",
    points=2,
    stars=1,
    minutes=10,
)

block_sum = kernel_exercise(
    """\
// Set sums[b] to the sum of block b's elements of x.
//
// Block b has the elements i with b * blockDim.x <= i < (b + 1) * blockDim.x and i < n.
// If it has none, its sum is 0. Add as a tree: a block may make at most 200 accesses to
// shared memory, counted per warp. That's enough for 256 elements. Shared memory must
// be used, but shuffles are allowed too. Atomics aren't, and no two threads may race.
// inf and NaN are added as usual for floats.
//
// The launch has one dimension and one block per element of sums, which may hold
// anything at first. blockDim.x is a power of two and at most 256, and n >= 0. An array
// declared as `extern __shared__` has 4 * blockDim.x bytes.
// Blocks of 4, n = 6:  x = 1 2 3 4 5 6,  sums = 10 11
__global__ void block_sum(const float* x, float* sums, int n);
""",
    points=3,
    stars=2,
    minutes=20,
)

fix_the_race = kernel_exercise(
    """\
// Set y[i] to the running total x[first] + ... + x[i] of i's block.
//
// Block b has the elements i with b * blockDim.x <= i < (b + 1) * blockDim.x and i < n,
// and `first` is the first of them. The totals must be computed in shared memory. No
// two threads may race, whatever the values are.
//
// The launch has one dimension, and the grid may have more blocks than needed.
// blockDim.x is at most 256, and n >= 0. An array declared as `extern __shared__` has
// 8 * blockDim.x bytes. A thread may return early, and then no barrier waits for it.
// Blocks of 4, n = 6:  x = 1 1 1 1 1 1,  y = 1 2 3 4 1 2
__global__ void fix_the_race(const int* x, int* y, int n);
""",
    points=2,
    stars=2,
    minutes=15,
)

coalesced_copy = kernel_exercise(
    """\
// Set y[i] = x[i] for i = 0 ... n - 1, with coalesced reads and writes.
//
// If x and y together fill s sectors of 32 bytes, all requests may touch at most
// 1.3 * s + 4 sectors. Loads of one float per thread are good enough for that. Exactly
// one thread must write each element.
//
// The launch has one dimension and blocks of whole warps. There may be fewer threads
// than elements, and then each copies several. There may also be more. n >= 0. x and y
// begin at a multiple of 32 bytes.
__global__ void coalesced_copy(const float* x, float* y, int n);
""",
    points=2,
    stars=2,
    minutes=15,
    level="good to know",
)

transpose_tiled = kernel_exercise(
    """\
// Transpose a matrix: y[col, row] = x[row, col].
//
// x is rows x cols and y is cols x rows, both stored row by row. A block takes a tile
// of 32 x 32 elements of x, which begins at row blockIdx.y * 32 and column
// blockIdx.x * 32. Read x and write y along rows, so that both are coalesced, and use
// shared memory without bank conflicts.
//
// blockDim.x is 32, and blockDim.y is 8 or another number up to 32. The grid is the
// smallest that covers x, but has at least one block. The last tiles may reach beyond
// x. rows >= 0 and cols >= 0. An array declared as `extern __shared__` has 4224 bytes,
// which is 32 x 33 floats.
__global__ void transpose_tiled(const float* x, float* y, int rows, int cols);
""",
    points=3,
    stars=3,
    minutes=30,
    level="good to know",
)


@exercise(points=2, stars=2, minutes=20, level="good to know")
def bench(run, device, warmup=3, repeat=20):
    """Return the median time of one run() in seconds, as a float.

    Call run() `warmup` times without timing it. Then call it `repeat` times, and time
    each of these calls separately. When a timed call begins, no work may be left over
    on the device, not even work from before the first call of run().

    run: starts work on the device and returns at once.
    device: has these methods. You may use the clock or events.
        device.synchronize()   returns when all work that was started is done
        device.clock()         returns the time now, in seconds
        device.event()         returns an event: event.record() puts it after the work
                               that was started, event.synchronize() waits until it's
                               reached, and start.elapsed_time(stop) is the time in
                               milliseconds between two events that were reached
    warmup: an int >= 0.
    repeat: an int >= 1. If it's even, the median is the mean of the middle two times.

    You may return a NumPy float64, because it's a Python float too.
    """
