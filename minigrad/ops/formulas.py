# ruff: noqa
import math

import numpy as np

from .pointwise import *  # noqa
from ..simt.numerics.special import erf  # noqa


def mean(x, axis, keepdims=False):
    """The mean over the dimensions `axis`; NaN without elements."""
    count = math.prod(x.shape[d] for d in axis)
    return np.sum(x, axis=axis, keepdims=keepdims) / x.dtype.type(count)
