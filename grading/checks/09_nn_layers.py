"""Chapter 09, linear and conv2d: beside torch.nn.functional, in double."""

import numpy as np
import torch
import torch.nn.functional as F

from grading.checking import cause, checks
from minigrad.ops import unfused

from .scene_check import SceneCheck, each, numbers


def shape_of(value):
    return str(tuple(value.shape)) if hasattr(value, "shape") else value


class LayerCheck(SceneCheck):
    """A function of tensors; a case is their shapes, in words."""

    def words(self, scene):
        args = [str(shape_of(a)) for a in scene["args"]]
        rest = [f"{k}={shape_of(v)}" for k, v in scene["options"].items()]
        return f"{self.hole.name}({', '.join(args + rest)}), shapes for tensors"

    def of(self, *args, **options):
        return {"scene": "tensors", "args": list(args), "options": options}

    def run(self, function, scene):
        """What a function of PyTorch's makes of the case, as an array."""
        options = dict(zip(scene["options"], each(scene["options"].values()),
                           strict=True))  # fmt: skip
        return function(*each(scene["args"]), **options).numpy()

    def expected(self, scene):
        return self.run(getattr(F, self.hole.name), scene)


@checks(unfused.linear)
class Linear(LayerCheck):
    def cases(self, random):
        for rows, n, m in [(4, 3, 5), (1, 7, 2), (6, 5, 5)]:
            x, w, b = (numbers(random, *s) for s in ((rows, n), (m, n), (m,)))
            yield "matrices", self.of(x, w, b)
            yield "without bias", self.of(x, w)
        w, b = numbers(random, 4, 3), numbers(random, 4)
        yield "any dimensions in front", self.of(numbers(random, 2, 5, 3), w, b)
        yield "any dimensions in front", self.of(numbers(random, 3), w, b)
        yield "any dimensions in front", self.of(numbers(random, 0, 3), w, b)

    @cause("the weight is not transposed: it is (out_features, in_features)")
    def not_transposed(self, scene):
        return self.run(lambda x, w, b=0: x @ w + b, scene)

    @cause("the bias is missing")
    def no_bias(self, scene):
        return self.run(lambda x, w, b=0: x @ w.T, scene)

    @cause("the bias is subtracted: y = x Wᵀ + b")
    def minus(self, scene):
        return self.run(lambda x, w, b=0: x @ w.T - b, scene)


@checks(unfused.conv2d)
class Conv2d(LayerCheck):
    def cases(self, random):
        def of(x, w, bias=True, **options):
            arrays = [numbers(random, *x), numbers(random, *w)]
            return self.of(*arrays, *[numbers(random, w[0])] * bias, **options)

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

    def changed(self, scene, **other):
        return self.run(
            lambda x, w, b=None, **how: F.conv2d(x, w, b, **{**how, **other}), scene
        )

    @cause("the window is turned around: a convolution in networks multiplies the "
           "first weight with the first number")  # fmt: skip
    def flipped(self, scene):
        return self.run(
            lambda x, w, b=None, **how: F.conv2d(x, w.flip(2, 3), b, **how), scene
        )

    @cause("the bias is added by place, not by channel: it is one number for each of "
           "the output's channels, bias.reshape(-1, 1) beside (N, O, L)")  # fmt: skip
    def bias_by_place(self, scene):
        def wrong(x, w, b=None, **how):
            y = F.conv2d(x, w, **how)
            flat = y.reshape(*y.shape[:2], -1)
            return (flat + b).reshape(y.shape)

        return self.run(wrong, scene)

    @cause("the result is given the input's H and W: it has OH and OW, which window, "
           "stride, padding and dilation decide")  # fmt: skip
    def input_size(self, scene):
        right = torch.from_numpy(self.expected(scene))
        return right.reshape(*right.shape[:2], *scene["args"][0].shape[2:]).numpy()

    @cause("the bias is missing")
    def no_bias(self, scene):
        return self.run(lambda x, w, b=None, **how: F.conv2d(x, w, **how), scene)

    @cause("the stride is not used")
    def no_stride(self, scene):
        return self.changed(scene, stride=1)

    @cause("the padding is not used")
    def no_padding(self, scene):
        return self.changed(scene, padding=0)

    @cause("the dilation is not used")
    def no_dilation(self, scene):
        return self.changed(scene, dilation=1)

    @cause("height and width are exchanged in the result: (N, O, OH, OW)")
    def turned(self, scene):
        right = self.expected(scene)
        n, o, h, w = right.shape
        return np.ascontiguousarray(right.reshape(n, o, w, h)) if h != w else None

    @cause("the places are left in one dimension: reshape to (N, O, OH, OW)")
    def flat(self, scene):
        right = self.expected(scene)
        return right.reshape(*right.shape[:2], -1)

    @cause("the channels are not added up: a window reaches through all channels of "
           "the input")  # fmt: skip
    def first_channel(self, scene):
        def wrong(x, w, b=None, **how):
            return F.conv2d(x[:, :1], w[:, :1], b, **how)

        return self.run(wrong, scene)

    @cause("pairs are exchanged: the first of (down, across) is for rows")
    def exchanged(self, scene):
        swapped = {k: v[::-1] if isinstance(v, tuple) else v
                   for k, v in scene["options"].items()}  # fmt: skip
        return self.changed(scene, **swapped)
