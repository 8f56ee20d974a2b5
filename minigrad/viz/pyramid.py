"""The memories of a card: the nearer one is to the threads, the smaller it is."""

from .draw.canvas import SOFT, Canvas
from .draw.diagram import Box, draw_box
from .draw.picture import style

CARDS = {  # SMs; KB of L1 and shared memory, of it shared at most, for one block
    "T4": (40, 96, 64, 64, "4 MB", "16 GB, 0.32 TB/s"),
    "A100": (108, 192, 164, 163, "40 MB", "40 or 80 GB, 1.56 or 2.04 TB/s"),
    "H100": (132, 256, 228, 227, "50 MB", "80 GB, 3.35 TB/s"),
    "H200": (132, 256, 228, 227, "60 MB", "141 GB, 4.8 TB/s"),
    "RTX 3090": (82, 128, 100, 99, "6 MB", "24 GB, 0.94 TB/s"),
    "RTX 4090": (128, 128, 100, 99, "72 MB", "24 GB, 1.01 TB/s"),
    "RTX 5090": (170, 128, 100, 99, "96 MB", "32 GB, 1.79 TB/s"),
}


def pyramid(card="H200"):
    """Draw a card's memories from the nearest to the largest, with sizes and delays.

    card: a key of CARDS; "H100" is the SXM version. Sizes and rates are NVIDIA's, but
    the H200 itself reports the size of its L2 cache.
    """
    if card not in CARDS:
        raise ValueError(f"card={card!r}: choose from {', '.join(CARDS)}")
    sms, both, most, block, level2, device = CARDS[card]
    levels = [
        ("registers", f"256 KB per SM, {sms * 256 // 1024} MB in all",
         "for one thread; no delay"),
        ("shared memory and L1 cache", f"{both} KB per SM, at most {most} of it shared",
         f"shared: for one block, at most {block} KB; about 30 cycles"),
        ("L2 cache", level2, "for all SMs; about 250 cycles"),
        ("device memory", device, "for all threads of all kernels; 500 cycles or more"),
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
