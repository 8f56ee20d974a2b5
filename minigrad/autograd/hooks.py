"""Hooks: functions that are called in backward, or, in nn, when a module is called."""

import itertools
import weakref

from ..check import check

numbers = itertools.count()


class RemovableHandle:
    """What registering a hook returns: remove() takes the hook away again."""

    def __init__(self, hooks):
        self.hooks, self.id = weakref.ref(hooks), next(numbers)

    def remove(self):
        (self.hooks() or {}).pop(self.id, None)


def register(hooks, hook, prepend=False):
    """Add a hook to an OrderedDict of them, as the last or the first one."""
    handle = RemovableHandle(hooks)
    hooks[handle.id] = hook
    hooks.move_to_end(handle.id, last=not prepend)
    return handle


def hooked(hook, gradient):
    """What takes a gradient's place after a hook: mostly the gradient itself."""
    new = hook(gradient)
    if new is None:
        return gradient
    check(hasattr(new, "storage"),
          lambda: f"expected Variable, but hook returned '{type(new).__name__}'. A "
          "hook returns a tensor, which takes the gradient's place, or None",
          TypeError)  # fmt: skip
    for what, before, after in differences(gradient, new):
        name = getattr(hook, "__name__", type(hook).__name__)
        raise RuntimeError(
            f"hook '{name}' has changed the {what} of value: the gradient's is "
            f"{before}, that of what it returned {after}"
        )
    return new


def differences(a, b):
    """(what, a's, b's) of all that two tensors differ in."""
    names = {"size": "shape", "type": "dtype", "device": "device"}
    both = [(what, getattr(a, n), getattr(b, n)) for what, n in names.items()]
    return [(what, one, other) for what, one, other in both if one != other]
