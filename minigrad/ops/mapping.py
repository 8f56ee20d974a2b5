# ruff: noqa
from ..launch import THREADS, MANY  # noqa
from .pointwise_kernels import DevicePointwise as DeviceMap  # noqa
