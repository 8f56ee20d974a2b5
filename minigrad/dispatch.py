"""Dispatch: which function does the work, by operator, device and dtype.

Each operator has a kernel for each device and dtype, in one registry, as in PyTorch's
ATen. An operator is called: it looks at its operands, finds its kernel, and runs it.
"""

import functools
import inspect

from . import memo, trace
from .autograd.modes import here
from .autograd.record import Gradients, record
from .exercises.registry import exercise
from .numpy_names import in_pytorch
from .promotion import result_type

KERNELS = {}  # (operator, device, dtype) -> kernel, a function of the operands


class DispatchError(NotImplementedError):
    """An operator has no kernel for these operands."""


def register(operator, devices, dtypes, kernel):
    """Put a kernel into the registry; dtypes (None,) stands for every dtype."""
    for device in devices:
        for dtype in dtypes:
            KERNELS[operator, device, dtype] = kernel


@exercise("04.5", points=2, stars=1, minutes=10)
def find_kernel(registry, operator, device, dtype):
    """The kernel of `operator` for tensors on `device`, computing in `dtype`.

    registry: {(operator, device, dtype): kernel}. operator, device: names, such as
    "add" and "sim". A kernel that is registered for dtype None is for every dtype, but
    gives way to one for `dtype` itself. A kernel of another device is never right: it
    could not read the tensors' memory.

    Raises DispatchError where there is none; missing(registry, operator, device, dtype)
    is its message: it names all three, and what there is instead.
    """


def missing(registry, operator, device, dtype):
    """What to say where there is no kernel: the three names, and what there is."""
    there = [key[1:] for key in registry if key[0] == operator]
    if not there:
        names = sorted({key[0] for key in registry})
        return f"there is no operator {operator!r}; there are {', '.join(names)}"
    names = {
        d: ", ".join(str(t) if t else "every dtype" for other, t in there if other == d)
        for d, _ in there
    }
    listed = "; ".join(f"on {d!r}: {types}" for d, types in names.items())
    return f"{operator} has no kernel for {dtype} on {device!r}. It has: {listed}"


def same_device(operator, operands):
    """The device of the operands that are tensors; RuntimeError if they differ."""
    devices = {}
    for number, x in enumerate(operands, 1):
        if hasattr(x, "storage"):
            devices.setdefault(x.device, number)
    if len(devices) > 1:
        places = [f"operand {n} is on {d!r}" for d, n in devices.items()]
        raise RuntimeError(
            f"{operator}: {' and '.join(places)}. All tensors must be on one device: "
            f"x.to({next(iter(devices))!r}) makes a copy there"
        )
    if not devices:
        raise TypeError(f"{operator}: expected a tensor, got {operands!r:.60}")
    return next(iter(devices))


def seen(operand):
    """What an operand is, where what to run is looked up: dtype, device, layout."""
    storage = getattr(operand, "storage", None)
    if storage is None:
        return type(operand)
    return storage.dtype, storage.device, operand._layout


class Operator:
    """An operator: called with its operands, it runs the kernel that is theirs.

    name: PyTorch's. rule: operands -> the dtype to compute in. gradients: how the
    operands' gradients are computed (autograd/record.py); None: not differentiable. It
    is a method of Tensor as well as a function.
    """

    takes = ()  # the names of the operands after the first, where they may be given
    options = None  # a set: the names of its options; None: its kernels check them
    moved = None  # what a trace counts as bytes, where not each tensor is read in whole

    def __init__(self, name, rule=result_type, doc="", gradients=None):
        self.name, self.rule, self.__doc__ = name, rule, doc
        self.node_name = "".join(map(str.capitalize, name.split("_"))) + "Backward0"
        self.gradients = gradients and Gradients(*gradients)
        self.found = memo.kept()  # what was prepared for such operands before

    def __call__(self, *operands, **options):
        if here.modes.enabled:
            for x in operands:
                base = getattr(x, "_base", None)  # a view asks for it, too
                if getattr(x, "_meta", None) or base is not None and base._meta:
                    return record(self, Operator.__call__, operands, options)
        if options and self.options is not None and not self.options >= {*options}:
            wrong = next(name for name in options if name not in self.options)
            raise TypeError(
                f"{self.name}() got an unexpected keyword argument {wrong!r}"
            )
        key = self.key(operands, options)
        run = self.found.get(key)
        if run is None:
            run = self.remember(key, self.find(operands), operands)
        if trace.active is None:
            return run(*operands, **options)
        return trace.active.run(self.name, run, operands, options, self.moved)

    def __set_name__(self, owner, name):
        """In a class it becomes a plain function: Python calls these fastest."""
        call = type(self).__call__
        takes = self.takes or [*inspect.signature(call).parameters][2:]

        @functools.wraps(self, ("__doc__",), ())
        def method(x, *operands, **options):
            if options:
                options = in_pytorch(self.name, options, takes)
                if self.takes:
                    operands, options = (*operands, *options.values()), {}
            return call(self, x, *operands, **options)

        method.__name__ = name
        setattr(owner, name, method)

    def key(self, operands, options):
        """What decides how such operands are treated."""
        return (*map(seen, operands),)

    def find(self, operands):
        """The kernel for these operands."""
        dtype = self.rule(*operands)
        device = same_device(self.name, operands)
        return find_kernel(KERNELS, self.name, device, dtype)

    def remember(self, key, kernel, operands):
        """The kernel, prepared for operands of these layouts if it can be."""
        prepare = getattr(kernel, "prepare", None)
        run = prepare(operands) if prepare else kernel
        return memo.keep(self.found, key, run)

    def __repr__(self):
        return f"<operator {self.name}>"
