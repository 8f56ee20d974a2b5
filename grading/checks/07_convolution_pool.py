"""Chapter 07, pooling: F.max_pool2d, its indices, and its gradient are the oracle."""

import numpy as np
import torch
import torch.nn.functional as F

from grading.checking import cause, checks
from grading.kernels import Fault, KernelCheck, Launch, blank, distinct, mistake
from minigrad.kernels import convolution


def pooled(x, K, stride, padding):
    """y and indices by PyTorch."""
    y, at = F.max_pool2d(
        torch.from_numpy(x).double(), int(K), int(stride), int(padding),
        return_indices=True,
    )  # fmt: skip
    return {"y": y, "indices": at.int()}


@checks(convolution.max_pool2d)
class MaxPool2d(KernelCheck):
    def cases(self, random):
        for sizes in (2, 6, 8, 2, 2, 0), (3, 9, 6, 3, 3, 0):
            yield "the largest and its index", self.launch(random, *sizes)
        for sizes in (2, 7, 9, 3, 1, 0), (1, 8, 7, 3, 2, 0), (2, 7, 5, 2, 3, 0):
            yield "overlap and gaps", self.launch(random, *sizes)
        for sizes in (2, 6, 7, 3, 2, 1), (1, 5, 4, 2, 1, 1):
            launch = self.launch(random, *sizes)
            yield "padding", launch
            launch.args[0][:] = -abs(launch.args[0])
            yield "padding", launch
        yield (
            "negative elements alone",
            self.of(-abs(distinct(random, 2, 6, 5)), 2, 2, 0),
        )
        ties = np.array([[random.randint(0, 2) for _ in range(9)] for _ in range(14)])
        yield "ties", self.of(ties.reshape(2, 7, 9), 3, 2, 1)
        yield "ties", self.of(np.full((1, 4, 6), -np.inf), 2, 2, 0)
        yield "NaN and infinity", self.special(random)

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
        return Launch(-(-planes * OH * OW // 64) + 1, 64, args)

    def expected(self, launch, x, y, indices, *sizes):
        return pooled(x, *sizes[-3:])

    def windows(self, x, sizes, fill):
        """The windows (planes, OH, OW, K * K) and the index of each element."""
        planes, H, W, OH, OW, K, stride, padding = map(int, sizes)
        both = []
        for array, outside in ((x, fill), (np.arange(H * W).reshape(1, H, W), -1)):
            pads = ((0, 0), *((padding, padding + K),) * 2)
            array = np.pad(array, pads, constant_values=outside)
            view = np.lib.stride_tricks.sliding_window_view(array, (K, K), (1, 2))
            view = view[:, ::stride, ::stride][:, :OH, :OW]
            both.append(view.reshape(len(view), OH, OW, K * K))
        return both[0], np.broadcast_to(both[1], both[0].shape)

    def by(self, values, at, number):
        number = number[..., None]
        picked = (np.take_along_axis(a, number, -1)[..., 0] for a in (values, at))
        return dict(zip(("y", "indices"), picked, strict=True))

    @cause("of equal elements the first one counts, row by row; here it is the last")
    def last_of_ties(self, launch, x, y, indices, *sizes):
        values, at = self.windows(x, sizes, -np.inf)
        values = np.where(at < 0, -np.inf, values)
        n = values.shape[-1] - 1
        number = n - np.argmax(values[..., ::-1], -1)
        if np.isnan(values).any():
            return None
        return self.by(values, at, number)

    zeros_outside = mistake(
        "what is outside of the image counts as 0, and wins where all elements are "
        "negative: leave it out",
        """
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i >= planes * OH * OW) return;
        int plane = i / (OH * OW), oh = i / OW % OH, ow = i % OW, best = -1;
        float most = 0.0f;
        bool any = false;
        for (int kh = 0; kh < K; kh++)
            for (int kw = 0; kw < K; kw++) {
                int ih = oh * stride - padding + kh, iw = ow * stride - padding + kw;
                bool inside = ih >= 0 && ih < H && iw >= 0 && iw < W;
                float value = inside ? x[(plane * H + ih) * W + iw] : 0.0f;
                if (any && !(value > most) && value == value) continue;
                any = true;
                best = ih * W + iw;
                most = value;
            }
        y[i] = most;
        indices[i] = best;
        """,
    )
    first_is_zero = mistake(
        "the search begins with 0, so where all elements are negative none is found: "
        "begin with the window's first element",
        """
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i >= planes * OH * OW) return;
        int plane = i / (OH * OW), oh = i / OW % OH, ow = i % OW, best = 0;
        float most = 0.0f;
        for (int kh = 0; kh < K; kh++)
            for (int kw = 0; kw < K; kw++) {
                int ih = oh * stride - padding + kh, iw = ow * stride - padding + kw;
                if (ih < 0 || ih >= H || iw < 0 || iw >= W) continue;
                float value = x[(plane * H + ih) * W + iw];
                if (value > most || value != value) {
                    best = ih * W + iw;
                    most = value;
                }
            }
        y[i] = most;
        indices[i] = best;
        """,
    )
    nan_lost = mistake(
        "a NaN is lost: no comparison with it is true. Where value != value, it is the "
        "new best",
        """
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i >= planes * OH * OW) return;
        int plane = i / (OH * OW), oh = i / OW % OH, ow = i % OW, best = -1;
        float most = 0.0f;
        for (int kh = 0; kh < K; kh++)
            for (int kw = 0; kw < K; kw++) {
                int ih = oh * stride - padding + kh, iw = ow * stride - padding + kw;
                if (ih < 0 || ih >= H || iw < 0 || iw >= W) continue;
                float value = x[(plane * H + ih) * W + iw];
                if (best < 0 || value > most) {
                    best = ih * W + iw;
                    most = value;
                }
            }
        y[i] = most;
        indices[i] = best;
        """,
    )

    @cause(
        "the index is that of the window, kh * K + kw: what is wanted is the one of "
        "the plane, ih * W + iw"
    )
    def index_in_window(self, launch, x, y, indices, *sizes):
        true = pooled(x, *sizes[-3:])
        _, at = self.windows(x, sizes, 0)
        found = (at == true["indices"].numpy()[..., None]).argmax(-1)
        return {"y": true["y"], "indices": found}

    @cause("the index counts from the first plane on: it counts in its own plane")
    def index_of_all(self, launch, x, y, indices, *sizes):
        true = pooled(x, *sizes[-3:])
        planes = np.arange(len(x))[:, None, None] * (x.shape[1] * x.shape[2])
        return {"y": true["y"], "indices": true["indices"].numpy() + planes}

    @cause("the smallest element is found, not the largest")
    def smallest(self, launch, x, y, indices, *sizes):
        found = pooled(-x, *sizes[-3:])
        return found | {"y": -found["y"]}

    @cause(
        "a thread goes outside of an array: threads behind the end do nothing, and "
        "where ih or iw is below 0, or H or W and more, x has no element"
    )
    def outside(self, launch, *args):
        return Fault("out-of-bounds")


@checks(convolution.max_pool2d_backward)
class MaxPool2dBackward(KernelCheck):
    def cases(self, random):
        for planes, size, places in (1, 12, 4), (2, 30, 9):
            at = [random.sample(range(size), places) for _ in range(planes)]
            yield "each to its place", self.of(random, at, size)
        for planes, size, places in (1, 6, 40), (3, 10, 25), (2, 7, 70):
            at = [
                [random.randrange(size) for _ in range(places)] for _ in range(planes)
            ]
            yield "several in one place", self.of(random, at, size)
        yield "one element for all", self.of(random, [[5] * 100, [0] * 100], 64)

    def of(self, random, at, size):
        indices = np.array(at, np.int32)
        planes, places = indices.shape
        dy, dx = distinct(random, planes, places), np.zeros((planes, size), np.float32)
        args = dy * 50, indices, dx, *np.int32([planes, size, places])
        return Launch(-(-max(dy.size, dx.size) // 64) + 1, 64, args)

    def expected(self, launch, dy, indices, dx, *sizes):
        dx = torch.zeros(dx.shape, dtype=torch.float64)
        indices = torch.from_numpy(indices).long()
        return dx.scatter_add(1, indices, torch.from_numpy(dy).double())

    overwritten = mistake(
        "where several windows found the same element, one gradient overwrites "
        "another: they are added",
        """
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i >= planes * places) return;
        dx[i / places * size + indices[i]] = dy[i];
        """,
    )

    @cause("all gradients go to the first plane: plane p begins at p * size")
    def first_plane(self, launch, dy, indices, dx, *sizes):
        dx[0] = self.expected(launch, dy, indices, dx, *sizes).sum(0)
        return dx

    not_atomic = mistake(
        "threads that add to the same element at once lose sums: dx[...] += reads, "
        "adds and writes, and another thread comes between. Use atomicAdd",
        """
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i >= planes * places) return;
        dx[i / places * size + indices[i]] += dy[i];
        """,
    )

    @cause("a thread goes outside of an array: threads behind the end do nothing")
    def outside(self, launch, *args):
        return Fault("out-of-bounds")
