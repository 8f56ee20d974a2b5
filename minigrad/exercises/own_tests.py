"""Tests that learners write, the last exercise of each lab."""

from .registry import exercise


@exercise("01.7", points=2, stars=2, minutes=15)
def test_tail_guard(kernel):
    """Raise AssertionError if `kernel` is no right tail_guard; else return.

    kernel: a kernel with the contract of tail_guard, y[i] = 2 * x[i] for i below n. It
    is launched as a Kernel is, kernel(grid, block, (x, y, n)), with arrays of NumPy.

    Any grid and block that the contract allows may be tried. What lies past the n
    elements is not the kernel's: a larger array shows whether it was written to. A
    launch that goes outside of an array raises an error by itself, and that counts as
    found. Compare with NumPy; PyTorch is not there.
    """


@exercise("03.11", points=2, stars=2, minutes=15)
def test_permute(permute):
    """Raise AssertionError if `permute` is no right permute; else return.

    permute: a function with the contract of Tensor.permute: permute(x, *dims) is a view
    of the tensor x, with its dimensions in the order `dims`.

    Right is: the shape, the elements, the same memory as x's, for any strides and any
    offset of x, for dims as ints or as one tuple, also negative ones. An error that
    `permute` raises where it should give a view counts as found. Which errors it raises
    for wrong dims is not to be tested.
    At hand: minigrad.arange(n), x.as_strided(shape, strides, offset), x.numpy(),
    np.array_equal, np.shares_memory(one, other). Compare with NumPy; PyTorch is not
    there.
    """
