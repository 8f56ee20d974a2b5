"""What a check asks an answer to do, where plain arguments are not enough."""

from . import (  # they register theirs
    candidates,
    graphs,
    learning,
    modules,
    native,
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
    "sizes",
]
