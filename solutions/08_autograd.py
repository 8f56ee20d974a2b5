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
# # Lab 08 · The graph and its gradients
#
# Twenty-one functions, about {{duration}} of work. The first eight are autograd itself:
# how operators are recorded, how backward walks through the record, how broadcasting is
# undone and changes in place are noticed. With the gradients of five operators more, a
# network of two layers trains on them. Then come other operators; then the judge of
# all gradients, gradcheck, and at the end a test of your own.
#
# What you write here is what `minigrad` runs from then on, in every `backward()`.
#
# A `check` lets PyTorch do the same and compares, in double precision, up to seven
# digits: write the formula in the order that you like. While one exercise is judged,
# the course's solutions stand in for all others.
#
# Above the cell of an answer stands its contract: it says all that is tested. An answer
# leaves what it is given as it was, unless that says otherwise. Put your code in the
# place of `# YOUR CODE HERE`, run the cell, and check as often as you like. The lesson
# has the pictures.

# %% setup=true
# Set-up: run this cell first. Running it twice does no harm.
import math

import numpy as np

import minigrad
from grading import check, trying
from minigrad import Tensor, answers_from, no_grad, solves, tensor, viz
from minigrad.autograd import Context, Function, gradcheck, is_grad_enabled
from minigrad.autograd.adjoints import sum_to_size
from minigrad.autograd.engine import backward, topological_order
from minigrad.autograd.gradcheck import numerical_jacobian
from minigrad.autograd.graph import modified, next_version, unpack
from minigrad.autograd.tensor_methods import leaf_rules
from minigrad.exercises.own_tests import test_div_backward
from minigrad.ops.vjp import (
    amax_backward,
    div_backward,
    matmul_right_backward,
    mean_backward,
    mul_backward,
    permute_backward,
    pow_backward,
    relu_backward,
    slice_backward,
    sum_backward,
    tanh_backward,
)

answers_from("labs", before="08_autograd")

# %% [markdown] task="apply"
# ## A Function, and what it remembers
#
# To write an operator of your own is to write a class with two functions: `forward`
# computes, `backward` says what the gradient is. `apply` is what its user calls.
# Between the two stands `ctx`, the context of **this one call**: forward leaves there
# what backward will need.
#
# > `Cube.apply(x)` → ctx = a new Context → y = `Cube.forward(ctx, x)` → y, with ctx as
# > its `grad_fn`
#
# What happens inside of forward is not recorded: its gradient is what backward says,
# not what its steps would give. And the call itself is recorded only if somebody needs
# a gradient, and operators are being recorded: you ask before you switch that off.


# %%
class Cube(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x * x

    @staticmethod
    def backward(ctx, dy):
        (x,) = ctx.saved_tensors
        return dy * x * x * 3


# %% [markdown] hints="apply"
# <details><summary>Hint 1</summary>
#
# `with no_grad():` switches recording off for its block, and back to what it was
# afterwards, also if there is an error. Only the call of forward belongs inside.
#
# </details>
# <details><summary>Hint 2</summary>
#
# Ask `is_grad_enabled()` when the block is closed: inside of it the answer would always
# be no. `any(...)` of a tuple of bools is True if one of them is.
#
# </details>


# %% exercise="apply"
@solves(Function.apply)
def apply(cls, *args):
    ### BEGIN SOLUTION
    ctx = Context(cls, args)  #: ctx
    with no_grad():  #: no_grad
        results = cls.forward(ctx, *args)  #: results
    if is_grad_enabled() and any(ctx.needs_input_grad):  #: if_is_grad_enabled
        return ctx.record(results)  #: early_result
    return results
    ### END SOLUTION


# %%
with trying():
    x = tensor([1.0, 2.0, 3.0])
    print(Cube.apply(x))  # no gradient is required
    x.requires_grad_()  # from here on exercises 2 and 3 are needed, too
    print(Cube.apply(x))
    with no_grad():
        print(Cube.apply(x))

# %% check="apply"
check(Function.apply)

# %% [markdown] task="leaf_rules"
# ## Leaves
#
# A tensor that you make is a **leaf**: the graph ends there, and backward puts its
# gradient into `.grad`. A tensor that an operator has made is none: its gradient is on
# the way to the leaves, and is thrown away when it has been handed on.
#
# | | requires_grad | is_leaf | keeps_grad |
# |---|---|---|---|
# | `w = tensor([1.0], requires_grad=True)` | True | ? | ? |
# | `x = tensor([1.0])` | False | ? | ? |
# | `y = w * x` | ? | False | ? |
#
# Fill the table in, then write the rule. What you know of a tensor is whether it was
# `asked` for gradients, and the `node` of the operator that made it, or None.

# %%
asked, node = True, None  # a weight: no operator made it
print(asked, node is None)

# %% [markdown] hints="leaf_rules"
# <details><summary>Hint 1</summary>
#
# PyTorch's documentation: "All Tensors that have requires_grad which is False will be
# leaf Tensors by convention." In our words: no node, hence a leaf.
#
# </details>
# <details><summary>Hint 2</summary>
#
# Three lines, one for each answer. Take care that they are bools: `asked or node` would
# be the node itself, where there is one.
#
# </details>


# %% exercise="leaf_rules"
@solves(leaf_rules)
def leaf_rules(asked, node):
    ### BEGIN SOLUTION
    requires_grad = asked or node is not None  #: requires_grad
    is_leaf = node is None  #: is_leaf
    return requires_grad, is_leaf, requires_grad and is_leaf  #: result
    ### END SOLUTION


# %%
with trying():
    w, x = tensor([1.0], requires_grad=True), tensor([1.0])
    for t in w, x, w * x:
        print(t.requires_grad, t.is_leaf)

# %% check="leaf_rules"
check(leaf_rules)

# %% [markdown] task="detach"
# ## Cut off
#
# `x.detach()` is the same numbers without their past: a tensor that reads the same
# memory, by the same shape, strides and offset, but no operator made it and no gradient
# goes through it. To print a loss, or to use a result as if it were given, detach it.
#
# Every view that is made by `as_strided`, `permute` and so on is recorded. This one
# must not be: make a `Tensor` directly.

# %%
x = np.arange(6.0).reshape(2, 3)
y = x.T  # another way to read the same memory
y[2, 0] = 9
print(x, y.strides, np.shares_memory(x, y))

# %% [markdown] hints="detach"
# <details><summary>Hint 1</summary>
#
# `Tensor(storage, shape, strides, offset)` makes a tensor that reads a storage. It
# knows of no graph.
#
# </details>
# <details><summary>Hint 2</summary>
#
# All four stand in `self`: `self.storage`, `self.shape`, and so on. A sliced tensor has
# an offset, a transposed one has other strides: leave none of them out.
#
# </details>


# %% exercise="detach"
@solves(Tensor.detach)
def detach(self):
    ### BEGIN SOLUTION
    return Tensor(self.storage, self.shape, self.strides, self.offset)  #: result
    ### END SOLUTION


# %%
with trying():
    x = tensor([1.0, 2.0], requires_grad=True)
    y = x * 3
    print(y.detach(), y.detach().storage is y.storage, y.requires_grad)

# %% check="detach"
check(Tensor.detach)

# %% [markdown] task="topological_order"
# ## In which order?
#
# Backward visits every node once. When it does, the node's whole gradient must be
# there: the parts from **all** nodes that use its result. So a node may come only after
# all that point to it. Such an order is called topological.
#
# >      loss
# >     /    \
# >    a      b          right:  loss, a, b, x   or   loss, b, a, x
# >     \    /
# >       x              wrong:  loss, a, x, b   (x lacks what b will send)
#
# This graph is the diamond. Going down as deep as you can, and writing each node down
# when you first see it, gives loss, a, x, b. The trick is to write a node down when you
# **leave** it, when all below it are done; and to read that list backwards.
#
# Written as a function that calls itself it is five lines, and fails: Python allows
# 1000 calls inside each other, and a loop over 1000 time steps is a graph deeper than
# that. So keep a list of your own of what is still to be visited.

# %%
below = {"loss": ["a", "b"], "a": ["x"], "b": ["x"], "x": []}
done = []


def visit(name):
    if name not in done:
        for child in below[name]:
            visit(child)
        done.append(name)  # when all below it are done


visit("loss")
print(done[::-1])

# %% [markdown] hints="topological_order"
# <details><summary>Hint 1</summary>
#
# What does the recursion remember for you? For each node whether it is met for the
# first time, or left for good. Put pairs on your list: (node, False) means "visit it",
# (node, True) means "all below it are done".
#
# </details>
# <details><summary>Hint 2</summary>
#
# Take a pair from the end of the list. If it says True, the node goes to `done`. If
# not, and the node was not seen before: put (node, True) back, and above it (n, False)
# for each node n that `next_functions` names. Leave out None.
#
# </details>
# <details><summary>Hint 3</summary>
#
# There is another way (Kahn's): count for each node how many point to it, begin with
# those where it is 0, and lower the numbers as you go. Both are right.
#
# </details>


# %% exercise="topological_order"
@solves(topological_order)
def topological_order(roots):
    ### BEGIN SOLUTION
    done, seen, stack = [], set(), [(node, False) for node in reversed(roots)]  #: done
    while stack:
        node, children_done = stack.pop()  #: node
        if children_done:
            done.append(node)
        elif node not in seen:
            seen.add(node)  #: add
            stack.append((node, True))  #: append
            #: add_stack
            stack += [(n, False) for n, _ in node.next_functions if n is not None]
    return done[::-1]  #: result
    ### END SOLUTION


# %%
with trying():
    x = tensor([2.0], requires_grad=True)
    y = x * x + x
    print([node.name() for node in topological_order([y.grad_fn])])

# %% check="topological_order"
check(topological_order)

# %% [markdown] task="backward"
# ## The engine
#
# All else of `loss.backward()`. The nodes stand in order, and `seeds` says which
# gradient to begin with. Keep a dict of what has **arrived** where: {(node, index):
# gradient}. Then, for each node: take what has arrived, call the node with it, and send
# what it returns along its edges.
#
# > y = x·x + x: three gradients meet at x: x, x and 1. Together 2x + 1.
#
# This is the line that everybody forgets once: where two gradients meet **they are
# added up**. An engine that writes the second over the first works for every chain, and
# gives 1 here.
#
# The rest is care: a gradient may be None, a node may have several results, and memory
# is let go of as soon as possible.

# %%
arrived = {}
for edge, g in [("x", 3.0), ("x", 3.0), ("x", 1.0)]:  # x = 3
    arrived[edge] = g  # overwrites
print(arrived)

# %% [markdown] hints="backward"
# <details><summary>Hint 1</summary>
#
# Begin with `arrived = dict(seeds)`, a copy. `arrived.pop(key, None)` gives what is
# there and forgets it, or None.
#
# </details>
# <details><summary>Hint 2</summary>
#
# For one node: `gradients` is a list with one entry for each i in range(node.outputs).
# If all are None, `continue`. Then `found = node(*gradients)`, and zip it with
# `node.next_functions`: each edge is the key of what goes there.
#
# </details>
# <details><summary>Hint 3</summary>
#
# Is there something at that edge already? Then the sum of both takes its place. `a +=
# b` changes the tensor a, and the same tensor may have gone to another place as well:
# write `a + b`.
#
# </details>


# %% exercise="backward"
@solves(backward)
def backward(order, seeds, retain_graph=False):
    ### BEGIN SOLUTION
    arrived = dict(seeds)  #: arrived
    for node in order:
        #: gradients
        gradients = [arrived.pop((node, i), None) for i in range(node.outputs)]
        if all(g is None for g in gradients):  #: if_g
            continue
        found = node(*gradients)
        if not retain_graph:  #: if_retain_graph
            node.release()
        for edge, g in zip(node.next_functions, found, strict=True):
            if g is not None:  #: if_not_g
                #: set_arrived
                arrived[edge] = arrived[edge] + g if edge in arrived else g
    ### END SOLUTION


# %%
with trying():
    x = tensor([3.0], requires_grad=True)
    (x + x + x).backward()
    print(x.grad)

# %% check="backward"
check(backward)

# %% [markdown] task="sum_to_size"
# ## Broadcasting undone
#
# `x + bias`, of shapes (4, 3) and (3,): forward uses each element of the bias four
# times. What is used four times has an effect four times, and its gradient is the
# **sum** of the four. So the gradient that comes back has shape (4, 3), and must become
# (3,).
#
# Line the shapes up at their last dimension. What x has too much in front is added up
# and goes; what has size 1 in `shape` and more in x is added up and stays, with size 1.
#
# > x (4, 2, 3) to (2, 1): dimension 0 goes, dimension 2 stays with size 1

# %%
dy = np.arange(12).reshape(4, 3)
print(dy.sum(0), dy.sum(1, keepdims=True).tolist())

# %% [markdown] hints="sum_to_size"
# <details><summary>Hint 1</summary>
#
# `extra = x.ndim - len(shape)` is how many dimensions are too many. With as many 1s put
# before `shape` both have the same length, and you can walk through both with zip.
#
# </details>
# <details><summary>Hint 2</summary>
#
# A size n of `shape` fits a size m of x if it is 1 or m. Collect the dimensions to add
# up: those in front, and those where n is 1 and m is not.
#
# </details>
# <details><summary>Hint 3</summary>
#
# One sum with keepdim=True over all of them, then `.view(shape)` takes the ones in
# front away. A sum over no dimensions is a sum over all: return x itself if the list is
# empty.
#
# </details>


# %% exercise="sum_to_size"
@solves(sum_to_size)
def sum_to_size(x, shape):
    ### BEGIN SOLUTION
    extra = x.ndim - len(shape)
    sizes = (1,) * extra + tuple(shape)
    if extra < 0 or any(n not in (1, m) for n, m in zip(sizes, x.shape, strict=True)):
        raise RuntimeError(
            f"size {list(shape)} is not expandable to size {list(x.shape)}: nothing of "
            f"that shape was broadcast to it"
        )
    dims = [d for d, n in enumerate(sizes) if d < extra or n != x.shape[d]]  #: dims
    return x.sum(dims, keepdim=True).view(shape) if dims else x  #: result
    ### END SOLUTION


# %%
with trying():
    x = tensor(np.ones((4, 2, 3)))
    print(sum_to_size(x, (2, 1)))

# %% check="sum_to_size"
check(sum_to_size)

# %% [markdown] task="next_version"
# ## A counter for each storage
#
# `x * y` needs x and y again in backward: its node has saved them. Saved means: the
# same tensor, not a copy. If `x.add_(1)` then writes into x, backward will compute with
# other numbers than forward has.
#
# So every storage counts how often it was written to. PyTorch calls it the **version**.
# All views have one storage, so they have one version.


# %%
class Shelf:
    version = 0


shelf = Shelf()
first, second = [shelf], [shelf]  # two lists, one shelf
first[0].version += 1
print(second[0].version)

# %% [markdown] hints="next_version"
# <details><summary>Hint 1</summary>
#
# One statement, and `return x`.
#
# </details>
# <details><summary>Hint 2</summary>
#
# The counter is an attribute of `x.storage`, not of x: a view of x is another tensor
# with the same storage.
#
# </details>


# %% exercise="next_version"
@solves(next_version)
def next_version(x):
    ### BEGIN SOLUTION
    x.storage.version += 1  #: add_version
    return x  #: result
    ### END SOLUTION


# %%
with trying():
    x = tensor([1.0, 2.0])
    x.add_(1)
    x[0] = 5
    print(x._version)

# %% check="next_version"
check(next_version)

# %% [markdown] task="unpack"
# ## An error instead of a wrong number
#
# When a tensor is saved, its version is saved with it. When backward wants the tensor,
# you compare. If they differ, an error is the kind answer: the gradient would be wrong,
# and it would look as good as a right one.

# %%
x = np.array([3.0])
saved = x  # not a copy
x += 1  # in place
print("forward used 3, backward would use", saved)

# %% [markdown] hints="unpack"
# <details><summary>Hint 1</summary>
#
# Compare `x.storage.version` with `version`. Which of the two is larger does not
# matter.
#
# </details>
# <details><summary>Hint 2</summary>
#
# `raise RuntimeError(...)` with the message inside; where nothing has changed, return x
# itself.
#
# </details>


# %% exercise="unpack"
@solves(unpack)
def unpack(x, version, name):
    ### BEGIN SOLUTION
    if x.storage.version != version:  #: refuse_x_storage
        raise RuntimeError(modified(x, version, name))  #: error
    return x
    ### END SOLUTION


# %%
with trying():
    w, x = tensor([2.0], requires_grad=True), tensor([3.0])
    y = w * x
    x += 1
    y.backward()

# %% check="unpack"
check(unpack)

# %% [markdown] task="mul_backward"
# ## The gradient of a product
#
# The gradients of operators follow, first those that a network of two layers needs.
# Where an operator works element by element they are formulas in NumPy: arrays in, an
# array out.
#
# `dy` is the gradient of y: how much the loss grows if y grows a little. If x grows by
# a little h, then y = x · other grows by `other` times h. So the loss grows by dy times
# `other` times h. That is all, and it is called the chain rule: **dy times the slope**.

# %%
x, other, h = 3.0, 4.0, 1e-6
print(((x + h) * other - x * other) / h)  # the slope

# %% [markdown] hints="mul_backward"
# <details><summary>Hint 1</summary>
#
# The slope of x · other, when x moves, is how much y grows for each 1 that x grows by.
#
# </details>
# <details><summary>Hint 2</summary>
#
# Make a new array: `dy *= ...` would change an array that others hold, too.
#
# </details>


# %% exercise="mul_backward"
@solves(mul_backward)
def mul_backward(dy, other):
    ### BEGIN SOLUTION
    return dy * other  #: result
    ### END SOLUTION


# %%
with trying():
    print(mul_backward(np.array([1.0, 10.0]), np.array([3.0, 4.0])))

# %% check="mul_backward"
check(mul_backward)

# %% [markdown] task="tanh_backward"
# ## tanh
#
# y = tanh(x) runs from -1 to 1. Its slope is 1 in the middle, where y is 0, and 0 at
# both ends. It can be read off the result: y is saved, and backward needs no tanh.
#
# So can the slope of exp, which is y, and that of sigmoid, y · (1 - y). The latter is
# at most 1/4, in ten layers a factor of a million: that is why deep networks of
# sigmoids are hard to train.

# %%
x, h = 0.5, 1e-6
print((np.tanh(x + h) - np.tanh(x)) / h, np.tanh(x))

# %% [markdown] hints="tanh_backward"
# <details><summary>Hint 1</summary>
#
# tanh is sinh / cosh, and the rule of the quotient gives (cosh² - sinh²) / cosh².
#
# </details>
# <details><summary>Hint 2</summary>
#
# Divide: cosh² / cosh² is 1, and sinh² / cosh² is tanh², which is y squared.
#
# </details>


# %% exercise="tanh_backward"
@solves(tanh_backward)
def tanh_backward(dy, y):
    ### BEGIN SOLUTION
    return dy * (1 - y * y)  #: result
    ### END SOLUTION


# %%
with trying():
    print(tanh_backward(np.ones(3), np.array([-1.0, 0.0, 0.5])))

# %% check="tanh_backward"
check(tanh_backward)

# %% [markdown] task="matmul_right_backward"
# ## A product of matrices
#
# From here on the arguments are tensors, and the operators are minigrad's own: so these
# gradients have gradients, too.
#
# y = a @ b, of shapes (M, K) and (K, N). Element (m, k) of a meets row k of b, and goes
# into row m of y: its gradient is the sum over n of dy[m, n] · b[k, n]. That is a
# product of matrices again, dy @ bᵀ, and `minigrad` has it.
#
# Yours is the gradient of b. If you do not see which product it is: **let the shapes
# tell you**. dy is (M, N), a is (M, K), and (K, N) must come out.

# %%
M, K, N = 2, 3, 4
dy, a = np.ones((M, N)), np.ones((M, K))
print(np.einsum("mk,mn->kn", a, dy).shape)

# %% [markdown] hints="matmul_right_backward"
# <details><summary>Hint 1</summary>
#
# (K, M) times (M, N) is (K, N). How does a, (M, K), become (K, M)?
#
# </details>
# <details><summary>Hint 2</summary>
#
# Turn the last two dimensions alone: there may be others in front, for many products at
# once.
#
# </details>


# %% exercise="matmul_right_backward"
@solves(matmul_right_backward)
def matmul_right_backward(dy, a):
    ### BEGIN SOLUTION
    return a.transpose(-2, -1) @ dy  #: result
    ### END SOLUTION


# %%
with trying():
    print(matmul_right_backward(tensor(np.ones((2, 4))), tensor(np.ones((2, 3)))))

# %% check="matmul_right_backward"
check(matmul_right_backward)

# %% [markdown] task="sum_backward"
# ## The gradient of a sum
#
# Each element of x goes into one sum, and the sum grows as much as the element does. So
# each gets dy, that of its sum: dy is spread over the dimensions that were added up.
# That is broadcasting, whose own gradient was a sum, in exercise 6.
#
# > x (2, 3, 4), dims (0, 2): y has shape (3,); dy (3,) → (1, 3, 1) → (2, 3, 4)

# %%
dy = np.array([10, 20, 30])
print(np.broadcast_to(dy[None, :, None], (2, 3, 4))[1])

# %% [markdown] hints="sum_backward"
# <details><summary>Hint 1</summary>
#
# With keepdim the dimensions are there already, with size 1. Without, put each of dims
# back with `unsqueeze(d)`.
#
# </details>
# <details><summary>Hint 2</summary>
#
# dims are in rising order, and each number counts in x's shape: so put them in from the
# lowest to the highest. `expand(shape)` does the rest.
#
# </details>


# %% exercise="sum_backward"
@solves(sum_backward)
def sum_backward(dy, shape, dims, keepdim):  #: head
    ### BEGIN SOLUTION
    if not keepdim:  #: if_keepdim
        for d in dims:  #: each_d
            dy = dy.unsqueeze(d)  #: each_d
    return dy.expand(shape)  #: result
    ### END SOLUTION


# %%
with trying():
    dy = tensor([10.0, 20.0, 30.0])
    print(sum_backward(dy, (2, 3, 4), (0, 2), False)[1])

# %% check="sum_backward"
check(sum_backward)

# %% [markdown] task="mean_backward"
# ## The gradient of a mean
#
# A mean is a sum divided by how many there are. So is its gradient.

# %%
x, h = np.array([1.0, 2.0, 6.0]), 1e-6
moved = x + np.array([h, 0, 0])
print((moved.mean() - x.mean()) / h)

# %% [markdown] hints="mean_backward"
# <details><summary>Hint 1</summary>
#
# How many elements does one mean take in? The product of the sizes of the dimensions in
# dims.
#
# </details>
# <details><summary>Hint 2</summary>
#
# `math.prod` multiplies numbers; of none it makes 1. If there are no elements, do not
# divide.
#
# </details>


# %% exercise="mean_backward"
@solves(mean_backward)
def mean_backward(dy, shape, dims, keepdim):
    ### BEGIN SOLUTION
    count = math.prod(shape[d] for d in dims)  #: count
    return sum_backward(dy / count if count else dy, shape, dims, keepdim)  #: result
    ### END SOLUTION


# %%
with trying():
    print(mean_backward(tensor([10.0, 20.0]), (2, 5), (1,), False))

# %% check="mean_backward"
check(mean_backward)

# %% [markdown]
# ## A network of two layers
#
# The first layer has twenty units, each with a weight for x, a bias and a tanh; the
# second adds them up, each with a weight of its own. All that it needs is yours by now:
# the engine with its order, leaves and versions, `sum_to_size`, and the gradients of
# `mul`, `tanh`, `@`, `sum` and `mean`. It sees 60 points of a sine.

# %%
with trying():
    minigrad.manual_seed(0)
    x = minigrad.linspace(-3, 3, 60).reshape(60, 1)
    wanted, losses = tensor(np.sin(2 * x.numpy())), []
    w1, b1, w2 = minigrad.randn(1, 20), minigrad.randn(20), minigrad.randn(20, 1)
    parameters = [p.requires_grad_() for p in (w1, b1, w2)]

# %%
with trying() as show:
    for _ in range(1000):
        y = (x @ w1 + b1).tanh() @ w2  # (60, 20), and then (60, 1)
        error = y - wanted
        loss = (error * error).mean()
        loss.backward()
        with no_grad():
            for p in parameters:
                p -= 0.05 * p.grad
                p.grad = None
        losses.append(loss.item())
    xs, ys, found = (t.flatten().tolist() for t in (x, wanted, y))
    curves = {"wanted": (xs, ys), "network": (xs, found)}
    show(viz.lines({f"loss {losses[0]:.2f}, then {loss.item():.4f}": curves}, x="x"))

# %% [markdown]
# **Predict** what it can learn without the `tanh`. Then leave that out, with a rate of
# 0.01, and run the two cells again.

# %% [markdown] task="div_backward"
# ## The second operand of a quotient
#
# Now the other operators. Three work element by element: arrays again.
#
# y = a / b. The gradient of a is easy, dy / b; that of b is the exercise. Write y as
# a · b⁻¹. The slope of b⁻¹ is -b⁻².

# %%
a, b, h = 6.0, 2.0, 1e-6
print((a / (b + h) - a / b) / h)

# %% [markdown] hints="div_backward"
# <details><summary>Hint 1</summary>
#
# The slope of a / b, when b moves, has a minus: the larger b is, the smaller is y.
#
# </details>
# <details><summary>Hint 2</summary>
#
# b stands twice in the denominator. Where b * b would be too large for a float,
# dividing by b two times is not: (1e200 / 1e200) / 1e200 is a number.
#
# </details>


# %% exercise="div_backward"
@solves(div_backward)
def div_backward(dy, a, b):
    ### BEGIN SOLUTION
    return -dy * ((a / b) / b)  #: result
    ### END SOLUTION


# %%
with trying():
    print(div_backward(np.array([1.0]), np.array([6.0]), np.array([2.0])))

# %% check="div_backward"
check(div_backward)

# %% [markdown] task="pow_backward"
# ## The base of a power
#
# y = aᵇ. The slope, when a moves, is b · aᵇ⁻¹.
#
# One case needs care. If b is 0 then y is 1, whatever a is, and the gradient is 0. The
# formula gives 0 · a⁻¹, which for a = 0 is 0 · inf, and that is NaN. (The exponent has
# such a case as well: its slope is y · log(a), and `minigrad` has it.)

# %%
with np.errstate(all="ignore"):
    print(0 * np.array([2.0, 0.0]) ** -1)

# %% [markdown] hints="pow_backward"
# <details><summary>Hint 1</summary>
#
# The formula first; see what it gives for b = 0 and a = 0.
#
# </details>
# <details><summary>Hint 2</summary>
#
# `np.where(condition, x, y)` computes both x and y, and then chooses: a NaN in the one
# that is not chosen is gone. The condition is that b equals 0.
#
# </details>


# %% exercise="pow_backward"
@solves(pow_backward)
def pow_backward(dy, a, b):
    ### BEGIN SOLUTION
    return np.where(b == 0, 0, dy * (b * a ** (b - 1)))  #: result
    ### END SOLUTION


# %%
with trying(), np.errstate(all="ignore"):
    print(pow_backward(np.ones(3), np.array([2.0, -1.0, 0.0]), np.array([3.0, 2, 0])))

# %% check="pow_backward"
check(pow_backward)

# %% [markdown] task="relu_backward"
# ## relu
#
# y is x where that is above 0, and 0 elsewhere. So the slope is 1 or 0, and dy goes
# through or not. y says which: it is above 0 just where x is.
#
# Two details that PyTorch has: a NaN in y lets dy through, so that it is not
# overlooked; and an infinite dy that does not go through becomes 0, not inf · 0 = NaN.
# (`where` does the same: dy goes back to the tensor that the element came from.)

# %%
with np.errstate(all="ignore"):
    print(np.inf * 0, np.nan > 0, np.nan <= 0)

# %% [markdown] hints="relu_backward"
# <details><summary>Hint 1</summary>
#
# `np.where` chooses between dy and 0; it multiplies nothing.
#
# </details>
# <details><summary>Hint 2</summary>
#
# All comparisons with NaN are false. So which question is to be asked, y > 0 or y <= 0,
# and on which side does dy stand?
#
# </details>


# %% exercise="relu_backward"
@solves(relu_backward)
def relu_backward(dy, y):
    ### BEGIN SOLUTION
    return np.where(y <= 0, 0, dy)  #: result
    ### END SOLUTION


# %%
with trying():
    print(relu_backward(np.array([5.0, 5.0, 5.0]), np.array([2.0, 0.0, np.nan])))

# %% check="relu_backward"
check(relu_backward)

# %% [markdown] task="amax_backward"
# ## The gradient of the largest
#
# Tensors again. y = a.amax(dims): only the largest element decides, so it alone gets
# dy. Where several are the largest (a row of zeros after a relu, say) they **share** it
# in equal parts, as do a and b in `maximum(a, b)`.
#
# (`max` with a dim, which also gives the index, is another matter: there the one at the
# index gets all.)

# %%
a = np.array([[1.0, 7.0, 7.0], [5.0, 2.0, 3.0]])
largest = a == a.max(1, keepdims=True)
print(largest, largest.sum(1))

# %% [markdown] hints="amax_backward"
# <details><summary>Hint 1</summary>
#
# sum_backward spreads a tensor of y's shape over a's. Spread y, and compare with a:
# that is the map of the largest elements.
#
# </details>
# <details><summary>Hint 2</summary>
#
# Count them with `.sum(dims, keepdim=True)`. The map divided by the count is each
# element's share; multiply it by dy, spread over a's shape as well.
#
# </details>


# %% exercise="amax_backward"
@solves(amax_backward)
def amax_backward(dy, a, y, dims, keepdim):  #: head
    ### BEGIN SOLUTION
    largest = a == sum_backward(y, a.shape, dims, keepdim)  #: largest
    spread = sum_backward(dy, a.shape, dims, keepdim) * largest  #: spread
    return spread / largest.sum(dims, keepdim=True)  #: result
    ### END SOLUTION


# %%
with trying():
    a = tensor([[1.0, 7.0, 7.0], [5.0, 2.0, 3.0]])
    print(amax_backward(tensor([10.0, 20.0]), a, a.amax(1), (1,), False))

# %% check="amax_backward"
check(amax_backward)

# %% [markdown] task="permute_backward"
# ## The way back of a permutation
#
# y = x.permute(2, 0, 1): y's dimension 0 is x's dimension 2, and so on. The gradient
# must go back into x's order. That is a permutation, too: the **inverse** one.
#
# (2, 0, 1) once more would not do: done twice it is (1, 2, 0).

# %%
dims, x = (2, 0, 1), np.zeros((2, 3, 4))
y = x.transpose(dims)
print(y.shape, y.transpose(dims).shape)

# %% [markdown] hints="permute_backward"
# <details><summary>Hint 1</summary>
#
# Where in y does x's dimension 0 stand? Where `dims` has a 0. That is the first number
# of the way back.
#
# </details>
# <details><summary>Hint 2</summary>
#
# `dims.index(d)` for d = 0, 1, 2, ...
#
# </details>


# %% exercise="permute_backward"
@solves(permute_backward)
def permute_backward(dy, dims):
    ### BEGIN SOLUTION
    return dy.permute(*(dims.index(d) for d in range(len(dims))))  #: result
    ### END SOLUTION


# %%
with trying():
    dy = tensor(np.zeros((4, 2, 3)))
    print(permute_backward(dy, (2, 0, 1)).shape)

# %% check="permute_backward"
check(permute_backward)

# %% [markdown] task="slice_backward"
# ## The way back of an index
#
# y = x[1:3]. Elements 1 and 2 of x get what comes back. The others had no say in y, so
# their gradient is 0; but they have one: the result has x's whole shape.

# %%
dx = np.zeros(5)
dx[1:3] = [10, 20]
print(dx)

# %% [markdown] hints="slice_backward"
# <details><summary>Hint 1</summary>
#
# The same index that read x says where dy is to be written.
#
# </details>
# <details><summary>Hint 2</summary>
#
# `dy.new_zeros(shape)` is of dy's dtype and on its device. Assigning through an index
# works on tensors as it does in NumPy.
#
# </details>


# %% exercise="slice_backward"
@solves(slice_backward)
def slice_backward(dy, shape, index):
    ### BEGIN SOLUTION
    dx = dy.new_zeros(shape)  #: dx
    dx[index] = dy  #: set_dx
    return dx  #: result
    ### END SOLUTION


# %%
with trying():
    print(slice_backward(tensor([10.0, 20.0]), (5,), slice(1, 3)))

# %% check="slice_backward"
check(slice_backward)

# %% [markdown] task="numerical_jacobian"
# ## The judge: gradcheck
#
# A gradient can be tried without knowing any formula: move one element a little, see
# how much the result moves. `gradcheck` does that with every element of every input,
# and compares with what backward says. Its heart is yours to write.
#
# The **central difference**, (f(x + ε) - f(x - ε)) / 2ε, errs by ε², where a step to
# one side errs by ε. But ε must not be too small: rounding costs about 10⁻¹⁶ / ε. With
# ε = 10⁻⁶ both are far below what a wrong formula does; in float, where rounding is
# 10⁻⁷, there is no good ε. So gradcheck wants float64.
#
# Leave the input as you found it, bit by bit: x + ε - ε need not be x.

# %%
f, x = np.exp, 1.0
for h in 1e-1, 1e-3, 1e-6, 1e-10, 1e-14:
    one, two = (f(x + h) - f(x)) / h, (f(x + h) - f(x - h)) / (2 * h)
    print(f"{h:.0e}  one side {abs(one - np.e):.0e}  central {abs(two - np.e):.0e}")

# %% [markdown] hints="numerical_jacobian"
# <details><summary>Hint 1</summary>
#
# `flat = inputs[number].detach().view(-1)` reads the input's memory as a row. For each
# i: keep `flat[i].item()`, write that plus eps, compute; write it minus eps, compute;
# write back what was there.
#
# </details>
# <details><summary>Hint 2</summary>
#
# The function is called under `no_grad()`, with all the inputs. Its result as a flat
# array: `.numpy()`, which must be copied, then `.reshape(-1)`.
#
# </details>
# <details><summary>Hint 3</summary>
#
# `np.stack(rows)` makes a matrix of the list of rows. It fails for no rows at all: an
# input without elements.
#
# </details>


# %% exercise="numerical_jacobian"
@solves(numerical_jacobian)
def numerical_jacobian(function, inputs, number, eps=1e-6):  #: head
    ### BEGIN SOLUTION
    flat, rows = inputs[number].detach().view(-1), []  #: flat
    for i in range(len(flat)):  #: each_i
        before, ends = flat[i].item(), []
        for moved in (before + eps, before - eps):  #: each_moved
            flat[i] = moved  #: set_flat
            with no_grad():
                #: append
                ends.append(np.array(function(*inputs).cpu().numpy()).reshape(-1))
        flat[i] = before  #: flat_i
        rows.append((ends[0] - ends[1]) / (2 * eps))  #: append_rows
    #: result
    return np.stack(rows) if rows else np.zeros((0, function(*inputs).numel()))
    ### END SOLUTION


# %%
with trying():
    x = tensor([1.0, 2.0], dtype=minigrad.float64, requires_grad=True)
    print(gradcheck(lambda x: x * x * x, x))

# %% check="numerical_jacobian"
check(numerical_jacobian)

# %% [markdown] task="test_div_backward"
# ## A test for a gradient
#
# A gradient says how much the result changes with an input, and that can be tried: move
# the input a little, and look. This is what gradcheck does; here you do it yourself,
# for one formula.
#
# Write a **test** for functions such as `div_backward`, the gradient of b in a / b. It
# raises an error, an AssertionError by `assert`, where something is wrong. The check
# gives it right formulas, which it must let pass, and wrong ones, which it must not:
# mistakes that learners of this lab really make.

# %%
x, eps = 3.0, 1e-6
print(((x + eps) ** 2 - (x - eps) ** 2) / (2 * eps), "is nearly", 2 * x)

# %% [markdown] hints="test_div_backward"
# <details><summary>Hint 1</summary>
#
# With a = 1, b = 1 and dy = 1 nearly every formula is right. Which a, b and dy tell a /
# b² from a / b, from 1 / b², and from the same without dy?
#
# </details>
# <details><summary>Hint 2</summary>
#
# Random a, b and dy in double, b of both signs and not near 0. The slope is `(a / (b +
# eps) - a / (b - eps)) / (2 * eps)` with eps = 1e-6, and dy times it is what comes out:
# `np.testing.assert_allclose(got, expected, 1e-6)`.
#
# </details>


# %% exercise="test_div_backward"
@solves(test_div_backward)
def test_div_backward(div_backward):
    ### BEGIN SOLUTION
    random = np.random.default_rng(0)
    a, b, dy = random.uniform(1, 3, (3, 8))  #: a
    b[::2] *= -1  #: multiply_b
    eps = 1e-6
    slope = (a / (b + eps) - a / (b - eps)) / (2 * eps)  #: slope
    #: assert_allclose
    np.testing.assert_allclose(div_backward(dy, a, b), dy * slope, 1e-6)
    ### END SOLUTION


# %%
with trying():
    test_div_backward(div_backward)
    print("your div_backward passes")

# %% check="test_div_backward"
check(test_div_backward)
