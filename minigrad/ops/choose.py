# ruff: noqa
from .reduce import *  # noqa
from .reduce import max, min  # noqa
