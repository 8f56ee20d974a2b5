"""Answers of batch_norm by other algorithms."""

from minigrad.nn.unfused import batch_norm
from tools.audit.specimens import answer


@answer(batch_norm, right="as a matrix of channels")
def _(input, running_mean, running_var, weight=None, bias=None, training=False,
      momentum=0.1, eps=1e-05):  # fmt: skip
    x = input.transpose(0, 1)
    rows = x.reshape(x.shape[0], -1)
    mean, var = running_mean, running_var
    if training:
        n = rows.shape[1]
        mean = rows.mean(1)
        var = ((rows - mean.unsqueeze(1)) ** 2).mean(1)
        if running_mean is not None:
            running_mean += momentum * (mean.detach() - running_mean)
            running_var += momentum * (var.detach() * (n / (n - 1)) - running_var)
    rows = (rows - mean.unsqueeze(1)) * (var + eps).unsqueeze(1) ** -0.5
    if weight is not None:
        rows = rows * weight.unsqueeze(1)
    if bias is not None:
        rows = rows + bias.unsqueeze(1)
    return rows.reshape(x.shape).transpose(0, 1).contiguous()


@answer(batch_norm, right="one scale and one shift")
def _(input, running_mean, running_var, weight=None, bias=None, training=False,
      momentum=0.1, eps=1e-05):  # fmt: skip
    dims = (0, *range(2, input.ndim))
    mean, var = running_mean, running_var
    if training:
        mean, var = input.mean(dims), input.var(dims, correction=0)
        if running_mean is not None:
            running_mean.mul_(1 - momentum).add_(momentum * mean.detach())
            running_var.mul_(1 - momentum).add_(momentum * input.detach().var(dims))
    scale = (1 if weight is None else weight) / (var + eps).sqrt()
    shift = (0 if bias is None else bias) - mean * scale
    shape = -1, *[1] * (input.ndim - 2)
    return input * scale.view(shape) + shift.view(shape)
