# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Lab 11 · Your kernel inside PyTorch
#
# In this lab, you build one operator, **gelu(x + bias)**, whose forward kernel is
# given.
# There are seven exercises, which take about {{duration}}: the checks and a loop in
# C++, two kernels, the gradient, a shape rule, and a function that finds faulty
# operators. The two in C++ need a C++ compiler and don't count if there's none.
# Compiling against PyTorch's headers takes ten seconds or more, so these two checks
# take longer than the others. The kernels run in the simulator and, if there's a GPU,
# also as an extension of PyTorch.

# %% [markdown]
# {{how}}

# %% setup=true
# Set-up: run this cell first. Running it twice does no harm.
import itertools

import numpy as np

import minigrad
from grading import check, show_check, trying
from minigrad import answers_from, solves
from minigrad.autograd.custom import bias_gelu_autograd
from minigrad.kernels.bias_gelu import bias_backward, bias_gelu_backward
from minigrad.kernels.bindings import bias_gelu_cpu, check_bias_gelu
from minigrad.ops.shape_rules import outer_shape
from minigrad.testing.verify import verify

answers_from("labs", before="11_extending_pytorch")

# %% [markdown] task="check_bias_gelu"
# ## Refuse what doesn't fit
#
# If the bias is two elements short, a kernel reads past its end, and if a tensor is on
# another device, the kernel can't use its address. So the function that Python calls
# begins by checking these rules:
#
# - `x` and `bias` are on the same device.
# - They have the same dtype, and it's a floating-point type.
# - `x` has at least one dimension.
# - `bias` has exactly one dimension, and as many elements as the last dimension of `x`.
# - Both are contiguous.
#
# Write `check_bias_gelu`, with a `TORCH_CHECK(condition, "what's wrong: ", value)` for
# each condition. (Most rules have two.) The message names the argument (`x` or `bias`)
# and shows the value that breaks the rule: the device, the dtype, the number of
# dimensions, or both sizes. If a tensor isn't contiguous, it contains the word
# "contiguous". Sizes of 0 are fine.
#
# A tensor in C++ has `device()`, `scalar_type()`, `is_floating_point()`, `dim()`,
# `size(0)`, `sizes()`, and `is_contiguous()`. `size(-1)` is the last size, but if there
# are no dimensions, it raises PyTorch's own IndexError, which the check doesn't accept.
# Here's one of PyTorch's own messages.

# %%
import torch

with trying():
    torch.nn.functional.linear(torch.ones(2, 3), torch.ones(4, 2))

# %% [markdown] hints="check_bias_gelu"
# <details><summary>Hint 1</summary>
#
# Which of your checks rely on others that must come first? Think of a tensor without
# dimensions.
#
# </details>
# <details><summary>Hint 2</summary>
#
# Start with one rule, such as `TORCH_CHECK(bias.dim() == 1, …)`. Then compare the two
# devices with `==`, and the dtypes in the same way. Ask for the last size only after
# you know that there is one.
#
# </details>

# %% exercise="check_bias_gelu"
solves(check_bias_gelu)(r"""
void check_bias_gelu(const at::Tensor& x, const at::Tensor& bias) {  //: head
    // BEGIN SOLUTION
    TORCH_CHECK(x.device() == bias.device(), "x is on ", x.device(),  //: check_device
                ", bias is on ", bias.device());  //: check_device
    //: check_dtype
    TORCH_CHECK(x.scalar_type() == bias.scalar_type(), "x is ", x.scalar_type(),
                ", bias is ", bias.scalar_type());  //: check_dtype
    //: check_floating_point
    TORCH_CHECK(x.is_floating_point(), "x must be floating, is ", x.scalar_type());
    TORCH_CHECK(x.dim() >= 1, "x must have a dimension, has ", x.dim());  //: check_dims
    //: check_bias_dims
    TORCH_CHECK(bias.dim() == 1, "bias must have one dimension, has ", bias.dim());
    TORCH_CHECK(bias.size(0) == x.size(-1), "bias has ", bias.size(0),  //: check_size
                " elements, the last dimension of x has ", x.size(-1));  //: check_size
    TORCH_CHECK(x.is_contiguous(), "x must be contiguous");  //: check_contiguous
    //: check_bias_contiguous
    TORCH_CHECK(bias.is_contiguous(), "bias must be contiguous");
    // END SOLUTION
}
""")

# %%
from minigrad.testing import native

with trying():
    function = native.build(check_bias_gelu)
    print("let through:", function(torch.ones(2, 3), torch.ones(3)))
    function(torch.ones(2, 3), torch.ones(2))

# %% check="check_bias_gelu"
check(check_bias_gelu)

# %% [markdown] task="bias_gelu_cpu"
# ## One loop for three dtypes
#
# Now the operator itself, on the CPU. It returns a new tensor, `gelu(x + bias)`. The
# bias is added to every row, and
#
#     gelu(u) = u * (1 + erf(u / sqrt(2))) / 2
#
# Python finds out the dtype when it runs, but C++ has to know it when it's compiled. So
# use `AT_DISPATCH_FLOATING_TYPES_AND_HALF(x.scalar_type(), "bias_gelu", [&] { ... })`,
# as in the lesson.
#
# Write `bias_gelu_cpu`.
#
# - Allocate the result with `at::empty_like(x)`, and compute it in a loop over
#   pointers. `x.const_data_ptr<scalar_t>()` is one to read from, and
#   `y.mutable_data_ptr<scalar_t>()` is one to write to.
# - Compute in `at::opmath_type<scalar_t>`, which is float for half and otherwise
#   `scalar_t` itself. Round once, when you store the result.
# - `x` and `bias` have passed the checks of exercise 1 and must not change. `x` may
#   have several dimensions, and there may be no elements.
#
# The next cell computes the expected values in PyTorch.

# %%
x = torch.tensor([[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]], dtype=torch.half)
bias = torch.tensor([0.0, -1.0, -4.0], dtype=torch.half)
torch.nn.functional.gelu(x.float() + bias.float()).half()

# %% [markdown] hints="bias_gelu_cpu"
# <details><summary>Hint 1</summary>
#
# If you count the elements of `x` row by row, which column is element i in, when a row
# has N elements? How do you get N, if `x` may have any number of dimensions?
#
# </details>
# <details><summary>Hint 2</summary>
#
# The allocation and N don't depend on the dtype, so they come before the dispatch, and
# `return` comes after it. In the braces, get three pointers, and loop over i up to
# `x.numel()`. Convert both numbers to the wider type, `using acc_t =
# at::opmath_type<scalar_t>`, before you add them. `std::erf` takes float and double.
#
# </details>

# %% exercise="bias_gelu_cpu"
solves(bias_gelu_cpu)(r"""
at::Tensor bias_gelu_cpu(const at::Tensor& x, const at::Tensor& bias) {  //: head
    // BEGIN SOLUTION
    at::Tensor y = at::empty_like(x);  //: y
    int64_t N = bias.size(0);
    //: dispatch
    AT_DISPATCH_FLOATING_TYPES_AND_HALF(x.scalar_type(), "bias_gelu", [&] {
        using acc_t = at::opmath_type<scalar_t>;  //: acc_t
        const scalar_t* in = x.const_data_ptr<scalar_t>();  //: in
        const scalar_t* more = bias.const_data_ptr<scalar_t>();
        scalar_t* out = y.mutable_data_ptr<scalar_t>();
        for (int64_t i = 0; i < x.numel(); i++) {  //: each_i
            acc_t u = acc_t(in[i]) + acc_t(more[i % N]);  //: u
            //: set_out
            out[i] = scalar_t(u * (1 + std::erf(u / std::sqrt(acc_t(2)))) / 2);
        }
    });
    return y;
    // END SOLUTION
}
""")

# %%
with trying():
    function = native.build(bias_gelu_cpu)
    for dtype in torch.half, torch.float, torch.double:
        print(function(x.to(dtype), bias.to(dtype)))

# %% check="bias_gelu_cpu"
check(bias_gelu_cpu)

# %% [markdown] task="bias_gelu_backward"
# ## A kernel for gelu's slope
#
# On a GPU, one thread computes each element. In PyTorch, such kernels are templates,
# but here, compiler options define the names of two types. `scalar_t` is the type of an
# element, and `acc_t` is the type to compute in. The next cell runs gelu(x + bias) as
# such a kernel. `x` and `y` have `n` elements in rows of `N`, and `bias` has `N`.
#
# Write `(acc_t)0.5` instead of `0.5`, because `acc_t` may be float. A bare `0.5` is a
# double, so the whole expression would be computed in double, and most GPUs have only
# 1/32 or 1/64 as many units for that. (The check can't tell the difference, because the
# result is just as precise.)
#
# The gradient of x is `dx = dy * gelu'(u)`, where u = x + bias. Work out gelu' with the
# product rule and the chain rule. You also need the derivative of erf:
#
#     erf'(t) = 2 / sqrt(pi) * exp(-t * t)
#
# Write the kernel `bias_gelu_backward`. It computes u again, because reading two
# numbers and adding them costs less than keeping another tensor of x's size. Compute in
# `acc_t`, and round once. The last line of the next cell shows slopes that PyTorch
# computed.

# %%
forward = r"""
__global__ void bias_gelu(const scalar_t* x, const scalar_t* bias, scalar_t* y,
                          int N, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    acc_t u = (acc_t)x[i] + (acc_t)bias[i % N];
    y[i] = (scalar_t)(u * (acc_t)0.5 * (1 + erf(u * (acc_t)0.70710678118654752)));
}
"""
TYPES = "-Dscalar_t=float", "-Dacc_t=float"

with trying():
    kernel = minigrad.Kernel(forward, "bias_gelu", TYPES)
    x = minigrad.to_device(np.arange(4, dtype=np.float32))
    b = minigrad.to_device(np.array([0, -1], np.float32))
    y = minigrad.to_device(np.zeros(4, np.float32))
    kernel(1, 32, (x, b, y, 2, 4))
    print(minigrad.to_host(y))

u = torch.tensor([-1.0, 0.0, 1.0, 2.0], requires_grad=True)
torch.nn.functional.gelu(u).sum().backward()
u.grad

# %% [markdown] hints="bias_gelu_backward"
# <details><summary>Hint 1</summary>
#
# gelu(u) is the product of u and (1 + erf(u / √2)) / 2, which also depends on u. So
# gelu' has two parts. What's the derivative of the second factor? Don't forget the
# inner derivative, 1 / √2.
#
# </details>
# <details><summary>Hint 2</summary>
#
# The first part is the share of a normal distribution below u, and the second is u
# times its density at u, which is exp(-u² / 2) / √(2π). 1 / √(2π) is
# 0.39894228040143268. Compute both parts at u = 1 with a calculator, and compare their
# sum with what PyTorch printed above.
#
# </details>
# <details><summary>Hint 3</summary>
#
# Index, guard, and u are the same as in the kernel above. Give each part a name.
# Multiply their sum by `dy[i]`, converted to `acc_t`, and convert to `scalar_t` only in
# the store.
#
# </details>

# %% exercise="bias_gelu_backward"
solves(bias_gelu_backward)(r"""
__global__ void bias_gelu_backward(const scalar_t* dy, const scalar_t* x,
                                   const scalar_t* bias, scalar_t* dx, int N, int n) {
    // BEGIN SOLUTION
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;  //: guard
    acc_t u = (acc_t)x[i] + (acc_t)bias[i % N];  //: u
    acc_t share = (acc_t)0.5 * (1 + erf(u * (acc_t)0.70710678118654752));  //: share
    acc_t density = (acc_t)0.39894228040143268 * exp(u * u * (acc_t)-0.5);  //: density
    dx[i] = (scalar_t)((acc_t)dy[i] * (share + u * density));  //: store
    // END SOLUTION
}
""")

# %%
with trying():
    kernel = minigrad.Kernel(bias_gelu_backward.text, "bias_gelu_backward", TYPES)
    dy, b, dx = (minigrad.to_device(np.full(n, v, np.float32))
                 for n, v in ((4, 1), (1, 0), (4, 9)))  # fmt: skip
    x = minigrad.to_device(np.arange(-1, 3, dtype=np.float32))
    kernel(1, 32, (dy, x, b, dx, 1, 4))
    print(minigrad.to_host(dx))

# %% check="bias_gelu_backward"
check(bias_gelu_backward)

# %% [markdown] task="bias_backward"
# ## The gradient of what was broadcast
#
# The bias was added to each of `M` rows, so its gradient is the sum of the rows of
# `dx`, column by column (chapter 08's `sum_to_size`).
#
# Write the kernel `bias_backward` with **one thread per column**. Thread j walks down
# the rows and stores the sum of column j of `dx` in `dbias[j]`. It keeps the sum in
# `acc_t` and rounds once. At each step, the 32 threads of a warp read 32 neighbors, so
# the reads are coalesced, and the check counts the sectors. If `M` is 0, the sum is 0.

# %%
dx = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
dx.sum(0)

# %% [markdown] hints="bias_backward"
# <details><summary>Hint 1</summary>
#
# Where is element (i, j) of a matrix with N columns? Which of the two indices belongs
# to the thread, and which to the loop?
#
# </details>
# <details><summary>Hint 2</summary>
#
# The guard compares j with N. Start a sum of type `acc_t` at 0, loop over the rows, and
# add the converted element. Store once, after the loop.
#
# </details>

# %% exercise="bias_backward"
solves(bias_backward)(r"""
__global__ void bias_backward(const scalar_t* dx, scalar_t* dbias, int M, int N) {
    // BEGIN SOLUTION
    int j = blockIdx.x * blockDim.x + threadIdx.x;  //: j
    if (j >= N) return;  //: guard
    acc_t sum = 0;  //: sum
    for (int i = 0; i < M; i++) sum += (acc_t)dx[i * N + j];  //: each_i
    dbias[j] = (scalar_t)sum;  //: store
    // END SOLUTION
}
""")

# %%
with trying():
    kernel = minigrad.Kernel(bias_backward.text, "bias_backward", TYPES)
    dx = minigrad.to_device(np.arange(1, 7, dtype=np.float32))
    dbias = minigrad.to_device(np.zeros(3, np.float32))
    kernel(1, 32, (dx, dbias, 2, 3))
    print(minigrad.to_host(dbias))

# %% check="bias_backward"
check(bias_backward)

# %% [markdown] task="bias_gelu_autograd"
# ## Register the gradient
#
# `torch.library.register_autograd` takes two functions. PyTorch calls `setup_context`
# after forward, to save what the gradient needs, and `backward` to compute it. Write
# `bias_gelu_autograd(bias_gelu_backward, bias_backward)`. It's given the two kernels as
# functions and returns the pair `(setup_context, backward)`.
#
# In `setup_context(ctx, inputs, output)`, `inputs` is `(x, bias)`. Save both with one
# call of `ctx.save_for_backward`. Don't keep anything outside `ctx`, because many calls
# may wait for their backward pass at the same time.
#
# `backward(ctx, dy)` returns `(dx, dbias)`.
#
# - dx is `bias_gelu_backward(dy, x, bias)`, and dbias is `bias_backward(dx)`.
# - The kernels take only contiguous tensors, but `dy` may have any strides. For
#   example, the gradient of a sum is a single number that's expanded. (x and bias are
#   contiguous.)
# - `ctx.needs_input_grad` has two bools, which say which gradients are needed. At least
#   one of them is True. Return None for a gradient that isn't needed. Run each kernel
#   at most once, and only if something depends on its result.
# - `x`, `bias`, and `dy` must not change.
#
# Instead of PyTorch's functions, use methods of `ctx` and of tensors. These have the
# same names in minigrad, so your code runs in both. First look at the `dy` of a sum.

# %%
y = torch.ones(2, 3, requires_grad=True)
(dy,) = torch.autograd.grad(y.sum(), y)
dy, dy.stride(), dy.is_contiguous()

# %% [markdown] hints="bias_gelu_autograd"
# <details><summary>Hint 1</summary>
#
# Define the two functions inside yours, so that they see the kernels. Which gradient do
# you need in order to compute the other one, even if nobody asked for it?
#
# </details>
# <details><summary>Hint 2</summary>
#
# In `backward`, get x and bias from `ctx.saved_tensors`, and compute dx from a
# contiguous `dy`. Compute dbias only if it's needed. At the end, replace dx with None
# if nobody needs it.
#
# </details>


# %% exercise="bias_gelu_autograd"
@solves(bias_gelu_autograd)
def bias_gelu_autograd(bias_gelu_backward, bias_backward):  #: head
    ### BEGIN SOLUTION
    def setup_context(ctx, inputs, output):  #: setup_context
        x, bias = inputs  #: x
        ctx.save_for_backward(x, bias)  #: save_for_backward

    def backward(ctx, dy):
        x, bias = ctx.saved_tensors  #: bias
        need_x, need_bias = ctx.needs_input_grad  #: need_x
        dx = bias_gelu_backward(dy.contiguous(), x, bias)  #: dx
        dbias = bias_backward(dx) if need_bias else None  #: dbias
        return (dx if need_x else None), dbias  #: backward_result

    return setup_context, backward  #: result
    ### END SOLUTION


# %%
def slope(dy, x, bias):
    u = (x + bias).detach().requires_grad_()
    with torch.enable_grad():
        y = torch.nn.functional.gelu(u)
    return torch.autograd.grad(y, u, dy)[0]


with trying():

    @torch.library.custom_op("lab11::bias_gelu", mutates_args=())
    def in_pytorch(x: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.gelu(x + bias)

    setup_context, backward = bias_gelu_autograd(slope, lambda dx: dx.sum(0))
    in_pytorch.register_autograd(backward, setup_context=setup_context)
    x, bias = (
        torch.rand(s, dtype=torch.double, requires_grad=True) for s in ((4, 3), 3)
    )
    print(torch.autograd.gradcheck(in_pytorch, (x, bias)))

# %% check="bias_gelu_autograd"
check(bias_gelu_autograd)

# %% [markdown] task="outer_shape"
# ## A shape before there's a tensor
#
# `torch.compile` and TensorFlow ask for the shape of a result before anything runs.
# Some sizes aren't known yet, such as the batch size, because the last batch of an
# epoch may be smaller than the others. Write `outer_shape(a, b)`, the shape rule of the
# batched outer product, from (B, M) and (B, N) to (B, M, N).
#
# - `a` and `b` are tuples of sizes. An unknown size is `None`. If even the number of
#   dimensions is unknown, the whole shape is `None`.
# - Return a tuple of three sizes. A size that neither `a` nor `b` gives is `None`.
# - Raise a ValueError if `a` or `b` doesn't have two dimensions, or if both batches are
#   known and differ. A size of 0 is known.
#
# Here's PyTorch's own shape rule at work, on the device "meta".

# %%
a = torch.empty(8, 3, device="meta")
b = torch.empty(8, 4, device="meta")
torch.einsum("bm,bn->bmn", a, b).shape

# %% [markdown] hints="outer_shape"
# <details><summary>Hint 1</summary>
#
# Start with a shape that's completely unknown. Which tuple of two sizes says the same
# as `None`, so that the other lines need no special case?
#
# </details>
# <details><summary>Hint 2</summary>
#
# Then check the lengths, and unpack both tuples. Compare the batches only if neither is
# None. Take the one that's known. (If they're called B and C, why is `B or C` incorrect
# if B is 0?)
#
# </details>


# %% exercise="outer_shape"
@solves(outer_shape)
def outer_shape(a, b):
    ### BEGIN SOLUTION
    a = (None, None) if a is None else a
    b = (None, None) if b is None else b
    for name, shape in (("a", a), ("b", b)):
        if len(shape) != 2:  #: refuse_shape
            #: error
            raise ValueError(f"{name} must have two dimensions, has {len(shape)}")
    (B, M), (C, N) = a, b  #: B
    if None not in (B, C) and B != C:  #: refuse_B
        raise ValueError(f"a has {B} rows, b has {C}")  #: error_B
    return (C if B is None else B), M, N  #: result
    ### END SOLUTION


# %%
with trying():
    for a, b in ((8, 3), (8, 4)), ((None, 3), (8, None)), (None, (8, 4)), (None, None):
        print(a, b, "->", outer_shape(a, b))

# %% check="outer_shape"
check(outer_shape)

# %% [markdown] task="verify"
# ## Find the faulty operators
#
# `verify(op, reference)` is given two functions. Both take tensors `a` of shape (B, M)
# and `b` of shape (B, N), on "cpu". `op` is the operator to test, and `reference` is a
# correct batched outer product. If `op` is correct, `verify` returns, and otherwise it
# raises an error. The contract lists all the ways in which `op` may be faulty.
#
# Do it in steps, as in lesson 11. First compare the results of `op` and `reference` for
# one pair of inputs, and run the check. Then add a second pair, then gradients, and so
# on. The check shows you which faults still pass.
#
# Each product is rounded once, so `op` must return exactly what `reference` returns.
# (The sign of a 0 and the bits of a NaN don't matter.) A correct operator may add up a
# gradient in another order or in double, so compare gradients with a tolerance that
# depends on the dtype. Use `rtol` = `atol` = 100 · `np.finfo(dtype).eps`, which is
# enough for sums of up to 40 numbers near 1.
#
# In minigrad, one comparison of a gradient looks like this.

# %%
x, dy = minigrad.randn(4, 3), minigrad.randn(3, 4).transpose(0, 1)
found = []
for f in (lambda x: x * x), (lambda x: x**2):
    leaf = x.detach().requires_grad_()
    f(leaf).backward(dy)
    found.append(leaf.grad.numpy())
near = 100 * np.finfo(np.float32).eps
np.testing.assert_allclose(*found, rtol=near, atol=near)
print(dy.strides, "the gradients agree, with a tolerance of", near)

# %% [markdown] hints="verify"
# <details><summary>Hint 1</summary>
#
# Write a function that compares `op` and `reference` on one pair `a, b`, forward and
# backward, and call it for every kind of pair. Which of the puzzles in lesson 11 found
# which fault? `itertools.product` gives you all combinations of sizes.
#
# </details>
# <details><summary>Hint 2</summary>
#
# With `strict=True`, the functions of `np.testing` also compare shapes and dtypes. For
# inputs, a tensor that begins inside its storage is `big[1:]`, a transposed one is
# `minigrad.randn(M, B).transpose(0, 1)`, and an expanded one is `minigrad.randn(1,
# M).expand(B, M)`. Keep `a.clone()` from before the call.
#
# </details>
# <details><summary>Hint 3</summary>
#
# Some faults show only if both operands require a gradient, and others only if just one
# does. So run backward for each of the three cases. A dy that's random and transposed
# is `minigrad.randn(B, N, M).transpose(1, 2)`. If you need it in another dtype, pass
# `dtype=` to `randn`, because `to` may make it contiguous. Call `op` a second time with
# other values before you compare the first result.
#
# </details>


# %% exercise="verify"
@solves(verify)
def verify(op, reference):
    ### BEGIN SOLUTION
    def gradients(f, a, b, dy, needs):
        pairs = zip((a, b), needs, strict=True)
        leaves = [x.detach().requires_grad_(needed) for x, needed in pairs]
        f(*leaves).backward(dy)  #: backward
        return [x.grad.numpy() for x in leaves if x.requires_grad]  #: backward

    def compare(a, b):
        kept = a.clone(), b.clone()
        y, expected = op(a, b), reference(*kept)
        op(-a, b)  # and y stays as it is  #: op
        for got, right in zip((y, a, b), (expected, *kept), strict=True):
            #: assert_array_equal
            np.testing.assert_array_equal(got.numpy(), right.numpy(), strict=True)
        dy = (-reference(b, a)).transpose(1, 2)  #: dy
        for needs in (True, True), (True, False), (False, True):  #: each_needs
            found = (gradients(f, a, b, dy, needs) for f in (op, reference))
            for got, right in zip(*found, strict=True):
                near = 100 * np.finfo(right.dtype).eps  #: near
                np.testing.assert_allclose(got, right, near, near)  #: assert_allclose

    B, M, N = 3, 40, 30  #: B
    a, b = minigrad.randn(B, M), minigrad.randn(B, N)
    compare(a.T.contiguous().T, b.T.contiguous().T)
    compare(a[:1].expand(a.shape), b[:1].expand(b.shape))
    compare(minigrad.cat([a, a])[B:], minigrad.cat([b, b])[B:])
    odd = minigrad.tensor([[float("nan"), float("inf"), float("-inf"), 0.0]])
    compare(odd, odd)  #: compare
    for dtype in minigrad.float16, minigrad.float64:  #: each_dtype
        compare(*(minigrad.randn(B, n, dtype=dtype) for n in (M, N)))
    for B, M, N in itertools.product((0, 1, 3), (0, 1, 40), (0, 1, 30)):  #: each_B
        compare(minigrad.randn(B, M), minigrad.randn(B, N))
    ### END SOLUTION


# %%
def by_einsum(a, b):
    return minigrad.einsum("bm,bn->bmn", a, b)


def only_ten(a, b):
    y = by_einsum(a, b)
    return minigrad.where(minigrad.arange(y.numel()).view(y.shape) < 10, y, 0.0)


with trying():
    right = verify(by_einsum, lambda a, b: a.unsqueeze(2) * b.unsqueeze(1))
    print("a correct one:", right)
    print(verify(only_ten, by_einsum))

# %% check="verify"
check(verify)

# %% [markdown]
# ## What you've built
#
# Checks, a kernel for each device, a gradient, and a shape rule are all that a PyTorch
# operator needs. Once you've solved exercises 1, 2, and 5, the next cell puts them
# together on the CPU. (Its gradient still computes with PyTorch's gelu, as in the cell
# below exercise 5.)

# %%
with trying():
    inside = native.build(check_bias_gelu), native.build(bias_gelu_cpu)

    @torch.library.custom_op("lab11::whole", mutates_args=())
    def whole(x: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
        inside[0](x, bias)
        return inside[1](x, bias)

    whole.register_fake(lambda x, bias: torch.empty_like(x))
    whole.register_autograd(backward, setup_context=setup_context)
    x, bias = (
        torch.rand(s, dtype=torch.double, requires_grad=True) for s in ((4, 3), 3)
    )
    print(torch.library.opcheck(whole, (x, bias)))

# %% [markdown]
# ## How you were checked
#
# `show_check` shows an exercise's check: its cases, where the expected values come
# from, and the mistakes that it can name.

# %%
show_check(bias_gelu_autograd)

# %% [markdown]
# ## Where to go next
#
# Chapter 12 looks at whole programs, and at what a framework can do if it sees the
# graph before it runs.
