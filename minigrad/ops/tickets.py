# ruff: noqa
from ..launch import counters as tickets  # noqa
