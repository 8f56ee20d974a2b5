"""The gradient of an operator that minigrad doesn't know, which you write in lab 11."""

from ..exercises.registry import exercise


@exercise(points=3, stars=2, minutes=20, level="good to know")
def bias_gelu_autograd(bias_gelu_backward, bias_backward):
    """Return (setup_context, backward), two functions that give bias_gelu gradients.

    PyTorch takes them in torch.library.register_autograd(name, backward,
    setup_context=setup_context).

    bias_gelu_backward(dy, x, bias) returns dx. It takes only contiguous tensors.
    bias_backward(dx) returns dbias, the sum of dx over all dimensions but the last. It
        takes only a contiguous tensor.

    setup_context(ctx, inputs, output) is called after each forward, and inputs is
    (x, bias). It must save x and bias themselves, in any order, with one call of
    ctx.save_for_backward. It must save nothing else and keep nothing outside ctx,
    because many calls may wait for their backward pass at once, and backward may run
    several times for one call, each time with a different dy.

    backward(ctx, dy) must return a pair, (dx, dbias). ctx.saved_tensors is what was
    saved. ctx.needs_input_grad is a pair of bools, for x and bias, and at least one is
    True. A gradient that isn't needed must be None. bias_gelu_backward must run once,
    and bias_backward once if dbias is needed, otherwise not at all. x has one or more
    dimensions, and it may be empty. x and bias are contiguous, and dy has y's shape and
    any strides. x, bias, and dy must not change, and no result may share memory
    with an earlier one.
    """
