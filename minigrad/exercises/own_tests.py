"""Tests that learners write, the last exercise of each lab."""

from .registry import exercise


@exercise(points=2, stars=2, minutes=15, level="good to know")
def test_tail_guard(kernel):
    """Raise an AssertionError unless `kernel` is a correct tail_guard.

    kernel: a kernel with the contract of tail_guard, so y[i] = 2 * x[i] for all i < n.
        Launch it with NumPy arrays of float32: kernel(grid, block, (x, y, n)). grid
        and block are ints or tuples, and a grid has at least one block.

    Correct kernels must pass, so make only launches that tail_guard's contract allows.
    Your test must find wrong elements, elements that aren't written, and writes past
    the n elements. To see such writes, pass a y that's longer than n. If a launch
    itself raises an error, because a thread accesses memory outside an array, you don't
    have to catch it.

    You can also call kernel.check(grid, block, (x, y, n)), which returns the
    simulator's report, but you don't need it. Compare with NumPy, because the check
    runs your test without PyTorch.
    """


@exercise(points=2, stars=2, minutes=20, level="extra")
def test_block_sum(kernel):
    """Raise an error unless `kernel` is a correct block_sum.

    kernel: a kernel with the contract of block_sum. Launch it with
        kernel(grid, block, (x, sums, n)), where x and sums are NumPy arrays.
        kernel.check(grid, block, (x, sums, n)) returns the simulator's report, whose
        `findings` is a list. It leaves the arrays as they are.

    A correct kernel has the correct sums and no findings. Don't test how it adds. If x
    holds integers, its sums are exact in any order. Incorrect kernels may have races,
    read x past n, or leave blocks out. Raise an AssertionError, or let the launch's own
    error pass. Compare with NumPy, because the check runs your test without PyTorch.
    """


@exercise(points=2, stars=2, minutes=15, level="extra")
def test_permute(permute):
    """Raise an AssertionError unless `permute` is a correct permute.

    permute: a function with the contract of Tensor.permute. permute(x, *dims) must
        return a view of the tensor x with its dimensions in the order `dims`.

    The view must have the correct shape and elements and share the memory of x, for any
    strides and any offset of x, and for dims passed as ints or as one tuple, including
    negative ones. Don't test which errors it raises for invalid dims. If `permute`
    itself raises an error where it should return a view, you don't have to catch it.

    You can use minigrad.arange(n), x.as_strided(shape, strides, offset),
    np.array_equal, np.shares_memory(one, other), and x.numpy(), which shares the memory
    of x.
    Compare with NumPy, because the check runs your test without PyTorch.
    """


@exercise(points=2, stars=3, minutes=25, level="extra")
def test_broadcast(kernel):
    """Raise an error unless `kernel` is a correct binary_broadcast.

    kernel: a kernel with the contract of binary_broadcast, compiled with T=float and
        OP=maximum. Launch it with NumPy arrays:
        kernel(grid, block, (a, a_view, b, b_view, y, n)).

    Your test must accept kernels that are correct for any two views of the same shape,
    including strides of 0 and views without dimensions, and for NaN in either operand.
    Incorrect kernels may make a mistake with only one of these, or write past the n
    elements. n may be 0. The error is an AssertionError, or whatever the launch raises.

    You can use Strides(shape, strides), np.lib.stride_tricks.as_strided, np.maximum,
    and np.testing.assert_array_equal. Compare with NumPy, because the check runs your
    test without PyTorch.
    """


@exercise(points=2, stars=2, minutes=20, level="extra")
def test_max_argmax(kernel):
    """Raise an error unless `kernel` is a correct max_argmax.

    kernel: a kernel with the contract of max_argmax. Launch it like a Kernel,
        kernel(rows, block, (x, values, indices, n)), with NumPy arrays. x and values
        are float32, and indices is int32.

    The error is an AssertionError, or whatever the launch raises. Correct kernels must
    pass for any rows and blocks that the contract allows, including equal elements, 0
    and -0, and NaN of either sign. You can use x.max(1), x.argmax(1), and
    np.testing.assert_array_equal. Compare with NumPy, because PyTorch isn't available.
    """


@exercise(points=2, stars=2, minutes=15, level="extra")
def test_matmul(kernel):
    """Raise an error unless `kernel` is a correct `matmul_naive`.

    kernel: a kernel with the contract of `matmul_naive`, launched as a Kernel is:
    kernel(grid, block, (a, b, c, M, N, K)), with float32 arrays of NumPy.

    Correct kernels must pass. They may add in any order, so c is correct up to
    rounding, but a kernel that's off by 2 percent is incorrect. c may hold anything
    before, and afterward it holds the product, which is 0 if K is 0. Blocks don't have
    to be square. Don't test inf and NaN. The error may be an AssertionError, or
    whatever the launch raises.

    You can use a @ b and np.testing.assert_allclose(got, expected, rtol, atol). Compare
    with NumPy, because PyTorch isn't available.
    """


@exercise(points=2, stars=3, minutes=25, level="extra")
def test_col2im(kernel):
    """Raise an error unless `kernel` is a correct col2im.

    kernel: a kernel with the contract of col2im. Launch it with float32 NumPy arrays:
        kernel(grid, block, (columns, x, planes, H, W, KH, KW, OH, OW, stride, padding,
        dilation)), where x is all 0 before the launch.

    Correct kernels must pass. They may add in any order, so x is correct up to
    rounding, but a kernel that's off by 2 percent is incorrect. Images and windows
    don't have to be square. Don't test inf and NaN. The error is an AssertionError, or
    whatever the launch raises.

    You can use Kernel(im2col.text, "im2col"). In the check, that's the course's own
    im2col, so it's correct. Its arguments are the same, but begin with (x, columns,
    planes, ...). You can also use np.testing.assert_allclose(got, expected, rtol,
    atol). Compare with NumPy, because PyTorch isn't available.
    """


@exercise(points=2, stars=2, minutes=15, level="extra")
def test_div_backward(div_backward):
    """Raise an error if `div_backward` is incorrect, and return if it's correct.

    div_backward: a function that follows the contract of exercise 10, so
        div_backward(dy, a, b) is the gradient of b, where y = a / b, for arrays of
        float64.

    A correct function must pass. It may compute in any order, so its results are
    correct up to rounding. The incorrect ones return incorrect values for ordinary
    numbers in arrays of one shape, so you needn't test NaN, infinity, b = 0, or
    broadcasting. Some of them are incorrect only for some elements, or only by 2
    percent. The error may be an AssertionError, or any error that the function raises.
    You can use np.testing.assert_allclose(one, other, rtol, atol). Compare with
    differences that you compute in NumPy, because your test can't use PyTorch.
    """


@exercise(points=2, stars=2, minutes=20, level="extra")
def test_dropout(dropout):
    """Raise an error unless `dropout` is a correct dropout.

    dropout: a function with the contract of dropout: dropout(input, p, training).

    The error is an AssertionError, or whatever the function itself raises. Correct
    functions must pass each time, so leave room for chance. Among n elements, accept a
    share of zeros that's off by up to six standard deviations, 6 * sqrt(p * (1 - p) /
    n). The scale isn't left to chance, so a function whose scale is off by 2 percent is
    incorrect. Functions may draw in any way, for example with NumPy, so manual_seed
    need not decide what's dropped. You needn't test a p outside [0, 1], and must accept
    any error for it. You can use minigrad.ones(rows, columns), x.numpy(), and
    np.testing.assert_allclose. Compare with NumPy, because PyTorch isn't available.
    """


@exercise(points=2, stars=2, minutes=15, level="extra")
def test_order(order):
    """Raise an error unless `order` is a correct order of a loader.

    order: a function with the contract of DataLoader.order. Call it as order(loader),
        with any object that has dataset, shuffle, seed, and epoch, such as
        SimpleNamespace(dataset=range(50), shuffle=True, seed=0, epoch=0).

    Correct functions must pass, whatever random order they return. Your test must
    reject functions that never shuffle, always shuffle, only rotate the items, return
    an item twice, ignore the seed or the epoch, use only their sum, or return a
    different order in each call. You needn't find any other mistake, such as a changed
    loader or a shared generator. The error is an AssertionError, or whatever `order`
    itself raises. You can use NumPy, but not PyTorch.
    """
