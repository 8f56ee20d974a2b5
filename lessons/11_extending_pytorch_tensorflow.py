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
# # 11 · Part 3: The same in TensorFlow
#
# TensorFlow was designed for graphs, which exist before any value does (chapter 12
# builds one), so an operator is **declared** before anybody says how it's computed.
# You'll meet part 1's kernel, shape rule, and gradient again, under other names.
#
# This lesson takes about {{duration}} and builds on part 1. It isn't on the core path.
# Without TensorFlow, you can read the lesson, but most cells won't run.

# %% setup=true
# Set-up: run this cell first. Running it twice does no harm.
import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"  # hide TensorFlow's own messages
os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"
from IPython.display import Code

from minigrad import course
from minigrad.testing import extension

EXAMPLES = course.home() / "examples"
try:
    import tensorflow as tf
except ImportError:
    tf = print("not run: needs TensorFlow. Get it: pip install tensorflow-cpu")


def part(file, first, last):
    """Display a file from the line with `first` to one that starts with `last`."""
    lines = (EXAMPLES / file).read_text().splitlines()
    begin = next(i for i, line in enumerate(lines) if first in line)
    end = next(i for i in range(begin, len(lines)) if lines[i].startswith(last))
    return Code("\n".join(lines[begin : end + 1]), language="cpp")


# %% [markdown]
# ## Declared
#
# `examples/tensorflow/ops.cc` has the operators of this chapter. This one is y = scale
# · outer(a, b).

# %%
part("tensorflow/ops.cc", 'REGISTER_OP("MinigradOuter")', "    .Doc")

# %% [markdown]
# An `Attr` is a constant in the graph. The two here are `T`, the type that the inputs
# and the output share, and `scale`, a number with a default. The **shape function**
# gets shapes that may be partly unknown. `WithRank` demands two dimensions, and `Merge`
# returns whichever of two sizes is known, or fails if both are known and differ.
#
# ## Computed
#
# The kernel is a class template for any device and type, with a method `Compute`.

# %%
part("tensorflow/ops.cc", "class OuterOp", "};")

# %% [markdown]
# If something fails, `OP_REQUIRES_OK` stores the error **status** in the context and
# returns. (Success is `absl::OkStatus()`, which was `Status::OK()` in older articles.)
# `allocate_output` allocates memory on the operator's device. Then `Outer::run`
# computes the product, in a loop on the CPU, or on the GPU with part 1's kernel in the
# stream that TensorFlow passes to it.

# %%
part("tensorflow/ops.cu.cc", "struct Outer<GPU, T>", "};")

# %% [markdown]
# Finally, `REGISTER_KERNEL_BUILDER` adds the class to TensorFlow's registry, under the
# operator's name, a device, and a type.

# %%
part("tensorflow/ops.cc", "#define KERNEL(", "REGISTER(CPU, tensorflow::DEVICE_CPU, d")

# %% [markdown]
# ## Built
#
# TensorFlow doesn't come with a build tool, but it knows the flags that a compiler
# needs.

# %%
if tf:
    flags = tf.sysconfig.get_compile_flags(), tf.sysconfig.get_link_flags()
    print("g++ -shared -fPIC -O2 ops.cc -o ops.so")
    print(*(flag for group in flags for flag in group), sep="\n")

# %% [markdown]
# `load_op_library` loads the library that was built.

# %%
try:
    source = EXAMPLES / "tensorflow/ops.cc"
    path = tf and extension.tensorflow_library("minigrad_tf", source)
    outer = tf and tf.load_op_library(str(path)).minigrad_outer
    outer_grad = tf and tf.load_op_library(str(path)).minigrad_outer_grad
except extension.NoCompiler as problem:
    tf = print(problem)

# %%
if tf:
    a, b = tf.constant([[1.0, 2.0]]), tf.constant([[10.0, 20.0, 30.0]])
    print(outer(a, b, scale=0.5).numpy())
    for pair in (a, b[0]), (a, tf.zeros((2, 3))):
        try:
            outer(*pair)
        except Exception as error:
            text = str(error).split("}} ")[-1].splitlines()[0]
            print(type(error).__name__, text[:80])

# %% [markdown]
# ## Its shape
#
# Under `tf.function`, the shape function runs before there are values.
#
# **Puzzle 1: known in advance.** Here the batch of the result is unknown. Change only
# one of the two specs, so that the result's shape is (8, 3, 4).

# %%
if tf:
    specs = [tf.TensorSpec((None, 3)), tf.TensorSpec((None, 4))]  # your line

# %%
if tf:
    traced = tf.function(outer).get_concrete_function(*specs)
    shape = traced.structured_outputs.shape
    one = specs[0].shape[0] != specs[1].shape[0]
    print(shape, "solved:", one and shape == (8, 3, 4))

# %% [markdown]
# <details><summary>Answer</summary>
#
# `Merge` returns the size that's known, whichever spec has it.
#
# ```python
# specs = [tf.TensorSpec((8, 3)), tf.TensorSpec((None, 4))]
# ```
#
# </details>

# %% [markdown]
# ## Its gradient
#
# A gradient is registered in Python. **Predict** what happens without one.


# %%
def gradients(a, b, **more):
    with tf.GradientTape() as tape:
        tape.watch([a, b])
        y = outer(a, b, **more)
    return tape.gradient(y, [a, b])


if tf:
    try:
        print([g.numpy() for g in gradients(a, b)])
    except LookupError as error:
        print("LookupError:", error)

# %% [markdown]
# <details><summary>Answer</summary>
#
# TensorFlow raises an error instead of treating the gradient as 0.
#
# </details>

# %% [markdown]
# A registered gradient is a function that gets the operation, with its inputs and
# attributes, and the gradient of each output. It returns one gradient per input,
# computed by other operators.

# %%
if tf:
    try:

        @tf.RegisterGradient("MinigradOuter")
        def _(op, dy):
            return outer_grad(dy, *op.inputs, scale=op.get_attr("scale"))

    except KeyError:
        pass  # this cell has run before: a gradient is registered once
    wide = [tf.random.normal(n, dtype=tf.float64) for n in ((2, 3), (2, 4))]
    for mine, numeric in zip(*tf.test.compute_gradient(outer, wide), strict=True):
        print(abs(mine - numeric).max() < 1e-6)

# %% [markdown]
# `compute_gradient` compares the gradient with numerical differences, like `gradcheck`.
# The operator also works in a graph of TensorFlow 1.

# %%
if tf:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        p = tf.compat.v1.placeholder(tf.float32, (None, 2))
        y = outer(p, p)
        (g,) = tf.compat.v1.gradients(tf.reduce_sum(y), p)
        print(*session.run([y, g], {p: [[1.0, 2.0]]}))

# %% [markdown]
# Further reading: TensorFlow's guide *Create an op*.
