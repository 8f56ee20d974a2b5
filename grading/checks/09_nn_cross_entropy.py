"""What the checks of cross entropy share: its input, and how exact it must be.

lse is a sum of at most 33000 / 256 terms in a loop and 8 in a tree, its logarithm off
by as much as the sum is in parts: below 2^-14 in each case. Beside that lse is a
float, rounded by 2^-24 of its size, and the loss is a difference of such. In the
backward the exponential of x - lse, of some 16 at most in the cases, is off by a few u,
so the same holds.
"""

import numpy as np
import torch
import torch.nn.functional as F

from grading.exercise import Launch, blank, checks, mistakes
from grading.kernels.runs import same_arrays
from minigrad.kernels.losses import cross_entropy_backward, cross_entropy_forward

from .reductions import ReductionCheck, TreesCheck

IGNORE = -100


def scores(random, rows, n, scale=8):
    draw = np.random.default_rng(random.getrandbits(64))
    return (draw.uniform(-scale, scale, (rows, n))).astype(np.float32)


def targets(random, rows, n, ignored=0, ignore=IGNORE):
    found = np.array([random.randrange(n) for _ in range(rows)], np.int32)
    found[random.sample(range(rows), ignored)] = ignore
    return found


@checks(cross_entropy_forward)
class CrossEntropyForward(TreesCheck):
    """Leaves out NaN and +infinity, which no score is."""

    rtol, atol = 2.0**-14, 2.0**-14
    steps, watched = 70_000, 2**14  # one thread a row is slow, and right

    def cases(self, random):
        def of(x, size, ignored=0, ignore=IGNORE):
            rows, n = x.shape
            t = targets(random, rows, n, ignored, ignore)
            args = x, t, blank(rows), blank(rows), np.int32(n), np.int32(ignore)
            counted = 1000 <= n < self.watched
            reads = {"reads of x": rows * (4 * n + size)} if counted else {}
            return Launch(rows, size, args, 0, reads)

        for rows, n, size in [(5, 64, 64), (4, 100, 128), (3, 256, 256)]:
            yield "the loss", of(scores(random, rows, n), size)
        steep = scores(random, 90, 90)  # each place has the largest of a row
        np.fill_diagonal(steep, 10_000)
        yield "scores up to 10000", of(steep, 64)
        yield "scores up to 10000", of(scores(random, 3, 50) - 9990, 32)
        rising = np.sort(scores(random, 1, 33_000, 90))
        yield "rows longer than a block", of(rising, 256)
        yield "rows longer than a block", of(scores(random, 40_000, 3), 32)
        for n, size in [(1000, 256), (257, 64), (3000, 256)]:
            yield "rows longer than a block", of(scores(random, 2, n), size)
        for n, size in [(1, 64), (2, 1), (33, 32), (10, 256), (30, 16), (9, 4)]:
            yield "rows of any length", of(scores(random, 3, n), size)
        yield "ignored rows", of(scores(random, 6, 40), 64, ignored=3)
        yield "ignored rows", of(scores(random, 6, 40), 64, ignored=3, ignore=255)
        ruled_out = scores(random, 3, 300)
        ruled_out[0, ::2] = ruled_out[1:, ::3] = -np.inf  # all, or some, of a thread's
        yield "minus infinity", self.with_finite_targets(of(ruled_out, 64))
        yield "minus infinity", of(ruled_out, 64)  # a loss may be infinite

    def same(self, got, expected, launch):
        """A float lse of 10000 is rounded by 2^-11, and so is what is subtracted."""
        x = launch.args[0]
        near = self.atol + abs(x[np.isfinite(x)]).max() * 2.0**-23
        arrays = [(got.arrays[name], value) for name, value in expected.items()]
        return all(same_arrays(a, b, self.rtol, near) for a, b in arrays)

    def with_finite_targets(self, launch):
        launch.args[1][:] = np.minimum(launch.args[1] | 1, 299)
        return launch

    def expected(self, launch, x, target, losses, lse, n, ignore):
        x, t = torch.from_numpy(x).double(), torch.from_numpy(target).long()
        loss = F.cross_entropy(x, t, reduction="none", ignore_index=int(ignore))
        return {"losses": loss, "lse": torch.logsumexp(x, 1)}


LOSS, SYNC = "lse[row] - x[t]", "__syncthreads();"
TOP, STEP = f"m = partial[0];\n    {SYNC}", "if (tid < half) partial[tid] +="
mistakes(cross_entropy_forward)(f"""
no_shift: the row's largest score is not subtracted before exp: exp of 89 is infinite in
    float, and of all below -104 it is 0
> m = partial[0]; -> m = 0.0f;
shift_not_added: the largest score is subtracted and never added again: lse = m +
    log(sum)
> = m + log -> = log
of_softmax: log(softmax) in two steps: where the share is below 1e-38 it is 0, and its
    logarithm infinite. Subtract: lse - x[target]
> {LOSS} -> -log(exp(x[t] - m) / partial[0])
not_ignored: a row whose target is `ignore` has the loss 0: and x[target] lies outside
> t == ignore ? 0.0f : ->
first_pass: only the first blockDim.x scores of a row are seen: each thread needs a loop
> i < n; -> i < min(n, blockDim.x);
own_largest: each thread subtracts the largest of its own scores: the terms of a sum
    must have the same subtracted, the row's
> {TOP} -> float top = partial[0]; {SYNC}
& lse[row] = m -> lse[row] = top
lse_missing: lse of an ignored row is not written: it is the same as for any other row
> lse[row] = m -> if (t != ignore) lse[row] = m
no_barrier:
> {TOP} -> m = partial[0];
> {SYNC} {STEP} -> {STEP}
barrier_in_if:
> {SYNC} {STEP} -> if (tid < half) {SYNC} {STEP}
not_filled: a cell is used that nobody has filled
! uninitialised
> partial[tid] = m -> if (tid < n) partial[tid] = m
outside: a thread goes outside the arrays: row r has n scores, from r * n on, and a
    target may be `ignore`
! out-of-bounds
> row * n -> row * n + n
> t == ignore -> t == -100
equivalent: whatever is near the largest score may be subtracted in its place
> through int: m = partial[0];
> through half: m = partial[0];
right: by one thread
>
    if (threadIdx.x > 0) return;
    int r = blockIdx.x;
    float m = x[r * n];
    for (int i = 1; i < n; i++) m = fmaxf(m, x[r * n + i]);
    float sum = 0.0f;
    for (int i = 0; i < n; i++) sum += expf(x[r * n + i] - m);
    float value = m + logf(sum);
    lse[r] = value;
    losses[r] = 0.0f;
    if (target[r] != ignore) losses[r] = value - x[r * n + target[r]];
right: each thread adds the parts up
>
    __shared__ float part[256];
    int tid = threadIdx.x, t = target[blockIdx.x];
    const float* row = x + blockIdx.x * n;
    float m = -INFINITY, own = 0, sum = 0;
    for (int i = tid; i < n; i += blockDim.x) m = fmaxf(m, row[i]);
    part[tid] = m;
    __syncthreads();
    for (int i = 0; i < blockDim.x; i++) m = fmaxf(m, part[i]);
    __syncthreads();
    for (int i = tid; i < n; i += blockDim.x) own += expf(row[i] - m);
    part[tid] = own;
    __syncthreads();
    if (tid > 0) return;
    for (int i = 0; i < blockDim.x; i++) sum += part[i];
    lse[blockIdx.x] = m + logf(sum);
    losses[blockIdx.x] = t == ignore ? 0 : m - row[t] + logf(sum);
right: in one pass
>
    __shared__ float tops[256], sums[256];
    int tid = threadIdx.x, row = blockIdx.x;
    float top = -INFINITY, sum = 0;
    for (int i = tid; i < n; i += blockDim.x) {{
        float value = x[row * n + i], before = top;
        if (value == -INFINITY) continue;
        top = max(top, value);
        sum = sum * exp(before - top) + exp(value - top);
    }}
    tops[tid] = top;
    sums[tid] = sum;
    for (int half = blockDim.x / 2; half > 0; half /= 2) {{
        __syncthreads();
        if (tid >= half || sums[tid + half] == 0) continue;
        float a = tops[tid], b = tops[tid + half], m = max(a, b);
        sums[tid] = sums[tid] * exp(a - m) + sums[tid + half] * exp(b - m);
        tops[tid] = m;
    }}
    if (tid > 0) return;
    float all = tops[0] + log(sums[0]);
    lse[row] = all;
    losses[row] = target[row] == ignore ? 0.0f : all - x[row * n + target[row]];
""")


@checks(cross_entropy_backward)
class CrossEntropyBackward(ReductionCheck):
    """Leaves out scores far beyond 100, where a float lse is too coarse."""

    rtol, atol = 2.0**-14, 2.0**-20
    steps = 50_000  # a thread may do all rows

    def cases(self, random):
        def of(rows, n, threads, ignored=0, dy=1.0, size=64, ignore=IGNORE, far=0):
            x = scores(random, rows, n) + np.float32(far)
            t = targets(random, rows, n, ignored, ignore)
            lse = torch.logsumexp(torch.from_numpy(x).double(), 1).float().numpy()
            up = np.array([dy], np.float32)
            count = np.int32(rows - ignored)
            rest = np.int32(rows), np.int32(n), np.int32(ignore), count
            grid = -(-threads // size)
            return Launch(grid, size, (x, t, lse, up, blank(rows, n), *rest))

        for rows, n in [(4, 16), (1, 10), (6, 33)]:
            yield "the gradient", of(rows, n, rows * n)
        yield "the gradient that comes", of(3, 20, 64, dy=-2.5)
        yield "the gradient that comes", of(5, 7, 64, dy=0.125)
        yield "scores near 100", of(3, 20, 64, far=100)
        yield "ignored rows", of(7, 12, 128, ignored=4)
        yield "ignored rows", of(7, 12, 128, ignored=4, ignore=255)
        yield "every row ignored", of(3, 8, 64, ignored=3)
        yield "any number of threads", of(9, 100, 64)
        yield "any number of threads", of(400, 100, 36_000, size=96)
        yield "any number of threads", of(30, 300, 96, size=96)
        yield "any number of threads", of(2, 3, 640)

    def expected(self, launch, x, target, lse, dy, dx, rows, n, ignore, count):
        x = torch.from_numpy(x).double().requires_grad_()
        t = torch.from_numpy(target).long()
        if not count:  # PyTorch's mean of nothing is NaN
            return torch.zeros(x.shape)
        loss = F.cross_entropy(x, t, ignore_index=int(ignore))
        return torch.autograd.grad(loss, x, torch.tensor(dy[0]).double())[0]


SLOPE = "(share - (i % n == t))"
mistakes(cross_entropy_backward)(f"""
sum_not_mean: that is the gradient of the sum: the mean has 1 / count
>  / count ->
by_rows: it is divided by the number of rows: the mean is over those that are not
    ignored, `count`
> / count -> / rows
no_dy: the gradient that comes is not used: dy[0] is a factor
> dy[0] / -> 1.0f /
no_one_hot: that is the softmax alone: from the target's share 1 is subtracted
> {SLOPE} -> share
sign: the sign: softmax minus one-hot, so that a step against the gradient raises the
    target's score
> dy[0] / -> -dy[0] /
not_ignored: a row that is ignored has no gradient: 0
> t == ignore ? 0.0f : ->
fixed_ignore: a row is ignored where its target is `ignore`, whatever number that is
> t == ignore -> t == -100
overflow: exp of a score beyond 88 is infinite in float: subtract first, exp(x - lse)
> exp(x[i] - lse[row]) -> exp(x[i]) / exp(lse[row])
one_pass: a thread has one element only: with fewer threads than elements it needs a
    loop
> i += threads -> i += rows * n
outside: a thread without an element writes all the same: there may be more threads than
    elements
! out-of-bounds
> for (int i = -> int i =
& threadIdx.x; i < rows * n; i += threads) -> threadIdx.x;
equivalent: 2 ** 15 rows show it: a right answer that loops over them takes seconds
> type: int row = i / n, t = target[row]; -> short
equivalent: a float is exact up to 2**24, more threads than a simulation has time for
> type: int threads = gridDim.x * blockDim.x; -> float
right: row by row
>
    int first = blockIdx.x * blockDim.x + threadIdx.x;
    for (int r = 0; r < rows; r++)
        for (int c = first; c < n; c += gridDim.x * blockDim.x) {{
            float one = c == target[r] ? 1.0f : 0.0f;
            float slope = expf(x[r * n + c] - lse[r]) - one;
            dx[r * n + c] = target[r] != ignore ? slope * dy[0] / count : 0.0f;
        }}
right: each thread a share of the elements
>
    int threads = gridDim.x * blockDim.x, all = rows * n;
    int share = (all + threads - 1) / threads;
    int first = (blockIdx.x * blockDim.x + threadIdx.x) * share;
    for (int i = first; i < min(first + share, all); i++) {{
        int row = i / n;
        float p = exp(x[i] - lse[row]);
        if (i == row * n + target[row]) p -= 1;
        dx[i] = target[row] == ignore ? 0.0f : p * (dy[0] / count);
    }}
right: a thread a row
>
    int first = blockIdx.x * blockDim.x + threadIdx.x;
    for (int r = first; r < rows; r += gridDim.x * blockDim.x) {{
        float scale = target[r] == ignore ? 0.0f : dy[0] / count;
        for (int c = 0; c < n; c++)
            dx[r * n + c] = scale * exp(x[r * n + c] - lse[r]);
        if (target[r] != ignore) dx[r * n + target[r]] -= scale;
    }}
""")
