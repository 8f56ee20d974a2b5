"""Pictures for the lessons. Matplotlib is imported when the first one is drawn."""

from .access import access
from .bank_map import bank_map
from .banks import banks
from .bars import bars
from .charts import histograms, lines, ranking, surface
from .curve import curve
from .drawing import drawing
from .explorer import strides_explorer
from .finding import finding
from .formula import formula
from .graph import graph
from .images import images
from .launch import launch
from .learned import learned
from .picture import Picture
from .product import product
from .profile import profile
from .program import program
from .pyramid import pyramid
from .roofline import Point, point, roofline
from .source import source
from .spans import spans
from .stepper import step
from .strides import strides
from .svg import (
    calls,
    dispatch,
    extension,
    machine,
    memories,
    norm_axes,
    toolchain,
)
from .tables import broadcast, tables
from .threads import threads
from .timeline import timeline
from .tree import tree
from .versions import versions
from .walk import walk
from .windows import columns, halo, overlaps, pooling, windows

__all__ = [
    "Picture",
    "Point",
    "access",
    "bank_map",
    "banks",
    "bars",
    "broadcast",
    "calls",
    "columns",
    "curve",
    "dispatch",
    "drawing",
    "extension",
    "finding",
    "formula",
    "graph",
    "halo",
    "histograms",
    "images",
    "launch",
    "learned",
    "lines",
    "machine",
    "memories",
    "norm_axes",
    "overlaps",
    "point",
    "pooling",
    "product",
    "profile",
    "pyramid",
    "program",
    "ranking",
    "roofline",
    "source",
    "spans",
    "step",
    "strides",
    "strides_explorer",
    "surface",
    "tables",
    "threads",
    "timeline",
    "toolchain",
    "tree",
    "versions",
    "walk",
    "windows",
]
