"""Checks of a launch: its grid, its block, and arguments of the right types.

CuPy checks next to nothing: an empty grid becomes one block, a float64 array passed as
`float *` is read as pairs of float32, a Python float for a `float` arrives as half of a
double. So everything is checked here, for the simulator and for a GPU alike.
"""

import math
import operator

import numpy as np

from ..front.ctype import BFLOAT16, DOUBLE, VOID, Pointer, Struct
from .memory import leaves_of

# What every GPU of compute capability 7.5 or later can launch; x, y, z.
GRID = (2**31 - 1, 65535, 65535)
BLOCK, THREADS = (1024, 1024, 64), 1024


def sizes(name, grid, block, launch_bounds=()):
    """grid and block as (x, y, z)."""
    grid = dimensions(f"{name}: grid", grid, GRID)
    block = dimensions(f"{name}: block", block, BLOCK)
    threads, most = math.prod(block), min([THREADS, *launch_bounds[:1]])
    if threads > most:
        why = " (its __launch_bounds__)" if most < THREADS else ""
        raise ValueError(
            f"{name}: block {block} has {threads} threads; at most {most}{why}"
        )
    return grid, block


def dimensions(what, given, most):
    """(x, y, z) from an int or up to three of them."""
    given = tuple(given) if isinstance(given, tuple | list) else (given,)
    try:
        numbers = tuple(map(operator.index, given))
    except TypeError:
        raise TypeError(
            f"{what} {given} must hold whole numbers; -(-n // size) is n / size "
            f"rounded up"
        ) from None
    if not 1 <= len(numbers) <= 3:
        raise ValueError(f"{what} {numbers}: expected (x,), (x, y) or (x, y, z)")
    if min(numbers) < 1:
        raise ValueError(
            f"{what} {numbers} is empty: every number must be at least 1. With "
            f"nothing to compute, do not launch"
        )
    numbers += (1,) * (3 - len(numbers))
    for axis, number, limit in zip("xyz", numbers, most, strict=True):
        if number > limit:
            raise ValueError(f"{what} {numbers}: {axis} is {number}, at most {limit}")
    return numbers


def shared_bytes(name, nbytes, most):
    """The bytes of dynamic shared memory, checked against what a block can have."""
    if isinstance(nbytes, bool) or not isinstance(nbytes, int | np.integer):
        raise TypeError(f"{name}: shared_mem must be a number of bytes, not {nbytes!r}")
    if not 0 <= nbytes <= most:
        raise ValueError(
            f"{name}: shared_mem={nbytes} bytes; 0 to {most} are possible "
            f"(kernel.max_dynamic_shared_size_bytes)"
        )
    return int(nbytes)


def is_numpy(value):
    return isinstance(value, np.ndarray)


def arguments(name, function, args, is_array=is_numpy):
    """The arguments as values of exactly the parameters' types.

    is_array: tells what counts as an array; Kernel also takes CuPy's.
    """
    count(name, function, args)
    checked = []
    for i, (p, value) in enumerate(zip(function.parameters, args, strict=True), 1):
        where = f"{name}: argument {i}, {f'{p.type} {p.name}'.strip()}"
        take = pointer if isinstance(p.type.plain, Pointer) else by_value
        checked.append(take(value, where, p.type.plain, is_array(value)))
    return tuple(checked)


def count(name, function, args):
    """Check for a tuple or a list with one argument for each parameter."""
    in_a_tuple(name, args)
    names = ", ".join(f"{p.type} {p.name}".strip() for p in function.parameters)
    wanted = len(function.parameters)
    if len(args) != wanted:
        raise TypeError(f"{name}({names}) takes {wanted} arguments, got {len(args)}")


def in_a_tuple(name, args):
    if not isinstance(args, tuple | list):
        raise TypeError(
            f"{name}: the arguments must be a tuple, not {described(args)}: "
            f"kernel(grid, block, (x, y, n)), or (x,) for a single argument"
        )


def described(value):
    if hasattr(value, "dtype") and not isinstance(value, np.generic):
        return f"an array of {value.dtype}"
    if isinstance(value, np.generic):
        return f"{value!r:.60}"
    return f"the Python {type(value).__name__} {value!r:.40}"


def pointer(value, where, type, is_array):
    """An array for a pointer; None is the null pointer."""
    if value is None:
        return None
    if not is_array:
        raise TypeError(f"{where}: expected an array, got {described(value)}")
    to = type.to.plain
    if not points_to(value.dtype, to):
        expected, make = wanted(to)
        got = described(value)
        raise TypeError(f"{where}: expected {expected}, got {got}; {make} makes one")
    if is_numpy(value) and not (type.to.const or value.flags.writeable):
        raise ValueError(f"{where}: the array is read-only; use x.copy()")
    return in_order(value, where)


def in_order(array, where):
    """The array, if it is contiguous, as kernels read it."""
    if array.ndim == 0:
        raise ValueError(f"{where}: the array has no dimensions; use x.reshape(1)")
    if not array.flags.c_contiguous:
        copy = f"{'np' if is_numpy(array) else 'cupy'}.ascontiguousarray(x)"
        raise ValueError(
            f"{where}: the array is not contiguous (shape {array.shape}, strides "
            f"{array.strides} in bytes); {copy} makes one that is"
        )
    return array


def points_to(dtype, to):
    """May an array of `dtype` be passed as a pointer to the C type `to`?"""
    if to is VOID:
        return True
    if isinstance(to, Struct):  # float4 * may read plain floats
        parts = {leaf.dtype for leaf, _, _ in leaves_of(to)}
        return same_layout(dtype, to.dtype) or parts == {dtype}
    return dtype == to.dtype or (to is BFLOAT16 and dtype.name == "bfloat16")


def wanted(to):
    """What array a pointer takes, and how to make one."""
    if isinstance(to, Struct):
        return "an array of structs", f"np.array([...], {layout(to)})"
    bits = " (the bits of bfloat16)" if to is BFLOAT16 else ""
    return f"an array of {to.dtype}{bits}", f"x.astype(np.{to.dtype})"


def layout(struct):
    """The source of a struct's NumPy dtype."""
    fields = [(name, type.dtype.str) for name, (type, _) in struct.fields.items()]
    return f"np.dtype({fields}, align=True)"


def same_layout(a, b):
    """Do two structured dtypes have the same fields at the same offsets?"""
    if not (a.names and b.names and a.itemsize == b.itemsize):
        return False
    fields = [[d.fields[name][:2] for name in d.names] for d in (a, b)]
    return fields[0] == fields[1]


def by_value(value, where, type, is_array):
    """A number or a struct as a NumPy scalar of exactly the parameter's type."""
    if is_array and value.ndim == 0 and value.dtype.names:
        value, is_array = value[()], False
    if is_array:
        raise TypeError(f"{where} is not a pointer, but got {described(value)}")
    if isinstance(type, Struct):
        is_struct = isinstance(value, np.void)
        if is_struct and not (type.fields or value.dtype.fields):
            return np.zeros((), type.dtype)[()]
        if is_struct and same_layout(value.dtype, type.dtype):
            return value
        raise TypeError(
            f"{where}: expected a struct, got {described(value)}: "
            f"np.array((...), {layout(type)})[()] makes one"
        )
    if isinstance(value, np.generic) and value.dtype == type.dtype:
        return value
    number = of_python(value, where, type)
    if number is None:
        raise TypeError(
            f"{where}: got {described(value)}; the kernel would read other bits. "
            f"Pass np.{type.dtype}(x)"
        )
    return number


def of_python(value, where, type):
    """A Python number as the parameter's type if that loses nothing, else None.

    A Python float for a `float` is refused although it could be converted: CuPy would
    pass eight bytes, and what works here should work there.
    """
    if isinstance(value, np.generic):
        return None
    if isinstance(value, bool):
        return np.bool_(value) if type.dtype == np.bool_ else None
    if isinstance(value, float) and type is DOUBLE:
        return np.float64(value)
    if not isinstance(value, int) or type.dtype.kind not in "iu" or type is BFLOAT16:
        return None
    limits = np.iinfo(type.dtype)
    if not limits.min <= value <= limits.max:
        raise ValueError(f"{where}: {value} is not within {limits.min} to {limits.max}")
    return type.dtype.type(value)
