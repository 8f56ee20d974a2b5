"""Boxes, words and lines, placed in inches from the top left corner down."""

from .picture import Picture, matplotlib

UNIT, HEIGHT = 0.34, 0.42  # a box with a short number in it
INK, SOFT, RED = "#1A1A1A", "#4D4D4D", "#B3261E"
# Okabe and Ito's hues, lightened under black text. Color never stands alone: each kind
# of box has an edge or a hatching of its own.
BOXES = {
    "marked": {"fc": "#F6C667", "ec": INK, "lw": 2.2, "zorder": 4},
    "read": {"fc": "#CFE8F7", "ec": "#3B6E8F", "lw": 0.9, "zorder": 3},
    "free": {"fc": "white", "ec": "#A6A6A6", "lw": 0.7, "hatch": "////"},
    "outside": {"fc": "#F7D9C4", "ec": "#B34A00", "lw": 1.2, "hatch": "xx"},
    "frame": {"fc": "none", "ec": INK, "lw": 2.2, "zorder": 4},
    "wrong": {"fc": "#F7C6C0", "ec": RED, "lw": 1.8, "zorder": 4},
    "touched": {"fc": "#F6C667", "ec": "#595959", "lw": 0.7, "zorder": 3},
    "line": {"fc": "#FFF3D1", "ec": "#B38F00", "lw": 0.9},
    "unused": {"fc": "#F2F2F2", "ec": "#8C8C8C", "lw": 0.7},
}
TINTS = "#CFE8F7", "#FBE7B2", "#D3ECCB", "#F6D9E8", "#E2DDF5", "#DDE3E3"
BOXES |= {
    f"block {i}": {"fc": tint, "ec": "#595959", "lw": 0.9, "zorder": 3}
    for i, tint in enumerate(TINTS)
}
DARKEST = 0x8C, 0xB9, 0xDF  # of bank 31; bank 0 is white
BOXES |= {
    f"bank {i}": {"fc": [1 - (1 - dark / 255) * i / 31 for dark in DARKEST],
                  "ec": "#A6A6A6", "lw": 0.3} for i in range(32)
}  # fmt: skip


class Canvas:
    """A figure without axes; y grows downwards."""

    def __init__(self, width, height):
        self.width, size = width, (width, height)
        self.figure = matplotlib().figure.Figure(figsize=size, facecolor="white")
        self.axes = self.figure.add_axes(
            (0, 0, 1, 1), xlim=(0, width), ylim=(height, 0)
        )
        self.axes.axis("off")

    def picture(self, alt):
        return Picture(self.figure, alt)

    def write(self, x, y, text, size=9.5, **options):
        options = {"ha": "center", "va": "center", "color": INK, "zorder": 6} | options
        self.axes.text(x, y, text, fontsize=size, parse_math=False, **options)

    def label(self, x, y, text, size=7.5, **options):
        """Text in front of which no line passes."""
        back = {"boxstyle": "square,pad=0.12", "fc": "white", "ec": "none"}
        self.write(x, y, text, size, **{"color": SOFT, "bbox": back} | options)

    def box(self, x, y, kind, width=UNIT, height=HEIGHT, over=0):
        from matplotlib.patches import Rectangle

        look = {"zorder": 2} | BOXES[kind]
        look["zorder"] += over
        self.axes.add_patch(Rectangle((x, y), width, height, **look))

    def boxes(self, corners, kind, width=UNIT, height=HEIGHT):
        """Many boxes of one kind, drawn as one thing, which is much faster."""
        from matplotlib.collections import PolyCollection

        look = {"zorder": 2} | BOXES[kind]
        look |= {"facecolors": look.pop("fc"), "edgecolors": look.pop("ec")}
        look["linewidths"] = look.pop("lw")
        shapes = [
            [(x, y), (x + width, y), (x + width, y + height), (x, y + height)]
            for x, y in corners
        ]
        if shapes:
            self.axes.add_collection(PolyCollection(shapes, **look), autolim=False)

    def cell(self, x, y, kind, value, small="", width=UNIT, over=0):
        """A box with its value and, beneath it, something smaller.

        over: 0: lines pass in front of the box; 4: they pass below it.
        """
        self.box(x, y, kind, width, over=over)
        write = self.label if "hatch" in BOXES[kind] else self.write
        look = {"weight": "bold" if kind == "marked" else "normal", "color": INK}
        look["zorder"] = 6 + over
        middle = y + HEIGHT * (0.36 if small else 0.5)
        size = min(10, 100 * width / max(len(value), 1))
        write(x + width / 2, middle, value, size, **look)
        if small:
            look["weight"] = "bold" if over else "normal"
            write(x + width / 2, y + HEIGHT * 0.79, small, 7, **look)

    def line(self, *points, **look):
        xs, ys = zip(*points, strict=True)
        look = {"color": "#B34A00", "linewidth": 1.3, "zorder": 5} | look
        self.axes.plot(xs, ys, **look)

    def arrow(self, begin, end, **look):
        from matplotlib.patches import FancyArrowPatch

        look = {"arrowstyle": "-|>", "color": "#B34A00", "shrinkA": 0, "shrinkB": 0,
                "zorder": 5} | look  # fmt: skip
        self.axes.add_patch(FancyArrowPatch(begin, end, **look))

    def bar(self, x, top, bottom):
        """A wall from top to bottom."""
        self.line((x, top), (x, bottom), color=INK, linewidth=3)

    def axis(self, x, y, length, scale, unit):
        """A line with a mark at each round number; scale: inches of a unit."""
        from matplotlib.ticker import MaxNLocator

        self.line((x, y), (x + length * scale, y), color=SOFT, linewidth=0.8)
        for value in MaxNLocator(5).tick_values(0, length):
            if value <= length:
                at = x + value * scale
                self.line((at, y), (at, y + 0.06), color=SOFT, linewidth=0.8)
                self.write(at, y + 0.18, f"{value:g} {unit}", 8, color=SOFT)

    def arc(self, begin, end):
        """A red curve between two marks."""
        bend = f"arc3,rad={0.35 if begin[0] <= end[0] else -0.35}"
        look = {"arrowstyle": "-", "color": RED, "linewidth": 2, "zorder": 8}
        look |= {"connectionstyle": bend, "shrinkA": 9, "shrinkB": 9}
        self.arrow(begin, end, **look)
