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
# Seventeen exercises, about {{duration}} of work: what stands between a gradient and a
# network that learns. First the module, which knows its parameters by name; then four
# layers and how they begin; the loss of classification, as two kernels; the update
# rules of SGD, Adam and AdamW; clipping; the training loop; and at last a test.
#
# From here on you write Python with tensors, as a PyTorch programmer does. What your
# answers use, `matmul`, `mean` or `backward`, is what you wrote in chapters 03 to 08.
#
# A `check` compares with PyTorch, in double precision, on random numbers. The update
# rules run fifty steps beside `torch.optim`.
#
# Above the cell of an answer stands its contract: it says all that is tested. An answer
# leaves what it is given as it was, unless that says otherwise.
#
# The lesson has the pictures.

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
from minigrad.nn.init import calculate_gain, fans, kaiming_uniform_, uniform_
from minigrad.nn.unfused import batch_norm, conv2d, dropout, linear
from minigrad.nn.utils import clip_grad_norm_, gradients_of
from minigrad.optim.adam import adam, adamw
from minigrad.optim.sgd import sgd
from minigrad.training import linear_regression

answers_from("labs", before="09_nn")

# %% [markdown] task="named_parameters"
# ## A module knows its parameters
#
# A network is a tree: modules in modules, with parameters at any place. To train
# it, a flat list is needed, and saving it needs names. What was assigned to a module
# lies in two dictionaries, `self._parameters` and `self._modules`:
#
# > net = Sequential(Linear(3, 2), ReLU(), Linear(2, 1))
# >
# > 0.weight, 0.bias, 2.weight, 2.bias
#
# The name of a parameter is the way to it, with dots between. A parameter may be found
# twice, where two layers share it: an optimizer that got it twice would step twice, so
# it is listed once, under the first of its names.

# %%
first, second = nn.Module(), nn.Module()
first.weight, first.bias = (nn.Parameter(minigrad.zeros(n)) for n in ((2, 3), 2))
second.weight = nn.Parameter(minigrad.zeros(1, 2))
net = nn.Sequential(first, nn.ReLU(), second)
print(list(net._modules), list(first._parameters))

# %% [markdown] hints="named_parameters"
# <details><summary>Hint 1</summary>
#
# A function that calls itself fits a tree: first this module's own parameters, then,
# for each child, what the same function gives for the child with a longer prefix.
# `Module.named_modules(prefix=...)` walks through the tree, too, if you would rather
# have a loop.
#
# </details>
# <details><summary>Hint 2</summary>
#
# A set remembers what was listed: `seen.add(param)`, `param in seen`. Tensors in sets
# are recognized by identity, not by value. All levels need the same set: pass it on, or
# gather all pairs first and leave the second ones out at the end.
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
# `state_dict` is what a checkpoint holds: every parameter, and every buffer, under its
# full name. A buffer is a tensor that belongs to the module, but is not learned: the
# running mean of a batch norm. Some buffers can be made anew at any time; they were
# registered with `persistent=False`, and stay out.
#
# Two things are different from the list of exercise 1. A shared parameter is there
# under **each** of its names, because loading looks for all of them. And nothing
# is copied: the tensors are detached, but read the same memory.

# %%
norm = nn.BatchNorm2d(3)
norm.register_buffer("cache", minigrad.zeros(2), persistent=False)
print(list(norm._parameters), list(norm._buffers), norm._non_persistent_buffers_set)

# %% [markdown] hints="state_dict"
# <details><summary>Hint 1</summary>
#
# Here `prefix` has its dot already: a tensor's name is `prefix + name`, and a child's
# prefix is `prefix + name + "."`.
#
# </details>
# <details><summary>Hint 2</summary>
#
# A dictionary keeps the order in which keys were put in. Fill one with the parameters,
# then the buffers, then `.update(...)` it with each child's own state_dict.
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

# %% [markdown] task="train"
# ## Two modes
#
# Dropout throws numbers away in training, and must not when the network is used. Batch
# norm uses its batch in training, and its memory afterwards. So every module has a flag
# `training`, and one call sets it in the whole tree:
#
# > net.eval() is net.train(False)
#
# It returns the module, so that `net.eval()(x)` can be written.

# %%
print(nn.Dropout().training, [type(child).__name__ for child in net.children()])

# %% [markdown] hints="train"
# <details><summary>Hint 1</summary>
#
# A module has a flag of its own, and modules inside, which have modules inside, too.
# How could each take care of itself and its children alone?
#
# </details>
# <details><summary>Hint 2</summary>
#
# Set `self.training`; then let each of `self.children()` do the same, by its own
# `train`; and return the module.
#
# </details>


# %% exercise="train"
@solves(Module.train)
def train(self, mode=True):
    ### BEGIN SOLUTION
    if not isinstance(mode, bool):  #: refuse_mode
        raise ValueError("training mode is expected to be boolean")
    self.training = mode  #: training
    for child in self.children():
        child.train(mode)  #: train
    return self  #: result
    ### END SOLUTION


# %%
with trying():
    print([module.training for module in net.train(False).modules()])
    net.train()

# %% check="train"
check(Module.train)

# %% [markdown] task="linear"
# ## A linear layer
#
# y = x Wᵀ + b. PyTorch stores the weight as (out_features, in_features): one row for
# each output. So it is transposed in the product, which costs nothing: a view.
#
# > x: (32, 64), W: (10, 64), b: (10,), y: (32, 10)
#
# Nothing is to be done for the gradient: the operators you use have theirs.

# %%
x, w = np.ones((2, 3)), np.arange(12.0).reshape(4, 3)
print((x @ w.T).shape)

# %% [markdown] hints="linear"
# <details><summary>Hint 1</summary>
#
# Row i of the result is made of row i of the input. Which operator of chapter 06 does
# that for all rows at once, and how does the weight have to lie for it?
#
# </details>
# <details><summary>Hint 2</summary>
#
# Two operators: `@` and `+`. The bias is broadcast over all dimensions in front.
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
    print(linear(minigrad.ones(2, 3), minigrad.ones(4, 3), minigrad.arange(4)))

# %% check="linear"
check(linear)

# %% [markdown] task="conv2d"
# ## A convolution is a linear layer
#
# In chapter 07 a convolution became a matrix product: `unfold` lays out every window as
# a column. With autograd that is all there is to write, and its gradients come by
# themselves.
#
# > input (N, C, H, W), unfold: (N, C · KH · KW, L), one column for each place
# >
# > weight (O, C, KH, KW) as a matrix: (O, C · KH · KW)
# >
# > their product: (N, O, L), and L = OH · OW
#
# This is what `Conv2d` runs from then on. Inside `with
# minigrad.kernel_variant("fastest")` it runs kernels like those of chapter 07, which
# never store the columns.

# %%
image = minigrad.arange(16).float().reshape(1, 1, 4, 4)
print(minigrad.functional.unfold(image, (2, 3)).shape)  # 3 rows and 2 columns of places

# %% [markdown] hints="conv2d"
# <details><summary>Hint 1</summary>
#
# `weight.reshape(O, -1) @ columns` multiplies one matrix with N others: batches are
# broadcast.
#
# </details>
# <details><summary>Hint 2</summary>
#
# stride, padding and dilation may be numbers or pairs. Make pairs of all three first:
# then OH comes of the first of each, OW of the second.
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
# Every channel gets mean 0 and variance 1, then a scale and a shift that are learned.
# Whose mean? In training that of the batch: for images all numbers of the channel, of
# all samples and all places, dimensions 0, 2 and 3. Then the network is used, perhaps
# on a single image, which has no batch. So in training a running mean and variance are
# kept, and used later.
#
# The variance comes in two kinds. Divided by n it is the variance of this batch, and
# makes it 1. Divided by n - 1 it is an estimate for **other** data: that one goes into
# the running variance. PyTorch does it so, and whoever mixes them up has a network that
# is slightly wrong with small batches, and never finds out why.

# %%
batch = np.array([1.0, 2.0, 6.0])
print(batch.var(), batch.var(ddof=1))

# %% [markdown] hints="batch_norm"
# <details><summary>Hint 1</summary>
#
# `input.mean(dims)` has shape (C,). To subtract it, it needs ones beside C: shape (1,
# C, 1, 1) for images, (1, C) for rows. `(1, C, *[1] * (input.ndim - 2))` is both.
#
# </details>
# <details><summary>Hint 2</summary>
#
# The running statistics are no part of the graph: change them inside `with
# minigrad.autograd.no_grad():`, by `running.copy_(...)`. n is input.numel() // C, and
# the unbiased variance is var * n / (n - 1).
#
# </details>
# <details><summary>Hint 3</summary>
#
# Without training `running_mean` and `running_var` take the places of the mean and the
# variance of the batch, and all else is the same.
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
# In training each number becomes 0 with probability p. No unit can rely on another, so
# they learn to be useful by themselves. What is left is larger by 1 / (1 - p): then the
# sum that the next layer makes is, on average, as large as without dropout, and nothing
# is to be done when the network is used.
#
# N. Srivastava, G. Hinton, A. Krizhevsky, I. Sutskever, R. Salakhutdinov: Dropout: a
# simple way to prevent neural networks from overfitting (2014).

# %%
print(random.keep_mask(minigrad.ones(10), 0.7))

# %% [markdown] hints="dropout"
# <details><summary>Hint 1</summary>
#
# What is kept is made larger, so that the sum stays the same on average: by how much?
# And what does a module in eval mode do?
#
# </details>
# <details><summary>Hint 2</summary>
#
# `random.keep_mask(input, 1 - p)` has a 1 for what is kept. p = 1 is a case of its own:
# 1 / (1 - p) does not exist.
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

# %% [markdown] task="fans"
# ## How many numbers meet
#
# How large should the first weights be? An output is a sum of **fan_in** products. The
# more there are, the larger it gets; so each weight must be smaller. In backward an
# input's gradient is a sum over **fan_out** products.
#
# A `Linear` weight is (out, in), so fan_in = in, fan_out = out. In a convolution each
# output comes of all channels, and of all places in the window.
#
# > (20, 10, 5, 5): fan_in = 10 · 25, fan_out = 20 · 25

# %%
print(math.prod((5, 5)), math.prod((3,)), math.prod(()))

# %% [markdown] hints="fans"
# <details><summary>Hint 1</summary>
#
# Think of one output number: from how many input numbers is it made? Then the reverse.
#
# </details>
# <details><summary>Hint 2</summary>
#
# `math.prod(shape[2:])` is the number of places, 1 where there are no more sizes.
#
# </details>


# %% exercise="fans"
@solves(fans)
def fans(shape):
    ### BEGIN SOLUTION
    if len(shape) < 2:  #: refuse_shape
        raise ValueError(
            "Fan in and fan out can not be computed for tensor with fewer than 2 "
            "dimensions"
        )
    places = math.prod(shape[2:])  #: places
    return shape[1] * places, shape[0] * places  #: result
    ### END SOLUTION


# %%
with trying():
    print(fans((2, 3)), fans((20, 10, 5, 5)))

# %% check="fans"
check(fans)

# %% [markdown] task="kaiming_uniform_"
# ## The first weights
#
# A sum of fan_in products of variance v · w has variance fan_in · v · w. To keep it,
# w = 1 / fan_in. A ReLU then throws away one half, and asks for a factor of 2: that is
# the gain, √2 of the deviation. So the deviation is
#
# > gain / √fan
#
# and numbers that are all as likely between -bound and bound have the deviation
# bound / √3.
#
# K. He, X. Zhang, S. Ren, J. Sun: Delving deep into rectifiers (2015). The name is that
# of Kaiming He.

# %%
print([round(calculate_gain(name), 3) for name in ("linear", "tanh", "relu")])
print(np.random.default_rng(0).uniform(-1, 1, 10**6).std(), 1 / 3**0.5)

# %% [markdown] hints="kaiming_uniform_"
# <details><summary>Hint 1</summary>
#
# Numbers spread evenly over [-b, b] have the standard deviation b / sqrt(3). Which one
# is wanted?
#
# </details>
# <details><summary>Hint 2</summary>
#
# fan is `fans(tensor.shape)[0]` or `[1]`; bound = gain * sqrt(3 / fan). `uniform_`
# returns the tensor.
#
# </details>


# %% exercise="kaiming_uniform_"
@solves(kaiming_uniform_)
def kaiming_uniform_(tensor, a=0, mode="fan_in", nonlinearity="leaky_relu"):
    ### BEGIN SOLUTION
    if mode not in ("fan_in", "fan_out"):  #: refuse_mode
        raise ValueError(f"Mode {mode} not supported: one of fan_in, fan_out")
    fan = fans(tensor.shape)[mode == "fan_out"]  #: fan
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
# A classifier's scores become probabilities by softmax, and the loss is minus the
# logarithm of that of the right class. Written so, in two steps, it breaks: 10⁻⁵⁰ is 0
# in float, and its logarithm infinite. In one step nothing can go wrong:
#
# > -log(exp(x[t]) / sum of exp(x[c])) = lse - x[t]
# >
# > lse = log(sum of exp(x[c])) = m + log(sum of exp(x[c] - m))
#
# with m the row's largest score. So one block does one row, as in lab 05: a tree for
# the largest, a tree for the sum. `lse` is written, too: the backward needs it, and
# has then nothing to reduce. Some rows do not count: their target is `ignore`.

# %%
x = np.array([1.0, 2.0, 1000.0])
m = x.max()
lse = m + np.log(np.exp(x - m).sum())
print(lse, lse - x)

# %% [markdown] hints="cross_entropy_forward"
# <details><summary>Hint 1</summary>
#
# Begin with your `softmax_rows` of lab 05: its first two passes are the same. The third
# is gone: at the end one thread writes two numbers.
#
# </details>
# <details><summary>Hint 2</summary>
#
# All threads need m before they can add; so there is a barrier after the first tree,
# then `m = partial[0]`, and another before the array is used again. x[target] is read
# only where the target is not `ignore`.
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
# The gradient of lse - x[t] is the most beautiful of all: lse has the softmax, x[t] has
# a 1 at the target.
#
# > dx = softmax(x) - one_hot(t)
#
# Scores of wrong classes are pushed down by their probability, the right one is pushed
# up by what its own lacks to 1. The loss of a batch is the **mean** of its rows, over
# those that are not ignored, so each row's gradient is divided by their number,
# `count`; and what comes from above, `dy[0]`, is a factor, as always.

# %%
probability = np.exp(np.array([1.0, 2.0, 3.0]))
probability /= probability.sum()
dx = probability - np.array([0, 0, 1])
print(dx, dx.sum())

# %% [markdown] hints="cross_entropy_backward"
# <details><summary>Hint 1</summary>
#
# Write down the derivative of lse - x[target] by one x[i]: where i is the target there
# is one more term.
#
# </details>
# <details><summary>Hint 2</summary>
#
# One element for each turn of a grid-stride loop: row i / n, column i % n. Its softmax
# is `exp(x[i] - lse[row])`, and `(column == target)` is 0 or 1.
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
    dx, dy = np.zeros_like(scores), np.ones(1, np.float32)
    kernel = Kernel(cross_entropy_backward.text, "cross_entropy_backward")
    kernel(1, 32, (scores, target, lse, dy, dx, 2, 3, -100, 2))
    print(dx)

# %% check="cross_entropy_backward"
check(cross_entropy_backward)

# %% [markdown] task="sgd"
# ## SGD
#
# A step against the gradient, `param -= lr * grad`, is all that is needed. Three things
# make it better:
#
# - **weight decay** adds `weight_decay * param` to the gradient: large weights shrink;
# - **momentum** keeps a buffer, `buffer = momentum * buffer + grad`: where gradients
#   agree it gains speed, where they alternate they cancel;
# - **Nesterov** looks ahead: its direction is `grad + momentum * buffer`.

# %%
speed = 0.0
for _ in range(5):
    speed = 0.9 * speed + 1.0
    print(round(speed, 3), end=" ")

# %% [markdown] hints="sgd"
# <details><summary>Hint 1</summary>
#
# Go through the contract sentence by sentence: each is one line of code, with an `if`
# before it. `grad = grad + ...` makes a new tensor; `grad += ...` would change the
# caller's.
#
# </details>
# <details><summary>Hint 2</summary>
#
# In place: `mul_` and `add_` change the buffer, `sub_` the parameter. The first buffer
# is `grad.clone()`.
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
# ## Adam
#
# One learning rate for all weights is a compromise: some have large gradients, some
# tiny ones. Adam divides each gradient by how large it usually is. It keeps two moving
# averages, of the gradient and of its square:
#
# > average = beta · average + (1 - beta) · new
#
# They begin with 0, so in the first steps they are far too small: after the first one
# exp_avg is 0.1 of the gradient, exp_avg_sq 0.001 of its square. Divided by 1 - beta **
# step they are right from the beginning. Then the first step is ± lr for every weight,
# whatever its gradient.

# %%
average, beta = 0.0, 0.9
for step in range(1, 6):
    average = beta * average + (1 - beta) * 5.0
    print(f"{average:.3f} corrected {average / (1 - beta**step):.3f}")

# %% [markdown] hints="adam"
# <details><summary>Hint 1</summary>
#
# The averages are changed in place, as `buffer` was in sgd. What is corrected is not:
# make new tensors, or numbers, for it.
#
# </details>
# <details><summary>Hint 2</summary>
#
# Correct exp_avg_sq first, by 1 - beta2**step, and take its root; the step's length is
# lr / (1 - beta1**step). eps stands beside the root, not in it.
#
# </details>


# %% exercise="adam"
@solves(adam)
def adam(param, grad, exp_avg, exp_avg_sq, step, lr, betas, eps, weight_decay):
    ### BEGIN SOLUTION
    beta1, beta2 = betas
    if weight_decay:  #: if_weight_decay
        grad = grad + weight_decay * param  #: if_weight_decay
    exp_avg.mul_(beta1).add_((1 - beta1) * grad)  #: add
    exp_avg_sq.mul_(beta2).add_((1 - beta2) * grad * grad)  #: add_mul
    size = lr / (1 - beta1**step)  #: size
    root = (exp_avg_sq / (1 - beta2**step)).sqrt()  #: root
    param.sub_(size * exp_avg / (root + eps))  #: sub
    ### END SOLUTION


# %%
with trying():
    weights = nn.Parameter(minigrad.tensor([1.0, 1.0, 1.0]))
    weights.grad = minigrad.tensor([1000.0, 1.0, -0.001])
    optim.Adam([weights], lr=0.1).step()
    print(weights)

# %% check="adam"
check(adam)

# %% [markdown] task="adamw"
# ## AdamW
#
# In Adam the weight decay is added to the gradient, so it is divided by the gradient's
# usual size, too: weights with large gradients hardly shrink. AdamW keeps the two
# apart: first the weight shrinks, by the factor 1 - lr · weight_decay, then Adam makes
# its step without decay. It is what most networks are trained with today.

# %%
weight, lr, weight_decay = 2.0, 0.1, 0.5
print(weight * (1 - lr * weight_decay))

# %% [markdown] hints="adamw"
# <details><summary>Hint 1</summary>
#
# The decay does not go through the moments. Everything else is Adam.
#
# </details>
# <details><summary>Hint 2</summary>
#
# Two lines: `param.mul_(...)`, and a call of `adam`.
#
# </details>


# %% exercise="adamw"
@solves(adamw)
#: head
def adamw(param, grad, exp_avg, exp_avg_sq, step, lr, betas, eps, weight_decay):
    ### BEGIN SOLUTION
    param.mul_(1 - lr * weight_decay)  #: mul
    adam(param, grad, exp_avg, exp_avg_sq, step, lr, betas, eps, 0)  #: adam
    ### END SOLUTION


# %%
with trying():
    for make in optim.Adam, optim.AdamW:
        weights = nn.Parameter(minigrad.tensor([1.0, 1.0]))
        weights.grad = minigrad.tensor([1000.0, 0.001])
        make([weights], lr=0.1, weight_decay=0.5).step()
        print(make.__name__, weights.tolist())

# %% check="adamw"
check(adamw)

# %% [markdown] task="clip_grad_norm_"
# ## Clipping
#
# Now and then a gradient is a thousand times as large as usual, and one step ruins what
# hundreds of steps have learned. So the step is made shorter, but in the same
# direction: **one** factor for the gradients of all parameters, by the norm of all of
# them together, as if they were one long vector.
#
# > norm = √(sum of all squares of all gradients)
# >
# > factor = min(max_norm / (norm + 10⁻⁶), 1)

# %%
gradients = [np.array([3.0, 0.0]), np.array([4.0])]
length = sum((g * g).sum() for g in gradients) ** 0.5
print(length, [g * min(1 / (length + 1e-6), 1) for g in gradients])

# %% [markdown] hints="clip_grad_norm_"
# <details><summary>Hint 1</summary>
#
# `parameters` may be a generator, which can be gone through once. `gradients_of`
# returns a list: with that go on.
#
# </details>
# <details><summary>Hint 2</summary>
#
# For every g the sum `(g.abs() ** norm_type).sum()`, all of these added, and the root
# of that: `** (1 / norm_type)`. For infinity it is the largest of the largest.
#
# </details>
# <details><summary>Hint 3</summary>
#
# `(max_norm / (norm + 1e-6)).clamp(max=1)` is a tensor, and g.mul_(tensor) takes it:
# no `.item()`, so a GPU is not waited for.
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
# Everything is there: a model, a loss, an optimizer. The loop that makes them learn has
# five lines, and they are the same for a line and for a language model:
#
# 1. forget the gradients of the epoch before;
# 2. predict, and compute the loss;
# 3. compute the gradients;
# 4. step;
# 5. remember the loss, to draw it.
#
# Here the model learns a line, y = 3x + 2. It sees points, and no formula.

# %%
x = minigrad.linspace(-1, 1, 50).reshape(50, 1)
y = 3 * x + 2
print(x[:3].tolist(), y[:3].tolist())

# %% [markdown] hints="linear_regression"
# <details><summary>Hint 1</summary>
#
# Four steps in each round: forget, forward, backward, change. In which order, and what
# goes wrong without the first?
#
# </details>
# <details><summary>Hint 2</summary>
#
# `optimizer.zero_grad()`, `loss_fn(model(x), y)`, `loss.backward()`,
# `optimizer.step()`, `loss.item()`.
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
# ## A test for chance
#
# What dropout gives is another thing each time. All the same, much of it is certain:
# which values can occur, about how many zeros there are, that two calls differ, and
# that in evaluation nothing is dropped.
#
# Write a **test** for functions such as `dropout`. It raises an error, an
# AssertionError by `assert`, where something is wrong. The check gives it right ones,
# which it must let pass every time, and wrong ones, which it must not: mistakes that
# learners of this lab really make.

# %%
dropped = minigrad.rand(100, 100).numpy() < 0.25
print(dropped.mean(), "is nearly 0.25: give or take", 3 * (0.25 * 0.75 / 10_000) ** 0.5)

# %% [markdown] hints="test_dropout"
# <details><summary>Hint 1</summary>
#
# p = 0.5 hides much: there it does not matter whether p or 1 - p is the probability to
# be dropped, nor by which of the two is divided. What is the result for p = 1, and for
# p = 0? Are the zeros spread over rows and columns?
#
# </details>
# <details><summary>Hint 2</summary>
#
# x of ones, 100 x 100, p = 0.2. `kept = y != 0`: its mean is 0.8, give or take 0.03;
# all that is kept is 1 / 0.8; each row has some of both; a second call has others. Then
# `training=False`, and p = 1.
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
