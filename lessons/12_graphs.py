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
# Until now Python has said each step when it was to be done: `x * y` multiplied. This
# chapter turns that round. First the whole computation is written down, as a **graph**;
# then it is made shorter; then it runs, without Python.
#
# Afterwards you can
#
# - read and write programs in the style of TensorFlow 1: placeholders, a graph, a
#   session, `feed_dict`; and say what `tf.function` and `torch.compile` do;
# - trace a function, fuse its kernels, and say why a trace is made again or refused;
# - capture a training step in a CUDA graph, and find what breaks the capture.
#
# It takes about {{duration}} and builds on chapters 04 (elementwise kernels), 08
# (autograd) and 10 (a training step). Write your guess down where you are asked to
# predict. Nothing needs a GPU.

# %% setup=true
# Set-up: run this cell first. Running it twice does no harm.
import importlib.util
import os
import time

import numpy as np

import minigrad
from grading import trying
from minigrad import answers_from, cuda, graph, nn, optim, viz
from minigrad.nn import functional as F
from minigrad.testing import rates

# In this lesson the course's solutions answer the exercises of the labs.
answers_from("solutions")

# %% [markdown]
# ## A graph, and nothing else
#
# In TensorFlow 1 a program has two parts. The first **defines**. Here it is, in a small
# TensorFlow 1 of some 300 lines, `minigrad.graph`. **Predict**: what does the last line
# print?

# %%
with graph.Graph().as_default() as g:
    x = graph.placeholder("x")
    y = (x * x + 1.0) * 2.0
print(y)

# %% [markdown]
# {{=No number|mul5 = Mul(add3, const4)}}: y is an operation, a node that says what is
# to be done. `x * x` has made such a node, too, and the numbers have become constants.
# x is a **placeholder**: it stands for a value that is not there yet. All of it
# together is the graph:

# %%
viz.program(g)

# %% [markdown]
# The second part **runs**. A **session** is given what is wanted, the fetches, and the
# values of the placeholders:

# %%
session = graph.Session(g)
print(session.run(y, feed_dict={x: 3.0}))
print(session.run(y, feed_dict={x: [1.0, 2.0, 3.0]}))

# %% [markdown]
# The same graph, with other values, even of {{=another shape|tensor([ 4., 10., 20.])}}.
# What Python does, the loops and the `if`s, it did once, while the graph was defined.
# **Predict** what happens here:

# %%
with trying(), g.as_default():
    if y:
        print("not zero")

# %% [markdown]
# `if` needs an answer now, and {{=there is none|it has no value while the graph is
# defined}}: the value comes later, perhaps another one in each run. A choice has to be
# an operation itself, {{=`cond`|tensor(10.) tensor(-1.)}}; a loop as well, TensorFlow's
# `while_loop`. That was the price of the style, and why its users longed for plain
# Python.

# %%
with g.as_default():
    small = graph.cond(x, y, x - 1.0)
print(session.run(small, {x: 2.0}), session.run(small, {x: 0.0}))

# %% [markdown]
# ## What a session does
#
# Since everything is known before anything runs, a session can think first. It finds
# the **order**: an operation after its inputs. And it leaves out what no fetch needs,
# which is called **pruning**.

# %%
with graph.Graph().as_default() as g:
    x, t = graph.placeholder("x"), graph.placeholder("t")
    h = graph.tanh(x * 2.0)
    loss = graph.reduce_sum((h - t) * (h - t))
print([o.name for o in graph.execution_order([h])])
print([o.name for o in graph.execution_order([loss])])

# %% [markdown]
# h needs {{=neither t nor the loss|['const2', 'x', 'mul3', 'tanh4']}}. And any
# operation can be fed: then what only it needed is left out, too. **Predict**: does
# this run lack the value of x?

# %%
with trying():
    print(graph.Session(g).run(loss, {h: [0.5, 0.5], t: [0.0, 1.0]}))
with trying():
    graph.Session(g).run(loss, {t: [0.0, 1.0]})

# %% [markdown]
# The first run {{=does not need x|tensor(0.5000)}}, since h is given. The second does,
# {{=and says so|the placeholder x is not fed}}. Order
# and pruning are exercises 1 and 2.
#
# Some values are the same in every run: what is made of constants alone. They are
# computed once, when the first run is planned (**constant folding**). And what stands
# there twice is computed once (**common subexpressions**). Count what is left:

# %%
with graph.Graph().as_default() as g:
    r = graph.placeholder("r")
    turn = graph.constant(2.0) * 3.14159
    area = (turn * r) * (turn * r)
session = graph.Session(g)
print(session.run(area, {r: 1.0}))
steps, known, twins = next(iter(session.plans.values()))
print("defined:", len(g.operations), " computed in each run:", steps)

# %% [markdown]
# **To the lab**: exercises 1 to 3.
#
# ## Gradients are operations
#
# Autograd goes backward through the graph and computes. Here the walk **defines more
# graph**. That is symbolic differentiation: of an expression, another expression.

# %%
with graph.Graph().as_default() as g:
    x = graph.placeholder("x")
    y = x * x * x
    (dy,) = graph.gradients(y, [x], graph.gradient_of)
    (d2y,) = graph.gradients(dy, [x], graph.gradient_of)
print(len(g.operations), "operations")
graph.Session(g).run([y, dy, d2y], {x: 2.0})

# %% [markdown]
# {{=8}}, {{=3 · 4|tensor(12.)}} and 6 · 2. The second derivative was no special case: a
# gradient is an operation, and so it has a gradient. The price: the graph has grown to
# {{=dozens of operations|53 operations}}, many of them superfluous; pruning, folding
# and merging are no luxury.
#
# With a `Variable`, which a session keeps from run to run, {{=this trains|[14.5,
# 0.5512}}:

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
ours = [session.run([loss, train], {x: X, t: T})[0].item() for _ in range(5)]
print([round(number, 4) for number in ours])

# %% [markdown]
# Fetching `train` is what trains; fetching the loss alone leaves w as it is. Gradients
# as nodes are exercise 4.
#
# ## The same in TensorFlow
#
# TensorFlow 2 still has its first version, as `tf.compat.v1`.
# {{=Line for line|[14.5, 0.5512, 0.0227, 0.0027, 0.0019]}}:

# %%
tensorflow = importlib.util.find_spec("tensorflow")
GET = "not run: TensorFlow is not installed. Get it: pip install tensorflow-cpu"
if tensorflow:
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")  # what it says of itself
    os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")  # and of its library
    import tensorflow as tf

# %%
if tensorflow:
    v1 = tf.compat.v1
    with v1.Graph().as_default() as theirs:
        x, t = v1.placeholder(tf.float32), v1.placeholder(tf.float32)
        w = v1.Variable(np.array([[0.5], [1.0]], "f4"), use_resource=True)
        error = x @ w - t
        loss = v1.reduce_sum(error * error)
        (dw,) = v1.gradients(loss, [w])
        with v1.control_dependencies([loss]):
            train = v1.assign(w, w - 0.02 * dw)
        start = v1.global_variables_initializer()

# %%
if tensorflow:
    with v1.Session(graph=theirs) as tf_session:
        tf_session.run(start)
        found = [tf_session.run([loss, train], {x: X, t: T})[0] for _ in range(5)]
    print([round(float(number), 4) for number in found])
    print(len(theirs.get_operations()), "operations, such as", dw.op.type)
else:
    print(GET)

# %% [markdown]
# And **define by run**, as in PyTorch and minigrad: each line computes at once, and the
# graph for backward is made anew in each round.

# %%
w, found = minigrad.tensor([[0.5], [1.0]], requires_grad=True), []
for _ in range(5):
    error = minigrad.tensor(X) @ w - minigrad.tensor(T)
    loss = (error * error).sum()
    loss.backward()
    with minigrad.no_grad():
        w -= 0.02 * w.grad
    w.grad = None
    found.append(round(loss.item(), 4))
print(found)

# %% [markdown]
# What stands between Python and the kernel is TensorFlow's **architecture**:
#
# | part | what it does |
# |---|---|
# | client, Python | defines the graph: operations with types and attributes |
# | session, C++ | prunes it to the fetches, optimizes it (Grappler), and cuts it |
# | | into one part for each device, with send and receive in between |
# | executor, C++ | runs an operation as soon as its inputs are there |
# | kernel, C++ or CUDA | `OpKernel::Compute`, found by operation, device and dtype |
#
# A product with a transposed matrix is an attribute there, `tf.matmul(a, b,
# transpose_b=True)`, where PyTorch makes a view, `a @ b.T`: a graph has to know the
# layout, a tensor brings it along.
#
# ### And today: tf.function
#
# TensorFlow 2 runs each line at once, as PyTorch does. `tf.function` brings the graph
# back: **tracing** is to run a Python function once, and to write its operators down.
# The same program once more:

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
# It is called five times, and then with half of the batch. **Predict** how often
# "tracing" is printed.

# %%
if tensorflow:
    print([round(float(step(X, T)), 4) for _ in range(5)])
    step(X[:1], T[:1])
else:
    print(GET)

# %% [markdown]
# {{=Once for each shape|tracing}}: Python's `print` ran while it was traced, and the
# graph does not know of it. What each way of writing one program can see, and cannot:
#
# | | the graph is made | an `if` on a value | `print(x)` |
# |---|---|---|---|
# | PyTorch, minigrad | in each forward, for backward | runs | numbers |
# | `tf.compat.v1` | once, by hand | error: `cond` | a node |
# | `tf.function` | at the first call for a shape | becomes `tf.cond` | a node, once |
# | `torch.compile` | at the first call, by guards | a graph break | a graph break |
# | `minigrad.jit` | at the first call, by guards | refused | refused |
#
# The first sees each step when it is made, and never the whole before it runs; the
# others see the whole, and no values. An error names the line that failed in the first,
# a node in the second, and the line that was traced in the others.
#
# ### PyTorch and TensorFlow, point by point
#
# **Predict** how the two differ today: in debugging, in control flow, in deployment.
#
# | | PyTorch | TensorFlow |
# |---|---|---|
# | graph | made by running, a new one each time | the first idea; eager since 2019 |
# | whole graphs | `torch.compile`, `torch.export` | `tf.function` |
# | debugging | Python's: print, pdb, traces | eager: the same; graphs: `tf.print` |
# | control flow | Python's | in graphs `tf.cond`, or AutoGraph writes it |
# | deployment | `torch.export`, ONNX, ExecuTorch | SavedModel, TF Serving, LiteRT |
# | extension | dispatcher, `torch.library` | `REGISTER_OP`, `OpKernel` |
#
# The last line is chapter 11.
#
# ## A graph without a second language
#
# `minigrad.jit` takes a plain function. The first call runs it, and notes every
# operator that it calls: a **trace**.


# %%
@minigrad.jit
def f(x, y):
    return (x * y + 1).relu() * 0.5 - y


x, y = minigrad.randn(6, 4, device="sim"), minigrad.randn(4, device="sim")
f(x, y)
print(f.graph)

# %% [markdown]
# Each line is a node: its number, what it does, to which others, and the dtype and
# shape of the result. The five operators were put into {{=one
# node|fused_mul_add_relu_mul_and_1_more}}, of which more soon. **Predict** how many
# kernels the next call launches, and how many the plain function does.

# %%
with minigrad.trace() as plain:
    f.function(x, y)
with minigrad.trace() as fused:
    f(x, y)
print(plain, fused, sep="\n\n")

# %% [markdown]
# {{=One|fused_mul_add_relu_mul_and_1_more}} instead of five. Its text was written by a
# program, from the expressions in CUDA C that each elementwise operator has had since
# chapter 04:

# %%
viz.source(f.code)

# %% [markdown]
# What was a tensor in between is now a variable, {{=`v2`|float v2 = v0 * v1}}: it lives
# in a register, and neither is memory allocated for it nor is it written there and read
# again. Look at `p1[i % 4]`: y is broadcast by its index. On "cpu" the same graph
# becomes a function of NumPy.
#
# The answers are those of the plain function, {{=to the bit|True}}: the same operations
# in the same order, each rounded by itself. On a GPU the compiler would contract a ·
# b + c to one fused multiply-add, which rounds once; fused kernels are compiled without
# that.

# %%
same = f(x, y).cpu().numpy() == f.function(x, y).cpu().numpy()
print(same.all())
viz.program(f)

# %% [markdown]
# ### What can be one kernel?
#
# Several operators in one kernel are a **fusion**. A thread computes one element of
# everything in its kernel. So **predict** where this chain is cut:

# %%
g = minigrad.jit(lambda x: ((x * 2 + 1) / (x * 2 + 1).sum() - 0.5).relu())
g(x)
viz.program(g)

# %% [markdown]
# {{=At the sum|%3 sum uses %1 mul}}: it needs all elements, a thread has one. What
# stands before it is a kernel, what stands after it another. And `x * 2 + 1` is there
# once: the second was a common subexpression.
#
# There are two more rules, exercise 6. A fused kernel runs where its last node stands,
# so nothing in between may use its results, and nothing may write to what it reads.
#
# ### Epilogues and prologues
#
# A product of matrices is no chain. But at its end a thread has an element in a
# register and stores it, and a chain would read it again. What is computed from it can
# come before the store. It's an **epilogue** of the product. And what a sum reads can
# be made while it is read. That's a **prologue**. **Predict** how many kernels these
# seven operators are, and which belong together:


# %%
def loss(x):
    return (((x @ first + bias).relu() @ second - 1) ** 2).mean()


first, bias = minigrad.randn(4, 8, device="sim"), minigrad.randn(8, device="sim")
second, loss = minigrad.randn(8, 3, device="sim"), minigrad.jit(loss)
with minigrad.kernel_variant("fastest"):  # yours take no epilogue
    loss(x)
    print(loss.graph.count(), "kernels:", loss.graph, loss.code, sep="\n\n")

# %% [markdown]
# {{=Three}}: `- 1` and `** 2` could be the epilogue of the second product or the
# prologue of the mean, and save the same. The library's kernels store
# `EPILOGUE(i, value)` and read `PROLOGUE(x, i)`, which are `value` and `x[i]` until jit
# puts its own text in front.
#
# jit does that where nobody else reads what is in between: then it costs nothing.
# Backward may be such a reader: relu's gradient is content with relu's result, gelu's
# needs its operand. On a GPU a product's epilogue is compiled with the product, where
# a · b + c is rounded once: the last bit may differ. `jit.explain` names what stays a
# kernel of its own because it follows a kernel of yours.
#
# **To the lab**: exercises 5 to 7.
#
# ## When a trace is wrong
#
# A trace is what happened **once**. **Predict** what the second call of `h` returns, if
# jit were careless:


# %%
@minigrad.jit
def h(x):
    if x.sum() > 0:
        return x + 1
    return x - 1


print(h(minigrad.ones(2)), h(-minigrad.ones(2)))
print(minigrad.jit.explain(h))

# %% [markdown]
# A trace of the first call is "add 1", which is wrong for the second. jit noticed that
# an `if` read a tensor's value, {{=named the line|line 3}}, and runs the function as it
# is. So it does for `item()`, and where an input is written to. (`torch.compile` cuts
# the graph there in two, a **graph break**, and lets Python decide in between.)
#
# Other things it notes, and compares before each call: the **guards**.

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
# {{=Another shape|(5, 4)}}, {{=another mode|model.training was True, is False}}:
# another trace. Writing down too little gives wrong answers; too much, and every call
# is traced. After eight traces it gives up and says so, as `torch.compile` does.
# Exercise 8.
#
# ## A whole training step
#
# A function may call backward() and change weights: those are operators, too.


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
# {{=The same losses to the last digit|True}}, with dropout in it. The first call makes
# Adam's state, so the second is traced {{=once more|calls 4, traces 2}}; from then on
# the trace holds. How much shorter is it?

# %%
with minigrad.trace() as launches:
    step.function(*batch)
print(len(launches), "operators as it is,", step.graph.count(), "kernels by jit")
print(*step.code.split("\n\n")[:2], sep="\n\n")

# %% [markdown]
# ## CUDA graphs: the launches as one
#
# On a GPU a small step is bound by the **host**: each launch costs it a few
# microseconds, and a kernel of 2 µs is done before the next one arrives. A **CUDA
# graph** is the list of launches, captured once and given to the driver as one.

# %%
table, eager = "mnist/mnist on cuda", "minigrad, fastest"
ways = eager, "minigrad.jit", "minigrad.jit with a CUDA graph", "PyTorch, CUDA graph"
rows = {way: way for way in ways}
viz.ranking({
    "chapter 10's network, µs": rates(table, rows, "step of 64"),
    "a small one, µs": rates(table, rows, "784-30-10"),
})  # fmt: skip

# %% [markdown]
# These are times of a step on a GPU (`docs/benchmarks/mnist.md` has all of them, and
# which kernels take them). Without a GPU minigrad records the launches itself and
# replays them: the same interface, and the same pitfalls.
#
# While something is captured **nothing runs**. Predict the two lines:

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
# [{{=2}}, {{=2}}, {{=2}}], from the warm-up alone; and two replays later [{{=6}},
# {{=6}}, {{=6}}].
#
# ### Break it: another batch
#
# The launches hold **addresses**. Here is a new batch, under the old name. Predict y:

# %%
x = minigrad.tensor([100.0, 100.0, 100.0], device="sim")
step_graph.replay()
print(y)

# %% [markdown]
# {{=8}}: the graph reads the memory that x had when it was captured, and nothing
# complains. That is the most frequent mistake with CUDA graphs. The remedy is a
# **static** tensor, made once, into which each batch is copied: `copy_inputs`, exercise
# 9.
#
# Nor may the host {{=look at results|cannot capture line 4}} in between, for there are
# none:

# %%
x = minigrad.ones(3, device="sim")
with trying(), cuda.graph(cuda.CUDAGraph(), device="sim"):
    y = x * 2
    if y.sum() > 3:
        y = y + 1

# %% [markdown]
# The driver's own message comes late and names no line ("operation failed due to a
# previous error during capture"). Which events break a capture is exercise 10.
#
# ### A training step that is replayed
#
# Four things change from step to step although the launches stay the same:
#
# | what | where it lies, so that a replay finds it |
# |---|---|
# | the batch | static tensors, copied into |
# | dropout's random numbers | seed and counter in memory, moved on before each replay |
# | learning rate, number of the step | tensors: `lr=tensor(...)`, `capturable=True` |
# | memory in between | a **private pool**: addresses that are given to nothing else |
#
# The loss is a static tensor, too: read it after the replay, or clone it, and only
# when you need it: reading waits.

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
# {{=Every bit the same|True}}: with dropout, and with a learning rate that changed
# halfway.
#
# `minigrad.jit(step, mode="reduce-overhead")` does both: it traces, fuses, and captures
# what is left. `torch.compile` has the same mode. How long does a call take here?

# %%
for mode in (None, "reduce-overhead"):
    step, _ = new_step(jit=minigrad.jit(mode=mode))
    for _ in range(4):
        step(*batch)
    began = time.perf_counter()
    for _ in range(20):
        step(*batch)
    print(mode, f"{(time.perf_counter() - began) / 20 * 1e3:.2f} ms a step")

# %% [markdown]
# On "cpu" there is no launch to save, and what differs is mostly chance. On a GPU a
# replay is faster: see the picture above. `examples/train_mnist.py --jit` trains the
# network of chapter 10 so.
#
# ## What to remember
#
# - Defined first, a computation can be pruned, folded, merged and differentiated before
#   it runs; but it cannot ask what a value is.
# - A trace gets the graph from plain code. It holds for what the guards say.
# - Fusion keeps what is in between in registers; a sum, another shape, a write or a use
#   in between ends it.
# - A CUDA graph replays launches with their addresses: static buffers, no look at
#   results, what changes lies in memory.
#
# ## Before you go: three questions
#
# 1. A function multiplies by a Python number that the caller passes, another one in
#    each call. What does `jit.explain` say after ten calls, and what is the remedy?
# 2. `(x * y).sum()` and `x * y + x` are both returned. May the product and the addition
#    be one kernel?
# 3. A captured step trains on the first batch for ever. Where do you look first?
#
# <details><summary>Answers</summary>
#
# 1. Eight traces, each for another number, and then it gives up. Pass a tensor: its
#    numbers are no part of the guards.
# 2. In this order no: the sum uses the product, and stands between them. With the sum
#    last, yes: the kernel has two outputs, and one is the product.
# 3. Whether the batch is copied into the tensor that was captured, or only bound to its
#    name.
#
# </details>

# %% [markdown]
# **To the lab**. When it is done, `minigrad.jit` runs your
# passes and launches kernels that your program has written.
#
# To read on: M. Abadi and others, *TensorFlow: a system for large-scale machine
# learning* (2016); J. Ansel and others, *PyTorch 2* (2024); A. Gray, *Getting started
# with CUDA graphs* (2019). In PyTorch: `torch/fx/graph.py` (`Graph.print_tabular`),
# `torch/_dynamo/guards.py` (`CheckFunctionManager`),
# `torch/_inductor/scheduler.py` (`can_fuse`), `torch/_inductor/codegen/triton.py`
# (`TritonKernel`), `torch/cuda/graphs.py` (`make_graphed_callables`).
