"""Which thread of a launch writes which element?"""

from math import prod
from types import SimpleNamespace

import numpy as np

from cudasim import spread

from .draw.canvas import UNIT
from .draw.kernel_launch import CannotRun, or_sentence, place, prepared
from .draw.launch_arrays import ArrayPlane, ArrayRow, Blocks, IdleThreads, tint
from .draw.page import Legend, Space, Text, page
from .draw.planes import planes_of
from .draw.recorders import Writers
from .draw.text import count

NOBODY = "\u2013"


@or_sentence
def launch(kernel, grid, block, args, shared_mem=0, output=None):
    """Draw the grid of blocks, and which thread writes which element of the output.

    kernel: a Kernel, a cudasim.RawKernel, or an exercise whose answer is one. The rest
    as in a launch; the arguments stay as they are. output: the name or the number of
    the argument to draw; without it, the first one that is written.
    Elements that nobody writes, and those that two threads write, are marked. Large
    arrays are cut, and the picture says so.
    """
    ready = prepared(kernel, grid, block, args)
    tool = Writers({name: a.itemsize for name, a in ready.arrays.items()})
    run = ready.run(shared_mem, [tool])
    return LaunchPicture(run, tool, chosen(ready, tool, output)).picture()


def chosen(ready, tool, output):
    """The name of the array that is drawn."""
    arrays = ready.arrays
    if not arrays:
        raise CannotRun(f"{ready.kernel.name} has no array argument to draw.")
    if isinstance(output, int) and 0 <= output < len(ready.args):
        output = ready.kernel.parameters[output].name
    if output is not None and output not in arrays:
        raise ValueError(
            f"output={output!r} is no array of {ready.kernel.name}: choose from "
            f"{', '.join(arrays)}"
        )
    return output or next(iter(written(ready, tool)), None) or likely(ready)


def written(ready, tool):
    """The names of the arrays that some thread writes."""
    return [name for name in ready.arrays if tool.part(name) is not None
            and (tool.part(name).first >= 0).any()]  # fmt: skip


def likely(ready):
    """The last array that may be written, or the last."""
    names = list(ready.arrays)
    pointers = [p for p in ready.kernel.parameters if p.name in names]
    free = [p.name for p in pointers if not p.type.plain.to.const]
    return [*names, *free][-1]


class LaunchPicture:
    def __init__(self, run, tool, name):
        self.run, self.tool, self.name = run, tool, name
        self.array = run.arrays[name]
        nobody = np.full(self.array.size, -1)
        part = tool.part(name)
        self.first, self.second = (
            (nobody, nobody) if part is None else (part.first, part.second)
        )
        self.plain = nobody >= 0 if part is None else part.plain
        self.threads, self.grid = prod(run.block), run.grid
        self.shape = self.array.shape
        self.two = (self.second >= 0) & self.plain
        self.none = self.first < 0

    def thread(self, number):
        """The number of a thread in its block, as the kernel has it."""
        return place(spread(int(number) % self.threads, self.run.block), self.run.block)

    def block(self, number):
        return place(spread(int(number) // self.threads, self.grid), self.grid)

    def cell(self, index):
        """(kind of box, thread, block) of the element with this flat number."""
        first, second = self.first[index], self.second[index]
        if first < 0:
            return "free", NOBODY, ""
        who = sorted({int(first), int(second) if second >= 0 else int(first)})
        kind = "wrong" if self.two[index] else tint(who[0] // self.threads, self.grid)
        blocks = dict.fromkeys(map(self.block, who))
        return kind, " ".join(map(self.thread, who)), " ".join(blocks)

    # ------------------------------------------------------------ the picture

    def picture(self):
        head = Text([self.run.heading], 11, weight="bold")
        parts = [head, Text(self.lines()), Space(0.06), Blocks(self), *self.grids()]
        alt = " ".join([self.run.heading + ".", *self.lines(), *self.notes()])
        if not self.tool.busy.all():
            parts.append(IdleThreads(self, np.flatnonzero(~self.tool.busy)))
        parts += [Space(0.1), Legend(self.key()), Text(self.notes(), 8.5)]
        return page(parts, alt)

    def grids(self):
        if len(self.shape) < 2:
            return [ArrayRow(self)]
        first = [0] * len(self.shape)
        view = SimpleNamespace(shape=self.shape, numel=self.array.size)
        planes = planes_of(view, self.name, first, 24)
        return [ArrayPlane(self, plane) for plane in planes]

    def lines(self):
        threads, busy = self.tool.busy.size, int(self.tool.busy.sum())
        idle = threads - busy
        rest = f"; {idle:,} write nothing" if idle else ""
        blocks = count(prod(self.run.grid), "block")
        shape = f"{self.name} has shape {self.shape}"
        return [
            f"{blocks} of {count(self.threads, 'thread')}: {threads:,} threads, of "
            f"which {busy:,} write{rest}. {shape}: "
            f"{int((~self.none).sum()):,} of {self.array.size:,} elements are written."
        ]

    def notes(self):
        notes = []
        if self.none.any() and not self.none.all():
            notes.append(f"No thread writes {self.examples(self.none)}.")
        if self.two.any():
            notes.append(f"More than one thread writes {self.examples(self.two)}.")
        shared = (self.second >= 0) & ~self.plain
        if shared.any():
            notes.append(
                f"Written by several threads, atomically: "
                f"{count(int(shared.sum()), 'element')}; two of the threads are shown."
            )
        others = [n for n in written(self.run, self.tool) if n != self.name]
        if others:
            notes.append(
                f"Also written: {', '.join(others)} (output={others[0]!r} draws it)."
            )
        return notes + self.cut() + self.run.notes()

    def examples(self, which):
        """A few elements, as Python writes them."""
        numbers = np.flatnonzero(which)
        shown = [self.element(n) for n in numbers[:4]]
        more = f" and {len(numbers) - 4:,} more" if len(numbers) > 4 else ""
        return ", ".join(shown) + more

    def element(self, number):
        index = np.unravel_index(number, self.shape) if self.shape else ()
        return f"{self.name}[{', '.join(str(int(i)) for i in index)}]"

    def cut(self):
        shown = sum(len(part.drawn) for part in self.grids())
        if shown == self.array.size:
            return []
        return [f"Cut: {shown} of {self.array.size:,} elements are drawn."]

    def key(self):
        axes = place(self.run.block, self.run.block).count(",") + 1
        what = "thread" if axes == 1 else f"thread ({', '.join('xyz'[:axes])})"
        key = [(None, f"in a box: its {what}; beneath: the block")]
        key += [("free", "written by no thread")] * bool(self.none.any())
        return key + [("wrong", "written by two threads")] * bool(self.two.any())

    def unit(self, numbers):
        """How wide a box must be."""
        texts = [t for n in numbers for t in self.cell(n)[1:]]
        longest = max(map(len, texts), default=1)
        return max(UNIT, min(0.9, 0.08 + 0.075 * longest))

    def draw_cell(self, canvas, x, y, number, unit):
        kind, thread, block = self.cell(number)
        canvas.cell(x, y, kind, thread, block, unit)
