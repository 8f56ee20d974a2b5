"""Gradients: the graph that operators are recorded in, and the way back through it."""

# ruff: noqa: F401
from ..testing.gradcheck import GradcheckError, gradcheck
from .custom import bias_gelu_autograd
from .engine import grad, listed, run_backward
from .function import Context, Function
from .grad_mode import (
    detect_anomaly,
    enable_grad,
    is_grad_enabled,
    no_grad,
    set_grad_enabled,
)
from .graph import Node


def backward(tensors, grad_tensors=None, retain_graph=None, create_graph=False,
             inputs=None):  # fmt: skip
    """Tensor.backward for several tensors at once: their gradients are added up."""
    several = listed(tensors)
    given = [None] * len(several) if grad_tensors is None else listed(grad_tensors)
    run_backward(several, given, retain_graph, create_graph, inputs)
