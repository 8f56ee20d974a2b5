"""The memories of a card: the nearer one is to the threads, the smaller it is."""

from .draw.canvas import SOFT, Canvas
from .draw.diagram import Box, draw_box
from .draw.picture import style

CARDS = {  # SMs; KB of L1 and shared memory, of it shared at most, for one block
    "T4": (40, 96, 64, 64, "4 MB", "16 GB, 0.32 TB/s"),
    "A100": (108, 192, 164, 163, "40 MB", "40 or 80 GB, 1.56 or 2.04 TB/s"),
    "H100": (132, 256, 228, 227, "50 MB", "80 GB, 3.35 TB/s"),
    "H200": (132, 256, 228, 227, "60 MB", "141 GB, 4.8 TB/s"),
}


def pyramid(card="H200"):
    """Draw a card's memories from the nearest to the largest, with sizes and delays.

    card: "T4", "A100", "H100" (SXM) or "H200"; makers' figures.
    """
    if card not in CARDS:
        raise ValueError(f"card={card!r}: choose from {', '.join(CARDS)}")
    sms, both, most, block, level2, device = CARDS[card]
    levels = [
        ("registers", f"256 KB an SM, {sms * 256 // 1024} MB in all",
         "a thread's own variables; no delay"),
        ("shared memory and L1 cache", f"{both} KB an SM, of it shared at most {most}",
         f"shared: a block's own, at most {block} KB; some 30 cycles"),
        ("L2 cache", level2, "for all SMs, by itself; some 250 cycles"),
        ("device memory", device, "all threads of all kernels; 500 cycles or more"),
    ]  # fmt: skip
    description = "; ".join(f"{name}: {size}; {text}" for name, size, text in levels)
    kinds = "touched", "line", "read", "unused"
    with style():
        canvas = Canvas(8.56, 2.6)
        for n, (level, kind) in enumerate(zip(levels, kinds, strict=True)):
            (name, size, text), wide, y = level, 2.3 + 0.75 * n, 0.1 + 0.6 * n
            draw_box(canvas, Box(2.5 - wide / 2, y, wide, 0.6, name, (size,), kind))
            canvas.write(4.91, y + 0.3, text, 8.5, ha="left", color=SOFT)
        return canvas.picture(
            f"The memories of the {card}, {sms} SMs, from the nearest: {description}."
        )
