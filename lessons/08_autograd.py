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
# # 08 · Autograd: the graph and its gradients
#
# A network can have millions of weights, and a single number, the **loss**, says how
# bad its results are. Training changes each weight by a small amount, so that the loss
# gets smaller. For that, you need to know how fast the loss changes with each weight,
# and autograd computes this for all weights in one pass.
#
# We'll build a complete engine for single numbers first, in about 40 lines. Then we'll
# look at the same engine for tensors, which you'll write in lab 08, and train a network
# with it. After this lesson, you can write the gradient of an operator, test it, and
# understand autograd's error messages.
#
# This lesson takes about {{duration}}, builds on chapters 03 and 04, and needs no GPU.
# The only mathematics it needs is the slope of a function.

# %% setup=true
# Set-up: run this cell first. Running it twice does no harm.
import math

import numpy as np

import minigrad
from grading import trying
from minigrad import answers_from, no_grad, tensor, viz, where
from minigrad.autograd import Function, detect_anomaly, grad, gradcheck
from minigrad.autograd.engine import topological_order

# In this lesson, the reference solutions stand in for labs 00 to 08.
answers_from("solutions", before="09_nn")

# %% [markdown]
# ## What's a gradient?
#
# We increase each input of a small formula a little, and see how much the result grows.


# %%
def f(a, b):
    return a * b + a * a


h = 1e-6
print(f(2, 5))
print((f(2 + h, 5) - f(2, 5)) / h, (f(2, 5 + h) - f(2, 5)) / h)

# %% [markdown]
# If a grows by a small h, f grows by about {{=9}} · h. If b grows by h, f grows by
# about {{=2}} · h. These two slopes are the **gradient** of f at (2, 5).
#
# You could train a network this way, but each weight would take another run of the
# whole network, and we'd like to get all slopes from a single run.
#
# ## An engine for numbers
#
# A formula consists of small steps, and we know the slopes of each step.
#
# | step | slope for a | slope for b |
# |---|---|---|
# | y = a + b | 1 | 1 |
# | y = a · b | b | a |
# | y = exp(a) | y | |
#
# When one step follows another, you multiply their slopes. If y grows 3 times as fast
# as a, and the loss grows 4 times as fast as y, then the loss grows 12 times as fast as
# a. This is the **chain rule**.
#
# To use the chain rule, we write down each step while we compute. A `Value` is a number
# that remembers which values it was made from, its **parents**, and the slope for each
# of them. Python turns `a + b` into `a.__add__(b)`, so the class can define what `+`
# does, which is called **operator overloading**.


# %%
class Value:
    """A number that remembers how it was made."""

    def __init__(self, data, parents=(), slopes=(), name=""):
        self.data, self.grad, self.name = data, 0.0, name
        self.parents, self.slopes = parents, slopes

    def __add__(self, other):
        other = as_value(other)
        return Value(self.data + other.data, (self, other), (1.0, 1.0), "+")

    def __mul__(self, other):
        other = as_value(other)
        slopes = other.data, self.data
        return Value(self.data * other.data, (self, other), slopes, "*")


# %% [markdown]
# For `10 + a`, Python asks the 10 first, but an int knows nothing about our class. So
# Python calls `a.__radd__(10)` instead (r is short for right). Sums and products don't
# depend on the order, so we can reuse our methods.


# %%
def as_value(x):
    return x if isinstance(x, Value) else Value(x)


Value.__radd__, Value.__rmul__ = Value.__add__, Value.__mul__
print((10 + Value(2.0)).data, (10 * Value(2.0)).data)

# %% [markdown]
# **Puzzle 1: from the right.** For `10 - a`, Python calls `a.__rsub__(10)`, so `self`
# is `a` and `other` is 10. The line below computes a − 10 instead, so fix it, using
# only `+` and `*`.

# %%
Value.__rsub__ = lambda self, other: self + -1 * other  # your line

# %%
difference = 10 - Value(2.0)
print(difference.data, "solved:", difference.data == 8.0)

# %% [markdown]
# <details><summary>Answer</summary>
#
# ```python
# Value.__rsub__ = lambda self, other: other + -1 * self
# ```
#
# </details>

# %% [markdown]
# Computing the result is called the **forward pass**, and now it takes notes as it
# goes. In the picture, the arrows lead from each value to its parents, and the number
# beside an arrow is the slope.

# %%
a, b = Value(2.0, name="a"), Value(5.0, name="b")
y = a * b + a * a
viz.formula(y)

# %% [markdown]
# The notes form a **graph**, and now we walk through it backward. From here on, the
# gradient of a value, its `grad`, is how fast y grows with that value. We start at y,
# whose gradient is 1, because y grows as fast as itself. Then each value sends its
# gradient, times the slope, to each of its parents. This is called **backpropagation**.
#
# **Puzzle 2: where paths meet.** Here's a first version, which should find 9 for a and
# 2 for b. Before you run it, predict what it finds for a. (`pop` takes the last value
# in the list.) Then fix the line.


# %%
def backward_1(y):
    y.grad = 1.0
    waiting = [y]
    while waiting:
        v = waiting.pop()
        for parent, slope in zip(v.parents, v.slopes, strict=True):
            parent.grad = v.grad * slope  # your line
            waiting.append(parent)


# %%
a, b = Value(2.0), Value(5.0)
backward_1(a * b + a * a)
print("a:", a.grad, " b:", b.grad, " solved:", (a.grad, b.grad) == (9.0, 2.0))

# %% [markdown]
# <details><summary>Answer</summary>
#
# a is used three times, so three paths lead to it. The product a · a sends it 2 and 2,
# and a · b sends it 5. Each `=` overwrites the part before, and only 5 is left.
#
# ```python
# parent.grad += v.grad * slope
# ```
#
# </details>

# %% [markdown]
# **Where gradients meet, they're added up.** With `+=`, this example works, but the
# next one doesn't, because u is used twice **on the way** to y. The formula is 4 · x,
# so the slope should be 4.


# %%
def backward_2(y):
    y.grad = 1.0
    waiting = [y]
    while waiting:
        v = waiting.pop()
        for parent, slope in zip(v.parents, v.slopes, strict=True):
            parent.grad += v.grad * slope
            waiting.append(parent)


# %%
x = Value(3.0, name="x")
u = x * 2.0
y = u + u
backward_2(y)
viz.formula(y)

# %% [markdown]
# We get {{=8|x: data 3, grad 8}}, because y has sent two parts to u. So u is visited
# twice, and both times it sends its whole gradient to x. What if each visit sends only
# the part that has just arrived? The next function does that, and counts its visits.


# %%
def backward_3(v, part=1.0):
    v.grad += part
    visits = 1
    for parent, slope in zip(v.parents, v.slopes, strict=True):
        visits += backward_3(parent, part * slope)
    return visits


for n in 1, 2, 10, 18:
    y = x = Value(1.0)
    for _ in range(n):
        y = y + y
    visits = backward_3(y)
    print(f"2**{n} * x  slope {x.grad:,.0f}, visits {visits:,}")

# %% [markdown]
# Every slope is correct now, but each `y + y` doubles the visits below it. After 18 of
# them, there are {{=524,287|visits 524,287}} visits to only 19 values.
#
# Each value should be visited only **once**, and only after **all values that use it**,
# because its gradient isn't complete before that. Such an order is called a
# **topological order**. To find one, append a value to a list only when all its parents
# are already in that list, and then read the list backward.


# %%
def in_order(y):
    """Return y and everything it was made from, each before its parents."""
    done, seen = [], set()

    def visit(v):
        if v not in seen:
            seen.add(v)
            for parent in v.parents:
                visit(parent)
            done.append(v)

    visit(y)
    return done[::-1]


# %%
def backward(y):
    y.grad = 1.0
    for v in in_order(y):
        for parent, slope in zip(v.parents, v.slopes, strict=True):
            parent.grad += v.grad * slope


a, b = Value(2.0, name="a"), Value(5.0, name="b")
y = a * b + a * a
backward(y)
viz.formula(y)

# %% [markdown]
# That's {{=the whole engine|a: data 2, grad 9}}, and you can add any operation to it if
# you know its slope.
#
# **Puzzle 3: division.** We can write a / b as a · (1 / b), so all we need is a step
# for y = 1 / b. Its slope is −1 / b². Write this slope in terms of `y`.


# %%
def reciprocal(b):
    y = 1 / b.data
    slope = y  # your line
    return Value(y, (b,), (slope,), "1/")


# %%
b = Value(4.0)
backward(6 * reciprocal(b))
print(b.grad, "solved:", b.grad == -0.375)  # -6 / 16

# %% [markdown]
# <details><summary>Answer</summary>
#
# 1 / b² is y², so you don't need b again.
#
# ```python
# slope = -y * y
# ```
#
# </details>

# %% [markdown]
# Let's fit exp(w · x + bias) to three points that are close to the curve eˣ. Each of
# the 31 steps subtracts 0.05 times the gradient from `w` and `bias`, so it goes
# downhill. The factor 0.05 is called the learning rate.


# %%
def exp(x):
    y = math.exp(x.data)
    return Value(y, (x,), (y,), "exp")


def loss_of(w, bias):
    loss = Value(0.0)
    for x, target in [(-1.0, 0.4), (0.0, 1.0), (1.0, 2.7)]:
        error = exp(w * x + bias) + -target
        loss = loss + error * error
    return loss


# %%
def train(reset=True):
    w, bias = Value(0.1), Value(0.0)
    for step in range(31):
        loss = loss_of(w, bias)
        if reset:
            w.grad = bias.grad = 0.0
        backward(loss)
        w.data -= 0.05 * w.grad
        bias.data -= 0.05 * bias.grad
        if step % 10 == 0:
            print(f"{step:2}  loss {loss.data:.4f}  w {w.data:.3f}")


train()

# %% [markdown]
# {{=It learns|30 loss 0.0012}}, and w gets close to 1.
#
# ### Break it: don't reset the gradients
#
# **Predict** what happens if we leave out the line that sets the gradients to 0.
#
# <details><summary>Answer</summary>
#
# `+=` adds each gradient to those of all earlier steps, so every step follows the sum
# instead of the current slope and runs past the minimum. In the end, the loss is
# {{=8.4|8.4169}}, which is larger than at the beginning.
#
# </details>

# %%
train(reset=False)

# %% [markdown]
# Our engine has a limit, though. A network that reads a long text word by word is a
# chain of thousands of values.

# %%
x = Value(1.0)
for _ in range(5000):
    x = x + 1.0
try:
    backward(x)
except RecursionError as error:
    print("RecursionError:", error)

# %% [markdown]
# `visit` calls itself for each value on the way down, and Python allows about 1,000
# {{=nested calls|RecursionError}}. In exercise 3 of the lab, you'll get rid of this
# limit.
#
# ## The same for tensors
#
# One number at a time is slow, so minigrad computes with whole tensors, and records
# every operator on a tensor with `requires_grad=True` or on anything made from it.
# (`relu` replaces negative elements with 0.)

# %%
x = tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
w = tensor([[0.1, -0.2], [0.3, 0.1], [-0.4, 0.2]], requires_grad=True)
bias = tensor([1.5, -0.5], requires_grad=True)
h1 = (x @ w + bias).relu()
loss = (h1 * h1).mean()
loss, loss.grad_fn

# %% [markdown]
# `grad_fn` is the **node** of the operator that made the tensor. `next_functions` has a
# pair for each operand. A pair has the node that gets the operand's gradient, and the
# number of the node's result that the operand is. Here, that's 0, because `Mul` has
# only one result.

# %%
print(loss.grad_fn.next_functions)
print(h1.grad_fn.name(), bias.grad_fn)

# %% [markdown]
# Each box shows a node and the shape of its tensor. If you see a slider, drag it to
# step through the backward pass.

# %%
viz.graph(loss, w=w, bias=bias)

# %% [markdown]
# The picture shows three things:
#
# - `x` isn't in the graph, because it doesn't require a gradient.
# - The graph ends in {{=**leaves**|2 of them leaves}}, the green boxes. These are the
#   tensors that you made with `requires_grad=True`.
# - `Mul` sends two gradients to the same node, because both factors are `h1`.
#
# After backward, each leaf has a gradient with the leaf's shape, and its box shows the
# norm (length) of this gradient.

# %%
loss.backward()
print(w.grad)
viz.graph(loss, w=w, bias=bias)

# %% [markdown]
# ### Leaves
#
# The tensors in between had gradients too, but to save memory, each gradient was
# dropped as soon as a node had used it. Leaves keep theirs in `.grad`, and so do
# tensors on which you've called `retain_grad()`. A tensor is a leaf if no recorded
# operator made it. **Predict** `requires_grad` and `is_leaf` for a weight `w`, data
# `x`, the product `x @ w`, and the sum `x + x`.
#
# <details><summary>Answer</summary>
#
# | | `requires_grad` | `is_leaf` |
# |---|---|---|
# | `w` | True | {{=True|True True None}} |
# | `x` | False | True |
# | `x @ w` | True | {{=False|True False}} |
# | `x + x` | False | {{=True|False True None}} |
#
# Nothing was recorded for `x + x`, so PyTorch calls it a leaf too, although it gets no
# gradient.
#
# </details>

# %%
for t in w, x, x @ w, x + x:
    print(t.requires_grad, t.is_leaf, t.grad_fn)

# %% [markdown]
# ## Not recorded
#
# A graph takes memory, because it keeps what backward needs. If you only need a
# network's result, switch recording off with `no_grad()`, but then {{=you can't call
# `backward()` on the result|element 0 of tensors does not require grad}}. (`with
# trying():` shows only the message.)

# %%
w = tensor([1.0, 2.0], requires_grad=True)
with no_grad():
    y = w * 2
print(y.requires_grad, y.grad_fn, (w * 2).requires_grad)
with trying():
    y.sum().backward()

# %% [markdown]
# You also need `no_grad()` to change a weight. Otherwise the change would be recorded
# like any other operator, and `w` would no longer be a leaf, so minigrad {{=raises an
# error|a leaf Variable that requires grad}}.

# %%
(w * w).sum().backward()
with trying():
    w -= 0.1 * w.grad

# %%
with no_grad():
    w -= 0.1 * w.grad
print(w, w.is_leaf)

# %% [markdown]
# `detach()` returns a tensor with the same memory but no history, so no gradient goes
# through it. **Predict** `x.grad` for y = x · x, if one of the two factors is detached
# and x is 3.
#
# <details><summary>Answer</summary>
#
# The gradient is {{=3|tensor([3.])}} instead of 6, because the detached factor counts
# as the constant 3.
#
# </details>

# %%
x = tensor([3.0], requires_grad=True)
y = x * x.detach()
y.backward()
print(x.grad)
viz.graph(y, x=x)

# %% [markdown]
# **Puzzle 4: a gradient for rounding.** The slope of `round()` is 0 nearly everywhere,
# so a network with rounded weights can't learn. A common trick is to round in the
# forward pass, but to use a slope of 1 in backward. Change the line so that y stays the
# same and `x.grad` is all ones.

# %%
x = tensor([0.4, 1.7, -2.2], requires_grad=True)

# %%
y = x.round()  # your line

# %%
x.grad = None
y.sum().backward()
good = y.tolist() == [0, 2, -2] and x.grad.tolist() == [1, 1, 1]
print(y, x.grad, "solved:", good)

# %% [markdown]
# <details><summary>Answer</summary>
#
# To round x, you add `x.round() - x` to it. Detach this difference, so that it counts
# as a constant. This is called the **straight-through estimator**.
#
# ```python
# y = x + (x.round() - x).detach()
# ```
#
# </details>

# %% [markdown]
# ## Function and ctx
#
# An operator consists of two functions. `forward` computes the result, and `backward`
# turns the gradient of the result, called `dy`, into those of the operands. You can
# write your own operators with the same interface as in PyTorch.


# %%
class Cube(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x * x

    @staticmethod
    def backward(ctx, dy):
        (x,) = ctx.saved_tensors
        return dy * 3 * x * x


# %%
x = tensor([1.0, 2.0, 3.0], requires_grad=True)
y = Cube.apply(x)
y.sum().backward()
print(y, x.grad, sep="\n")

# %% [markdown]
# `ctx`, the **context**, carries things from forward to backward.
#
# | | |
# |---|---|
# | `ctx.save_for_backward(x, y)` | keeps operands or results |
# | `ctx.saved_tensors` | returns them in backward |
# | `ctx.needs_input_grad` | says for each argument whether its gradient is needed |
# | `ctx.power = 3`, or any other name | keeps numbers, shapes, and options |
#
# `backward` returns one gradient for **each argument** of forward, which is None for an
# argument without a gradient. The multiplications inside forward aren't recorded,
# because {{=a single node|Backward visits Sum, Cube, x}} stands for all of them.

# %%
viz.graph(Cube.apply(x).sum(), x=x)

# %% [markdown]
# **Puzzle 5: sigmoid.** For y = 1 / (1 + e⁻ˣ), the slope is e⁻ˣ / (1 + e⁻ˣ)², but this
# operator saves only y. Write the slope in terms of y, knowing that 1 − y is e⁻ˣ / (1 +
# e⁻ˣ). (`gradcheck`, which tests it, is explained below.)


# %%
class Sigmoid(Function):
    @staticmethod
    def forward(ctx, x):
        y = 1 / (1 + (-x).exp())
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, dy):
        (y,) = ctx.saved_tensors
        return dy * y  # your line


# %%
x = tensor([-1.0, 0.0, 2.0], dtype=minigrad.float64, requires_grad=True)
print("solved:", gradcheck(Sigmoid.apply, x, raise_exception=False))

# %% [markdown]
# <details><summary>Answer</summary>
#
# ```python
# return dy * y * (1 - y)
# ```
#
# </details>

# %% [markdown]
# ### Break it: save on the class
#
# `ctx` looks like a formality, so let's save `x` on the class instead. We call the
# operator for p = 2 and for q = 10, and only then call `backward()` on both results.
# The gradients should be 3 · 2² = 12 and 3 · 10² = 300. **Predict** what they are.
#
# <details><summary>Answer</summary>
#
# Both are {{=300}}, because the second call overwrites what the first one saved.
#
# </details>


# %%
class Careless(Cube):
    @staticmethod
    def forward(ctx, x):
        Careless.x = x
        return x * x * x

    @staticmethod
    def backward(ctx, dy):
        return dy * 3 * Careless.x * Careless.x


# %%
p, q = tensor(2.0, requires_grad=True), tensor(10.0, requires_grad=True)
first, second = Careless.apply(p), Careless.apply(q)
first.backward()
second.backward()
print(p.grad, q.grad)

# %% [markdown]
# Networks call the same operator many times, so each call needs its own context.
#
# **To the lab**: exercise 1 (`apply`) and exercise 2 (`leaf_rules`).
#
# ## The order
#
# A graph of tensors needs a topological order too. In this graph, two paths lead from
# `Mul` to `Tanh`, one of them through `Exp`.

# %%
x = tensor([1.0, 2.0], requires_grad=True)
s = x.tanh()
loss = (s.exp() * s).sum()
print([node.name() for node in topological_order([loss.grad_fn])])
viz.graph(loss, x=x)

# %% [markdown]
# So `Tanh` {{=has to wait for `Exp`|'ExpBackward0', 'TanhBackward0'}}. The last node,
# `AccumulateGrad`, belongs to the leaf `x` and adds to `x.grad`.
#
# Instead of computing an order in advance, PyTorch's engine counts how many gradients
# each node will get. When a node has run, the counts of its next nodes go down, and a
# node with a count of 0 is ready. The circles show the counts in our graph.

# %%
viz.dependency_counts()

# %% [markdown]
# **To the lab**: exercise 3 (`topological_order`) and exercise 4 (`backward`).
#
# ## Accumulation
#
# The slope of x · x + x at 3 is 7. **Predict** the three gradients that the loop
# prints.
#
# <details><summary>Answer</summary>
#
# They're 7, 14, and 21, because each backward {{=adds to `.grad`|tensor([21.])}}, as in
# our engine.
#
# </details>

# %%
x = tensor([3.0], requires_grad=True)
for _ in range(3):
    (x * x + x).backward()
    print(x.grad)

# %% [markdown]
# Because each backward adds to `.grad`, you have to reset it before each step, and
# PyTorch's `optimizer.zero_grad()` does that.
#
# ### A second backward
#
# Saved tensors take a lot of memory, so each node drops its own as soon as it has used
# them. **Predict** which of these two cells raises an error.
#
# <details><summary>Answer</summary>
#
# The second one does. A product saves its operands, and they're gone after the first
# backward, while `x + 1` and its sum need no saved tensors.
#
# </details>

# %%
x.grad = None
y = (x + 1).sum()
y.backward()
y.backward()
print(x.grad)

# %%
y = (x * x).sum()
y.backward()
with trying():
    y.backward()

# %% [markdown]
# A graph with saved tensors allows {{=only one backward|Trying to backward through the
# graph a second time}}, unless you pass `retain_graph=True`. Usually, though, this
# error means that you computed part of the graph once, before the training loop,
# instead of in every step.
#
# ### The gradient of many numbers
#
# Backward begins with a gradient of 1, which works only for a single number. If y has
# several elements, it's {{=not clear whose slopes you want|only for scalar outputs}}.

# %%
a = tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
x = tensor([1.0, 1.0, 1.0], requires_grad=True)
y = a @ x
with trying():
    y.backward()

# %% [markdown]
# Here, y has 2 elements and x has 3, so there are 2 · 3 slopes. They form a matrix
# called the **Jacobian**, where J[i, j] says how fast y[i] grows with x[j]. For `a @
# x`, the Jacobian is `a` itself.
#
# Autograd never builds this matrix, because it would be huge. Instead, you pass a `dy`
# with y's shape, and backward computes dx[j] = Σ dy[i] · J[i, j], summed over i. This
# is a **vector–Jacobian product**.
#
# **Puzzle 6: one row.** With ones, we get the sum of both rows. Choose `dy` so that
# `x.grad` is the second row of the Jacobian.

# %%
dy = tensor([1.0, 1.0])  # your line

# %%
x.grad = None
(a @ x).backward(dy)
print(x.grad, "solved:", x.grad.tolist() == [4.0, 5.0, 6.0])

# %% [markdown]
# <details><summary>Answer</summary>
#
# ```python
# dy = tensor([0.0, 1.0])
# ```
#
# So the whole Jacobian takes one backward per row. The Jacobian of a loss has only one
# row, which is its gradient.
#
# </details>

# %% [markdown]
# ## Broadcasting undone
#
# If you add a bias of shape (3,) to a tensor of shape (4, 3), each element of the bias
# is used in four rows. **Predict** the bias's gradient if `dy` holds the numbers 0 to
# 11, row by row.
#
# <details><summary>Answer</summary>
#
# Four gradients meet at each element and are added up, so the gradient is {{=18, 22,
# 26|tensor([18., 22., 26.])}}.
#
# </details>

# %%
bias = tensor([10.0, 20.0, 30.0], requires_grad=True)
y = minigrad.zeros(4, 3) + bias
dy = minigrad.arange(12).float().view(4, 3)
y.backward(dy)
print(dy, bias.grad, sep="\n")

# %% [markdown]
# Each number is the sum of a column of `dy`, so a broadcast in forward is a sum in
# backward.
#
# **To the lab**: exercise 5 (`sum_to_size`).
#
# ## Version counters
#
# The node of w · x saves the tensor x itself instead of a copy, because copies take
# memory. What if somebody writes to x before backward? Forward used 3, so the gradient
# of w should be 3.

# %%
w, x = tensor([2.0], requires_grad=True), tensor([3.0])
y = w * x
x += 100
with trying():
    y.backward()

# %% [markdown]
# We get {{=an error|modified by an inplace operation}}, because every storage has a
# **version counter** that counts the writes. A node remembers the version of each saved
# tensor, and checks it when backward needs the tensor.
#
# **Puzzle 7: without the error.** Fix the line, so that backward works but the function
# still returns the larger x.


# %%
def product(w, x):
    y = w * x
    x += 100  # your line
    return y, x


# %%
w = tensor([2.0], requires_grad=True)
y, x = product(w, tensor([3.0]))
try:
    y.backward()
    print(w.grad, x, "solved:", w.grad.item() == 3 and x.item() == 103)
except RuntimeError:
    print("modified, solved:", False)

# %% [markdown]
# <details><summary>Answer</summary>
#
# `+=` writes to the memory that the node has saved. `x + 100` makes a new tensor, and
# the node still holds the old one.
#
# ```python
# x = x + 100
# ```
#
# </details>

# %% [markdown]
# A view shares the counter of its tensor, so {{=a write through it is counted
# too|tensor([ 1., 20., 30.]) 1 1}}.

# %%
x = tensor([1.0, 2.0, 3.0])
view = x[1:]
view.mul_(10)
print(x, x._version, view._version)

# %% [markdown]
# Some writes aren't counted, such as those to the array that `x.numpy()` returns, and
# in PyTorch those through `x.data`.
#
# ### Break it: without the counter
#
# Let's set the counter back by hand.

# %%
w, x = tensor([2.0], requires_grad=True), tensor([3.0])
y = w * x
x += 100
x.storage.version -= 1
y.backward()
print("y was computed with 3, but the gradient is", w.grad.item())

# %% [markdown]
# The gradient is {{=incorrect|103.0}}, and no error warns you.
#
# Many writes are {{=harmless|tensor([3., 0.])}}, though. Below, `y += 1` overwrites a
# tensor that no node has saved. `relu_` may overwrite y too, because the backward of
# relu needs only the result.

# %%
w = tensor([2.0, -1.0], requires_grad=True)
y = w * 3
y += 1
y.relu_()
y.sum().backward()
print(w.grad)

# %% [markdown]
# **To the lab**: exercise 6 (`unpack`).
#
# ## A network of two layers
#
# Two ideas give you most of a network's gradients.
#
# First, if forward uses an element many times, backward sums the gradients of all these
# uses. If forward sums many elements, backward gives each of them the same gradient.
#
# Second, the shapes tell you the gradient of a matrix product. Suppose y = a @ b, where
# a has shape (M, K) and b has shape (K, N), so y and dy have shape (M, N). The gradient
# of a is dy @ bᵀ, the only product of dy and b that has a's shape for all M, K, and N.
# You'll find the gradient of b in the lab.
#
# Let's train on four points, whose target is 1 if exactly one of the two inputs is 1.
# This is called exclusive or. We compare a single layer, which is a plane over the two
# inputs, with two layers. **Predict** whether the single layer can learn this.
#
# <details><summary>Answer</summary>
#
# The single layer can't, because the best plane is {{=1/2 everywhere|[0.5, 0.5, 0.5,
# 0.5]}}. With a tanh in between, two layers can form a curved surface.
#
# </details>

# %%
inputs = tensor([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
targets = tensor([[0.0], [1.0], [1.0], [0.0]])
minigrad.manual_seed(0)
w, b = minigrad.randn(2, 1), minigrad.zeros(1)
w1, b1 = minigrad.randn(2, 8), minigrad.zeros(8)
w2, b2 = minigrad.randn(8, 1), minigrad.zeros(1)
for parameter in w, b, w1, b1, w2, b2:
    parameter.requires_grad_()


# %%
def trained(network, parameters):
    losses = []
    for _ in range(200):
        error = network(inputs) - targets
        loss = (error * error).mean()
        loss.backward()
        with no_grad():
            for p in parameters:
                p -= 0.1 * p.grad
                p.grad = None
        losses.append(loss.item())
    return losses


# %%
def two_layers(x):
    return (x @ w1 + b1).tanh() @ w2 + b2


one = trained(lambda x: x @ w + b, [w, b])
two = trained(two_layers, [w1, b1, w2, b2])
viz.lines({"one layer": one, "two layers": two}, y="loss")

# %%
for name, y in ("one layer", inputs @ w + b), ("two layers", two_layers(inputs)):
    print(name, [round(value, 2) for value in y.flatten().tolist()])

# %% [markdown]
# **To the lab**: exercises 7 to 9 (`tanh_backward`, `matmul_right_backward`, and
# `sum_backward`).
#
# ## Infinity and NaN
#
# At 0, 1 / x is infinite, and so is its slope. In the next cell, `where` replaces the
# infinite result with 0, and sends back a gradient of 0 for it.

# %%
x = tensor([4.0, 0.0], requires_grad=True)
y = where(x > 0, 1 / x, 0.0)
y.sum().backward()
print(y, x.grad)

# %% [markdown]
# The result is fine, but one gradient is {{=NaN|nan}}. `where` sends a 0 back to 1 / x,
# whose backward multiplies it by the infinite slope, and 0 · ∞ is NaN. That's a common
# reason why a loss becomes NaN during training.
#
# **Puzzle 8: a safe division.** Change the line so that we never divide by 0, but y
# stays the same.

# %%
safe = x  # your line

# %%
x.grad = None
y = where(x > 0, 1 / safe, 0.0)
y.sum().backward()
good = y.tolist() == [0.25, 0.0] and x.grad.tolist() == [-0.0625, 0.0]
print(y, x.grad, "solved:", good)

# %% [markdown]
# <details><summary>Answer</summary>
#
# ```python
# safe = where(x > 0, x, 1.0)
# ```
#
# Instead of 1.0, any number except 0 works, because the second `where` drops its
# quotient.
#
# </details>

# %% [markdown]
# To find the line that a NaN comes from, use anomaly mode, where each node remembers
# the line that recorded it and backward looks for NaN. That takes time, so switch it on
# only while you search.

# %%
with trying(), detect_anomaly():
    quotient = 1 / x
    y = where(x > 0, quotient, 0.0)
    y.sum().backward()

# %% [markdown]
# **To the lab**: exercises 10 to 15 (`div_backward`, `pow_backward`, `relu_backward`,
# `amax_backward`, `permute_backward`, and `slice_backward`).
#
# ## gradcheck
#
# To test a gradient, you can change each element a little and see how the result
# changes, as at the beginning. The one-sided difference, (f(x + h) − f(x)) / h, is off
# by about h. The **central difference**, (f(x + h) − f(x − h)) / 2h, is only off by
# about h². But rounding adds an error of about 10⁻¹⁶ / h in double precision.
# **Predict** which h is best for the central difference, 10⁻³, 10⁻⁵, or 10⁻⁹.
#
# <details><summary>Answer</summary>
#
# It's 10⁻⁵, because h² and 10⁻¹⁶ / h are then 10⁻¹⁰ and 10⁻¹¹. For 10⁻³, h² is 10⁻⁶,
# and for 10⁻⁹, rounding adds 10⁻⁷.
#
# </details>

# %%
errors, steps = {}, 10.0 ** -np.arange(1, 13)
for dtype in np.float64, np.float32:
    for name, left in ("one side", 0), ("central", 1):
        h, one = steps.astype(dtype), dtype(1)
        slopes = (np.exp(one + h) - np.exp(one - left * h)) / (h * dtype(1 + left))
        found = np.abs(slopes.astype(np.float64) - np.e) + 1e-17
        errors[f"{name}, {dtype.__name__}"] = steps, found
viz.lines(errors, x="h", y="error of the slope of exp at 1", log="xy")

# %% [markdown]
# With 10⁻⁵, about ten digits are correct. In single precision, no h gives more than
# about five, so `gradcheck` needs float64.

# %%
x = tensor([1.0, 2.0, 3.0], dtype=minigrad.float64, requires_grad=True)
print(gradcheck(Cube.apply, x))


# %%
class Wrong(Cube):
    @staticmethod
    def backward(ctx, dy):
        (x,) = ctx.saved_tensors
        return dy * 2 * x * x


with trying():
    gradcheck(Wrong.apply, x)

# %% [markdown]
# `gradcheck` changes **every** element, because a mistake may affect only the last one.
#
# ### Break it: a corner
#
# The slope of relu is 0 to the left of 0 and 1 to the right, and at 0 itself, backward
# uses 0. **Predict** what `gradcheck` says about relu at 0, and at 0.001.
#
# <details><summary>Answer</summary>
#
# At 0, the central difference is 1/2 but backward says 0, so `gradcheck` {{=fails|0.0
# False}}. Neither is wrong, because relu has no slope there. At 0.001, {{=it
# passes|0.001 True}}, because its small steps don't reach the corner.
#
# </details>

# %%
for value in 0.0, 0.001:
    x = tensor([value], dtype=minigrad.float64, requires_grad=True)
    print(value, gradcheck(lambda x: x.relu(), x, raise_exception=False))

# %% [markdown]
# Test gradients away from corners, with random inputs of both signs and a random `dy`,
# because a `dy` of ones hides a missing factor `dy`.
#
# **To the lab**: exercise 16 (`numerical_jacobian`) and exercise 17
# (`test_div_backward`), a test that you write.
#
# ## Gradients of gradients
#
# Backward itself uses operators, so it can be recorded too. `grad` returns gradients
# instead of adding them to `.grad`, and `create_graph=True` records how they're
# computed. The derivatives of x³ at 3 should be 3x² = {{=27}} and 6x = {{=18}}.

# %%
x = tensor([3.0], requires_grad=True)
(first,) = grad(x * x * x, x, create_graph=True)
(second,) = grad(first, x)
print(first.item(), second.item())


# %% [markdown]
# ## Before you go: three questions
#
# 1. `y = x * 2; z = y.sum() + y.prod()`. How many times does `z.backward()` visit the
#    node of `x * 2`, and how many gradients meet there?
# 2. Why does `relu` only need to save its result, while `mul` saves both operands?
# 3. At step 812, the loss suddenly becomes NaN. Which tool do you use, and what does it
#    cost?
#
# <details><summary>Answers</summary>
#
# 1. {{=Once|visits Add, Sum, Prod, Mul, x}}, after two gradients have been added up,
#    one from the sum and one from the product.
# 2. You can see the slope of relu in its result, because it's 1 where the result is
#    above 0. The slope of a · b for a is b, which the result doesn't show.
# 3. Use `detect_anomaly()`, and start again from weights that you saved shortly before
#    (a checkpoint). Every step takes longer, but the message names the line.
#
# </details>

# %%
# Check the first answer
x = tensor([1.0, 2.0], requires_grad=True)
y = x * 2
viz.graph(y.sum() + y.prod(), x=x)

# %% [markdown]
# Once you finish **lab 08**, every `backward()` runs your own code, and chapter 09
# trains networks with it.
#
# Further reading: A. Karpathy, *micrograd*; A. Griewank and A. Walther, *Evaluating
# Derivatives* (2008); A. Paszke et al., *Automatic differentiation in PyTorch* (2017);
# and, in PyTorch's source, `torch/csrc/autograd/engine.cpp`
# (`Engine::compute_dependencies`, `Engine::evaluate_function`),
# `torch/autograd/gradcheck.py` (`gradcheck`), and `tools/autograd/derivatives.yaml`.
