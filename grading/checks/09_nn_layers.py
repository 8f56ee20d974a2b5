"""A linear layer, and a convolution as one."""

import numpy as np

import minigrad
from grading.exercise import checks, mistakes, right
from minigrad.nn.unfused import conv2d, linear

from .gradients import FunctionCheck, quarters
from .scene_check import numbers, single


@checks(linear)
class Linear(FunctionCheck):
    """Leaves out strided tensors: a matter of the operators in it."""

    def cases(self, random):
        for rows, n, m in [(4, 3, 5), (1, 7, 2), (6, 5, 5), (4, 3, 5)]:
            x, w, b = (numbers(random, *s) for s in ((rows, n), (m, n), (m,)))
            yield "matrices", self.of(x, w, b)
            yield "without bias", self.of(x, w)
        yield "a bias of zeros", self.of(x, w, 0 * b)
        yield "float16", self.of(*map(quarters, (x, w, b)))
        x, w, b = numbers(random, 2, 3), numbers(random, 4, 3), numbers(random, 4)
        for shape in (2, 5, 3), (3,), (0, 3):
            yield "any dimensions in front", self.of(numbers(random, *shape), w, b)
        yield "in float32", self.of(*(single(a) for a in (x, w, b)))
        x[0, 0], x[1, 1] = np.nan, np.inf
        yield "NaN and infinity", self.of(x, w, b)


mistakes(linear)(r"""
not_transposed: the weight is not transposed: it is (out_features, in_features)
> weight.T -> weight
> weight.T -> (weight if weight.shape[0] == weight.shape[1] else weight.T)
no_bias: the bias is missing
>  if bias is None else y + bias ->
minus: the bias is subtracted: y = x Wᵀ + b
> y + bias -> y - bias
cut:
> input @ weight.T -> input @ weight.detach().T
dtype:
> return y if -> y = y.double()\n    return y if
right: by einsum
> input @ weight.T -> minigrad.einsum("...i,oi->...o", input, weight)
right: the bias first
> = (0 if bias is None else bias) + input.matmul(weight.transpose(0, 1))
right: by sums
> input @ weight.T -> (input.unsqueeze(-2) * weight).sum(-1)
""")


@checks(conv2d)
class Conv2d(FunctionCheck):
    """Leaves out strided tensors, NaN and no images: its operators' matter."""

    def cases(self, random):
        def of(x, w, bias=True, **options):
            arrays = [numbers(random, *x), numbers(random, *w)]
            return self.of(*arrays, *[numbers(random, w[0])] * bias, **options)

        for _ in range(2):
            yield "a window on images", of((2, 1, 5, 6), (3, 1, 3, 2))
        yield "a window on images", of((2, 3, 6, 5), (4, 3, 2, 3))
        yield "without bias", of((2, 2, 4, 5), (3, 2, 3, 3), bias=False)
        yield "stride and padding", of((1, 2, 7, 6), (3, 2, 3, 3), stride=2)
        yield "stride and padding", of((2, 2, 5, 6), (2, 2, 3, 3), padding=1)
        how = {"stride": (2, 1), "padding": (0, 2)}
        yield "stride and padding", of((2, 1, 6, 8), (2, 1, 3, 2), **how)
        yield "dilation", of((1, 2, 9, 8), (2, 2, 3, 2), dilation=2)
        how = {"dilation": (1, 3), "padding": (1, 2), "stride": (2, 3)}
        yield "dilation", of((1, 2, 9, 11), (2, 2, 3, 3), **how)
        yield "1 x 1", of((2, 3, 4, 5), (5, 3, 1, 1))
        args = of((2, 2, 4, 5), (3, 2, 3, 2))["args"]
        yield "in float32", self.of(*map(single, args))
        yield "a bias of zeros", self.of(*args[:2], 0 * args[2])
        yield "float16", self.of(*map(quarters, args))


COLUMNS, HOW = "weight.reshape(channels, -1)", "in (stride, padding, dilation)"
mistakes(conv2d)(f"""
flipped: the window is turned around: a convolution in networks multiplies the first
    weight with the first number
> {COLUMNS} -> minigrad.tensor(weight.numpy()[:, :, ::-1,
    ::-1].copy()).reshape(channels, -1)
bias_by_place: the bias is added by place, not by channel: it is one number for each of
    the output's channels, bias.reshape(-1, 1) beside (N, O, L)
> bias.reshape(channels, 1) -> bias
no_bias: the bias is missing
> bias is not None -> False
no_stride: the stride is not used
> {HOW} -> in (1, padding, dilation)
no_padding: the padding is not used
> {HOW} -> in (stride, 0, dilation)
no_dilation: the dilation is not used
> {HOW} -> in (stride, padding, 1)
first_channel: the channels are not added up: a window reaches through all channels of
    the input
> = input.shape -> = input.shape; input, weight = input[:, :1], weight[:, :1]
cut:
> = input.shape -> = input.shape; input = input.detach()
> {COLUMNS} -> minigrad.tensor(weight.detach().numpy()).reshape(channels, -1)
exchanged: pairs are exchanged: the first of (down, across) is for rows
> [n if isinstance -> [n[::-1] if isinstance
equivalent: unfold takes ints, too
> statement dropped: stride, padding, dilation = how
right: image by image
> {COLUMNS} @ columns -> minigrad.stack([weight.flatten(1) @ x for x in columns])
right: columns times rows
> {COLUMNS} @ columns -> columns.transpose(1, 2) @ weight.flatten(1).T
& bias.reshape(channels, 1) -> bias
& y.reshape(N -> y.transpose(1, 2).reshape(N
""")


@right(conv2d, "tap by tap")
def _(input, weight, bias=None, stride=1, padding=0, dilation=1):
    options = stride, padding, dilation
    (sh, sw), (ph, pw), (dh, dw) = (np.broadcast_to(n, 2).tolist() for n in options)
    x = minigrad.functional.pad(input, (pw, pw, ph, ph))
    OH = (x.shape[2] - dh * (weight.shape[2] - 1) - 1) // sh + 1
    OW = (x.shape[3] - dw * (weight.shape[3] - 1) - 1) // sw + 1
    y = 0 if bias is None else bias.view(-1, 1, 1)
    for kh, kw in np.ndindex(*weight.shape[2:]):
        part = x[:, :, kh * dh :: sh, kw * dw :: sw][:, :, :OH, :OW]
        y = y + minigrad.einsum("nchw,oc->nohw", part, weight[:, :, kh, kw])
    return y
