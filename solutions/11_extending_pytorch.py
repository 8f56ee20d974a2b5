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
# One operator from end to end: **gelu(x + bias)**, in one kernel, inside PyTorch. You
# write what an extension is made of: the checks and the loop of the CPU in C++, three
# kernels in CUDA C, the gradient, a shape rule, and a verification that finds what is
# wrong. Eight exercises, about {{duration}}. The first two need a C++ compiler,
# and are not counted where there is none; the kernels run in minigrad's simulator and,
# where there is a GPU, as a built extension, too.
#
# How each exercise goes:
#
# 1. Read the task, and look at the example under it.
# 2. Fill in the cell: C++ or CUDA C in the place of each `// YOUR CODE HERE`, or Python
#    in the place of `# YOUR CODE HERE` and the `raise` under it. Then run the cell.
# 3. Run the cell below it, to see your code at work.
# 4. Run the `check` cell. Each part of the task that is right earns its share of the
#    points. Check as often as you like. Of a C++ text the first check takes some ten
#    seconds, since it is compiled against PyTorch's headers; the next takes three.
#
# If you are stuck, open a hint: they go from vague to precise. No check needs your
# answer to another exercise.
#
# When something is odd:
#
# - `NameError: name 'check' is not defined`, or `'solves'`, means that the set-up cell
#   has not run in this session. Run it, then your answers, and go on.
# - "not answered yet" for a text that you have written: one `// YOUR CODE HERE` still
#   stands in it.
# - A compiler's error names the file of your exercise and the line in it.

# %% setup=true
# Set-up: run this cell first. Running it twice does no harm.
import itertools

import numpy as np

import minigrad
from grading import check, show_check, trying
from minigrad import answers_from, solves
from minigrad.autograd.custom import bias_gelu_autograd
from minigrad.kernels.bias_gelu import bias_backward, bias_gelu, bias_gelu_backward
from minigrad.kernels.bindings import bias_gelu_cpu, check_bias_gelu
from minigrad.ops.shape_rules import outer_shape
from minigrad.testing.verify import verify

answers_from("labs", before="11_extending_pytorch")

# %% [markdown] task="check_bias_gelu"
# ## Refuse it at the door
#
# A kernel gets an address and believes it. If the bias has two elements too few, it
# reads what lies past them; if the tensor is on another device, the address means
# nothing there. So the function that Python calls looks at everything first, and
# `TORCH_CHECK(condition, "what is wrong: ", what_it_is)` raises a RuntimeError where
# the condition is false. The rules:
#
# - `x` and `bias` are on one device, and have one dtype, a floating one;
# - `x` has one dimension or more, `bias` exactly one, with as many elements as the last
#   dimension of `x`;
# - both are contiguous.
#
# What keeps the rules is let through, on any device, and also where a size is 0. What
# breaks one is refused by a TORCH_CHECK of yours, whose message names the argument (`x`
# or `bias`) and says what it is: the device, the dtype, the sizes or the number of
# dimensions, or the word "contiguous".
#
# What you need of a tensor: `x.device()`, `x.scalar_type()`, `x.is_floating_point()`,
# `x.dim()`, `x.size(0)` (and `size(-1)`, which is an error of another kind where there
# is no dimension), `x.sizes()`, `x.is_contiguous()`. A device can be tried without a
# GPU: PyTorch's "meta" has tensors without memory.

# %%
import torch

with trying():  # a TORCH_CHECK of PyTorch's own
    torch.nn.functional.linear(torch.ones(2, 3), torch.ones(4, 2))

# %% [markdown] hints="check_bias_gelu"
# <details><summary>Hint 1</summary>
#
# One TORCH_CHECK for each rule, in an order in which every check may rely on those
# before it: may you ask for the last size of a tensor without dimensions?
#
# </details>
# <details><summary>Hint 2</summary>
#
# `TORCH_CHECK(x.device() == bias.device(), "x is on ", x.device(), ", bias is on ",
# bias.device());` The two dtypes are compared in the same way, by `scalar_type()`.
# Then the dimensions, then the sizes, and `is_contiguous()` of each.
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
# ## A loop for three dtypes
#
# Now the operator itself, for the CPU: `y = gelu(x + bias)`, a new tensor. The bias is
# added to every row, and
#
#     gelu(u) = u * (1 + erf(u / sqrt(2))) / 2
#
# Python knows the dtype when it runs; C++ must know it when it is compiled.
# `AT_DISPATCH_FLOATING_TYPES_AND_HALF(x.scalar_type(), "bias_gelu", [&] { ... })`
# compiles what stands in the braces for double, float and half, with `scalar_t` as the
# name of the type, and runs the one that fits.
#
# - The memory comes from ATen: `at::empty_like(x)`. The arithmetic is your loop over
#   pointers: `x.const_data_ptr<scalar_t>()` to read, `y.mutable_data_ptr<scalar_t>()`
#   to write, `x.numel()` elements.
# - Compute in `at::opmath_type<scalar_t>`, which is float for half and else scalar_t
#   itself, and round once, when you write.
# - `x` and `bias` have passed the checks of exercise 1, are contiguous, and stay as
#   they are. There may be no elements at all.

# %%
x = torch.tensor([[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]], dtype=torch.half)
bias = torch.tensor([0.0, -1.0, -4.0], dtype=torch.half)
torch.nn.functional.gelu(x.float() + bias.float()).half()

# %% [markdown] hints="bias_gelu_cpu"
# <details><summary>Hint 1</summary>
#
# Element i of `x` stands in which column, if a row has N elements? And how many are N,
# whatever dimensions `x` has?
#
# </details>
# <details><summary>Hint 2</summary>
#
# Before the dispatch: `at::Tensor y = at::empty_like(x); int64_t N = bias.size(0);`. In
# it: three pointers, and `for (int64_t i = 0; i < x.numel(); i++)` with
# `acc_t u = acc_t(in[i]) + acc_t(more[i % N]);`, where
# `using acc_t = at::opmath_type<scalar_t>;`. `std::erf` takes float and double.
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

# %% [markdown] task="bias_gelu"
# ## The kernel
#
# The same on a GPU: a thread for each element. PyTorch writes such kernels as templates
# of `scalar_t`; here two names are defined when the text is compiled, `scalar_t`, the
# type of an element, and `acc_t`, the type to compute in.
#
# `x` and `y` have `n` elements, in rows of `N`; `bias` has `N`. Write `y[i]` =
# gelu(x[i] + the bias of i's column), computed in `acc_t` and rounded once. CUDA's
# `erf` takes float and double.
#
# Write `(acc_t)0.5` rather than `0.5` beside a float: a bare `0.5` is a double, and
# would pull the whole expression into double precision, which most GPUs do at 1/32 or
# 1/64 of the speed.

# %%
torch.nn.functional.gelu(torch.tensor([0.0, 0.0, 2.0, 2.0]))

# %% [markdown] hints="bias_gelu"
# <details><summary>Hint 1</summary>
#
# Which of the `N` numbers of `bias` belongs to element i? Where must you turn
# `scalar_t` into `acc_t`, before the addition or after it?
#
# </details>
# <details><summary>Hint 2</summary>
#
# Index and guard as ever; `acc_t u = (acc_t)x[i] + (acc_t)bias[i % N];`, the formula
# with `erf(u * (acc_t)0.70710678118654752)`, and `y[i] = (scalar_t)(...)`.
#
# </details>

# %% exercise="bias_gelu"
solves(bias_gelu)(r"""
__global__ void bias_gelu(const scalar_t* x, const scalar_t* bias, scalar_t* y,
                          int N, int n) {
    // BEGIN SOLUTION
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;  //: guard
    acc_t u = (acc_t)x[i] + (acc_t)bias[i % N];  //: u
    //: store
    y[i] = (scalar_t)(u * (acc_t)0.5 * (1 + erf(u * (acc_t)0.70710678118654752)));
    // END SOLUTION
}
""")

# %%
TYPES = "-Dscalar_t=float", "-Dacc_t=float"

with trying():
    kernel = minigrad.Kernel(bias_gelu.text, "bias_gelu", TYPES)
    x = minigrad.to_device(np.arange(4, dtype=np.float32))
    b = minigrad.to_device(np.array([0, -1], np.float32))
    y = minigrad.to_device(np.zeros(4, np.float32))
    kernel(1, 32, (x, b, y, 2, 4))
    print(minigrad.to_host(y))

# %% check="bias_gelu"
check(bias_gelu)

# %% [markdown] task="bias_gelu_backward"
# ## Its slope
#
# Backward gets `dy` and needs `dx = dy * gelu'(u)` with u = x + bias, the same for all
# elements, each by itself. gelu is a product of u and a function of u, so its slope has
# two parts:
#
#     gelu'(u) = (1 + erf(u / sqrt(2))) / 2  +  u * exp(-u * u / 2) / sqrt(2 * pi)
#
# u is computed anew: to read two numbers and add them costs less than to keep a third
# tensor of x's size from forward to backward. Again all is computed in `acc_t`.

# %%
u = torch.tensor([-1.0, 0.0, 1.0, 2.0], requires_grad=True)
torch.nn.functional.gelu(u).sum().backward()
u.grad

# %% [markdown] hints="bias_gelu_backward"
# <details><summary>Hint 1</summary>
#
# Which of the parts is 1/2 for u = 0? Try both by hand before you write them down.
#
# </details>
# <details><summary>Hint 2</summary>
#
# u as in exercise 3; then `share`, then `density`, which is
# `(acc_t)0.39894228040143268 * exp(u * u * (acc_t)-0.5)`, and
# `dx[i] = (scalar_t)((acc_t)dy[i] * (share + u * density))`.
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
# The bias was added to each of `M` rows. Its gradient is the sum over these, column by
# column: chapter 08's `sum_to_size`. Write it with **a thread for each column**, which
# walks down the rows: `dbias[j]` is the sum of column j of `dx`, kept in `acc_t` and
# rounded once.
#
# At each step the 32 threads of a warp read 32 neighbors, so the reads are coalesced,
# and the check counts that they are. `M` may be 0, and then the sum is 0.

# %%
dx = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
dx.sum(0)

# %% [markdown] hints="bias_backward"
# <details><summary>Hint 1</summary>
#
# Where is element (i, j) of a matrix with N columns? Which of the two indices is the
# thread's, and which the loop's?
#
# </details>
# <details><summary>Hint 2</summary>
#
# `for (int i = 0; i < M; i++) sum += (acc_t)dx[i * N + j];` in a thread that has passed
# the guard `j < N`, and after the loop `dbias[j] = (scalar_t)sum;`.
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
# ## The gradient, registered
#
# `torch.library.register_autograd` takes two functions: one that is called after
# forward, to keep what backward needs, and backward itself. Write
# `bias_gelu_autograd(bias_gelu_backward, bias_backward)`, which gets the two kernels as
# functions and returns the pair `(setup_context, backward)`.
#
# `setup_context(ctx, inputs, output)`: `inputs` is `(x, bias)`. Keep both by one call
# of `ctx.save_for_backward`, nothing else, and nothing outside of `ctx`: many calls may
# wait for their backward at the same time.
#
# `backward(ctx, dy)` returns `(dx, dbias)`:
#
# - dx is `bias_gelu_backward(dy, x, bias)`, and dbias is `bias_backward(dx)`.
# - The kernels take contiguous tensors only, and `dy` may have any strides: the
#   gradient of a sum is a single number, expanded. (x and bias are contiguous.)
# - `ctx.needs_input_grad` says which gradients are wanted: two bools. What is not
#   wanted is `None`, and `bias_backward` must not run for it. No kernel runs twice.
# - `x`, `bias` and `dy` stay as they are.
#
# Write it without PyTorch: the methods of `ctx` and of tensors have the same names in
# minigrad, and in the cell below your answer both run it.

# %%
y = torch.ones(2, 3, requires_grad=True)
y.sum().backward()
y.grad, y.grad.stride(), torch.ones(()).expand(2, 3).is_contiguous()

# %% [markdown] hints="bias_gelu_autograd"
# <details><summary>Hint 1</summary>
#
# The two functions stand inside yours, so they see the kernels. Which gradient needs
# the other one to be computed first, even if that one is not wanted?
#
# </details>
# <details><summary>Hint 2</summary>
#
# In backward: `x, bias = ctx.saved_tensors`, then dx by the kernel, of
# `dy.contiguous()`. If `ctx.needs_input_grad[1]`, dbias comes from dx, else it is None;
# and dx is returned only if `ctx.needs_input_grad[0]`.
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
# ## A shape before there is a tensor
#
# `torch.compile` and TensorFlow's graphs ask what shape a result will have before
# anything runs, when some sizes are not known: the last batch of an epoch is smaller
# than the others. Write the rule of the batched outer product, (B, M) and (B, N) to
# (B, M, N): `outer_shape(a, b)`.
#
# - `a` and `b` are tuples of sizes. A size that is not known is `None`. Where not even
#   the number of dimensions is known, the whole shape is `None`.
# - Return a tuple of three, each known as far as `a` and `b` tell. Both say something
#   about B.
# - Raise a ValueError where `a` or `b` has not two dimensions, or where both batches
#   are known and differ. Sizes may be 0, which is known.

# %%
a = torch.empty(8, 3, device="meta")  # a shape, and no memory
b = torch.empty(8, 4, device="meta")
torch.einsum("bm,bn->bmn", a, b).shape

# %% [markdown] hints="outer_shape"
# <details><summary>Hint 1</summary>
#
# Begin with what is not known at all: with which tuple of two can you replace the shape
# `None`, so that the other lines need not think of it?
#
# </details>
# <details><summary>Hint 2</summary>
#
# Then look at the lengths, and take `B, M = a` and `C, N = b`. Where `None not in
# (B, C)` the two must be equal. The batch is C if B is None, else B: `B or C` is wrong
# for a B of 0.
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
# ## Find what is wrong
#
# `verify(op, reference)` gets two functions of tensors `a`, (B, M), and `b`, (B, N), on
# "cpu": an operator that is to be tried, and the reference, a batched outer product. If
# the operator is right, it returns and says nothing. If it is wrong in any of these
# ways, it raises an error:
#
# - **values**: of several batches; M and N that differ; more than 256 elements, more
#   than 1024; both signs, fractions, NaN, infinities, and 0 times these;
# - **sizes**: B, M or N may be 1, or 0;
# - **layout**: `a` and `b` may be transposed or expanded, or begin inside a storage;
# - **dtype**: float16, float32 and float64 give that dtype, a product rounded once;
# - **gradients**: of both operands, where both or only one requires it, in the
#   operand's precision, for any `dy`, of any strides;
# - **the rest of the world**: `a` and `b` stay as they are, and so does a result when
#   `op` is called again.
#
# A product has one right rounding, so results are equal. A right operator may add up a
# gradient in another order than the reference, so compare gradients with a tolerance:
# `np.testing.assert_allclose(got, expected, rtol, atol)`. And `np.allclose` alone gives
# True or False, which nothing reads: it must be asserted.

# %%
x = minigrad.tensor([[1.0, 2.0], [3.0, 4.0]])
view = x.transpose(0, 1)[1:]  # begins inside x's storage, and is not row by row
print(view.numpy(), view.offset, view.dtype, view.requires_grad)

# %% [markdown] hints="verify"
# <details><summary>Hint 1</summary>
#
# Write one function that compares `op` and `reference` on a given pair `a, b`, forward
# and backward, and call it for every kind of pair. `itertools.product` gives all
# combinations of sizes.
#
# </details>
# <details><summary>Hint 2</summary>
#
# For the gradients: `a.detach().requires_grad_()`, `y = op(a, b)`, `y.backward(dy)`
# with a dy that is transposed, and compare `a.grad` and `b.grad`; then again where one
# of the two does not require it. A tensor that begins inside its storage is `big[1:]`,
# a transposed one `minigrad.randn(M, B).transpose(0, 1)`, an expanded one
# `minigrad.randn(1, M).expand(B, M)`. For the last point keep copies: `a.clone()`. With
# `strict=True` the functions of `np.testing` compare dtypes and shapes as well.
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
    print(
        "a right one:", verify(by_einsum, lambda a, b: a.unsqueeze(2) * b.unsqueeze(1))
    )
    print(verify(only_ten, by_einsum))

# %% check="verify"
check(verify)

# %% [markdown]
# ## What you have built
#
# Checks, a kernel for each device, a gradient, a shape rule: that is all an operator of
# PyTorch is. Here are yours together, if they are written: in PyTorch, on the CPU.

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
# `show_check` shows the check of an exercise: its cases, where the expected values come
# from, and the mistakes that it can name.

# %%
show_check(bias_gelu_autograd)

# %% [markdown]
# ## Where to go next
#
# Chapter 12 looks at programs as a whole: what a framework can do when it has seen the
# graph before it runs.
