"""Pictures for the lessons. Matplotlib is imported when the first one is drawn."""

from .access import access
from .banks import banks
from .bars import bars
from .curve import curve
from .drawing import drawing
from .explorer import strides_explorer
from .finding import finding, findings
from .graph import graph
from .launch import launch
from .learned import learned
from .machine import calls, machine, memories, toolchain, versions
from .norms import norm_axes
from .picture import Picture
from .profile import profile
from .program import program
from .roofline import Point, point, roofline
from .seams import dispatch, extension
from .spans import spans
from .stepper import step
from .strides import strides
from .timeline import timeline
from .windows import columns, halo, overlaps, pooling, windows

__all__ = [
    "Picture",
    "Point",
    "access",
    "banks",
    "bars",
    "calls",
    "columns",
    "curve",
    "dispatch",
    "drawing",
    "extension",
    "finding",
    "findings",
    "graph",
    "halo",
    "launch",
    "learned",
    "machine",
    "memories",
    "norm_axes",
    "overlaps",
    "point",
    "pooling",
    "profile",
    "program",
    "roofline",
    "spans",
    "step",
    "strides",
    "strides_explorer",
    "timeline",
    "toolchain",
    "versions",
    "windows",
]
