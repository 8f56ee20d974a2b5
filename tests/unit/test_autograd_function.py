"""autograd.Function: operators of one's own, as in PyTorch."""

import pytest
from answers import filled  # noqa: F401
from both import torch
from graphs import leaf, outcome

import minigrad
from minigrad.autograd import Function

# ------------------------------------------------- Function


class Square(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, dy):
        (x,) = ctx.saved_tensors
        return 2 * x * dy


class Exp(Function):
    @staticmethod
    def forward(ctx, x):
        y = x.exp()
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, dy):
        return dy * ctx.saved_tensors[0]


def classes(m):
    """The same functions for minigrad and for PyTorch."""

    class Scaled(m.autograd.Function):
        @staticmethod
        def forward(ctx, x, factor, w):
            ctx.save_for_backward(x, w)
            ctx.factor = factor
            return x * factor * w, (x > 0), x + w

        @staticmethod
        def backward(ctx, dy, _, dz):
            x, w = ctx.saved_tensors
            needs = ctx.needs_input_grad
            dx = dy * w * ctx.factor + dz if needs[0] else None
            return dx, None, (dy * x * ctx.factor + dz if needs[2] else None)

    class TooFew(m.autograd.Function):
        @staticmethod
        def forward(ctx, x, y):
            return x * y

        @staticmethod
        def backward(ctx, dy):
            return dy

    class Same(m.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x

        @staticmethod
        def backward(ctx, dy):
            return dy * 5

    class Cubed(m.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            y = x * x * x
            ctx.save_for_backward(x, y)
            return y

        @staticmethod
        def backward(ctx, dy):
            x, y = ctx.saved_tensors
            return 3 * y / x * dy

    return Scaled, TooFew, Same, Cubed


def use_of_functions(m, which):
    Scaled, TooFew, Same, Cubed = classes(m)
    x, w = leaf(m), leaf(m, 4.0, 5.0, -6.0)
    if which == "both":
        y, positive, z = Scaled.apply(x, 2, w)
        (y.sum() + (z * z).sum()).backward()
        return x.grad, w.grad, positive.requires_grad, y.requires_grad
    if which == "one needed":
        y, _, z = Scaled.apply(x, 2, w.detach())
        y.sum().backward()
        return x.grad, w.grad, y.grad_fn.needs_input_grad, y.grad_fn.name()
    if which == "none needed":
        y, _, z = Scaled.apply(x.detach(), 2, w.detach())
        return y.requires_grad, y.is_leaf
    if which == "no_grad":
        with m.no_grad():
            return Scaled.apply(x, 2, w)[0].requires_grad
    if which == "too few":
        TooFew.apply(x, w).sum().backward()
    if which == "twice":
        y = Cubed.apply(x)
        y.sum().backward()
        y.sum().backward()
    if which == "same":
        y = Same.apply(x)
        y.sum().backward()
        return y is x, x.grad, x.is_leaf
    if which == "same, plain":
        y = Same.apply(x.detach())
        return y.requires_grad
    if which == "two calls":
        y, z = Cubed.apply(x), Cubed.apply(w)
        (y + z).sum().backward()
        return x.grad, w.grad
    if which == "double":
        (g,) = m.autograd.grad(Cubed.apply(x).sum(), x, create_graph=True)
        return g, m.autograd.grad(g.sum(), x)
    if which == "stale":
        w = w * 1
        y = Cubed.apply(w)
        w.add_(1)
        y.sum().backward()
    if which == "stale result":
        y = Cubed.apply(x)
        y.add_(1)
        y.sum().backward()
    return None


@pytest.mark.parametrize(
    "which", ["both", "one needed", "none needed", "no_grad", "too few", "twice",
              "same", "same, plain", "two calls", "double", "stale", "stale result"],
)  # fmt: skip
def test_function(which):
    outcomes = [
        outcome(lambda m: use_of_functions(m, which), m) for m in (minigrad, torch)
    ]
    assert str(outcomes[0]) == str(outcomes[1])


def test_a_function_without_its_methods():
    class Empty(Function):
        pass

    with pytest.raises(NotImplementedError, match="implement the forward function"):
        Empty.apply(leaf(minigrad))
