"""Functions that a module calls before and after its forward."""

import itertools

_numbers = itertools.count()


class RemovableHandle:
    """What registering a hook returns: remove() takes the hook away again.

    So does the end of `with module.register_forward_hook(hook):`.
    """

    def __init__(self, hooks, hook, prepend=False, **options):
        self.hooks, self.id = hooks, next(_numbers)
        others = list(hooks.items()) if prepend else []
        if prepend:
            hooks.clear()
        hooks[self.id] = hook, options
        hooks.update(others)

    def remove(self):
        self.hooks.pop(self.id, None)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.remove()


def before(module, args, kwargs):
    """The arguments of forward, as the forward-pre hooks leave them."""
    for hook, options in [*module._forward_pre_hooks.values()]:
        if options["with_kwargs"]:
            result = hook(module, args, kwargs)
            if result is not None:
                if not isinstance(result, tuple) or len(result) != 2:
                    raise RuntimeError(
                        "forward pre-hook must return None or a tuple of (new_args, "
                        f"new_kwargs), but got {result}."
                    )
                args, kwargs = result
        else:
            result = hook(module, args)
            if result is not None:
                args = result if isinstance(result, tuple) else (result,)
    return args, kwargs


def after(module, args, kwargs, result):
    """The result of forward, as the forward hooks leave it."""
    for hook, options in [*module._forward_hooks.values()]:
        given = (args, kwargs) if options["with_kwargs"] else (args,)
        changed = hook(module, *given, result)
        result = result if changed is None else changed
    return result
