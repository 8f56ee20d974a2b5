"""Dispatch: which function does the work, by operator, device and dtype.

Each operator has a kernel for each device and dtype, in one registry, as in PyTorch's
ATen. A call of an operator checks the arguments, finds the kernel, and runs it.
"""

import functools
import inspect
from numbers import Real
from typing import NamedTuple

from . import plan_cache
from .arrays import NumpyKernel
from .autograd.grad_mode import thread
from .autograd.record import Gradients, below, record
from .check import check
from .dtypes import FLOATS
from .exercises.registry import exercise
from .layout import Uncacheable, key_of
from .numpy_names import in_pytorch
from .trace import Trace

KERNELS = {}  # (operator, device, dtype) -> kernel, a function of the operands
METHODS = {}  # name -> what is a method of Tensor, and a function of minigrad
FUNCTIONAL = {}  # name -> what is a function of nn.functional


def method(function):
    """Make a function or an operator a method of Tensor, and a function of minigrad."""
    METHODS[function.__name__] = function
    return function


def functional(function):
    """Make a function or an operator one of nn.functional."""
    FUNCTIONAL[function.__name__] = function
    return function


class DispatchError(NotImplementedError):
    """An operator has no kernel for these operands."""


@exercise(points=2, stars=1, minutes=10, level="good to know")
def find_kernel(registry, operator, device, dtype):
    """Return the kernel of `operator` for tensors on `device`, computing in `dtype`.

    That's the kernel that's registered for all three. If there's none, it's the one for
    the same operator and device whose dtype is None, because that works for every
    dtype. Never return a kernel for another device or another dtype.

    registry: a dict {(operator, device, dtype): kernel}. No kernel is falsy. The
        registry may grow between two calls, so don't cache what you find.
    operator, device: strings, such as "add" and "sim".
    dtype: a dtype, or its name, such as "float32". Look it up as it is, because the
        registry's keys use the same form.

    Raises DispatchError if there's no such kernel, with the message
    missing(registry, operator, device, dtype). Another message is also accepted if it
    contains the operator, the device, str(dtype), and every device that has the
    operator. If no device has it, the operator is enough.
    """


def missing(registry, operator, device, dtype):
    """Return the message for a missing kernel, which also says what there is."""
    there = [key[1:] for key in registry if key[0] == operator]
    if not there:
        names = sorted({key[0] for key in registry})
        return f"there is no operator {operator!r}; there are {', '.join(names)}"
    names = {}
    for d, t in there:
        names.setdefault(d, []).append(str(t or "every dtype"))
    listed = "; ".join(f"on {d!r}: {', '.join(types)}" for d, types in names.items())
    return f"{operator} has no kernel for {dtype} on {device!r}. It has: {listed}"


def same_device(operator, operands):
    """The device of the operands that are tensors; RuntimeError if they differ."""
    devices = {}
    for number, x in enumerate(operands, 1):
        if hasattr(x, "storage"):
            devices.setdefault(x.device, number)
    places = [f"operand {n} is on {d!r}" for d, n in devices.items()]
    check(devices, lambda: f"{operator}: expected a tensor, got {operands!r:.60}",
          TypeError)  # fmt: skip
    check(len(devices) == 1, f"{operator}: {' and '.join(places)}. All tensors must be "
          f"on one device: x.to({[*devices][0]!r}) makes a copy there")  # fmt: skip
    return next(iter(devices))


def tensor_for(operator, argument, x):
    """x; TypeError unless it is a tensor."""
    check(hasattr(x, "storage"), lambda: f"{operator}(): argument '{argument}' must be "
          f"Tensor, not {type(x).__name__}: minigrad.tensor(...) makes one of lists "
          "and arrays", TypeError)  # fmt: skip
    return x


def number_for(operator, argument, value, kind=Real):
    """value; TypeError unless it is a number, Integral if that is the kind."""
    what = "Number" if kind is Real else "int"
    check(isinstance(value, kind) and not isinstance(value, bool),
          lambda: f"{operator}(): argument {argument!r} must be {what}, not "
          f"{type(value).__name__}", TypeError)  # fmt: skip
    return value


class Operator:
    """An operator: called with PyTorch's arguments, it runs the kernel for them.

    check: a function of these arguments that raises what PyTorch raises, and returns
    the options of the kernels, a dict (None: all arguments that are no operands, as
    they are); or a function without arguments that gets the result in another way.
    tensors: the names of those arguments that are operands, with a * before the last
    one if it is a list of them; None for the first argument alone. rule: operands ->
    the dtype to compute in. vjps: how the operands' gradients are computed
    (autograd/record.py); None: not differentiable.
    planned: False where the next call may have to do something else.
    """

    traffic = None  # (operands, result) -> bytes, where a tensor isn't read in whole
    # An argument that is no tensor -> its part of a call's key.
    argument_key = staticmethod(functools.partial(key_of, tensors=True))

    def __init__(self, check, tensors=None, dtypes=FLOATS, results=None, vjps=None,
                 rule=None, planned=True, name=None):  # fmt: skip
        functools.update_wrapper(self, check)
        self.check, self.name = check, name or check.__name__
        self.signature = inspect.signature(check)
        self.parameters = [*self.signature.parameters]
        *_, last = names = tensors.split() if tensors else self.parameters[:1]
        self.tensors = [name.lstrip("*") for name in names]
        self.listed = last[0] == "*"
        self.dtypes, self.results, self.planned = dtypes, results, planned
        self.rule = rule or (lambda x, *_: x.dtype)
        words = map(str.capitalize, self.name.split("_"))
        self.node_name = f"{''.join(words)}Backward0"
        self.gradients = vjps and Gradients(*vjps)
        self.plans = {}
        self.call = functools.update_wrapper(self.planned_call(), check)

    def cpu(self, function):
        """Make a function of arrays and options the kernel for "cpu"."""
        for dtype in self.dtypes:
            kernel = NumpyKernel(function, dtype, self.results)
            KERNELS[self.name, "cpu", dtype] = kernel
        return function

    def device(self, function):
        """Make a function of tensors and options the kernel for "sim" and "cuda"."""
        name, kernel = self.name, DeviceKernel(function)
        for dtype in self.dtypes:
            KERNELS[name, "sim", dtype] = KERNELS[name, "cuda", dtype] = kernel
        return function

    def __call__(self, *args, **named):
        return self.call(*args, **named)

    def __set_name__(self, owner, name):
        """In a class it becomes a plain function: Python calls these fastest."""
        setattr(owner, name, self.call)

    def planned_call(self):
        """Return the function that a call runs: an earlier call's plan, or `first`.

        The key has all that a plan depends on: the Specs of tensors, and of any other
        argument its `argument_key`. It is made here and not in a function of its own,
        because every operator's calls come through here.
        """
        plans, key_of = self.plans, self.argument_key
        first, state = self.first, plan_cache.state

        def call(*args, **named):
            key = []
            try:
                for x in args:
                    key.append(getattr(x, "spec", None) or key_of(x))
                for name in named:
                    x = named[name]
                    key += name, getattr(x, "spec", None) or key_of(x)
            except Uncacheable:
                return first(None, args, named)
            key = tuple(key)
            plan = plans.get(key)
            if plan is None or state.disabled or Trace.active is not None:
                return first(key, args, named)
            operands = args if plan.pick is None else plan.pick(args, named)
            y = plan.run(*operands)
            if thread.enabled:
                for x in operands:
                    meta, base = getattr(x, "_meta", None), getattr(x, "_base", None)
                    if meta is not None or base is not None:  # record() sees whether
                        return record(self, operands, plan.options, y)
            return y

        return call

    def first(self, key, args, named):
        """A call without a plan; it leaves one where that is possible."""
        bound = self.bind(args, named)
        if callable(bound):
            return bound()
        operands, options, places = bound
        kernel = self.find(operands)
        if Trace.active is not None:
            run = functools.partial(Trace.active.run, self.name, kernel)
            y = below(run, operands, options, self.traffic)
        elif plan_cache.state.disabled or None in (key, places) or not self.planned:
            y = below(kernel, *operands, **options)
        else:
            y, run = below(planned, kernel, operands, options)
            if run is not None:
                pick = picker(places, len(args), self.listed)
                plan_cache.put(self.plans, key, Plan(run, pick, options))
        return record(self, operands, options, y)

    def bind(self, args, named):
        """(operands, options, where a call has the operands, or None: no plan)."""
        named = named and in_pytorch(self.name, named, self.parameters)
        places = [*self.parameters[: len(args)], *named]
        try:
            bound = self.signature.bind(*args, **named)
        except TypeError:
            self.check(*args, **named)  # its error says more
            raise
        bound.apply_defaults()
        operands = []
        for name in self.tensors[: -1 if self.listed else None]:
            x, default = bound.arguments[name], self.signature.parameters[name].default
            if x is not None or default is inspect.Parameter.empty:
                tensor_for(self.name, name, x)
            operands.append(x)
        options = self.check(*bound.args, **bound.kwargs)
        if callable(options):
            return options
        if self.listed:
            operands += bound.arguments[self.tensors[-1]]
        others = {n: x for n, x in bound.arguments.items() if n not in self.tensors}
        options = others if options is None else options
        try:
            key_of([*others.values()])
        except Uncacheable:  # a tensor, whose numbers are in no key
            return tuple(operands), options, None
        where = [places.index(n) if n in places else None for n in self.tensors]
        return tuple(operands), options, where

    def find(self, operands, where=None):
        """The kernel for these operands; where: those whose devices count."""
        dtype = self.rule(*operands)
        device = same_device(self.name, where or operands)
        return find_kernel(KERNELS, self.name, device, dtype)


def operator(tensors=None, **how):
    """Make an Operator of the function below, its `check`."""
    return lambda check: Operator(check, tensors, **how)


class Plan(NamedTuple):
    """What is known of a call: how to run it, to find its operands, and its options."""

    run: object
    pick: object  # None: all arguments are operands
    options: dict


def planned(kernel, operands, options):
    """(a kernel's result, the function that does it again, or None)."""
    if not hasattr(kernel, "plan"):
        return kernel(*operands, **options), None
    return kernel.plan(operands, options)


class DeviceKernel:
    """A function of tensors that launches kernels of CUDA C."""

    def __init__(self, function):
        self.function = function

    def __call__(self, *operands, **options):
        return self.function(*operands, **options)

    def plan(self, operands, options):
        """The result, and a function that replays what was recorded on the way."""
        return plan_cache.recorded(functools.partial(self, **options), operands)


def picker(places, count, listed=False):
    """A function (args, named) -> the operands, which are at `places`.

    None if all `count` arguments are operands. listed: the last one is a list of them.
    """
    if places == [*range(count)] and not listed:
        return None

    def pick(args, named):
        given = *args, *named.values()
        operands = [None if i is None else given[i] for i in places]
        return (*operands[:-1], *operands[-1]) if listed else tuple(operands)

    return pick
