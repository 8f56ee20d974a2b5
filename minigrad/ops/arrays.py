# ruff: noqa
import functools
from ..arrays import as_array, write, reader, computed_in, quiet  # noqa
import functools


def quietly(kernel, name):
    def run(*operands, **options):
        return quiet(kernel, *operands, **options)

    run.__name__ = name
    return run
