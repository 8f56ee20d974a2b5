"""The threads of a launch in their blocks, before anything runs."""

import itertools

from cudasim import admit

from .draw.canvas import HEIGHT, UNIT, Canvas
from .draw.kernel_launch import place
from .draw.launch_arrays import tint
from .draw.page import MARGIN
from .draw.picture import style
from .draw.text import count

GAP, ABOVE, ROOM = 0.24, 0.28, 24  # ROOM: threads beside each other


def threads(grid, block, n=None):
    """Draw the threads of a launch, each in its block.

    grid, block: as in a launch, in x and y. n: how many elements there are, of a launch
    along x; then beneath each thread stands its global index, and threads whose index
    is no element are hatched. ValueError: more than can be drawn.
    """
    grid, block = admit.sizes("threads", grid, block)
    if grid[0] * block[0] > ROOM or grid[1] * block[1] > ROOM or grid[2] * block[2] > 1:
        raise ValueError(
            f"grid {grid} of blocks {block} is too large to be drawn: at most {ROOM} "
            f"threads along x and along y, and one along z"
        )
    wide, high = UNIT * block[0] + GAP, HEIGHT * block[1] + ABOVE
    with style():
        canvas = Canvas(2 * MARGIN + wide * grid[0], 0.24 + high * grid[1])
        for by, bx in itertools.product(range(grid[1]), range(grid[0])):
            left, top = MARGIN + wide * bx, high * by + ABOVE
            name = f"block {place((bx, by, 0), grid)}"
            canvas.write(left, top - 0.12, name, 9, ha="left", weight="bold")
            for ty, tx in itertools.product(range(block[1]), range(block[0])):
                i = bx * block[0] + tx
                kind = tint(by * grid[0] + bx, grid) if n is None or i < n else "free"
                at, number = (
                    (left + UNIT * tx, top + HEIGHT * ty),
                    place((tx, ty, 0), block),
                )
                canvas.cell(*at, kind, number, "" if n is None else f"i={i}")
        return canvas.picture(alt_of(grid, block, n))


def alt_of(grid, block, n):
    whole = count(grid[0] * grid[1], "block")
    text = f"{whole} of {count(block[0] * block[1], 'thread')}."
    if n is None:
        return text
    first = min(n, grid[0] * block[0])
    text += f" Block 0, thread 0 has element 0, and so on up to element {first - 1}."
    idle = grid[0] * block[0] - first
    return f"{text} The last {count(idle, 'thread')} have no element." if idle else text
