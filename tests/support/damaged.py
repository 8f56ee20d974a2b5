"""Right answers in notebooks, or beside code, that a grader could stumble over."""

import json
import re

from altered import added, cell, edited, solved


def minor_4_with_ids():
    """As some programs save: ids, which this version of the format does not have."""
    return solved() | {"nbformat_minor": 4}


def no_outputs():
    nb = solved()
    del cell(nb, "permute")["outputs"], cell(nb, "expand")["execution_count"]
    return nb


def unknown_properties():
    nb = solved()
    cell(nb, "permute")["collapsed"] = True
    nb["cells"][0]["outputs"] = []
    cell(nb, "expand")["outputs"] = [{"output_type": "stream", "text": "x"}]
    return nb


def no_metadata():
    nb = solved()
    for one in nb["cells"]:
        del one["metadata"]
    del nb["metadata"]
    return nb


def byte_order_mark():
    return b"\xef\xbb\xbf" + json.dumps(solved()).encode()


def odd_marks():
    """Metadata that the format allows and that says nothing we could use."""
    nb = solved()
    nb["metadata"]["minigrad"] = {"not_gradable": ["so I say"], "texts_only": 1}
    for one, marks in zip(
        nb["cells"], ["x", {"grade_id": ["y"]}, 3] * 99, strict=False
    ):
        one["metadata"] = {"nbgrader": marks, "minigrad": marks}
    return nb


def forks_in_a_cell():
    return added(solved(), "import os\nfor _ in range(3):\n    os.fork()")


def writes_to_every_file():
    text = (
        "import os\nfor n in range(3, 99):\n    try:\n        os.write(n, b'x' * 99)\n"
    )
    return added(solved(), text + "    except OSError:\n        pass")


def closes_every_file():
    return added(solved(), "import os\nos.closerange(0, 99)")


def large():
    nb = added(solved(), "print('x' * 30 * 2**20)")
    text = {"output_type": "stream", "name": "stdout", "text": "x" * (30 * 2**20)}
    cell(nb, "scratch")["outputs"] = [text]
    return nb


def lone_surrogates():
    """Half of a character, as a broken emoji leaves it: in texts, outputs, answers."""
    nb = added(solved(), "half = '\ud83d'  # \ud83d")
    text = {"output_type": "stream", "name": "stdout", "text": "\ud83d"}
    cell(nb, "scratch")["outputs"] = [text]
    nb["cells"][0]["source"] += "\ud83d"
    cell(nb, "permute")["source"] += "  # \ud83d"
    return nb


def windows_line_ends():
    nb = solved()
    for one in nb["cells"]:
        one["source"] = one["source"].replace("\n", "\r\n")
    return json.dumps(nb, indent=1).replace("\n", "\r\n").encode()


def jupyterlab():
    """As it saves a notebook that was run: counts, times, outputs, folded cells."""
    nb = solved()
    png = {"image/png": "iVBORw0KGgo=", "text/plain": "<Figure size 640x480>"}
    shown = {"output_type": "display_data", "data": png, "metadata": {}}
    warned = {"output_type": "stream", "name": "stderr", "text": ["careful\n"]}
    for n, one in enumerate(nb["cells"]):
        one["metadata"] |= {"jupyter": {"source_hidden": True}, "trusted": True}
        one["source"] = one["source"].splitlines(keepends=True)
        if one["cell_type"] == "code":
            one["metadata"]["execution"] = {"iopub.status.busy": "2026-01-01T10:00:00Z"}
            one |= {"execution_count": 99 - n, "outputs": [warned, shown]}
    language = {"name": "python", "version": "3.12.1", "file_extension": ".py"}
    nb["metadata"] |= {"language_info": language, "widgets": {}}
    return nb


def run_out_of_order():
    """A cell that needs a later one, in which it was run first."""
    nb = added(solved(), "LAST = -1", after="offset_of")
    body = "STEP = LAST + 2\n{old}"
    return edited(nb, "contiguous_strides", body)


def latin_1():
    nb = added(solved(), "# Lösung von Zoë")
    return json.dumps(nb, ensure_ascii=False).encode("latin-1", "replace")


def utf_16_without_a_mark():
    nb = added(solved(), "# Lösung von Zoë")
    return json.dumps(nb, ensure_ascii=False).encode("utf-16-le")


def zero_bytes_at_the_end():
    return json.dumps(solved()).encode() + bytes(4096)


def solves_written_in_other_ways():
    nb = added(solved(), "import minigrad as m\nfrom minigrad import solves as mine")
    heads = {"offset_of": "@ solves (offset_of)",
             "permute": "@m.solves(Tensor.permute)",
             "expand": "@mine(Tensor.expand)", "index_of": "@(solves)(index_of)",
             "transpose": "@solves(\n    Tensor.transpose,\n)"}  # fmt: skip
    for name, head in heads.items():
        one = cell(nb, name)
        one["source"] = re.sub(r"(?m)^@solves\(.*\)$", head, one["source"])
        assert head in one["source"]
    return nb


def numbers_of_all_sizes():
    nb = solved()
    for one in nb["cells"]:
        one["metadata"]["executionInfo"] = {"timestamp": 10**400, "elapsed": -(10**99)}
    return nb


RIGHT = [
    minor_4_with_ids, no_outputs, unknown_properties, no_metadata, byte_order_mark,
    odd_marks, forks_in_a_cell, writes_to_every_file,
    closes_every_file, large, lone_surrogates, windows_line_ends, jupyterlab,
    run_out_of_order, latin_1, utf_16_without_a_mark, zero_bytes_at_the_end,
    solves_written_in_other_ways, numbers_of_all_sizes,
]  # fmt: skip
