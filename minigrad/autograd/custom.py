"""The gradient of an operator that comes from outside. Written in lab 11."""

from ..exercises.registry import exercise


@exercise(points=3, stars=2, minutes=20, level="good to know")
def bias_gelu_autograd(bias_gelu_backward, bias_backward):
    """The pair (setup_context, backward) that gives y = bias_gelu(x, bias) gradients.

    PyTorch takes it by torch.library.register_autograd(name, backward,
    setup_context=setup_context). The two kernels take contiguous tensors only:
    bias_gelu_backward(dy, x, bias) is dx; bias_backward(dx) is dbias, the sum of dx
    over all dimensions but the last.

    setup_context(ctx, inputs, output): called after each forward. inputs is (x, bias).
    It keeps for backward what backward needs of them, by one call of
    ctx.save_for_backward: no copies, nothing else, and nothing outside of ctx, since
    many calls may wait for their backward at once, and one call may have several
    backwards, each with another dy.

    backward(ctx, dy): the pair (dx, dbias). dy has y's shape and any strides: that of
    a sum is one number, expanded; x and bias are contiguous. ctx.saved_tensors is the
    tuple that was saved, and ctx.needs_input_grad a pair of bools. What is not needed
    is None, and bias_backward does not run for it; neither kernel runs twice. x, bias
    and dy stay as they are.
    """
