"""The operators of chapter 11 in PyTorch, around what is compiled, `_C`."""

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable
from torch.library import custom_op

from . import _C

add = _C.add


class Outer(torch.autograd.Function):
    """A gradient without torch.library: enough, as long as nothing is compiled."""

    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return _C.outer(a.contiguous(), b.contiguous())

    @staticmethod
    @once_differentiable
    def backward(ctx, dy):
        (need_a, need_b), dy = ctx.needs_input_grad, dy.contiguous()
        a, b = (x.contiguous() for x in ctx.saved_tensors)
        da = _C.outer_backward_a(dy, b) if need_a else None
        return da, _C.outer_backward_b(dy, a) if need_b else None


# ------------------------------------------------- the same for torch.compile, too


@custom_op("minigrad_ops::outer", mutates_args=())
def outer(a: Tensor, b: Tensor) -> Tensor:
    return _C.outer(a.contiguous(), b.contiguous())


@custom_op("minigrad_ops::outer_backward_a", mutates_args=())
def outer_backward_a(dy: Tensor, b: Tensor) -> Tensor:
    return _C.outer_backward_a(dy.contiguous(), b.contiguous())


@custom_op("minigrad_ops::outer_backward_b", mutates_args=())
def outer_backward_b(dy: Tensor, a: Tensor) -> Tensor:
    return _C.outer_backward_b(dy.contiguous(), a.contiguous())


@custom_op("minigrad_ops::bias_gelu", mutates_args=())
def bias_gelu(x: Tensor, bias: Tensor) -> Tensor:
    return _C.bias_gelu(x.contiguous(), bias.contiguous())


@custom_op("minigrad_ops::bias_gelu_backward", mutates_args=())
def bias_gelu_backward(dy: Tensor, x: Tensor, bias: Tensor) -> Tensor:
    return _C.bias_gelu_backward(dy.contiguous(), x.contiguous(), bias.contiguous())


@outer.register_fake
def _(a, b):
    return a.new_empty(a.shape[0], a.shape[1], b.shape[1])


@outer_backward_a.register_fake
def _(dy, b):
    return dy.new_empty(dy.shape[0], dy.shape[1])


@outer_backward_b.register_fake
def _(dy, a):
    return dy.new_empty(dy.shape[0], dy.shape[2])


@bias_gelu.register_fake
def _(x, bias):
    return x.new_empty(x.shape)


@bias_gelu_backward.register_fake
def _(dy, x, bias):
    return x.new_empty(x.shape)


def save_inputs(ctx, inputs, output):
    ctx.save_for_backward(*inputs)


def outer_gradients(ctx, dy):
    (a, b), (need_a, need_b) = ctx.saved_tensors, ctx.needs_input_grad
    da = outer_backward_a(dy, b) if need_a else None
    return da, outer_backward_b(dy, a) if need_b else None


def bias_gelu_gradients(ctx, dy):
    dx = bias_gelu_backward(dy, *ctx.saved_tensors)
    return dx, dx.sum(tuple(range(dx.dim() - 1))) if dx.dim() > 1 else dx


outer.register_autograd(outer_gradients, setup_context=save_inputs)
bias_gelu.register_autograd(bias_gelu_gradients, setup_context=save_inputs)
