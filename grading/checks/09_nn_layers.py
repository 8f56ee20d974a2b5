"""A linear layer, and a convolution as one."""

import numpy as np

from grading.exercise import checks
from minigrad.nn.unfused import conv2d, linear

from .gradients import FunctionCheck, quarters
from .scene_check import numbers, single


@checks(linear)
class Linear(FunctionCheck):
    """Leaves out strided tensors: a matter of the operators in it."""

    def cases(self, random):
        for rows, n, m in [(4, 3, 5), (1, 7, 2), (6, 5, 5), (4, 3, 5)]:
            x, w, b = (numbers(random, *s) for s in ((rows, n), (m, n), (m,)))
            yield "matrices", self.of(x, w, b)
            yield "without bias", self.of(x, w)
        yield "a bias of zeros", self.of(x, w, 0 * b)
        yield "float16", self.of(*map(quarters, (x, w, b)))
        x, w, b = numbers(random, 2, 3), numbers(random, 4, 3), numbers(random, 4)
        for shape in (2, 5, 3), (3,), (0, 3):
            yield "any dimensions in front", self.of(numbers(random, *shape), w, b)
        yield "in float32", self.of(*(single(a) for a in (x, w, b)))
        x[0, 0], x[1, 1] = np.nan, np.inf
        yield "NaN and infinity", self.of(x, w, b)


@checks(conv2d)
class Conv2d(FunctionCheck):
    """Leaves out strided tensors, NaN and no images: its operators' matter."""

    def cases(self, random):
        def of(x, w, bias=True, **options):
            arrays = [numbers(random, *x), numbers(random, *w)]
            return self.of(*arrays, *[numbers(random, w[0])] * bias, **options)

        for _ in range(2):
            yield "a window on images", of((2, 1, 5, 6), (3, 1, 3, 2))
        yield "a window on images", of((2, 3, 6, 5), (4, 3, 2, 3))
        yield "without bias", of((2, 2, 4, 5), (3, 2, 3, 3), bias=False)
        yield "stride and padding", of((1, 2, 7, 6), (3, 2, 3, 3), stride=2)
        yield "stride and padding", of((2, 2, 5, 6), (2, 2, 3, 3), padding=1)
        how = {"stride": (2, 1), "padding": (0, 2)}
        yield "stride and padding", of((2, 1, 6, 8), (2, 1, 3, 2), **how)
        yield "dilation", of((1, 2, 9, 8), (2, 2, 3, 2), dilation=2)
        how = {"dilation": (1, 3), "padding": (1, 2), "stride": (2, 3)}
        yield "dilation", of((1, 2, 9, 11), (2, 2, 3, 3), **how)
        yield "1 x 1", of((2, 3, 4, 5), (5, 3, 1, 1))
        args = of((2, 2, 4, 5), (3, 2, 3, 2))["args"]
        yield "in float32", self.of(*map(single, args))
        yield "a bias of zeros", self.of(*args[:2], 0 * args[2])
        yield "float16", self.of(*map(quarters, args))
