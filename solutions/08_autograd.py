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
# In this lab, you write minigrad's autograd. There are seventeen exercises, which take
# about {{duration}}. In the first six, you write the engine, and in the next three, the
# gradients that you need to train a network. The others are about the gradients of more
# operators, gradcheck, and a test of your own. Once you've run a cell with your code,
# every `backward()` in minigrad uses it.

# %% [markdown]
# {{how}}

# %% setup=true
# Set-up: run this cell first. Running it twice does no harm.

import numpy as np

import minigrad
from grading import check, trying
from minigrad import answers_from, no_grad, solves, tensor, viz
from minigrad.autograd import Context, Function, gradcheck, is_grad_enabled
from minigrad.autograd.adjoints import sum_to_size
from minigrad.autograd.engine import backward, topological_order
from minigrad.autograd.gradcheck import numerical_jacobian
from minigrad.autograd.graph import modified, unpack
from minigrad.autograd.tensor_methods import leaf_rules
from minigrad.exercises.own_tests import test_div_backward
from minigrad.ops.vjp import (
    amax_backward,
    div_backward,
    matmul_right_backward,
    permute_backward,
    pow_backward,
    relu_backward,
    slice_backward,
    sum_backward,
    tanh_backward,
)

answers_from("labs", before="08_autograd")

# %% [markdown] task="apply"
# ## A Function and its context
#
# To define an operator, you write a class with two functions, `forward` and `backward`.
# Users call a third one, `apply`, which runs forward and records the call. The context
# `ctx` keeps what forward saves for backward, and each call has its own context. This
# is what happens in a call:
#
# > `Cube.apply(x)` → ctx = Context(Cube, (x,)) → y = `Cube.forward(ctx, x)` →
# > ctx.record(y)
#
# Operators inside forward aren't recorded, because backward stands for all of them. The
# call itself is recorded only if an argument requires a gradient and recording is on
# where `apply` was called.
#
# Write the class method `apply`. The next cell defines an operator to try it on.


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
# Which statement switches recording off, and back to what it was even after an error?
# And which of your lines belong inside it?
#
# </details>
# <details><summary>Hint 2</summary>
#
# Make the context, and call forward inside `with no_grad():`. After the block, ask
# `is_grad_enabled()`, because inside it the answer is always False. `any(...)` of a
# tuple of bools is True if at least one is True.
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
    x.requires_grad_()  # from here on, your exercise 2 runs too
    print(Cube.apply(x))
    with no_grad():
        print(Cube.apply(x))

# %% check="apply"
check(Function.apply)

# %% [markdown] task="leaf_rules"
# ## Leaves
#
# The graph ends at a **leaf**, and backward puts the leaf's gradient into `.grad`. If a
# recorded operator made a tensor, backward only passes the tensor's gradient on toward
# the leaves, and then drops it.
#
# | | requires_grad | is_leaf | keeps_grad |
# |---|---|---|---|
# | `w = tensor([1.0], requires_grad=True)` | True | ? | ? |
# | `x = tensor([1.0])` | False | ? | ? |
# | `y = w * x` | ? | False | ? |
#
# Fill in the table, where `keeps_grad` says whether backward puts the gradient into
# `.grad`. Then write `leaf_rules`, which knows two things about a tensor: whether
# somebody `asked` for its gradient, and the `node` of the operator that made it, or
# None. The next cell shows that `or` doesn't always give you a bool.

# %%
asked, node = False, "the node of w * x"
print(asked or node)

# %% [markdown] hints="leaf_rules"
# <details><summary>Hint 1</summary>
#
# Can a tensor that requires no gradient have a node? What does that tell you about the
# tensors that aren't leaves?
#
# </details>
# <details><summary>Hint 2</summary>
#
# Write one line for each of the three. All of them must be bools, but `asked or node`
# can be the node itself. How do you ask whether there's a node?
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

# %% [markdown] task="topological_order"
# ## In which order?
#
# Backward visits each node once, when the node's whole gradient is there, so a node may
# come only after **all** nodes that send it a part. This is a topological order.
#
# >      loss
# >     /    \
# >    a      b          correct:    loss, a, b, x   or   loss, b, a, x
# >     \    /
# >       x              incorrect:  loss, a, x, b   (b's part would come too late)
#
# If you go down as deep as you can and write down each node when you **first see** it,
# you get loss, a, x, b. Instead, write it down when you **leave** it, after everything
# below it, and read the list backward. The next cell does that with recursion.
#
# But Python allows only about 1,000 nested calls, and a graph may be 100,000 nodes
# deep. Write `topological_order` without recursion, with your own list of what's left
# to visit.

# %%
below = {"loss": ["a", "b"], "a": ["x"], "b": ["x"], "x": []}
done = []


def visit(name):
    if name not in done:
        for child in below[name]:
            visit(child)
        done.append(name)  # when everything below it is done


visit("loss")
print(done[::-1])

# %% [markdown] hints="topological_order"
# <details><summary>Hint 1</summary>
#
# What does the recursion remember for you? For each node, it knows whether you've just
# met it or come back to it. How can you put that on a list?
#
# </details>
# <details><summary>Hint 2</summary>
#
# Put pairs on the list, where (node, False) means "visit it" and (node, True) means
# "everything below it is done". Take a pair from the end. If it says True, the node is
# done. Otherwise, if the node is new, put (node, True) back, and then a pair for each
# next node. Skip None.
#
# </details>
# <details><summary>Hint 3</summary>
#
# You can also do it as PyTorch does. Count for each node how many edges lead to it,
# start with the nodes whose count is 0, and lower the counts of the next nodes as you
# go. Both ways are accepted.
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
# Now you write the rest of `loss.backward()`. The nodes are in order already, and
# `seeds` contains the gradients to begin with. Keep a dict of the gradients that have
# arrived, {(node, index): gradient}. For each node, take its gradients out, call the
# node with them, and add what it returns to the dict.
#
# > In y = x · x + x, three gradients meet at x. They're x, x, and 1, so together
# > they're 2x + 1.
#
# If two gradients meet, **they're added up**. An engine that overwrites the first one
# works for every chain, but the next cell shows what happens here.
#
# Write `backward`. A gradient may be None, a node may have several results, and memory
# should be released as early as possible.

# %%
arrived = {}
for edge, g in [("x", 3.0), ("x", 3.0), ("x", 1.0)]:  # x = 3
    arrived[edge] = g  # overwrites
print(arrived)

# %% [markdown] hints="backward"
# <details><summary>Hint 1</summary>
#
# What must be in the dict at the beginning? And which method of a dict returns a value
# and removes it, or returns None if there's none?
#
# </details>
# <details><summary>Hint 2</summary>
#
# Begin with a copy of `seeds`. For each node, `pop` the gradients at (node, i) for all
# i in range(node.outputs). If all are None, go to the next node. Otherwise, call the
# node, and zip what it returns with `node.next_functions`. Each edge whose node isn't
# None is a key of your dict.
#
# </details>
# <details><summary>Hint 3</summary>
#
# If there's a gradient at that key already, replace it with the sum of both. Write `g +
# h`, because `+=` would change a tensor that may also have gone somewhere else.
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
            if g is not None and edge[0] is not None:  #: if_not_g
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
# In `x + bias` with shapes (4, 3) and (3,), each element of the bias is used four
# times, so its gradient is the **sum** of four. The gradient that comes back has shape
# (4, 3), and must be summed to shape (3,).
#
# > x (4, 2, 3) to (2, 1): sum dimension 0 and remove it, and sum dimension 2 to size 1
#
# Write `sum_to_size` with tensor operators.

# %%
dy = np.arange(12).reshape(4, 3)
print(dy.sum(0), dy.sum(1, keepdims=True).tolist())

# %% [markdown] hints="sum_to_size"
# <details><summary>Hint 1</summary>
#
# How many more dimensions does x have than `shape`? If you put that many 1s in front of
# `shape`, both shapes have the same length.
#
# </details>
# <details><summary>Hint 2</summary>
#
# Size n of `shape` fits size m of x if n is 1 or m, and otherwise it's an error.
# Collect the dimensions to sum: those in front, and those where n is 1 but m isn't.
#
# </details>
# <details><summary>Hint 3</summary>
#
# Sum them all at once with keepdim=True, and then `view(shape)` removes the ones in
# front. If there's nothing to sum, return x, because a sum over no dimensions is the
# sum of all elements.
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

# %% [markdown] task="unpack"
# ## An error instead of a wrong gradient
#
# The node of `x * y` saves the tensors x and y themselves for backward, instead of
# copies. If `x.add_(1)` then writes to x, backward would compute with other numbers
# than forward did, and nobody would notice.
#
# So every storage counts the writes to it, and this count is called its **version**.
# All views of a tensor have the same storage, so they have the same version. A node
# saves a tensor together with its version. When backward needs the tensor, `unpack`
# compares the saved version with the current one.
#
# Write `unpack`.

# %%
x = np.array([3.0])
saved = x  # not a copy
x += 1  # in place
print("forward used 3, backward would use", saved)

# %% [markdown] hints="unpack"
# <details><summary>Hint 1</summary>
#
# Where's the version that x has now? Is a tensor that was changed *before* it was saved
# a problem?
#
# </details>
# <details><summary>Hint 2</summary>
#
# Compare `x.storage.version` with `version`. If they differ, raise a RuntimeError with
# the message that the contract names, and otherwise return x.
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

# %% [markdown] task="tanh_backward"
# ## tanh
#
# Now you write gradients, starting with those that a network of two layers needs. If an
# operator works element by element, you write its gradient as a function that takes
# NumPy arrays and returns one. minigrad turns this function into an operator, so your
# gradient has a gradient too.
#
# `dy` is the gradient of y, so it says how fast the loss grows with y. By the chain
# rule, the gradient of x is **dy times the slope** of y. For example, if y = x · other,
# the slope is `other`, so minigrad computes `dy * other`.
#
# y = tanh(x) runs from −1 to 1. Its slope is 1 in the middle, where y is 0, and goes to
# 0 at both ends. You can compute the slope from y, so the node saves only its result,
# and backward doesn't call tanh again. The next cell prints some values of y and the
# slopes.
#
# Write `tanh_backward`.

# %%
h = 1e-6
for x in -1.0, 0.0, 0.5, 1.0, 3.0:
    slope = (np.tanh(x + h) - np.tanh(x)) / h
    print(f"y {np.tanh(x):6.3f}, y² {np.tanh(x) ** 2:.3f}, slope {slope:.3f}")

# %% [markdown] hints="tanh_backward"
# <details><summary>Hint 1</summary>
#
# The slope is the same for y and −y, and so is y². What must you do with y² so that 0
# becomes 1, and 1 becomes 0? Check your formula with the printed values.
#
# </details>
# <details><summary>Hint 2</summary>
#
# The slope is 1 − y². Multiply dy by it, and return a new array. `dy *= ...` would
# change an array that others use.
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
# ## A matrix product
#
# From here on, some arguments are tensors. Compute with tensor operators, so that your
# gradients have gradients too.
#
# Suppose y = a @ b, with shapes (M, K) and (K, N). In the lesson, we saw that the
# gradient of a is dy @ bᵀ. What's the gradient of b? **Let the shapes tell you.** You
# have dy with shape (M, N) and a with shape (M, K), and you need (K, N). The next cell
# computes an example with a sum over m, so that you can compare.
#
# Write `matmul_right_backward`.

# %%
a, dy = np.arange(6.0).reshape(2, 3), np.arange(8.0).reshape(2, 4)
print(np.einsum("mk,mn->kn", a, dy))

# %% [markdown] hints="matmul_right_backward"
# <details><summary>Hint 1</summary>
#
# Which two shapes give (K, N) as a product, if the inner dimension is M?
#
# </details>
# <details><summary>Hint 2</summary>
#
# (K, M) times (M, N) is (K, N). So a must be transposed, but only its last two
# dimensions, because others may come before them.
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
    print(matmul_right_backward(tensor(dy), tensor(a)))

# %% check="matmul_right_backward"
check(matmul_right_backward)

# %% [markdown] task="sum_backward"
# ## The gradient of a sum
#
# Each element of x goes into one sum, and the sum grows as fast as the element does. So
# each element gets the dy of its sum. In other words, dy is broadcast over the
# dimensions that were summed, just as the gradient of broadcasting is a sum (exercise
# 5).
#
# > x (2, 3, 4), dims (0, 2): y and dy have shape (3,), and dy becomes (1, 3, 1), then
# > (2, 3, 4)
#
# A mean is a sum divided by the number of its elements, so minigrad divides dy by that
# number and then calls your function.
#
# Write `sum_backward`. The next cell shows an example in NumPy.

# %%
dy = np.array([10, 20, 30])
print(np.broadcast_to(dy[None, :, None], (2, 3, 4))[1])

# %% [markdown] hints="sum_backward"
# <details><summary>Hint 1</summary>
#
# Which shape would dy have if keepdim were True? How do you get there from a dy without
# these dimensions?
#
# </details>
# <details><summary>Hint 2</summary>
#
# Without keepdim, insert each of the dims with `unsqueeze(d)`, from the lowest to the
# highest, because each d is a position in x's shape. Then `expand(shape)` does the
# rest.
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

# %% [markdown]
# ## A network of two layers
#
# Now everything comes together. The first layer has twenty units, each with a weight
# for x, a bias, and a tanh. The second layer multiplies each unit's output by another
# weight, and adds the products up. Backward uses your engine, `sum_to_size`, and the
# gradients of products, tanh, `@`, sums, and means. The network learns from 60 points
# of a sine.

# %%
with trying():
    minigrad.manual_seed(0)
    x = minigrad.linspace(-3, 3, 60).reshape(60, 1)
    targets, losses = tensor(np.sin(2 * x.numpy())), []
    w1, b1, w2 = minigrad.randn(1, 20), minigrad.randn(20), minigrad.randn(20, 1)
    parameters = [p.requires_grad_() for p in (w1, b1, w2)]

# %%
with trying() as show:
    for _ in range(1000):
        y = (x @ w1 + b1).tanh() @ w2  # (60, 20), and then (60, 1)
        error = y - targets
        loss = (error * error).mean()
        loss.backward()
        with no_grad():
            for p in parameters:
                p -= 0.05 * p.grad
                p.grad = None
        losses.append(loss.item())
    xs, ys, found = (t.flatten().tolist() for t in (x, targets, y))
    curves = {"targets": (xs, ys), "network": (xs, found)}
    show(viz.lines({f"loss {losses[0]:.2f}, then {loss.item():.4f}": curves}, x="x"))

# %% [markdown]
# **Predict** what the network can learn without the `tanh`. To try it, remove
# `.tanh()`, change 0.05 to 0.01, and run both cells again.
#
# <details><summary>Answer</summary>
#
# Two layers without a function between them are only one layer, because (x @ w1 + b1) @
# w2 is x times a single matrix plus a constant. So the network learns the straight line
# that's closest to the sine.
#
# </details>

# %% [markdown] task="div_backward"
# ## The divisor of a quotient
#
# The other operators follow, beginning with three that work on arrays.
#
# For y = a / b, the gradient of a is dy / b, and you'll write the gradient of b. Think
# of y as a · (1 / b). What's the slope of 1 / b? The next cell measures the slope of a
# / b when b grows.
#
# Write `div_backward`.

# %%
a, b, h = 6.0, 2.0, 1e-6
print((a / (b + h) - a / b) / h)

# %% [markdown] hints="div_backward"
# <details><summary>Hint 1</summary>
#
# If b grows, does y grow or fall? And how does the slope change if b is twice as large?
#
# </details>
# <details><summary>Hint 2</summary>
#
# The slope of 1 / b is −1 / b², so the slope of y is −a / b². Multiply it by dy.
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
# For y = aᵇ, the slope for a is b · aᵇ⁻¹, but b = 0 is a special case. Then y is always
# 1, so the gradient must be 0. But if a is also 0, the formula gives 0 · 0⁻¹, which is
# 0 · ∞. The next cell shows what NumPy makes of it.
#
# Write `pow_backward`. (minigrad has the gradient of the exponent already.)

# %%
with np.errstate(all="ignore"):
    print(0 * np.array([2.0, 0.0]) ** -1)

# %% [markdown] hints="pow_backward"
# <details><summary>Hint 1</summary>
#
# Start with the formula. For which b does it go wrong, and what should the result be
# there?
#
# </details>
# <details><summary>Hint 2</summary>
#
# `np.where(condition, x, y)` computes both x and y and then selects, so a NaN that
# isn't selected is gone. The condition is that b equals 0.
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
# y is x if x is above 0 or NaN, and otherwise it's 0. So the slope is 1 or 0, and dy
# either goes through or not. You can tell from y alone.
#
# Two special cases follow PyTorch. If y is NaN, dy goes through, so that a NaN doesn't
# get lost. If an infinite dy doesn't go through, the gradient is 0 instead of ∞ · 0,
# which is NaN.
#
# Write `relu_backward`.

# %%
with np.errstate(all="ignore"):
    print(np.inf * 0, np.nan > 0, np.nan <= 0)

# %% [markdown] hints="relu_backward"
# <details><summary>Hint 1</summary>
#
# How can you choose between dy and 0 without multiplying anything?
#
# </details>
# <details><summary>Hint 2</summary>
#
# Use `np.where`. Every `<`, `<=`, `>`, or `>=` with NaN is False, so which condition
# sends a NaN to dy's side, y > 0 or y <= 0?
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
# ## The gradient of the maximum
#
# In y = a.amax(dims), only the maximum counts, so it gets dy, and the gradient of all
# other elements is 0. If several elements are equal to the maximum, they **share** dy
# in equal parts, for example in a row of zeros after a relu. (`max` with a dim also
# returns an index, and there the element at the index gets all of dy.)
#
# Write `amax_backward` with tensor operators.

# %%
a = np.array([[1.0, 7.0, 7.0], [5.0, 2.0, 3.0]])
print(a == a.max(1, keepdims=True))

# %% [markdown] hints="amax_backward"
# <details><summary>Hint 1</summary>
#
# You've written a function that brings a tensor of y's shape to a's shape. What do you
# get if you apply it to y and compare a with the result?
#
# </details>
# <details><summary>Hint 2</summary>
#
# You get a map of the maxima. Count them with `.sum(dims, keepdim=True)`. Then bring dy
# to a's shape too, multiply it by the map, and divide by the count.
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
# ## Undo a permutation
#
# For y = x.permute(2, 0, 1), dimension 0 of y is dimension 2 of x, and so on. The
# gradient must be put back into x's order, and the permutation that does this is the
# **inverse** one. As the next cell shows, applying the same permutation again doesn't
# work.
#
# Write `permute_backward`.

# %%
dims, x = (2, 0, 1), np.zeros((2, 3, 4))
y = x.transpose(dims)
print(y.shape, y.transpose(dims).shape)

# %% [markdown] hints="permute_backward"
# <details><summary>Hint 1</summary>
#
# Which dimension of y is dimension 0 of x, if dims are (2, 0, 1)? Where do you see that
# in dims?
#
# </details>
# <details><summary>Hint 2</summary>
#
# It's the position of the 0 in dims, and `dims.index(0)` finds it. Do the same for each
# dimension.
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
# ## The gradient of a slice
#
# In y = x[1:3], elements 1 and 2 of x get the two elements of dy. The others had no
# effect on y, so their gradient is 0. The result has x's shape, as in the next cell.
#
# Write `slice_backward` with tensor operators.

# %%
dx = np.zeros(5)
dx[1:3] = [10, 20]
print(dx)

# %% [markdown] hints="slice_backward"
# <details><summary>Hint 1</summary>
#
# The index that read from x also says where to write dy. What should you write it to?
#
# </details>
# <details><summary>Hint 2</summary>
#
# `dy.new_zeros(shape)` has dy's dtype and device. Assigning to `z[index]` works for
# tensors as it does for arrays.
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
# ## gradcheck
#
# You can test a gradient without knowing its formula. Change an element a little, and
# see how much the result changes. `gradcheck` does that with every element of every
# input, and compares these differences with backward's gradients. You'll write the
# function that computes the differences.
#
# Use the **central difference**, (f(x + ε) − f(x − ε)) / 2ε, whose error is about ε².
# Rounding adds about 10⁻¹⁶ / ε, so ε = 10⁻⁶ is a good choice, as the next cell shows.
#
# Write `numerical_jacobian`. It returns the *transpose* of the Jacobian, because each
# element that you change gives you a row. Restore the input exactly, and remember that
# x + ε − ε need not be x.

# %%
f, x = np.exp, 1.0
for h in 1e-1, 1e-3, 1e-6, 1e-10, 1e-14:
    side, central = (f(x + h) - f(x)) / h, (f(x + h) - f(x - h)) / (2 * h)
    print(
        f"{h:.0e}  {abs(side - np.e):.0e} one side, {abs(central - np.e):.0e} central"
    )

# %% [markdown] hints="numerical_jacobian"
# <details><summary>Hint 1</summary>
#
# How can you change a single element of a tensor of any shape? `detach()` and
# `view(-1)` give you its memory as a row. And how do you get the old value back
# exactly?
#
# </details>
# <details><summary>Hint 2</summary>
#
# For each i, keep `old = flat[i].item()`. Write `old + eps` and call the function,
# write `old - eps` and call it again, and then write `old` back. Call the function
# under `no_grad()`, as `function(*inputs)`. Copy its result with
# `np.array(y.detach().cpu().numpy())`, because it may be a view of the input.
#
# </details>
# <details><summary>Hint 3</summary>
#
# `np.stack(rows)` turns a list of rows into a matrix, but it fails if there are none.
# How many rows and columns does the result have for an input without elements?
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
# Write a **test** for functions such as `div_backward`. It must raise an error if the
# gradient is incorrect, for example with `assert`, and return normally if it's correct.
# Differences tell you what the gradient should be, as in the next cell.
#
# The check runs your test on correct functions, which must pass, and on incorrect ones,
# which must not. The incorrect ones have mistakes that people often make in exercise
# 10.

# %%
x, eps = 3.0, 1e-6
print(((x + eps) ** 2 - (x - eps) ** 2) / (2 * eps), "is close to", 2 * x)

# %% [markdown] hints="test_div_backward"
# <details><summary>Hint 1</summary>
#
# If a, b, and dy are all 1, many incorrect formulas give the correct result. Which
# numbers distinguish −dy · a / b² from the same formula without dy, without a, with b
# instead of b², or without the minus?
#
# </details>
# <details><summary>Hint 2</summary>
#
# Draw random a, b, and dy in double precision. b should have both signs and an absolute
# value of at least 0.5. Compute the central difference of a / b for b with eps = 1e-6,
# multiply it by dy, and compare with `np.testing.assert_allclose` and a tolerance of
# about 1e-6.
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
