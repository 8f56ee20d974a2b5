"""Answers of find_kernel by other algorithms."""

from minigrad.dispatch import DispatchError, find_kernel, missing
from tools.audit.specimens import answer


@answer(find_kernel, right="by a list of those that fit")
def _(registry, operator, device, dtype):
    fits = {t: k for (o, d, t), k in registry.items() if (o, d) == (operator, device)}
    for what in (dtype, None):
        if what in fits:
            return fits[what]
    there = sorted(registry, key=str)
    raise DispatchError(f"no {operator} on {device} for {dtype}. There is {there}")


@answer(find_kernel, right="by two attempts")
def _(registry, operator, device, dtype):
    try:
        return registry[operator, device, dtype]
    except KeyError:
        kernel = registry.get((operator, device, None))
    if kernel is None:
        raise DispatchError(missing(registry, operator, device, dtype)) from None
    return kernel


@answer(find_kernel, right="by an error of its own class")
def _(registry, operator, device, dtype):
    class NoKernel(DispatchError):
        pass

    for key in (operator, device, dtype), (operator, device, None):
        if key in registry:
            return registry[key]
    raise NoKernel(missing(registry, operator, device, dtype))


@answer(find_kernel, wrong="unknown")
def _(registry, operator, device, dtype):
    """Returns what is noted of an error, which is not raised."""
    for key in (operator, device, dtype), (operator, device, None):
        if key in registry:
            return registry[key]
    return {"raises": missing(registry, operator, device, dtype)}
