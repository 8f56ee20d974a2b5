"""A drawing that shows itself in a notebook, and says in words what it shows."""

import base64
import contextlib
import io
import re
from html import escape

# Dark themes of JupyterLab, Colab, and VS Code: dark and light change places.
DARK = (
    "<style>:is([data-jp-theme-light=false], html[theme=dark], .vscode-dark) "
    ".minigrad-drawing { filter: invert(0.93) hue-rotate(180deg); }</style>"
)


class Svg:
    """A drawing as SVG text; alt: what it shows, in words."""

    is_photo = False  # else it's dark where the page is

    def __init__(self, text, alt):
        self.text, self.alt = text, alt

    def __repr__(self):
        return self.alt

    def _repr_html_(self):
        return self.img()  # stored once; JupyterLab gives other images no alt text

    def svg(self):
        return self.text

    def img(self):
        """An HTML <img> that holds the SVG and is no wider than the page."""
        data = base64.b64encode(self.svg().encode()).decode()
        name, rule = ("photo", "") if self.is_photo else ("drawing", DARK)
        return (
            f'<img alt="{escape(self.alt)}" style="max-width: 100%" '
            f'class="minigrad-{name}" src="data:image/svg+xml;base64,{data}">{rule}'
        )


class Picture(Svg):
    """A Matplotlib figure, shown as SVG."""

    def __init__(self, figure, alt, is_photo=False):
        self.figure, self.alt, self.is_photo = figure, alt, is_photo

    def svg(self):
        """The picture as SVG text, with its description for screen readers."""
        text = self._saved("svg", metadata={"Date": None, "Title": self.alt}).decode()
        label = f'<svg role="img" aria-label="{escape(self.alt)}" '
        return re.sub(r"<svg ", lambda _: label, text, count=1)

    def png(self):
        """The picture as PNG bytes, sharp on screens of two pixels a point."""
        return self._saved("png", dpi=192, metadata={"Description": self.alt})

    def save(self, path):
        """Write an .svg or a .png file."""
        ending = str(path).rpartition(".")[2].lower()
        if ending not in ("svg", "png"):
            raise ValueError(f"a picture is saved as .svg or .png, not as {path}")
        data = self.png() if ending == "png" else self.svg().encode()
        with open(path, "wb") as file:
            file.write(data)

    def _saved(self, format, **options):
        file = io.BytesIO()
        with style():
            self.figure.savefig(file, format=format, **options)
        return file.getvalue()


@contextlib.contextmanager
def style():
    """Matplotlib's own defaults, whatever the user has set; afterwards as before."""
    mpl = matplotlib()
    with mpl.rc_context():
        mpl.style.use("default")
        mpl.rcParams.update({"svg.hashsalt": "minigrad", "hatch.linewidth": 0.6})
        yield


def matplotlib():
    """The library, or an error that says how to get it."""
    try:
        import matplotlib
        import matplotlib.style
        from matplotlib.figure import Figure  # noqa: F401
    except ImportError as error:
        raise ImportError(
            "pictures are drawn with matplotlib, which is not installed: "
            'pip install "minigrad[lab]", or pip install matplotlib'
        ) from error
    return matplotlib
