"""x Wᵀ + b as one step of the graph.

The gradient of W comes out in W's own layout: row by row, as an optimiser wants it. By
x @ W.T it would be that of W.T, to be transposed.
"""

from ..autograd.graph import Saved, requires
from ..autograd.views import record_call
from .base import expect


def linear(input, weight, bias=None):
    """input times the transpose of weight, plus bias: (*, in) to (*, out)."""
    try:
        fits = input._layout[0] and len(weight._layout[0]) == 2
        _ = bias is None or bias._layout
    except AttributeError:
        expect("linear", {"input": input, "weight": weight}, {"bias": bias})
        raise
    tensors = [input, weight] if bias is None else [input, weight, bias]
    needs = [*map(requires, tensors), False]
    saves = needs[0] or needs[1]
    kept = [Saved(x) for x in (input, weight)] if saves else []

    def run():
        y = input @ weight.permute(1, 0)
        if bias is None:
            return y
        return y + bias if y.dtype != bias.dtype else y.add_(bias)

    def backward(dy):
        dx = dw = None
        rows = dy.reshape(-1, dy.shape[-1])
        if saves:
            x, w = (saved.get("LinearBackward0") for saved in kept)
            dx = dy @ w if needs[0] else None
            dw = rows.permute(1, 0) @ x.reshape(-1, x.shape[-1]) if needs[1] else None
        return dx, dw, rows.sum(0) if needs[2] else None

    if not fits:
        return run()  # says what is wrong
    few = len(tensors)
    return record_call("Linear", tensors, run, lambda dy: backward(dy)[:few], saves)
