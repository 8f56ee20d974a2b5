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
# In this lab, you write eight functions, which take about {{duration}}. The first four
# are the heart of `minigrad.graph`, a small version of TensorFlow 1. Three of them plan
# a run, and the fourth defines gradients. The next three belong to `minigrad.jit`, and
# the last one to CUDA graphs. Once you've run a cell with your code, minigrad uses it,
# so in the end, `minigrad.jit` launches kernels that your `fused_kernel` has written.

# %% [markdown]
# {{how}}

# %% setup=true
# Set-up: run this cell first. Running it twice does no harm.
import re

import minigrad
from grading import check, trying
from minigrad import answers_from, graph, solves
from minigrad.cuda import copy_inputs
from minigrad.graph import execution_order, fold_constants, gradients, pruned
from minigrad.jit.codegen import fused_kernel
from minigrad.jit.passes import can_fuse, common_subexpressions

answers_from("labs", before="12_graphs")

# %% [markdown] task="execution_order"
# ## In which order?
#
# Each operation knows which others it uses (its `inputs`), but not which ones use it.
# So begin at the fetches, which are the operations that you want, and go toward the
# inputs. What you never reach isn't needed.
#
# >     a     b
# >      \   / \
# >       sum   twice          run([sum]):  a, b, sum   or   b, a, sum
#
# Write `execution_order`. In lab 08, autograd's order ran the other way, from the loss
# to the leaves, but the difficulties are the same. Each operation may be listed only
# once, and your function can't call itself, because graphs are too deep for that.

# %%
with graph.Graph().as_default() as g:
    a, b = graph.placeholder("a"), graph.placeholder("b")
    total, twice = a + b, b * 2.0
print(g)

# %% [markdown] hints="execution_order"
# <details><summary>Hint 1</summary>
#
# When may you write an operation down? How do you know, when you come back to it, that
# all its inputs are done?
#
# </details>
# <details><summary>Hint 2</summary>
#
# Keep a list of pairs that you still have to handle. (operation, False) means that you
# have to visit it, and (operation, True) means that its inputs are done.
#
# </details>
# <details><summary>Hint 3</summary>
#
# Take a pair from the end. If it says True, append the operation to the result. If it
# says False and the operation is new, put (operation, True) back, and then (i, False)
# for each of its inputs.
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
# ## Only what's needed
#
# You can feed any operation, not only a placeholder, so `feed_dict={h: ...}` replaces
# the value of h. Then h isn't computed, and neither is anything that only h needs, so
# you can test the end of a network without its beginning.
#
# > x → h → y → loss, and x → z → loss. With h fed, x is still needed for z.
#
# Write `pruned`, which takes the order from exercise 1 and keeps what has to be
# computed.

# %%
with graph.Graph().as_default():
    x = graph.placeholder("x")
    h = graph.tanh(x)
    y = h * 3.0
print([o.name for o in (x, h, y)])

# %% [markdown] hints="pruned"
# <details><summary>Hint 1</summary>
#
# Which operations are certainly needed? If you walk through the order backward, what do
# you know about an operation's users when you reach it?
#
# </details>
# <details><summary>Hint 2</summary>
#
# Walk backward with a set of needed operations, which begins as the fetches. If an
# operation is in the set and isn't fed, keep it and add its inputs to the set. At the
# end, reverse the list.
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
# ## Known before the first run
#
# In `2.0 * 3.14159 * r`, the product of the two numbers is the same in each run. The
# session has the whole graph before it runs anything, so it can compute this product
# once.
#
# If all inputs of an operation are constant, the operation is constant too, so
# constants spread. But some operations do something different in each run, even if
# their inputs stay the same, for example those that draw random numbers. Their types
# are **stateful**.
#
# Write `fold_constants`.

# %%
print(graph.STATEFUL)

# %% [markdown] hints="fold_constants"
# <details><summary>Hint 1</summary>
#
# Each operation comes after its inputs. So what do you already know about the inputs
# when you reach an operation?
#
# </details>
# <details><summary>Hint 2</summary>
#
# Keep a dict of the values that are known. An operation is constant if all its inputs
# are keys of the dict. Test this with `in`, because a value may be 0 or None.
#
# </details>
# <details><summary>Hint 3</summary>
#
# `all(...)` is True for an operation without inputs, so check for that case separately.
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
# As in the lesson, the walk backward **defines** operations, and each gradient is one
# of them.
#
# > y = a · b + a: `gradients(y, [a], ...)` defines b · 1 for the product, 1 for the
# > second a, and their sum
#
# `grad_of(operation, dy)` defines the gradients of an operation's inputs, and the
# contract says for which operations you have to call it.
#
# Write `gradients`.

# %%
with graph.Graph().as_default():
    a, b = graph.placeholder("a"), graph.placeholder("b")
    y = a * b
    print(graph.gradient_of(y, graph.constant(1.0)))

# %% [markdown] hints="gradients"
# <details><summary>Hint 1</summary>
#
# Which operations depend on one of the xs? Walk forward through `execution_order([y])`,
# and collect them in a set that begins as the xs. An operation joins it if one of its
# inputs is in the set.
#
# </details>
# <details><summary>Hint 2</summary>
#
# In which order must you ask, so that an operation's gradient is complete when its turn
# comes? What does the dict {operation: its gradient so far} contain at first?
#
# </details>
# <details><summary>Hint 3</summary>
#
# Walk backward through the order. Skip operations that have no gradient in the dict,
# and those without an input that is or depends on one of the xs. Ask about the others,
# and pair the answers with the operation's inputs. If an input has a gradient already,
# add the new one to it. Skip answers of None.
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
    print(graph.Session().run([da, db], {a: 2.0, b: 5.0}))  # needs exercises 1 to 3 too

# %% check="gradients"
check(gradients)

# %% [markdown] task="common_subexpressions"
# ## Computed once
#
# The next three exercises are about `minigrad.jit`. It runs a function once and records
# each operator's call as a **node**, with the operator's name (its target) and its
# arguments (args). If two nodes have the same target and args, one of them is enough.
# Repeats lead to more repeats, because if d equals c, then 2 · d equals 2 · c.
#
# A training step has many such pairs. For example, in the lesson's step, Adam computes
# the same `1 - 0.9 ** t` for each parameter, where t is the number of the step.
#
# Write `common_subexpressions`.

# %%
print(hash((1, "a")) == hash((1.0, "a")), 1 == 1.0 == True)  # noqa: E712

# %% [markdown] hints="common_subexpressions"
# <details><summary>Hint 1</summary>
#
# For each node, you need to know whether an earlier one did the same. Which dict tells
# you that without comparing all pairs, and what could its keys be?
#
# </details>
# <details><summary>Hint 2</summary>
#
# Make a key from target, args, and kwargs, as a tuple, because lists and dicts can't be
# keys. Which value do you put into the key for an arg that's a node, if that node
# repeats an earlier one?
#
# </details>
# <details><summary>Hint 3</summary>
#
# The cell above shows that 1, 1.0, and True are a single key. What does `repr` return
# for them? Don't use `repr` for nodes, though, because two nodes may print alike. Put
# the node itself into the key.
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
    f(minigrad.ones(3), minigrad.ones(3))  # needs exercises 6 and 7 too
    print(f.graph)

# %% check="common_subexpressions"
check(common_subexpressions)

# %% [markdown] task="can_fuse"
# ## One kernel for several
#
# As three kernels, `(x * y + 1).relu()` reads or writes a tensor seven times. One
# kernel does so only three times, which makes it much faster. But each thread computes
# element i of all three operators, so each may use only element i of the one before it.
#
# The fused kernel is launched where its **last** node is, so the earlier ones move down
# past everything in between. A node in between that uses one of them would then run too
# early. If a node in between writes to memory that the earlier nodes use, these would
# read its new values by mistake, or overwrite them.
#
# >     %2 = mul %0 %1
# >     %3 = sum %2            uses %2, so %2 and %4 can't be one kernel
# >     %4 = add %2 1
#
# Write `can_fuse`. Memory is given as sets of numbers.

# %%
print({1, 2} & {2, 3}, {1, 2} | {2, 3}, bool({1} & {2}))

# %% [markdown] hints="can_fuse"
# <details><summary>Hint 1</summary>
#
# The contract lists three conditions. Can you check each one separately, and return
# False as soon as one of them fails?
#
# </details>
# <details><summary>Hint 2</summary>
#
# All nodes of a group have the same shape and device, so take those of the first.
# Collect the memory that the group reads or writes in one set. `a & b` is what two sets
# share, and an empty set counts as False.
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
    f(minigrad.ones(3), minigrad.ones(3))  # needs exercise 7 too
    print(f.graph)

# %% check="can_fuse"
check(can_fuse)

# %% [markdown] task="fused_kernel"
# ## A program that writes the kernel
#
# Each of minigrad's elementwise operators has a CUDA C expression in up to three
# operands, a, b, and c. For mul it's "a * b", and for relu it's "(a < 0 ? 0 : a)". A
# fused kernel contains these expressions one after the other. Each result gets a
# variable, and a, b, and c are replaced by the variables that hold the operands.
#
# Write `fused_kernel`, which returns the source of such a kernel. The check compiles
# and runs what it returns.
#
# Replace only whole words, because `max(a, b)` also has an `a` in `max`, and replace
# all of them at once. If b stood for a variable called `a` and you replaced b first, a
# second replacement would find that `a` as well.

# %%
print(re.sub(r"\b[ab]\b", lambda word: {"a": "v0", "b": "v1"}[word[0]], "max(a, b)"))

# %% [markdown] hints="fused_kernel"
# <details><summary>Hint 1</summary>
#
# If you wrote the kernel for the contract's example by hand, what would it look like?
# Which of its lines are the same in every kernel?
#
# </details>
# <details><summary>Hint 2</summary>
#
# Make lists of lines for the inputs, the steps, and the outputs, and join everything
# with "\n". An output's pointer has the type of its step, so you need a dict from
# variables to types.
#
# </details>
# <details><summary>Hint 3</summary>
#
# For a step, make a dict from "a", "b", "c", and "M" to what stands for them. The cell
# above shows how `re.sub` replaces all words of a dict at once.
#
# </details>


# %% exercise="fused_kernel"
@solves(fused_kernel)
def fused_kernel(name, inputs, steps, outputs):
    ### BEGIN SOLUTION
    types = {variable: type for variable, type, *_ in steps}
    #: parameters
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

# %% [markdown] task="copy_inputs"
# ## The memory that a graph reads
#
# As in the lesson's puzzle 8, a captured graph reads fixed **addresses**, so each batch
# must be copied into static tensors.
#
# Write `copy_inputs`.

# %%
static = [minigrad.zeros(3), minigrad.zeros(2)]
x = static[0]
x = minigrad.ones(3)  # a new tensor under an old name
print(static[0])

# %% [markdown] hints="copy_inputs"
# <details><summary>Hint 1</summary>
#
# If the second tensor doesn't fit, nothing may have been written. So in which order do
# you check and copy?
#
# </details>
# <details><summary>Hint 2</summary>
#
# `copy_inputs([s, t], [t, s])` exchanges the two. What does s hold after the first
# copy, and how do you keep what it held before?
#
# </details>
# <details><summary>Hint 3</summary>
#
# Use one loop that checks shape, dtype, and device of all pairs, and then a second one
# that calls `t.copy_(x)`. Between the two, clone each given tensor whose `storage` is
# that of a static one.
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

# %% [markdown]
# ## What you've built
#
# Here a function is traced, fused, and captured, and the plain function runs beside it.
# Both print the same numbers, and the source at the end comes from your exercises.

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
