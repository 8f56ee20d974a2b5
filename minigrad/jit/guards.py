"""Guards: what a trace was made for. Where it differs, another trace is made."""

import inspect
import types

from .. import launch
from ..autograd.grad_mode import thread
from ..autograd.graph import requires
from ..nn import Module
from ..optim import Optimizer
from ..tensor import Tensor

PLAIN = int, float, bool, str, type(None)


def guard_failures(traced, now):
    """Why a trace can't be used, a list of strings; [] if it can.

    traced: {name: value}, what the trace was made for. now: the same for this call.
    Their reprs are compared, because 1, 1.0, and True are equal, and nan isn't to
    itself.
    """
    failures = []
    for name in [*traced, *(n for n in now if n not in traced)]:
        old = repr(traced[name]) if name in traced else "nothing"
        new = repr(now[name]) if name in now else "nothing"
        if old != new:
            failures.append(f"{name} was {old}, is {new}")
    return failures


def movable(x):
    """May a trace be run with x, wherever in its storage it begins?"""
    return x.is_contiguous() and not requires(x)


def alike(a, b):
    """Are two Specs the same but for where they begin?"""
    both = ((s.dtype, s.device, s.shape, s.strides) for s in (a, b))
    return next(both) == next(both)


def facts_of(function, args, kwargs):
    """The Facts of a call: all that a trace of it depends on."""
    call_facts = Facts()
    names = parameters_of(function)
    for i, value in enumerate(args):
        name = names[i] if i < len(names) else f"argument {i}"
        call_facts.add(name, value, given=True)
    for name, value in kwargs.items():
        call_facts.add(name, value, given=True)
    for name, value in around(function):
        call_facts.add(name, value)
    call_facts.same.append(same_around(function))
    call_facts.facts["grad mode"] = thread.enabled
    call_facts.facts["variants"] = launch.requested
    return call_facts


class Facts:
    """What is known of a call.

    facts: {name: value}. inputs: (name, tensor) of its arguments. outside: {name:
    tensor} of what it knows from elsewhere, parameters say. same: functions that say
    whether something outside is as it was; plain: is that all, beside tensors that are
    arguments?
    """

    def __init__(self):
        self.facts, self.inputs, self.outside, self.seen = {}, [], {}, {}
        self.same, self.plain, self.specs = [], True, []

    def hold(self, args):
        """Do they hold for such arguments? Asked first, for it takes microseconds.

        Where it says no, guard_failures has the last word.
        """
        if not self.plain or len(args) != len(self.specs):
            return False
        memory = set()
        for x, spec in zip(args, self.specs, strict=True):
            if type(x) is not Tensor or requires(x):
                return False
            if x.spec is not spec and not (movable(x) and alike(x.spec, spec)):
                return False
            memory.add(id(x.storage))
        if len(memory) < len(args) or memory & self.known:
            return False
        return all(same() for same in self.same)

    def settle(self):
        """Keep of the arguments what hold() needs, and not the tensors."""
        self.specs = [x.spec for _, x in self.inputs]
        self.plain = self.plain and not any(requires(x) for _, x in self.inputs)
        self.known = {id(x.storage) for x in self.outside.values()}
        enabled, variants = self.facts["grad mode"], self.facts["variants"]
        self.same.append(lambda: thread.enabled is enabled)
        self.same.append(lambda: launch.requested == variants)
        self.inputs = []

    def add(self, name, value, given=False, depth=0):
        """Note a value, and what it consists of. given: is it an argument?"""
        if isinstance(value, Tensor):
            self.tensor(name, value, given)
        elif isinstance(value, PLAIN):
            self.facts[name] = value
            self.plain = self.plain and not given
        elif isinstance(value, tuple | list) and depth < 4:
            self.facts[f"length of {name}"] = len(value)
            self.plain = self.plain and not given and type(value) is tuple
            for i, item in enumerate(value):
                self.add(f"{name}[{i}]", item, given, depth + 1)
        elif isinstance(value, dict) and depth < 4:
            self.facts[f"keys of {name}"] = tuple(map(str, value))
            self.plain = False
            for key, item in value.items():
                self.add(f"{name}[{key!r}]", item, given, depth + 1)
        elif isinstance(value, Module):
            self.module(name, value)
        elif isinstance(value, Optimizer):
            self.optimizer(name, value)
        else:
            self.facts[name] = f"{type(value).__name__} {id(value):#x}"
            self.plain = self.plain and not given
            self.holder(name, value, depth)

    def holder(self, name, value, depth):
        """Tensors, modules and optimizers that an object has as attributes."""
        for key, item in [*getattr(value, "__dict__", {}).items()] if depth < 4 else ():
            if isinstance(item, Tensor | Module | Optimizer):
                self.add(f"{name}.{key}", item, False, depth + 1)
                self.same.append(lambda k=key, i=item: vars(value).get(k) is i)

    def tensor(self, name, x, given):
        spec, needs = x.spec, requires(x)
        where = () if given and movable(x) else (spec.offset,)
        kind = str(spec.dtype), spec.device, spec.shape, spec.strides
        self.facts[name] = *kind, *where, "requires grad" if needs else "no grad"
        same = self.seen.setdefault(id(x.storage), name)
        if same != name:
            self.facts[f"{name} lies in the memory of"] = same
        if given:
            self.inputs.append((name, x))
            return
        storage, meta = x.storage, x._meta
        self.facts[f"memory of {name}"] = id(storage)
        self.outside[name] = x
        self.same.append(lambda: x.storage is storage and x.spec is spec)
        if needs and meta is not None:
            none = meta.grad is None
            self.facts[f"{name}.grad"] = None if none else "a tensor"
            self.same.append(lambda: x._meta is meta and (meta.grad is None) is none)

    def module(self, name, module):
        for path, part in module.named_modules():
            here = f"{name}.{path}" if path else name
            self.facts[f"{here}.training"] = part.training
            self.same.append(unchanged(part, part.training))
            parts = part._parameters, part._buffers, part._modules
            self.same += [all_are(held, {**held}) for held in parts if held]
            for key, x in (*part._parameters.items(), *part._buffers.items()):
                if x is None:
                    self.facts[f"{here}.{key}"] = None
                elif id(x) not in {*map(id, self.outside.values())}:
                    self.tensor(f"{here}.{key}", x, False)

    def optimizer(self, name, optimizer):
        for i, group in enumerate(optimizer.param_groups):
            for key, value in group.items():
                if key != "params":
                    self.add(f"{name}.param_groups[{i}][{key!r}]", value)
        self.same += [all_are(group, {**group}) for group in optimizer.param_groups]
        numbers, memory, state = {}, [], optimizer.state
        for kept in state.values():
            self.same.append(all_are(kept, {**kept}))
        count = len(state)
        self.same.append(lambda: len(state) == count and optimizer.state is state)
        for kept in optimizer.state.values():
            for key, value in kept.items():
                if isinstance(value, Tensor):
                    memory.append(id(value.storage))
                else:
                    numbers.setdefault(key, set()).add(value)
        self.facts[f"{name}: parameters with state"] = len(optimizer.state)
        self.facts[f"memory of {name}.state"] = tuple(memory)
        for key, values in numbers.items():
            self.facts[f"{name}.state[...][{key!r}]"] = tuple(sorted(values))


def unchanged(module, training):
    return lambda: module.training is training


def all_are(held, old):
    """A function: does a dict hold the very same objects, under the same names?"""
    pairs = [*old.items()]

    def check():
        if len(held) != len(pairs):
            return False
        return all(held.get(name) is value for name, value in pairs)

    return check


def parameters_of(function):
    """The names of a function's parameters that one argument each is for."""
    function = function.forward if isinstance(function, Module) else function
    try:
        every = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return []
    return [p.name for p in every if p.kind is not p.VAR_POSITIONAL]


def around(function):
    """(name, value) of what a function uses besides its arguments."""
    if isinstance(function, Module):
        return [("self", function)]
    own = getattr(function, "__self__", None)
    function = getattr(function, "__func__", function)
    values = [("self", own)] if own is not None else []
    code = getattr(function, "__code__", None)
    if code is None:
        return values
    cells = function.__closure__ or ()
    for name, cell in zip(code.co_freevars, cells, strict=True):
        values += [(name, value) for value in contents(cell)]
    for name in names_in(code):
        value = function.__globals__.get(name)
        is_guarded = isinstance(value, (*PLAIN, Tensor, Module, Optimizer))
        if name in function.__globals__ and is_guarded:
            values.append((name, value))
    return values


def same_around(function):
    """A function: does `function` see the very same objects as now?"""
    here = getattr(function, "__func__", function)
    if not hasattr(here, "__code__"):
        return lambda: True
    cells = [(c, v) for c in here.__closure__ or () for v in contents(c)]
    names, namespace = {*names_in(here.__code__)}, here.__globals__
    pairs = [(n, namespace[n]) for n in names if n in namespace]

    def check():
        inside = all(cell.cell_contents is value for cell, value in cells)
        return inside and all(namespace.get(name) is value for name, value in pairs)

    return check


def contents(cell):
    try:
        return [cell.cell_contents]
    except ValueError:
        return []


def names_in(code):
    """The names that a function's code, or one inside of it, looks up."""
    inner = [c for c in code.co_consts if isinstance(c, types.CodeType)]
    return [*code.co_names, *(name for c in inner for name in names_in(c))]
