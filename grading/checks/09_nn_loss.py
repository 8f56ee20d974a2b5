"""Chapter 09, cross entropy forward and backward, as kernels; how exact they must be.

lse is a sum of at most 3000 / 64 terms in a loop and 8 in a tree, its logarithm off by
as much as the sum is in parts: below 2^-14 in each of the cases. Beside that lse is a
float, rounded by 2^-24 of its size, and the loss is a difference of such. In the
backward the exponential of x - lse, of some 16 at most in the cases, is off by a few u,
so the same holds.
"""

import numpy as np
import torch
import torch.nn.functional as F

from grading.checking import cause, checks
from grading.kernel_runs import same_arrays
from grading.kernels import Fault, Launch, blank, mistake
from minigrad.kernels import losses

from .reductions import FLOAT, ReductionCheck

IGNORE = -100
EACH = "for (int i = tid; i < n; i += blockDim.x)"
TREE = """
    partial[tid] = %s;
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        __syncthreads();
        if (tid < half) %s;
    }
    __syncthreads();
    %s = partial[0];
    __syncthreads();
"""
MAX = TREE % ("m", "partial[tid] = max(partial[tid], partial[tid + half])", "m")
SUM = TREE % ("l", "partial[tid] += partial[tid + half]", "l")
HEAD = """
    __shared__ float partial[256];
    int tid = threadIdx.x, t = target[blockIdx.x];
    x += blockIdx.x * n;
"""
OWN_MAX = f"float m = x[0]; {EACH} m = max(m, x[i]);"
OWN_SUM = f"float l = 0.0f; {EACH} l += exp(x[i] - m);"
END = "if (tid == 0) { lse[blockIdx.x] = %s; losses[blockIdx.x] = %s; }"
BODY = HEAD + OWN_MAX + MAX + OWN_SUM + SUM
LSE, LOSS = "m + log(l)", "t == ignore ? 0.0f : m + log(l) - x[t]"


def scores(random, rows, n, scale=8):
    draw = np.random.default_rng(random.getrandbits(64))
    return (draw.uniform(-scale, scale, (rows, n))).astype(np.float32)


def targets(random, rows, n, ignored=0):
    found = np.array([random.randrange(n) for _ in range(rows)], np.int32)
    found[random.sample(range(rows), ignored)] = IGNORE
    return found


@checks(losses.cross_entropy_forward)
class CrossEntropyForward(ReductionCheck):
    rtol, atol = 2.0**-14, 2.0**-14

    def cases(self, random):
        def of(x, size, ignored=0):
            rows, n = x.shape
            t = targets(random, rows, n, ignored)
            args = x, t, blank(rows), blank(rows), np.int32(n), np.int32(IGNORE)
            return Launch(rows, size, args, 2 * size * FLOAT)

        for rows, n, size in [(5, 64, 64), (4, 100, 128), (3, 256, 256)]:
            yield "the loss", of(scores(random, rows, n), size)
        yield "scores up to 10000", of(scores(random, 4, 90, 10_000), 64)
        yield "scores up to 10000", of(scores(random, 3, 50) - 9990, 32)
        for n, size in [(1000, 256), (257, 64), (3000, 256)]:
            yield "rows longer than a block", of(scores(random, 2, n), size)
        for n, size in [(1, 64), (2, 32), (33, 32), (10, 256)]:
            yield "rows of any length", of(scores(random, 3, n), size)
        yield "ignored rows", of(scores(random, 6, 40), 64, ignored=3)
        ruled_out = scores(random, 3, 300)
        ruled_out[:, ::2] = -np.inf
        yield "minus infinity", self.with_finite_targets(of(ruled_out, 64))

    def same(self, got, expected, launch):
        """A float lse of 10000 is rounded by 2^-11, and so is what is subtracted."""
        x = launch.args[0]
        near = self.atol + abs(x[np.isfinite(x)]).max() * 2.0**-23
        arrays = [(got.arrays[name], value) for name, value in expected.items()]
        return all(same_arrays(a, b, self.rtol, near) for a, b in arrays)

    def with_finite_targets(self, launch):
        launch.args[1][:] = np.minimum(launch.args[1] | 1, 299)
        return launch

    def of(self, x, target, sign=1):
        """losses and lse of a case, in double."""
        x, t = torch.from_numpy(x).double(), torch.from_numpy(target).long()
        loss = F.cross_entropy(x, t, reduction="none", ignore_index=IGNORE)
        return {"losses": loss, "lse": torch.logsumexp(x, 1)}

    def expected(self, launch, x, target, losses, lse, n, ignore):
        return self.of(x, target)

    no_shift = mistake(
        "the row's largest score is not subtracted before exp: exp of 89 is infinite "
        "in float, and of all below -104 it is 0",
        f"{HEAD} float m = 0.0f; {OWN_SUM} {SUM} {END % (LSE, LOSS)}",
    )
    shift_not_added = mistake(
        "the largest score is subtracted and never added again: lse = m + log(sum)",
        f"{BODY} {END % ('log(l)', LOSS.replace('m + ', ''))}",
    )
    of_softmax = mistake(
        "log(softmax) in two steps: where the share is below 1e-38 it is 0, and its "
        "logarithm infinite. Subtract: lse - x[target]",
        f"{BODY} float p = t == ignore ? 1.0f : exp(x[t] - m) / l; "
        f"{END % (LSE, '-log(p)')}",
    )
    not_ignored = mistake(
        "a row whose target is `ignore` has the loss 0: and x[target] lies outside",
        f"{BODY} {END % (LSE, 'm + log(l) - x[t]')}",
    )
    first_pass = mistake(
        "only the first blockDim.x scores of a row are seen: each thread needs a loop",
        f"{BODY} {END % (LSE, LOSS)}".replace(
            EACH, "for (int i = tid; i < min(n, blockDim.x); i += blockDim.x)"
        ),
    )
    divided = mistake(
        "the losses are divided by the number of rows: here each row has its own loss; "
        "the mean is made of them later",
        f"{BODY} {END % (LSE, f'({LOSS}) / gridDim.x')}",
    )
    own_largest = mistake(
        "each thread subtracts the largest of its own scores: the terms of a sum must "
        "have the same subtracted, the row's",
        f"{HEAD} {OWN_MAX} {OWN_SUM} {SUM} {MAX} {END % (LSE, LOSS)}",
    )
    lse_missing = mistake(
        "lse of an ignored row is not written: it is the same as for any other row",
        f"{BODY} if (tid == 0) {{ losses[blockIdx.x] = 0.0f; if (t != ignore) {{ "
        f"lse[blockIdx.x] = {LSE}; losses[blockIdx.x] = {LOSS}; }} }}",
    )

    @cause("the sign: minus the logarithm of the share is lse - x[target]")
    def sign(self, launch, x, target, losses, lse, n, ignore):
        found = self.of(x, target)
        return {**found, "losses": -found["losses"]}

    @cause("lse is not subtracted from: the loss is minus the score of the target")
    def score_alone(self, launch, x, target, losses, lse, n, ignore):
        t = np.where(target == ignore, 0, target)
        own = np.take_along_axis(x, t[:, None], 1)[:, 0]
        return {**self.of(x, target), "losses": np.where(target == ignore, 0, -own)}

    @cause(
        "a thread uses a cell of shared memory before another has written it, or after "
        "it was overwritten: each step of a tree needs a barrier, and another stands "
        "between reading a result from cell 0 and the next use of the array"
    )
    def no_barrier(self, launch, *args):
        return Fault("race")

    @cause(
        "the barrier stands inside an if, or some threads have returned before it: all "
        "threads of the block must come to it"
    )
    def barrier_in_if(self, launch, *args):
        return Fault("divergent-barrier")

    @cause("a cell is used that nobody has filled")
    def not_filled(self, launch, *args):
        return Fault("uninitialised")

    @cause("a thread goes outside the arrays: row r has n scores, from r * n on, and a "
           "target may be `ignore`")  # fmt: skip
    def outside(self, launch, *args):
        return Fault("out-of-bounds")


LOOP = """
    int threads = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < rows * n; i += threads) {
        int r = i / n, c = i %% n, t = target[r];
        %s
    }
"""
SHARE = "float p = exp(x[i] - lse[r]);"
RIGHT = "dx[i] = t == ignore ? 0.0f : dy[0] / count * (p - (c == t));"


@checks(losses.cross_entropy_backward)
class CrossEntropyBackward(ReductionCheck):
    rtol, atol = 2.0**-14, 2.0**-20

    def cases(self, random):
        def of(rows, n, threads, ignored=0, dy=1.0):
            x, t = scores(random, rows, n), targets(random, rows, n, ignored)
            lse = torch.logsumexp(torch.from_numpy(x).double(), 1).float().numpy()
            up = np.array([dy], np.float32)
            count = np.int32(rows - ignored)
            rest = np.int32(rows), np.int32(n), np.int32(IGNORE), count
            grid = -(-threads // 64)
            return Launch(grid, 64, (x, t, lse, up, blank(rows, n), *rest))

        for rows, n in [(4, 16), (1, 10), (6, 33)]:
            yield "the gradient", of(rows, n, rows * n)
        yield "the gradient that comes", of(3, 20, 64, dy=-2.5)
        yield "the gradient that comes", of(5, 7, 64, dy=0.125)
        yield "ignored rows", of(7, 12, 128, ignored=4)
        yield "any number of threads", of(9, 100, 64)
        yield "any number of threads", of(2, 3, 640)

    def of(self, x, target, dy, mean=True):
        x = torch.from_numpy(x).double().requires_grad_()
        t = torch.from_numpy(target).long()
        how = {"ignore_index": IGNORE, "reduction": "mean" if mean else "sum"}
        loss = F.cross_entropy(x, t, **how)
        (dx,) = torch.autograd.grad(loss, x, torch.tensor(float(dy[0])).double())
        return dx

    def expected(self, launch, x, target, lse, dy, dx, rows, n, ignore, count):
        return self.of(x, target, dy)

    sum_not_mean = mistake(
        "that is the gradient of the sum: the mean has 1 / count",
        LOOP % (SHARE + RIGHT.replace(" / count", "")),
    )
    by_rows = mistake(
        "it is divided by the number of rows: the mean is over those that are not "
        "ignored, `count`",
        LOOP % (SHARE + RIGHT.replace("count", "rows")),
    )
    by_classes = mistake(
        "it is divided by the number of classes, too: the mean is over the rows alone",
        LOOP % (SHARE + RIGHT.replace("count", "(count * n)")),
    )
    no_dy = mistake(
        "the gradient that comes is not used: dy[0] is a factor",
        LOOP % (SHARE + RIGHT.replace("dy[0] / count", "1.0f / count")),
    )
    no_one_hot = mistake(
        "that is the softmax alone: from the target's share 1 is subtracted",
        LOOP % (SHARE + RIGHT.replace("(p - (c == t))", "p")),
    )
    added_one = mistake(
        "1 is added to the target's share: it is subtracted",
        LOOP % (SHARE + RIGHT.replace("p - (c", "p + (c")),
    )
    sign = mistake(
        "the sign: softmax minus one-hot, so that a step against the gradient raises "
        "the target's score",
        LOOP % (SHARE + RIGHT.replace("dy[0]", "-dy[0]")),
    )
    not_ignored = mistake(
        "a row that is ignored has no gradient: 0",
        LOOP % (SHARE + "dx[i] = dy[0] / count * (p - (c == t));"),
    )
    no_shift = mistake(
        "exp(x) without lse is no share: softmax is exp(x - lse)",
        LOOP % ("float p = exp(x[i]);" + RIGHT),
    )
    one_pass = mistake(
        "a thread has one element only: with fewer threads than elements it needs a "
        "loop",
        (LOOP % (SHARE + RIGHT)).replace("i += threads", "i += rows * n"),
    )

    @cause("a thread without an element writes all the same: there may be more threads "
           "than elements")  # fmt: skip
    def outside(self, launch, *args):
        return Fault("out-of-bounds")
