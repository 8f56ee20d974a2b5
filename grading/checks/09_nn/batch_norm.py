"""batch_norm: the result, and the running statistics afterwards."""

import numpy as np
import torch.nn.functional as F

from grading.checking.pairwise import pairwise
from grading.drivers import modules
from grading.drivers.scenarios import CUT
from grading.exercise import Check, close
from minigrad.nn.unfused import batch_norm

from ..gradients import optional
from ..inputs import numbers, on_tensors

IMAGES, ROWS = (3, 7, 2, 5), (6, 8)
compare = close(atol=1e-9)  # a mean of 1e5 is rounded


def drawn(random, shape, far=0.0):
    """x, running_mean and running_var."""
    channels = shape[1]
    centers = numbers(random, channels).reshape(-1, *[1] * (len(shape) - 2))
    x = far + 3 * numbers(random, *shape) + centers
    return x, numbers(random, channels), abs(numbers(random, channels)) + 0.5


def scaled(random, shape):
    """The same, and weight and bias."""
    weight, bias = numbers(random, shape[1]), numbers(random, shape[1])
    return *drawn(random, shape), weight, bias


def cases(random):
    def trained(*arrays, **options):
        return on_tensors(*arrays, training=True, **options)

    for shape in IMAGES, ROWS:
        yield "in training", trained(*drawn(random, shape))
    part = "by the running statistics"
    yield part, on_tensors(*drawn(random, IMAGES), training=False)
    yield part, on_tensors(*drawn(random, ROWS))
    yield "weight and bias", trained(*scaled(random, IMAGES))
    yield "weight and bias", on_tensors(*scaled(random, ROWS), training=False)
    for shape in (4, 7, 2), (2, 8, 2, 1, 3):
        yield "any dimensions", trained(*scaled(random, shape))
    weight, bias, none = numbers(random, 7), numbers(random, 7), np.zeros(7)
    for pair in (weight, None), (None, bias), (none, none):
        yield "weight and bias", trained(*drawn(random, IMAGES), *pair)
    how = {"momentum": 0.3, "eps": 0.5}
    yield "momentum and eps", trained(*drawn(random, IMAGES), **how)
    yield "momentum and eps", trained(*drawn(random, ROWS), momentum=0.0)
    yield "far from 0", trained(*drawn(random, IMAGES, far=1e5))
    for dtype in np.float32, np.float16:
        arrays = (a.astype(dtype) for a in scaled(random, IMAGES))
        yield f"in {dtype.__name__}", trained(*arrays)
    large = [np.zeros(a.shape, np.float16) for a in drawn(random, (6, 3, 20, 10))]
    large[0] += (60 + 20 * numbers(random, 6, 3, 20, 10)).astype(np.float16)
    yield "in float16", trained(*large)  # sums of 72000, of squares of 480000
    yield "no running statistics", trained(drawn(random, ROWS)[0], None, None)
    for row in pairwise(
        random,
        shape=(IMAGES, ROWS, (1, 3, 2, 2), (5, 1), (4, 2, 3), (2, 8, 2, 1, 3)),
        running=(True, False),
        weight=(None, 0, 1),
        bias=(None, 0, 1),
        training=(True, False),
        momentum=(0.1, 0.3, 0.0, 1.0),
        eps=(1e-5, 0.5),
        dtype=(np.float64, np.float32, np.float16),
    ):
        shape, running, *times, dtype = (
            row.pop(name) for name in ("shape", "running", "weight", "bias", "dtype")
        )
        x, mean, var, *pair = scaled(random, shape)
        if row["training"] and not running:
            mean = var = None
        pair = (t if t is None else t * a for t, a in zip(times, pair, strict=True))
        few = [None if a is None else a.astype(dtype) for a in (x, mean, var, *pair)]
        part = "options together" if dtype is np.float64 else f"in {dtype.__name__}"
        yield part, on_tensors(*few, **row)


def observe(shown, case):
    """Of half precision no gradients: long sums are rounded as they come."""
    half = case.args[0].values.dtype == np.float16
    return {key: value for key, value in shown.items() if key != CUT or not half}


check = Check(
    batch_norm,
    cases=cases,
    reference=F.batch_norm,
    driver=modules.batch_norm,
    observe=observe,
    compare=compare,
    diagnose=optional("running_mean", "weight", "bias", near=compare),
    not_tested="strides and NaN: its operators' matter; n = 1, as n - 1 is 0; and "
    "gradients in float16",
)
