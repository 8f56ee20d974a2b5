"""Pictures for the lessons. Matplotlib is imported when the first one is drawn."""

from .access import access
from .banks import banks
from .explorer import strides_explorer
from .finding import finding, findings
from .launch import launch
from .picture import Picture
from .stepper import step
from .strides import strides
from .timeline import timeline

__all__ = [
    "Picture",
    "access",
    "banks",
    "finding",
    "findings",
    "launch",
    "step",
    "strides",
    "strides_explorer",
    "timeline",
]
