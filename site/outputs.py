"""What notebooks show, as a page without a kernel can show it."""

import ast
import copy
import itertools
import json
import re
from html import escape

import nbformat

from minigrad import viz
from minigrad.viz.draw.strides_captions import NAMES

VIEW = "application/vnd.jupyter.widget-view+json"
STATES = "application/vnd.jupyter.widget-state+json"
TITLE = re.compile(r"""title\(\s*["'](.+?)["']""")
EXPLORER = "strides_explorer"
NEEDS_KERNEL = "This needs Python: open the lesson in JupyterLab, and run the cell."
ALONE = (
    "On this page, you can combine i and j, but each of the other sliders moves alone. "
    "In JupyterLab, you can combine them all."
)
PICTURES = (
    "application/x-pictures+json"  # beside an output: {name: SVG text} that it loads
)


def for_the_page(nb):
    """Return a notebook that has run, with the outputs that its page shows."""
    nb = copy.deepcopy(nb)
    states = nb.metadata.pop("widgets", {}).get(STATES, {}).get("state", {})
    for cell in nb.cells:
        if cell.cell_type != "code":
            continue
        graded = "nbgrader" in cell.metadata
        # What a check says before anything is written says nothing.
        cell.outputs = [] if graded else [
            shown_as(output, states, cell.source) for output in cell.outputs
        ]  # fmt: skip
        if any("image/png" in output.get("data", ()) for output in cell.outputs):
            cell.metadata["mystnb"] = {"image": {"alt": description(cell.source)}}
        if cell.metadata.get("jupyter", {}).get("source_hidden"):
            cell.metadata["tags"] = ["hide-input"]
    return nb


def shown_as(output, states, source):
    """The output that stands in for this one."""
    if VIEW not in output.get("data", ()):
        return output
    state = states.get(output.data[VIEW]["model_id"], {}).get("state", {})
    name = state.get("_anywidget_id", "").rpartition(".")[2].removesuffix("Widget")
    sizes, pictures = shape_of_explorer(source), {}
    if "data" in state:
        kept = {key: state[key] for key in ("data", "still")}
        html = widget(name.lower(), kept)
    elif sizes:
        data, pictures = explorer(sizes)
        html = widget("explorer", data) + f"<p>{escape(ALONE)}</p>"
    else:
        html = f'<p class="needs-kernel">{escape(NEEDS_KERNEL)}</p>'
    data = {"text/html": html, PICTURES: pictures}
    return nbformat.v4.new_output("display_data", data)


def widget(name, data):
    """The HTML of a widget that has all its data, for site.js."""
    text = json.dumps(data, ensure_ascii=False).replace("</", "<\\/")
    return (
        f'<div class="minigrad-widget" data-widget="{name}">'
        f'<script type="application/json">{text}</script></div>'
    )


# ---------------------------------------------------------------- the strides explorer


def shape_of_explorer(source):
    """The shape that a cell calls strides_explorer with; None without such a call."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == EXPLORER:
            return [size.value for size in node.args]
    return None


def explorer(shape):
    """(data, pictures) of the sliders: every index, and each other slider alone.

    data: the sliders' names, least, greatest, and first values, and for each of their
    positions that has one, the name of its picture and its words.
    """
    model = viz.strides_explorer(*shape)
    sliders = model.panel.all()
    first = tuple(slider.value for slider in sliders)
    ends = [(slider.min, slider.max) for slider in sliders]
    dims = len(shape)
    places = [
        (*index, *first[dims:]) for index in itertools.product(*map(range, shape))
    ]
    for at in range(dims, len(first)):
        low, high = ends[at]
        places += [(*first[:at], n, *first[at + 1 :]) for n in range(low, high + 1)]
    shown, pictures = {}, {}
    for place in dict.fromkeys(places):
        rows = [place[dims * i : dims * (i + 1)] for i in range(3)]
        model.read(*rows, place[-1])
        picture = model.picture()
        key = ",".join(map(str, place))
        name = f"explorer-{'-'.join(map(str, (*shape, *place)))}.svg"
        shown[key], pictures[name] = [name, picture.alt], picture.svg()
    names = [*NAMES[:dims], *["size"] * dims, *["stride"] * dims, "offset"]
    data = {"names": names, "ends": ends, "first": first, "shown": shown}
    return data, pictures


def description(source):
    """A plot in words: its title."""
    title = TITLE.search(source)
    return title[1] if title else "The plot that the code above draws."
