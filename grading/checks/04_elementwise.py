"""Chapter 04, the kernels: PyTorch reads the same storages by the same strides."""

import numpy as np
import torch

from grading.checking import checks
from grading.kernels import KernelCheck, Launch, distinct, mistake
from minigrad.kernels.elementwise import binary_broadcast, unary_kernel

from . import strided
from .strided import GUARD, MY_I

DTYPES = {"float": "float32", "double": "float64", "int": "int32"}
# No number is subnormal: CuPy compiles with -ftz=true, and the GPU takes them for 0.
ODD = (np.nan, np.inf, -np.inf, 0.0, -0.0, 1e37, -1e37, 1e-37, -1e-37, 100.0, -100.0)
FINE = "return x < 0 ? 0 : x;", "return 1 / (1 + exp(-x));"
BODY = f"{MY_I} if (i < n) y[i] = OP(x[offset_of(i, view)]);"

UNARY = {  # what OP is -> PyTorch's function
    "-DOP=relu": torch.relu,
    "-DOP=sigmoid": torch.sigmoid,
    "-DOP=-": torch.neg,
    "-DOP=fabs": torch.abs,
    "-DOP=sqrt": torch.sqrt,
    "-DOP=exp": torch.exp,
}
BINARY = {
    "-DOP=sub": torch.sub,
    "-DOP=maximum": torch.maximum,
    "-DOP=fmin": torch.fmin,
    "-DOP=copysign": torch.copysign,
}


def specials(random, dtype="float32"):
    """Numbers of every kind, in some order."""
    values = np.array([*ODD, *np.linspace(-9, 9, 19)]).astype(dtype)
    return np.random.default_rng(random.getrandbits(64)).permutation(values)


class LayoutCheck(KernelCheck):
    """A kernel that is compiled for a type T and an operation OP."""

    rtol = 8 * np.finfo(np.float32).eps  # exp to 2 units, and three more roundings
    atol = np.finfo(np.float32).tiny  # a GPU may round what is smaller to 0

    def close(self, got, expected):
        if got.dtype.kind != "f":
            return super().close(got, expected)
        info = np.finfo(got.dtype)
        expected = expected.astype(got.dtype).reshape(got.shape)
        return np.allclose(got, expected, 8 * info.eps, info.tiny, equal_nan=True)


def unary(text, body=BODY, relu=FINE[0], sigmoid=FINE[1]):
    """A mistake in the kernel, or in one of the functions."""
    functions = f"""{strided.OFFSET_OF}
    __device__ T relu(T x) {{ {relu} }}
    __device__ T sigmoid(T x) {{ {sigmoid} }}"""
    return mistake(text, strided.text_of(unary_kernel, body, functions))


@checks(unary_kernel)
class UnaryKernel(LayoutCheck):
    def cases(self, random):
        for part, shape, strides in strided.layouts(random):
            yield part, self.launch(random, shape, strides, "-DOP=-")
        for op in UNARY:
            name = op.removeprefix("-DOP=")
            part = name if name in ("relu", "sigmoid") else "other operations"
            x = specials(random)
            yield part, self.launch(random, (3, 10), (1, 3), op, x=x)
            yield part, self.launch(random, (17,), (1,), op, x=x)
        for op in ("-DOP=relu", "-DOP=sigmoid", "-DOP=exp"):
            x = specials(random, "float64") * (1 + 2**-40)
            yield "another type", self.launch(random, (5, 6), (1, 5), op, "double", x)
        yield "no elements", self.launch(random, (2, 3), (1, 2), "-DOP=relu", n=0)

    def launch(self, random, shape, strides, op, T="float", x=None, n=None):  # noqa: N803
        n = strided.size_of(shape) if n is None else n
        if x is None:
            x = distinct(random, strided.cells(shape, strides), dtype=DTYPES[T])
        y = strided.output(shape, DTYPES[T])
        args = x, strided.view(shape, strides), y, np.int32(n)
        how = f"-DT={T}", op
        return Launch(strided.cover(n), strided.THREADS, args, options=how)

    def expected(self, launch, x, view, y, n):
        op = UNARY[launch.options[1]]
        return strided.written(y, n, op(strided.read(x, view).double()))

    flat = unary(
        "the strides are ignored: element i of the view lies at x[offset_of(i, view)]",
        f"{GUARD} y[i] = OP(x[i]);",
    )
    scattered = unary(
        "the offset is used on the wrong side: read x[offset], write y[i]",
        f"{GUARD} y[offset_of(i, view)] = OP(x[i]);",
    )
    no_guard = unary(
        "there is no guard: the last block has more threads than there are elements",
        f"{MY_I} y[i] = OP(x[offset_of(i, view)]);",
    )
    one_op = unary(
        "the operation is always the same: OP stands for the one that is wanted",
        BODY.replace("OP", "relu"),
    )
    copied = unary("OP is not used: the elements are copied", BODY.replace("OP", ""))
    twice = unary("OP is done twice", f"{GUARD} y[i] = OP(OP(x[offset_of(i, view)]));")
    in_float = unary(
        "the numbers go through float: T may be double, and then digits are lost",
        BODY.replace("OP(x[offset_of(i, view)])", "OP((float)x[offset_of(i, view)])"),
    )
    functions_in_float = unary(
        "relu and sigmoid go through float: T may be double, and then digits are lost",
        relu="float v = x; return v < 0 ? 0 : v;",
        sigmoid="float v = x; return 1.0f / (1.0f + expf(-v));",
    )
    nan_in_relu = unary(
        "relu makes 0 of NaN: every comparison with NaN is false, so NaN takes the "
        "last way; let that be x",
        relu="return x > 0 ? x : 0;",
    )
    leaky = unary("relu is x itself above 0, and 0 below", relu="return fabs(x);")
    sign_of_sigmoid = unary(
        "sigmoid has the wrong sign: it is 1 / (1 + exp(-x))",
        sigmoid="return 1 / (1 + exp(x));",
    )
    overflow = unary(
        "sigmoid of large numbers is inf / inf, NaN: with exp(-x) it would be 1 / 1",
        sigmoid="return exp(x) / (1 + exp(x));",
    )


LARGER = "return a > b || a != a ? a : b;"


def binary(text, left="a[offset_of(i, a_view)]", right="b[offset_of(i, b_view)]",
           guard=GUARD, op="OP", maximum=LARGER):  # fmt: skip
    """A mistake: what is read, and what is done with it."""
    body = f"{guard} y[i] = {op}({left}, {right});"
    before = f"""{strided.OFFSET_OF}{AT_LEAST_ONE}
    __device__ T sub(T a, T b) {{ return a - b; }}
    __device__ T maximum(T a, T b) {{ {maximum} }}"""
    return mistake(text, strided.text_of(binary_broadcast, body, before))


AT_LEAST_ONE = """
__device__ long long at_least_one(long long i, const Strides& view) {
    long long offset = 0;
    for (int d = view.dims - 1; d >= 0; d--) {
        offset += i % view.shape[d] * (view.stride[d] ? view.stride[d] : 1);
        i /= view.shape[d];
    }
    return offset;
}
"""
PAIRS = [  # shape, and the strides of both
    ("a column and a row", (3, 4), (1, 0), (0, 1)),
    ("a column and a row", (33, 5), (0, 1), (1, 0)),
    ("a tensor and a number", (5, 7), (7, 1), (0, 0)),
    ("a tensor and a number", (257,), (0,), (1,)),
    ("a tensor and a row", (6, 4), (4, 1), (0, 1)),
    ("a tensor and a column", (4, 6), (1, 0), (6, 1)),
    ("any layout", (4, 3), (1, 4), (3, 1)),
    ("any layout", (2, 3, 4), (12, 4, 1), (1, 8, 2)),
    ("any layout", (20, 13), (13, 1), (26, 2)),
    ("three dimensions", (2, 3, 4), (0, 4, 1), (1, 0, 0)),
    ("three dimensions", (5, 1, 3), (0, 0, 1), (3, 0, 0)),
    ("several blocks", (1000,), (1,), (1,)),
    ("several blocks", (37, 29), (0, 1), (1, 37)),
    ("numbers alone", (), (), ()),
]


@checks(binary_broadcast)
class BinaryBroadcast(LayoutCheck):
    def cases(self, random):
        for part, *layout in PAIRS:
            yield part, self.launch(random, *layout, "-DOP=sub")
        eight = (2, 1, 3, 2, 2, 1, 2, 3)
        b = strided.permuted(random, eight)
        yield "any layout", self.launch(random, eight, (0,) * 8, b, "-DOP=maximum")
        for op in BINARY:
            a, b = specials(random), specials(random)
            args = (30, 30), (0, 1), (1, 0), op
            part = "maximum" if op == "-DOP=maximum" else "other operations"
            yield part, self.launch(random, *args, a=a, b=b)
        args = (3, 4), (1, 0), (0, 1), "-DOP=sub", "int"
        big = np.array([2**24 + 1, 2**24 + 3, 2**24 + 5, 7], np.int32)
        yield "other operations", self.launch(random, *args, a=big[:3], b=big)
        yield "no elements", self.launch(random, *args, n=0)

    def launch(self, random, shape, a_strides, b_strides, op, T="float", a=None, b=None,
               n=None):  # fmt: skip  # noqa: N803
        n = strided.size_of(shape) if n is None else n
        views, args = (a_strides, b_strides), []
        for strides, x in zip(views, (a, b), strict=True):
            if x is None:
                cells = strided.cells(shape, strides)
                x = distinct(random, cells, dtype=DTYPES[T])
            args += [x, strided.view(shape, strides)]
        args += [strided.output(shape, DTYPES[T]), np.int32(n)]
        how = f"-DT={T}", op
        return Launch(strided.cover(n), strided.THREADS, tuple(args), options=how)

    def expected(self, launch, a, a_view, b, b_view, y, n):
        op = BINARY[launch.options[1]]
        left, right = strided.read(a, a_view), strided.read(b, b_view)
        return strided.written(y, n, op(left, right))

    flat = binary(
        "the strides are ignored: a tensor that is broadcast has strides of 0. Element "
        "i of a is a[offset_of(i, a_view)], and b's is b[offset_of(i, b_view)]",
        "a[i]",
        "b[i]",
    )
    flat_a = binary("a's strides are ignored: a[offset_of(i, a_view)]", "a[i]")
    flat_b = binary("b's strides are ignored: b[offset_of(i, b_view)]", right="b[i]")
    one_view = binary(
        "a's view is used for both: b has strides of its own",
        right="b[offset_of(i, a_view)]",
    )
    other_view = binary(
        "b's view is used for both: a has strides of its own",
        left="a[offset_of(i, b_view)]",
    )
    crossed = binary(
        "the views have changed places",
        "a[offset_of(i, b_view)]",
        "b[offset_of(i, a_view)]",
    )
    stride_zero = binary(
        "a stride of 0 is taken for 1: an element that is broadcast stays in its cell",
        "a[at_least_one(i, a_view)]",
        "b[at_least_one(i, b_view)]",
    )
    no_scalars = binary(
        "a view without dimensions has one element, too: its offset is 0",
        guard=f"{GUARD} if (a_view.dims == 0) return;",
    )
    exchanged = binary(
        "the operands have changed places: a comes first, and a - b is not b - a",
        "b[offset_of(i, b_view)]",
        "a[offset_of(i, a_view)]",
    )
    no_guard = binary(
        "there is no guard: the last block has more threads than there are elements",
        guard=MY_I,
    )
    in_float = binary(
        "the numbers go through float: T may be int or double, and digits are lost",
        "(float)a[offset_of(i, a_view)]",
        "(float)b[offset_of(i, b_view)]",
    )
    one_op = binary(
        "the operation is always the same: OP stands for the one that is wanted",
        op="sub",
    )
    nan_in_maximum = binary(
        "maximum loses a NaN: every comparison with NaN is false, so ask for it, too: "
        "a != a",
        maximum="return a > b ? a : b;",
    )
    nan_by_fmax = binary(
        "max and fmax return the number beside a NaN; here NaN is to come out",
        maximum="return fmax((double)a, (double)b);",
    )
    nan_in_b = binary(
        "maximum loses a NaN in b: every comparison with NaN is false, so NaN must "
        "take the way to itself",
        maximum="return b > a ? b : a;",
    )
