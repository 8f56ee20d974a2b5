"""Runs docs/walkthrough.md: `python docs/walkthrough.py [--write]`.

The blocks ```sh are run by a shell in an empty folder, one after the other, and what
they print must be the block ```text below; --write makes it so, and takes the pictures.
"""

import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

HOME = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(HOME), str(HOME / "tests/support")]
sys.modules.setdefault("rfc3987_syntax", None)  # see grading/notebooks

from altered import LAB, cell, empty, restyled, solved  # noqa: E402
from lab_server import TOKEN, Server, browser  # noqa: E402

PAGE = HOME / "docs" / "walkthrough.md"
BLOCK = re.compile(r"^```sh\n(.*?)^```\n(?:\n```text\n.*?^```\n)?", re.M | re.S)
SHELL = """set -euo pipefail
grading() { {python} -m grading "$@"; }
nbgrader() { {python} -m nbgrader "$@"; }
"""
NAMES = """id,first_name,last_name
ada,Ada,Lovelace
barbara,Barbara,Liskov
charles,Charles,Babbage
dorothy,Dorothy,Vaughan
edsger,Edsger,Dijkstra
frances,Frances,Allen
grace,Grace,Hopper
hedy,Hedy,Lamarr
ida,Ida,Rhodes
konrad,Konrad,Zuse
"""


def half():
    """The lab of a student who has come to the middle."""
    nb, blank = solved(), empty()
    for mine, theirs in list(zip(nb["cells"], blank["cells"], strict=False))[28:]:
        mine["source"] = theirs["source"]
    return nb


def students():
    """{name: the bytes of what was handed in}"""
    labs = {
        "ada": solved(),
        "barbara": restyled(0, wrong=False),
        "charles": half(),
        "dorothy": restyled(1, wrong=False),
        "edsger": restyled(0, wrong=True),
        "frances": restyled(1, wrong=True),
        "grace": solved(),
        "hedy": restyled(1, wrong=True),
        "ida": empty(),
    }
    permute = cell(labs["edsger"], "permute")["source"]
    cell(labs["grace"], "permute")["source"] = permute
    notebooks = {name: json.dumps(nb).encode() for name, nb in labs.items()}
    return notebooks | {"konrad": notebooks["ada"][:5000]}


def filled(text, folder):
    """The page with what its commands print now, run in this folder."""
    (folder / "students.csv").write_text(NAMES, encoding="utf-8")
    with zipfile.ZipFile(folder / "submissions.zip", "w") as archive:
        for name, data in students().items():
            when = zipfile.ZipInfo(f"{LAB}_{name}.ipynb", (2026, 3, 2, 10, 0, 0))
            archive.writestr(when, data)
    start = SHELL.replace("{python}", shlex.quote(sys.executable))
    environment = os.environ | {"PYTHONPATH": str(HOME), "COLUMNS": "96"}

    def printed(match):
        done = subprocess.run(
            ["bash", "-c", start + match[1]],
            cwd=folder, env=environment, text=True, check=True,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        lines = [x.rstrip() for x in _plain(done.stdout, folder).splitlines()]
        bars = [x for x in lines if "━━" in x and x[0] not in "┏┡"]
        shown = "\n".join(x for x in lines if x not in bars)
        block = f"```sh\n{match[1]}```\n"
        return f"{block}\n```text\n{shown}\n```\n" if shown else block

    return BLOCK.sub(printed, text)


def _plain(text, folder):
    """Without the folder's path, and the mark that a table begins with."""
    return text.replace(f"{folder}/", "").replace("\ufeff", "")


def pictures(folder, to):
    """Take the page's pictures of the class in a folder."""
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root"]
    server = Server(folder / "class", folder / "jupyter")
    server.command = [*command, f"--port={server.port}"]
    server.environment["PYTHONPATH"] = str(HOME)
    with server, browser() as page:
        formgrader(server, page, to)
    with browser(1100, 900) as page:
        page.goto((folder / f"class/feedback/grace/{LAB}/{LAB}.html").as_uri())
        page.screenshot(path=to / "feedback.png")
        page.click("td code:text-is('permute')")
        page.screenshot(path=to / "feedback_check.png")
        page.goto((folder / "class/report.html").as_uri())
        page.screenshot(path=to / "report.png")
        at(page, "h3")
        page.screenshot(path=to / "report_mistakes.png")


def formgrader(server, page, to):
    page.set_viewport_size({"width": 1400, "height": 640})
    page.goto(f"{server.url}/lab?token={TOKEN}")  # this page takes the token, for all
    page.goto(f"{server.url}/formgrader/manage_submissions/{LAB}")
    page.wait_for_selector("tbody tr td:nth-child(2)")
    page.wait_for_timeout(1000)
    page.screenshot(path=to / "formgrader.png")
    page.goto(f"{server.url}/formgrader/manage_students/grace/{LAB}")
    page.click("tbody tr td a")
    page.wait_for_selector(".points")
    page.wait_for_timeout(1500)  # formgrader goes to its first field by then
    page.locator(".points", has_text="permute: ").first.evaluate(
        "e => { e.scrollIntoView(); scrollBy(0, -360) }"
    )
    page.wait_for_timeout(500)
    page.screenshot(path=to / "formgrader_exercise.png")


def at(page, selector):
    """Bring what is selected to the top."""
    page.locator(selector).first.evaluate("e => e.scrollIntoView()")
    page.wait_for_timeout(500)


def main(arguments):
    """Say whether the page is what is printed, or make it so; 1 where it is not."""
    old = PAGE.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        new = filled(old, Path(folder))
        if "--write" in arguments:
            PAGE.write_text(new, encoding="utf-8")
            pictures(Path(folder), HOME / "docs" / "img")
            return 0
    print("as it is printed" if new == old else "stale: run it with --write")
    return int(new != old)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
