"""Answers of fused_kernel by other algorithms."""

import re

from minigrad.jit.codegen import fused_kernel
from tools.audit.specimens import answer


@answer(fused_kernel, right="by macros")
def _(name, inputs, steps, outputs):
    types = {v: t for v, t, *_ in steps}
    lines, body = [], []
    for k, (v, t, index) in enumerate(inputs):
        body.append(f"{t} {v} = p{k}[{index}];")
    for k, (v, t, expression, operands, M) in enumerate(steps):
        text = re.sub(r"\bM\b", M, expression)
        names = ", ".join("abc"[: len(operands)])
        lines.append(f"#define STEP{k}({names}) ({text})")
        body.append(f"{t} {v} = STEP{k}({', '.join(operands)});")
    for k, v in enumerate(outputs):
        body.append(f"y{k}[i] = {v};")
    given = [f"const {t}* p{k}" for k, (_, t, _) in enumerate(inputs)]
    given += [f"{types[v]}* y{k}" for k, v in enumerate(outputs)]
    lines.append(
        f'extern "C" __global__ void {name}({", ".join(given)}, long long n) {{'
    )
    lines.append("long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;")
    return "\n".join([*lines, "if (i >= n) return;", *body, "}"])


@answer(fused_kernel, right="word by word, within the guard")
def _(name, inputs, steps, outputs):
    pointers, lines = [], []
    for number, (variable, kind, index) in enumerate(inputs):
        pointers.append(f"{kind} const *p{number}")
        lines.append(f"{kind} const {variable} = p{number}[{index}];")
    for variable, kind, expression, operands, M in steps:
        stands = dict(zip("abc", operands)) | {"M": M}
        words = [stands.get(w, w) for w in re.split(r"(\w+)", expression)]
        lines.append(f"{kind} const {variable} = {''.join(words)};")
    for number, output in enumerate(outputs):
        (kind,) = [step[1] for step in steps if step[0] == output]
        pointers.append(f"{kind} *y{number}")
        lines.append(f"y{number}[i] = {output};")
    return """extern "C" __global__ void %s(%s, long long n) {
        long long i = threadIdx.x + blockIdx.x * (long long)blockDim.x;
        if (i < n) { %s }
    }""" % (name, ", ".join(pointers), " ".join(lines))
