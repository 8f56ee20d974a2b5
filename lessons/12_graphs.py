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
# # 12 · Define, then run
#
# So far, Python has executed each step right away, so `x * y` multiplied at once. In
# this chapter, we first write the whole computation down as a **graph**, so that a
# program can simplify it and then run it without Python.
#
# This lesson takes about {{duration}}, builds on chapters 04 (elementwise kernels), 08
# (autograd), and 10 (a training step), and needs no GPU.

# %% setup=true
# Set-up: run this cell first. Running it twice does no harm.
import importlib.util
import os

import numpy as np
import torch

import minigrad
from grading import trying
from minigrad import answers_from, cuda, graph, nn, optim, viz
from minigrad.nn import functional as F
from minigrad.testing import rates

# In this lesson, the reference solutions stand in for all labs.
answers_from("solutions")

# %% [markdown]
# ## A graph, and nothing else
#
# TensorFlow 1 worked this way, so its programs have two parts, and the first only
# **defines** the computation. We'll use `minigrad.graph`, a version of it in about 300
# lines. Here, x stands for an input. **Predict** whether the last line prints a number.

# %%
with graph.Graph().as_default() as g:
    x = graph.placeholder("x")
    y = (x * x + 1.0) * 2.0
print(y)

# %% [markdown]
# <details><summary>Answer</summary>
#
# It prints {{=no number|mul5 = Mul(add3, const4)}}, because so far, nothing has been
# computed.
#
# </details>

# %% [markdown]
# Here, y is an **operation**, a node that says what to compute, and from which other
# nodes. `x * x` made such a node too, each number became a constant, and x is a
# **placeholder** for a value that isn't there yet. The 5 in mul5 is the node's position
# in the graph.

# %%
viz.program(g)

# %% [markdown]
# Data flows down, from the placeholder (green) and constants (violet) through the
# computed operations (blue).
#
# The second part **runs** the graph. You give a **session** the operations that you
# want (the **fetches**) and the placeholders' values in `feed_dict`.

# %%
session = graph.Session(g)
print(session.run(y, feed_dict={x: 3.0}))
print(session.run(y, feed_dict={x: [1.0, 2.0, 3.0]}))

# %% [markdown]
# The same graph works for other values, and even for {{=another shape|tensor([ 4., 10.,
# 20.])}}. Any Python loop or `if` runs only once, when the graph is defined.
# **Predict** what happens if an `if` asks for y's value then.

# %%
with trying(), g.as_default():
    if y:
        print("not zero")

# %% [markdown]
# <details><summary>Answer</summary>
#
# `if` needs an answer now, but {{=there is none|it has no value while the graph is
# defined}}, because the value comes later and differs from run to run.
#
# </details>

# %% [markdown]
# In a graph, a choice has to be an operation too, such as `cond(p, a, b)`, which is `a`
# if `p` isn't 0 in this run, and `b` otherwise.
#
# **Puzzle 1: absolute value.** Change the line so that y is |x|. `graph.relu(x)` may
# help, because it's 0 unless x is positive.

# %%
with graph.Graph().as_default() as g:
    x = graph.placeholder("x")
    y = graph.cond(x, x, -x)  # your line

# %%
session = graph.Session(g)
found = [session.run(y, {x: value}).item() for value in (-3.0, 0.0, 2.0)]
print(found, "solved:", found == [3, 0, 2])

# %% [markdown]
# <details><summary>Answer</summary>
#
# The given line only asks whether x is 0, and −3 isn't, so y is −3.
#
# ```python
# y = graph.cond(graph.relu(x), x, -x)
# ```
#
# </details>

# %% [markdown]
# In TensorFlow 1, a loop whose length depends on a value is an operation too.
#
# ## What a session does
#
# Since the whole graph is known before anything runs, a session can plan. It finds an
# **order** in which each operation comes after its inputs, and leaves out what no fetch
# needs (**pruning**).

# %%
with graph.Graph().as_default() as g:
    x, t = graph.placeholder("x"), graph.placeholder("t")
    h = graph.tanh(x * 2.0)
    loss = graph.reduce_sum((h - t) * (h - t))
print([o.name for o in graph.execution_order([h])])
print([o.name for o in graph.execution_order([loss])])

# %% [markdown]
# h needs {{=neither t nor the loss|['const2', 'x', 'mul3', 'tanh4']}}. You can feed any
# operation, not only a placeholder. Then the session computes neither that operation
# nor the nodes that only it needs.
#
# **Puzzle 2: half a network.** You know that h is [0.5, 0.5], but not which x leads to
# it. Change the line so that the loss can be computed.

# %%
feeds = {t: [0.0, 1.0]}  # your line

# %%
found = None
with trying():
    found = graph.Session(g).run(loss, feeds).item()
print(found, "solved:", found == 0.5)

# %% [markdown]
# <details><summary>Answer</summary>
#
# With h fed, nothing needs x, so x needs no value. The loss is 0.25 + 0.25.
#
# ```python
# feeds = {h: [0.5, 0.5], t: [0.0, 1.0]}
# ```
#
# </details>

# %% [markdown]
# Whatever depends only on constants is the same in every run, so **constant folding**
# computes it only once. An expression that occurs twice (a **common subexpression**) is
# computed only once per run. **Predict** how many of the four multiplications below
# remain in each run.

# %%
with graph.Graph().as_default() as g:
    r = graph.placeholder("r")
    turn = graph.constant(2.0) * 3.14159
    square = (turn * r) * (turn * r)
session = graph.Session(g)
print(session.run(square, {r: 1.0}))
steps, known, twins = next(iter(session.plans.values()))
print("computed in each run:", steps)

# %% [markdown]
# <details><summary>Answer</summary>
#
# Only {{=two|[mul5 = Mul(mul3, r), mul6 = Mul(mul4, mul5)]}} remain, because `turn`
# (mul3) is folded, and its product with r is computed once. Since mul4 is the same
# product as mul5, the session takes mul5's value for both.
#
# </details>

# %% [markdown]
# **Puzzle 3: a growing graph.** Every expression adds nodes to the graph, even between
# two runs, so this loop makes the session plan again each time. Change the line so that
# the graph keeps its 3 nodes.

# %%
with graph.Graph().as_default() as g:
    x = graph.placeholder("x")
    y = x * 2.0
    session = graph.Session(g)
    for value in 1.0, 2.0, 3.0:
        print(session.run(x * 2.0, {x: value}))  # your line

# %%
print(len(g.operations), "nodes,", len(session.plans), "plans", end=" ")
print("solved:", (len(g.operations), len(session.plans)) == (3, 1))

# %% [markdown]
# <details><summary>Answer</summary>
#
# `x * 2.0` makes a constant and a product each time, so fetch the product that's
# already there.
#
# ```python
# print(session.run(y, {x: value}))
# ```
#
# </details>

# %% [markdown]
# **To the lab**: exercise 1 (`execution_order`), exercise 2 (`pruned`), and exercise 3
# (`fold_constants`).
#
# ## Gradients are operations
#
# Autograd walks backward through the graph and computes numbers, but here, the same
# walk **defines more nodes**. The third argument of `gradients` knows the derivative of
# each type of operation.
#
# **Predict** the three values that the session returns for y = x³ at x = 3.

# %%
with graph.Graph().as_default() as g:
    x = graph.placeholder("x")
    y = x * x * x
    (dy,) = graph.gradients(y, [x], graph.gradient_of)
    (d2y,) = graph.gradients(dy, [x], graph.gradient_of)
print(len(g.operations), "operations")
graph.Session(g).run([y, dy, d2y], {x: 3.0})

# %% [markdown]
# <details><summary>Answer</summary>
#
# They're {{=27|tensor(27.)}}, 3x² = 27, and 6x = {{=18|tensor(18.)}}. The graph now has
# {{=53 operations}}.
#
# </details>

# %% [markdown]
# The second derivative needed no extra code, because a gradient is made of operations
# that have gradients too.
#
# A `Variable` is a value that a session keeps from run to run, and `assign` changes it.

# %%
X, T = np.array([[1.0, 2], [3, 4]], "f4"), np.array([[1.0], [2]], "f4")
with graph.Graph().as_default() as g:
    x, t = graph.placeholder("x"), graph.placeholder("t")
    w = graph.Variable([[0.5], [1.0]], "w")
    error = x @ w - t
    loss = graph.reduce_sum(error * error)
    (dw,) = graph.gradients(loss, [w], graph.gradient_of)
    train = graph.assign(w, w - 0.02 * dw)
session = graph.Session(g)

# %% [markdown]
# **Puzzle 4: it doesn't learn.** The loss should fall in these five runs, but it's the
# same each time. The graph is correct, so change what the runs fetch.

# %%
fetches = [loss]  # your line

# %%
ours = [round(session.run(fetches, {x: X, t: T})[0].item(), 4) for _ in range(5)]
print(ours, "solved:", ours[4] < 0.01)

# %% [markdown]
# <details><summary>Answer</summary>
#
# The loss doesn't need `train`, so it was pruned, and w kept its value.
#
# ```python
# fetches = [loss, train]
# ```
#
# </details>

# %% [markdown]
# **To the lab**: exercise 4 (`gradients`).
#
# ## The same in TensorFlow
#
# TensorFlow 2 still includes version 1, as `tf.compat.v1`. Here's puzzle 4's program,
# but with w as a row, to show a transpose. `control_dependencies` makes TensorFlow
# compute the loss before w changes, `start` gives w its initial value, and after
# `finalize`, defining another node is an error.

# %%
tensorflow = importlib.util.find_spec("tensorflow")
GET = "not run: TensorFlow is not installed. Get it: pip install tensorflow-cpu"
if tensorflow:
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")  # fewer messages
    os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")
    import tensorflow as tf

# %%
if tensorflow:
    v1 = tf.compat.v1
    with v1.Graph().as_default() as theirs:
        x, t = v1.placeholder(tf.float32), v1.placeholder(tf.float32)
        w = v1.Variable(np.array([[0.5, 1.0]], "f4"), use_resource=True)
        error = tf.matmul(x, w, transpose_b=True) - t
        loss = v1.reduce_sum(error * error)
        (dw,) = v1.gradients(loss, [w])
        with v1.control_dependencies([loss]):
            train = v1.assign(w, w - 0.02 * dw)
        start = v1.global_variables_initializer()
    theirs.finalize()

# %%
if tensorflow:
    with v1.Session(graph=theirs) as tf_session:
        tf_session.run(start)
        found = [tf_session.run([loss, train], {x: X, t: T})[0] for _ in range(5)]
    print([round(float(number), 4) for number in found])
    print(len(theirs.get_operations()), "operations")
else:
    print(GET)

# %% [markdown]
# PyTorch and minigrad are **eager** (or **define-by-run**), so each line computes right
# away, and each step of the loop makes a new graph for backward. The transpose is
# `w.T`, a view with swapped strides. TensorFlow's tensors have no strides, so
# `tf.matmul` has the argument `transpose_b=True` instead.

# %%
w, found = minigrad.tensor([[0.5, 1.0]], requires_grad=True), []
for _ in range(5):
    error = minigrad.tensor(X) @ w.T - minigrad.tensor(T)
    loss = (error * error).sum()
    loss.backward()
    with minigrad.no_grad():
        w -= 0.02 * w.grad
    w.grad = None
    found.append(round(loss.item(), 4))
print(found)

# %% [markdown]
# With puzzle 4 solved, all three programs print {{=the same losses|[14.5, 0.5512,
# 0.0227, 0.0027, 0.0019]}}.
#
# <details><summary>What's between Python and the kernel in TensorFlow</summary>
#
# | part | what it does |
# |---|---|
# | client, Python | defines the graph, with a type and attributes for each operation |
# | session, C++ | prunes and optimizes the graph (Grappler), and splits it by device |
# | executor, C++ | runs an operation as soon as its inputs are there |
# | kernel, C++ or CUDA | `OpKernel::Compute`, found by operation, device, and dtype |
#
# </details>

# %% [markdown]
# ### Today: tf.function
#
# Since version 2.0 (2019), TensorFlow has been eager by default. `tf.function` brings
# the graph back by **tracing**, which means running a Python function once and
# recording its operators. A trace serves only calls with the same shapes and dtypes.

# %%
if tensorflow:
    w = tf.Variable([[0.5], [1.0]])

    @tf.function
    def step(x, t):
        print("tracing", x)
        with tf.GradientTape() as tape:
            error = tf.matmul(x, w) - t
            loss = tf.reduce_sum(error * error)
        w.assign_sub(0.02 * tape.gradient(loss, w))
        return loss


# %% [markdown]
# We call it five times with the whole batch, and then once with half of it. **Predict**
# how many times it prints "tracing".

# %%
if tensorflow:
    print([round(float(step(X, T)), 4) for _ in range(5)])
    step(X[:1], T[:1])
else:
    print(GET)

# %% [markdown]
# <details><summary>Answer</summary>
#
# It prints "tracing" {{=twice, once for each shape|tracing}}. Python's `print` isn't an
# operator, so it ran only during tracing and isn't in the graph.
#
# </details>

# %% [markdown]
# `torch.compile` traces too, but when a size changes for the first time, it makes a
# graph for **any** size in that dimension. It passes each graph to a backend, and ours
# keeps them all. **Predict** how many graphs six batch sizes need.

# %%
graphs = []


def keep(module, inputs):
    graphs.append(module)
    return module.forward


compiled = torch.compile(lambda x: x * 2 + 1, backend=keep)
for rows in range(2, 8):
    compiled(torch.ones(rows, 3))
print(len(graphs), "graphs")

# %% [markdown]
# <details><summary>Answer</summary>
#
# It needs {{=two|2 graphs}}, one for the first size and one for all others.
#
# </details>
#
# <details><summary>All five ways, side by side</summary>
#
# | | the graph is made | `if` on a value | `print(x)` |
# |---|---|---|---|
# | PyTorch, minigrad | in each forward, for backward | runs | numbers |
# | `tf.compat.v1` | once, by hand | error, use `cond` | a node |
# | `tf.function` | at the first call for a shape | becomes `tf.cond` | a node, once |
# | `torch.compile` | at the first call and if guards fail | graph break | graph break |
# | `minigrad.jit` | at the first call and if guards fail | not traced | not traced |
#
# Guards and graph breaks are explained below.
#
# </details>

# %% [markdown]
# <details><summary>PyTorch or TensorFlow?</summary>
#
# | | PyTorch | TensorFlow |
# |---|---|---|
# | graph | made by running | defined first until 2019, now eager by default |
# | debugging | Python's tools | the same if eager, `tf.print` in graphs |
# | control flow | Python's | `tf.cond` in graphs, which AutoGraph writes for you |
# | deployment | `torch.export`, ONNX, ExecuTorch | SavedModel, TF Serving, LiteRT |
# | extension | dispatcher, `torch.library` | `REGISTER_OP`, `OpKernel` |
# | ease of use | one style: you write the loop | Keras's `fit`, or your own loop |
# | learning curve | like NumPy, plus gradients | easy with Keras, longer without it |
# | community | most new research | older products, phones, browsers |
#
# Choose PyTorch for new models, because most papers and pretrained models use it.
# Choose TensorFlow if your product already uses it.
#
# </details>

# %% [markdown]
# ## A graph from plain Python
#
# `minigrad.jit` takes a plain function. The first call runs it and records every
# operator that it calls. This recording is a **trace**.


# %%
@minigrad.jit
def f(x, y):
    return (x * y + 1).relu() * 0.5 - y


x, y = minigrad.randn(6, 4, device="sim"), minigrad.randn(4, device="sim")
f(x, y)
print(f.graph)

# %% [markdown]
# Each numbered line is a node, with its operator, its inputs, and usually its result's
# dtype and shape. The indented lines are the operators inside the fused node, which has
# the number of the last of them. With **fusion**, jit has turned all five operators
# into {{=one node|fused_mul_add_relu_mul_and_1_more}}, which runs as a single kernel.
# Like a session, jit also computes a common subexpression only once.
#
# **Puzzle 5: three multiplications.** This function computes x⁸ with seven
# multiplications. Change the line so that only three are left in the graph.


# %%
@minigrad.jit
def power(x):
    return x * x * x * x * x * x * x * x  # your line


# %%
given = minigrad.tensor([2.0, 3.0])
print(power(given), power.graph, sep="\n")
few = power(given).tolist() == [256, 6561] and str(power.graph).count("= mul ") == 3
print("solved:", few)

# %% [markdown]
# <details><summary>Answer</summary>
#
# Python multiplies from left to right, so no expression occurs twice in the given line.
# With these parentheses, x² occurs four times and x⁴ twice.
#
# ```python
# return ((x * x) * (x * x)) * ((x * x) * (x * x))
# ```
#
# </details>

# %% [markdown]
# An element takes 4 bytes, x has 24 elements, and y has 4. **Predict** how many bytes
# the plain function's five kernels move in total, and how many the fused kernel moves.

# %%
with minigrad.trace() as plain:
    f.function(x, y)
with minigrad.trace() as fused:
    f(x, y)
print(plain, fused, sep="\n\n")
traffic = [sum(launch.bytes for launch in launches) for launches in (plain, fused)]
viz.ranking({"bytes moved": dict(zip(("five kernels", "fused"), traffic, strict=True))})

# %% [markdown]
# <details><summary>Answer</summary>
#
# The first and the last kernel each read 24 + 4 elements and write 24, which is 208
# bytes, and the others each read and write 24, which is 192. All five move 2 · 208 + 3
# · 192 = {{=992}} bytes. The fused kernel reads x and y and writes the result, so it
# moves {{=208}}.
#
# </details>

# %% [markdown]
# Memory bandwidth limits such kernels, so fewer bytes mean less time.
#
# jit assembled the fused kernel's source from a short CUDA C expression for each
# operator.

# %%
viz.source(f.code)

# %% [markdown]
# Each intermediate tensor is now a variable such as {{=`v2`|float v2 = v0 * v1}} in a
# register, so it never goes through memory. Here, y is p1, which the index `i % 4`
# broadcasts.
#
# The result is the same {{=to the last bit|True}}, because each operation still rounds
# its result. (jit compiles this kernel without fused multiply-add, which would round
# only once.)

# %%
same = f(x, y).cpu().numpy() == f.function(x, y).cpu().numpy()
print(same.all())

# %% [markdown]
# ### What can be one kernel?
#
# Each thread computes one element of every node in its kernel. **Predict** where jit
# has to cut this chain. (In the picture, an orange box is a kernel.)

# %%
g = minigrad.jit(lambda x: ((x * 2 + 1) / (x * 2 + 1).sum() - 0.5).relu())
g(x)
viz.program(g)

# %% [markdown]
# <details><summary>Answer</summary>
#
# It cuts at {{=the sum|sum uses}}, because a sum needs all elements, and a thread has
# only one. What comes before the sum becomes one kernel, and what comes after it
# becomes another.
#
# </details>

# %% [markdown]
# The order of the operators matters too, because a fused kernel runs where its **last**
# node was. So between its first and last nodes, no node outside it may use its results
# or change memory that it uses.
#
# **Puzzle 6: three kernels or two?** Both operators in this line use z, and nothing is
# fused. Change their order so that only two kernels are left.


# %%
@minigrad.jit
def both(x, y):
    z = x * y
    total, w = z.sum(), z + x  # your line
    return total, w


# %%
both(x, y)
print(both.graph)
print(both.graph.count(), "kernels", end=" ")
print("solved:", both.graph.count() == 2)

# %% [markdown]
# <details><summary>Answer</summary>
#
# The sum was between the product and the addition, and it uses the product. With the
# sum last, the other two become one kernel that writes both z and w.
#
# ```python
# w, total = z + x, z.sum()
# ```
#
# </details>

# %% [markdown]
# ### Before and after another kernel
#
# A matrix product isn't elementwise, but at its end, each thread has a finished element
# in a register. Before storing it, the thread can apply the next operators, which are
# then the product's **epilogue**. Likewise, the operators right before a sum or mean
# can be its **prologue**, which each thread applies to the elements it reads.
#
# If an operator fits both, jit makes it part of the prologue. **Predict** how many
# kernels these seven operators become, and which belong together.


# %%
@minigrad.jit
def loss(x):
    return (((x @ first + bias).relu() @ second - 1) ** 2).mean()


first, bias = minigrad.randn(4, 8, device="sim"), minigrad.randn(8, device="sim")
second = minigrad.randn(8, 3, device="sim")
# Only minigrad's own kernels take an epilogue.
with minigrad.kernel_variant("fastest"):
    loss(x)
    print(loss.graph.count(), "kernels")
    print(loss.graph)

# %% [markdown]
# <details><summary>Answer</summary>
#
# They become {{=three|3 kernels}}. The first product has an epilogue (`+ bias` and
# `relu`), and the mean has a prologue (`- 1` and `** 2`).
#
# </details>

# %% [markdown]
# A `get_attr` node is a tensor from outside the function, which exists already, so it
# needs no kernel.
#
# **To the lab**: exercise 5 (`common_subexpressions`), exercise 6 (`can_fuse`), and
# exercise 7 (`fused_kernel`).
#
# ## When a trace is wrong
#
# A trace records what happened **once**. **Predict** what the second call of `h` would
# return if jit ran the first call's trace, and what it really returns.


# %%
@minigrad.jit
def h(x):
    if x.sum() > 0:
        return x + 1
    return x - 1


print(h(minigrad.ones(2)), h(-minigrad.ones(2)))
print(minigrad.jit.explain(h))

# %% [markdown]
# <details><summary>Answer</summary>
#
# The first call's trace would say "add 1", which gives 0 in the second call. But jit
# notices that `if` reads a tensor's value, {{=names the line|line 3}}, and runs the
# function as it is, which gives −2.
#
# </details>

# %% [markdown]
# At such an `if`, `torch.compile` splits the graph (a **graph break**) and lets Python
# decide in between.
#
# A trace also depends on shapes, dtypes, Python numbers, and whether a module is in
# training mode. jit records them as **guards** and compares them before each call.
# **Predict** how many times the function below is traced in four calls.

# %%
model = nn.Sequential(nn.Linear(4, 3), nn.Dropout(0.5))
predict = minigrad.jit(lambda x: model(x) * 2)
with minigrad.no_grad():
    for rows in (2, 2, 5):
        predict(minigrad.ones(rows, 4))
    model.eval()
    predict(minigrad.ones(2, 4))
print(minigrad.jit.explain(predict))

# %% [markdown]
# <details><summary>Answer</summary>
#
# It's traced {{=3|traces 3}} times, because the new {{=shape|(5, 4)}} and the new
# {{=mode|model.training was True, is False}} each need a trace.
#
# </details>

# %% [markdown]
# jit keeps all traces and runs the one whose guards hold. Like `torch.compile`, it
# makes at most eight, and if none fits, it runs the function as it is.
#
# **Puzzle 7: a new number each time.** This function is traced again for each n. Change
# the line so that one trace serves all calls.

# %%
scaled = minigrad.jit(lambda x, n: x * n)
for n in range(10):
    scaled(minigrad.ones(3), float(n))  # your line

# %%
told = minigrad.jit.explain(scaled)
print(told)
print("solved:", "calls 10, traces 1\n" in told)

# %% [markdown]
# <details><summary>Answer</summary>
#
# The guards compare a Python number by its value. For a tensor, they compare dtype,
# device, shape, strides, and whether it requires a gradient, but not its numbers.
#
# ```python
# scaled(minigrad.ones(3), minigrad.tensor(float(n)))
# ```
#
# </details>

# %% [markdown]
# ## A whole training step
#
# A traced function may also call backward() and change weights, because both only run
# operators, which jit can record. With `capturable=True`, Adam keeps its step number in
# a tensor, because a Python number would fail a guard each time.


# %%
def new_model(device):
    minigrad.manual_seed(0)
    layers = nn.Linear(64, 32), nn.ReLU(), nn.Dropout(0.2), nn.Linear(32, 10)
    return nn.Sequential(*layers).to(device)


# %%
def new_step(device="cpu", jit=lambda f: f):
    model = new_model(device)
    rate = minigrad.tensor(0.01, device=device)
    adam = optim.Adam(model.parameters(), lr=rate, capturable=True)

    def step(x, t):
        adam.zero_grad()
        loss = F.cross_entropy(model(x), t)
        loss.backward()
        adam.step()
        return loss.detach()

    return jit(step), rate


# %%
images, labels = minigrad.data.digits(train=True)
batch = images[:32].flatten(1), labels[:32]
losses = []
for jit in (lambda f: f, minigrad.jit):
    step, _ = new_step(jit=jit)
    losses.append([step(*batch).item() for _ in range(4)])
print(losses[0] == losses[1], losses[1])
print(minigrad.jit.explain(step))

# %% [markdown]
# The losses are {{=the same to the last digit|True}}, even with dropout. The first call
# creates Adam's state, so the second is traced {{=again|calls 4, traces 2}}, and from
# then on, the guards hold.

# %%
with minigrad.trace() as launches:
    step.function(*batch)
print(len(launches), "operators without jit,", step.graph.count(), "kernels with it")

# %% [markdown]
# ## CUDA graphs: all launches as one
#
# On a GPU, the CPU (the **host**) often limits a small step, because a short kernel is
# done before the CPU has launched the next one. Suppose a launch takes 4 µs and a
# kernel runs for 2. **Predict** when the last of five kernels is done, if each starts
# as soon as its launch is over.

# %%
host = [(f"launch {k}", 4 * k, 4 * k + 4) for k in range(5)]
gpu = [(f"k{k}", 4 * k + 4, 4 * k + 6) for k in range(5)]
print("done after", gpu[-1][2], "µs")
viz.spans({"host": host, "GPU": gpu}, "one launch per kernel", unit="µs")

# %% [markdown]
# <details><summary>Answer</summary>
#
# The fifth launch is over after 5 · 4 = 20 µs, so its kernel is done after {{=22}}. The
# GPU was idle for more than half the time.
#
# </details>

# %% [markdown]
# A **CUDA graph** holds kernels, copies, and memsets, and records which of them must
# wait for others. You capture it once, and from then on, a single launch starts all of
# it. Even if this launch takes 6 µs, the GPU has no gaps afterward.

# %%
gpu = [(f"k{k}", 6 + 2 * k, 8 + 2 * k) for k in range(5)]
print("done after", gpu[-1][2], "µs")
viz.spans({"host": [("launch", 0, 6)], "GPU": gpu}, "a CUDA graph", unit="µs")

# %% [markdown]
# We made these numbers up, but here are training steps measured on one
# {{mnist/mnist on cuda | PyTorch, e | GPU}}, with batches of 64 images on
# the left and 32 on the right.

# %%
table = "mnist/mnist on cuda"
ways = ("minigrad, fastest", "minigrad.jit", "minigrad.jit with a CUDA graph",
        "PyTorch, eager", "PyTorch, CUDA graph")  # fmt: skip
rows = {way: way for way in ways}
viz.ranking({
    "chapter 10's network, µs": rates(table, rows, "step of 64"),
    "784-30-10, µs": rates(table, rows, "784-30-10"),
})  # fmt: skip

# %% [markdown]
# On the right, in a network of two linear layers, a CUDA graph cuts minigrad.jit's step
# from {{mnist/mnist on cuda | minigrad.jit | 784-30-10}} µs to
# {{mnist/mnist on cuda | minigrad.jit with a CUDA graph | 784-30-10}}, because most of
# the time went into launches. We turned off TF32, which PyTorch uses for convolutions
# by default. With it, PyTorch's bars on the left would be shorter.
#
# On `sim`, minigrad records and replays the launches itself, with the same interface
# and pitfalls. During a capture, **nothing runs**. **Predict** what each `print` shows.

# %%
x, y = minigrad.ones(3, device="sim"), minigrad.zeros(3, device="sim")
y.add_(x * 2)  # a warm-up: constants go to the device, kernels are compiled
step_graph = cuda.CUDAGraph()
with cuda.graph(step_graph, device="sim"):
    y.add_(x * 2)
print(y)
step_graph.replay(), step_graph.replay()
print(y)

# %% [markdown]
# <details><summary>Answer</summary>
#
# The first line shows {{=2, from the warm-up only|tensor([2., 2., 2.]}}. Then the two
# replays add 2 each, which makes {{=6|tensor([6., 6., 6.]}}.
#
# </details>

# %% [markdown]
# **Puzzle 8: the next batch.** The step's input is kept in a list, and the next batch
# contains only 100s. So a replay should add 200, but it adds 2 again without an error.
# Change the line.

# %%
inputs, batch_100 = [x], minigrad.tensor([100.0, 100.0, 100.0], device="sim")
inputs[0] = batch_100  # your line

# %%
before = y[0].item()
step_graph.replay()
print(y[0].item() - before, "solved:", y[0].item() - before == 200)

# %% [markdown]
# <details><summary>Answer</summary>
#
# The given line puts another tensor into the list, but a captured launch holds
# **addresses**, so the graph still reads the memory of x. Write into that memory
# instead.
#
# ```python
# inputs[0].copy_(batch_100)
# ```
#
# </details>

# %% [markdown]
# Because a captured launch holds addresses, a captured step reads **static** tensors,
# which are made once, and you copy each batch into them. During a capture, the host
# can't read results or wait for them, because there aren't any yet. It can't send new
# numbers to the device either, because each replay reads the same host address.

# %%
x = minigrad.ones(3, device="sim")
with trying(), cuda.graph(cuda.CUDAGraph(), device="sim"):
    y = x * 2
    if y.sum() > 3:
        y = y + 1

# %% [markdown]
# minigrad {{=names the line|cannot capture line 4}}, but CUDA only says "operation not
# permitted when stream is capturing" (error 900), and in later calls "operation failed
# due to a previous error during capture" (error 901).
#
# **Puzzle 9: a choice without looking.** Add 1 to y if its sum is more than 3, but let
# the GPU decide. A comparison of tensors is a tensor of bools, and True counts as 1.


# %%
def choose(x):
    y = x * 2
    return y + 1 if y.sum() > 3 else y  # your line


# %%
x, captured, y = minigrad.ones(3, device="sim"), cuda.CUDAGraph(), None
choose(x)
with trying(), cuda.graph(captured, device="sim"):
    y = choose(x)
found = []
if y is not None:
    for value in (1.0, 0.1):
        x.fill_(value)
        captured.replay()
        found.append(round(y[0].item(), 1))
print(found, "solved:", found == [3.0, 0.2])

# %% [markdown]
# <details><summary>Answer</summary>
#
# Each replay computes the comparison again, on the device.
#
# ```python
# return y + (y.sum() > 3)
# ```
#
# </details>

# %% [markdown]
# ### A training step that is replayed
#
# Although the launches stay the same, the first three things below can change from step
# to step, and the fourth needs memory that nothing else overwrites.
#
# | what | where a replay finds it |
# |---|---|
# | the batch | in static tensors, which you copy into |
# | dropout's random numbers | seed and counter in memory, advanced before each replay |
# | learning rate, step number | in tensors: `lr=tensor(...)`, `capturable=True` |
# | intermediate results | in a **private pool**, whose addresses nothing else gets |
#
# The loss is a static tensor too, so read or clone it before the next replay. Read it
# only when you need it, because that makes the host wait for the GPU. **Predict**: are
# the replayed losses below equal to the eager ones, if the learning rate changes
# halfway?

# %%
step, rate = new_step("sim")
x, t = (minigrad.tensor(part.numpy(), device="sim") for part in batch)
eager = [step(x, t).item() for _ in range(2)]
rate.fill_(0.1)
eager += [step(x, t).item() for _ in range(2)]

step, rate = new_step("sim")
found = [step(x, t).item()]
replayed = cuda.CUDAGraph()
with cuda.graph(replayed, device="sim"):
    loss = step(x, t)

# %%
for lr in (0.01, 0.1, 0.1):
    rate.fill_(lr)
    replayed.replay()
    found.append(loss.item())
print(eager == found, found)

# %% [markdown]
# <details><summary>Answer</summary>
#
# {{=Every bit is the same|True}}, because each replay reads the learning rate from its
# tensor.
#
# </details>

# %% [markdown]
# `minigrad.jit(step, mode="reduce-overhead")` combines both ideas, because it traces
# and fuses, and then captures the kernels that are left. `torch.compile` has the same
# mode.
#
# ## Before you go: two questions
#
# 1. `f(x, n)` under `minigrad.jit` is called with n = 1, 2, 1, 2, and so on, 20 times.
#    How many times is it traced?
# 2. A captured step keeps training on the first batch. Where do you look first?
#
# <details><summary>Answers</summary>
#
# 1. It's traced twice, because jit keeps the trace of each number.
# 2. Look at the line that brings in the batch. It has to copy into the static tensor,
#    because an assignment only rebinds the name.
#
# </details>

# %% [markdown]
# **To the lab**: exercise 8 (`copy_inputs`).
#
# Further reading: M. Abadi et al., *TensorFlow: a system for large-scale machine
# learning* (2016); J. Ansel et al., *PyTorch 2* (2024); A. Gray, *Getting started with
# CUDA graphs* (2019); and, in PyTorch's source, `torch/_dynamo/guards.py`,
# `torch/_inductor/scheduler.py`, and `torch/cuda/graphs.py`.
