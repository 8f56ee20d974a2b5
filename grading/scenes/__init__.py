"""What a check asks an answer to do, where plain arguments are not enough."""

from . import candidates, graphs, learning, modules, sizes  # they register theirs
from .registry import SCENES, played

__all__ = ["SCENES", "candidates", "graphs", "learning", "modules", "played", "sizes"]
