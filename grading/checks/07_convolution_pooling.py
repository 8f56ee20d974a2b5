"""The largest of each window, and back by the indices."""

import numpy as np
import torch
import torch.nn.functional as F

from grading.exercise import KernelCheck, Launch, blank, checks, distinct
from minigrad.kernels.convolution import max_pool2d, max_pool2d_backward

from .strided import cover
from .tiles import exact
from .windows import squares


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
