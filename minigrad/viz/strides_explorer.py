"""Sliders for the numbers by which a storage is read: try them, and break it."""

from math import prod

import numpy as np

from .draw.storage_view import StorageView, view_of
from .draw.strides_captions import NAMES
from .strides import strides
from .widgets import show

MOST = 4  # dimensions: more sliders than that help nobody


def strides_explorer(*tensor_or_shape):
    """Sliders for index, shape, strides and offset, over the picture of `strides`.

    A tensor of minigrad or PyTorch or a NumPy array, of up to four dimensions; or the
    shape of one that counts up from 0: strides_explorer(3, 4).
    The tensor itself stays as it is. Numbers that read outside the storage are shown as
    such. The picture is an output of its own: it stays where there are no sliders, for
    want of ipywidgets or of a running kernel.
    """
    view = _start(tensor_or_shape)
    if len(view.shape) > MOST:
        raise ValueError(
            f"strides_explorer has sliders for up to {MOST} dimensions, not for "
            f"{len(view.shape)}: choose some of them, as in strides_explorer(x[0])"
        )
    return Explorer(view)


def _start(given):
    """The StorageView of a tensor, or of a row-major array of the given shape."""
    if len(given) == 1 and isinstance(given[0], tuple | list):
        given = tuple(given[0])
    if len(given) == 1 and not isinstance(given[0], int):
        return view_of(given[0])
    if not all(isinstance(n, int) and n >= 0 for n in given):
        raise TypeError(
            f"expected one tensor, or sizes that are ints >= 0; got {given}"
        )
    if prod(given) > 10_000:
        raise ValueError(f"shape {given} is too large for sliders: try (3, 4)")
    return view_of(np.arange(prod(given)).reshape(given))


class Explorer:
    """A view of a storage whose numbers can be changed; it shows itself."""

    def __init__(self, view):
        self.start = self.view = view
        self.index = (0,) * len(view.shape)
        self.shown = None  # the output that holds the picture, once there is one
        self.panel = _Sliders(self) if _ipywidgets() else None

    def picture(self):
        return strides(self.view, self.index if self.view.numel else None)

    def read(self, index, shape, steps, offset):
        """Read the storage by other numbers, whether or not they fit."""
        self.view = StorageView(shape, steps, offset, *self.start[3:])
        self.index = tuple(
            min(i, max(n - 1, 0)) for i, n in zip(index, shape, strict=True)
        )
        if self.shown is not None:
            self.shown.update(self.picture())

    def __repr__(self):
        return repr(self.picture())

    def _ipython_display_(self):
        from IPython.display import display

        if self.panel is not None:
            show(self.panel.box, "Run this cell to see the sliders.")
        self.shown = display(self.picture(), display_id=True)


class _Sliders:
    """A row of sliders for each dimension, and one for the offset."""

    def __init__(self, explorer):
        self.explorer, self.busy = explorer, False
        view, widgets = explorer.start, _ipywidgets()
        self.index, self.shape, self.steps = [], [], []
        for name, size, step in zip(NAMES, view.shape, view.strides, strict=False):
            self.index.append(_slider(name, 0, 0, max(size - 1, 0)))
            self.shape.append(_slider("size", size, 0, max(8, size)))
            least, most = min(step, 0), max(8, step, min(view.cells, 24))
            self.steps.append(_slider("stride", step, least, most))
        most = max(8, view.cells, view.offset)
        self.offset = _slider("offset", view.offset, 0, most)
        self.reset = widgets.Button(description="Reset")
        rows = zip(self.index, self.shape, self.steps, strict=True)
        rows = [widgets.HBox(row) for row in [*rows, (self.offset, self.reset)]]
        self.box = widgets.VBox(rows)
        for slider in self.all():
            slider.observe(self.changed, names="value")
        self.reset.on_click(self.restart)

    def all(self):
        return [*self.index, *self.shape, *self.steps, self.offset]

    def changed(self, change=None):
        if self.busy:  # a slider that moves others counts as one change
            return
        self.busy = True
        for index, size in zip(self.index, self.shape, strict=True):
            index.max = max(size.value - 1, 0)
        self.busy = False
        lists = [
            tuple(s.value for s in row) for row in (self.index, self.shape, self.steps)
        ]
        self.explorer.read(*lists, self.offset.value)

    def restart(self, button=None):
        start, self.busy = self.explorer.start, True
        values = [0] * len(self.index), start.shape, start.strides, (start.offset,)
        for slider, value in zip(self.all(), sum(map(list, values), []), strict=True):
            slider.value = value
        self.busy = False
        self.changed()


def _slider(name, value, least, most):
    return _ipywidgets().IntSlider(
        value, least, most, description=name, layout={"width": "280px"},
        style={"description_width": "50px"},
    )  # fmt: skip


def _ipywidgets():
    """The library, or None where it is not installed."""
    try:
        import ipywidgets
    except ImportError:
        return None
    return ipywidgets
