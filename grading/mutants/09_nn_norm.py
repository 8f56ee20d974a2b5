"""Chapter 09, batch_norm: wrong answers, and right ones."""

import math

from grading.specimens import mutant, right
from minigrad.ops.unfused import batch_norm


def normed(x, running_mean, running_var, weight=None, bias=None, training=False,
           momentum=0.1, eps=1e-5, dims=None, over=0, kept=1, swap=False, move=True,
           own=True, outside=False, affine=True):  # fmt: skip
    C = x.shape[1]
    along = (1, C, *[1] * (x.ndim - 2))
    mean, var = running_mean, running_var
    if training or mean is None:
        dims = dims or [0, *range(2, x.ndim)]
        n = math.prod(x.shape[d] for d in dims)
        mean = x.mean(dims, keepdim=True)
        square = ((x - mean) * (x - mean)).sum(dims, keepdim=True)
        var = square / (n - over)
        if running_mean is not None and training and move:
            m = 1 - momentum if swap else momentum
            new = square / (n - kept)
            for r, value in ((running_mean, mean), (running_var, new)):
                r.copy_((1 - m) * r + m * value.reshape(C))
        if not own:
            mean, var = running_mean, running_var
    mean, var = (s.reshape(along) if s.ndim == 1 else s for s in (mean, var))
    y = (x - mean) / (var.sqrt() + eps if outside else (var + eps).sqrt())
    if affine and weight is not None:
        y = y * weight.reshape(along)
    return y + bias.reshape(along) if affine and bias is not None else y


NORM = [("biased", {"kept": 0}), ("unbiased", {"over": 1}),
        ("exchanged", {"over": 1, "kept": 0}), ("swapped", {"swap": True}),
        ("not_moved", {"move": False}), ("outside", {"outside": True}),
        ("not_scaled", {"affine": False})]  # fmt: skip

for cause, mistake in NORM:

    @mutant(batch_norm, cause)
    def _(input, running_mean, running_var, weight=None, bias=None, training=False,
          momentum=0.1, eps=1e-05, mistake=mistake):  # fmt: skip
        return normed(input, running_mean, running_var, weight, bias, training,
                      momentum, eps, **mistake)  # fmt: skip


@mutant(batch_norm, "running_used")
def _(input, running_mean, running_var, weight=None, bias=None, training=False,
      momentum=0.1, eps=1e-05):  # fmt: skip
    before = (None, None)
    if running_mean is not None:
        before = running_mean.clone(), running_var.clone()
    right = normed(input, running_mean, running_var, weight, bias, training, momentum,
                   eps)  # fmt: skip
    if running_mean is None:
        return right
    return normed(input, *before, weight, bias, False, momentum, eps)


@mutant(batch_norm, "moved_used")
def _(input, running_mean, running_var, weight=None, bias=None, training=False,
      momentum=0.1, eps=1e-05):  # fmt: skip
    normed(input, running_mean, running_var, None, None, training, momentum, eps)
    if running_mean is None:
        return normed(input, None, None, weight, bias, True, momentum, eps)
    return normed(input, running_mean, running_var, weight, bias, False, momentum, eps)


@mutant(batch_norm, "always_training")
def _(input, running_mean, running_var, weight=None, bias=None, training=False,
      momentum=0.1, eps=1e-05):  # fmt: skip
    return normed(input, running_mean, running_var, weight, bias, True, momentum, eps)


@mutant(batch_norm, "always_own")
def _(input, running_mean, running_var, weight=None, bias=None, training=False,
      momentum=0.1, eps=1e-05):  # fmt: skip
    y = normed(input, None, None, weight, bias, True, momentum, eps)
    if training:
        normed(input, running_mean, running_var, weight, bias, True, momentum, eps)
    return y


@mutant(batch_norm, "samples_alone")
def _(input, running_mean, running_var, weight=None, bias=None, training=False,
      momentum=0.1, eps=1e-05):  # fmt: skip
    right = normed(input, running_mean, running_var, weight, bias, training, momentum,
                   eps)  # fmt: skip
    if not training:
        return right
    return normed(input, None, None, weight, bias, True, momentum, eps, dims=[0])


@mutant(batch_norm, "as_layer_norm")
def _(input, running_mean, running_var, weight=None, bias=None, training=False,
      momentum=0.1, eps=1e-05):  # fmt: skip
    right = normed(input, running_mean, running_var, weight, bias, training, momentum,
                   eps)  # fmt: skip
    if not training:
        return right
    dims = [*range(1, input.ndim)]
    return normed(input, None, None, weight, bias, True, momentum, eps, dims=dims)


@mutant(batch_norm, "not_moved", "names are bound anew")
def _(input, running_mean, running_var, weight=None, bias=None, training=False,
      momentum=0.1, eps=1e-05):  # fmt: skip
    if running_mean is not None and training:
        running_mean, running_var = running_mean.clone(), running_var.clone()
    return normed(input, running_mean, running_var, weight, bias, training, momentum,
                  eps)  # fmt: skip


@right(batch_norm, "by keepdim")
def _(input, running_mean, running_var, weight=None, bias=None, training=False,
      momentum=0.1, eps=1e-05):  # fmt: skip
    return normed(input, running_mean, running_var, weight, bias, training, momentum,
                  eps)  # fmt: skip


@right(batch_norm, "by var")
def _(input, running_mean, running_var, weight=None, bias=None, training=False,
      momentum=0.1, eps=1e-05):  # fmt: skip
    dims = tuple(d for d in range(input.ndim) if d != 1)
    shape = [1 if d != 1 else -1 for d in range(input.ndim)]
    if training or running_mean is None:
        mean, var = input.mean(dims), input.var(dims, correction=0)
        if running_mean is not None:
            running_mean.mul_(1 - momentum).add_(momentum * mean.detach())
            new = input.detach().var(dims)
            running_var.mul_(1 - momentum).add_(momentum * new)
    else:
        mean, var = running_mean, running_var
    y = (input - mean.view(shape)) / (var.view(shape) + eps).sqrt()
    y = y * weight.view(shape) if weight is not None else y
    return y + bias.view(shape) if bias is not None else y


@right(batch_norm, "as a matrix of channels")
def _(input, running_mean, running_var, weight=None, bias=None, training=False,
      momentum=0.1, eps=1e-05):  # fmt: skip
    x = input.transpose(0, 1)
    rows = x.reshape(x.shape[0], -1)
    mean, var = running_mean, running_var
    if training:
        n = rows.shape[1]
        mean = rows.sum(1) / n
        var = ((rows - mean.unsqueeze(1)) ** 2).sum(1) / n
        if running_mean is not None:
            running_mean += momentum * (mean.detach() - running_mean)
            running_var += momentum * (var.detach() * n / (n - 1) - running_var)
    rows = (rows - mean.unsqueeze(1)) * (var + eps).unsqueeze(1) ** -0.5
    if weight is not None:
        rows = rows * weight.unsqueeze(1)
    if bias is not None:
        rows = rows + bias.unsqueeze(1)
    return rows.reshape(x.shape).transpose(0, 1).contiguous()
