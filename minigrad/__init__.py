"""minigrad: how PyTorch works, from CUDA threads to a trained CNN, by writing it."""

# ruff: noqa: F401, I001
# fmt: off
import builtins as _builtins
import sys as _sys

from . import autograd, cuda, data, graph, kernels, nn, optim, training
from .autograd import enable_grad, is_grad_enabled, no_grad, set_grad_enabled
from .creation import (
    arange, empty, empty_like, eye, from_numpy, full, full_like, linspace, ones,
    ones_like, tensor, zeros, zeros_like,
)
from .devices import device_empty, gpu_available, synchronize, to_device, to_host
from .dispatch import DispatchError
from .dtypes import (
    bfloat16, float16, float32, float64, int8, int16, int32, int64, promote_types,
    result_type, uint8,
)
from .dtypes import bool_ as bool
from .dtypes import float16 as half
from .dtypes import float32 as float
from .dtypes import float64 as double
from .dtypes import int32 as int
from .dtypes import int64 as long
from .exercises import own_tests as _own_tests
from .exercises.answers import answers_from
from .exercises.registry import NotAnswered, exercise, solves
from .functions import FUNCTIONS as _FUNCTIONS
from .jit import jit
from .kernel import CompileError, Kernel
from .launch import rungs
from .nn import functional
from .ops import shape_rules as _shape_rules  # noqa: F401  its hole
from .ops.einsum import einsum
from .ops.indexing import where
from .ops.shape import cat, stack
from .random import (
    bernoulli, manual_seed, rand, rand_like, randint, randn, randn_like, randperm,
)
from .safetensors import load_file, save_file
from .suggest import no_attribute as _no_attribute
from .tensor import Tensor
from .trace import trace

# fmt: on
__version__ = "0.1.0"

# Last of all, for some of these names are Python's own: abs, max, sum.
globals().update(_FUNCTIONS)
__all__ = [n for n in globals() if n[0] != "_" and not hasattr(_builtins, n)]

# What PyTorch has under a name that minigrad has not.
_INSTEAD = {
    "Generator": "minigrad.manual_seed(0) seeds all random numbers",
    "backends": "nothing needs to be set",
    "device": 'a device is its name, "cpu", "cuda" or "sim": x.to("cuda")',
    "load": "minigrad.load_file(path) reads tensors of a file",
    "save": "minigrad.save_file(tensors, path) writes tensors by name",
    "utils": "minigrad.data has DataLoader and TensorDataset",
}


def __getattr__(name):
    if name not in _INSTEAD:
        raise _no_attribute(name, _sys.modules[__name__], "module 'minigrad'")
    text = f"module 'minigrad' has no attribute {name!r}. Instead: {_INSTEAD[name]}"
    raise AttributeError(text, name=name, obj=None)
