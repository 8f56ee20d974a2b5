"""A drawing that shows itself in a notebook, and says in words what it shows."""

import base64
import contextlib
import io
import re
from html import escape


class Picture:
    """A Matplotlib figure, shown as SVG with its description in words."""

    def __init__(self, figure, alt):
        self.figure, self.alt = figure, alt

    def __repr__(self):
        return self.alt

    def _repr_html_(self):
        return self.img()  # stored once; JupyterLab gives other images no alt text

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

    def img(self):
        """An HTML <img> that holds the SVG and is no wider than the page."""
        return image(self.svg(), self.alt)

    def _saved(self, format, **options):
        file = io.BytesIO()
        with style():
            self.figure.savefig(file, format=format, **options)
        return file.getvalue()


def image(svg, alt):
    """An HTML <img> of SVG text, described in words."""
    data = base64.b64encode(svg.encode()).decode()
    return (
        f'<img alt="{escape(alt)}" style="max-width: 100%" '
        f'src="data:image/svg+xml;base64,{data}">'
    )


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
