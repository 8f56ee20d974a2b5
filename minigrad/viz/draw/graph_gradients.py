"""The gradients that flow through a graph, found without a call of backward()."""

import math

import numpy as np

from ...autograd.function import Context
from ...autograd.grad_mode import no_grad
from ...autograd.graph import edge_of

MOST_NODES, MOST_ELEMENTS, SHOWN = 200, 1_000_000, 4


def flow(loss, order):
    """{node: the gradient that comes to it, as an array}, as far as it can be known.

    order: the nodes below `loss`, each before all that it points to. Nothing is
    written to: no .grad, no hook is called, and no code of a learner's Function, so
    what lies below one is not known. Nor is anything where the graph was freed.
    """
    if loss.numel() != 1 or len(order) > MOST_NODES:
        return {}
    sums, unknown = {edge_of(loss): loss.new_zeros(loss.shape) + 1}, set()
    with no_grad():
        for node in order:
            given = [sums.get((node, i)) for i in range(node.outputs)]
            sent = None if node in unknown else sent_by(node, given)
            if sent is None:
                unknown |= {end for end, _ in node.next_functions}
            for edge, gradient in zip(node.next_functions, sent or (), strict=False):
                if gradient is not None:
                    sums[edge] = sums[edge] + gradient if edge in sums else gradient
    gradients = {node: x for (node, _), x in sums.items() if node not in unknown}
    return {node: x.detach().cpu().numpy() for node, x in gradients.items()}


def sent_by(node, given):
    """What a node sends on; None where it cannot be known."""
    if not node.next_functions:
        return ()
    large = sum(math.prod(like[0]) for like in node.likes if like) > MOST_ELEMENTS
    if isinstance(node, Context) or node.hooks or large:
        return None
    try:
        return node.fitted(node.backward(*given), given)
    except Exception:  # the graph was freed, or an answer is missing or wrong
        return None


def text_of(gradient):
    """A gradient of few elements by its values, of more by its length."""
    if gradient.size > SHOWN:
        return f"|grad| {np.linalg.norm(gradient.astype(np.float64)):.3g}"
    values = ", ".join(f"{v:.3g}" for v in gradient.ravel().tolist())
    return f"grad {values}"
