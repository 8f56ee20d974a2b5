"""CUDA C for a computer without a GPU: compile it, run it, see what a GPU hides.

Four rooms: `front` parses and checks the text, `generate` writes NumPy source from it,
`engine` runs that source over thousands of lanes at a time, `tools` watch it run.
NumPy is all it needs. What `__all__` lists is public, and nothing else: README.md says
what each name is for.
"""

from . import nvrtc
from .device import empty, fresh_of
from .engine import admit
from .engine.geometry import spread
from .front import CompileError, Lint, Program, caret, compile
from .front.lexer import lex
from .front.words import ASSIGNMENTS, LEVELS
from .guards import guarded
from .numerics import special
from .raw_kernel import RawKernel, RawModule, run
from .recorder import Step, Trace, trace
from .report import Finding, KernelError, Report
from .simulated_launch import Limits, at_most
from .texture import surface, texture
from .tools import TOOLS, Tool
from .tools.base import pieces
from .tools.coalescing import SECTOR

__version__ = "0.1.0"
__all__ = [
    "ASSIGNMENTS",
    "LEVELS",
    "SECTOR",
    "TOOLS",
    "CompileError",
    "Finding",
    "KernelError",
    "Limits",
    "Lint",
    "Program",
    "RawKernel",
    "RawModule",
    "Report",
    "Step",
    "Tool",
    "Trace",
    "admit",
    "at_most",
    "caret",
    "compile",
    "empty",
    "fresh_of",
    "guarded",
    "lex",
    "nvrtc",
    "pieces",
    "run",
    "spread",
    "special",
    "surface",
    "texture",
    "trace",
]
