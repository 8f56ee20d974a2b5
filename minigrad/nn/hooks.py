"""Hooks of modules: before and after forward, and in backward."""

from ..autograd import Function, is_grad_enabled
from ..autograd.hooks import register
from ..tensor import Tensor


class Hooks:
    """Methods of Module. Each returns a handle, whose remove() takes the hook away."""

    def register_forward_pre_hook(self, hook, *, prepend=False, with_kwargs=False):
        """Call hook(module, args) before forward; what it returns replaces args."""
        return register(self._forward_pre_hooks, (hook, with_kwargs), prepend)

    def register_forward_hook(self, hook, *, prepend=False, with_kwargs=False):
        """Call hook(module, args, output) after forward; it may return another."""
        return register(self._forward_hooks, (hook, with_kwargs), prepend)

    def register_full_backward_hook(self, hook, prepend=False):
        """Call hook(module, grad_input, grad_output) in backward.

        Both are tuples: the gradients of forward's positional tensors, and of its
        results. What it returns, a tuple, replaces grad_input.
        """
        return register(self._backward_hooks, hook, prepend)


def call(module, args, kwargs):
    """Call forward, and the hooks around it."""
    for hook, with_kwargs in [*module._forward_pre_hooks.values()]:
        new = hook(module, args, kwargs) if with_kwargs else hook(module, args)
        if new is None:
            continue
        if not with_kwargs:
            args = new if isinstance(new, tuple) else (new,)
        elif isinstance(new, tuple) and len(new) == 2:
            args, kwargs = new
        else:
            raise RuntimeError(
                "forward pre-hook must return None or a tuple of (new_args, "
                f"new_kwargs), but got {new}."
            )
    if module._backward_hooks:
        result = observed(module, args, kwargs)
    else:
        result = module.forward(*args, **kwargs)
    for hook, with_kwargs in [*module._forward_hooks.values()]:
        given = (args, kwargs) if with_kwargs else (args,)
        new = hook(module, *given, result)
        result = result if new is None else new
    return result


class Observed(Function):
    """The identity; its backward passes on what observer(gradients) returns, if any."""

    @staticmethod
    def forward(ctx, observer, *tensors):
        ctx.observer = observer
        ctx.set_materialize_grads(False)
        return tuple(x.view(x.shape) for x in tensors)

    @staticmethod
    def backward(ctx, *gradients):
        return None, *(ctx.observer(gradients) or gradients)


def observed(module, args, kwargs):
    """Call forward between two identities, which learn the gradients for the hooks."""
    if not is_grad_enabled():
        return module.forward(*args, **kwargs)
    args, grad_output = [*args], ()
    needs = [isinstance(x, Tensor) and x.requires_grad for x in args]
    places = [i for i, needed in enumerate(needs) if needed]

    def at_output(gradients):
        nonlocal grad_output
        grad_output = gradients
        if not places:  # no gradient will reach forward's arguments
            run_hooks((None,) * len(args))

    def at_input(gradients):
        given = dict(zip(places, gradients, strict=True))
        grad_input = run_hooks(tuple(given.get(i) for i in range(len(args))))
        return tuple(grad_input[i] for i in places)

    def run_hooks(grad_input):
        for hook in [*module._backward_hooks.values()]:
            new = hook(module, grad_input, grad_output)
            if new is not None:
                grad_input = checked(new, grad_input, places)
        return grad_input

    if places:
        new = Observed.apply(at_input, *(args[i] for i in places))
        for place, x in zip(places, new, strict=True):
            args[place] = x
    result = module.forward(*args, **kwargs)
    if isinstance(result, tuple):
        return Observed.apply(at_output, *result)
    return Observed.apply(at_output, result)[0]


def checked(new, grad_input, places):
    """What a hook returned in the place of grad_input, as a tuple."""
    new = new if isinstance(new, tuple) else (new,)
    if not places and any(g is not None for g in new):
        raise RuntimeError(
            "Backward hook for Modules where no input requires gradient should always "
            "return None or None for all gradients."
        )
    if len(new) != len(grad_input):
        raise RuntimeError(
            "Backward hook returned an invalid number of grad_input, got "
            f"{len(new)}, but expected {len(grad_input)}"
        )
    return new
