"""Hooks: functions that are called in backward, or, in nn, when a module is called."""

import itertools
import weakref

numbers = itertools.count()


class RemovableHandle:
    """What registering a hook returns: remove() takes the hook away again.

    So does the end of `with x.register_hook(hook):`.
    """

    def __init__(self, hooks):
        self.hooks, self.id = weakref.ref(hooks), next(numbers)

    def remove(self):
        hooks = self.hooks()
        if hooks is not None:
            hooks.pop(self.id, None)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.remove()


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
    if not hasattr(new, "storage"):
        raise TypeError(
            f"expected Variable, but hook returned '{type(new).__name__}'. A hook "
            "returns a tensor, which takes the gradient's place, or None"
        )
    for what, before, after in (
        ("size", list(gradient.shape), list(new.shape)),
        ("type", gradient.dtype, new.dtype),
        ("device", gradient.device, new.device),
    ):
        if before != after:
            name = getattr(hook, "__name__", type(hook).__name__)
            raise RuntimeError(
                f"hook '{name}' has changed the {what} of value: the gradient's is "
                f"{before}, that of what it returned {after}"
            )
    return new
