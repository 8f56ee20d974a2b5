"""The largest of each window, and back by the indices."""

import numpy as np
import torch
import torch.nn.functional as F

from grading.exercise import KernelCheck, Launch, blank, checks, distinct, mistakes
from minigrad.kernels.convolution import max_pool2d, max_pool2d_backward

from .strided import cover
from .tiles import exact
from .windows import MISTAKES, squares


@checks(max_pool2d)
class MaxPool2d(KernelCheck):
    """Leaves out what the contract does: dilation, K above 100, two NaN in a window;
    and padding above K / 2, which PyTorch refuses.
    """

    def cases(self, random):
        for sizes in (2, 6, 8, 2, 2, 0), (3, 9, 6, 3, 3, 0):
            yield "the largest and its index", self.launch(random, *sizes)
        for part, *sizes in squares(random):
            yield part, self.launch(random, *sizes)
        for sizes in (2, 6, 7, 3, 2, 1), (1, 5, 4, 2, 1, 1):
            yield "padding", self.of(-abs(distinct(random, *sizes[:3])), *sizes[3:])
        negative = -abs(distinct(random, 2, 6, 5))
        yield "negative elements alone", self.of(negative, 2, 2, 0)
        ties = np.array([[random.randint(0, 2) for _ in range(9)] for _ in range(14)])
        yield "ties", self.of(ties.reshape(2, 7, 9), 3, 2, 1)
        yield "ties", self.of(np.full((1, 4, 6), -np.inf), 2, 2, 0)
        yield "NaN and infinity", self.special(random)
        for sizes in (
            (1, 260, 260, 1, 1, 0),
            (1, 33_000, 2, 2, 1000, 0),
            (1, 2, 33_000, 2, 1000, 1),
        ):
            yield "large ones", self.launch(random, *sizes)
        rising = np.sort(distinct(random, 66 * 2000)).reshape(1, 66, 2000)
        yield "large ones", self.of(rising, 66, 1000, 0)

    def special(self, random):
        x = distinct(random, 2, 6, 8)
        x[0, 0, 1], x[0, 3, 2], x[1, 5, 7] = np.nan, np.nan, np.nan
        x[0, 4, 4], x[1, 0, 0], x[1, 0, 3] = np.inf, -np.inf, np.inf
        return self.of(x, 2, 2, 0)

    def launch(self, random, planes, H, W, K, stride, padding):
        return self.of(distinct(random, planes, H, W), K, stride, padding)

    def of(self, x, K, stride, padding):
        x = x.astype(np.float32)
        planes, H, W = x.shape
        OH, OW = ((n + 2 * padding - K) // stride + 1 for n in (H, W))
        shape = planes, OH, OW
        numbers = planes, H, W, OH, OW, K, stride, padding
        args = x, blank(*shape), blank(*shape, dtype=np.int32), *np.int32(numbers)
        return Launch(*cover(planes * OH * OW), args)

    def expected(self, launch, x, y, indices, *sizes):
        x, (K, stride, padding) = torch.from_numpy(x).double(), map(int, sizes[-3:])
        y, at = F.max_pool2d(x, K, stride, padding, return_indices=True)
        return {"y": y, "indices": at.int()}


INSIDE = "if (ih < 0 || ih >= H || iw < 0 || iw >= W) continue;"
mistakes(max_pool2d)(f"""
last_of_ties: of equal elements the first one counts, row by row; here it is the last
> value > most -> value >= most
zeros_outside: what is outside of the image counts as 0, and wins where all elements are
    negative: leave it out
> {INSIDE} -> bool in = ih >= 0 && ih < H && iw >= 0 && iw < W;
& = x[(plane * H + ih) * W + iw] -> = in ? x[(plane * H + ih) * W + iw] : 0.0f
& best < 0 || value -> kh + kw == 0 || value
first_is_zero: the search begins with 0, so where all elements are negative none is
    found: begin with the window's first element
> best < 0 || ->
& best = -1 -> best = 0
> best < 0 || ->
none_found: the search begins with -infinity, or a number near it, so of a window of
    -infinity alone no element is found: begin with the window's first element
> best < 0 || ->
& most = 0.0f -> most = -INFINITY
> best < 0 || ->
& most = 0.0f -> most = -3.4e38f
nan_lost: a NaN is lost: no comparison with it is true. Where value != value, it is the
    new best
>  || value != value ->
>  || value != value ->
& most = value -> most = fmaxf(value, value)
index_in_window: the index is that of the window, kh * K + kw: what is wanted is the one
    of the plane, ih * W + iw
> best = ih * W + iw -> best = kh * K + kw
index_of_all: the index counts from the first plane on: it counts in its own plane
> best = ih * W + iw -> best = (plane * H + ih) * W + iw
{MISTAKES}
first_left_out: row or column 0 of the image is left out: ih and iw are inside from 0 on
> ih < 0 -> ih <= 0
> iw < 0 -> iw <= 0
outside: a thread goes outside of an array: threads past the end do nothing, and where
    ih or iw is below 0, or H or W and more, x has no element
! out-of-bounds
> {INSIDE} ->
> if (i >= planes * OH * OW) return; ->
equivalent: until the first element is found, `best` is only below 0, and `most` not
    used
> off by one: best = -2;
> constant: float most = 1.0f;
equivalent: K is at most 100
> type: for (short k
> type: for (float k
right: not greater is not new
> if (best < 0 || value > most || value != value) {{ -> if (!(best >= 0 && value <=
    most) && !(most != most && value == value)) {{
right: only what is inside
>
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= planes * OH * OW) return;
    int top = i / OW % OH * stride - padding, left = i % OW * stride - padding;
    const float* plane = x + i / (OH * OW) * H * W;
    int at = max(top, 0) * W + max(left, 0);
    for (int ih = max(top, 0); ih < min(top + K, H); ih++)
        for (int iw = max(left, 0); iw < min(left + K, W); iw++) {{
            float value = plane[ih * W + iw];
            if (value > plane[at] || isnan(value)) at = ih * W + iw;
        }}
    indices[i] = at;
    y[i] = plane[at];
right: from the last element on, in a loop over the grid
>
    int first = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = first; i < planes * OH * OW; i += gridDim.x * blockDim.x) {{
        float most = -INFINITY;
        for (int tap = K * K - 1; tap >= 0; tap--) {{
            int ih = i / OW % OH * stride - padding + tap / K;
            int iw = i % OW * stride - padding + tap % K;
            if (ih < 0 || iw < 0 || ih >= H || iw >= W) continue;
            float value = x[(i / OW / OH * H + ih) * W + iw];
            if (value < most || most != most) continue;
            most = value;
            indices[i] = ih * W + iw;
        }}
        y[i] = most;
    }}
""")


@checks(max_pool2d_backward)
class MaxPool2dBackward(KernelCheck):
    """Leaves out indices outside of x and a dx that is not 0, as the contract does."""

    def cases(self, random):
        for planes, size, places in (
            (1, 12, 4),
            (2, 30, 9),
            (3, 300, 70),
            (1, 40_000, 3),
        ):
            at = [random.sample(range(size - 1), places) for _ in range(planes)]
            at[0][0] = size - 1  # the largest index there is
            yield "each to its place", self.of(random, at, size)
        at = [[random.randrange(50) for _ in range(100)] for _ in range(400)]
        yield "several in one place", self.of(random, at, 50)
        for planes, size, places in (1, 6, 40), (3, 10, 25), (2, 7, 70):
            at = [
                [random.randrange(size) for _ in range(places)] for _ in range(planes)
            ]
            yield "several in one place", self.of(random, at, size)
        yield "one element for all", self.of(random, [[5] * 100, [0] * 100], 64)

        at = [[random.randrange(30) for _ in range(9)] for _ in range(2)]
        launch = self.of(random, at, 30)
        launch.args[0].reshape(-1)[[2, 7, 11]] = np.nan, np.inf, -np.inf
        yield "NaN and infinity", launch

    def of(self, random, at, size):
        indices = np.array(at, np.int32)
        planes, places = indices.shape
        dy, dx = exact(random, planes, places), np.zeros((planes, size), np.float32)
        args = dy, indices, dx, *np.int32([planes, size, places])
        return Launch(*cover(max(dy.size, dx.size)), args)

    def expected(self, launch, dy, indices, dx, *sizes):
        dx = torch.zeros(dx.shape, dtype=torch.float64)
        indices = torch.from_numpy(indices).long()
        return dx.scatter_add(1, indices, torch.from_numpy(dy).double())


ADD = "atomicAdd(&dx[i / places * size + indices[i]], dy[i]);"
mistakes(max_pool2d_backward)(f"""
overwritten: where several windows found the same element, one gradient overwrites
    another: they are added
> {ADD} -> dx[i / places * size + indices[i]] = dy[i];
first_plane: all gradients go to the first plane: plane p begins at p * size
> i / places * size + ->
narrow: an index loses its upper bits: it goes up to size - 1, so it needs an int
> indices[i] -> (indices[i] & 63)
> indices[i] -> (signed char)indices[i]
> indices[i] -> (short)indices[i]
not_atomic: threads that add to the same element at once lose sums: dx[...] += reads,
    adds and writes, and another thread comes between. Use atomicAdd
> {ADD} -> dx[i / places * size + indices[i]] += dy[i];
nan_left_out: a NaN is neither above nor below 0, and is lost: add every element
> {ADD} -> if (dy[i] > 0 || dy[i] < 0) {ADD}
outside: a thread goes outside of an array: threads past the end do nothing
! out-of-bounds
> if (i >= planes * places) return; ->
right: a sum by compare and swap
> {ADD} -> int* at = (int*)&dx[i / places * size + indices[i]]; int old = atomicAdd(at,
    0), seen; do {{ seen = old; old = atomicCAS(at, seen,
    __float_as_int(__int_as_float(seen) + dy[i])); }} while (old != seen);
right: a loop over the grid
> int i = -> int grid = gridDim.x * blockDim.x; for (int i =
& threadIdx.x; if (i >= planes * places) return; -> threadIdx.x; i < planes * places; i
    += grid)
right: a gather
>
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= planes * size) return;
    int plane = i / size, own = i % size;
    float sum = 0.0f;
    for (int p = plane * places; p < (plane + 1) * places; p++)
        if (indices[p] == own) sum += dy[p];
    dx[i] = sum;
right: a thread a plane
>
    int plane = blockIdx.x * blockDim.x + threadIdx.x;
    if (plane >= planes) return;
    for (int p = plane * places; p < (plane + 1) * places; p++)
        dx[plane * size + indices[p]] += dy[p];
""")
