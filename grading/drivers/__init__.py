"""Programs that call an answer where a plain call doesn't do.

A driver runs in the process of the answer: it makes modules, graphs, or files there,
and returns plain values. It doesn't know what is right.

Imports kernels, isolation.
"""

# ruff: noqa: F401
from . import candidates, cpp_extensions, graphs, modules, programs, sizes, training
from .registry import SCENES, played
