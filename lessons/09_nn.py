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
# # 09 · Modules, losses, optimizers
#
# With chapter 08, minigrad can compute the gradient of any expression, but a network
# needs more than that. Its thousands of weights are in dozens of tensors, and something
# has to find, save, and initialize them. This lesson is about **modules**, which know
# their parameters by name, about keeping the numbers in a deep network at a reasonable
# size, and about **losses**. Part 2 is about optimizers.
#
# This lesson takes about {{duration}}, builds on chapter 08, and needs no GPU. Write
# your predictions down before you run the next cell.

# %% setup=true
# Set-up: run this cell first. Running it twice does no harm.
import tempfile
from functools import partial
from pathlib import Path

import numpy as np

import minigrad
from grading import trying
from minigrad import answers_from, nn, viz
from minigrad.nn import functional as F

minigrad.manual_seed(0)

# You'll write some of this in lab 09. Here, the reference solutions stand in.
answers_from("solutions", before="10_cnn")

# %% [markdown]
# ## Learning with two numbers
#
# Here are 40 points near the line y = 3x + 2. We know the formula, but the program sees
# only the points.

# %%
x = minigrad.linspace(-1, 1, 40).reshape(40, 1)
y = 3 * x + 2 + 0.3 * minigrad.randn(40, 1)
points = {"points": (x.flatten().tolist(), y.flatten().tolist())}
viz.lines(points, x="x", y="y", dots="points")

# %% [markdown]
# The program has to find the slope w and the intercept b, which both start at 0. The
# loss is the mean of the squared errors, and each step moves w and b a little against
# its gradient. How far it moves is set by a factor called the **learning rate**, which
# is 0.1 here.
#
# **Puzzle 1: forget.** As given, the marked line makes the loss swing up and down
# instead of settling. What does `backward` do to a `.grad` that already holds a
# gradient? Change the line.

# %%
w, b = minigrad.zeros(1).requires_grad_(), minigrad.zeros(1).requires_grad_()
losses = []
for _ in range(200):
    loss = ((x * w + b - y) ** 2).mean()
    loss.backward()
    with minigrad.no_grad():
        for p in (w, b):
            p -= 0.1 * p.grad
            p.grad = p.grad  # your line
    losses.append(loss.item())

# %%
print(f"w {w.item():.3f}, b {b.item():.3f}", "solved:", losses[-1] < 0.1)
viz.lines({"loss": losses}, x="step", y="loss")

# %% [markdown]
# <details><summary>Answer</summary>
#
# `backward` adds to `.grad`, so each step used the sum of all gradients so far. That
# sum isn't 0 at the minimum, so w and b ran past it again and again.
#
# ```python
# p.grad = None
# ```
#
# Now w and b are near 3 and 2, but not exactly, because the points are noisy. What's
# left of the loss is the variance of the noise, about 0.3² = 0.09.
#
# </details>

# %% [markdown]
# ## A module knows its parameters
#
# We listed w and b by hand. For dozens of tensors, we want an object that remembers
# whatever we assign to it. Python makes this easy, because every assignment `self.name
# = value` calls the method `__setattr__`, which a class can override.


# %%
class Tiny:
    """A module in a few lines."""

    def __init__(self):
        object.__setattr__(self, "found", {})  # a plain attribute, not recorded

    def __setattr__(self, name, value):
        if isinstance(value, nn.Parameter | Tiny):
            self.found[name] = value
        object.__setattr__(self, name, value)


# %% [markdown]
# A layer is such an object, and so is a network made of layers. Together they form a
# tree, and a function that calls itself for each child can visit all of it. This one
# counts the numbers in all parameters.


# %%
class Layer(Tiny):
    def __init__(self, n, m):
        super().__init__()
        self.weight = nn.Parameter(minigrad.randn(m, n) / n**0.5)
        self.bias = nn.Parameter(minigrad.zeros(m))


def numbers(module):
    children = module.found.values()
    return sum(numbers(c) if isinstance(c, Tiny) else c.numel() for c in children)


# %% [markdown]
# **Predict** how many numbers two layers hold, if the first turns 64 inputs into 32 and
# the second turns those into 10.

# %%
net = Tiny()
net.first, net.second = Layer(64, 32), Layer(32, 10)
numbers(net)

# %% [markdown]
# <details><summary>Answer</summary>
#
# There are {{=2,410|2410}}, because the weights have 64 · 32 + 32 · 10 and the biases
# 32 + 10.
#
# </details>

# %% [markdown]
# `nn.Module` works the same way as `Tiny` but can do more, and it names parameters as
# PyTorch does.

# %%
net = nn.Sequential(nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 10))
for name, p in net.named_parameters():
    print(f"{name:<9} {str(p.shape):<9} {p.numel():>5}")

# %% [markdown]
# The name of a parameter is the path to it, with dots between the steps. `nn.ReLU` is
# module 1 and has no parameters, so no name begins with 1.
#
# **Puzzle 2: lost layers.** This network would never learn, because its `parameters()`
# returns nothing. What does `__setattr__` see here, and why doesn't it record that?
# Change the line with the help of `nn.ModuleList`.


# %%
class Deep(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = [nn.Linear(8, 8), nn.Linear(8, 2)]  # your line

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


# %%
names = [name for name, _ in Deep().named_parameters()]
print(names, "solved:", len(names) == 4)

# %% [markdown]
# <details><summary>Answer</summary>
#
# `__setattr__` sees a list, which is neither a parameter nor a module. An
# `nn.ModuleList` is a module whose children are named 0, 1, 2, and so on.
#
# ```python
# self.layers = nn.ModuleList([nn.Linear(8, 8), nn.Linear(8, 2)])
# ```
#
# </details>

# %% [markdown]
# Next we call `to` on a tensor and on a module, and ignore the results. **Predict** the
# two devices.

# %%
rows = minigrad.zeros(2, 64)
rows.to("sim")
net.to("sim")
print(rows.device, net[0].weight.device)

# %% [markdown]
# <details><summary>Answer</summary>
#
# The rows are still on {{=`cpu`|cpu sim}}, because a tensor's `to` returns a new
# tensor. A module's `to` changes the module itself, so the weight is on `sim`.
#
# </details>

# %% [markdown]
# For a tensor, write `x = x.to(device)`, but for a module, `net.to(device)` is enough.
#
# ### A checkpoint is a dictionary
#
# A saved network, called a **checkpoint**, needs only names and tensors, and
# `state_dict()` returns them in a dictionary. A file in the **safetensors** format
# holds the length of its header, then the header, which says where each tensor is, and
# then the bytes of all tensors.

# %%
net.to("cpu")
path = Path(tempfile.mkdtemp()) / "net.safetensors"
minigrad.save_file(net.state_dict(), path)
data = path.read_bytes()
length = int.from_bytes(data[:8], "little")
print(data[8 : 8 + length].decode()[:62], "...")
print(f"{len(data):,} bytes = 8 + {length} + 4 · 2,410")

# %% [markdown]
# Loading such a file never runs code, unlike loading a pickle, which `torch.save`
# writes. PyTorch can load our file into a network with the same layers, but if the
# shapes differ, loading {{=fails|RuntimeError: Error(s)}}.

# %%
five = nn.Sequential(nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 5))
with trying():
    five.load_state_dict(minigrad.load_file(path))

# %% [markdown]
# **Puzzle 3: reuse the body.** `five` has five classes instead of ten, but the first
# layer of `net` would fit. Change the line so that `part` holds only the tensors of
# layer 0. With `strict=False`, loading accepts missing names.

# %%
state = minigrad.load_file(path)
part = dict(state.items())  # your line

# %%
print("solved:", sorted(part) == ["0.bias", "0.weight"])
with trying():
    print(five.load_state_dict(part, strict=False))

# %% [markdown]
# <details><summary>Answer</summary>
#
# A state dict is an ordinary dictionary, so an ordinary comprehension selects from it.
#
# ```python
# part = {name: t for name, t in state.items() if name.startswith("0.")}
# ```
#
# Starting from another network's layers is called **transfer learning**, and training
# them further is called **fine-tuning**.
#
# </details>

# %% [markdown]
# **To the lab**: exercise 1 (`named_parameters`) and exercise 2 (`state_dict`).
#
# ## How large are the numbers?
#
# A new network has to start with some weights, and choosing them is called
# **initialization**. If all weights were equal, the outputs of a layer (its **units**)
# would get the same gradient and stay equal, so weights are random. But how large
# should they be?
#
# Each output of a layer is a sum of n products, where n is the number of inputs, called
# **fan_in**. Suppose the inputs have variance 1, the weights have variance s², and all
# of them are independent with mean 0. Then each output has variance n · s².
#
# The **standard deviation** is the square root of the variance. **Predict** it after
# thirty layers with n = 100, for s = 0.05, 0.1, and 0.2.

# %%
minigrad.manual_seed(0)
for s in 0.05, 0.1, 0.2:
    h = minigrad.randn(200, 100)
    for _ in range(30):
        h = h @ (s * minigrad.randn(100, 100))
    print(f"s = {s:<5} standard deviation {h.std().item():.2e}")

# %% [markdown]
# <details><summary>Answer</summary>
#
# They're about 0.5³⁰, {{=1|s = 0.1 standard deviation 9.97e-01}}, and 2³⁰, because each
# layer multiplies the standard deviation by √n · s.
#
# </details>

# %% [markdown]
# If every layer is off by a factor of two, the signal has vanished or exploded after
# thirty layers. Only s = 1 / √n keeps its size.
#
# ### With an activation
#
# Real layers are followed by an **activation** such as tanh or ReLU, so we look at the
# distribution of its values after layers 1, 5, 10, 20, and 30.


# %%
def signals(init, activation, depth=30, width=100):
    """Return the values after each layer."""
    h, seen = minigrad.randn(200, width), []
    for _ in range(depth):
        h = activation(h @ init(minigrad.empty(width, width)).T)
        seen.append(h)
    return seen


def some(seen):
    return {f"layer {n}": seen[n - 1].detach().numpy() for n in (1, 5, 10, 20, 30)}


# %% [markdown]
# We compare small weights, large weights, and **Xavier initialization**, named after
# Xavier Glorot. Its standard deviation is gain · √(2 / (fan_in + fan_out)), where
# **fan_out** is the number of outputs. For square layers, that's gain / √n. The
# **gain** makes up for what the activation takes away, and for tanh PyTorch uses 5/3.
# **Predict** how the histograms change from layer 1 to layer 30 for each of the three.

# %%
minigrad.manual_seed(0)
rows = {
    "0.05": signals(lambda t: nn.init.normal_(t, 0, 0.05), F.tanh),
    "0.5": signals(lambda t: nn.init.normal_(t, 0, 0.5), F.tanh),
    "Xavier": signals(lambda t: nn.init.xavier_normal_(t, 5 / 3), F.tanh),
}
viz.histograms({name: some(seen) for name, seen in rows.items()})

# %% [markdown]
# <details><summary>Answer</summary>
#
# - With small weights, all values shrink toward 0, to {{=about 10⁻⁹|layer 30: standard
#   deviation 6.5e-10}} in layer 30.
# - With large weights, most values are {{=near −1 or 1|0.5, layer 30: standard
#   deviation 0.91}}, where tanh is flat.
# - With Xavier initialization, the values stay in between, where tanh has a slope.
#
# </details>

# %% [markdown]
# Where tanh is flat, a unit is called **saturated**, and hardly any gradient comes back
# through it.
#
# ReLU doesn't flatten out for large inputs, but it sets the negative half to 0, which
# halves the mean of the squares in every layer. **Kaiming initialization**, named after
# Kaiming He, makes up for it with a gain of √2, so its standard deviation is √(2 / n).
#
# The default weights of `nn.Linear` are smaller. As in PyTorch, they're uniform between
# −1/√n and 1/√n, so their variance is 1 / (3n). The next three rows use variances of
# 1/n, 2/n, and 1/(3n). **Predict** by what factor the mean square changes per layer in
# each row.

# %%
kaiming = partial(nn.init.kaiming_normal_, nonlinearity="relu")
rows = {
    "1/√n": signals(lambda t: nn.init.normal_(t, 0, 0.1), F.relu),
    "Kaiming": signals(kaiming, F.relu),
    "nn.Linear": signals(lambda t: nn.init.uniform_(t, -0.1, 0.1), F.relu),
}
viz.histograms({name: some(seen) for name, seen in rows.items()})

# %% [markdown]
# <details><summary>Answer</summary>
#
# The mean square is multiplied by half of n times the variance. That's 1/2 with 1/√n, 1
# with Kaiming, and 1/6 with the default, so only Kaiming's row roughly keeps its size.
#
# </details>

# %% [markdown]
# Shallow networks don't mind smaller weights, but a deep one needs Kaiming
# initialization or batch norm (below).
#
# ### The way back
#
# The gradient passes through the same matrices, transposed, so if the numbers shrink or
# explode going forward, so do the gradients going back. We measure the norm of each
# layer's weight gradient in three networks of thirty layers.


# %%
def deep(init, activation, depth=30, width=64):
    """Return a deep network whose weights are initialized by `init`."""
    layers = []
    for _ in range(depth):
        linear = nn.Linear(width, width, bias=False)
        init(linear.weight)
        layers += [linear, activation()]
    return nn.Sequential(*layers, nn.Linear(width, 10))


images, t = minigrad.data.digits(train=True)  # handwritten digits, more in part 2
x = 3 * (images.flatten(1) - 0.3)  # rows of 64 pixels, with a mean near 0

# %%
inits = {
    "0.05": lambda t: nn.init.normal_(t, 0, 0.05),
    "Kaiming": kaiming,
    "0.5": lambda t: nn.init.normal_(t, 0, 0.5),
}
minigrad.manual_seed(0)
norms = {}
for name, init in inits.items():
    model = deep(init, nn.ReLU)
    F.cross_entropy(model(x[:200]), t[:200]).backward()
    every = [(p.grad * p.grad).sum().item() ** 0.5 for p in model.parameters()]
    # a logarithmic axis can't show 0
    norms[name] = range(1, 31), np.maximum(every[:30], 1e-45)
viz.lines(norms, x="layer", y="norm of the gradient", log="y")

# %% [markdown]
# With 0.05, we have **vanishing** gradients, below {{=10⁻¹⁶|from 4.63e-17}}, so nothing
# learns. With 0.5, we have **exploding** gradients, above {{=10¹³|from 3.01e+13}}, and
# a single step would ruin the network. With Kaiming, all thirty layers have norms
# {{=between 0.1 and 0.5|lowest 0.122, highest 0.417}}. Each line is nearly level,
# because a layer's weight gradient is its input times the gradient of its output, and
# if one grows from layer to layer, the other shrinks.
#
# **To the lab**: exercise 3 (`linear`) and exercise 4 (`conv2d`) are the layers
# themselves, and exercise 7 (`kaiming_uniform_`) initializes them.
#
# ### Batch norm: measure, then divide
#
# Initialization sets the sizes only at the beginning, but **batch normalization** (S.
# Ioffe and C. Szegedy, 2015) measures them in every step. For each channel, it takes
# the mean and the variance over the **batch** (the samples of one step), and over all
# pixels if there are any.
#
# > y = (x − mean) / √(var + eps) · weight + bias
#
# A small eps avoids a division by 0. The weight and the bias, one of each per channel,
# start at 1 and 0 and are learned, so the network can choose another scale if that
# helps.
#
# The next cell prints the means of three columns and then their standard deviations.
# **Predict** those of y if x has numbers around 5.

# %%
minigrad.manual_seed(0)
bn, x = nn.BatchNorm1d(3), 5 + 2 * minigrad.randn(64, 3)
y = bn(x)
for name, z in {"x": x, "y": y.detach()}.items():
    print(name, [f"{v:.2f}" for v in z.mean(0).tolist() + z.std(0).tolist()])

# %% [markdown]
# <details><summary>Answer</summary>
#
# The means are 0 and the standard deviations about 1, whatever x was. They're {{=1.01}}
# rather than 1, because `std` divides by n − 1, but batch norm by n.
#
# </details>

# %% [markdown]
# When you use the network, there may be a single sample and no batch to average over.
# So during training the layer also keeps a **running mean** and a **running variance**.
# They're **buffers**, tensors that are saved but not learned.
#
# | | normalizes with | running mean and variance |
# |---|---|---|
# | `bn.train()` | the batch's mean and variance | 0.9 · old + 0.1 · the batch's |
# | `bn.eval()` | the running mean and variance | unchanged |
#
# `train` and `eval` set the flag `training` of a module and of all modules below it, so
# you call them once for the whole network.
#
# The running variance is an estimate for data outside the batch, so its sum of squares
# is divided by n − 1. The 0.1 is called **momentum**, but it isn't the momentum of part
# 2. **Predict** the running mean after our one batch. It began at 0, and the columns
# have means of about 5.2, 5.1, and 4.3.

# %%
print("running mean ", bn.running_mean)
for _ in range(50):
    bn(x)
print("50 batches on", bn.running_mean)

# %% [markdown]
# <details><summary>Answer</summary>
#
# It's {{=a tenth of the batch's|running mean tensor([0.5247, 0.5084, 0.4308])}} mean,
# because 0.9 · 0 adds nothing.
#
# </details>

# %% [markdown]
# Don't evaluate a network after only a few batches, because its running mean is still
# too close to 0.
#
# **Puzzle 4: neighbors.** The first row of x is also the first row of `pair`, but it
# gets a different result there, because the other rows differ. Change the line so that
# both results are the same.

# %%
pair = minigrad.cat([x[:1], x[:1] + 1])
bn.train()  # your line

# %%
gap = (bn(x)[0] - bn(pair)[0]).abs().max().item()
print(f"difference {gap:.2f}", "solved:", gap < 1e-6)

# %% [markdown]
# <details><summary>Answer</summary>
#
# In `eval` mode, a row's result depends only on the row and the running statistics.
#
# ```python
# bn.eval()
# ```
#
# </details>

# %% [markdown]
# ### Dropout: learn with holes
#
# **Dropout** (N. Srivastava and others, 2014) sets each number to 0 with probability p
# during training, so that no unit can rely on another. What's left is divided by 1 − p.
# **Predict** the share of zeros, the maximum, and the mean for a tensor of ones and p =
# 0.3.

# %%
minigrad.manual_seed(0)
x = minigrad.ones(10_000)
y = F.dropout(x, p=0.3)
(y == 0).float().mean(), y.max(), y.mean()

# %% [markdown]
# <details><summary>Answer</summary>
#
# About 0.3 of the numbers are 0. The maximum is {{=1 / 0.7|tensor(1.4286)}}, so the
# mean {{=hardly changes|tensor(1.0059)}}.
#
# </details>

# %% [markdown]
# Dropout keeps the mean, so `eval()`, which drops nothing, needs no correction.
# Backward uses the same mask, so a dropped number gets no gradient.
#
# **To the lab**: exercise 5 (`batch_norm`) and exercise 6 (`dropout`).
#
# ## The loss of a classifier
#
# A classifier returns a score per class. The scores are called **logits**, and softmax
# turns them into probabilities. The usual loss is **cross entropy**, which is minus the
# logarithm of the correct class's probability, so it's 0 if the network is sure and
# right, and large if it's sure and wrong.
#
# **Predict** the loss of a network that knows nothing and gives ten classes the same
# score.

# %%
scores = minigrad.zeros(1, 10)
F.cross_entropy(scores, minigrad.tensor([3]))

# %% [markdown]
# <details><summary>Answer</summary>
#
# It's {{=2.3026}}, because −log(1/10) = log 10.
#
# </details>

# %% [markdown]
# If a training run with ten classes starts far above this loss, the network is already
# sure of wrong answers, so its initial weights are probably too large.
#
# **Puzzle 5: between two.** Choose three scores so that the loss is log 2 for class 0.
# What does the network believe then?

# %%
scores = [0.0, 0.0, 0.0]  # your line

# %%
loss = F.cross_entropy(minigrad.tensor([scores]), minigrad.tensor([0])).item()
print(f"{loss:.4f}", "solved:", abs(loss - np.log(2)) < 1e-4)

# %% [markdown]
# <details><summary>Answer</summary>
#
# Class 0 needs probability 1/2. For example, the network hesitates between two classes
# and rules out the third.
#
# ```python
# scores = [0.0, 0.0, -100.0]
# ```
#
# </details>

# %% [markdown]
# ### Break it: in two steps
#
# You could also compute the softmax first and its logarithm afterward. **Predict** what
# that gives if the correct class's score is 200 below the others.

# %%
scores = minigrad.tensor([[0.0, 0.0, -200.0]])
print("in two steps", -F.softmax(scores, 1).log()[0, 2])
print("in one step ", F.cross_entropy(scores, minigrad.tensor([2])))

# %% [markdown]
# <details><summary>Answer</summary>
#
# In two steps, the loss is {{=infinity|in two steps tensor(inf)}}, because exp(−200) is
# too small for a float32 and becomes 0. In one step, it's {{=200.69}}.
#
# </details>

# %% [markdown]
# In one step, the loss of class t is lse − x[t], where lse is the logarithm of the sum
# of all exp(x[c]), so the small probability is never computed.
#
# The gradient is even simpler: softmax(x) minus a **one-hot** row, which has a 1 at the
# correct class and 0 elsewhere. **Predict** the gradient below, if the softmax is
# 0.659, 0.242, and 0.099 and class 0 is correct.

# %%
scores = minigrad.tensor([[2.0, 1.0, 0.1]]).requires_grad_()
F.cross_entropy(scores, minigrad.tensor([0])).backward()
scores.grad

# %% [markdown]
# <details><summary>Answer</summary>
#
# It's {{=−0.341}}, {{=0.242}}, and {{=0.099}}, because only class 0 has a 1 in the
# one-hot row.
#
# </details>

# %% [markdown]
# A step against this gradient raises the score of the correct class and lowers every
# other score in proportion to its probability.
#
# **To the lab**: exercise 8 (`cross_entropy_forward`) and exercise 9
# (`cross_entropy_backward`) are two kernels.
#
# ## Before you go: three questions
#
# 1. How many numbers go into each output of `nn.Linear(100, 100)` and of `nn.Conv2d(4,
#    100, 5)`, and do their default weights have the same range?
# 2. What goes wrong if batch norm trains on a batch of one row?
# 3. Where should the first loss be with 1,000 classes?
#
# <details><summary>Answers</summary>
#
# 1. Both have a fan_in of 100, which is 4 · 25 for the convolution. So both defaults
#    are uniform between −0.1 and 0.1.
# 2. The only value is its own mean, so every output is the bias, and the running
#    variance would be 0 / 0. PyTorch raises an error instead.
# 3. It should be near log 1,000, which is about 6.9.
#
# </details>

# %% [markdown]
# Further reading: X. Glorot and Y. Bengio, *Understanding the difficulty of training
# deep feedforward neural networks* (2010); K. He and others, *Delving Deep into
# Rectifiers* (2015); and, in PyTorch's source, `torch/nn/modules/module.py`
# (`Module.__setattr__`) and `torch/nn/init.py`.
