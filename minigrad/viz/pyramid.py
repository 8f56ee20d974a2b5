"""The memories of a card: the nearer one is to the threads, the smaller it is."""

from .draw.diagram import Arrow, Box, diagram

WIDE = 8.56
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
    boxes, kinds = [], ("touched", "line", "read", "unused")
    for n, ((name, size, _), kind) in enumerate(zip(levels, kinds, strict=True)):
        wide = 2.3 + 0.75 * n
        boxes.append(Box(2.5 - wide / 2, 0.1 + 0.6 * n, wide, 0.6, name, (size,), kind))
    places = [(4.9, 0.4 + 0.6 * n) for n in range(len(levels))]
    arrows = [
        Arrow(place, place, text, (0.01, 0))
        for place, (*_, text) in zip(places, levels, strict=True)
    ]
    description = "; ".join(f"{name}: {size}; {text}" for name, size, text in levels)
    alt = f"The memories of the {card}, {sms} SMs, from the nearest: {description}."
    return diagram((WIDE, 2.6), boxes, arrows, alt)
