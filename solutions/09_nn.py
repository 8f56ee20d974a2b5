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
# # Lab 09 · Modules, losses, optimizers
#
# In this lab, you write everything between a gradient and a network that learns. There
# are fourteen exercises, which take about {{duration}}. First come modules and four
# layers, then initialization, the loss of a classifier as two kernels, the optimizers'
# rules, clipping, and the training loop. The last exercise is a test. Apart from the
# two kernels, you write Python with tensors, and your functions from chapters 03 to 08
# do the work underneath.

# %% [markdown]
# {{how}}

# %% setup=true
# Set-up: run this cell first. Running it twice does no harm.
import math

import numpy as np

import minigrad
from grading import check, trying
from minigrad import Kernel, answers_from, nn, optim, random, solves, viz
from minigrad.exercises.own_tests import test_dropout
from minigrad.kernels.losses import cross_entropy_backward, cross_entropy_forward
from minigrad.nn import Module
from minigrad.nn.init import calculate_gain, kaiming_uniform_, uniform_
from minigrad.nn.unfused import batch_norm, conv2d, dropout, linear
from minigrad.nn.utils import clip_grad_norm_, gradients_of
from minigrad.optim.adam import adam
from minigrad.optim.sgd import sgd
from minigrad.training import linear_regression

answers_from("labs", before="09_nn")

# %% [markdown] task="named_parameters"
# ## A module knows its parameters
#
# A network is a tree of modules, and any of them may have parameters. An optimizer
# needs them all in one list, and a checkpoint needs a name for each.
#
# > Sequential(Linear(3, 2), ReLU(), Linear(2, 1)): 0.weight, 0.bias, 2.weight, 2.bias
#
# A module keeps what was assigned to it in two dictionaries, `self._parameters` and
# `self._modules`. If two modules share a parameter, it's listed only once, because an
# optimizer that got it twice would step twice.
#
# Write `named_parameters`. The next cell prints the names of a small network's modules,
# and of its first module's parameters.

# %%
first, second = nn.Module(), nn.Module()
first.weight, first.bias = (nn.Parameter(minigrad.zeros(n)) for n in ((2, 3), 2))
second.weight = nn.Parameter(minigrad.zeros(1, 2))
net = nn.Sequential(first, nn.ReLU(), second)
print(list(net._modules), list(first._parameters))

# %% [markdown] hints="named_parameters"
# <details><summary>Hint 1</summary>
#
# How would you visit every node of a tree? Which of a module's two dictionaries comes
# first?
#
# </details>
# <details><summary>Hint 2</summary>
#
# Let the function call itself for each child, with the child's name added to the
# prefix. Or loop over `self.named_modules(prefix=..., remove_duplicate=...)`, which
# already visits the tree in the right order. To find parameters that were already
# listed, keep a set of them, which all levels must share.
#
# </details>


# %% exercise="named_parameters"
@solves(Module.named_parameters)
def named_parameters(self, prefix="", recurse=True, remove_duplicate=True):
    ### BEGIN SOLUTION
    modules = [(prefix, self)]  #: modules
    if recurse:  #: if_recurse
        #: modules_named_modules
        modules = self.named_modules(prefix=prefix, remove_duplicate=remove_duplicate)
    found, seen = [], set()
    for path, module in modules:  #: each_path
        for name, param in module._parameters.items():
            if param is None or (remove_duplicate and param in seen):  #: if_param
                continue
            seen.add(param)
            found.append((f"{path}.{name}" if path else name, param))  #: append
    return found  #: result
    ### END SOLUTION


# %%
with trying():
    for name, param in net.named_parameters():
        print(name, param.shape)

# %% check="named_parameters"
check(Module.named_parameters)

# %% [markdown] task="state_dict"
# ## What must be saved
#
# A `state_dict` holds what a checkpoint needs, which is every parameter and every
# buffer under its full name. A **buffer** is a tensor that belongs to the module but
# isn't learned, such as the running mean of batch norm. Buffers that can be computed
# again at any time are registered with `persistent=False` and left out.
#
# There are two differences from exercise 1. A shared parameter is in the dictionary
# under each of its names, because loading looks for all of them, and each tensor is
# detached, so that nothing you do with it is recorded.
#
# Write `state_dict`. The module below has all kinds of tensors.

# %%
norm = nn.BatchNorm2d(3)
norm.register_buffer("cache", minigrad.zeros(2), persistent=False)
print(list(norm._parameters), list(norm._buffers), norm._non_persistent_buffers_set)

# %% [markdown] hints="state_dict"
# <details><summary>Hint 1</summary>
#
# What do you have to pass to a child so that its names come out complete? This `prefix`
# already ends with a dot.
#
# </details>
# <details><summary>Hint 2</summary>
#
# Start with an empty dictionary. Add this module's parameters and then its buffers
# under `prefix + name`, but skip None and the buffers that aren't persistent. Then
# update it with each child's own `state_dict`, whose prefix is longer by the child's
# name and a dot. Pass `keep_vars` on too.
#
# </details>


# %% exercise="state_dict"
@solves(Module.state_dict)
def state_dict(self, *, prefix="", keep_vars=False):
    ### BEGIN SOLUTION
    found, hidden = {}, self._non_persistent_buffers_set
    #: each_name
    for name, tensor in [*self._parameters.items(), *self._buffers.items()]:
        if tensor is not None and name not in hidden:  #: if_tensor
            found[prefix + name] = tensor if keep_vars else tensor.detach()  #: found
    for name, module in self._modules.items():
        if module is not None:  #: if_module
            below = f"{prefix}{name}."  #: below
            #: update
            found.update(module.state_dict(prefix=below, keep_vars=keep_vars))
    return found  #: result
    ### END SOLUTION


# %%
with trying():
    for name, tensor in nn.Sequential(norm, first).state_dict().items():
        print(f"{name:<22} {tuple(tensor.shape)}")

# %% check="state_dict"
check(Module.state_dict)

# %% [markdown] task="linear"
# ## A linear layer
#
# A linear layer computes y = x Wᵀ + b. PyTorch stores the weight as (out_features,
# in_features), so that each output has a row. For example, if x has shape (32, 64) and
# W has shape (10, 64), y has shape (32, 10). Transposing W costs nothing, because it's
# only a view.
#
# Write `linear`. You don't have to write a backward, because the operators that you use
# already have one.

# %%
x, w = np.ones((2, 3)), np.arange(12.0).reshape(4, 3)
print((x @ w.T).shape)

# %% [markdown] hints="linear"
# <details><summary>Hint 1</summary>
#
# Each result is the sum of the products of a row of x and a row of W. Which operator
# computes that for all pairs of rows?
#
# </details>
# <details><summary>Hint 2</summary>
#
# Transpose the weight for `@`. If there's a bias, it's broadcast over all dimensions in
# front.
#
# </details>


# %% exercise="linear"
@solves(linear)
def linear(input, weight, bias=None):
    ### BEGIN SOLUTION
    y = input @ weight.T  #: y
    return y if bias is None else y + bias  #: result
    ### END SOLUTION


# %%
with trying():
    print(linear(minigrad.ones(2, 3), minigrad.ones(4, 3), minigrad.arange(4.0)))

# %% check="linear"
check(linear)

# %% [markdown] task="conv2d"
# ## A convolution is a linear layer
#
# In chapter 07, a convolution became a matrix product, because `unfold` writes each
# window as a column. With autograd, that's all you need for the gradients as well.
#
# | | shape |
# |---|---|
# | input | (N, C, H, W) |
# | unfold(input) | (N, C · KH · KW, L), one column per window |
# | weight as a matrix | (O, C · KH · KW) |
# | their product | (N, O, L), where L = OH · OW |
#
# Write `conv2d`, which `Conv2d` will then run.

# %%
image = minigrad.arange(16).float().reshape(1, 1, 4, 4)
print(minigrad.functional.unfold(image, (2, 3)).shape)  # 3 x 2 positions

# %% [markdown] hints="conv2d"
# <details><summary>Hint 1</summary>
#
# How many rows must the weight have as a matrix, and what happens if you multiply one
# matrix by a batch of N matrices?
#
# </details>
# <details><summary>Hint 2</summary>
#
# Turn stride, padding, and dilation into pairs first. Compute OH from the first of each
# and OW from the second. Then unfold, multiply, add the bias as a column, and reshape
# to (N, O, OH, OW).
#
# </details>


# %% exercise="conv2d"
@solves(conv2d)
def conv2d(input, weight, bias=None, stride=1, padding=0, dilation=1):
    ### BEGIN SOLUTION
    N, _, *sizes = input.shape  #: N
    channels, _, *window = weight.shape
    #: how
    how = [n if isinstance(n, tuple) else (n, n) for n in (stride, padding, dilation)]
    OH, OW = (
        (size + 2 * p - d * (k - 1) - 1) // s + 1
        for size, k, s, p, d in zip(sizes, window, *how, strict=True)
    )
    stride, padding, dilation = how
    columns = minigrad.functional.unfold(
        input, tuple(window), dilation, padding, stride
    )
    y = weight.reshape(channels, -1) @ columns  # (N, O, L)  #: y
    if bias is not None:  #: if_bias
        y = y + bias.reshape(channels, 1)  #: y_bias
    return y.reshape(N, channels, OH, OW)  #: result
    ### END SOLUTION


# %%
with trying():
    print(conv2d(image, minigrad.ones(5, 1, 3, 3), stride=2, padding=1).shape)

# %% check="conv2d"
check(conv2d)

# %% [markdown] task="batch_norm"
# ## Batch norm
#
# Batch norm gives each channel mean 0 and variance 1, and then applies a scale and a
# shift that are learned. In training, the mean is that of the batch. For images, it's
# taken over all samples and all pixels, which are dimensions 0, 2, and 3. Later the
# network may get a single sample, so a running mean and variance are kept during
# training and used afterward.
#
# There are two kinds of variance. To normalize this batch, divide the sum of squares by
# n. The running variance is an estimate for other data, so it takes the unbiased
# variance, which is divided by n − 1.
#
# Write `batch_norm`. The next cell prints both variances of three numbers.

# %%
batch = np.array([1.0, 2.0, 6.0])
print(batch.var(), batch.var(ddof=1))

# %% [markdown] hints="batch_norm"
# <details><summary>Hint 1</summary>
#
# Which dimensions do you average over, however many the input has? What shape must the
# mean have so that you can subtract it?
#
# </details>
# <details><summary>Hint 2</summary>
#
# Reshape the mean to `(1, C, *[1] * (input.ndim - 2))`, which works for rows and
# images. How do you get a variance that's divided by n − 1 from one that's divided by
# n?
#
# </details>
# <details><summary>Hint 3</summary>
#
# Which context manager stops the recording, and which method writes into a tensor?
# Without `training`, only the source of the mean and variance differs.
#
# </details>


# %% exercise="batch_norm"
@solves(batch_norm)
def batch_norm(  #: head
    input,
    running_mean,
    running_var,
    weight=None,
    bias=None,
    training=False,
    momentum=0.1,
    eps=1e-05,
):
    ### BEGIN SOLUTION
    C = input.shape[1]
    along = (1, C, *[1] * (input.ndim - 2))
    mean, var = running_mean, running_var
    if training:  #: if_training
        dims = [d for d in range(input.ndim) if d != 1]
        n = input.numel() // C
        mean = input.mean(dims)
        centred = input - mean.reshape(along)
        var = (centred * centred).mean(dims)  #: var
        if running_mean is not None:  #: if_running_mean
            with minigrad.autograd.no_grad():  #: no_grad
                unbiased = var * (n / (n - 1))  #: unbiased
                #: copy
                running_mean.copy_((1 - momentum) * running_mean + momentum * mean)
                #: copy_running_var
                running_var.copy_((1 - momentum) * running_var + momentum * unbiased)
    y = (input - mean.reshape(along)) * (var + eps).rsqrt().reshape(along)  #: y
    if weight is not None:  #: if_weight
        y = y * weight.reshape(along)
    return y if bias is None else y + bias.reshape(along)  #: result
    ### END SOLUTION


# %%
with trying():
    x = 5 * minigrad.randn(8, 3, 4, 4) + 2
    mean, var = minigrad.zeros(3), minigrad.ones(3)
    y = batch_norm(x, mean, var, training=True)
    print(y.mean((0, 2, 3)), y.var((0, 2, 3), correction=0), mean, sep="\n")

# %% check="batch_norm"
check(batch_norm)

# %% [markdown] task="dropout"
# ## Dropout
#
# In training, dropout sets each number to 0 with probability p, so that no unit can
# rely on another. What's left is multiplied by 1 / (1 − p). The expected value stays
# the same, so nothing needs to change when you use the network.
#
# Write `dropout`. `random.keep_mask` draws a mask. (N. Srivastava and others, *Dropout:
# a simple way to prevent neural networks from overfitting*, 2014.)

# %%
print(random.keep_mask(minigrad.ones(10), 0.7))

# %% [markdown] hints="dropout"
# <details><summary>Hint 1</summary>
#
# In which cases is nothing drawn at all? What is 1 / (1 − p) if p is 1?
#
# </details>
# <details><summary>Hint 2</summary>
#
# Check p first. Then handle evaluation, p = 0, and p = 1. Otherwise, multiply by a mask
# that keeps with probability 1 − p, and by the scale.
#
# </details>


# %% exercise="dropout"
@solves(dropout)
def dropout(input, p=0.5, training=True):
    ### BEGIN SOLUTION
    if not 0 <= p <= 1:  #: refuse_p
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
    if not training or p == 0:  #: if_training
        return input  #: early_result
    if p == 1:  #: if_p
        return input * 0  #: result_p
    return input * random.keep_mask(input, 1 - p) * (1 / (1 - p))  #: result
    ### END SOLUTION


# %%
with trying():
    y = dropout(minigrad.ones(100_000), 0.3)
    print(y[:8], y.mean())

# %% check="dropout"
check(dropout)

# %% [markdown] task="kaiming_uniform_"
# ## The initial weights
#
# How large should the initial weights be? An output is a sum of **fan_in** products, so
# the more there are, the smaller each weight must be. In backward, an input's gradient
# is a sum of **fan_out** products.
#
# A `Linear` weight has shape (out, in). In a convolution, each output depends on all
# input channels and all positions of the window, so shape (20, 10, 5, 5) has fan_in 10
# · 25 and fan_out 20 · 25.
#
# A sum of fan_in products has fan_in times the variance of a single one, so weights
# with variance 1 / fan_in keep the signal's size. Since a ReLU halves the mean square,
# the weights before it need twice that variance. In general, their standard deviation
# must be gain / √fan, where the **gain** of a ReLU is √2.
#
# Here the weights are uniform between −bound and bound, so their standard deviation is
# bound / √3, as the next cell measures.
#
# Write `kaiming_uniform_`.

# %%
print([round(calculate_gain(name), 3) for name in ("linear", "tanh", "relu")])
print(np.random.default_rng(0).uniform(-1, 1, 10**6).std(), 1 / 3**0.5)

# %% [markdown] hints="kaiming_uniform_"
# <details><summary>Hint 1</summary>
#
# Which bound gives the standard deviation that you need? Which of the sizes count for
# both fan_in and fan_out?
#
# </details>
# <details><summary>Hint 2</summary>
#
# Check `mode`, and multiply one of the first two sizes by all the others. `math.prod`
# of no sizes is 1, so `Linear` is no special case. Compute the gain, and multiply the
# standard deviation by √3. `uniform_` fills the tensor and returns it.
#
# </details>


# %% exercise="kaiming_uniform_"
@solves(kaiming_uniform_)
def kaiming_uniform_(tensor, a=0, mode="fan_in", nonlinearity="leaky_relu"):
    ### BEGIN SOLUTION
    if mode not in ("fan_in", "fan_out"):  #: refuse_mode
        raise ValueError(f"Mode {mode} not supported: one of fan_in, fan_out")
    out, into, *window = tensor.shape  # at least two sizes  #: out
    fan = (into if mode == "fan_in" else out) * math.prod(window)  #: fan
    bound = calculate_gain(nonlinearity, a) * math.sqrt(3 / fan)  #: bound
    return uniform_(tensor, -bound, bound)  #: result
    ### END SOLUTION


# %%
with trying():
    weight = kaiming_uniform_(minigrad.empty(300, 200), nonlinearity="relu")
    print(weight.std(), (2 / 200) ** 0.5)

# %% check="kaiming_uniform_"
check(kaiming_uniform_)

# %% [markdown] task="cross_entropy_forward"
# ## Cross entropy, forward
#
# The loss of a classifier is minus the logarithm of the probability that softmax gives
# to the correct class. If you compute the softmax first and then its logarithm, that
# fails, because a tiny probability is rounded to 0, whose logarithm is minus infinity.
# So compute both in one step.
#
# > loss = lse − x[t], where lse = log(sum of exp(x[c])) = m + log(sum of exp(x[c] − m))
#
# Here m is the row's maximum. Each block works on one row and needs two trees, one for
# the maximum and one for the sum, as in lab 05. The kernel also writes `lse`, so that
# backward doesn't have to compute it again. Rows whose target is `ignore` have the loss
# 0.
#
# Write the kernel. The next cell computes the same with NumPy.

# %%
x = np.array([1.0, 2.0, 1000.0])
m = x.max()
lse = m + np.log(np.exp(x - m).sum())
print(lse, lse - x)

# %% [markdown] hints="cross_entropy_forward"
# <details><summary>Hint 1</summary>
#
# Which part of your `softmax_rows` from lab 05 can you use again? How many threads
# write the two results?
#
# </details>
# <details><summary>Hint 2</summary>
#
# Each thread finds the maximum of its elements, and a tree finds m. All threads read m,
# and only then may the shared array be used again. So which barriers do you need
# between the trees? Read x[target] only if the target isn't `ignore`.
#
# </details>

# %% exercise="cross_entropy_forward"
solves(cross_entropy_forward)(r"""
__global__ void cross_entropy_forward(const float* x, const int* target, float* losses,
                                      float* lse, int n, int ignore) {
    // BEGIN SOLUTION
    __shared__ float partial[256];
    int tid = threadIdx.x, row = blockIdx.x, t = target[row];
    x += row * n;  //: add_x

    float m = x[0];
    for (int i = tid; i < n; i += blockDim.x) m = max(m, x[i]);  //: each_i
    partial[tid] = m;  //: fill
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        __syncthreads();
        //: if_tid
        if (tid < half) partial[tid] = max(partial[tid], partial[tid + half]);
    }
    __syncthreads();
    m = partial[0];  //: m
    __syncthreads();  //: barrier

    float sum = 0.0f;
    //: each_i_after_barrier
    for (int i = tid; i < n; i += blockDim.x) sum += exp(x[i] - m);
    partial[tid] = sum;
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        __syncthreads();  //: second_barrier
        if (tid < half) partial[tid] += partial[tid + half];
    }
    if (tid == 0) {
        lse[row] = m + log(partial[0]);  //: store
        losses[row] = t == ignore ? 0.0f : lse[row] - x[t];  //: store_losses
    }
    // END SOLUTION
}
""")

# %%
with trying():
    scores = np.array([[1, 2, 1000], [0, 0, 0]], np.float32)
    target, losses, lse = np.array([1, 2], np.int32), *np.zeros((2, 2), np.float32)
    kernel = Kernel(cross_entropy_forward.text, "cross_entropy_forward")
    kernel(2, 32, (scores, target, losses, lse, 3, -100))
    print(losses, lse)

# %% check="cross_entropy_forward"
check(cross_entropy_forward)

# %% [markdown] task="cross_entropy_backward"
# ## Cross entropy, backward
#
# The gradient of lse is the softmax, and the gradient of x[t] is 1 at the target and 0
# elsewhere, so the gradient of the loss is very simple.
#
# > dx = softmax(x) − one_hot(t)
#
# The loss of a batch is the mean over the rows that aren't ignored, so each row's
# gradient is divided by their number, `count`. Multiply by `dy[0]` too, which is the
# gradient that arrives at the mean.
#
# Write the kernel. The next cell shows that a row's gradients add up to 0.

# %%
probability = np.exp(np.array([1.0, 2.0, 3.0]))
probability /= probability.sum()
dx = probability - np.array([0, 0, 1])
print(dx, dx.sum())

# %% [markdown] hints="cross_entropy_backward"
# <details><summary>Hint 1</summary>
#
# How do you get softmax from x and lse without a sum? Which row and which column does
# element i belong to?
#
# </details>
# <details><summary>Hint 2</summary>
#
# Use a grid-stride loop over all rows · n elements. The row is i / n, and the column is
# i % n. Subtract 1 at the target's column, and write 0 into ignored rows.
#
# </details>

# %% exercise="cross_entropy_backward"
solves(cross_entropy_backward)(r"""
__global__ void cross_entropy_backward(const float* x, const int* target,
                                       const float* lse, const float* dy, float* dx,
                                       int rows, int n, int ignore, int count) {
    // BEGIN SOLUTION
    int threads = gridDim.x * blockDim.x;
    //: each_i
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < rows * n; i += threads) {
        int row = i / n, t = target[row];
        float share = exp(x[i] - lse[row]);  //: share
        dx[i] = t == ignore ? 0.0f : dy[0] / count * (share - (i % n == t));  //: store
    }
    // END SOLUTION
}
""")

# %%
with trying():
    scores = np.array([[1, 2, 3], [0, 0, 0]], np.float32)
    target, lse = np.array([1, 2], np.int32), np.log(np.exp(scores).sum(1))
    dx, dy = np.zeros_like(scores), np.ones(1, np.float32)
    kernel = Kernel(cross_entropy_backward.text, "cross_entropy_backward")
    kernel(1, 32, (scores, target, lse, dy, dx, 2, 3, -100, 2))
    print(dx)

# %% check="cross_entropy_backward"
check(cross_entropy_backward)

# %% [markdown] task="sgd"
# ## SGD
#
# The basic step is `param -= lr * grad`, and there are three optional additions.
#
# - **Weight decay** adds `weight_decay * param` to the gradient, so that large weights
#   shrink.
# - **Momentum** keeps a buffer, `buffer = momentum * buffer + grad`. Gradients that
#   agree build up, and gradients that alternate cancel out.
# - **Nesterov** looks ahead and uses `grad + momentum * buffer` as the direction.
#
# Write `sgd`. The next cell shows how a buffer grows if the gradient is always 1.

# %%
speed = 0.0
for _ in range(5):
    speed = 0.9 * speed + 1.0
    print(round(speed, 3), end=" ")

# %% [markdown] hints="sgd"
# <details><summary>Hint 1</summary>
#
# In which order do the three additions come? Which tensors belong to the caller, and
# which of them may you change?
#
# </details>
# <details><summary>Hint 2</summary>
#
# Most sentences of the contract's list become one line of code, with or without an `if`
# before it. The line `grad = grad + ...` makes a new tensor, but `grad += ...` would
# change the caller's. The first buffer is a copy of the gradient.
#
# </details>


# %% exercise="sgd"
@solves(sgd)
def sgd(
    param, grad, buffer, lr, momentum=0, dampening=0, weight_decay=0, nesterov=False
):
    ### BEGIN SOLUTION
    if weight_decay:  #: if_weight_decay
        grad = grad + weight_decay * param  #: grad
    if momentum:  #: if_momentum
        if buffer is None:
            buffer = grad.clone()  #: buffer
        else:
            buffer.mul_(momentum).add_((1 - dampening) * grad)  #: add
        grad = grad + momentum * buffer if nesterov else buffer  #: grad_momentum
    else:  #: otherwise
        buffer = None  #: otherwise
    param.sub_(lr * grad)  #: sub
    return buffer  #: result
    ### END SOLUTION


# %%
with trying():
    weight = nn.Parameter(minigrad.tensor([1.0]))
    weight.grad = minigrad.tensor([0.5])
    optimizer = optim.SGD([weight], lr=0.1, momentum=0.9)
    for _ in range(3):
        optimizer.step()
        print(weight.item())

# %% check="sgd"
check(sgd)

# %% [markdown] task="adam"
# ## Adam and AdamW
#
# Some weights have large gradients and others tiny ones, so a single learning rate is a
# compromise. Adam keeps a moving average of the gradient, and one of its square.
#
# > average = beta · average + (1 − beta) · new
#
# Both start at 0, so in the first steps they're too small. Divided by 1 − beta ** step,
# they're correct from the first step on. Then each step is the first average divided by
# the square root of the second, times lr.
#
# Adam and AdamW treat weight decay differently. Adam adds it to the gradient, as SGD
# does, so it goes through the averages. **AdamW** multiplies the weight by 1 − lr ·
# weight_decay first, and then makes Adam's step without decay.
#
# Write `adam`, which makes a step of AdamW if `decoupled` is True. The next cell shows
# the correction for a gradient that's always 5.

# %%
average, beta = 0.0, 0.9
for step in range(1, 6):
    average = beta * average + (1 - beta) * 5.0
    print(f"{average:.3f} corrected {average / (1 - beta**step):.3f}")

# %% [markdown] hints="adam"
# <details><summary>Hint 1</summary>
#
# Which of the values are kept for the next step, and which exist only in this one?
#
# </details>
# <details><summary>Hint 2</summary>
#
# Update both averages in place. Compute the root of the corrected exp_avg_sq as a new
# tensor, and put exp_avg's correction into the step size. eps is added to the root, not
# under it. Of the two kinds of decay, only AdamW's changes the parameter.
#
# </details>


# %% exercise="adam"
@solves(adam)
def adam(
    param,
    grad,
    exp_avg,
    exp_avg_sq,
    step,
    lr,
    betas,
    eps,
    weight_decay,
    decoupled=False,
):
    ### BEGIN SOLUTION
    beta1, beta2 = betas
    if decoupled:  #: if_decoupled
        param.mul_(1 - lr * weight_decay)  #: shrink
    elif weight_decay:
        grad = grad + weight_decay * param  #: grad
    exp_avg.mul_(beta1).add_((1 - beta1) * grad)  #: add
    exp_avg_sq.mul_(beta2).add_((1 - beta2) * grad * grad)  #: add_mul
    size = lr / (1 - beta1**step)  #: size
    root = (exp_avg_sq / (1 - beta2**step)).sqrt()  #: root
    param.sub_(size * exp_avg / (root + eps))  #: sub
    ### END SOLUTION


# %%
with trying():
    for make in optim.Adam, optim.AdamW:
        weights = nn.Parameter(minigrad.tensor([1.0, 1.0, 1.0]))
        weights.grad = minigrad.tensor([1000.0, 1.0, -0.001])
        make([weights], lr=0.1, weight_decay=0.5).step()
        print(make.__name__, weights.tolist())

# %% check="adam"
check(adam)

# %% [markdown] task="clip_grad_norm_"
# ## Clipping
#
# Sometimes a gradient is a thousand times as large as usual, and one step undoes the
# progress of hundreds. Clipping makes the step shorter and keeps its direction, so
# there's one factor for all gradients, computed from their norm as one long vector.
#
# > norm = √(sum of the squares of all gradients' elements), and factor = min(max_norm /
# > (norm + 10⁻⁶), 1)
#
# Write `clip_grad_norm_`. The next cell does it with NumPy for two gradients.

# %%
gradients = [np.array([3.0, 0.0]), np.array([4.0])]
length = sum((g * g).sum() for g in gradients) ** 0.5
print(length, [g * min(1 / (length + 1e-6), 1) for g in gradients])

# %% [markdown] hints="clip_grad_norm_"
# <details><summary>Hint 1</summary>
#
# `parameters` may be a generator. How many times can you loop over it?
#
# </details>
# <details><summary>Hint 2</summary>
#
# `gradients_of` returns a list. Compute the sum of powers per gradient, add those up,
# and take the root at the end. The infinity norm is the maximum of the maxima. What is
# 300 squared in float16?
#
# </details>
# <details><summary>Hint 3</summary>
#
# `(max_norm / (norm + 1e-6)).clamp(max=1)` is a tensor, so Python needn't read its
# value, which would mean waiting for a GPU. Write the scaled gradient into the gradient
# itself.
#
# </details>


# %% exercise="clip_grad_norm_"
@solves(clip_grad_norm_)
def clip_grad_norm_(parameters, max_norm, norm_type=2.0, error_if_nonfinite=False):
    ### BEGIN SOLUTION
    gradients = gradients_of(parameters)  #: gradients
    if not gradients:
        return minigrad.tensor(0.0)
    wide = [g.float() if g.dtype.itemsize == 2 else g for g in gradients]  #: wide
    if norm_type == math.inf:
        norm = minigrad.stack([g.abs().max() for g in wide]).max()
    elif norm_type == 2:
        norm = minigrad.stack([(g * g).sum() for g in wide]).sum().sqrt()
    else:
        powers = [(g.abs() ** norm_type).sum() for g in wide]
        norm = minigrad.stack(powers).sum() ** (1 / norm_type)
    #: refuse_error_if_nonfinite
    if error_if_nonfinite and not math.isfinite(norm.item()):
        raise RuntimeError(
            f"The total norm of order {norm_type} for gradients from `parameters` is "
            "non-finite, so it cannot be clipped. To disable this error and scale the "
            "gradients by the non-finite norm anyway, set `error_if_nonfinite=False`"
        )
    factor = (max_norm / (norm + 1e-6)).clamp(max=1)  #: factor
    for g in gradients:  #: each_g
        g.mul_(factor)  #: mul
    return norm  #: result
    ### END SOLUTION


# %%
with trying():
    layer = nn.Linear(2, 1)
    layer.weight.grad, layer.bias.grad = (
        minigrad.tensor(g) for g in ([[3.0, 0]], [4.0])
    )
    print(clip_grad_norm_(layer.parameters(), 1.0), layer.weight.grad, layer.bias.grad)

# %% check="clip_grad_norm_"
check(clip_grad_norm_)

# %% [markdown] task="linear_regression"
# ## The loop
#
# Now you have a model, a loss, and an optimizer. The loop that trains the model has
# five parts, which are the same for a line and for a language model.
#
# 1. Reset the gradients of the previous epoch.
# 2. Compute the prediction and the loss.
# 3. Compute the gradients.
# 4. Make a step.
# 5. Remember the loss.
#
# Write `linear_regression`. It's named after the example below, a model that learns the
# line y = 3x + 2 from points, but it trains any model.

# %%
x = minigrad.linspace(-1, 1, 50).reshape(50, 1)
y = 3 * x + 2
print(x[:3].tolist(), y[:3].tolist())

# %% [markdown] hints="linear_regression"
# <details><summary>Hint 1</summary>
#
# Which object offers each of the five parts? What goes wrong if you leave out the
# first?
#
# </details>
# <details><summary>Hint 2</summary>
#
# The optimizer resets the gradients and steps, the model predicts, the loss function
# compares, and the loss computes gradients. Append a Python number, because a tensor
# would keep its graph.
#
# </details>


# %% exercise="linear_regression"
@solves(linear_regression)
def linear_regression(model, loss_fn, optimizer, x, y, epochs):
    ### BEGIN SOLUTION
    losses = []  #: losses
    for _ in range(epochs):
        optimizer.zero_grad()  #: zero_grad
        loss = loss_fn(model(x), y)  #: loss
        loss.backward()  #: backward
        optimizer.step()  #: step
        losses.append(loss.item())  #: append
    return losses  #: result
    ### END SOLUTION


# %%
with trying():
    model, mse = nn.Linear(1, 1), nn.MSELoss()
    optimizer = optim.SGD(model.parameters(), lr=0.1)
    curve = viz.curve(200, "epochs", log=True)

    def watched(prediction, y):
        loss = mse(prediction, y)
        curve.add(loss=loss.item())  # drawn while it learns
        return loss

    losses = linear_regression(model, watched, optimizer, x, y, 200)
    print(losses[0], losses[-1], model.weight.item(), model.bias.item())

# %% check="linear_regression"
check(linear_regression)

# %% [markdown] task="test_dropout"
# ## A test for a random function
#
# Dropout returns something different each time, but you know a lot about its results.
# You know which values can occur, and about how many zeros there are. Two calls differ,
# and in evaluation nothing is dropped.
#
# Write a test for functions like `dropout`. It raises an error if something is wrong,
# for example with `assert`. The check gives it correct functions, which it must always
# accept, and incorrect ones with mistakes that are easy to make in this lab.
#
# The share of zeros is hardly ever off by more than six standard deviations, which the
# next cell computes.

# %%
dropped = minigrad.rand(100, 100).numpy() < 0.25
print(f"{dropped.mean():.4f}, expected 0.25 ± {6 * (0.25 * 0.75 / 10_000) ** 0.5:.4f}")

# %% [markdown] hints="test_dropout"
# <details><summary>Hint 1</summary>
#
# With p = 0.5, which mistakes couldn't you see? What should the result be for p = 0 and
# for p = 1? What if whole rows were dropped?
#
# </details>
# <details><summary>Hint 2</summary>
#
# Use a large tensor of ones and p = 0.2. Check the share of elements that are kept,
# their value, that no row or column is kept or dropped as a whole, and that a second
# call differs. Then check `training=False`, p = 0, and p = 1.
#
# </details>


# %% exercise="test_dropout"
@solves(test_dropout)
def test_dropout(dropout):
    ### BEGIN SOLUTION
    x = minigrad.ones(100, 100)  #: x
    y, again = dropout(x, 0.2).numpy(), dropout(x, 0.2).numpy()
    kept = y != 0  #: kept
    #: assert_kept_mean
    assert abs(kept.mean() - 0.8) < 0.03, f"{kept.mean()} of the elements are kept"
    np.testing.assert_allclose(y[kept], 1 / 0.8, 1e-5)  #: assert_allclose
    for dim in (0, 1):  #: each_dim
        assert np.all(kept.any(dim) & ~kept.all(dim)), "a row or column is all alike"
    assert not np.array_equal(y, again), "two calls give the same"  #: assert_y
    assert np.array_equal(dropout(x, 0.2, training=False).numpy(), x.numpy())
    assert np.array_equal(dropout(x, 0.0).numpy(), x.numpy())
    assert np.all(dropout(x, 1.0).numpy() == 0)  #: assert_dropout
    ### END SOLUTION


# %%
with trying():
    test_dropout(dropout)
    print("your dropout passes")

# %% check="test_dropout"
check(test_dropout)
