"""Code: one kernel of CUDA C, or one function of NumPy, for a fused node.

An elementwise operator is known by its expression in CUDA C, of a, b and c, and by its
formula in NumPy. A fused kernel puts these one after the other; what is between them
stays in registers.
"""

import functools
import re
from typing import NamedTuple

import numpy as np

from .. import launch
from ..arrays import UNWARNED, reader, write
from ..dispatch import DeviceKernel
from ..dtypes import C_NAMES, as_number, bfloat16, of_bits, to_bits
from ..exercises.registry import exercise
from ..launch import THREADS, cdiv, coalesce_dims
from ..storage import Storage
from ..tensor import Tensor
from .ir import Node, numel
from .passes import REDUCTIONS, WithEpilogue


class Input(NamedTuple):
    """A tensor that the kernel reads."""

    name: str  # of the variable that holds its element
    type: str  # in C
    index: str  # where the element lies: C, of i


class Step(NamedTuple):
    """An operator in the kernel."""

    name: str  # of the variable that holds its result
    type: str
    expression: str  # C, of a, b and c
    operands: tuple  # what stands for these: names, or numbers in C
    M: str  # the type to compute in


@exercise(points=4, stars=3, minutes=40, level="good to know")
def fused_kernel(name, inputs, steps, outputs):
    """Return the CUDA C source of a kernel that does all steps for each element.

    The source is a string, and each element has its own thread.

    name: the kernel's name.
    inputs: a list of tuples (variable, type, index), perhaps empty. Each is an array,
        and index is a C expression for the position that thread i reads, for example
        "i" or "i % 10".
    steps: a list of tuples (variable, type, expression, operands, M), in order. The
        expression is C code in which the words a, b, and c stand for up to three
        operands, and the word M stands for the tuple's last entry, a type. The
        variable's own type may differ from M.
        operands: strings, each the variable of an input or of an earlier step, or a
            piece of C that needs no more parentheses, such as "2.0f", "(-2.0f)", or
            "((float)v2)".
    outputs: a list of distinct variables, each from one of the steps. Each is written
        to element i of its own array, which has the type of the step.

    The source must define

        extern "C" __global__ void name(const T0* p0, const T1* p1, ..., U0* y0, U1* y1,
                                        ..., long long n)

    with a pointer for each input, then one for each output, both in their order, and
    then n, the number of elements, which is below 2 ** 31. The parameters may have
    other names, but none that a variable may have. The blocks have one dimension, and
    there are at least n threads. The kernel must write nothing but the first n elements
    of the outputs.

    Variables may have any names, even a, b, or c, except i, n, M, and p or y with a
    number.

    With inputs [("v0", "float", "i"), ("v1", "float", "i % 4")], steps [("v2", "float",
    "a * b", ("v0", "v1"), "float"), ("v3", "float", "max(a, (M)0)", ("v2",), "float")],
    and outputs ["v3"], these lines compute an element:

        float v0 = p0[i];
        float v1 = p1[i % 4];
        float v2 = v0 * v1;
        float v3 = max(v2, (float)0);
        y0[i] = v3;
    """


# ------------------------------------------------- from a fused node


def parts_of(node):
    """(inputs, steps, outputs) of a Fused node, as fused_kernel takes them."""
    shape = node.spec.shape
    inputs = [Input(name(a), c_type(a.dtype), index(a, shape)) for a in node.args]
    return inputs, [*map(step, node.group)], [name(n) for n in node.outputs]


def step(node):
    """An elementwise node as a Step."""
    wide, dtype, expression = node.kernel.wide, node.dtype, node.kernel.expression
    operands = tuple(operand(a, wide) for a in node.args)
    if dtype != wide:
        expression = f"({c_type(dtype)})({expression})"
    return Step(name(node), c_type(dtype), expression, operands, C_NAMES[wide])


def name(node):
    return f"v{node.number}"


def c_type(dtype):
    return C_NAMES[dtype]


def operand(a, wide):
    """An operand in C: a variable, turned into the type to compute in; or a number."""
    if isinstance(a, Node):
        return name(a) if a.dtype == wide else f"(({C_NAMES[wide]}){name(a)})"
    return literal(as_number(a, wide), wide)


def literal(number, wide):
    """A number as C reads it back, to the last bit."""
    if wide.kind == "b":
        return "true" if number else "false"
    if wide.kind in "iu":
        return f"(({C_NAMES[wide]}){int(number)})"
    if not np.isfinite(number):
        words = {"inf": "INFINITY", "-inf": "(-INFINITY)"}
        return f"(({C_NAMES[wide]}){words.get(str(number), 'NAN')})"
    text = str(number)
    text += "" if "." in text or "e" in text else ".0"
    text += "f" if wide.itemsize == 4 else ""
    return f"({text})" if text[0] == "-" else text


def index(node, shape):
    """The cell of element i of a tensor that is broadcast to `shape`, in C."""
    own = (0,) * (len(shape) - len(node.shape)) + node.spec.strides
    sizes = (1,) * (len(shape) - len(node.shape)) + node.shape
    steps = tuple(0 if a != b else s for a, b, s in zip(sizes, shape, own, strict=True))
    sizes, steps = coalesce_dims(shape, steps)
    terms, below = [], 1
    for number, (size, step) in enumerate(zip(sizes[::-1], steps[::-1], strict=True)):
        term = "i" if below == 1 else f"i / {below}"
        term = term if number == len(sizes) - 1 else f"{term} % {size}"
        if step:
            terms.insert(0, term if step == 1 else f"{term} * {step}")
        below *= size
    return " + ".join(terms) or "0"


def text_of(node):
    """The CUDA C of a Fused node."""
    return fused_kernel(node.target, *parts_of(node))


ROUNDED = ("--fmad=false",)  # after each step, as operators round


def whole(text, dtypes):
    """A text with what it needs in front."""
    helpers = set(re.findall(r"\b(\w+)\(", launch.file_text("math.cuh")))
    needs = helpers & {*re.findall(r"\b(\w+)\(", text)} - {"if", "floor"}
    return launch.with_headers(
        (launch.file_text("math.cuh") if needs else "") + text, dtypes
    )


class FusedKernel:
    """A fused node on "sim" and "cuda"."""

    def __init__(self, node):
        self.name, self.n, self.outputs = node.target, numel(node), node.outputs
        self.text, self.device = text_of(node), node.device
        dtypes = [n.dtype for n in (*node.args, *node.group)]
        self.whole = whole(self.text, dtypes)

    @functools.cached_property
    def function(self):
        return launch.compiled(self.whole, self.name, self.device, ROUNDED)

    def __call__(self, *tensors, out=None):
        like = tensors[0] if tensors else out
        outputs = tuple(out if n.out is not None else like.new_empty(n.shape, n.dtype)
                     for n in self.outputs)  # fmt: skip
        args = *tensors, *outputs, np.int64(self.n)
        grid = cdiv(self.n, THREADS)
        how = self.function, self.device, grid, THREADS, args
        launch.launch("fused", "jit", *how)
        return outputs


# ------------------------------------------------- prologues and epilogues


class EpilogueKernel(DeviceKernel):
    """A kernel of the library with elementwise operators before it, after it, or both.

    text: what stands in front of the library's, see kernels/epilogue.cuh.
    """

    def __init__(self, node):
        self.core, self.outputs, self.device = node.core, node.outputs, node.device
        place = node.group.index(node.core)
        prologue, epilogue = node.group[:place], node.group[place + 1 :]
        self.args, self.reads = node.args, bool(prologue)
        inside = {*node.group}
        self.more = list(dict.fromkeys(a for n in prologue + epilogue for a in n.args
                         if isinstance(a, Node) and a not in inside))  # fmt: skip
        parameters = [f"const {c_type(a.dtype)}* p{i}" for i, a in enumerate(self.more)]
        one = {(n.target, step(n).expression): n for n in prologue + epilogue}
        names, self.calls, lines = [target for target, _ in one], {}, []
        for i, (key, n) in enumerate(one.items()):  # each operator once, as a macro
            self.calls[key] = f"do_{n.target}" + str(i) * (names.count(n.target) > 1)
            letters = ", ".join([*"abc"[: len(n.args)], "M"])
            lines.append(f"#define {self.calls[key]}({letters}) {key[1]}")
        if prologue:
            lines += self.function("PROLOGUE", prologue, [], parameters)
        if epilogue:
            value = [f"{c_type(node.core.dtype)} {name(node.core)}"]
            lines += self.function("EPILOGUE", epilogue, value, parameters)
        if parameters:
            lines.append(f"#define MORE , {', '.join(parameters)}")
        lines.append(f"// and then {node.core.launches[-1].kernel.name}")
        self.text = "\n".join(lines)
        text = whole(self.text + "\n", [n.dtype for n in (*self.more, *node.group)])
        options = ROUNDED if node.core.target in REDUCTIONS else ()
        self.epilogue = functools.partial(launch.Epilogue, text, reads=self.reads,
                                        options=options)  # fmt: skip

    def function(self, what, group, value, parameters):
        """A function of element i, perhaps of a value, and the macro that calls it."""
        result, every = group[-1], [a for n in group for a in n.args]
        used = [(i, a) for i, a in enumerate(self.more) if a in every]
        pointers = [f"p{i}" for i, _ in used]
        takes = [*value, *(parameters[i] for i, _ in used)]
        i = "int i" if numel(result) < launch.MANY else "long long i"
        takes = ", ".join([i, *takes])
        yield f"__device__ {c_type(result.dtype)} {what.lower()}({takes}) {{"
        for i, a in used:
            place = index(a, result.shape)
            yield f"    {c_type(a.dtype)} {name(a)} = p{i}[{place}];"
        for n in group:
            operation = step(n)
            operands = ", ".join((*operation.operands, operation.M))
            call = f"{self.calls[n.target, operation.expression]}({operands})"
            yield f"    {operation.type} {operation.name} = {call};"
        yield f"    return {name(result)};"
        yield "}"
        macro = "EPILOGUE(i, value)" if value else "PROLOGUE(x, i)"
        call = ", ".join(["i", *["value"] * len(value), *pointers])
        yield f"#define {macro} {what.lower()}({call})"

    def __call__(self, *tensors):
        env = dict(zip(self.args, tensors, strict=True))
        fused = self.epilogue(tensors=tuple(env[a] for a in self.more))
        args = self.core.args
        if self.reads:  # a tensor of which the layout alone is read
            env[args[0]] = tensors[0].new_empty(args[0].shape, args[0].dtype)
        operands = [env[a] if isinstance(a, Node) else a for a in args]
        return (self.core.kernel(*operands, **self.core.kwargs, epilogue=fused),)


# ------------------------------------------------- on "cpu"


class FusedNumpy:
    """A fused node on "cpu": the formulas, one after the other, of arrays."""

    def __init__(self, node):
        self.node, self.name, self.outputs = node, node.target, node.outputs
        lines = [f"def {node.target}({', '.join(map(name, node.args))}):"]
        self.names = {"np": np}
        for n in node.group:
            call, formula = n.target, n.kernel.function
            if isinstance(formula, np.ufunc):
                call, more = f"np.{formula.__name__}", ', order="C"'
            else:
                self.names[call], more = formula, ""
            operands = [self.read(a, n.kernel.wide) for a in n.args]
            value = f"{call}({', '.join(operands)}{more})"
            lines.append(f"    {name(n)} = {self.rounded(value, n)}")
        lines.append(f"    return {', '.join(map(name, self.outputs))},")
        self.text = "\n".join(lines)
        exec(compile(self.text, f"<{node.target}>", "exec"), self.names)
        self.function = self.names[node.target]

    def read(self, a, wide):
        if not isinstance(a, Node):
            return f"np.{wide}({as_number(a, wide)})"
        same = a.dtype == wide or (a.dtype is bfloat16 and wide == np.float32)
        return name(a) if same else f"{name(a)}.astype(np.{wide})"

    def rounded(self, value, n):
        """A value in the dtype that the operator's result has."""
        name, dtype = f"result_{n.number}", n.dtype

        def round_(values):
            values = np.asarray(values)
            if values.dtype == dtype:
                return values
            return of_bits(to_bits(values, dtype), dtype)

        self.names[name] = round_
        sure = isinstance(n.kernel.function, np.ufunc) and dtype == n.kernel.wide
        return value if sure and n.shape else f"{name}({value})"

    def __call__(self, *tensors, out=None):
        arrays = [reader(x, np.dtype(np.float32) if x.dtype is bfloat16 else x.dtype)(x)
                  for x in tensors]  # fmt: skip
        values = UNWARNED.copy().run(self.function, *arrays)
        return tuple(
            tensor_of(value, n) if n.out is None else write(value, out)
            for n, value in zip(self.outputs, values, strict=True)
        )


def tensor_of(value, node):
    """The tensor of an array that the formulas of a node have made."""
    if value.shape != node.shape or value.base is not None:
        value = np.array(np.broadcast_to(value, node.shape))
    flat = to_bits(np.asarray(value, order="C"), node.dtype).reshape(-1)
    return Tensor._from_spec(Storage._wrap(flat, node.dtype, "cpu"), node.spec)


def kernel_of(node):
    """What runs a Fused node."""
    if isinstance(node, WithEpilogue):
        return EpilogueKernel(node)
    return (FusedNumpy if node.device == "cpu" else FusedKernel)(node)
