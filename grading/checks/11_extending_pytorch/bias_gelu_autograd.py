"""bias_gelu_autograd: setup_context and backward, as register_autograd takes them."""

import numpy as np
import torch

from grading.drivers.cpp_extensions import from_outside
from grading.exercise import Check, close, drive
from minigrad.autograd.custom import bias_gelu_autograd
from minigrad.ops.special import erf

HELD = "x or bias is held outside of ctx"


def bias_gelu_backward(dy, x, bias):
    if dy.shape != x.shape or bias.shape != x.shape[-1:]:
        raise RuntimeError(f"dy is {dy.shape}, x {x.shape}, bias {bias.shape}")
    u = x + bias
    share = 0.5 * (1 + erf(u / 2**0.5))
    return dy * (share + u * np.exp(-u * u / 2) / (2 * np.pi) ** 0.5)


def bias_backward(dx):
    return dx.reshape(-1, dx.shape[-1]).sum(0)


KERNELS = {f.__name__: f for f in (bias_gelu_backward, bias_backward)}


def kernels():
    """What an answer calls by message: the two kernels. It notes which of them ran."""

    def run(name, *arrays):
        run.names.append(name)
        return KERNELS[name](*arrays)

    run.names = []
    return run


def cases(random):
    draw = np.random.default_rng(random.getrandbits(64))

    def of(shape, layout="contiguous", needs=(True, True), others=1):
        """Calls, the first two with equal inputs; and backwards in any order."""
        inputs = [[draw.standard_normal(s) for s in (shape, shape[-1:])]
                  for _ in range(1 + others)]  # fmt: skip
        calls, ups = [0, *range(1 + others)], [*draw.standard_normal((2, *shape))]
        order = random.sample(range(len(calls)), len(calls))
        both = [(call, dy, False) for call in order for dy in (0, 1)]
        steps = random.sample(both, len(both))
        steps += [(call, random.randrange(2), True) for call in order]
        args = {"outside": None}, inputs, calls, ups, layout, steps, needs
        return drive(from_outside, *args, outside=kernels)

    x_alone, bias_alone = (True, False), (False, True)
    for shape in ((3, 4), (4, 3)):
        yield "both gradients", of(shape)
    for layout in ("transposed", "one number"):
        for shape in ((3, 4), (1, 5)):
            yield "any layout of dy", of(shape, layout)
    for needs in (x_alone, bias_alone):
        for layout in ("contiguous", "transposed"):
            yield "what is needed", of((3, 4), layout, needs)
    yield "several calls at once", of((3, 4), others=3)
    yield "several calls at once", of((2, 2), needs=bias_alone, others=2)
    for shape in ((2, 3, 4), (5,), (2, 1, 2, 3)):
        yield "more dimensions", of(shape)
    yield "no elements", of((0, 3))


def reference(ask, inputs, calls, ups, layout, steps, needs):
    gradients = []
    for call, dy, _ in steps:
        x, bias = (torch.tensor(v).requires_grad_() for v in inputs[calls[call]])
        up = torch.tensor(ups[dy])
        up = up.sum().expand(up.shape) if layout == "one number" else up
        torch.nn.functional.gelu(x + bias).backward(up)
        gradients.append([t.grad.numpy() if n else None
                          for t, n in zip((x, bias), needs, strict=True)])  # fmt: skip
    return {HELD: False, "gradients": gradients}


def observe(result, case, outside=None):
    """Its facts, and how often each kernel ran; of the reference, how often it must."""
    *_, steps, needs = case.args
    runs = [len(steps), len(steps) * needs[1]]
    if outside:
        runs = [outside.names.count(name) for name in KERNELS]
    return {
        HELD: result[HELD],
        "which are None": [[g is None for g in pair] for pair in result["gradients"]],
        "runs of the kernels": dict(zip(KERNELS, runs, strict=True)),
        "gradients": result["gradients"],
    }


def describe(exercise, case):
    _, inputs, calls, _, layout, steps, needs = case.args
    shape, order = inputs[0][0].shape, ", ".join(str(call) for call, *_ in steps)
    said = f"x of shape {shape}; dy {layout}; needs_input_grad {needs}"
    return f"{said}; {len(calls)} calls, whose backwards run in the order {order}"


check = Check(
    bias_gelu_autograd,
    cases=cases,
    reference=reference,
    observe=observe,
    compare=close(1e-12, 1e-12),
    describe=describe,
    not_tested="float32 (the kernels' matter) and two Falses (backward never runs)",
)
