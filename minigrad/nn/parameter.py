"""Parameter: a tensor that a module learns."""

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


def put(tensor, new):
    """Let a tensor read what `new` reads, and stay the object that it is."""
    tensor.storage, tensor._layout = new.storage, new._layout
