"""im2col: every window as a column, as F.unfold makes them."""

import torch.nn.functional as F

from grading.exercise import Check, Launch, blank, distinct
from minigrad.kernels.convolution import im2col

from ..strided import cover
from .windows import cases_of_windows


def launch(random, numbers):
    x, columns = distinct(random, *numbers[:3]), blank(numbers[0], *numbers[3:7])
    return Launch(*cover(columns.size), (x, columns, *numbers))


def cases(random):
    return cases_of_windows(random, "windows as columns", launch)


def reference(x, columns, planes, H, W, KH, KW, OH, OW, stride, padding, dilation):
    return F.unfold(x[None].double(), (KH, KW), dilation, padding, stride)


check = Check(
    im2col,
    cases=cases,
    reference=reference,
    not_tested="sizes of 0, which the contract rules out, and how often x is read",
)
