"""Right answers in notebooks, or beside code, that a grader could stumble over."""

import json

from altered import added, cell, solved


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


RIGHT = [
    minor_4_with_ids, no_outputs, unknown_properties, no_metadata, byte_order_mark,
    odd_marks, forks_in_a_cell, writes_to_every_file,
    closes_every_file, large,
]  # fmt: skip
