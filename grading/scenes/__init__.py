"""What a check asks an answer to do, where plain arguments are not enough."""

from . import (  # they register theirs
    candidates,
    graphs,
    learning,
    modules,
    native,
    programs,
    sizes,
)
from .registry import SCENES, played

__all__ = [
    "SCENES",
    "candidates",
    "graphs",
    "learning",
    "modules",
    "native",
    "played",
    "programs",
    "sizes",
]
