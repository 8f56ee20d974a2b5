"""bias_gelu_autograd: setup_context and backward, as register_autograd takes them."""

import numpy as np
import torch

from grading.drivers.cpp_extensions import from_outside
from grading.exercise import Check, close, drive
from minigrad.autograd.custom import bias_gelu_autograd
from minigrad.ops.special import erf

HELD = "x or bias is held outside of ctx"
BOTH, X_ALONE, BIAS_ALONE = (True, True), (True, False), (False, True)


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

    def of(*shapes, layout="contiguous", needs=(BOTH,), others=1):
        """Calls, the first two with equal inputs; and backwards in any order.

        Inputs have each of the shapes in turn, and calls each of the needs.
        """
        shapes = [shapes[n % len(shapes)] for n in range(1 + others)]
        inputs = [[draw.standard_normal(s) for s in (x, x[-1:])] for x in shapes]
        ups = [[*draw.standard_normal((2, *x))] for x in shapes]
        calls = [0, *range(1 + others)]
        needs = [needs[n % len(needs)] for n in range(len(calls))]
        order = random.sample(range(len(calls)), len(calls))
        both = [(call, dy, False) for call in order for dy in (0, 1)]
        steps = random.sample(both, len(both))
        steps += [(call, random.randrange(2), True) for call in order]
        args = {"outside": None}, inputs, calls, ups, layout, steps, needs
        return drive(from_outside, *args, outside=kernels)

    for shape in ((3, 4), (4, 3)):
        yield "both gradients", of(shape)
    for layout in ("transposed", "one number"):
        for shape in ((3, 4), (1, 5)):
            yield "any layout of dy", of(shape, layout=layout)
    for needs in (X_ALONE, BIAS_ALONE):
        for layout in ("contiguous", "transposed"):
            yield "what is needed", of((3, 4), layout=layout, needs=[needs])
    part = "several calls at once"
    yield part, of((3, 4), others=3)
    yield part, of((2, 2), needs=[BIAS_ALONE], others=2)
    needs = random.sample((BOTH, X_ALONE, BIAS_ALONE), 3)
    yield part, of((3, 4), needs=needs, others=3)
    yield part, of((3, 4), (4, 3), (2, 3, 4), others=3)
    for shape in ((2, 3, 4), (5,), (2, 1, 2, 3)):
        yield "more dimensions", of(shape)
    yield "no elements", of((0, 3))


def reference(ask, inputs, calls, ups, layout, steps, needs):
    gradients = []
    for call, dy, _ in steps:
        x, bias = (torch.tensor(v).requires_grad_() for v in inputs[calls[call]])
        up = torch.tensor(ups[calls[call]][dy])
        up = up.sum().expand(up.shape) if layout == "one number" else up
        torch.nn.functional.gelu(x + bias).backward(up)
        both = zip((x, bias), needs[call], strict=True)
        gradients.append([t.grad.numpy() if n else None for t, n in both])
    return {HELD: False, "gradients": gradients}


def observe(result, case, outside=None):
    """Its facts, and how often each kernel ran; of the reference, how often it must."""
    *_, steps, needs = case.args
    runs = [len(steps), sum(needs[call][1] for call, *_ in steps)]
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
    every = [x.shape for x, _ in inputs], needs
    shapes, needs = (", ".join(map(str, dict.fromkeys(one))) for one in every)
    order = ", ".join(str(call) for call, *_ in steps)
    said = f"x of shape {shapes}; dy {layout}; needs_input_grad {needs}"
    return f"{said}; {len(calls)} calls, whose backwards run in the order {order}"


def diagnose(got, expected, case):
    """What is said if the functions that were returned take other arguments."""
    said = getattr(got, "message", "")
    if getattr(got, "where", "") or "TypeError" not in getattr(got, "types", ()):
        return None
    if "takes 2 positional arguments but 3 were given" in said:
        return "pair", (
            "The first function of the pair must take (ctx, inputs, output), and the "
            "second (ctx, dy). Return (setup_context, backward), in this order."
        )
    if "required positional argument" in said:
        return "arguments", (
            "setup_context is called with (ctx, inputs, output), where inputs is the "
            "pair (x, bias), and backward with (ctx, dy). Take just these arguments."
        )
    return None


check = Check(
    bias_gelu_autograd,
    cases=cases,
    reference=reference,
    observe=observe,
    compare=close(1e-12, 1e-12),
    describe=describe,
    diagnose=diagnose,
    not_tested="float32 (the kernels' matter) and two Falses (backward never runs)",
)
