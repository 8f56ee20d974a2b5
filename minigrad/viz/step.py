"""One block of a launch, statement by statement: a slider, or a few chosen steps."""

import functools
import itertools
import json
import sys
from pathlib import Path

from ..simt.engine.geometry import spread
from ..simt.trace import trace
from .draw.kernel_launch import (
    CannotRun,
    block_number,
    launched,
    prepared,
    sentence,
)
from .draw.step_picture import StepPicture
from .draw.step_values import payload

FILES = Path(__file__).parent / "widgets"
_numbers = itertools.count(1)


def step(kernel, grid, block, args, shared_mem=0, only=(0, 0, 0)):
    """Step through one block: the line, the active threads, values, shared memory.

    only: the block, (x, y, z). The arguments stay as they are. A slider where anywidget
    is installed and works (not on Colab); a picture of some statements everywhere else.
    """
    try:
        return Stepper(*traced(kernel, grid, block, args, shared_mem, only))
    except CannotRun as error:
        return sentence(str(error))


def traced(kernel, grid, block, args, shared_mem, only):
    """(Launch, Trace, the arrays as they were) of a launch."""
    ready = prepared(kernel, grid, block, args)
    number = block_number(only, ready.grid)
    before = {name: array.copy() for name, array in ready.arrays.items()}
    with launched(ready.kernel):
        found = trace(*ready[:4], shared_mem, only=spread(number, ready.grid))
    if not found.steps:
        raise CannotRun(f"{ready.kernel.name} has no statement to step through.")
    return ready._replace(report=found.report), found, before


class Stepper:
    """The statements of a block; it shows itself, with a slider where that goes."""

    def __init__(self, run, found, before):
        self.run, self.trace, self.before = run, found, before
        widget, self.panel = _widget_class(), None
        if widget is not None and "google.colab" not in sys.modules:
            # The style of a living widget hides the still picture of the same number.
            self.still = f"mg-still-{next(_numbers)}"
            self.panel = widget(
                data=json.dumps(payload(run, found, before)), still=self.still
            )

    @functools.cached_property
    def drawn(self):
        return StepPicture(self.run, self.trace, self.before).picture()

    def picture(self):
        """The still picture: some of the statements."""
        return self.drawn

    def __repr__(self):
        return repr(self.picture())

    def _ipython_display_(self):
        from IPython.display import display

        if self.panel is None:
            display(self.picture())
            return
        display(self.bundle(), raw=True)
        still = f'<div class="{self.still}">{self.picture().img()}</div>'
        display({"text/plain": repr(self), "text/html": still}, raw=True)

    def bundle(self):
        """What shows the slider, or, where that cannot be, says how to get it."""
        model = self.panel.model_id
        view = {"version_major": 2, "version_minor": 0, "model_id": model}
        words = "Run this cell to step through the kernel here."
        return {"text/plain": words, "application/vnd.jupyter.widget-view+json": view}


@functools.cache
def _widget_class():
    """The widget, or None where anywidget is not installed."""
    try:
        import anywidget
        import traitlets
    except ImportError:
        return None

    class StepWidget(anywidget.AnyWidget):
        _esm = (FILES / "step.js").read_text(encoding="utf-8")
        _css = (FILES / "step.css").read_text(encoding="utf-8")
        data = traitlets.Unicode("{}").tag(sync=True)
        still = traitlets.Unicode("").tag(sync=True)

    return StepWidget
