"""Tools that watch a kernel run: races, garbage, memory traffic, divergence."""

from .banks import Banks
from .base import Tool
from .coalescing import Coalescing
from .divergence import Divergence
from .explain import explain
from .init import Init
from .race import Race

TOOLS = {
    "race": Race,
    "init": Init,
    "coalescing": Coalescing,
    "banks": Banks,
    "divergence": Divergence,
}

__all__ = [
    "TOOLS",
    "Banks",
    "Coalescing",
    "Divergence",
    "Init",
    "Race",
    "Tool",
    "explain",
]
