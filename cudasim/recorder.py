"""One block of a launch, statement by statement, for the stepper to show."""

import dataclasses

import numpy as np

from .engine.batch import Batch
from .engine.geometry import spread
from .engine.memory import Pointer
from .front import ctype as C
from .simulated_launch import Launch

MOST_STEPS = 2000


@dataclasses.dataclass
class Step:
    """Before one statement.

    active: the threads of the block that run it. values: variable -> array over the
    threads (a list of arrays for a local array, a tuple for a struct). shared:
    variable -> array in its shape.
    """

    line: int
    column: int
    active: np.ndarray
    values: dict
    shared: dict


@dataclasses.dataclass
class Trace:
    """The steps of one block; cut is True if it has more than `most`, the limit."""

    steps: list
    source: str
    grid: tuple
    block: tuple
    only: tuple
    report: object
    cut: bool


class Recorder(Batch):
    """A batch of one block that records every statement."""

    def __init__(self, launch, geometry, shared, globals_):
        super().__init__(launch, geometry, shared, globals_)
        self.wanted = geometry.first_block == launch.only
        self.steps_of = launch.recorded

    def step(self, site, mask, visible):
        if not self.wanted or len(self.steps_of) > MOST_STEPS:
            return
        full = self.geometry.full
        active = full(True if mask is None else mask).copy()
        values = {v.name: self.shown(value) for v, value in visible.items()}
        line, column = self.launch.places[site]
        self.steps_of.append(Step(line, column, active, values, self.shared_now()))

    def shown(self, value):
        """A variable's value for every thread."""
        if isinstance(value, list | tuple):
            return type(value)(self.shown(v) for v in value)
        if isinstance(value, np.ndarray | np.generic):
            return self.geometry.full(value).copy()
        if isinstance(value, Pointer):
            return f"{value.region.name} + ..." if np.any(value.offset) else (
                value.region.name)  # fmt: skip
        return "a pointer"

    def shared_now(self):
        """A copy of the shared arrays."""
        out = {}
        for pointer in self.shared:
            region = pointer.region
            type, shape = region.type, []
            while isinstance(type, C.Array):
                if type.count is not None:
                    shape.append(type.count)
                type = type.element
            data = region.root.data[0, region.begin : region.begin + region.nbytes]
            array = data.view(type.dtype).copy()
            fits = shape and int(np.prod(shape)) == array.size
            out[region.name] = array.reshape(shape) if fits else array
        return out


def trace(kernel, grid, block, args, shared_mem=0, only=(0, 0, 0)):
    """Run a launch and record every statement of the block `only`, (x, y, z).

    The blocks before it run too, since it may read what they wrote; later ones do not.
    """
    launch = Launch(kernel, grid, block, args, shared_mem, schedule="steps",
                    batch=Recorder)  # fmt: skip
    x, y, z = (*only, 0, 0, 0)[:3]
    if not all(0 <= i < n for i, n in zip((x, y, z), launch.grid, strict=True)):
        raise ValueError(f"no block {only} in the grid {launch.grid}")
    launch.only = x + launch.grid[0] * (y + launch.grid[1] * z)
    launch.recorded = []
    launch.per_batch, launch.last_block = 1, launch.only + 1
    report = launch.run()
    return Trace(
        launch.recorded[:MOST_STEPS], kernel.code, launch.grid, launch.block,
        spread(launch.only, launch.grid), report, len(launch.recorded) > MOST_STEPS,
    )  # fmt: skip
