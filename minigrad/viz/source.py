"""CUDA C with numbered lines, colored where Pygments is installed, as with Jupyter."""

from html import escape

from .draw.kernel_launch import source_lines
from .draw.picture import DARK


def source(kernel):
    """Show the text of a kernel with the line numbers that messages name.

    kernel: a Kernel, a cudasim.RawKernel, or CUDA C as text.
    """
    text = getattr(kernel, "source", None) or getattr(kernel, "code", kernel)
    return Source(source_lines(text))


class Source:
    """Lines that a notebook shows in color."""

    def __init__(self, lines):
        self.lines = lines

    def __repr__(self):
        return "\n".join(f"{n:4}  {line}" for n, line in enumerate(self.lines, 1))

    def _repr_html_(self):
        try:
            from pygments import highlight
            from pygments.formatters import HtmlFormatter
            from pygments.lexers import CudaLexer
        except ImportError:
            return f"<pre>{escape(repr(self))}</pre>"
        look = {"linenos": "inline", "noclasses": True, "nobackground": True}
        page = "background: white; color: black; padding: 4px"
        look["prestyles"] = f"white-space: pre; overflow-x: auto; {page}"  # whole lines
        lexer = CudaLexer(stripnl=False, ensurenl=False)
        text = highlight("\n".join(self.lines), lexer, HtmlFormatter(**look))
        return f'<div class="minigrad-drawing">{text}</div>{DARK}'
