"""minigrad: how PyTorch works, from CUDA threads to a trained CNN, by writing it."""

from .answers import answers_from
from .exercise import NotAnswered, exercise, exercises, solves
from .tensor import (
    Tensor,
    arange,
    empty,
    float32,
    float64,
    from_numpy,
    int32,
    int64,
    ones,
    tensor,
    zeros,
)

__version__ = "0.1.0"
__all__ = [
    "NotAnswered",
    "Tensor",
    "answers_from",
    "arange",
    "empty",
    "exercise",
    "exercises",
    "float32",
    "float64",
    "from_numpy",
    "int32",
    "int64",
    "ones",
    "solves",
    "tensor",
    "zeros",
]
