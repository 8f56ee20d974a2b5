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
# Since chapter 08 every expression has its gradient. That is all that learning needs,
# and yet a network of loose tensors is no joy: all of them must be found, saved and
# changed. This chapter is about what stands between a gradient and a network that
# learns:
#
# - **modules**, which know their parameters by name;
# - **losses**, which say how wrong a prediction is, as one number;
# - **optimizers**, which change the parameters, a little, against the gradient;
# - and the question with which it stands or falls: **how large are the numbers** on
#   their way through a deep network, forward and back?
#
# At the end you can build a network, start, train and save it, and say why one does not
# learn. It takes about {{duration}}, and builds on chapter 08. Where you are
# asked to predict, write your guess down first. Everything here was computed by the
# cells themselves; nothing needs a GPU.

# %% setup=true
# Set-up: run this cell first. Running it twice does no harm.
import math
import tempfile
from functools import partial
from pathlib import Path

import numpy as np

import minigrad
from grading import trying
from minigrad import answers_from, nn, optim, viz
from minigrad.nn import functional as F

minigrad.manual_seed(0)

# In this lesson the course's solutions answer the exercises of labs 01 to 09.
answers_from("solutions", before="10_cnn")

# %% [markdown]
# ## Learning, without anything
#
# Points on a line, y = 3x + 2. We know the formula; the program gets the points alone.

# %%
x = minigrad.linspace(-1, 1, 40).reshape(40, 1)
y = 3 * x + 2 + 0.3 * minigrad.randn(40, 1)
points = {"points": (x.flatten().tolist(), y.flatten().tolist())}
viz.lines(points, x="x", y="y", dots="points")

# %% [markdown]
# Two numbers are to be found, w and b. They begin anywhere, here with 0, and each step
# goes a little against the gradient of the mean squared error.

# %%
w, b = minigrad.zeros(1).requires_grad_(), minigrad.zeros(1).requires_grad_()
way = []
for step in range(201):
    loss = ((x * w + b - y) ** 2).mean()
    loss.backward()
    with minigrad.no_grad():
        for p in (w, b):
            p -= 0.1 * p.grad
            p.grad = None
    way.append((w.item(), b.item()))
    if step in (0, 1, 10, 50, 200):
        print(f"{step:>4}  loss {loss.item():7.4f}  w {w.item():.3f}  b {b.item():.3f}")

# %% [markdown]
# {{=Not exactly 3 and 2|w 2.979 b 2.018}}: the points are noisy, and the best line
# through them is this one.

# %%
found = (x * w + b).detach().flatten().tolist()
viz.lines(points | {"found": (x.flatten().tolist(), found)}, "x", "y", dots="points")

# %% [markdown]
# What is left of the loss is the noise, 0.3² = {{=0.09}}. Every pair (w, b) has a loss:
# this is the **loss surface**, and the 200 steps are a way down on it.

# %%
xs, ys = x.numpy(), y.numpy()
height = np.vectorize(lambda w, b: ((xs * w + b - ys) ** 2).mean())
viz.surface(height, {"gradient descent": way}, x=(-1, 6), y=(-1, 4))

# %% [markdown]
# ### Break it
#
# **Predict**: what happens without `p.grad = None`?

# %%
w, b = minigrad.zeros(1).requires_grad_(), minigrad.zeros(1).requires_grad_()
seen = []
for _ in range(100):
    loss = ((x * w + b - y) ** 2).mean()
    loss.backward()
    with minigrad.no_grad():
        w -= 0.1 * w.grad
        b -= 0.1 * b.grad
    seen.append(loss.item())
viz.lines({"loss": seen}, y="loss")

# %% [markdown]
# `backward` **adds** to `.grad`. So each step uses the sum of all gradients so far: it
# remembers how fast it went, and swings through the valley, again and again. (With a
# little friction this is momentum. Here there is none.)
#
# And with a **learning rate** of 1.5, the factor before the gradient? **Predict**, then
# change `0.1` above, with the line `p.grad = None` in its place.
#
# ## A module knows its parameters
#
# With two numbers one can write them all down. With the thousands of a network one
# wants this instead: whatever is assigned to `self` is remembered. Python calls
# `__setattr__` at each assignment; that is the whole trick.


# %%
class Tiny:
    """A module in a few lines."""

    def __init__(self):
        self.__dict__["found"] = {}  # not by __setattr__, which needs it

    def __setattr__(self, name, value):
        if isinstance(value, nn.Parameter | Tiny):
            self.found[name] = value
        self.__dict__[name] = value


# %%
def named_parameters(module, prefix=""):
    for name, value in module.found.items():
        if isinstance(value, Tiny):
            yield from named_parameters(value, f"{prefix}{name}.")
        else:
            yield prefix + name, value


# %% [markdown]
# A layer is such an object, and so is a network, which has layers.


# %%
class Layer(Tiny):
    def __init__(self, n, m):
        super().__init__()
        self.weight = nn.Parameter(minigrad.randn(m, n) / n**0.5)
        self.bias = nn.Parameter(minigrad.zeros(m))


net = Tiny()
net.first, net.second = Layer(64, 32), Layer(32, 10)
[(name, p.shape) for name, p in named_parameters(net)]

# %% [markdown]
# `nn.Module` is this, with a few more things that one comes to need: buffers, shared
# parameters, None, hooks, modes. Its names are PyTorch's.

# %%
net = nn.Sequential(nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 10))
net

# %%
for name, p in net.named_parameters():
    print(f"{name:<9} {str(p.shape):<9} {p.numel():>5}")
print(sum(p.numel() for p in net.parameters()), "numbers to learn")

# %% [markdown]
# **Predict**: two layers share a weight. How many parameters are there, and how many
# names in the state_dict?

# %%
layer = nn.Linear(8, 8)
twice = nn.Sequential(layer, nn.Tanh(), layer)
len(list(twice.parameters())), list(twice.state_dict())

# %% [markdown]
# {{=Once|2}} in the list, because an optimizer that gets it twice steps twice; {{=twice
# in the state_dict|'2.weight'}}, because loading it expects all names.
#
# **To the lab**: exercises 1 to 3 (`named_parameters`, `state_dict`, `train`).
#
# ### A checkpoint is a dictionary
#
# `state_dict` gives names and tensors; a file needs nothing else. The format
# **safetensors** says in a header where each tensor lies, and after it come their
# bytes. Nothing in it is ever executed. (`torch.save` writes a pickle, which can hold
# any code; since PyTorch 2.6 `torch.load` reads tensors only, unless it is given
# `weights_only=False`.)

# %%
folder = Path(tempfile.mkdtemp())
minigrad.save_file(net.state_dict(), folder / "net.safetensors")
data = (folder / "net.safetensors").read_bytes()
length = int.from_bytes(data[:8], "little")
print(data[8 : 8 + length].decode()[:85], "...")
print(len(data), "bytes =", 8, "+", length, "+", 4 * 2410)

# %% [markdown]
# `save_file` is that of the package `safetensors`, by which PyTorch reads such files,
# too; and since the names are the same, the weights go into a PyTorch network of the
# same build, and back again.

# %%
other = nn.Sequential(nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 10))
print(other.load_state_dict(minigrad.load_file(folder / "net.safetensors")))
print((other[0].weight == net[0].weight).all())

# %% [markdown]
# And if they do not fit?

# %%
with trying():
    nn.Sequential(nn.Linear(64, 33), nn.ReLU()).load_state_dict(net.state_dict())

# %% [markdown]
# ## How large are the numbers?
#
# A layer makes each output as a sum of n products. If the inputs have variance 1 and
# the weights variance s², both around 0, the outputs have variance n · s². Thirty
# layers later it is (n · s²)³⁰. **Predict** for n = 100 and s = 0.05, 0.1, 0.2: the
# **standard deviation**, the root of the variance, after thirty layers without
# **activation**, a function like tanh or ReLU that follows each layer.

# %%
for s in 0.05, 0.1, 0.2:
    h = minigrad.randn(200, 100)
    for _ in range(30):
        h = h @ (s * minigrad.randn(100, 100))
    print(f"s = {s:<5} deviation {h.std().item():.2e}")

# %% [markdown]
# 0.5³⁰, 1, 2³⁰: a factor of two too little or too much in each layer, and after thirty
# of them the signal is gone, or near infinity. Only {{=s = 1 / √n|s = 0.1 deviation
# 9.30e-01}} keeps it; n, how many numbers go into one output, is the layer's
# **fan_in**. Now with an activation, and we look at the whole distribution, in layers
# 1, 5, 10, 20, 30.


# %%
def signals(start, activation, depth=30, width=100):
    """The values after each layer."""
    h, seen = minigrad.randn(200, width), []
    for _ in range(depth):
        h = activation(h @ start(minigrad.empty(width, width)).T)
        seen.append(h)
    return seen


def some(seen):
    return {f"layer {n}": seen[n - 1].detach().numpy() for n in (1, 5, 10, 20, 30)}


# %% [markdown]
# **Predict**, for tanh: what do the histograms look like with small weights (deviation
# 0.05), with large ones (0.5), and with 1 / √n times 5/3, tanh's **gain**, which makes
# up for what tanh takes away? (That is the start of Xavier Glorot.)

# %%
rows = {
    "0.05": signals(lambda t: nn.init.normal_(t, 0, 0.05), F.tanh),
    "0.5": signals(lambda t: nn.init.normal_(t, 0, 0.5), F.tanh),
    "Xavier": signals(lambda t: nn.init.xavier_normal_(t, 5 / 3), F.tanh),
}
viz.histograms({name: some(seen) for name, seen in rows.items()})

# %% [markdown]
# - Small weights: everything {{=goes to 0|layer 30: standard deviation 7.4e-10}}. Layer
#   30 does not know its input any more.
# - Large weights: all values are {{=near -1 and 1|0.5, layer 30: standard deviation
#   0.91}}. There tanh is flat, its slope is 0, and no gradient comes through. The units
#   are **saturated**.
# - In between the values stay where tanh can do something.
#
# And with ReLU, which has no flat ends but throws away one half: with 1 / √n the mean
# of the squares, on which the next layer's variance depends, is halved in each layer.
# The factor of 2 of Kaiming He's start mends just that.

# %%
kaiming = partial(nn.init.kaiming_normal_, nonlinearity="relu")
rows = {
    "1/√n": signals(lambda t: nn.init.normal_(t, 0, 0.1), F.relu),
    "Kaiming": signals(kaiming, F.relu),
}
viz.histograms({name: some(seen) for name, seen in rows.items()})

# %% [markdown]
# ### The way back
#
# The gradient goes through the same matrices, transposed. So what is too small or too
# large going forward is so going back. Measured: the norm of each layer's
# weight gradient, in three networks of thirty layers.


# %%
def deep(start, activation, depth=30, width=64):
    """A deep network whose weights begin with `start`."""
    layers = []
    for _ in range(depth):
        linear = nn.Linear(width, width, bias=False)
        start(linear.weight)
        layers += [linear, activation()]
    return nn.Sequential(*layers, nn.Linear(width, 10))


# %%
def digits(train):
    """The digits that come with the course, as rows of 64 with a mean near 0."""
    images, labels = minigrad.data.digits(train)
    return 3 * (images.flatten(1) - 0.3), labels


# %%
starts = {
    "deviation 0.05": lambda t: nn.init.normal_(t, 0, 0.05),
    "Kaiming": kaiming,
    "deviation 0.5": lambda t: nn.init.normal_(t, 0, 0.5),
}
(x, t), norms = digits(train=True), {}
for name, start in starts.items():
    model = deep(start, nn.ReLU)
    F.cross_entropy(model(x[:200]), t[:200]).backward()
    every = [(p.grad * p.grad).sum().item() ** 0.5 for p in model.parameters()]
    norms[name] = range(1, 31), np.maximum(every[:30], 1e-45)  # log: no 0
viz.lines(norms, x="layer", y="norm of the gradient", log="y")

# %% [markdown]
# **Vanishing**: the gradients are near {{=10⁻¹⁷|from 4.04e-17}}, and nothing learns.
# **Exploding**: {{=10¹³|from 1.15e+13}}; one step, and all is over. With Kaiming's
# start all thirty layers learn at the same pace. (In each of the three the lines are
# level: a layer's gradient is its input times what comes from above, and where the one
# shrinks the other has still to.)
#
# ### Hooks: looking in from outside
#
# `signals` could keep each layer's values because we wrote its loop. To look into any
# other network there are **hooks**: functions that a module calls after its forward,
# with its output, or in backward, with the gradients. The network stays as it is, and
# `remove()` takes a hook away again. **Predict**: in which order do these lists fill?

# %%
forth, back = [], []


def after_forward(module, inputs, output):
    forth.append(output.std().item())


def in_backward(module, grad_input, grad_output):
    back.append(grad_output[0].std().item())


# %%
model = deep(lambda t: nn.init.kaiming_normal_(t, nonlinearity="relu"), nn.ReLU)
hooks = []
for module in model.modules():
    if isinstance(module, nn.ReLU):
        hooks.append(module.register_forward_hook(after_forward))
        hooks.append(module.register_full_backward_hook(in_backward))
F.cross_entropy(model(x[:200]), t[:200]).backward()
for hook in hooks:
    hook.remove()
for layer in 1, 10, 20, 30:
    values, gradients = forth[layer - 1], back[30 - layer]
    print(f"layer {layer:>2}: deviation {values:.2f}, of the gradients {gradients:.0e}")

# %% [markdown]
# Forward from layer 1 to 30, back from 30 to 1. Both nearly keep their size on the way.
#
# ### Batch norm: measure, and divide
#
# The other way to keep the numbers in place does not hope, it measures. **Batch
# normalization** (S. Ioffe and C. Szegedy, 2015) takes for each channel the mean and
# the variance over the batch, and over all pixels if there are any:
#
# > x̂ = (x - mean) / √(var + eps), y = weight · x̂ + bias
#
# weight and bias, one of each for a channel, are learnt: they give the network back the
# freedom to have another size. What the others of this family average over:

# %%
viz.norm_axes()

# %% [markdown]
# **Predict** mean and deviation of each column of y, for numbers around 5.

# %%
bn, x = nn.BatchNorm1d(3), 5 + 2 * minigrad.randn(64, 3)
y = bn(x)
for name, z in {"x": x, "y": y.detach()}.items():
    print(name, [f"{v:.2f}" for v in z.mean(0).tolist() + z.std(0).tolist()])

# %% [markdown]
# But what is the mean of a batch of **one**, when the network is used? So in training
# the layer also keeps **running** averages, as **buffers**, which the state_dict saves:
#
# > running = (1 - momentum) · running + momentum · batch, with momentum 0.1
#
# and `eval()` lets it use these. **Predict** the running mean after one batch (it began
# with 0), and the mean of what `eval` makes of the same x.

# %%
print("running mean    ", bn.running_mean)
print("eval gives      ", bn.eval()(x).detach().mean(0))
for _ in range(50):
    bn.train()(x)
print("50 batches later", bn.eval()(x).detach().mean(0))

# %% [markdown]
# One detail decides exercise 6: x is divided by the **biased** variance, the squares
# over n; into the running variance goes the unbiased one, over n - 1. And a layer that
# looks at the whole batch makes a sample's result {{=depend on its neighbors|1.69}}:
# **break it** by comparing the same row in two batches.

# %%
bn.train()
alone = bn(minigrad.cat([x[:1], x[:1] + 1]))[0]
(bn(x)[0] - alone).abs().max().item()

# %% [markdown]
# Layer norm and its kin do not have that, nor running averages; transformers use those.
#
# ### Dropout: learn with holes
#
# **Dropout** (N. Srivastava and others, 2014) sets each number to 0 with probability p,
# in training only, so that no unit can rely on a single other one. What is left is
# divided by {{=1 - p|tensor(1.4286)}}. **Predict** why, and the three numbers:

# %%
x = minigrad.ones(10_000)
y = F.dropout(x, p=0.3)
(y == 0).float().mean(), y.max(), y.mean()

# %% [markdown]
# {{=The mean stays|tensor(0.9934)}} what it is without dropout, so that `eval()`, which
# drops nothing, needs no correction. In backward the same mask is used: a number that
# was dropped has no gradient. And if one forgets `eval()`? {{=Two answers|['-0.676',
# '0.121'] in training}} to one question:

# %%
net = nn.Sequential(nn.Linear(3, 50), nn.Dropout(0.5), nn.Linear(50, 1))
x = minigrad.ones(1, 3)
print([f"{net(x).item():.3f}" for _ in range(2)], "in training")
print([f"{net.eval()(x).item():.3f}" for _ in range(2)], "in use")

# %% [markdown]
# **To the lab**: exercises 4 to 9 (`linear`, `conv2d`, `batch_norm`, `dropout`, `fans`,
# `kaiming_uniform_`).
#
# ## The loss of a classifier
#
# Ten scores, the **logits**, and one right class. Softmax makes probabilities of the
# scores, and the loss, the **cross entropy**, is minus the logarithm of the right one's
# probability: 0 if the network is sure and right, large if it is sure and wrong.
# **Predict** the loss of a network that knows nothing, with ten classes.

# %%
scores = minigrad.zeros(1, 10)
print(F.cross_entropy(scores, minigrad.tensor([3])), np.log(10))

# %% [markdown]
# Remember {{=2.303}}: if the first loss of a training with ten classes is far above,
# the network begins by being sure of something, and its last weights are too large.
#
# ### Break it: two steps
#
# **Predict** the loss by log(softmax(x)), if the right class is 200 below the others.

# %%
scores = minigrad.tensor([[0.0, 0.0, -200.0]])
in_two = -F.softmax(scores, 1).log()[0, 2]
in_one = F.cross_entropy(scores, minigrad.tensor([2]))
in_two, in_one

# %% [markdown]
# The probability is exp(-200), below every float, and log(0) is minus
# {{=infinity|inf}}. In one step it is lse - x[t], where lse is the logarithm of the sum
# of exponentials, and {{=200.69}} is right. The gradient is even simpler, {{=softmax
# minus|tensor([[-0.3410, 0.2424, 0.0986]])}} **one-hot**: a row of zeros with a 1 at
# the right class.

# %%
scores = minigrad.tensor([[2.0, 1.0, 0.1]]).requires_grad_()
F.cross_entropy(scores, minigrad.tensor([0])).backward()
scores.grad, F.softmax(scores.detach(), 1)

# %% [markdown]
# **To the lab**: exercises 10 and 11 (`cross_entropy_forward` and `_backward`, two
# kernels).
#
# ## Which way down?
#
# The gradient points up; minus the gradient is the steepest way down. But steepest is
# not straight to the goal. Here is a valley that is long in one direction and steep in
# the other, f = (x² + 30y²) / 2, and three ways down it.


# %%
def way(make, steps=40, **options):
    """The places where an optimizer comes by, from (-9, 1.6)."""
    p = nn.Parameter(minigrad.tensor([-9.0, 1.6]))
    optimizer, seen = make([p], **options), []
    for _ in range(steps):
        seen.append(p.tolist())
        p.grad = p.detach() * minigrad.tensor([1.0, 30.0])
        optimizer.step()
    return seen


# %% [markdown]
# **Predict** the three ways: which one swings, which one overshoots?

# %%
ways = {
    "SGD": way(optim.SGD, lr=0.06),
    "with momentum": way(optim.SGD, lr=0.02, momentum=0.85),
    "Adam": way(optim.Adam, lr=0.6),
}
viz.surface(lambda a, b: (a * a + 30 * b * b) / 2, ways, x=(-10, 4), y=(-2.2, 2.2))

# %% [markdown]
# - **SGD** swings across the steep direction, and creeps along the flat one. A larger
#   step would throw it out: with lr above 2 / 30 it diverges.
# - **Momentum** adds up what the steps have in common, along the valley, and cancels
#   what alternates.
# - **Adam** divides each direction by its own usual size: steep and flat become alike.
#   Both remember how fast they were, and overshoot.
#
# How large is Adam's first step? **Predict** it for gradients of 1000, 1 and 0.001.

# %%
p = nn.Parameter(minigrad.zeros(3))
p.grad = minigrad.tensor([1000.0, 1.0, 0.001])
optim.Adam([p], lr=0.1).step()
p

# %% [markdown]
# {{=All the same|tensor([-0.1000, -0.1000, -0.1000]}}: after the correction the first
# averages are g and g², and g / √g² is ±1. Without the correction, the first steps
# would be (1 - 0.9) / √(1 - 0.999) = 3.2 times as large.
#
# ### Weight decay: Adam and AdamW
#
# **Weight decay** is to pull all weights towards 0, each by the same fraction.
# **Predict** which of these two weights shrinks under Adam, and under AdamW.

# %%
for make in optim.Adam, optim.AdamW:
    p = nn.Parameter(minigrad.ones(2))
    optimizer = make([p], lr=0.01, weight_decay=0.5)
    for step in range(200):
        noise = 1 if step % 2 else -1
        p.grad = noise * minigrad.tensor([100.0, 0.01])  # large and small, mean 0
        optimizer.step()
    print(f"{make.__name__:<6}", [f"{v:.3f}" for v in p.tolist()])

# %% [markdown]
# Under Adam the decay is part of the gradient, and is divided by the gradient's size:
# the weight with the large gradients {{=hardly feels it|Adam ['1.008', '0.016']}}, the
# other one is pulled to 0 at full speed. AdamW keeps it apart, and {{=both shrink
# alike|['0.373', '0.373']}}.
#
# ### A learning rate that falls
#
# Large steps find the valley, small ones its floor. So the rate is mostly changed while
# training: a **schedule** sets it anew after each epoch, or each step.

# %%
p, rates = nn.Parameter(minigrad.zeros(1)), {}
step, cosine = optim.lr_scheduler.StepLR, optim.lr_scheduler.CosineAnnealingLR
for make, how in (step, {"step_size": 10, "gamma": 0.3}), (cosine, {"T_max": 30}):
    optimizer = optim.SGD([p], lr=0.1)
    schedule, seen = make(optimizer, **how), []
    for _ in range(30):
        seen.append(optimizer.param_groups[0]["lr"])
        optimizer.step()
        schedule.step()
    rates[make.__name__] = seen
viz.lines(rates, x="epoch", y="learning rate")

# %% [markdown]
# ### A batch in parts
#
# Gradients add up until they are set to None. So a batch that does not fit into memory
# is computed in parts, with one step at the end: **gradient accumulation**. **Predict**
# by what each part's loss must be divided, if it is a mean.

# %%
layer, x, t = nn.Linear(5, 3), minigrad.randn(12, 5), minigrad.arange(12) % 3
F.cross_entropy(layer(x), t).backward()
whole, layer.weight.grad = layer.weight.grad, None
for rows, classes in zip(x.split(4), t.split(4), strict=True):
    (F.cross_entropy(layer(rows), classes) / 3).backward()
np.allclose(layer.weight.grad.numpy(), whole.numpy(), atol=1e-6)

# %% [markdown]
# {{=By the number of parts|True}}: a mean of 12 is a third of the sum of three means of
# 4.
#
# **To the lab**: exercises 12 to 14 (`sgd`, `adam`, `adamw`).
#
# ## Digits
#
# 1797 handwritten digits, 8 × 8 pixels each, come with the course (E. Alpaydin and C.
# Kaynak, [UCI](https://doi.org/10.24432/C50P49), CC BY 4.0). 1437 are to learn from,
# 360 are kept back for the test at the end.

# %%
images, labels = minigrad.data.digits(train=True)
viz.images(images[:20], labels[:20].tolist())

# %% [markdown]
# A small network: 64 pixels, 32 **hidden** numbers in between, ten scores. One
# **epoch** goes through all of the data, a **batch** of 64 at a time, each time in
# another order.


# %%
def batches(x, t, size=64):
    """Every row once, in another order each time."""
    order = minigrad.randperm(len(t))
    for start in range(0, len(t), size):
        rows = order[start : start + size]
        yield x.index_select(0, rows), t.index_select(0, rows)


# %%
def one_step(net, optimizer, x, t, clip):
    """The loss, and the norm of the gradient before it was clipped."""
    optimizer.zero_grad()
    loss = F.cross_entropy(net(x), t)
    loss.backward()
    norm = nn.utils.clip_grad_norm_(net.parameters(), clip)
    optimizer.step()
    return loss.item(), norm.item()


# %%
def train(net, optimizer, epochs, clip=math.inf, log=False, title=""):
    """Train on the digits, with a curve; the losses and norms of all steps."""
    (x, t), seen = digits(train=True), []
    curve = viz.curve(epochs * -(-len(t) // 64), "steps", log, title)
    for _ in range(epochs):
        for batch in batches(x, t):
            seen.append(one_step(net, optimizer, *batch, clip))
            curve.add(loss=seen[-1][0])
    return map(list, zip(*seen, strict=True))


# %%
def score(net):
    """The fraction of right answers on the digits that were kept back."""
    x, t = digits(train=False)
    with minigrad.no_grad():
        answers = net.eval()(x).argmax(1)
    net.train()
    return (answers == t).float().mean().item()


# %%
minigrad.manual_seed(1)
net = nn.Sequential(nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 10))
print(f"before: {score(net):.1%}")
losses, _ = train(net, optim.Adam(net.parameters(), lr=0.01), epochs=12)
print(f"after: {score(net):.1%}, first loss {losses[0]:.3f}, last {losses[-1]:.3f}")

# %% [markdown]
# The first loss is {{=near 2.3|first loss 2.396}}, as it should be: the network knows
# nothing, and knows it. What does it still get wrong?

# %%
images, labels = minigrad.data.digits(train=False)
answers = net(digits(train=False)[0]).argmax(1)
wrong = [i for i in range(len(labels)) if answers[i].item() != labels[i].item()]
print(len(wrong), "of", len(labels))
titles = [f"{labels[i].item()}, not {answers[i].item()}" for i in wrong[:10]]
viz.images([images[i] for i in wrong[:10]], titles)

# %% [markdown]
# ### Break it: the same network, twenty layers deep
#
# With a deviation of 0.05 for its weights, with 0.3, and with Kaiming's. **Predict**
# which of them learn.

# %%
for name, start in [
    ("0.05", lambda t: nn.init.normal_(t, 0, 0.05)),
    ("0.3", lambda t: nn.init.normal_(t, 0, 0.3)),
    ("Kaiming", lambda t: nn.init.kaiming_normal_(t, nonlinearity="relu")),
]:
    minigrad.manual_seed(2)
    net = deep(start, nn.ReLU, depth=20)
    optimizer = optim.SGD(net.parameters(), lr=0.01, momentum=0.9)
    losses, _ = train(net, optimizer, 6, log=True, title=name)
    print(f"{name:<8} {score(net):.1%}, loss {losses[0]:.3g} to {losses[-1]:.3g}")

# %% [markdown]
# The first one does not move from {{=2.30}}: no gradient comes through. The second one
# begins with a loss of {{=tens of thousands|loss 3.71e+04 to nan}}; one step, and there
# is {{=no number left|nan}}. The third one learns. The three differ in nothing but the
# numbers they began with.
#
# ## Clipping
#
# Sometimes the start is right, and a gradient is huge all the same: a batch with an
# outlier, a long sequence. Here is a network that begins a bit too large. Look at the
# norm of its gradient, step by step, and at what **gradient clipping** does: where the
# norm is above a limit, all gradients are made shorter by one factor.

# %%
norms = {}
for clip, label in [(math.inf, "not clipped"), (1.0, "clipped to 1")]:
    minigrad.manual_seed(5)
    net = deep(lambda t: nn.init.normal_(t, 0, 0.22), nn.ReLU, depth=12)
    optimizer = optim.SGD(net.parameters(), lr=0.05)
    _, every = train(net, optimizer, 6, clip, log=True, title=label)
    norms[f"{label}: {score(net):.0%} right"] = every
viz.lines(norms, y="norm before clipping", log="y")

# %% [markdown]
# Without clipping the first steps are so long that each gradient is larger than the one
# before; soon the loss is {{=NaN}}, and a NaN never heals. Clipped, the same first
# gradients are steps of length lr · 1, in the same direction, and the network learns.
#
# Why one norm for all, and not one for each parameter? Because the **direction** is
# what the gradient knows best. Two gradients, each clipped by itself, {{=point
# elsewhere|together [1. 0.1] alone [1. 0.3]}}:

# %%
g = np.array([3.0, 0.3])
together = g * min(1, 1 / np.linalg.norm(g))
alone = np.array([min(1, 1 / abs(v)) * v for v in g])
print("together", together / together[0], "alone", alone / alone[0])

# %% [markdown]
# **To the lab**: exercises 15 to 17 (`clip_grad_norm_`, `linear_regression`, a test).
#
# ## What a step costs
#
# The trace of chapter 04 counts launches. A network of two layers, one training step on
# the simulator's device: **predict** how many kernels it takes.

# %%
net = nn.Sequential(nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 10)).to("sim")
optimizer = optim.Adam(net.parameters())
x, t = (v[:32].to("sim") for v in digits(train=True))
with minigrad.trace() as trace:
    F.cross_entropy(net(x), t).backward()
    optimizer.step()
names = [launch.operator for launch in trace]
print(len(names), "launches:")
print(*names)

# %% [markdown]
# The optimizer is {{=a single launch|matmul adam}} for all four parameters: a kernel of
# its own, which reads and writes each number once. Operator by operator it would be
# {{=52}} launches, and on a GPU a launch costs some microseconds, however small it is.
# PyTorch has both, `foreach=False` and `fused=True`, and a third way between them.

# %%
slow = optim.Adam(net.parameters(), fused=False)
with minigrad.trace() as trace:
    slow.step()
print(len(trace), "launches, operator by operator")

# %% [markdown]
# ## Troubleshooting
#
# The messages that everyone meets, what they mean, and what to do. (`with trying():`
# goes on after an error, and shows its message alone.)

# %%
fc = nn.Linear(64, 10)
x = minigrad.zeros(32, 64)

# %% [markdown]
# **Shapes.** The message names the operator and {{=both shapes|the input has shape [32,
# 8, 8] and the weight [10, 64]}}. Images (32, 8, 8) are not rows of 64: `.flatten(1)`
# makes rows of them.

# %%
with trying():
    fc(minigrad.zeros(32, 8, 8))
with trying():
    minigrad.zeros(32, 10) - minigrad.zeros(32)

# %% [markdown]
# The dangerous ones say nothing: (32, 1) beside (32,) is broadcast to (32, 32). A loss
# {{=warns|Using a target size ([32])}}, so read warnings. `target.unsqueeze(1)` mends
# it.

# %%
import textwrap
import warnings

with warnings.catch_warnings(record=True) as found:
    warnings.simplefilter("always")
    nn.MSELoss()(minigrad.zeros(32, 1), minigrad.zeros(32))
print(textwrap.fill(str(found[0].message), 90))

# %% [markdown]
# **Devices.** Model and data lie in {{=different memories|operand 1 is on 'sim' and
# operand 2 is on 'cpu'}}. Move the data to the model: `x.to(device)`; and the model
# before the optimizer is made: `net.to(device)`.

# %%
with trying():
    fc(x.to("sim"))

# %% [markdown]
# **Types.** NumPy's floats are {{=double, a network's are float|float64 and float32}}:
# `x.float()`. Classes are {{=whole numbers|expected target dtype to be int64}}:
# `labels.long()`.

# %%
with trying():
    fc(minigrad.from_numpy(np.zeros((32, 64))))
with trying():
    F.cross_entropy(fc(x), minigrad.zeros(32))

# %% [markdown]
# **Not one number.** Gradients are those of {{=one number|only for scalar outputs}}: a
# mean or a sum of the losses.

# %%
with trying():
    fc(x).backward()

# %% [markdown]
# **No gradient.** Nothing in the graph {{=requires one|does not require grad}}; often a
# `detach()`, a `no_grad()`, or a detour through NumPy has cut it. And a parameter whose
# {{=`.grad` is None|['weight', 'bias']}} after backward had no part in the loss: an
# optimizer passes over it in silence.

# %%
with trying():
    fc(x).detach().sum().backward()
unused = nn.Linear(2, 2)
fc(x).sum().backward()
print([name for name, p in unused.named_parameters() if p.grad is None])

# %% [markdown]
# **In place.** exp needs its result for its gradient, and it {{=was
# overwritten|modified by an inplace operation}}. Without the `_` a new tensor is made,
# and all is well.

# %%
with trying():
    y = minigrad.ones(3).requires_grad_().exp()
    y.mul_(2)
    y.sum().backward()

# %% [markdown]
# **The loss does not fall.** No message at all. In this order: is `zero_grad` called,
# and `step`? Did the optimizer get these parameters (`net.parameters()` **after** the
# last layer was added)? Is the first loss near log(classes)? Are the gradients 0, or
# huge? Can the network learn ten samples by heart? If not, there is a mistake; if so,
# change the learning rate by factors of 3. **Predict** the loss after 50 steps:

# %%
net = nn.Sequential(nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 10))
adam = optim.Adam(net.parameters(), lr=0.01)
ten = [v[:10] for v in digits(train=True)]
losses = [one_step(net, adam, *ten, math.inf)[0] for _ in range(50)]
print(f"{losses[0]:.3f}, and then {losses[-1]:.3f}")

# %% [markdown]
# **The loss is NaN.** The learning rate is too large, or something takes the logarithm
# of 0. Clip, lower the rate, and let `autograd.detect_anomaly()` find the line.
#
# **Good in training, bad in use.** Was `net.eval()` called? Dropout and batch norm do
# something else in training.
#
# ## What to take with you
#
# - A module finds parameters by their names; `state_dict` is these names and arrays.
# - Weights of deviation gain / √fan_in keep the signal, forward and back. Batch norm
#   measures and divides instead; dropout scales what it leaves.
# - The loss of a classifier is one operator, from scores to a number, by log-sum-exp.
# - SGD follows the slope, momentum what slopes have in common, Adam each direction by
#   its own size. AdamW keeps weight decay out of that.
# - Gradients add up: wanted for a batch in parts, a mistake from step to step.
#
# ## Before you go: four questions
#
# 1. A Linear(100, 100) and a Conv2d(4, 100, 5) have the same fan_in. Do they begin with
#    weights of the same size?
# 2. The loss is multiplied by 1000. What changes with SGD, what with Adam?
# 3. Batch norm, training, a batch of one sample of (1, C). What goes wrong?
# 4. Why may gradient clipping come after `backward` and before `step` only?
#
# <details><summary>Answers</summary>
#
# 1. Yes: fan_in is 100 in both, 4 · 25 for the convolution, and the bound is
#    gain · √(3 / fan_in).
# 2. With SGD the steps are 1000 times as long. Adam divides by the size of the
#    gradient: {{=nothing changes|times 1000 -> 0.8999999761581421}} (but for eps).
# 3. The variance of one number is 0, and the unbiased one 0 / 0. PyTorch refuses: more
#    than one value per channel is expected in training.
# 4. Before backward there are no gradients of this batch; after step they are used.
#
# </details>

# %%
# Check the second answer
for scale in 1, 1000:
    p = nn.Parameter(minigrad.ones(1))
    p.grad = minigrad.tensor([0.3 * scale])
    optim.Adam([p], lr=0.1).step()
    print("times", scale, "->", p.item())

# %% [markdown]
# Now **lab 09**: in its last exercise you test something that chance has a part in. In
# chapter 10 your answers train a convolutional network on MNIST.
#
# To read on: X. Glorot and Y. Bengio, *Understanding the difficulty of training deep
# feedforward neural networks* (2010); K. He and others, *Delving Deep into Rectifiers*
# (2015); D. Kingma and J. Ba, *Adam* (2015); I. Loshchilov and F. Hutter, *Decoupled
# Weight Decay Regularization* (2019); G. Goh, *Why Momentum Really Works*
# (distill.pub); and in PyTorch `torch/nn/modules/module.py` (`Module.__setattr__`),
# `torch/nn/init.py` (`kaiming_normal_`) and `torch/optim/adam.py`
# (`_single_tensor_adam`).
