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
# # 09 · Part 2: Which way down?
#
# Part 1 ended with a loss, and `backward` computes its gradient. An **optimizer**
# decides how that gradient changes the parameters. In this lesson, you'll compare SGD,
# momentum, and Adam, train a network on handwritten digits, and see how initialization
# and clipping decide whether a deep one learns at all.
#
# This lesson takes about {{duration}}, builds on part 1, and needs no GPU.

# %% setup=true
# Set-up: run this cell first. Running it twice does no harm.
import math
import warnings

import numpy as np

import minigrad
from minigrad import answers_from, nn, optim, viz
from minigrad.nn import functional as F
from minigrad.training import linear_regression

minigrad.manual_seed(0)

# You'll write some of this in lab 09. Here, the reference solutions stand in.
answers_from("solutions", before="10_cnn")

# %% [markdown]
# ## Three ways through a valley
#
# The negative gradient is the direction of steepest descent, but it rarely points
# straight at the minimum. Take f(a, b) = (a² + 30 b²) / 2, a valley that's steep in b
# and nearly flat in a. Its gradient is (a, 30 b), and its minimum is at (0, 0).


# %%
def way(optimizer, p, steps):
    """Return the points that an optimizer visits."""
    seen = []
    for _ in range(steps):
        seen.append(p.tolist())
        p.grad = p.detach() * minigrad.tensor([1.0, 30.0])
        optimizer.step()
    return seen


# %% [markdown]
# The simplest rule is `p -= lr * p.grad`, where lr is the learning rate. It's called
# **SGD**, for stochastic gradient descent, because each step usually uses random
# samples.
#
# **Puzzle 1: straight to the floor.** As given, SGD swings from one side of the valley
# to the other. Choose the learning rate so that b is 0 after the first step, whatever
# it was before.

# %%
lr = 0.06  # your line

# %%
p = nn.Parameter(minigrad.tensor([-9.0, 1.6]))
seen = way(optim.SGD([p], lr=lr), p, 20)
print(seen[1], "solved:", abs(seen[1][1]) < 1e-5)

# %% [markdown]
# <details><summary>Answer</summary>
#
# A step turns b into b − lr · 30 b, which is 0 if lr is 1/30.
#
# ```python
# lr = 1 / 30
# ```
#
# Along a, each step then covers only 1/30 of the way. If lr is above 2/30, b grows from
# step to step, so the steep direction limits the learning rate for both.
#
# </details>

# %% [markdown]
# **Momentum** adds up past gradients, `buffer = momentum * buffer + grad`, and steps
# along the buffer. What the gradients have in common builds up, and what alternates
# cancels out. **Adam** (D. Kingma and J. Ba, 2015) keeps an average of the gradient,
# and an average of its square. It divides the first by the square root of the second,
# so a steep and a flat direction get steps of similar size.
#
# **Predict** which of the three changes sides of the valley at every step, and which
# ones overshoot the minimum along a.

# %%
ways = {}
for name, make in {
    "SGD": lambda p: optim.SGD(p, lr=0.06),
    "with momentum": lambda p: optim.SGD(p, lr=0.02, momentum=0.85),
    "Adam": lambda p: optim.Adam(p, lr=0.6),
}.items():
    p = nn.Parameter(minigrad.tensor([-9.0, 1.6]))
    ways[name] = way(make([p]), p, 40)
viz.surface(lambda a, b: (a * a + 30 * b * b) / 2, ways, x=(-10, 4), y=(-2.2, 2.2))

# %% [markdown]
# <details><summary>Answer</summary>
#
# SGD changes sides at every step and creeps along the valley. The other two carry their
# speed along, so they swing in longer waves and overshoot, but they get near the
# minimum sooner.
#
# </details>

# %% [markdown]
# **Puzzle 2: top speed.** If the gradient is always 1, momentum makes the steps longer
# and longer, up to a limit. Choose the momentum so that they become 5 times as long as
# without it.

# %%
momentum = 0.9  # your line

# %%
speed = 0.0
for _ in range(100):
    speed = momentum * speed + 1
print(f"{speed:.2f} times as long", "solved:", abs(speed - 5) < 0.01)

# %% [markdown]
# <details><summary>Answer</summary>
#
# At the limit, the buffer stays the same, so buffer = momentum · buffer + 1. That makes
# it 1 / (1 − momentum), which is 5 for 0.8.
#
# ```python
# momentum = 0.8
# ```
#
# </details>

# %% [markdown]
# ### Adam's steps
#
# Adam's averages follow `average = β · average + (1 − β) · new`, where β is 0.9 for the
# gradient and 0.999 for its square. Both start at 0, so in step t they're too small by
# a factor of 1 − βᵗ, and Adam divides by that factor. After this correction, the first
# averages are exactly g and g². **Predict** the first step for gradients of 1000, 1,
# and 0.001, if lr is 0.1.

# %%
p = nn.Parameter(minigrad.zeros(3))
p.grad = minigrad.tensor([1000.0, 1.0, 0.001])
optim.Adam([p], lr=0.1).step()
[f"{v:.4f}" for v in p.tolist()]

# %% [markdown]
# <details><summary>Answer</summary>
#
# All three steps are {{=0.1 long|['-0.1000', '-0.1000', '-0.1000']}}, because g / √g²
# is ±1.
#
# </details>
#
# ### Weight decay: Adam and AdamW
#
# **Weight decay** pulls every weight toward 0 by a fraction of its size. `optim.Adam`
# adds `weight_decay * p` to the gradient, and so does SGD. **AdamW** shrinks the weight
# separately, before the step. In the next cell, the first weight's gradient alternates
# between 100 and −100, and the second's between 0.01 and −0.01. **Predict** which
# weights shrink under Adam, and which under AdamW.

# %%
for make in optim.Adam, optim.AdamW:
    p = nn.Parameter(minigrad.ones(2))
    optimizer = make([p], lr=0.01, weight_decay=0.5)
    for step in range(200):
        sign = 1 if step % 2 else -1
        p.grad = sign * minigrad.tensor([100.0, 0.01])
        optimizer.step()
    print(f"{make.__name__:<6}", [f"{v:.3f}" for v in p.tolist()])

# %% [markdown]
# <details><summary>Answer</summary>
#
# Under Adam, the decay is divided by the gradient's size too, so the first weight
# {{=hardly feels it|['1.008', '0.016']}}, and the second is pulled to 0 at full speed.
# Under AdamW, {{=both shrink alike|['0.373', '0.373']}}, because nothing divides the
# decay.
#
# </details>

# %% [markdown]
# **Puzzle 3: spare the bias.** Usually weights should decay, but biases shouldn't. An
# optimizer accepts a list of **groups**, which are dictionaries with `"params"` and any
# options that differ. Split the group so that the bias has a `weight_decay` of 0.

# %%
weight, bias = (nn.Parameter(minigrad.ones(1)) for _ in range(2))
groups = [{"params": [weight, bias]}]  # your line

# %%
weight.grad, bias.grad = minigrad.zeros(1), minigrad.zeros(1)
optim.AdamW(groups, lr=0.1, weight_decay=0.5).step()
print(weight.item(), bias.item())
print("solved:", weight.item() < 1 == bias.item())

# %% [markdown]
# <details><summary>Answer</summary>
#
# ```python
# groups = [{"params": [weight]}, {"params": [bias], "weight_decay": 0.0}]
# ```
#
# </details>

# %% [markdown]
# ### A batch in parts
#
# Gradients add up until you reset them, which is useful if a batch doesn't fit in
# memory. You compute it in parts and make a single step at the end, which is called
# **gradient accumulation**.
#
# **Puzzle 4: three parts.** The loss is a mean over 12 rows, and the parts have 4 rows
# each. Change the line so that the three gradients add up to the gradient of the whole
# batch.

# %%
layer, x, t = nn.Linear(5, 3), minigrad.randn(12, 5), minigrad.arange(12) % 3
F.cross_entropy(layer(x), t).backward()
whole, layer.weight.grad = layer.weight.grad, None
for rows, classes in zip(x.split(4), t.split(4), strict=True):
    loss = F.cross_entropy(layer(rows), classes)  # your line
    loss.backward()

# %%
ratio = (layer.weight.grad / whole).mean().item()
print(f"{ratio:.2f} times the gradient", "solved:", abs(ratio - 1) < 1e-3)

# %% [markdown]
# <details><summary>Answer</summary>
#
# The mean of 12 is a third of the sum of three means of 4.
#
# ```python
# loss = F.cross_entropy(layer(rows), classes) / 3
# ```
#
# </details>

# %% [markdown]
# **To the lab**: exercise 10 (`sgd`) and exercise 11 (`adam`).
#
# ## Digits
#
# The course comes with 1,797 handwritten digits of 8 × 8 pixels (E. Alpaydin and C.
# Kaynak, [UCI](https://doi.org/10.24432/C50P49), CC BY 4.0). We train on 1,437 of them
# and keep 360 back for testing.

# %%
images, labels = minigrad.data.digits(train=True)
viz.images(images[:20], labels[:20].tolist())

# %% [markdown]
# The network turns 64 pixels into 32 numbers and those into ten scores. In exercise 13,
# you'll write the training loop, `linear_regression(model, loss_fn, optimizer, x, y,
# epochs)`, named after the lab's example. Each **epoch** uses all of the data once.
# **Predict** the accuracy before training, and the first loss.


# %%
def digits(train):
    """Return the digits as rows of 64 with a mean near 0, and their labels."""
    images, labels = minigrad.data.digits(train)
    return 3 * (images.flatten(1) - 0.3), labels


def score(net):
    """Return the accuracy on the digits that were kept back."""
    x, t = digits(train=False)
    with minigrad.no_grad():
        return (net(x).argmax(1) == t).float().mean().item()


# %%
minigrad.manual_seed(1)
net = nn.Sequential(nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 10))
print(f"before: {score(net):.1%}")
x, t = digits(train=True)
adam = optim.Adam(net.parameters(), lr=0.01)
losses = linear_regression(net, F.cross_entropy, adam, x, t, epochs=100)
print(f"after: {score(net):.1%}, loss {losses[0]:.3f}, then {losses[-1]:.3f}")

# %% [markdown]
# <details><summary>Answer</summary>
#
# An untrained network guesses, so about one digit in ten is correct, and the loss is
# {{=near log 10|loss 2.343}}.
#
# </details>
#
# ### Break it: twelve layers
#
# Now we train a network with twelve hidden layers of 64 units, starting from weights
# with standard deviations of 0.05, 0.3, and Kaiming's √(2/64), about 0.18. **Predict**
# in which cases it learns.


# %%
def deep(s):
    """Return a deep network whose weights have standard deviation s."""
    layers = []
    for _ in range(12):
        linear = nn.Linear(64, 64, bias=False)
        nn.init.normal_(linear.weight, 0, s)
        layers += [linear, nn.ReLU()]
    return nn.Sequential(*layers, nn.Linear(64, 10))


# %%
curves = {}
for s in 0.05, 0.3, (2 / 64) ** 0.5:
    minigrad.manual_seed(2)
    net = deep(s)
    sgd = optim.SGD(net.parameters(), lr=0.01, momentum=0.9)
    losses = linear_regression(net, F.cross_entropy, sgd, x[:500], t[:500], 40)
    print(f"{s:.2f}: {score(net):.1%}, loss {losses[0]:.3g}, then {losses[-1]:.3g}")
    curves[f"{s:.2f}"] = losses
viz.lines(curves, x="epoch", y="loss", log="y")

# %% [markdown]
# <details><summary>Answer</summary>
#
# With 0.05, the loss stays at {{=2.3|loss 2.3, then 2.3}}, because no gradient comes
# through. With 0.3, it starts at {{=350 and becomes NaN|loss 350, then nan}}, and only
# Kaiming's network learns. The three differ only in the size of their initial weights.
#
# </details>
#
# ## Clipping
#
# Even after a good initialization, a gradient is sometimes huge, for example because of
# an outlier. **Gradient clipping** scales all gradients down by the same factor if
# their joint norm is above a limit. It has to happen after `backward`, so our optimizer
# clips at the start of its `step`.


# %%
class Clipped(optim.SGD):
    def __init__(self, params, limit):
        super().__init__(params, lr=0.1)
        self.limit, self.norms = limit, []

    def step(self):
        params = self.param_groups[0]["params"]
        norm = nn.utils.clip_grad_norm_(params, self.limit)  # the norm before clipping
        self.norms.append(norm.item())
        super().step()


# %%
norms = {}
for limit, label in [(math.inf, "not clipped"), (1.0, "clipped to 1")]:
    minigrad.manual_seed(5)
    net = deep(0.22)  # a bit too large, which makes gradients huge
    sgd = Clipped(net.parameters(), limit)
    linear_regression(net, F.cross_entropy, sgd, x[:500], t[:500], 40)
    norms[f"{label}, accuracy {score(net):.0%}"] = sgd.norms
viz.lines(norms, x="epoch", y="norm before clipping", log="y")

# %% [markdown]
# Without clipping, the first steps are so long that each gradient is larger than the
# one before. After three steps, the loss and the weights are NaN, and they stay NaN.
# With clipping, each step keeps its direction but is short, so the next gradient stays
# moderate and the network learns.
#
# **Puzzle 5: keep the direction.** This line clips each of two gradients by itself, so
# the step changes direction. Clip both by one factor instead, so that their joint norm
# is 1.

# %%
g = np.array([3.0, 0.3])
clipped = g * np.minimum(1, 1 / np.abs(g))  # your line

# %%
norm, ratio = np.linalg.norm(clipped), clipped[0] / clipped[1]
print(f"norm {norm:.2f}, ratio {ratio:.1f}")
print("solved:", bool(np.isclose(norm, 1) and np.isclose(ratio, 10)))

# %% [markdown]
# <details><summary>Answer</summary>
#
# All gradients together are one long vector with one norm, so there's one factor.
#
# ```python
# clipped = g * min(1, 1 / np.linalg.norm(g))
# ```
#
# </details>

# %% [markdown]
# **To the lab**: exercise 12 (`clip_grad_norm_`), exercise 13 (`linear_regression`),
# and exercise 14, a test.
#
# ## What a step costs
#
# In chapter 04, `trace` listed the kernels that an expression launches. Here are those
# of a training step on the simulator, for a network with four parameter tensors.

# %%
net = nn.Sequential(nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 10)).to("sim")
adam = optim.Adam(net.parameters())
with minigrad.trace() as trace:
    F.cross_entropy(net(x[:32].to("sim")), t[:32].to("sim")).backward()
    adam.step()
names = [launch.operator for launch in trace]
print(len(names), "launches:", *names)

# %% [markdown]
# The optimizer launches only {{=one|matmul adam}}, because a **fused** kernel does all
# of Adam's arithmetic for up to eight parameter tensors, and reads and writes each
# number only once. Operator by operator, Adam would take many more.
#
# ## When it doesn't learn
#
# An error message names the problem, but the dangerous mistakes are silent. Here's one.
# **Predict** the shape of the difference of a (32, 1) tensor and a (32,) tensor.

# %%
prediction, target = minigrad.zeros(32, 1), minigrad.zeros(32)
print((prediction - target).shape)
with warnings.catch_warnings(record=True) as found:
    warnings.simplefilter("always")
    nn.MSELoss()(prediction, target)
print(str(found[0].message)[:70], "...")

# %% [markdown]
# <details><summary>Answer</summary>
#
# Broadcasting makes it {{=(32, 32)}}, so each prediction is compared with every target.
# At least `nn.MSELoss` warns you, and `target.unsqueeze(1)` makes the shapes equal.
#
# </details>

# %% [markdown]
# If a network doesn't learn, here's what else to check.
#
# - **The loss doesn't fall.** Are `zero_grad` and `step` called, and does the optimizer
#   have all parameters? Are the gradients 0, or huge? Change the learning rate by
#   factors of 3. (Chapter 10 lowers it on a **schedule**.)
# - **`p.grad` is None.** The parameter had no part in the loss, and optimizers skip it
#   silently.
# - **The loss is NaN.** Lower the learning rate, clip, or let
#   `autograd.detect_anomaly()` name the line behind it.
# - **An error about dtypes or devices.** NumPy's float64 needs `x.float()`, class
#   labels need `labels.long()`, and data needs `x.to(device)`. Move the model before
#   you make the optimizer.
#
# If you don't know whether the code or the data is to blame, train on only ten samples.
# **Predict** the loss of a correct network after 50 epochs.

# %%
net = nn.Sequential(nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 10))
adam = optim.Adam(net.parameters(), lr=0.01)
losses = linear_regression(net, F.cross_entropy, adam, x[:10], t[:10], 50)
print(f"{losses[0]:.3f}, then {losses[-1]:.3f}")

# %% [markdown]
# <details><summary>Answer</summary>
#
# It's near 0, because a correct network memorizes all ten samples.
#
# </details>

# %% [markdown]
# If your network can't memorize ten samples, look for a mistake in the code.
#
# ## Before you go: three questions
#
# 1. You multiply the loss by 1,000. What changes for SGD, and for Adam?
# 2. A batch is accumulated in parts. Where does clipping go?
# 3. Can clipping rescue a network whose gradients vanish?
#
# <details><summary>Answers</summary>
#
# 1. SGD's steps are 1,000 times as long. Adam divides by the gradient's size, so apart
#    from eps nothing changes.
# 2. It goes after the last part's `backward` and before the step, because only then is
#    the gradient complete.
# 3. It can't, because it only makes gradients shorter.
#
# </details>

# %% [markdown]
# Now finish **lab 09**. After that, you can run both parts of this lesson on your own
# code. In their set-up cells, replace `"solutions"` with `"labs"`, and then choose
# **Kernel > Restart Kernel and Run All Cells**.
#
# Further reading: I. Loshchilov and F. Hutter, *Decoupled Weight Decay Regularization*
# (2019); G. Goh, *Why Momentum Really Works* (distill.pub); and, in PyTorch's source,
# `torch/optim/adam.py` (`_single_tensor_adam`).
