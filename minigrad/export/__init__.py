"""`minigrad export DIR`: the completed package, to take home.

Each exercise becomes the learner's own function, or the course's solution if there is
none. The result needs no notebook and nothing of the course.
"""

import hashlib
import importlib.util
import itertools
import json
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

import cudasim

from .. import __version__, course
from ..exercises.answers import answers_from
from ..exercises.registry import exercises
from . import texts
from .assemble import HERE, assembled
from .tests import tests

LEFT_BY_TOOLS = {"__pycache__", ".pytest_cache", ".ruff_cache", ".hypothesis"}

IMPORT_ALL = """
import importlib, pathlib, pkgutil, sys
sys.path.insert(0, ".")
import minigrad
for module in pkgutil.walk_packages(minigrad.__path__, "minigrad."):
    importlib.import_module(module.name)
assert pathlib.Path(minigrad.__file__).is_relative_to(pathlib.Path.cwd())
"""


class CannotExport(ValueError):
    """The package cannot be written; nothing was changed."""


def export(directory, force=False):
    """Write the package with the learner's answers to a folder; return its path.

    A folder that is not empty is replaced only if it is an earlier export that nobody
    has changed. With `force` any is replaced, and kept beside it as `<name>.old`.
    """
    target = Path(directory).expanduser().resolve()
    check_target(target, force)
    check_course(target)
    if importlib.util.find_spec("ruff") is None:
        raise CannotExport("ruff formats the files, and is missing: pip install ruff")
    answers_from("labs")
    files = assembled()
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".minigrad-", dir=target.parent) as folder:
        new = Path(folder) / "new"
        write(files, new)
        old = move(new, target)
    print(f"Exported to {target}. {whose()}")
    if old:
        print(f"What was there is now in {old}.")
    return target


def check_course(target):
    """Raise unless the course is here, and a folder can be made beside the target."""
    if not (course.home() / "solutions").is_dir():
        raise CannotExport(
            f"there are no labs and solutions in {course.home()}: minigrad was "
            "installed without its course. Clone the repository, and export from there"
        )
    there = next(place for place in target.parents if place.exists())
    try:
        tempfile.TemporaryDirectory(prefix=".minigrad-", dir=there).cleanup()
    except OSError as error:
        raise CannotExport(
            f"{there} cannot be written to ({error.strerror}): choose a folder of your "
            "own"
        ) from None


def check_target(target, force):
    """Raise unless `target` may be written, or replaced."""
    if not target.exists():
        return
    if not target.is_dir():
        raise CannotExport(f"{target} is a file: choose a new folder")
    if any(place.is_relative_to(target) for place in (course.home(), Path.cwd())):
        raise CannotExport(f"{target} holds the course, or you: choose a new folder")
    if force or is_untouched(target) or not any(target.iterdir()):
        return
    what = "is not empty, and no earlier export"
    if digest_noted(target):
        what = "was changed since it was exported"
    raise CannotExport(
        f"{target} {what}. Choose a new folder, or use --force: then what is there is "
        f"kept beside it, as {target.name}.old"
    )


def is_untouched(folder):
    """Is this an earlier export, and still as it was?"""
    return digest_noted(folder) == digest(folder)


def digest_noted(folder):
    """The digest in an exported folder's pyproject.toml; None if it is none."""
    try:
        with open(folder / "pyproject.toml", "rb") as file:
            return tomllib.load(file)["tool"]["minigrad-export"]["sha256"]
    except (OSError, ValueError, KeyError, TypeError):
        return None


def digest(folder):
    """One hash of all files but pyproject.toml, by name and content."""
    hashed = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        inner = path.relative_to(folder)
        left = LEFT_BY_TOOLS & set(inner.parts)
        if path.is_file() and not left and inner.name != "pyproject.toml":
            content = hashlib.sha256(path.read_bytes()).hexdigest()
            hashed.update(f"{inner.as_posix()} {content}\n".encode())
    return hashed.hexdigest()


def write(files, folder):
    """Write all into a new folder, formatted, and see that it can be imported."""
    for path, text in files.items():
        put(folder / "minigrad" / path, text)
    for path in itertools.chain.from_iterable(map(HERE.glob, texts.DATA)):
        there = folder / "minigrad" / path.relative_to(HERE)
        if path.is_file() and not there.exists():
            there.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, there)
    for path, file in simulator():
        (folder / "cudasim" / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, folder / "cudasim" / path)
    for path, text in tests(files).items():
        put(folder / "tests" / path, text)
    put(folder / "tests" / "conftest.py", texts.CONFTEST)
    script = (course.home() / "examples/train_mnist.py").read_text(encoding="utf-8")
    put(folder / "train_mnist.py", re.sub(r"(?m)^.*answers_from.*\n", "", script))
    licence = course.home() / "LICENSE"
    if licence.is_file():
        put(folder / "LICENSE", licence.read_text(encoding="utf-8"))
    note = texts.LICENCE if licence.is_file() else ""
    put(folder / "README.md", texts.README.format(rows=rows(), licence=note))
    put_project(folder, "")  # its settings are ruff's, too
    ruff = [sys.executable, "-m", "ruff"]
    check([*ruff, "check", "--fix", "--quiet", "--no-cache", "."], folder)
    check([*ruff, "format", "--quiet", "--no-cache", "."], folder)
    check([sys.executable, "-I", "-B", "-c", IMPORT_ALL], folder)
    put_project(folder, digest(folder))


def simulator():
    """(path in the package, file) of cudasim, but for its command."""
    home = Path(cudasim.__file__).parent
    rooms = {path.parent for path in home.rglob("__init__.py")}
    rooms = [r for r in rooms if not r.is_relative_to(home / "cli")]
    rooms = [r for r in rooms if not r.is_relative_to(home / "tests")]
    files = [path for room in rooms for path in room.glob("*.py")]
    files += [*home.glob("headers/**/*"), *home.glob("native/*.h")]
    left = home / "__main__.py"
    return [(p.relative_to(home), p) for p in files if p.is_file() and p != left]


def put(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def put_project(folder, digest):
    put(
        folder / "pyproject.toml",
        texts.PYPROJECT.format(
            version=__version__, digest=digest, data=json.dumps(texts.DATA)
        ),
    )


def check(command, folder):
    """Run a command in the folder; raise with what it says if it fails."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if done.returncode:
        raise CannotExport(
            "the package would not work, so nothing was written. Fix the answer that "
            f"this names, in its notebook:\n{done.stdout}{done.stderr}"
        )


def move(new, target):
    """Put the new folder in the target's place; return where the old one is kept."""
    if not target.exists():
        new.rename(target)
        return None
    spare = is_untouched(target) or not any(target.iterdir())
    old = new.with_name("old") if spare else free_name(target)
    target.rename(old)
    try:
        new.rename(target)
    except OSError:
        old.rename(target)
        raise
    return None if spare else old


def free_name(target):
    """`name.old`, or `name.old-2` and so on where there is one."""
    names = itertools.chain([".old"], (f".old-{n}" for n in itertools.count(2)))
    paths = (target.with_name(target.name + name) for name in names)
    return next(path for path in paths if not path.exists())


def rows():
    """The README's table: every function, where it is, and whose."""
    return "\n".join(
        f"| `{exercise.form()}` | {exercise.__module__} | {author(exercise)} |"
        for *_, exercise in exercises()
    )


def author(exercise):
    return "the course's solution" if exercise.answer.from_solutions else "own"


def whose():
    """One sentence that says how many answers are the learner's."""
    every = [entry.exercise.answer for entry in exercises()]
    own = sum(not answer.from_solutions for answer in every)
    return f"{own} of {len(every)} exercises are your own answers: see its README.md."
