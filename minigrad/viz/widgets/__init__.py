"""Pictures that the reader moves: live where anywidget works, and still elsewhere."""

import itertools
import json
import sys
from pathlib import Path

FILES = Path(__file__).parent
_numbers = itertools.count(1)


def widget_class(name, *texts):
    """Return the class of NAME.js's widget; None without anywidget, and on Colab.

    texts: the names of what Python and the browser share.
    """
    try:
        import anywidget
        import traitlets
    except ImportError:
        return None
    if "google.colab" in sys.modules:
        return None
    read = [(FILES / f"common.{end}", FILES / f"{name}.{end}") for end in ("js", "css")]
    script, style = ("".join(f.read_text(encoding="utf-8") for f in fs) for fs in read)
    shared = {text: traitlets.Unicode().tag(sync=True) for text in texts}
    members = {"_esm": script, "_css": style, **shared}
    return type(f"{name.title()}Widget", (anywidget.AnyWidget,), members)


def show(widget, words):
    """Display a widget; words: what to do where it can't be shown."""
    from IPython.display import display

    view = {"version_major": 2, "version_minor": 0, "model_id": widget.model_id}
    bundle = {"text/plain": words, "application/vnd.jupyter.widget-view+json": view}
    display(bundle, raw=True)


class Stepped:
    """Steps that a slider goes through, and a still picture where there's no slider.

    A subclass has `name`, of the script; `words`, as in `show`; `payload()`, what the
    script gets; and `picture()`.
    """

    def __init__(self):
        widget, self.panel = widget_class(self.name, "data", "still"), None
        if widget is not None:
            # The style of a living widget hides the still picture of the same number.
            still = f"mg-still-{next(_numbers)}"
            self.panel = widget(data=json.dumps(self.payload()), still=still)

    def __repr__(self):
        return repr(self.picture())

    def _ipython_display_(self):
        from IPython.display import display

        if self.panel is None:
            display(self.picture())
            return
        show(self.panel, self.words)
        still = f'<div class="{self.panel.still}">{self.picture().img()}</div>'
        display({"text/plain": repr(self), "text/html": still}, raw=True)
