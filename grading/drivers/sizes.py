"""Scenes of answers that find or compute something: sizes, strides, times, kernels."""

import contextlib
import tracemalloc

from minigrad.dispatch import DispatchError

from .guards import Misuse
from .registry import scene

MOST = 2**18  # bytes


@scene
def numbers_alone(exercise, *arguments, least):
    """A function of sizes, of many elements: these take it no more memory.

    least: the arguments for one element. What it prints, or keeps, takes memory there,
    too.
    """
    value, most = _measured(exercise, arguments)
    if most > MOST:  # other answers may have been loaded meanwhile
        value, most = _measured(exercise, arguments)
    if most > MOST:
        most -= _measured(exercise, least)[1]
    if most > MOST:
        text = (
            "it takes more memory with more elements: find the numbers without a list "
            "or an array of them"
        )
        raise Misuse("listed", text)
    return value


def _measured(exercise, arguments):
    """What a call returns, and the bytes that it took at most."""
    tracemalloc.start()
    try:
        return exercise(*arguments), tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@scene
def find_kernel(exercise, registry, operator, device, dtype, later=None):
    """{"returns": kernel}, or {"raises": what the error says}.

    later: what the registry has grown by since an earlier search.
    """
    registry = dict(registry)
    if later:
        with contextlib.suppress(LookupError, NotImplementedError):
            exercise(registry, operator, device, dtype)
        registry.update(later)
    try:
        return {"returns": exercise(registry, operator, device, dtype)}
    except DispatchError as error:
        return {"raises": str(error)}
