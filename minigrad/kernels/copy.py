"""Copying out of any layout. Written by the learner in lab 03."""

import numpy as np

from ..exercises.registry import kernel_exercise

MOST_DIMS = 8
# struct Strides { int dims; long long shape[8]; long long stride[8]; };
STRIDES = np.dtype(
    [("dims", "i4"), ("shape", "i8", MOST_DIMS), ("stride", "i8", MOST_DIMS)],
    align=True,
)


def Strides(shape, strides):  # noqa: N802  the name that the struct has in CUDA C
    """A kernel's argument of type Strides: how a tensor is read.

    shape, strides: tuples of up to 8 ints, as of a tensor. ValueError for more.
    """
    if len(shape) != len(strides) or len(shape) > MOST_DIMS:
        raise ValueError(
            f"a kernel reads up to {MOST_DIMS} dimensions, with as many strides as "
            f"sizes: got shape {tuple(shape)} and strides {tuple(strides)}"
        )
    view = np.zeros((), STRIDES)
    view["dims"] = len(shape)
    view["shape"][: len(shape)], view["stride"][: len(shape)] = shape, strides
    return view[()]


contiguous_kernel = kernel_exercise(
    """\
// y[i] = element i of the view in row-major order, for i = 0 ... n - 1.
//
// struct Strides { int dims; long long shape[8]; long long stride[8]; };
//
// The view has view.dims dimensions, 0 to 8, of sizes view.shape[d] >= 1. Ignore the
// entries from view.dims on. Its element at index (0, ..., 0) is x[0], and one step
// along dimension d is view.stride[d] >= 0 cells. Every cell number fits
// into an int. n is the product of the sizes, but some launches pass n = 0, and then
// you must write nothing. The launch has one dimension and at least n threads, often
// more. Exactly one thread must write each element of y. Threads may read any cells
// of the view, but no other cells.
__global__ void contiguous_kernel(const float* x, Strides view, float* y, int n);
""",
    points=3,
    stars=3,
    minutes=25,
    level="good to know",
)
