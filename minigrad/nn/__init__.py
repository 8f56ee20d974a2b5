"""Layers, losses and networks, under the names of torch.nn."""

from ..suggest import in_module
from . import functional, init, utils
from .activation import (
    ELU,
    GELU,
    Hardtanh,
    LeakyReLU,
    LogSoftmax,
    Mish,
    ReLU,
    ReLU6,
    Sigmoid,
    SiLU,
    Softmax,
    Softplus,
    Tanh,
)
from .containers import ModuleList, Sequential
from .conv import Conv1d, Conv2d, ConvTranspose2d
from .layers import Dropout, Embedding, Flatten, Identity, Linear
from .loss import (
    BCELoss,
    BCEWithLogitsLoss,
    CrossEntropyLoss,
    KLDivLoss,
    MSELoss,
    NLLLoss,
    SmoothL1Loss,
)
from .module import Module
from .normalization import (
    BatchNorm1d,
    BatchNorm2d,
    GroupNorm,
    InstanceNorm2d,
    LayerNorm,
    RMSNorm,
)
from .padding import ReflectionPad2d, ZeroPad2d
from .parameter import Parameter
from .pooling import AdaptiveAvgPool2d, AvgPool2d, MaxPool2d, Upsample

__all__ = [
    "AdaptiveAvgPool2d", "AvgPool2d", "BCELoss", "BCEWithLogitsLoss", "BatchNorm1d",
    "BatchNorm2d", "Conv1d", "Conv2d", "ConvTranspose2d", "CrossEntropyLoss", "Dropout",
    "ELU", "Embedding", "Flatten", "GELU", "GroupNorm", "Hardtanh", "Identity",
    "InstanceNorm2d", "KLDivLoss", "LayerNorm", "LeakyReLU", "Linear", "LogSoftmax",
    "MSELoss", "MaxPool2d", "Mish", "Module", "ModuleList", "NLLLoss", "Parameter",
    "RMSNorm", "ReLU", "ReLU6", "ReflectionPad2d", "Sequential", "SiLU", "Sigmoid",
    "SmoothL1Loss", "Softmax", "Softplus", "Tanh", "Upsample", "ZeroPad2d",
    "functional", "init", "utils",
]  # fmt: skip

__getattr__ = in_module(__name__)
