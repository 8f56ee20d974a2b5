"""Gradients: the graph that operators are recorded in, and the way back through it."""

# ruff: noqa: F401
from .custom import bias_gelu_autograd
from .engine import grad
from .engine import run_backward as backward
from .function import Context, Function
from .grad_mode import (
    detect_anomaly,
    enable_grad,
    is_grad_enabled,
    no_grad,
    set_grad_enabled,
)
from .gradcheck import GradcheckError, gradcheck
from .graph import Node
