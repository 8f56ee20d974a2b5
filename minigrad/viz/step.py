"""One block of a launch, statement by statement: a slider, or a few chosen steps."""

import functools

from cudasim import spread, trace

from .draw.kernel_launch import (
    CannotRun,
    block_number,
    launched,
    or_sentence,
    prepared,
)
from .draw.step_picture import StepPicture
from .draw.step_values import payload
from .widgets import Stepped


@or_sentence
def step(kernel, grid, block, args, shared_mem=0, only=(0, 0, 0)):
    """Step through one block: the line, the active threads, values, shared memory.

    only: the block, (x, y, z). The arguments stay as they are. A slider where anywidget
    is installed and works (not on Colab); a picture of some statements everywhere else.
    """
    return Stepper(*traced(kernel, grid, block, args, shared_mem, only))


def traced(kernel, grid, block, args, shared_mem, only):
    """(Launch, Trace, the arrays as they were) of a launch."""
    ready = prepared(kernel, grid, block, args)
    number = block_number(only, ready.grid)
    before = {name: array.copy() for name, array in ready.arrays.items()}
    with launched(ready.kernel):
        recording = trace(*ready[:4], shared_mem, only=spread(number, ready.grid))
    if not recording.steps:
        raise CannotRun(f"{ready.kernel.name} has no statement to step through.")
    return ready._replace(report=recording.report), recording, before


class Stepper(Stepped):
    """The statements of a block."""

    name = "step"
    words = "Run this cell to step through the kernel here."

    def __init__(self, run, recording, before):
        self.traced = run, recording, before
        super().__init__()

    def payload(self):
        return payload(*self.traced)

    def picture(self):
        """Some of the statements."""
        return self.drawn

    @functools.cached_property
    def drawn(self):
        return StepPicture(*self.traced).picture()
