"""Backward hooks of modules: identities around forward that see the gradients."""

from ..autograd import Function, is_grad_enabled
from ..tensor import Tensor


class Watched(Function):
    """The tensors as they are; in backward `see` is given their gradients.

    see: a function of a tuple of gradients. What it returns, if not None, is what goes
    on.
    """

    @staticmethod
    def forward(ctx, see, *tensors):
        ctx.see = see
        ctx.set_materialize_grads(False)
        return tuple(x.view(x.shape) for x in tensors)

    @staticmethod
    def backward(ctx, *gradients):
        seen = ctx.see(gradients)
        return None, *(gradients if seen is None else seen)


def fitting(result, grad_input, inputs):
    """What a hook returned in the place of grad_input, as a tuple."""
    result = result if isinstance(result, tuple) else (result,)
    if not inputs and any(g is not None for g in result):
        raise RuntimeError(
            "Backward hook for Modules where no input requires gradient should always "
            "return None or None for all gradients."
        )
    if len(result) != len(grad_input):
        raise RuntimeError(
            "Backward hook returned an invalid number of grad_input, got "
            f"{len(result)}, but expected {len(grad_input)}"
        )
    return result


def with_backward_hooks(module, args, kwargs):
    """Call the module's forward, watched at both of its ends."""
    if not is_grad_enabled():
        return module.forward(*args, **kwargs)
    told = {}

    def leaving(gradients):
        told["grad_output"] = gradients
        if not told["inputs"]:  # no gradient comes to forward's arguments
            tell((None,) * len(args))

    def entering(gradients):
        whole = [None] * len(args)
        for place, gradient in zip(told["inputs"], gradients, strict=True):
            whole[place] = gradient
        changed = tell(tuple(whole))
        return tuple(changed[place] for place in told["inputs"])

    def tell(grad_input):
        for hook, _ in [*module._backward_hooks.values()]:
            result = hook(module, grad_input, told["grad_output"])
            if result is not None:
                grad_input = fitting(result, grad_input, told["inputs"])
        return grad_input

    told["inputs"] = [
        i for i, x in enumerate(args) if isinstance(x, Tensor) and x.requires_grad
    ]
    args = [*args]
    if told["inputs"]:
        watched = Watched.apply(entering, *(args[i] for i in told["inputs"]))
        for place, x in zip(told["inputs"], watched, strict=True):
            args[place] = x
    result = module.forward(*args, **kwargs)
    single = not isinstance(result, tuple)
    results = (result,) if single else result
    results = Watched.apply(leaving, *results)
    return results[0] if single else results
