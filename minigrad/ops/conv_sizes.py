"""The sizes of a convolution."""

from typing import NamedTuple

import numpy as np

from .window import Window, as_struct

STRUCT = np.dtype(
    [(name, "i4") for name in ("N", "C", "H", "W", "O", "OH", "OW", "KH", "KW", "SH",
                               "SW", "PH", "PW", "DH", "DW", "groups")],
    align=True,
)  # fmt: skip


class Shape(NamedTuple):
    """The sizes of a convolution: x (N, C, H, W), w (O, C / groups, KH, KW)."""

    N: int
    C: int
    O: int  # noqa: E741
    groups: int
    window: Window

    def struct(self, device):
        """A kernel's argument `Conv`."""
        high, wide, oh, ow, *rest = self.window.numbers()
        numbers = self.N, self.C, high, wide, self.O, oh, ow, *rest, self.groups
        return as_struct(numbers, STRUCT, device)

    @property
    def inside(self):
        """Channels of x, channels of y in a group."""
        return self.C // self.groups, self.O // self.groups

    @property
    def x(self):
        return (self.N, self.C, *self.window.size)

    @property
    def w(self):
        return (self.O, self.C // self.groups, *self.window.kernel)

    @property
    def y(self):
        return (self.N, self.O, *self.window.out)

    @property
    def places(self):
        return self.window.out[0] * self.window.out[1]

    def product(self, what):
        """(M, N, K) of the implicit product: see conv_gemm.cu."""
        (c, o), taps, (high, wide) = self.inside, self.window.taps, self.window.size
        return [
            (o, self.N * self.places, c * taps),
            (c, self.N * high * wide, o * taps),
            (o, c * taps, self.N * self.places),
        ][what]
