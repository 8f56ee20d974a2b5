"""Loading a state_dict into a module."""

from typing import NamedTuple

from ..autograd import no_grad
from ..tensor import Tensor


class IncompatibleKeys(NamedTuple):
    """The names that a module has and a state_dict lacks, and the reverse."""

    missing_keys: list
    unexpected_keys: list

    def __repr__(self):
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return tuple.__repr__(self)


def load(module, state_dict, strict):
    """Module.load_state_dict."""
    if not hasattr(state_dict, "keys"):
        raise TypeError(f"Expected state_dict to be dict-like, got {type(state_dict)}.")
    own = module.state_dict(keep_vars=True)
    keys = IncompatibleKeys(
        [name for name in own if name not in state_dict],
        [name for name in state_dict if name not in own],
    )
    errors = [
        error
        for name, value in state_dict.items()
        if name in own and (error := copied(name, own[name], value))
    ]
    if strict:
        for title, names in ("Unexpected", keys[1]), ("Missing", keys[0]):
            listed = ", ".join(f'"{name}"' for name in names)
            errors[:0] = [f"{title} key(s) in state_dict: {listed}. "] * bool(names)
    if errors:
        title = f"Error(s) in loading state_dict for {type(module).__name__}:"
        raise RuntimeError("\n\t".join([title, *errors]))
    return keys


def copied(name, own, value):
    """Copy a value into a parameter or buffer; what is wrong, or None."""
    if not isinstance(value, Tensor):
        return (
            f'While copying the parameter named "{name}", expected Tensor from '
            f"checkpoint but received {type(value)}: minigrad.tensor(...) makes one"
        )
    if value.shape != own.shape:
        return (
            f"size mismatch for {name}: copying a param with shape "
            f"{list(value.shape)} from checkpoint, the shape in current model is "
            f"{list(own.shape)}."
        )
    with no_grad():
        own.copy_(value)
