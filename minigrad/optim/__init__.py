"""Optimizers: how parameters are changed by their gradients."""

from ..suggest import in_module
from . import lr_scheduler
from .adam import Adam, AdamW
from .optimizer import Optimizer
from .sgd import SGD

__all__ = ["SGD", "Adam", "AdamW", "Optimizer", "lr_scheduler"]


__getattr__ = in_module(__name__)
