"""In which bank of shared memory does each element of an array lie?"""

from .banks import BANKS, passes
from .draw.canvas import Canvas
from .draw.page import MARGIN, WIDTH, Legend
from .draw.picture import style
from .draw.text import count

SIZE, GAP, HEAD = 0.12, 0.34, 0.4  # inches: an element, between arrays, their titles
MOST = 34  # rows or columns


def bank_map(*shapes, lanes=lambda lane: (lane, 0)):
    """Draw arrays of 4-byte elements in shared memory, each element with its bank.

    shapes: (rows, columns) of each; they stand side by side. lanes: the (row, column)
    that a lane, 0 to 31, reads; without it a warp reads the first column. The number of
    different words that one bank must give is the number of passes.
    """
    for rows, columns in shapes:
        if not (0 < rows <= MOST and 0 < columns <= MOST):
            raise ValueError(
                f"1 to {MOST} rows and columns are drawn, not {rows} and {columns}"
            )
        for row, column in map(lanes, range(32)):
            if not (0 <= row < rows and 0 <= column < columns):
                raise ValueError(
                    f"a lane reads [{row}][{column}], outside of [{rows}][{columns}]"
                )
    key = Legend(
        [
            ("touched", "what the warp reads"),
            (None, "numbers and shades: the bank, from 0 to 31"),
        ]
    )
    across = sum(columns for _, columns in shapes) * SIZE + GAP * (len(shapes) - 1)
    high = HEAD + max(rows for rows, _ in shapes) * SIZE
    width, captions = max(WIDTH, across + 2 * MARGIN), []
    with style():
        canvas = Canvas(width, high + key.height + 0.15)
        x = (width - across) / 2
        for shape in shapes:
            chosen = {*map(tuple, map(lanes, range(32)))}
            captions.append(alt_of(shape, chosen))
            draw(canvas, x, shape, chosen, captions[-1])
            x += shape[1] * SIZE + GAP
        key.draw(canvas, high + 0.05)
        return canvas.picture(" ".join(captions))


def bank_of(place, columns):
    return (place[0] * columns + place[1]) % BANKS


def alt_of(shape, chosen):
    wanted = [bank_of(place, shape[1]) for place in chosen]
    most = max(wanted.count(bank) for bank in wanted)
    banks = len(set(wanted))
    return (
        f"[{shape[0]}][{shape[1]}]: {count(len(chosen), 'word')} in "
        f"{count(banks, 'bank')}, {passes(most)}."
    )


def draw(canvas, x, shape, chosen, title):
    rows, columns = shape
    canvas.write(x + columns * SIZE / 2, 0.2, title, 9.5, weight="bold")
    corners = {
        (i, j): (x + j * SIZE, HEAD + i * SIZE)
        for i in range(rows)
        for j in range(columns)
    }
    for bank in range(BANKS):
        mine = [c for at, c in corners.items() if bank_of(at, columns) == bank]
        canvas.boxes(mine, f"bank {bank}", SIZE, SIZE)
    canvas.boxes([corners[at] for at in chosen], "touched", SIZE, SIZE)
    for at in {*chosen} | {(0, j) for j in range(0, columns, 4)}:
        left, top = corners[at]
        middle = left + SIZE / 2, top + SIZE / 2
        canvas.write(*middle, str(bank_of(at, columns)), 6.8)
