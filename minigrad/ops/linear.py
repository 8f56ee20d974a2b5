"""x Wᵀ + b as one step of the graph.

The gradient of W comes out in W's own layout: row by row, as an optimiser wants it. By
x @ W.T it would be that of W.T, to be transposed.
"""

from ..autograd.node import requires
from ..autograd.saved import Saved
from ..autograd.views import record_call


def linear(input, weight, bias=None):
    """input times the transpose of weight, plus bias: (*, in) to (*, out)."""
    tensors = [input, weight] if bias is None else [input, weight, bias]
    needs = [*map(requires, tensors), False]
    kept = [Saved(x) for x in (input, weight)] if any(needs) else []

    def run():
        y = input @ weight.permute(1, 0)
        if bias is None:
            return y
        return y + bias if y.dtype != bias.dtype else y.add_(bias)

    def backward(dy):
        x, w = (saved.get("LinearBackward0") for saved in kept)
        rows, x = (t.reshape(-1, t.shape[-1]) for t in (dy, x))
        dx = dy @ w if needs[0] else None
        dw = rows.permute(1, 0) @ x if needs[1] else None
        return dx, dw, rows.sum(0) if needs[2] else None

    if input.ndim == 0 or weight.ndim != 2:
        return run()  # says what is wrong
    return record_call("Linear", tensors, run, lambda dy: backward(dy)[: len(tensors)])
