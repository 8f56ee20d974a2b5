"""minigrad: how PyTorch works, from CUDA threads to a trained CNN, by writing it."""

from . import autograd, data, functional, kernels, nn, optim, training
from .autograd import enable_grad, is_grad_enabled, no_grad, set_grad_enabled
from .device import device_empty, gpu_available, synchronize, to_device, to_host
from .dispatch import DispatchError
from .factories import (
    arange,
    empty,
    empty_like,
    eye,
    from_numpy,
    full,
    full_like,
    linspace,
    ones,
    ones_like,
    tensor,
    zeros,
    zeros_like,
)
from .kernel import CompileError, Kernel
from .ops.cat import cat, stack
from .ops.elementwise import where
from .ops.indexing import masked_select, nonzero
from .ops.ladder import rungs
from .ops.matmul import matmul
from .promotion import promote_types, result_type
from .random import (
    bernoulli,
    manual_seed,
    rand,
    rand_like,
    randint,
    randn,
    randn_like,
    randperm,
)
from .safetensors import load_file, save_file
from .slots.answers import answers_from
from .slots.exercise import NotAnswered, exercise, exercises, solves
from .storage import (
    bfloat16,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    uint8,
)
from .storage import (
    bool_ as bool,  # noqa: A004, F401
)
from .tensor import Tensor
from .trace import trace

__version__ = "0.1.0"
__all__ = [
    "CompileError",
    "DispatchError",
    "Kernel",
    "NotAnswered",
    "Tensor",
    "answers_from",
    "arange",
    "autograd",
    "bernoulli",
    "bfloat16",
    "cat",
    "data",
    "device_empty",
    "empty",
    "empty_like",
    "enable_grad",
    "exercise",
    "exercises",
    "eye",
    "float16",
    "float32",
    "float64",
    "from_numpy",
    "full",
    "full_like",
    "functional",
    "gpu_available",
    "int16",
    "int32",
    "int64",
    "int8",
    "is_grad_enabled",
    "kernels",
    "linspace",
    "load_file",
    "manual_seed",
    "masked_select",
    "matmul",
    "nn",
    "no_grad",
    "nonzero",
    "ones",
    "ones_like",
    "optim",
    "promote_types",
    "rand",
    "rand_like",
    "randint",
    "randn",
    "randn_like",
    "randperm",
    "result_type",
    "rungs",
    "save_file",
    "set_grad_enabled",
    "solves",
    "stack",
    "synchronize",
    "tensor",
    "to_device",
    "to_host",
    "trace",
    "training",
    "uint8",
    "where",
    "zeros",
    "zeros_like",
]
