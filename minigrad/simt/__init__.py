"""CUDA C for a computer without a GPU: compile it, run it, see what a GPU hides.

Four rooms: `front` parses and checks the text, `generate` writes NumPy source from it,
`engine` runs that source over thousands of lanes at a time, `tools` watch it run.
NumPy is all it needs.
"""

from .device import empty
from .front import CompileError, Lint, Program, caret, compile
from .launch import KernelError, Limits, RawKernel, RawModule, at_most, run
from .report import Finding, Report
from .texture import surface, texture
from .tools import TOOLS, Tool
from .trace import Step, Trace, trace

__all__ = [
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
    "at_most",
    "caret",
    "compile",
    "empty",
    "run",
    "surface",
    "texture",
    "trace",
]
