"""minigrad: how PyTorch works, from CUDA threads to a trained CNN, by writing it."""

# ruff: noqa: F401, I001
# fmt: off
import builtins as _builtins
import importlib as _importlib
import sys as _sys

from . import autograd, cuda, kernels, nn, optim
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
from .launch import kernel_variant
from .nn import functional
from .ops import shape_rules as _shape_rules  # noqa: F401  its exercise
from .ops.einsum import einsum
from .ops.indexing import where
from .ops.shape import cat, stack
from .random import (
    bernoulli, manual_seed, rand, rand_like, randint, randn, randn_like, randperm,
)
from .suggest import no_attribute as _no_attribute
from .tensor import Tensor
from .trace import trace

# fmt: on
__version__ = "0.1.0"

# Last of all, for some of these names are Python's own: abs, max, sum.
globals().update(_FUNCTIONS)

# What is loaded when it is first used, so that the import is quick: name -> module.
_AT_FIRST_USE = {
    "CompileError": "kernel",  # and with it the simulator
    "Kernel": "kernel",
    "data": "data",
    "graph": "graph",
    "load_file": "safetensors",
    "save_file": "safetensors",
    "testing": "testing",
    "training": "training",
}
__all__ = [n for n in globals() if n[0] != "_" and not hasattr(_builtins, n)]
__all__ += _AT_FIRST_USE

# What PyTorch has under a name that minigrad has not.
_INSTEAD = {
    "Generator": "minigrad.manual_seed(0) seeds all random numbers",
    "backends": "nothing needs to be set",
    "device": 'a device is its name, "cpu", "cuda" or "sim": x.to("cuda")',
    "load": "minigrad.load_file(path) reads tensors of a file",
    "save": "minigrad.save_file(tensors, path) writes tensors by name",
    "utils": "minigrad.data has DataLoader and TensorDataset",
}


def __dir__():
    return [*globals(), *_AT_FIRST_USE]


def __getattr__(name):
    if name in _AT_FIRST_USE:
        module = _importlib.import_module(f"{__name__}.{_AT_FIRST_USE[name]}")
        return globals().setdefault(name, getattr(module, name, module))
    if name not in _INSTEAD:
        raise _no_attribute(name, _sys.modules[__name__], "module 'minigrad'")
    text = f"module 'minigrad' has no attribute {name!r}. Instead: {_INSTEAD[name]}"
    raise AttributeError(text, name=name, obj=None)
