"""A drawing that shows itself in a notebook, and says in words what it shows."""

import base64
import contextlib
import io
import re
from html import escape


class Picture:
    """A Matplotlib figure as SVG, as PNG where SVG cannot be shown, and in words."""

    def __init__(self, figure, alt):
        self.figure, self.alt = figure, alt

    def __repr__(self):
        return self.alt

    def _repr_mimebundle_(self, include=None, exclude=None):
        width, height = (round(96 * inches) for inches in self.figure.get_size_inches())
        svg = self.svg()
        data = {
            "text/plain": self.alt,
            "text/html": self.img(svg),  # JupyterLab gives other images no alt text
            "image/svg+xml": svg,
            "image/png": base64.b64encode(self.png()).decode(),
        }
        size = {"width": width, "height": height, "alt": self.alt}
        return data, {"image/png": size, "image/svg+xml": {"alt": self.alt}}

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

    def img(self, svg=None):
        """An HTML <img> that holds the SVG and is no wider than the page."""
        data = base64.b64encode((svg or self.svg()).encode()).decode()
        return (
            f'<img alt="{escape(self.alt)}" style="max-width: 100%" '
            f'src="data:image/svg+xml;base64,{data}">'
        )

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
