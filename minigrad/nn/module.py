"""Module: the base of every layer and network. It knows its parameters by name."""

from collections import OrderedDict

from ..autograd.grad_mode import thread
from ..exercises.registry import exercise
from . import hooks
from .attributes import Attributes
from .convert import Conversions
from .module_calls import Call
from .parameter import Parameter
from .state_dict import load


class Module(Attributes, Conversions, hooks.Hooks):
    """The base of every network.

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.fc = nn.Linear(64, 10)

            def forward(self, x):
                return self.fc(x)

    What is assigned to self is remembered by its name: a Parameter in _parameters, a
    Module in _modules. A call runs the hooks and forward.
    """

    training = True
    _shown = ()  # the attributes that are printed, as name=value

    def __init__(self):
        super().__init__()
        self._forward_pre_hooks = OrderedDict()
        self._forward_hooks = OrderedDict()
        self._backward_hooks = OrderedDict()

    # ------------------------------------------------------------ the tree

    def named_children(self):
        """(name, module) of the modules right below this one, each once."""
        seen = set()
        for name, module in self._modules.items():
            if module is not None and module not in seen:
                seen.add(module)
                yield name, module

    def named_modules(self, memo=None, prefix="", remove_duplicate=True):
        """(name, module) of this one and all below it: "", "0", "0.fc" ..."""
        memo = set() if memo is None else memo
        if self in memo:
            return
        if remove_duplicate:
            memo.add(self)
        yield prefix, self
        for name, module in self._modules.items():
            if module is not None:
                below = f"{prefix}.{name}" if prefix else name
                yield from module.named_modules(memo, below, remove_duplicate)

    @exercise(points=3, stars=2, minutes=20)
    def named_parameters(self, prefix="", recurse=True, remove_duplicate=True):
        """Return (name, parameter) pairs of this module and of all modules below it.

        The order is this module's own parameters, then all of its first child with
        everything below that child, then all of its second child, and so on.

        self._parameters: {name: Parameter or None}, this module's own.
        self._modules: {name: Module or None}, its children.
            Both are in the order of assignment, and None is skipped. A parameter's name
            begins with `prefix` and the names of the modules on the path to it, with
            dots between: "weight", "0.weight", "encoder.0.weight".
        prefix: "", or a name without a dot at its end.
        recurse: if False, only this module's own parameters are returned.
        remove_duplicate: if True, a parameter that's found again is left out, so it's
            listed only under its first name in the order above. Two parameters are the
            same only if they're the same object.

        Parameters that don't require gradients count too. Returns a list, or any
        other iterable, of pairs.
        """

    def named_buffers(self, prefix="", recurse=True, remove_duplicate=True):
        """(name, buffer) of this module and of those below it."""
        seen, modules = set(), [(prefix, self)]
        if recurse:
            modules = self.named_modules(None, prefix, remove_duplicate)
        for path, module in modules:
            for name, buffer in module._buffers.items():
                if buffer is None or id(buffer) in seen:
                    continue
                if remove_duplicate:
                    seen.add(id(buffer))
                yield f"{path}.{name}" if path else name, buffer

    def parameters(self, recurse=True):
        """The parameters, as an optimizer takes them: each once."""
        return (p for _, p in self.named_parameters(recurse=recurse))

    def buffers(self, recurse=True):
        return (b for _, b in self.named_buffers(recurse=recurse))

    def children(self):
        return (module for _, module in self.named_children())

    def modules(self):
        return (module for _, module in self.named_modules())

    def get_submodule(self, target):
        """The module of a name such as "encoder.0"."""
        module = self
        for part in target.split(".") if target else []:
            if not isinstance(getattr(module, part, None), Module):
                raise AttributeError(
                    f"{type(module).__name__} has no attribute `{part}`"
                )
            module = getattr(module, part)
        return module

    def get_parameter(self, target):
        """The parameter of a name such as "encoder.0.weight"."""
        path, _, name = target.rpartition(".")
        parameter = getattr(self.get_submodule(path), name)
        if not isinstance(parameter, Parameter):
            raise AttributeError(f"`{name}` is not an nn.Parameter")
        return parameter

    # ------------------------------------------------------------ the call

    def forward(self, *args):
        raise NotImplementedError(
            f'Module [{type(self).__name__}] is missing the required "forward" function'
        )

    def __call__(self, *args, **kwargs):
        outer = thread.made_in
        thread.made_in = Call(self, outer) if thread.enabled else None
        try:
            if self._forward_pre_hooks or self._forward_hooks or self._backward_hooks:
                return hooks.call(self, args, kwargs)
            return self.forward(*args, **kwargs)
        finally:
            thread.made_in = outer

    # ------------------------------------------------------------ its state

    @exercise(points=2, stars=2, minutes=15, level="good to know")
    def state_dict(self, *, prefix="", keep_vars=False):
        """Return {name: tensor} with every tensor of this module that must be saved.

        These are the parameters and the persistent buffers, of this module and of all
        below it. The order is this module's parameters, its buffers, then all of its
        first child, and so on.

        self._parameters, self._buffers: {name: tensor or None}, this module's own.
        self._modules: {name: Module or None}, its children. None is skipped everywhere.
        self._non_persistent_buffers_set: the names of this module's buffers that aren't
            persistent, so they're left out.
        prefix: comes before every name, unchanged. It's "", or ends with a dot.
        keep_vars: if True, the result holds the tensors themselves. If False, it holds
            tensor.detach(), a new tensor that shares its memory, even for a buffer.

        A tensor with several names is listed under each of them.
        """

    def load_state_dict(self, state_dict, strict=True):
        """Copy the values of a state_dict into the parameters and buffers.

        Returns (missing_keys, unexpected_keys). RuntimeError where a shape differs, and
        with `strict` where a key is missing or unexpected.
        """
        return load(self, state_dict, strict)

    def train(self, mode=True):
        """Set `training` of this module and of all below it to `mode`; return self."""
        if not isinstance(mode, bool):
            raise ValueError("training mode is expected to be boolean")
        self.training = mode
        for child in self.children():
            child.train(mode)
        return self

    def eval(self):
        """train(False)."""
        return self.train(False)

    def extra_repr(self):
        """The text between the parentheses when the module is printed."""
        return ", ".join(f"{name}={getattr(self, name)!r}" for name in self._shown)

    def __repr__(self):
        name, extra = type(self).__name__, self.extra_repr()
        children = self._children_repr()
        if not children:
            return f"{name}({extra})"
        texts = [extra] * bool(extra) + children
        lines = [line for text in texts for line in text.split("\n")]
        return "\n".join([f"{name}(", *(f"  {line}" for line in lines), ")"])

    def _children_repr(self):
        """A text for each child."""
        return [f"({name}): {child!r}" for name, child in self._modules.items()]
