"""What a check asks an answer to do, where plain arguments are not enough."""

# ruff: noqa: F401
from . import candidates, graphs, learning, modules, native, programs, sizes
from .registry import SCENES, played
