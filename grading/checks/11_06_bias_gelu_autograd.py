"""setup_context and backward over two kernels, as register_autograd takes them."""

import numpy as np
import torch

from grading.exercise import Check, Problem, checks
from minigrad.autograd.custom import bias_gelu_autograd
from minigrad.ops.special import erf

HELD = "x or bias is held outside of ctx"
BOTH = ["bias_gelu_backward", "bias_backward"]


class Kernels:
    """The two kernels: an answer calls them by message, and they note their names."""

    def __init__(self):
        self.runs = []

    def __call__(self, name, *arrays):
        if name not in BOTH or not all(isinstance(a, np.ndarray) for a in arrays):
            raise ValueError(f"{name!r:.40} is no kernel, or is given no arrays")
        self.runs.append(name)
        return getattr(self, name)(*arrays)

    def bias_gelu_backward(self, dy, x, bias):
        if dy.shape != x.shape or bias.shape != x.shape[-1:]:
            raise RuntimeError(f"dy is {dy.shape}, x {x.shape}, bias {bias.shape}")
        u = x + bias
        slope = 0.5 * (1 + erf(u / 2**0.5))
        return dy * (slope + u * np.exp(-u * u / 2) / (2 * np.pi) ** 0.5)

    def bias_backward(self, dx):
        if not dx.ndim:
            raise RuntimeError("dx has no dimensions")
        return dx.reshape(-1, dx.shape[-1]).sum(0)


@checks(bias_gelu_autograd)
class BiasGeluAutograd(Check):
    """Leaves out float32 (the kernels' matter) and two Falses (backward never runs)."""

    scene = "from_outside"

    def cases(self, random):
        draw = np.random.default_rng(random.getrandbits(64))

        def of(shape, layout="contiguous", needs=(True, True), others=1):
            """Calls, the first two with equal inputs; and backwards in any order."""
            inputs = [[draw.standard_normal(s) for s in (shape, shape[-1:])]
                      for _ in range(1 + others)]  # fmt: skip
            calls, ups = [0, *range(1 + others)], draw.standard_normal((2, *shape))
            order = random.sample(range(len(calls)), len(calls))
            steps = [(call, random.randrange(2), False) for call in order]
            again = [(call, random.randrange(2), True) for call in order]
            return inputs, calls, [*ups], layout, steps + again, needs

        x_alone, bias_alone = (True, False), (False, True)
        for shape in ((3, 4), (4, 3)):
            yield "both gradients", *of(shape)
        for layout in ("transposed", "one number"):
            for shape in ((3, 4), (1, 5)):
                yield "any layout of dy", *of(shape, layout)
        for needs in (x_alone, bias_alone):
            for layout in ("contiguous", "transposed"):
                yield "what is needed", *of((3, 4), layout, needs)
        yield "several calls at once", *of((3, 4), others=3)
        yield "several calls at once", *of((2, 2), needs=bias_alone, others=2)
        for shape in ((2, 3, 4), (5,), (2, 1, 2, 3)):
            yield "more dimensions", *of(shape)
        yield "no elements", *of((0, 3))

    def _got(self, subject, args, own=False):
        subject.outside = kernels = Kernels()
        got, outcome = super()._got(subject, [{"outside": None}, *args], own)
        subject.outside = None
        return got | {"kernels": kernels.runs} if isinstance(
            got, dict
        ) else got, outcome

    def expected(self, inputs, calls, ups, layout, steps, needs):
        found = []
        for call, dy, _ in steps:
            x, bias = (torch.tensor(v).requires_grad_() for v in inputs[calls[call]])
            up = torch.tensor(ups[dy])
            up = up.sum().expand(up.shape) if layout == "one number" else up
            torch.nn.functional.gelu(x + bias).backward(up)
            found.append([t.grad.numpy() if n else None
                          for t, n in zip((x, bias), needs, strict=True)])  # fmt: skip
        return {HELD: False, "gradients": found,
                "kernels": BOTH[: 1 + needs[1]] * len(steps)}  # fmt: skip

    def same(self, got, expected, *args):
        if not isinstance(got, dict) or self.missing(got) != self.missing(expected):
            return False
        pairs = zip(self.flat(got), self.flat(expected), strict=True)
        near = all(
            g is None or (g.shape == e.shape and np.allclose(g, e, 1e-12, 1e-12))
            for g, e in pairs
        )
        return near and all(got[k] == expected[k] for k in (HELD, "kernels"))

    def flat(self, seen):
        return [g for pair in seen["gradients"] for g in pair]

    def missing(self, seen):
        """Which gradients are None, by backward."""
        return [[g is None for g in pair] for pair in seen["gradients"]]

    def general(self, case):
        got, expected = case.got, case.expected
        if isinstance(got, Problem):
            return self.of_problem(got) or super().general(case)
        if isinstance(got, dict):
            if got[HELD]:
                return "held", "x or bias is kept outside of ctx, and stays in memory"
            if self.missing(got) != self.missing(expected):
                return "needs", "None for what is not needed, and only for that"
            if got["kernels"] != expected["kernels"]:
                ran = [got["kernels"].count(name) for name in BOTH]
                needed = [expected["kernels"].count(name) for name in BOTH]
                return "kernels", (
                    f"{BOTH[0]} and {BOTH[1]} ran {ran[0]} and {ran[1]} times in "
                    f"{len(got['gradients'])} backwards; needed are {needed[0]} and "
                    f"{needed[1]}"
                )
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

    def words(self, inputs, calls, ups, layout, steps, needs):
        shape, order = inputs[0][0].shape, ", ".join(str(call) for call, *_ in steps)
        said = f"x of shape {shape}; dy {layout}; needs_input_grad {needs}"
        return f"{said}; {len(calls)} calls, whose backwards run in the order {order}"


TEXTS = {
    "pair": "a pair is returned: (setup_context, backward); by backward (dx, dbias)",
    "spoilt": "x, bias or dy has changed: others still use them",
    "reused": "dx or dbias lies in the memory that an earlier call has returned",
    "strides": "the kernels read one element after the other, and dy may lie in any "
    "way: dy.contiguous()",
    "saved": "x and bias themselves are saved, by one call of ctx.save_for_backward, "
    "and nothing else",
}
