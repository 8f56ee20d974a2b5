"""Parameter: a tensor that a module learns."""

from ..creation import empty
from ..tensor import Tensor


class Parameter(Tensor):
    """A tensor that becomes one of a module's parameters when it is assigned to it.

    data: a tensor, whose storage the parameter shares. requires_grad: is it to learn?
    """

    def __init__(self, data, requires_grad=True):
        if not isinstance(data, Tensor):
            raise TypeError(
                f"Parameter() takes a tensor, not {type(data).__name__}: "
                f"Parameter(minigrad.tensor(...))"
            )
        super().__init__(data.storage, *data._layout)
        self.requires_grad = requires_grad

    def __repr__(self):
        return "Parameter containing:\n" + super().__repr__()


def new_parameters(module, device, dtype, **sizes):
    """Give a module a Parameter of each size, its values not yet set; None for None."""
    for name, size in sizes.items():
        wanted = size is not None
        new = Parameter(empty(size, device=device, dtype=dtype)) if wanted else None
        module.register_parameter(name, new)


def put(tensor, new):
    """Let a tensor read what `new` reads, and stay the object that it is."""
    tensor.storage, tensor.spec = new.storage, new.spec
