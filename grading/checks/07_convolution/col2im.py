"""col2im: the adjoint of im2col, as F.fold is of F.unfold."""

import numpy as np
import torch.nn.functional as F

from grading.exercise import Check, Launch
from minigrad.kernels.convolution import col2im

from ..strided import cover
from .exact import terms
from .windows import cases_of_windows


def launch(random, numbers):
    columns = terms(random, numbers[0], *numbers[3:7])
    x = np.zeros(numbers[:3], np.float32)
    return Launch(*cover(max(columns.size, x.size)), (columns, x, *numbers))


def cases(random):
    return cases_of_windows(random, "copies are added", launch)


def reference(columns, x, planes, H, W, KH, KW, OH, OW, stride, padding, dilation):
    columns = columns.double().view(1, planes * KH * KW, OH * OW)
    return F.fold(columns, (H, W), (KH, KW), dilation, padding, stride)


check = Check(
    col2im,
    cases=cases,
    reference=reference,
    not_tested="sizes of 0 and an x that isn't 0 before, which the contract rules out",
)
