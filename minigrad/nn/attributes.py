"""What is assigned to a module is remembered by its name, and by what it is."""

from ..suggest import no_attribute
from ..tensor import Tensor
from .parameter import Parameter

KINDS = "_parameters", "_buffers", "_modules"
WANTED = {
    "_parameters": "parameter '{}' (nn.Parameter or None expected)",
    "_buffers": "buffer '{}' (Tensor or None expected)",
    "_modules": "child module '{}' (nn.Module or None expected)",
}

EARLY = (
    "cannot assign {} before Module.__init__() call: super().__init__() is the first "
    "line of __init__()"
)


def no_module(value):
    """What to say of something that is to be a module, and is none."""
    if isinstance(value, type):
        return f"{value.__name__} is a class, no module yet: {value.__name__}(...)"
    text = f"{type(value).__name__} is not a Module subclass"
    if isinstance(value, list | tuple):
        return f"{text}: Sequential(*layers) takes the layers out of their list"
    if callable(value):
        return f"{text}: a function is called in forward(), or is a layer as nn.ReLU()"
    return text


class Attributes:
    """A Parameter goes to _parameters, a module to _modules, a buffer to _buffers."""

    def __init__(self):
        for kind in KINDS:
            object.__setattr__(self, kind, {})
        object.__setattr__(self, "_non_persistent_buffers_set", set())

    def __setattr__(self, name, value):
        if isinstance(value, Parameter):
            self._forget(name, "parameters")
            self.register_parameter(name, value)
        elif isinstance(value, Attributes):
            self._forget(name, "modules")
            self._modules[name] = value
        else:
            self._set_other(name, value)

    def _forget(self, name, what):
        """Make room for a parameter or module of that name."""
        if "_parameters" not in self.__dict__:
            raise AttributeError(EARLY.format(what))
        for place in (self.__dict__, *(getattr(self, kind) for kind in KINDS)):
            if place is not getattr(self, f"_{what}"):  # there it keeps its place
                place.pop(name, None)
        self._non_persistent_buffers_set.discard(name)

    def _set_other(self, name, value):
        """Anything else; in the place of a buffer a tensor, of any of them None."""
        for kind in KINDS:
            place = self.__dict__.get(kind, {})
            if name not in place:
                continue
            fits = kind == "_buffers" and isinstance(value, Tensor)
            if value is not None and not fits:
                given = f"cannot assign '{type(value).__name__}' as "
                raise TypeError(given + WANTED[kind].format(name))
            place[name] = value
            return
        object.__setattr__(self, name, value)

    def __getattr__(self, name):
        for kind in KINDS:
            place = self.__dict__.get(kind, {})
            if name in place:
                return place[name]
        if "_parameters" in self.__dict__:
            raise no_attribute(name, self)
        kind = type(self).__name__
        raise AttributeError(
            f"'{kind}' object has no attribute '{name}': does {kind}.__init__() not "
            "begin with super().__init__()?"
        )

    def __delattr__(self, name):
        for kind in KINDS:
            if name in getattr(self, kind):
                del getattr(self, kind)[name]
                self._non_persistent_buffers_set.discard(name)
                return
        object.__delattr__(self, name)

    def __dir__(self):
        return sorted(
            {*super().__dir__(), *(n for k in KINDS for n in getattr(self, k))}
        )

    def register_parameter(self, name, param):
        """Remember a Parameter, or None, under a name."""
        self._check_name(name, "parameter", "_parameters")
        if param is not None and not isinstance(param, Parameter):
            raise TypeError(
                f"cannot assign '{type(param).__name__}' object to parameter '{name}' "
                f"(nn.Parameter or None required)"
            )
        if param is not None and getattr(param, "grad_fn", None) is not None:
            raise ValueError(
                f"Cannot assign non-leaf Tensor to parameter '{name}'. Model "
                f"parameters must be created explicitly."
            )
        self._parameters[name] = param

    def register_buffer(self, name, tensor, persistent=True):
        """Remember a tensor that is no parameter, such as a running mean.

        persistent: is it part of state_dict?
        """
        self._check_name(name, "buffer", "_buffers")
        if tensor is not None and not isinstance(tensor, Tensor):
            raise TypeError(
                f"cannot assign '{type(tensor).__name__}' object to buffer '{name}' "
                f"(Tensor or None required)"
            )
        self._buffers[name] = tensor
        change = "discard" if persistent else "add"
        getattr(self._non_persistent_buffers_set, change)(name)

    def add_module(self, name, module):
        """Remember a Module, or None, under a name."""
        if not isinstance(module, Attributes) and module is not None:
            raise TypeError(no_module(module))
        self._check_name(name, "module", "_modules")
        self._modules[name] = module

    register_module = add_module

    def _check_name(self, name, what, kind):
        if kind not in self.__dict__:
            raise AttributeError(EARLY.format(what))
        if not isinstance(name, str):
            raise TypeError(
                f"{what} name should be a string. Got {type(name).__name__}"
            )
        if "." in name:
            raise KeyError(f'{what} name can\'t contain "."')
        if not name:
            raise KeyError(f'{what} name can\'t be empty string ""')
        places = self.__dict__, *(getattr(self, k) for k in KINDS if k != kind)
        if hasattr(type(self), name) or any(name in place for place in places):
            raise KeyError(f"attribute '{name}' already exists")
