"""A course, its JupyterLab as `make lab` starts it, and headless Chromium on it."""

import contextlib
import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from datetime import UTC, datetime, timedelta
from pathlib import Path

import nbformat

from minigrad import course

FLAGS = ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"]
TOKEN = "a-token-for-tests"
SECONDS = 120


def chromium():
    """The path of a Chromium or Chrome on this machine, or None."""
    names = "chromium", "chromium-browser", "google-chrome"
    return next(filter(None, map(shutil.which, names)), None)


def copy_course(folder):
    """A copy of the course as git would clone it: the learner's own is not touched."""
    folder = Path(folder) / "course"
    skip = shutil.ignore_patterns(
        ".git", ".venv*", "work", "START.ipynb", "__pycache__", "*.egg-info", ".*_cache"
    )
    shutil.copytree(course.home(), folder, ignore=skip)
    return folder


def commit(folder):
    git(folder, "add", "-A")
    who = ["-c", "user.name=Teacher", "-c", "user.email=teacher@example.org"]
    git(folder, *who, "commit", "-q", "-m", "course")


def git(folder, *words):
    nothing = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    run = subprocess.run(
        ["git", *words], cwd=folder, env=os.environ | nothing, capture_output=True
    )
    assert run.returncode == 0, run.stderr.decode()
    return run.stdout.decode()


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Server:
    """A JupyterLab on the course in `home`, as `make lab BROWSER=no` starts it."""

    def __init__(self, home, scratch, command=None):
        self.home, self.port = Path(home), free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        scratch = Path(scratch)
        folders = {f"JUPYTER_{kind}_DIR": str(scratch / kind.lower())
                   for kind in ("CONFIG", "DATA", "RUNTIME")}  # fmt: skip
        self.environment = os.environ | folders | {
            "JUPYTER_TOKEN": TOKEN,
            "JUPYTERLAB_WORKSPACES_DIR": str(scratch / "workspaces"),
            "PYTHONPATH": str(self.home),
        }  # fmt: skip
        lab = [sys.executable, "-m", "minigrad", "lab", "--no-browser"]
        self.command = command or [*lab, "--port", str(self.port)]
        self.log = scratch / "server.log"

    def __enter__(self):
        self.log.parent.mkdir(parents=True, exist_ok=True)
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                self.command,
                cwd=self.home,
                env=self.environment,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        self._wait(lambda: self.get("/api/status") is not None, "the server answers")
        return self

    def __exit__(self, *error):
        os.killpg(self.process.pid, 15)
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, 9)

    def get(self, path, data=None, seconds=5):
        """The JSON that the server answers, or None if it does not. data: to post."""
        request = urllib.request.Request(self.url + path, data)
        request.add_header("Authorization", f"token {TOKEN}")
        try:
            with urllib.request.urlopen(request, timeout=seconds) as reply:
                return json.load(reply)
        except (urllib.error.URLError, OSError, ValueError):
            return None

    def wait_for_kernel(self, path, seconds=0):
        """Until a notebook's kernel is idle, for so long, and a page listens to it."""

        def ready():
            sessions = self.get("/api/sessions") or []
            kernels = [s["kernel"] for s in sessions if s["path"] == path]
            before = datetime.now(UTC) - timedelta(seconds=seconds)
            return any(
                k["execution_state"] == "idle"
                and k["connections"]
                and datetime.fromisoformat(k["last_activity"]) <= before
                for k in kernels
            )

        self._wait(ready, "the kernel is ready")
        time.sleep(0.5)  # a kernel that has just been asked to run is idle for a moment

    def _wait(self, condition, what):
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            if self.process.poll() is not None:
                break
            if condition():
                return
            time.sleep(0.2)
        raise TimeoutError(f"not so after {SECONDS} s: {what}\n{self.log.read_text()}")


@contextlib.contextmanager
def browser(width=1400, height=1000):
    """A page of headless Chromium."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        context = playwright.chromium.launch_persistent_context(
            "",  # a profile of its own: there JupyterLab's scripts stay compiled
            executable_path=chromium(),
            args=FLAGS,
            viewport={"width": width, "height": height},
        )
        context.set_default_timeout(SECONDS * 1000)
        yield context.new_page()
        context.close()


def new_notebook(server, name, *texts):
    """Write a notebook of these cells into the course's folder."""
    spec = {"name": "python3", "display_name": "Python 3", "language": "python"}
    notebook = nbformat.v4.new_notebook(metadata={"kernelspec": spec})
    notebook.cells = [nbformat.v4.new_code_cell(text) for text in texts]
    nbformat.write(notebook, server.home / name)


class Notebook:
    """A notebook that is open in JupyterLab. complaints: errors of the page."""

    def __init__(self, server, page, path):
        self.server, self.page, self.path = server, page, path
        self.complaints = []
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.goto(f"{server.url}/lab/tree/{path}?token={TOKEN}&reset")
        page.wait_for_selector(".jp-NotebookPanel .jp-Cell")
        self.wait()

    def wait(self):
        """Until the kernel has done all it was asked."""
        self.server.wait_for_kernel(self.path)

    def run_all(self):
        """Run every cell, and wait until the last has run."""
        self.page.click('.lm-MenuBar-itemLabel:text-is("Run")')
        self.page.click('.lm-Menu-itemLabel:text-is("Run All Cells")')
        self.server.wait_for_kernel(self.path, seconds=3)  # idle between cells, too

    def save(self):
        """Save the notebook; return it as the file has it, with every cell run."""
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            self.page.keyboard.press("Control+s")
            self.page.wait_for_timeout(1000)
            saved = nbformat.read(self.server.home / self.path, nbformat.NO_CONVERT)
            code = [c for c in saved.cells if c.cell_type == "code" and c.source]
            if all(cell.execution_count for cell in code):
                return saved
        raise TimeoutError(f"not every cell of {self.path} has run after {SECONDS} s")

    def cell(self, text):
        """The first code cell whose text contains `text`, scrolled into view."""
        self.page.evaluate(
            """text => {
                const panel = document.querySelector('.jp-NotebookPanel');
                const cells = [...panel.querySelectorAll('.jp-CodeCell')];
                const found = cells.find(
                    c => c.querySelector('.jp-InputArea')?.textContent.includes(text));
                if (found) found.scrollIntoView({block: 'center'});
            }""",
            text,
        )
        area = self.page.locator(".jp-InputArea", has_text=text)
        return self.page.locator(".jp-CodeCell", has=area).first

    def write(self, cell, text):
        """Replace a cell's text, as a learner who types it."""
        cell.locator(".cm-content").click()
        self.page.keyboard.press("Control+a")
        self.page.keyboard.insert_text(text)

    def run(self, cell):
        """Run one cell; return what it shows."""
        cell.locator(".jp-InputPrompt").click()
        self.page.keyboard.press("Control+Enter")
        self.page.wait_for_timeout(500)
        self.wait()
        return cell.locator(".jp-OutputArea").inner_text()
