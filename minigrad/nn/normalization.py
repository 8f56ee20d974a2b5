"""Normalization: layers that shift and scale to mean 0 and variance 1."""

from ..creation import empty, tensor
from ..dispatch import tensor_for
from ..dtypes import int64
from ..layout import as_ints
from ..ops.normalization import check_batch_norm
from . import functional as f
from . import init, unfused
from .module import Module
from .parameter import new_parameters


class Normalization(Module):
    """The base: a weight and a bias, or None."""

    def reset_parameters(self):
        """Weight 1, bias 0."""
        if self.weight is not None:
            init.ones_(self.weight)
        if self.bias is not None:
            init.zeros_(self.bias)


class BatchNorm(Normalization):
    """Each channel, dimension 1, over all samples and places.

    In training by its own mean and variance, which also move the running ones; after
    eval() by the running ones.
    """

    dims = ()
    _shown = "eps", "momentum", "affine", "track_running_stats"

    def __init__(
        self,
        num_features,
        eps=1e-05,
        momentum=0.1,
        affine=True,
        track_running_stats=True,
        device="cpu",
        dtype=None,
    ):
        super().__init__()
        self.num_features, self.eps, self.momentum = num_features, eps, momentum
        self.affine, self.track_running_stats = affine, track_running_stats
        size = num_features if affine else None
        new_parameters(self, device, dtype, weight=size, bias=size)
        for name in ("running_mean", "running_var"):
            new = empty(num_features, device=device, dtype=dtype)
            self.register_buffer(name, new if track_running_stats else None)
        count = tensor(0, int64, device) if track_running_stats else None
        self.register_buffer("num_batches_tracked", count)
        self.reset_parameters()

    def reset_running_stats(self):
        """Mean 0, variance 1, of no batch so far."""
        if self.track_running_stats:
            init.zeros_(self.running_mean)
            init.ones_(self.running_var)
            self.num_batches_tracked.zero_()

    def reset_parameters(self):
        """Weight 1 and bias 0, and no batch seen."""
        self.reset_running_stats()
        super().reset_parameters()

    def forward(self, input):
        self.check(input)
        momentum = self.momentum or 0.0
        if self.training and self.track_running_stats:
            self.num_batches_tracked.add_(1)
            if self.momentum is None:  # the plain mean of all batches
                momentum = 1 / self.num_batches_tracked.item()
        running = self.running_mean, self.running_var
        affine = self.weight, self.bias
        training = self.training or not self.track_running_stats
        how = training, momentum, self.eps
        if unfused.wants_unfused():
            check_batch_norm(input, running, *affine, training, self.eps)
            return unfused.batch_norm(input, *running, *affine, *how).to(input.dtype)
        return f.batch_norm(input, *running, *affine, *how)

    def check(self, input):
        """ValueError unless the input has so many dimensions as the layer takes."""
        tensor_for("batch_norm", "input", input)
        if input.ndim not in self.dims:
            wanted = " or ".join(f"{n}D" for n in self.dims)
            raise ValueError(f"expected {wanted} input (got {input.ndim}D input)")

    def extra_repr(self):
        return f"{self.num_features}, {super().extra_repr()}"


class BatchNorm1d(BatchNorm):
    """Batch norm of (N, C) or (N, C, L)."""

    dims = 2, 3


class BatchNorm2d(BatchNorm):
    """Batch norm of images (N, C, H, W)."""

    dims = (4,)


class InstanceNorm2d(BatchNorm):
    """Each channel of each image by itself: (N, C, H, W) or (C, H, W)."""

    dims = 3, 4

    def __init__(
        self,
        num_features,
        eps=1e-05,
        momentum=0.1,
        affine=False,
        track_running_stats=False,
        device="cpu",
        dtype=None,
    ):
        how = eps, momentum, affine, track_running_stats, device, dtype
        super().__init__(num_features, *how)

    def forward(self, input):
        self.check(input)
        buffers = self.running_mean, self.running_var
        own = self.training or not self.track_running_stats
        how = self.weight, self.bias, own, self.momentum or 0.0, self.eps
        return f.instance_norm(input, *buffers, *how)


class GroupNorm(Normalization):
    """Each sample's channels in num_groups groups, each group by itself: (N, C, *)."""

    _shown = "eps", "affine"

    def __init__(
        self, num_groups, num_channels, eps=1e-05, affine=True, device="cpu", dtype=None
    ):
        super().__init__()
        if num_channels % num_groups:
            raise ValueError(
                f"num_channels ({num_channels}) must be divisible by num_groups "
                f"({num_groups})"
            )
        self.num_groups, self.num_channels = num_groups, num_channels
        self.eps, self.affine = eps, affine
        size = num_channels if affine else None
        new_parameters(self, device, dtype, weight=size, bias=size)
        self.reset_parameters()

    def forward(self, input):
        how = self.weight, self.bias, self.eps
        return f.group_norm(input, self.num_groups, *how)

    def extra_repr(self):
        return f"{self.num_groups}, {self.num_channels}, {super().extra_repr()}"


class LayerNorm(Normalization):
    """Each sample over its last dimensions, those of normalized_shape."""

    def __init__(
        self,
        normalized_shape,
        eps=1e-05,
        elementwise_affine=True,
        bias=True,
        device="cpu",
        dtype=None,
    ):
        super().__init__()
        self.normalized_shape = as_ints((normalized_shape,))
        self.eps, self.elementwise_affine = eps, elementwise_affine
        weight = self.normalized_shape if elementwise_affine else None
        bias = weight if bias else None
        new_parameters(self, device, dtype, weight=weight, bias=bias)
        self.reset_parameters()

    def forward(self, input):
        shape = self.normalized_shape
        return f.layer_norm(input, shape, self.weight, self.bias, self.eps)

    def extra_repr(self):
        return (
            f"{self.normalized_shape}, eps={self.eps}, elementwise_affine="
            f"{self.elementwise_affine}, bias={self.bias is not None}"
        )


class RMSNorm(Normalization):
    """Each sample divided by the root of its mean square, over its last dimensions."""

    _shown = "eps", "elementwise_affine"
    bias = None

    def __init__(
        self,
        normalized_shape,
        eps=None,
        elementwise_affine=True,
        device="cpu",
        dtype=None,
    ):
        super().__init__()
        self.normalized_shape = as_ints((normalized_shape,))
        self.eps, self.elementwise_affine = eps, elementwise_affine
        size = self.normalized_shape if elementwise_affine else None
        new_parameters(self, device, dtype, weight=size)
        self.reset_parameters()

    def forward(self, input):
        return f.rms_norm(input, self.normalized_shape, self.weight, self.eps)

    def extra_repr(self):
        return f"{self.normalized_shape}, {super().extra_repr()}"
