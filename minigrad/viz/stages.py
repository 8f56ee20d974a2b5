"""A sum in two stages: elements, threads' sums, blocks' sums, and the total."""

from .draw.canvas import HEIGHT, SOFT, UNIT, Canvas
from .draw.chart import numbers
from .draw.picture import style
from .draw.text import text_of

LEFT, TOP, DOWN = 1.5, 0.2, 0.62  # inches; DOWN: between two rows
MOST = 40, 6  # elements, and blocks that have a color


def stages(values, blocks, size):
    """Draw how `blocks` blocks of `size` threads add the values in two stages.

    Each thread adds every (blocks * size)-th value, each block adds its threads' sums,
    and one more block adds the blocks' sums. A color stands for a block.
    values: at most 40. blocks: at most 6.
    """
    values = numbers(list(values)).tolist()
    threads = blocks * size
    if not (0 < threads <= len(values) <= MOST[0] and blocks <= MOST[1]):
        raise ValueError(
            "stages draws 1 to 6 blocks and at most 40 values, at least one per "
            f"thread, not {blocks} blocks of {size} threads with {len(values)} values"
        )
    own = [sum(values[t::threads]) for t in range(threads)]
    sums = [sum(own[b * size : (b + 1) * size]) for b in range(blocks)]
    wide = UNIT * len(values)
    rows = (
        ("elements", values, [(i % threads) // size for i in range(len(values))]),
        ("threads' sums", own, [t // size for t in range(threads)]),
        ("blocks' sums", sums, range(blocks)),
        ("total", [sum(sums)], [None]),
    )
    with style():
        high = TOP + len(rows) * (HEIGHT + DOWN)
        canvas = Canvas(LEFT + wide + 0.2, high - 0.2)
        above = []
        for n, (label, row, of) in enumerate(rows):
            y = TOP + n * (HEIGHT + DOWN)
            canvas.write(LEFT - 0.12, y + HEIGHT / 2, label, 8.5, ha="right")
            places = centers(row, wide)
            for value, x, block in zip(row, places, of, strict=True):
                kind = "marked" if block is None else f"block {block}"
                unit = max(UNIT, 0.1 + 0.1 * len(text_of(value)))
                canvas.cell(x - unit / 2, y, kind, text_of(value), width=unit)
            for i, x in enumerate(above):
                into = places[(i % threads, i // size, 0)[n - 1]]
                canvas.arrow(
                    (x, y - DOWN), (into, y), mutation_scale=7, color=SOFT, lw=0.6
                )
            above = places
        key = "a color: the elements and threads of one block"
        canvas.write(0.1, high - 0.32, key, 8.5, ha="left", color=SOFT)
        return canvas.picture(alt_of(rows))


def centers(row, wide):
    """Where the boxes of a row are, spread evenly over the width."""
    return [LEFT + wide * (i + 0.5) / len(row) for i in range(len(row))]


def alt_of(rows):
    parts = (f"{label}: {' '.join(map(text_of, row))}" for label, row, _ in rows)
    return f"A sum in two stages. {'; '.join(parts)}."
