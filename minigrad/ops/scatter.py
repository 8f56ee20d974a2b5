"""scatter_add: the gradient of choosing elements by index."""

import numpy as np

from .. import faults
from ..dispatch import register
from ..promotion import FLOATS
from ..storage import of_bits
from ..trace import nbytes
from . import ladder
from .ladder import memory, strides_of, template
from .mapping import THREADS
from .plans import Planned, PlannedOperator
from .texts import SCATTER_ADD


class ScatterAdd(PlannedOperator):
    """x[i, j, ...] of shape `shape` is the sum of all dy[k, j, ...] with index i.

    The reverse of gather(x, dim, index), whose index stands at `dim`.
    """

    def __init__(self):
        back = lambda dy, b, dim: dy.gather(dim, b)  # noqa: E731
        rule = lambda dy, index: dy.dtype  # noqa: E731
        super().__init__("scatter_add", rule, ScatterAdd.__doc__, (back, None))
        register("scatter_add", ["cpu"], FLOATS, self.on_cpu)
        register("scatter_add", ["sim", "cuda"], FLOATS, Planned(self.on_device))

    def on_cpu(self, dy, index, dim, shape):
        values = of_bits(dy.memory(), dy.dtype)
        x = np.zeros(shape or (1,), ladder.computed_in(dy.dtype))
        at = np.atleast_1d(index.memory())
        places = list(np.ogrid[tuple(slice(n) for n in at.shape)])
        places[dim] = at
        np.add.at(x, tuple(places), np.atleast_1d(values))
        return dy.new_of(x.reshape(shape), dy.dtype)

    def on_device(self, dy, index, dim, shape):
        wide = ladder.computed_in(dy.dtype)
        x = dy.new_zeros(shape, dtype=wide)
        n = index.numel()
        if n:
            self.launch(dy, index, x, dim, n, wide)
        return x.to(dtype=dy.dtype)

    def launch(self, dy, index, x, dim, n, wide):
        step, size = (x.strides[dim], x.shape[dim]) if x.ndim else (0, 1)
        rest = tuple(0 if d == dim else s for d, s in enumerate(x.strides))
        shape, *strides = ladder.joined(index.shape, dy.strides, index.strides, rest)
        views = [strides_of(shape, s, x.device) for s in strides]
        body = ladder.file_text("copy.cu") + SCATTER_ADD
        text = ladder.with_headers(body, [dy.dtype])
        name = template("scatter_add", dy.dtype, wide)
        function = ladder.compiled(text, name, x.device)
        args = (memory(dy), views[0], memory(index), views[1], memory(x), views[2],
                np.int64(step), np.int64(size), faults.argument(x.device),
                np.int32(n))  # fmt: skip
        grid, moved = (-(-n // THREADS), 1, 1), sum(map(nbytes, (dy, index, x)))
        ladder.launch(
            self.name, "atomics", function, x.device, grid, (THREADS, 1, 1), args, moved
        )


scatter_add = ScatterAdd()
