"""Pictures for the lessons. Matplotlib is imported when the first one is drawn."""

from .explorer import strides_explorer
from .picture import Picture
from .strides import strides

__all__ = ["Picture", "strides", "strides_explorer"]
