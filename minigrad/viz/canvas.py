"""Boxes, words and lines, placed in inches from the top left corner down."""

from .picture import Picture, matplotlib

UNIT, HEIGHT = 0.34, 0.42  # a box with a short number in it
INK, SOFT = "#1A1A1A", "#4D4D4D"
# Okabe and Ito's hues, lightened under black text. Colour never stands alone: each kind
# of box has an edge or a hatching of its own.
BOXES = {
    "marked": {"fc": "#F6C667", "ec": INK, "lw": 2.2, "zorder": 4},
    "read": {"fc": "#CFE8F7", "ec": "#3B6E8F", "lw": 0.9, "zorder": 3},
    "free": {"fc": "white", "ec": "#A6A6A6", "lw": 0.7, "hatch": "////"},
    "outside": {"fc": "#F7D9C4", "ec": "#B34A00", "lw": 1.2, "hatch": "xx"},
    "frame": {"fc": "none", "ec": INK, "lw": 2.2, "zorder": 4},
}


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
        """Words that a line may pass behind."""
        back = {"boxstyle": "square,pad=0.12", "fc": "white", "ec": "none"}
        self.write(x, y, text, size, **{"color": SOFT, "bbox": back} | options)

    def box(self, x, y, kind, width=UNIT, height=HEIGHT, over=0):
        from matplotlib.patches import Rectangle

        look = {"zorder": 2} | BOXES[kind]
        look["zorder"] += over
        self.axes.add_patch(Rectangle((x, y), width, height, **look))

    def cell(self, x, y, kind, value, small="", width=UNIT, over=0):
        """A box with its value and, beneath it, something smaller.

        over: 0, and lines pass in front of the box; 4, and they pass behind it.
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

    def line(self, *points):
        xs, ys = zip(*points, strict=True)
        self.axes.plot(xs, ys, color="#B34A00", linewidth=1.3, zorder=5)
