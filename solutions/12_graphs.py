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
# # Lab 12 · Define, then run
#
# Ten functions, about {{duration}}. The first four are the heart of a small
# TensorFlow 1, `minigrad.graph`: in which order a graph runs, what of it, what is known
# before, and gradients as further operations. The next four are the heart of
# `minigrad.jit`: what is computed twice, what may be one kernel, the text of that
# kernel, and when a trace is no longer good. The last two belong to CUDA graphs,
# `minigrad.cuda`.
#
# All of them are used from then on: `minigrad.jit` runs your passes, and launches the
# kernels that you have written.
#
# Above the cell of an answer stands its contract: it says all that is tested. Put your
# code in the place of `# YOUR CODE HERE`, run the cell, and check as often as you like.
# The lesson has the pictures. No GPU is needed.

# %% setup=true
# Set-up: run this cell first. Running it twice does no harm.
import re

import minigrad
from grading import check, trying
from minigrad import answers_from, cuda, graph, solves
from minigrad.cuda import capture_failure, copy_inputs
from minigrad.graph import execution_order, fold_constants, gradients, pruned
from minigrad.jit.codegen import fused_kernel
from minigrad.jit.guards import guard_failures
from minigrad.jit.passes import can_fuse, common_subexpressions

answers_from("labs", before="12_graphs")

# %% [markdown] task="execution_order"
# ## In which order?
#
# `Session.run` is given what is wanted, the fetches. Each operation knows the ones that
# it uses, its `inputs`, and none knows what uses it. So begin at the fetches and go
# towards the inputs: what is never reached is not needed.
#
# >     a     b
# >      \   / \
# >       sum   twice          run([sum]):  a, b, sum   or   b, a, sum
#
# In lab 08 the order of autograd's nodes went the other way, from the loss to the
# leaves. The care is the same: each once, and no recursion.

# %%
with graph.Graph().as_default() as g:
    a, b = graph.placeholder("a"), graph.placeholder("b")
    total, twice = a + b, b * 2.0
print(g)

# %% [markdown] hints="execution_order"
# <details><summary>Hint 1</summary>
#
# Keep a list of your own of what is still to be visited, with pairs: (operation, False)
# means "visit it", (operation, True) "all its inputs are done".
#
# </details>
# <details><summary>Hint 2</summary>
#
# Take a pair from the end. If it says True, the operation goes to the result. If not,
# and it was not seen before: put (operation, True) back, and above it (i, False) for
# each of its inputs.
#
# </details>


# %% exercise="execution_order"
@solves(execution_order)
def execution_order(fetches):
    ### BEGIN SOLUTION
    done, seen, stack = [], set(), [(f, False) for f in reversed(fetches)]  #: done
    while stack:
        operation, inputs_done = stack.pop()
        if inputs_done:
            done.append(operation)
        elif operation not in seen:
            seen.add(operation)
            stack.append((operation, True))  #: append
            stack += [(i, False) for i in operation.inputs]
    return done  #: result
    ### END SOLUTION


# %%
with trying():
    print([o.name for o in execution_order([total])])

# %% check="execution_order"
check(execution_order)

# %% [markdown] task="pruned"
# ## Only what is needed
#
# Any operation can be fed, not only a placeholder: `feed_dict={h: ...}` replaces what h
# would be. Then h is not computed, and neither is what only h needed. That is how one
# tests the end of a network without its beginning.
#
# > x → h → y → loss, and x → z → loss. With h fed, x is still needed, for z.

# %%
with graph.Graph().as_default():
    x = graph.placeholder("x")
    h = graph.tanh(x)
    y = h * 3.0
print([o.name for o in (x, h, y)])

# %% [markdown] hints="pruned"
# <details><summary>Hint 1</summary>
#
# Walk through the order **backwards**, with a set of what is needed, the fetches at
# first. An operation of the set that is not fed puts its inputs into the set.
#
# </details>
# <details><summary>Hint 2</summary>
#
# Backwards, all users of an operation come before it. So when its turn comes it is
# known whether it is needed. At the end the list is in reverse.
#
# </details>


# %% exercise="pruned"
@solves(pruned)
def pruned(order, fetches, fed):
    ### BEGIN SOLUTION
    needed, kept = set(fetches), []
    for operation in reversed(order):  #: each_operation
        if operation in needed and operation not in fed:  #: if_operation
            if operation.type == "Placeholder":  #: refuse_type
                #: error
                raise ValueError(f"the placeholder {operation.name} is not fed")
            needed.update(operation.inputs)
            kept.append(operation)
    return kept[::-1]  #: result
    ### END SOLUTION


# %%
with trying():
    order = [x, h, *y.inputs[1:], y]
    print([o.name for o in pruned(order, [y], {h})])

# %% check="pruned"
check(pruned)

# %% [markdown] task="fold_constants"
# ## What is known before
#
# `2.0 * 3.14159 * r`: the product of the two numbers is the same in each run. Since the
# whole graph is there before the first run, it can be computed once.
#
# Constants spread: an operation whose inputs are all constants is one. But random
# numbers are no constants, although the operation that draws them has no inputs that
# could change.

# %%
print(graph.STATEFUL)

# %% [markdown] hints="fold_constants"
# <details><summary>Hint 1</summary>
#
# Go through the order with a dict of what is known. The inputs of an operation stand
# before it, so for those it is settled already.
#
# </details>
# <details><summary>Hint 2</summary>
#
# `all(...)` of nothing is True. An operation without inputs, of a type that you do not
# know, has no constant value.
#
# </details>


# %% exercise="fold_constants"
@solves(fold_constants)
def fold_constants(order, kernels, stateful):
    ### BEGIN SOLUTION
    known = {}
    for operation in order:
        if operation.type == "Const":  #: if_type
            known[operation] = operation.value  #: known
        elif operation.type in stateful or not operation.inputs:  #: elif_type
            continue
        elif all(i in known for i in operation.inputs):  #: elif_i
            values = [known[i] for i in operation.inputs]  #: values
            known[operation] = kernels[operation.type](*values)  #: set_known
    return known  #: result
    ### END SOLUTION


# %%
with trying(), graph.Graph().as_default():
    r = graph.placeholder("r")
    turn = graph.constant(2.0) * 3.14159
    order = [r, *turn.inputs, turn, turn * r]
    known = fold_constants(order, graph.KERNELS, graph.STATEFUL)
    print({o.name: v.item() for o, v in known.items()})

# %% check="fold_constants"
check(fold_constants)

# %% [markdown] task="gradients"
# ## Gradients are operations
#
# Autograd walks through the graph backwards and **computes**. Here nothing is computed:
# the walk **defines** more operations, and a gradient is one of them. A session runs it
# as it runs everything else, and gradients of gradients are no special case.
#
# > y = a · b + a: `gradients(y, [a])` defines b · 1 and 1, and their sum
#
# `grad_of(operation, dy)` defines the gradients of an operation's inputs. Which
# operations are to be asked? Those that lie between: y depends on them, and they depend
# on one of xs.

# %%
with graph.Graph().as_default():
    a, b = graph.placeholder("a"), graph.placeholder("b")
    y = a * b
    print(graph.gradient_of(y, graph.constant(1.0)))

# %% [markdown] hints="gradients"
# <details><summary>Hint 1</summary>
#
# `order = execution_order([y])` has each operation after its inputs; backwards, each
# comes after all that use it. Keep a dict {operation: its gradient so far}, and begin
# with `{y: graph.op("OnesLike", y)}`.
#
# </details>
# <details><summary>Hint 2</summary>
#
# First, forwards: an operation leads to xs if it is one of them, or one of its inputs
# leads there. A set of those is three lines.
#
# </details>
# <details><summary>Hint 3</summary>
#
# Backwards: leave out what has no gradient, and what has no input that leads to xs.
# Else ask, and for each input that leads to xs add what came, if it is not None:
# `g if i not in dict else dict[i] + g`.
#
# </details>


# %% exercise="gradients"
@solves(gradients)
def gradients(y, xs, grad_of):
    ### BEGIN SOLUTION
    leads, between = set(xs), []
    for operation in execution_order([y]):
        if leads.intersection(operation.inputs):  #: if_intersection
            leads.add(operation)
            between.append(operation)
    found = {y: graph.op("OnesLike", y)}  #: found
    for operation in reversed(between):  #: each_operation
        if operation in found:  #: if_operation
            parts = grad_of(operation, found[operation])
            for i, part in zip(operation.inputs, parts, strict=True):  #: each_i
                if part is not None:  #: if_part
                    found[i] = found[i] + part if i in found else part  #: set_found
    return [found.get(x) for x in xs]  #: result
    ### END SOLUTION


# %%
with trying(), graph.Graph().as_default():
    a, b = graph.placeholder("a"), graph.placeholder("b")
    da, db = gradients(a * b + a, [a, b], graph.gradient_of)
    print(graph.Session().run([da, db], {a: 2.0, b: 5.0}))  # 1 to 3 are needed, too

# %% check="gradients"
check(gradients)

# %% [markdown] task="common_subexpressions"
# ## Computed once
#
# From here on it is about `minigrad.jit`. It has run a function and written down what
# was called, as **nodes**. Of two nodes with the same target and the same args one is
# enough. And that spreads: when d is c, then 2 · d is 2 · c.
#
# Backward is full of such pairs: the gradients of `x * y` and of `x / y` both need y
# transposed, cast or broadcast.

# %%
print(hash((1, "a")) == hash((1.0, "a")), 1 == 1.0 == True)  # noqa: E712

# %% [markdown] hints="common_subexpressions"
# <details><summary>Hint 1</summary>
#
# A dict from what a node does to the first node that did it. The key is made of target,
# args and kwargs: a tuple, since lists and dicts cannot be keys.
#
# </details>
# <details><summary>Hint 2</summary>
#
# In the key, the place of a node among the args is taken by the one that it equals, if
# it has been found to equal one: `twins.get(a, a)`. A number stands there with its
# type, since 1, 1.0 and True are one key in a dict.
#
# </details>


# %% exercise="common_subexpressions"
@solves(common_subexpressions)
def common_subexpressions(nodes):
    ### BEGIN SOLUTION
    first, twins = {}, {}
    for node in nodes:
        if node.op != "call_function":  #: if_node_op
            continue
        #: args
        args = [twins.get(a, a) if hasattr(a, "op") else repr(a) for a in node.args]
        #: options
        options = [(name, repr(value)) for name, value in sorted(node.kwargs.items())]
        key = node.target, tuple(args), tuple(options)  #: key
        if key in first:
            twins[node] = first[key]  #: twins
        else:
            first[key] = node
    return twins  #: result
    ### END SOLUTION


# %%
with trying():
    f = minigrad.jit(lambda x, y: ((x + y) * 2, (x + y) * 2 + 1))
    f(minigrad.ones(3), minigrad.ones(3))  # exercises 6 to 8 are needed, too
    print(f.graph)

# %% check="common_subexpressions"
check(common_subexpressions)

# %% [markdown] task="can_fuse"
# ## One kernel for several
#
# `(x * y + 1).relu()` as three kernels reads and writes memory six times, as one kernel
# twice, and memory is what takes the time. A thread of the fused kernel makes element i
# of each of the three, so that will do only if element i needs nothing but element i.
#
# The fused kernel is launched where its **last** node stands. So the others move down
# to there, past all that stands between. A node that uses one of them in between
# would come too early; one that writes to memory that they read would spoil it.
#
# >     %2 = mul %0 %1
# >     %3 = sum %2            uses %2: between %2 and %4 it cannot stand
# >     %4 = add %2 1

# %%
with trying():
    print(can_fuse.__doc__.splitlines()[0])

# %% [markdown] hints="can_fuse"
# <details><summary>Hint 1</summary>
#
# Three questions, one after the other, each with its own `return False`; at the end
# `return True`. The shape and device of a group are those of its first node.
#
# </details>
# <details><summary>Hint 2</summary>
#
# What the group touches is the union of `reads` and `writes` of all its nodes. Of two
# sets, `a & b` is what both have; an empty set counts as False.
#
# </details>


# %% exercise="can_fuse"
@solves(can_fuse)
def can_fuse(group, node, between):
    ### BEGIN SOLUTION
    first, touched = group[0], set()  #: first
    for n in group:  #: each_n
        touched |= set(n.reads) | set(n.writes)  #: join_touched
    #: if_node_pointwise
    if not node.pointwise or (node.shape, node.device) != (first.shape, first.device):
        return False
    for other in between:  #: each_other
        #: if_n
        if any(n in other.inputs for n in group) or touched & set(other.writes):
            return False
    return True
    ### END SOLUTION


# %%
with trying():
    f = minigrad.jit(lambda x, y: (x * y + 1).relu())
    f(minigrad.ones(3), minigrad.ones(3))  # exercises 7 and 8 are needed, too
    print(f.graph)

# %% check="can_fuse"
check(can_fuse)

# %% [markdown] task="fused_kernel"
# ## The kernel, written by a program
#
# Each elementwise operator of minigrad knows its expression in CUDA C, of a, b and c:
# mul is "a * b", relu is "(a < 0 ? 0 : a)". A fused kernel is these expressions one
# after the other, with a variable for each result, and a, b, c replaced by the
# variables that stand for them.
#
# You write a function that returns that text. It is checked by compiling what it
# returns, and by running it.
#
# Replace whole words: `max(a, b)` has an `a` in `max`, too. And all at once: where b
# stands for a variable and that is called `a`, it must not be replaced again.

# %%
print(re.sub(r"\b[ab]\b", lambda word: {"a": "v0", "b": "v1"}[word[0]], "max(a, b)"))

# %% [markdown] hints="fused_kernel"
# <details><summary>Hint 1</summary>
#
# Make lists of lines: one for the inputs, `f"    {type} {variable} = p{k}[{index}];"`,
# one for the steps, one for the outputs, and join them with "\n" at the end.
#
# </details>
# <details><summary>Hint 2</summary>
#
# For a step: `names = dict(zip("abc", operands))`, and "M" for M. Then
# `re.sub(r"\b[abcM]\b", lambda word: names[word[0]], expression)` replaces all of them
# at once.
#
# </details>
# <details><summary>Hint 3</summary>
#
# The first lines of the body are those of every kernel since lab 01: the index i as
# long long, and the guard. The type of an output's pointer is that of its step.
#
# </details>


# %% exercise="fused_kernel"
@solves(fused_kernel)
def fused_kernel(name, inputs, steps, outputs):
    ### BEGIN SOLUTION
    types = {variable: type for variable, type, *_ in steps}
    parameters = [f"const {type}* p{k}" for k, (_, type, _) in enumerate(inputs)]
    #: add_parameters
    parameters += [f"{types[v]}* y{k}" for k, v in enumerate(outputs)]
    lines = [  #: lines
        f'extern "C" __global__ void {name}({", ".join(parameters)}, long long n) {{',
        "    long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;",
        "    if (i >= n) return;",
    ]
    for k, (variable, type, index) in enumerate(inputs):
        lines.append(f"    {type} {variable} = p{k}[{index}];")  #: append
    for variable, type, expression, operands, M in steps:  #: each_variable
        names = {**dict(zip("abc", operands, strict=False)), "M": M}  #: names
        #: text
        text = re.sub(r"\b[abcM]\b", lambda word, n=names: n[word[0]], expression)
        lines.append(f"    {type} {variable} = {text};")  #: append_lines
    #: add_lines
    lines += [f"    y{k}[i] = {variable};" for k, variable in enumerate(outputs)]
    return "\n".join([*lines, "}"])  #: result
    ### END SOLUTION


# %%
with trying():
    inputs = [("v0", "float", "i"), ("v1", "float", "i % 4")]
    steps = [
        ("v2", "float", "a * b", ("v0", "v1"), "float"),
        ("v3", "float", "max(a, (M)0)", ("v2",), "float"),
    ]
    text = fused_kernel("fused_mul_max", inputs, steps, ["v3"])
    print(text)
    minigrad.Kernel(text, "fused_mul_max")

# %% check="fused_kernel"
check(fused_kernel)

# %% [markdown] task="guard_failures"
# ## Is the trace still good?
#
# A trace holds what was done in one call: with these shapes, on this device, in this
# mode. `minigrad.jit` writes all of it down, and compares it with the next call before
# it runs the trace. What differs is what `jit.explain` prints.
#
# Too strict, and everything is traced again at each call; too lax, and the answer is
# wrong: 3 / 2 is not 3.0 // 2.

# %%
traced = {"x": ("float32", "cpu", (64, 10), (10, 1)), "model.training": True}
now = {"x": ("float32", "cpu", (32, 10), (10, 1)), "model.training": True}
print(traced == now, float("nan") == float("nan"), (1, 2) == (1.0, True + 1))

# %% [markdown] hints="guard_failures"
# <details><summary>Hint 1</summary>
#
# The names in order: those of `traced`, then those of `now` that it lacks.
# `traced.get(name, "nothing")` would do for the text; but a value may be the text
# "nothing", too, so ask `name in traced` where it matters.
#
# </details>
# <details><summary>Hint 2</summary>
#
# `==` says that 1, 1.0 and True are the same, and that nan is not itself. `repr` writes
# them differently, in tuples as well: "(1, 2)", "(1.0, 2)", "nan".
#
# </details>


# %% exercise="guard_failures"
@solves(guard_failures)
def guard_failures(traced, now):
    ### BEGIN SOLUTION
    failures = []
    for name in [*traced, *(n for n in now if n not in traced)]:  #: each_name
        old = repr(traced[name]) if name in traced else "nothing"  #: old
        new = repr(now[name]) if name in now else "nothing"  #: new
        if old != new:  #: if_old
            failures.append(f"{name} was {old}, is {new}")
    return failures  #: result
    ### END SOLUTION


# %%
with trying():
    print(guard_failures(traced, now))

# %% check="guard_failures"
check(guard_failures)

# %% [markdown] task="copy_inputs"
# ## The memory that a graph reads
#
# A CUDA graph is a list of launches with their arguments, and those are **addresses**.
# After `x = next_batch` there is a new tensor in x, and the graph reads the old one's
# memory still: it trains on the first batch for ever, and nothing complains.
#
# So there are static tensors, made once, and each batch is copied into them.

# %%
static = [minigrad.zeros(3), minigrad.zeros(2)]
x = static[0]
x = minigrad.ones(3)  # a new tensor under an old name
print(static[0])

# %% [markdown] hints="copy_inputs"
# <details><summary>Hint 1</summary>
#
# Two loops over the pairs: the first checks shape, dtype and device, the second copies,
# with `t.copy_(x)`. If all is checked first, nothing has been written when it raises.
#
# </details>
# <details><summary>Hint 2</summary>
#
# `copy_inputs([s, t], [t, s])` exchanges the two: after the first copy the old s is
# gone. A clone() of what reads static memory, made before the first copy, helps: the
# given ones whose `storage` is that of a static tensor.
#
# </details>


# %% exercise="copy_inputs"
@solves(copy_inputs)
def copy_inputs(static, given):
    ### BEGIN SOLUTION
    for number, (t, x) in enumerate(zip(static, given, strict=True)):
        #: refuse_t_shape
        if (t.shape, t.dtype, t.device) != (x.shape, x.dtype, x.device):
            raise RuntimeError(  #: error
                f"input {number}: the graph was captured with {t.dtype} of shape "
                f"{list(t.shape)} on {t.device!r}, and this is {x.dtype} of shape "
                f"{list(x.shape)} on {x.device!r}"
            )
    memory = {id(t.storage) for t in static}
    given = [x.clone() if id(x.storage) in memory else x for x in given]  #: given
    for t, x in zip(static, given, strict=True):
        t.copy_(x)  #: copy
    ### END SOLUTION


# %%
with trying():
    copy_inputs(static, [minigrad.tensor([1.0, 2.0, 3.0]), minigrad.ones(2)])
    print(static)

# %% check="copy_inputs"
check(copy_inputs)

# %% [markdown] task="capture_failure"
# ## Why does the capture fail?
#
# While a stream is being captured nothing runs: kernels are written down, and that is
# all. So the host can neither read a result, for there is none, nor wait for one. What
# it copies to the device would be this batch's numbers in every replay. And memory must
# come from a pool that belongs to the graph, because its addresses are in the launches.
#
# The driver says "operation failed due to a previous error during capture", long after.
# You say which line it was.

# %%
events = [
    ("pool", ("step.py", 1), 4096),
    ("begin", ("step.py", 4), ""),
    ("launch", ("step.py", 5), "matmul"),
    ("read", ("step.py", 6), "item()"),
]
print(events[-1])

# %% [markdown] hints="capture_failure"
# <details><summary>Hint 1</summary>
#
# Three things change as you go through the events: are we inside, how large is the
# pool, how much of it is left.
#
# </details>
# <details><summary>Hint 2</summary>
#
# `continue` for what happens outside. At "begin" the pool is full: what is left is what
# the last "pool" said. Only inside do "allocate" and "free" count.
#
# </details>


# %% exercise="capture_failure"
@solves(capture_failure)
def capture_failure(events):
    ### BEGIN SOLUTION
    inside, pool, left = False, 0, 0  #: inside
    for kind, line, detail in events:
        if kind == "begin":
            inside, left = True, pool  #: left
        elif kind == "end":
            inside = False  #: inside_kind
        elif not inside:  #: elif_inside
            pool = detail if kind == "pool" else pool  #: pool
        elif kind == "read":
            #: early_result
            return line, f"{detail} reads numbers that are not there yet"
        elif kind == "upload":
            #: result_kind
            return line, "numbers are copied from the host: at a replay they are old"
        elif kind == "synchronize":
            return line, "the host waits for work that has not begun"  #: waits_early
        elif kind == "allocate":
            left -= detail
            if left < 0:  #: if_left
                return line, f"{-left} bytes are missing in the pool"  #: result_left
        elif kind == "free":
            left += detail  #: add_left
    return None  #: result
    ### END SOLUTION


# %%
with trying():
    print(capture_failure(events))

# %% check="capture_failure"
check(capture_failure)

# %% [markdown]
# ## It runs
#
# A training step, traced, fused and captured; and the same without all that.

# %%
with trying():
    weight = minigrad.tensor([[0.5], [-1.0]])
    data = minigrad.tensor([[1.0, 2.0], [3.0, 4.0]])

    @minigrad.jit(mode="reduce-overhead")
    def step(x):
        return ((x @ weight).tanh() * 2 + 1).sum()

    for scale in (1.0, 2.0, 3.0):
        print(step(data * scale).item(), step.function(data * scale).item())
    print(step.code)
    print(cuda.is_available())
