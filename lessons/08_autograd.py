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
# A network has a million knobs, its weights, and one number that says how bad it is,
# the loss. Training turns each knob a little in the direction that makes the loss
# smaller. For that it needs, for every knob, **how much the loss changes when this knob
# moves**: the gradient.
#
# Autograd computes all million of them in about the time of two forward passes. This
# chapter builds it:
#
# - **first for single numbers**, whole, in 60 lines, in this notebook;
# - **then for tensors**, which is `minigrad.autograd` and the lab: Function and ctx,
#   the order of the nodes, accumulation, broadcasting undone;
# - what keeps it honest: `no_grad`, `detach`, version counters;
# - a network of two layers that trains on it, and gradcheck, the judge of gradients.
#
# At the end you can write the gradient of any operator, test it, and read the errors
# that a graph gives. It takes about {{duration}}, and builds on chapters 03 and 04; of
# mathematics it needs the slope of a function. Where you are asked to predict, write
# your guess down first. Nothing needs a GPU.

# %% setup=true
# Set-up: run this cell first. Running it twice does no harm.
import math

import numpy as np

import minigrad
from grading import trying
from minigrad import answers_from, no_grad, tensor, viz
from minigrad.autograd import Function, detect_anomaly, grad, gradcheck
from minigrad.autograd.engine import topological_order

# In this lesson the course's solutions answer the exercises of labs 01 to 08.
answers_from("solutions", before="09_nn")

# %% [markdown]
# ## What is a gradient?
#
# Take a small formula with two knobs, a and b, and move each a little.


# %%
def f(a, b):
    return a * b + a * a


h = 1e-6
print(f(2, 5))
print((f(2 + h, 5) - f(2, 5)) / h, (f(2, 5 + h) - f(2, 5)) / h)

# %% [markdown]
# If a grows by a little, f grows {{=9}} times as much; if b grows, twice as much. These
# two numbers, {{=9}} and {{=2}}, are the **gradient** of f at (2, 5).
#
# One could train a network like that. It takes one forward pass for **each** knob: for
# a million weights a million passes. Let us find a way that takes one backward pass for
# all of them together.
#
# ## An engine for numbers
#
# The idea: f is made of small steps, and of each small step the slopes are known.
#
# | step | if a grows by a little h, y grows by | if b does |
# |---|---|---|
# | y = a + b | 1 · h | 1 · h |
# | y = a · b | b · h | a · h |
# | y = tanh(a) | (1 - y²) · h | |
#
# And steps after each other multiply: if y grows 3 times as much as a, and the loss 4
# times as much as y, then the loss grows 12 times as much as a. That is the **chain
# rule**, and it is all the mathematics of this chapter.
#
# So write down, while computing, which steps were made. A `Value` is a number that
# remembers what it was made from, and the slopes:


# %%
class Value:
    """A number that knows how it was made."""

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


# %%
def as_value(x):
    return x if isinstance(x, Value) else Value(x)


def tanh(x):
    y = math.tanh(x.data)
    return Value(y, (x,), (1 - y * y,), "tanh")


# %% [markdown]
# Nothing else happens in the forward pass: it computes, and it takes notes.

# %%
a, b = Value(2.0, name="a"), Value(5.0, name="b")
y = a * b + a * a
viz.formula(y)

# %% [markdown]
# The notes are a **graph**: y points to two products, and these to a and b, with the
# slope on each arrow. Now backward. Begin at y with 1 (y grows as much as itself), and
# send to each parent the gradient times the slope: **backpropagation**. **Predict**:
# what does this first attempt give for a and b? The right answers are 9 and 2.


# %%
def backward_1(y):
    y.grad = 1.0
    waiting = [y]
    while waiting:
        v = waiting.pop()
        for parent, slope in zip(v.parents, v.slopes, strict=True):
            parent.grad = v.grad * slope
            waiting.append(parent)


backward_1(y)
viz.formula(y)

# %% [markdown]
# b is right, a is not: {{=5}} instead of 9. a is used three times, once in a · b and
# twice in a · a, and each use sends it a part: {{=5}}, 2 and 2. The `=` keeps the last
# one. **Where gradients meet, they are added up.**
#
# With `+=` the example is right. But look at what else happens when a value is used
# twice **on the way**:


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
y = u + u  # 4 x
backward_2(y)
viz.formula(y)

# %% [markdown]
# The slope is {{=4}}, and this says {{=8}}. y has sent two parts to u, so u was visited
# twice; and each time it sent on all that it had, 2 · 2. In other graphs a node is
# visited before all of its gradient has come, which is as bad.
#
# So two rules: each node is visited **once**, and only when **all** that use it have
# been visited. An order that keeps both is called a **topological order**. Here is one
# way to find it: go down as deep as possible, and write a node down when everything
# below it is done. Then read the list backwards.


# %%
def in_order(y):
    """y, and all it was made from, each before its parents."""
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
# That is {{=the whole engine|a: data 2, grad 9}}: the class, `in_order`, `backward`.
# Fewer than 60 lines. Let it do something: a neuron with two inputs, and a difference
# for comparison.


# %%
def neuron(w1, w2, bias):
    return tanh(w1 * 0.5 + w2 * -2.0 + bias)


weights = Value(1.0), Value(0.3), Value(0.3)
y = neuron(*weights)
backward(y)
moved = neuron(Value(1.0 + h), Value(0.3), Value(0.3))
print([round(w.grad, 6) for w in weights], round((moved.data - y.data) / h, 6))

# %% [markdown]
# And {{=it trains|30 loss 0.0016}}. Three points of a curve, one neuron, thirty steps
# downhill:

# %%
points = [(-1.0, -0.8), (0.0, 0.3), (1.0, 0.9)]
w, bias = Value(0.1), Value(0.0)
for step in range(31):
    loss = Value(0.0)
    for x, want in points:
        error = tanh(w * x + bias) + -want
        loss = loss + error * error
    w.grad = bias.grad = 0.0
    backward(loss)
    w.data -= 0.2 * w.grad
    bias.data -= 0.2 * bias.grad
    if step % 10 == 0:
        print(f"{step:2}  loss {loss.data:.4f}  w {w.data:.3f}  bias {bias.data:.3f}")

# %% [markdown]
# ### Break it
#
# The line `w.grad = bias.grad = 0.0`: **predict** what happens without it. Take it out
# and run the cell. (Gradients are added up, and nothing says where one step ends.)
#
# And a longer graph. A recurrent network over a thousand time steps is a chain of more
# than a thousand nodes:

# %%
x = Value(1.0)
for _ in range(5000):
    x = x + 1.0
try:
    backward(x)
except RecursionError as error:
    print("RecursionError:", error)

# %% [markdown]
# `visit` calls itself for each node, and Python allows about 1000 calls
# {{=inside each other|RecursionError}}. An engine for real graphs keeps a list of its
# own instead: exercise 4.
#
# ## The same for tensors
#
# Numbers one by one are slow. `minigrad` does it with tensors: one node for a whole
# matrix product. `requires_grad=True` says that gradients are wanted; from then on what
# is computed is recorded.

# %%
x = tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
w = tensor([[0.1, -0.2], [0.3, 0.1], [-0.4, 0.2]], requires_grad=True)
bias = tensor([1.5, -0.5], requires_grad=True)
h1 = (x @ w + bias).relu()
loss = (h1 * h1).mean()
loss, loss.grad_fn

# %% [markdown]
# `grad_fn` is the node of the operator that made a tensor. From there one can walk:
# `next_functions` says where the gradients go.

# %%
print(loss.grad_fn.next_functions)
print(h1.grad_fn.name(), bias.grad_fn)

# %% [markdown]
# The picture shows all of it. Each box is a node, with the shape of its operator's
# result. Where there is a slider, pull it: it goes through backward, node by node.

# %%
viz.graph(loss, w=w, bias=bias)

# %% [markdown]
# Three things to see:
#
# - **x is not there.** Its gradient is not required, so nothing goes to it.
# - The graph ends in {{=**leaves**|2 of them leaves}}, green: tensors with
#   `requires_grad=True`.
# - `Mul` sends to the same node 2 times: h1 · h1.
#
# Now backward, and the picture once more. The leaves have gradients, and the boxes say
# how long they are as vectors.

# %%
loss.backward()
print(w.grad)
viz.graph(loss, w=w, bias=bias)

# %% [markdown]
# Where are the gradients in between? They were there, each until its node had used it.
# A gradient is as large as what it belongs to: keeping them all would take the memory
# twice. `retain_grad()` keeps one.

# %%
h1 = (x @ w + bias).relu()
h1.retain_grad()
(h1 * h1).mean().backward()
print(h1.grad)

# %% [markdown]
# ### Leaves
#
# | | `requires_grad` | `is_leaf` | gets a `.grad` |
# |---|---|---|---|
# | a weight, `requires_grad=True` | True | {{=True|True True None}} | yes |
# | data | False | True | no |
# | an operator's, of a weight | True | {{=False|True False}} | with `retain_grad()` |
# | an operator's, of data alone | False | {{=True|False True None}} | no |
#
# **Predict** the last line. Would you call that a leaf? PyTorch does, "by convention".

# %%
for t in w, x, x @ w, x + x:
    print(t.requires_grad, t.is_leaf, t.grad_fn)

# %% [markdown]
# ## Not recorded
#
# A graph costs memory. To predict only, or to change weights, switch the recording off:

# %%
w = tensor([1.0, 2.0], requires_grad=True)
with no_grad():
    y = w * 2
print(y.requires_grad, y.grad_fn, (w * 2).requires_grad)

# %% [markdown]
# A step of an optimizer has to be {{=inside of it|a leaf Variable that requires grad}}.
# Without, it would be an operator like any other: w would be the result of a
# subtraction, and no leaf any more. (`with trying():` goes on after an error, and shows
# its message alone.)

# %%
(w * w).sum().backward()
with trying():
    w -= 0.1 * w.grad

# %%
with no_grad():
    w -= 0.1 * w.grad
print(w, w.is_leaf)

# %% [markdown]
# `detach()` does the same for one tensor: the same memory, but no past. What is
# computed from it sends nothing back. **Predict** x.grad: the slope of x · x is 2x = 6.

# %%
x = tensor([3.0], requires_grad=True)
y = x * x.detach()
y.backward()
print(x.grad)

# %% [markdown]
# One of the two factors counts as a constant, so the gradient is {{=3}}. The picture
# shows that there is one way to x only:

# %%
viz.graph(x * x.detach(), x=x)

# %% [markdown]
# ## Function and ctx
#
# Each operator is two functions: forward computes, backward takes the gradient of the
# result and gives those of the operands. You can write one yourself; it is PyTorch's
# interface, name for name.


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
# `ctx` is what forward leaves for backward: **one for each call**. It is the node
# itself.
#
# | | |
# |---|---|
# | `ctx.save_for_backward(x, y)` | keep these tensors: operands or results |
# | `ctx.saved_tensors` | the same, in backward |
# | `ctx.needs_input_grad` | for each argument: is its gradient wanted? |
# | `ctx.anything = 3` | numbers, shapes, options |
#
# backward returns one gradient for **each argument** of forward, None for those that
# have none.
#
# The multiplications inside of forward are not recorded: {{=one node|Backward visits
# Sum, Cube, x}} stands for all of them.

# %%
viz.graph(Cube.apply(x).sum(), x=x)

# %% [markdown]
# ### Break it: what if it is saved on the class?
#
# `ctx` looks like a formality. Let us do without, and keep x on the class. **Predict**
# the two gradients; they ought to be 3 · 2² = 12 and 3 · 10² = 300.


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
# {{=300}} twice: the second call has overwritten what the first one had saved. Every
# network uses the same operator many times before backward begins.
#
# A wrong number of gradients, on the other hand, {{=is noticed|expected 2, got 1}}.


# %%
class Product(Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a * b

    @staticmethod
    def backward(ctx, dy):
        a, b = ctx.saved_tensors
        return dy * b


# %%
with trying():
    Product.apply(p, q).backward()

# %% [markdown]
# **To the lab**: exercises 1 to 3 (`apply`, `leaf_rules`, `detach`).
#
# ## The order
#
# The engine needs the nodes in topological order. Here is a graph in which going by
# levels, from the top down, is not good enough: Tanh is two steps below Mul on one
# side, and one step on the other.

# %%
x = tensor([1.0, 2.0], requires_grad=True)
s = x.tanh()
loss = (s.exp() * s).sum()
print([node.name() for node in topological_order([loss.grad_fn])])
viz.graph(loss, x=x)

# %% [markdown]
# `Tanh` {{=has to wait for `Exp`|'ExpBackward0', 'TanhBackward0'}}, though `Mul` points
# to it directly. Often several orders are right; here only one is.
#
# How deep may a graph be? A list instead of recursion, so {{=as deep as memory
# lasts|tensor(100001.,}}:

# %%
x = tensor(1.0, requires_grad=True)
y = x
for _ in range(100_000):
    y = y + 1.0
y.backward()
print(y, x.grad)

# %% [markdown]
# A picture of 100 000 boxes would be of no use. Repetitions are {{=folded|the 2 layers
# above, 38 times more}}:

# %%
h1 = tensor([[0.1, 0.2]], requires_grad=True)
weight = tensor([[0.9, 0.1], [-0.1, 0.9]], requires_grad=True)
state = h1
for _ in range(40):
    state = (state @ weight).tanh()
viz.graph(state.sum(), h1=h1, weight=weight)

# %% [markdown]
# **To the lab**: exercises 4 (`topological_order`) and 5 (`backward`).
#
# ## Accumulation
#
# Gradients are added up in two places. Within one backward: x · x + x uses x three
# times, and the slope is {{=2x + 1|tensor([7.])}}.

# %%
x = tensor([3.0], requires_grad=True)
y = x * x + x
y.backward()
print(x.grad)

# %% [markdown]
# And from one backward to the next: `.grad` is {{=added to|tensor([28.])}}, never
# replaced. **Predict** the last number.

# %%
for _ in range(3):
    (x * x + x).backward()
    print(x.grad)

# %% [markdown]
# That is what you found in the scalar engine: gradients must be set to zero before each
# step. In PyTorch `optimizer.zero_grad()` does that. (That they add up is also useful:
# a batch too large for memory is computed in parts, and the gradients of the parts are
# *accumulated*.)
#
# ### A second backward
#
# What a node has saved is freed as soon as it is used: it is most of the memory of
# training. So a graph in which some node has saved something is good for
# {{=one backward|Trying to backward through the graph a second time}}.
# **Predict**: which of these two can go backward twice?

# %%
x.grad = None
y = (x + 1).sum()
y.backward()
y.backward()
print(x.grad)

# %%
x.grad = None
y = (x * x).sum()
y.backward()
with trying():
    y.backward()

# %% [markdown]
# The message says what to do. Usually the mistake is another one: something that was
# computed once is used in every step of a loop. Compute it anew in each step.

# %%
x.grad = None
y = (x * x).sum()
y.backward(retain_graph=True)
y.backward()
print(x.grad)

# %% [markdown]
# ### And a gradient of what?
#
# backward begins with "y grows as much as y": 1. That makes sense for a single number.
# For several, {{=which one is to grow|only for scalar outputs}}?

# %%
y = x * tensor([1.0, 2.0, 3.0])
with trying():
    y.backward()

# %% [markdown]
# Either make one number of them, or say with which gradient to begin. `y.sum()` is the
# same as {{=a gradient of ones|tensor([6.])}}:

# %%
x.grad = None
y.backward(tensor([1.0, 1.0, 1.0]))
print(x.grad)

# %% [markdown]
# ## Broadcasting undone
#
# bias, of shape (3,), is added to (4, 3): each of its elements is used in four rows. So
# four gradients meet at each, and are added up: the gradient of broadcasting is {{=a
# sum|tensor([18., 22., 26.])}}.

# %%
bias = tensor([10.0, 20.0, 30.0], requires_grad=True)
y = minigrad.zeros(4, 3) + bias
dy = minigrad.arange(12).float().view(4, 3)
y.backward(dy)
print(dy, bias.grad, sep="\n")


# %%
sums = {"to (3,) or (1, 3)": dy.sum(0, keepdim=True), "to (4, 1)": dy.sum(1, True)}
viz.tables({"dy (4, 3)": dy} | sums)

# %% [markdown]
# **To the lab**: exercise 6 (`sum_to_size`).
#
# ## Version counters
#
# The node of w · x has saved x, the tensor and not a copy. Then x is written to.
# **Predict** what backward should give: forward used 3.

# %%
w, x = tensor([2.0], requires_grad=True), tensor([3.0])
y = w * x
x += 100
with trying():
    y.backward()

# %% [markdown]
# {{=An error|modified by an inplace operation}}, and a good one. A **version counter**,
# shared by a tensor and all its views, counts the writes; a saved tensor remembers the
# count, and the two are compared when it is used.

# %%
x = tensor([1.0, 2.0, 3.0])
view = x[1:]
print(x._version, view._version)
view.mul_(10)
print(x, x._version, view._version)

# %% [markdown]
# A view has {{=the same counter|tensor([ 1., 20., 30.]) 1 1}}, so a write through it is
# seen. Not every write is: what is written into the NumPy array of `x.numpy()` is not
# counted, and in PyTorch neither is what is written through `x.data`. These are ways
# around autograd, to be used knowingly.
#
# ### Break it: without the counter
#
# Set the counter back by hand, as if nothing had happened, and see what the error
# protects you from.

# %%
x = tensor([3.0])
y = w * x
x += 100
x.storage.version -= 1
y.backward()
print("y was computed with 3, the gradient is", w.grad.item())

# %% [markdown]
# {{=103}}, and nothing would ever have shown it. A silent wrong gradient does not end
# the program: the network learns, only badly, and the search takes weeks.
#
# {{=Not every change is a mistake|tensor([3., 0.])}}. `relu_` may write over its
# operand, because its gradient needs the result alone; and `x += 1` is fine when no
# node has saved x:

# %%
w = tensor([2.0, -1.0], requires_grad=True)
y = w * 3
y += 1
y.relu_()
y.sum().backward()
print(w.grad)

# %% [markdown]
# **To the lab**: exercises 7 (`next_version`) and 8 (`unpack`).
#
# ## The gradients of a network of two layers
#
# Few operators make a network: `@`, + and a function between the layers; and a loss,
# which is a mean of squares.
#
# | forward | backward |
# |---|---|
# | `x * other` | dy · other |
# | y = `tanh(x)` | dy · (1 - y²) |
# | `a @ b` | for a it is dy @ bᵀ |
# | broadcast (`expand`): one is used many times | sum |
# | `sum`, `mean`: many go into one | broadcast, for `mean` divided by how many |
#
# The rule goes both ways: broadcasting turns into a sum, a sum into broadcasting. The
# line of `a @ b` can be read off the shapes: a is (M, K), b is (K, N), dy is (M, N),
# and a's gradient must be (M, K). There is only one way to put dy and b together. What
# is it for b?
#
# Now four points, the exclusive or: is just one of two inputs 1? **Predict** how small
# the loss can be with one layer, and with two.

# %%
inputs = tensor([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
wanted = tensor([[0.0], [1.0], [1.0], [0.0]])
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
        error = network(inputs) - wanted
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
# One layer is a plane over the square of the inputs, and the nearest one says
# {{=1/2 everywhere|[0.5, 0.5, 0.5, 0.5]}}. Two layers with a tanh between them bend it.
# That is all of training: in each step a graph, backward through it, and a small change
# of its leaves.

# %%
error = two_layers(inputs) - wanted
viz.graph((error * error).mean(), w1=w1, b1=b1, w2=w2, b2=b2)

# %% [markdown]
# **To the lab**: exercises 9 to 13 (`mul_backward`, `tanh_backward`,
# `matmul_right_backward`, `sum_backward`, `mean_backward`). Then a network of two
# layers trains on your gradients, and learns a sine.
#
# ## The gradients of other operators
#
# | forward | backward |
# |---|---|
# | take a part (`x[1:3]`) | the part in a tensor of zeros |
# | `permute` | the inverse permutation |
# | choose (`relu`, `where`, `amax`) | to the one that was chosen, 0 to the others |
#
# Where a formula meets infinity it needs care: 0 · infinite is {{=NaN|[ 0. nan]}}.
# **Predict** the slopes of x² and of x⁰ at 0, first by the formula b · xᵇ⁻¹.

# %%
x = tensor([0.0, 0.0], requires_grad=True)
b = tensor([2.0, 0.0])
(x**b).sum().backward()
with np.errstate(all="ignore"):
    print("by the formula", b.numpy() * np.zeros(2) ** (b.numpy() - 1))
print("by backward", x.grad)

# %% [markdown]
# **To the lab**: exercises 14 to 19 (`div_backward`, `pow_backward`, `relu_backward`,
# `amax_backward`, `permute_backward`, `slice_backward`).
#
# ## gradcheck
#
# How do you know that a gradient is right? By trying: move each element a little, see
# what the result does, and compare. How little? The forward difference errs by about h,
# the central one by h². But the smaller h is, the more of the digits cancel.
# **Predict** where the best h is, in double and in single precision.

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
# In double precision the central difference with h = 10⁻⁶ has about ten right digits.
# In single precision there is no h that is good for more than four or five: so
# gradcheck wants float64.

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
# The message {{=names the place|d result[0] / d input[0] is 2 by backward}}. gradcheck
# moves **every** element: a fault may be in the last one alone. The table of all these
# slopes, a row for each element of the operand and a column for each of the result, is
# called the **Jacobian**.
#
# ### Break it
#
# relu has a corner at 0. Left of it the slope is 0, right of it 1; the central
# difference says 1/2, and relu's gradient there is 0, by agreement. **Predict** what
# gradcheck says of relu at 0, and at 0.001.

# %%
for value in 0.0, 0.001:
    x = tensor([value], dtype=minigrad.float64, requires_grad=True)
    print(value, gradcheck(lambda x: x.relu(), x, raise_exception=False))

# %% [markdown]
# At 0 the two {{=disagree|0.0 False}}. Neither is wrong there: relu has no slope at 0.
# Test gradients away from corners.
#
# A gradient of your own deserves a test as well, and differences are all that it
# takes. Where an input or `dy` is 1, a factor may be missing and the test does not see
# it: take random numbers, of both signs, and a random `dy`.
#
# **To the lab**: exercises 20 (`numerical_jacobian`) and 21, a test that you write.
#
# ## Where was that?
#
# An error in backward says which node failed, not which line of your program made it.
# Anomaly mode remembers the line, and also looks for NaN. It costs time: for searching
# only.

# %%
x = tensor([4.0, 0.0], requires_grad=True)
with trying(), detect_anomaly():
    roots = x**0.5
    y = (roots * 0).sum()
    y.backward()

# %% [markdown]
# The slope of a root at 0 is infinite, and 0 · infinite is {{=NaN}}: one of the most
# common ways in which a training turns to NaN all at once.
#
# ## Troubleshooting
#
# What a message begins with, and what to do:
#
# - **element 0 of tensors does not require grad**: nothing was recorded. Set
#   `requires_grad` before computing, and compute outside of `no_grad()`.
# - **grad can be implicitly created only for scalar outputs**: make one number of
#   them, by `.sum()` or `.mean()`, or give a gradient.
# - **Trying to backward through the graph a second time**: the graph has been freed.
#   Compute anew in each step; where it must be the same graph, `retain_graph=True`.
# - **a leaf Variable that requires grad is being used in an in-place operation**: a
#   weight is changed while operators are recorded. `with no_grad():`
# - **... has been modified by an inplace operation**: something saved was written to.
#   Use the operator without `_`, or write to a `clone()`.
# - `.grad` is None: the tensor is no leaf (`retain_grad()`), or the loss does not
#   depend on it. `viz.graph(loss)` shows the way, or that there is none.
# - The loss gets worse with every step: gradients add up. Set `.grad` to None before
#   each.
# - NaN: look for the root of 0, the log of 0, 0 / 0, with `detect_anomaly()`.
#
# ## Gradients of gradients
#
# Gradients are computed by operators, so they can be recorded, too. `grad` returns
# gradients instead of adding them to `.grad`; with `create_graph=True` they have a
# graph.

# %%
x = tensor([2.0], requires_grad=True)
y = x * x * x
(first,) = grad(y, x, create_graph=True)
(second,) = grad(first, x)
print(first.item(), second.item())  # 3 x x, 6 x

# %%
viz.graph(first, x=x)

# %% [markdown]
# ## What to remember
#
# - Forward computes and takes notes; the notes are a graph of nodes.
# - Backward visits each node once, when all that use it are done.
# - Where gradients meet they are added up: within a backward, and from one to the next.
# - What is used many times gets a sum; broadcasting is undone by summing.
# - One context for each call; what is saved is freed after backward.
# - A change in place of something saved is an error, thanks to a counter.
#
# ## Before you go: three questions
#
# 1. `y = x * 2; z = y.sum() + y.prod()`. How often is the node of `x * 2` visited in
#    `z.backward()`, and how many gradients meet there?
# 2. Why does `relu` need to save only its result, and `mul` both operands?
# 3. A loss is NaN at step 812 and never before. Which tool, and what does it cost?
#
# <details><summary>Answers</summary>
#
# 1. {{=Once|visits Add, Sum, Prod, Mul, x}}; two, one from the sum and one from the
#    product, and they are added first.
# 2. relu's slope can be read off the result: 1 where it is above 0. The slope of a · b
#    by a is b, which the result does not show.
# 3. `detect_anomaly()`, from a checkpoint shortly before: it makes every step slower,
#    but names the line that made the first NaN of backward.
#
# </details>

# %%
# Check the first answer
x = tensor([1.0, 2.0], requires_grad=True)
y = x * 2
viz.graph(y.sum() + y.prod(), x=x)

# %% [markdown]
# **To the lab**. When it is done, every `backward()` runs
# your own code; chapter 09 trains networks with it.
#
# To read on: A. Karpathy's *micrograd*; A. Griewank and A. Walther, *Evaluating
# Derivatives*; A. Paszke and others, *Automatic differentiation in PyTorch* (2017); and
# in PyTorch `torch/csrc/autograd/engine.cpp` (`Engine::evaluate_function`),
# `torch/autograd/gradcheck.py` (`gradcheck`) and `tools/autograd/derivatives.yaml`.
