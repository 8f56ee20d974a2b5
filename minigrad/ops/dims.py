# ruff: noqa
from .reduce import dims_of, as_flag, kept_shape, rows_of  # noqa
