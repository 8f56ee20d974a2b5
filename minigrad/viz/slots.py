"""Which of an SM's places for warps are taken, and by which block."""

from .draw.canvas import SOFT, Canvas
from .draw.picture import style
from .draw.text import count

LEFT, SIZE, HIGH = 1.45, 0.09, 0.5
KEY = "a box: a warp; a color: a block; hatched: no warp"


def slots(rows, places=64):
    """Draw an SM's places for warps, a row for each {label: (blocks, warps, note)}.

    blocks: how many blocks the SM holds at once. warps: how many each of them has.
    note: is written at the end of the row.
    """
    for label, (blocks, warps, _) in rows.items():
        if blocks * warps > places:
            raise ValueError(f"{label}: {blocks * warps} warps in {places} places")
    captions = []
    with style():
        canvas = Canvas(8.56, 0.4 + HIGH * len(rows))
        for n, (label, (blocks, warps, note)) in enumerate(rows.items()):
            y = 0.1 + HIGH * n
            canvas.write(0.1, y + 0.17, label, 9, ha="left")
            for kind, first, last in [
                *(
                    (f"block {b % 6}", b * warps, (b + 1) * warps)
                    for b in range(blocks)
                ),
                ("free", blocks * warps, places),
            ]:
                corners = [(LEFT + SIZE * w, y) for w in range(first, last)]
                canvas.boxes(corners, kind, SIZE, 0.34)
            share = f"{blocks * warps} of {places}"
            at = LEFT + SIZE * places + 0.1
            canvas.write(at, y + 0.1, share, 9, ha="left", weight="bold")
            canvas.write(at, y + 0.28, note, 7.5, ha="left", color=SOFT)
            captions.append(
                f"{label}: {count(blocks, 'block')} of {count(warps, 'warp')} take "
                f"{share} places, {note}."
            )
        low = 0.2 + HIGH * len(rows)
        canvas.write(LEFT, low, KEY, 8.5, ha="left", color=SOFT)
        return canvas.picture(" ".join(captions))
