"""setup_context and backward over two kernels, as register_autograd takes them."""

import numpy as np
import torch

from grading.exercise import Check, Problem, checks, mistakes, right
from minigrad.autograd.custom import bias_gelu_autograd

HELD = "x or bias is held outside of ctx"
BOTH = ["bias_backward", "bias_gelu_backward"]


@checks(bias_gelu_autograd)
class BiasGeluAutograd(Check):
    """Leaves out float32 (the kernels' matter) and two Falses (backward never runs)."""

    scene = "from_outside"

    def cases(self, random):
        draw = np.random.default_rng(random.getrandbits(64))

        def arrays(*shape):
            return [draw.standard_normal(s) for s in (shape, shape[-1:], shape)]

        both, x_alone, bias_alone = (True, True), (True, False), (False, True)
        for shape in ((3, 4), (4, 3)):
            yield "both gradients", *arrays(*shape), "contiguous", both, 0
        for layout in ("transposed", "one number"):
            for shape in ((3, 4), (1, 5)):
                yield "any layout of dy", *arrays(*shape), layout, both, 0
        for needs in (x_alone, bias_alone):
            for layout in ("contiguous", "transposed"):
                yield "what is needed", *arrays(3, 4), layout, needs, 0
        yield "several calls at once", *arrays(3, 4), "contiguous", both, 2
        yield "several calls at once", *arrays(2, 2), "contiguous", bias_alone, 1
        for shape in ((2, 3, 4), (5,), (2, 1, 2, 3)):
            yield "more dimensions", *arrays(*shape), "contiguous", both, 0
        yield "no elements", *arrays(0, 3), "contiguous", both, 0

    def expected(self, x, bias, dy, layout, needs, several):
        x, bias = (torch.tensor(v).requires_grad_() for v in (x, bias))
        up = torch.tensor(dy)
        up = up.sum().expand(up.shape) if layout == "one number" else up
        torch.nn.functional.gelu(x + bias).backward(up)
        found = [t.grad.numpy() if n else None
                 for t, n in zip((x, bias), needs, strict=True)]  # fmt: skip
        return {HELD: False, "gradients": found,
                "kernels": BOTH[0 if needs[1] else 1 :]}  # fmt: skip

    def same(self, got, expected, *args):
        if not isinstance(got, dict) or len(got["gradients"]) != 2:
            return False
        pairs = zip(got["gradients"], expected["gradients"], strict=True)
        near = all(
            (g is None and e is None)
            or (g is not None and e is not None and g.shape == e.shape
                and np.allclose(g, e, 1e-12, 1e-12))
            for g, e in pairs
        )  # fmt: skip
        return near and all(got[k] == expected[k] for k in (HELD, "kernels"))

    def general(self, case):
        got, expected = case.got, case.expected
        if isinstance(got, Problem):
            return self.of_problem(got) or super().general(case)
        if isinstance(got, dict) and len(got["gradients"]) == 2:
            mine = [g is None for g in got["gradients"]]
            theirs = [g is None for g in expected["gradients"]]
            if mine != theirs:
                return "needs", "None for what is not needed, and only for that"
            if got["kernels"] != expected["kernels"]:
                return "kernels", (
                    f"these kernels ran: {', '.join(got['kernels'])}; needed are "
                    f"{', '.join(expected['kernels'])}, once each"
                )
            if got[HELD]:
                return "held", "x or bias is kept outside of ctx, and stays in memory"
        return super().general(case)

    def of_problem(self, got):
        for word, cause in (("must be contiguous", "strides"), ("to be saved", "saved"),
                            ("is called once", "saved"), ("the pair", "pair"),
                            ("backward returns", "pair"),
                            ("has changed", "spoilt"),
                            ("earlier call", "reused")):  # fmt: skip
            if word in got.message:
                return cause, TEXTS[cause]
        return None

    def words(self, x, bias, dy, layout, needs, several):
        said = f"x of shape {x.shape}; dy {layout}; needs_input_grad {needs}"
        return said + (f"; other calls that wait: {several}" if several else "")


TEXTS = {
    "pair": "a pair is returned: (setup_context, backward); by backward (dx, dbias)",
    "spoilt": "x, bias or dy has changed: others still use them",
    "reused": "dx or dbias lies in the memory that an earlier call has returned",
    "strides": "the kernels read one element after the other, and dy may lie in any "
    "way: dy.contiguous()",
    "saved": "x and bias themselves are saved, by one call of ctx.save_for_backward, "
    "and nothing else",
}
DX = "dx = bias_gelu_backward(dy.contiguous(), x, bias)"
RETURN = "return (dx if need_x else None), dbias"
mistakes(bias_gelu_autograd)(rf"""
strides:
> dy.contiguous() -> dy
needs:
> return (dx if need_x else None), dbias -> return dx, dbias
> dbias = bias_backward(dx) if need_bias else None -> dbias = bias_backward(dx)
> need_x, need_bias = ctx.needs_input_grad -> need_bias, need_x = ctx.needs_input_grad
exchanged: the gradients have changed places: dx first, then dbias
> return (dx if need_x else None), dbias -> return dbias, (dx if need_x else None)
of_dy: dbias is made of dy: it is the sum of dx
> bias_backward(dx) -> bias_backward(dy.contiguous())
no_dy: dx is computed for a dy of ones
> dy.contiguous() -> (dy * 0 + 1).contiguous()
last_call: what was saved lies outside of ctx: the next call has overwritten it
> def setup_context -> kept = []\n\n    def setup_context
& ctx.save_for_backward(x, bias) -> ctx.save_for_backward(x, bias)\n        kept[:] = x,
    bias
& x, bias = ctx.saved_tensors -> x, bias = kept
reused:
> def setup_context -> cache = {{}}\n\n    def setup_context
& {DX} -> key = id(x)\n        if key not in cache:\n            cache[key] =
    bias_gelu_backward(dy.contiguous(), x, bias)\n        dx = cache[key]
held:
> def setup_context -> kept = []\n\n    def setup_context
& x, bias = inputs -> x, bias = inputs\n        kept.append(x)
> def setup_context -> kept = {{}}\n\n    def setup_context
& x, bias = inputs -> x, bias = inputs\n        kept[id(ctx)] = x, bias
& x, bias = ctx.saved_tensors -> x, bias = kept.pop(id(ctx))
> def setup_context -> import weakref as w\n    kept = w.WeakKeyDictionary()\n\n    def
    setup_context
& x, bias = inputs -> x, bias = inputs\n        kept[ctx] = x, bias
& x, bias = ctx.saved_tensors -> x, bias = kept[ctx]
spoilt:
> dx = bias_gelu_backward(dy -> dy.mul_(1.5)\n        dx = bias_gelu_backward(dy
pair:
> return setup_context, backward -> return None
saved:
> save_for_backward(x, bias) -> save_for_backward(x, bias)\n        ctx.x = x
> save_for_backward(x, bias) -> save_for_backward(x + 0, bias)
> save_for_backward(x, bias) -> save_for_backward(x, bias, output)
> ctx.save_for_backward(x, bias)
    -> ctx.save_for_backward(x)\n        ctx.save_for_backward(bias)
kernels:
> dbias = bias_backward(dx) if need_bias else None -> dbias =
    bias_backward(dx)\n        dbias = dbias if need_bias else None
> {DX} -> {DX}\n        {DX}
> {RETURN} -> return (dx if need_x else None), (bias_backward(dx) if need_bias else
    None)
right: by a class
> def setup_context(ctx, -> class Two:\n        @staticmethod\n        def setup(ctx,
    inputs, output):\n            ctx.save_for_backward(*inputs)\n\n    def unused(ctx,
& return setup_context, backward -> return Two.setup, backward
""")


@right(bias_gelu_autograd, "by methods of an object that has the kernels")
def _(bias_gelu_backward, bias_backward):
    class Gradients:
        def __init__(self, slope, total):
            self.slope, self.total = slope, total

        def keep(self, ctx, inputs, output):
            ctx.save_for_backward(*inputs)

        def backward(self, ctx, dy):
            dx = self.slope(dy.contiguous(), *ctx.saved_tensors)
            match ctx.needs_input_grad:
                case (True, True):
                    return dx, self.total(dx)
                case (False, True):
                    return None, self.total(dx)
            return dx, None

    both = Gradients(bias_gelu_backward, bias_backward)
    return both.keep, both.backward


@right(bias_gelu_autograd, "a list that is filled, one gradient after the other")
def _(bias_gelu_backward, bias_backward):
    def backward(ctx, dy):
        needs, found = ctx.needs_input_grad, [None, None]
        if any(needs):
            dy = dy if dy.is_contiguous() else dy.contiguous()
            found[0] = bias_gelu_backward(dy, *ctx.saved_tensors)
        if needs[1]:
            found[1] = bias_backward(found[0])
        if not needs[0]:
            found[0] = None
        return tuple(found)

    return lambda ctx, inputs, output: ctx.save_for_backward(*inputs), backward
