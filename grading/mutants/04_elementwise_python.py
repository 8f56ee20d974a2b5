"""Chapter 04, result_type and find_kernel: wrong answers, and right ones."""

import functools

import numpy as np

from grading.specimens import mutant, right
from minigrad.dispatch import DispatchError, find_kernel, missing
from minigrad.dtypes import (
    bfloat16,
    float32,
    float64,
    int64,
    kind,
    of_number,
    promote_types,
    result_type,
)


def dtype_of(x):
    return x.dtype if hasattr(x, "storage") else of_number(x)


def reduced(operands):
    return functools.reduce(promote_types, map(dtype_of, operands))


def grouped(operands):
    groups = [], [], []
    for x in operands:
        groups[2 if not hasattr(x, "storage") else x.ndim == 0].append(dtype_of(x))
    return groups


def highest(groups):
    return max((functools.reduce(promote_types, g) for g in groups if g), key=kind)


# ------------------------------------------------------------ result_type


@mutant(result_type, "all_alike")
def _(*operands):
    return reduced(operands)


@mutant(result_type, "numpy_table")
def _(*operands):
    types = [np.float64 if isinstance(x, float) else dtype_of(x) for x in operands]
    if bfloat16 in types:
        return reduced(operands)
    return np.result_type(*types)


@mutant(result_type, "int_by_int")
def _(*operands):
    found = highest(grouped(operands))
    return float32 if kind(found) == 1 else found


@mutant(result_type, "double_numbers")
def _(*operands):
    groups = grouped(operands)
    groups[2][:] = [float64 if d == float32 else d for d in groups[2]]
    return highest(groups)


@mutant(result_type, "no_numbers")
def _(*operands):
    groups = grouped(operands)
    return highest(groups[:2] if groups[0] or groups[1] else groups)


@mutant(result_type, "numbers_like_tensors")
def _(*operands):
    with_dims, without, numbers = grouped(operands)
    return highest([with_dims + numbers, without])


@mutant(result_type, "zero_dims_alike")
def _(*operands):
    tensors = [x.dtype for x in operands if hasattr(x, "storage")]
    numbers = [of_number(x) for x in operands if not hasattr(x, "storage")]
    return highest([tensors, numbers])


@mutant(result_type, "zero_dims_left_out")
def _(*operands):
    with_dims, without, numbers = grouped(operands)
    return highest([with_dims, numbers] if with_dims or numbers else [without])


@mutant(result_type, "first_decides")
def _(*operands):
    return dtype_of(operands[0])


@mutant(result_type, "last_decides")
def _(*operands):
    return [dtype_of(x) for x in operands][-1]


@mutant(result_type, "widest")
def _(*operands):
    return sorted(map(dtype_of, operands), key=lambda d: -d.itemsize)[0]


@mutant(result_type, "two_operands")
def _(*operands):
    return highest(grouped(operands[:2]))


@mutant(result_type, "type", "a name")
def _(*operands):
    return type(highest(grouped(operands)))


@mutant(result_type, "raised", "numbers have a dtype")
def _(*operands):
    return functools.reduce(promote_types, [x.dtype for x in operands])


@mutant(result_type, "no_error", "anything is a number")
def _(*operands):
    groups = [], [], []
    for x in operands:
        if hasattr(x, "storage"):
            groups[x.ndim == 0].append(x.dtype)
        else:
            groups[2].append(of_number(x) if not isinstance(x, str) else int64)
    return highest(groups)


@right(result_type, "by three loops")
def _(*operands):
    with_dims = [x.dtype for x in operands if hasattr(x, "storage") and x.shape]
    without = [x.dtype for x in operands if hasattr(x, "storage") and not x.shape]
    numbers = [of_number(x) for x in operands if not hasattr(x, "storage")]
    best = None
    for group in (with_dims, without, numbers):
        for dtype in group[1:]:
            group[0] = promote_types(group[0], dtype)
        if group and (best is None or kind(group[0]) > kind(best)):
            best = group[0]
    return best


@right(result_type, "from the end, as PyTorch's source does it")
def _(*operands):
    found = None
    for group in reversed(grouped(operands)):
        if not group:
            continue
        dtype = functools.reduce(promote_types, group)
        higher = found is not None and kind(found) > kind(dtype)
        found = promote_types(dtype, found) if higher else dtype
    return found


@right(result_type, "by sorting")
def _(*operands):
    groups = [functools.reduce(promote_types, g) for g in grouped(operands) if g]
    return sorted(groups, key=lambda dtype: -kind(dtype))[0]


# ------------------------------------------------------------ find_kernel


@mutant(find_kernel, "cpu_instead")
def _(registry, operator, device, dtype):
    for where in (device, "cpu"):
        for what in (dtype, None):
            if (operator, where, what) in registry:
                return registry[operator, where, what]
    raise DispatchError(missing(registry, operator, device, dtype))


@mutant(find_kernel, "other_dtype")
def _(registry, operator, device, dtype):
    for what in (dtype, None, "float32", "int64", "float16"):
        if (operator, device, what) in registry:
            return registry[operator, device, what]
    raise DispatchError(missing(registry, operator, device, dtype))


@mutant(find_kernel, "no_general")
def _(registry, operator, device, dtype):
    try:
        return registry[operator, device, dtype]
    except KeyError:
        raise DispatchError(missing(registry, operator, device, dtype)) from None


@mutant(find_kernel, "general_first")
def _(registry, operator, device, dtype):
    for what in (None, dtype):
        if (operator, device, what) in registry:
            return registry[operator, device, what]
    raise DispatchError(missing(registry, operator, device, dtype))


@mutant(find_kernel, "first_in_order")
def _(registry, operator, device, dtype):
    for (o, d, t), kernel in registry.items():
        if o == operator and d == device and (t is None or t == dtype):
            return kernel
    raise DispatchError(missing(registry, operator, device, dtype))


@mutant(find_kernel, "none_there")
def _(registry, operator, device, dtype):
    general = registry.get((operator, device, None))
    return registry.get((operator, device, dtype), general)


@mutant(find_kernel, "key_itself")
def _(registry, operator, device, dtype):
    for key in (operator, device, dtype), (operator, device, None):
        if key in registry:
            return key
    raise DispatchError(missing(registry, operator, device, dtype))


@mutant(find_kernel, "wrong_error", "a KeyError")
def _(registry, operator, device, dtype):
    general = (operator, device, None)
    return registry[(operator, device, dtype) if general not in registry else
                    (operator, device, dtype) if (operator, device, dtype) in registry
                    else general]  # fmt: skip


@mutant(find_kernel, "wrong_error", "a NotImplementedError")
def _(registry, operator, device, dtype):
    for key in (operator, device, dtype), (operator, device, None):
        if key in registry:
            return registry[key]
    raise NotImplementedError(f"no {operator} for {dtype} on {device}")


@mutant(find_kernel, "message", "says nothing")
def _(registry, operator, device, dtype):
    for key in (operator, device, dtype), (operator, device, None):
        if key in registry:
            return registry[key]
    raise DispatchError("there is no such kernel")


@mutant(find_kernel, "message", "does not say what there is")
def _(registry, operator, device, dtype):
    for key in (operator, device, dtype), (operator, device, None):
        if key in registry:
            return registry[key]
    raise DispatchError(f"{operator} has no kernel for {dtype} on {device}")


@mutant(find_kernel, "not_found", "keys in another order")
def _(registry, operator, device, dtype):
    for key in (device, operator, dtype), (device, operator, None):
        if key in registry:
            return registry[key]
    raise DispatchError(missing(registry, operator, device, dtype))


@right(find_kernel, "by get")
def _(registry, operator, device, dtype):
    kernel = registry.get((operator, device, dtype))
    if kernel is None:
        kernel = registry.get((operator, device, None))
    if kernel is None:
        raise DispatchError(missing(registry, operator, device, dtype))
    return kernel


@right(find_kernel, "by try")
def _(registry, operator, device, dtype):
    try:
        return registry[operator, device, dtype]
    except KeyError:
        pass
    try:
        return registry[operator, device, None]
    except KeyError:
        raise DispatchError(missing(registry, operator, device, dtype)) from None


@right(find_kernel, "by a list of those that fit")
def _(registry, operator, device, dtype):
    fits = {t: k for (o, d, t), k in registry.items() if (o, d) == (operator, device)}
    for what in (dtype, None):
        if what in fits:
            return fits[what]
    there = sorted(registry, key=str)
    raise DispatchError(f"no {operator} on {device} for {dtype}. There is {there}")
