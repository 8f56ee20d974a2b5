"""Run the course's notebooks on the CPU and in the simulator, each once per change."""

import hashlib
import os
import tempfile
from pathlib import Path

import nbformat
import outputs
from nbclient import NotebookClient

from grading.notebooks import build
from minigrad import course

# What a notebook's outputs depend on besides its own text.
FOLDERS = "minigrad", "grading", "cudasim"
OTHERS = {"__pycache__", "tests", "build", "benchmarks", "cli", "export", "classroom"}
SECONDS = 900
QUIET = ["--IPKernelApp.log_level=ERROR"]  # of how its sockets are protected


def run(folder):
    """Return {"lessons/03_strides": its notebook with outputs} of the whole course.

    folder: where notebooks with outputs are kept. One that's there already isn't run
    again as long as its text and the library are the same.
    """
    folder.mkdir(parents=True, exist_ok=True)
    library, results = digest_of_library(), {}
    for text, target in build.sources():
        name = f"{target.parent.name}/{target.stem}"
        results[name] = kept(build.notebook(text, solved=False), name, library, folder)
    return results


def kept(nb, name, library, folder):
    """The notebook with its outputs: read, if it ran before, or run now."""
    stem = name.replace("/", "-")
    digest = hashlib.sha256(f"{library} {build.dumps(nb)}".encode()).hexdigest()[:16]
    path = folder / f"{stem}-{digest}.ipynb"
    if not path.exists():
        for old in folder.glob(f"{stem}-{'?' * 16}.ipynb"):
            old.unlink()
        print(f"running {name}", flush=True)
        unfinished = path.with_suffix(".tmp")
        nbformat.write(outputs.for_the_page(outputs_of(nb)), unfinished)
        unfinished.replace(path)
    return nbformat.read(path, as_version=4)


def outputs_of(nb):
    """Run a notebook in an empty folder, where no GPU is seen."""
    with tempfile.TemporaryDirectory() as folder:
        resources = {"metadata": {"path": folder}}
        client = NotebookClient(
            nb, timeout=SECONDS, resources=resources, extra_arguments=QUIET
        )
        return client.execute(env=os.environ | {"CUDA_VISIBLE_DEVICES": ""})


def digest_of_library():
    """A digest of all files that the course's packages consist of."""
    whole = hashlib.sha256(Path(outputs.__file__).read_bytes())
    for folder in FOLDERS:
        for path in sorted((course.home() / folder).rglob("*")):
            inside = path.relative_to(course.home())
            if path.is_file() and not OTHERS & {*inside.parts}:
                whole.update(f"{inside}\0".encode() + path.read_bytes())
    return whole.hexdigest()


def in_order(kind):
    """The names of the lessons, or of the labs, of each chapter that's there."""
    for chapter in course.CHAPTERS:
        names = chapter.lessons if kind == "lessons" else [chapter.name]
        home = course.home() / kind
        yield chapter, [n for n in names if Path(home / f"{n}.ipynb").exists()]
