"""The project's files agree with each other, and speak of nothing but the project."""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version
from table import table

import minigrad
from docs import printed
from minigrad.export import texts

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
CUDASIM = tomllib.loads((ROOT / "cudasim" / "pyproject.toml").read_text())
EXTRAS = PROJECT["project"]["optional-dependencies"]
NVIDIA = {"cuda-toolkit", "nvidia-cuda-nvrtc-cu12", "nvidia-cuda-runtime-cu12"}


def read(name):
    return (ROOT / name).read_text(encoding="utf-8")


def requirements():
    """What the two packages need, but for each other."""
    both = PROJECT["project"], CUDASIM["project"]
    groups = [g for p in both for g in p["optional-dependencies"].values()]
    groups += [project["dependencies"] for project in both]
    texts = dict.fromkeys(text for group in groups for text in group)
    return [Requirement(text) for text in texts if text != "cudasim"]


def constraints():
    lines = [line for line in read("constraints.txt").splitlines() if line[:1] != "#"]
    pins = [line.partition("==") for line in lines]
    return {canonicalize_name(name): Version(version) for name, _, version in pins}


def environment():
    return yaml.safe_load(read("environment.yml"))["dependencies"]


def tracked():
    """Every text file that belongs to the project."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    try:
        run = subprocess.run(command, cwd=ROOT, capture_output=True)
    except FileNotFoundError:
        pytest.skip("git is not installed")
    if run.returncode:
        pytest.skip("this is not a clone")
    names = set(run.stdout.decode().split("\0")) - {""}
    paths = [ROOT / name for name in sorted(names)]
    binary = {".png", ".gz", ".npz", ".db"}
    return [p for p in paths if p.is_file() and p.suffix not in binary]


# Versions


@table("needed", requirements())
def test_every_dependency_has_a_tested_version_in_its_range(needed):
    name = canonicalize_name(needed.name)
    if name in NVIDIA:  # pinned by torch's wheels, by each build in another way
        assert name not in constraints()
        return
    assert name in constraints()
    assert constraints()[name] in needed.specifier


def test_constraints_name_versions_and_nothing_of_one_machine():
    for line in read("constraints.txt").splitlines():
        assert re.fullmatch(r"#.*|[\w.-]+==[\w.]+", line), line
    assert not any(version.local for version in constraints().values())


def test_a_package_has_the_same_range_in_every_extra():
    ranges = {}
    for needed in requirements():
        ranges.setdefault(needed.name, set()).add(str(needed.specifier))
    assert {name: r for name, r in ranges.items() if len(r) > 1} == {}


def test_the_version_is_the_same_everywhere():
    version = minigrad.__version__
    assert yaml.safe_load(read("CITATION.cff"))["version"] == version
    assert re.search(r"^## (\S+)", read("CHANGELOG.md"), flags=re.M)[1] == version
    assert PROJECT["tool"]["minigrad"]["tag"] == f"v{version}"


def test_the_repository_has_one_address():
    address = PROJECT["tool"]["minigrad"]["repository"]
    assert yaml.safe_load(read("CITATION.cff"))["repository-code"] == address
    assert f"git clone {address} " in read("README.md")


# Extras and conda


def test_the_extras_are_those_that_are_promised():
    promised = {"lab", "torch", "cuda12", "cuda13", "grade", "bench", "test"}
    promised |= {"cluster", "frameworks", "site"}
    assert set(EXTRAS) == promised


def test_conda_installs_python_pip_and_the_package_alone():
    *conda, last = environment()
    assert [re.match(r"\w+", entry)[0] for entry in conda] == ["python", "pip"]
    assert last["pip"][0] == "-c constraints.txt"
    simulator, package = last["pip"][1:]
    assert simulator == "-e ./cudasim"
    assert set(extras_of(package)) <= set(EXTRAS)


def test_conda_has_the_python_that_pyproject_asks_for():
    lower, upper = environment()[0].removeprefix("python").split(",")
    assert lower == PROJECT["project"]["requires-python"]
    named = [c.rpartition(" ")[2] for c in PROJECT["project"]["classifiers"]]
    minors = [int(v.removeprefix("3.")) for v in named if re.fullmatch(r"3\.\d+", v)]
    assert lower == f">=3.{min(minors)}"
    assert upper == f"<3.{max(minors) + 1}"


def test_conda_installs_what_make_does_and_the_frameworks():
    from minigrad.cli import install

    conda = extras_of(environment()[-1]["pip"][2])
    assert conda == [*install.EXTRAS["lab"], "frameworks"]
    assert set(install.EXTRAS["test"]) <= set(EXTRAS)


def extras_of(text):
    return re.search(r"\[(.*)\]", text)[1].split(",")


# Commands


def test_every_make_command_of_the_texts_exists():
    targets = set(re.findall(r"^([a-z]+):", read("Makefile"), flags=re.M))
    texts = read("README.md") + read("CONTRIBUTING.md") + read(".ci/run")
    named = set(re.findall(r"`make ([a-z]+)|^make ([a-z]+)", texts, flags=re.M))
    asked = {first or second for first, second in named}
    assert asked
    assert asked <= targets


def test_every_minigrad_command_of_the_readme_exists():
    from minigrad.cli.commands import app

    commands = {command.callback.__name__ for command in app.registered_commands}
    asked = set(re.findall(r"bin/minigrad (\w+)|&& minigrad (\w+)", read("README.md")))
    asked = {first or second for first, second in asked}
    assert asked
    assert asked <= commands


def test_every_extra_of_the_readme_exists():
    asked = re.findall(r"'\.\[([\w,]+)\]'", read("README.md"))
    assert asked
    assert {extra for text in asked for extra in text.split(",")} <= set(EXTRAS)


def test_every_link_of_the_texts_leads_somewhere():
    names = "README", "CONTRIBUTING", "CHANGELOG", "cudasim/README"
    pages = [ROOT / f"{name}.md" for name in names]
    for folder in ("docs", "cudasim/docs"):
        pages += (ROOT / folder).rglob("*.md")
    for page in pages:
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text("utf-8")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_the_readme_says_which_chapters_are_there():
    there = sorted(path.stem[:2] for path in (ROOT / "labs").glob("*.ipynb"))
    first, last, names = re.search(
        r"\*\*Chapters (\d\d) to (\d\d) are available today:\*\* ([^.]*)\.",
        read("README.md"),
    ).groups()
    assert there == [f"{n:02}" for n in range(int(first), int(last) + 1)]
    stems = [path.stem[3:] for path in sorted((ROOT / "labs").glob("*.ipynb"))]
    assert re.findall(r"\w+_?\w*", names.replace(" and", "")) == stems


@pytest.mark.parametrize("page", printed.PAGES, ids=lambda page: page.name)
def test_what_a_document_prints_is_what_the_program_prints(page):
    text = page.read_text("utf-8")
    assert "```python" in text
    assert printed.filled(text) == text


def test_a_document_that_prints_something_else_is_found():
    text = "```python\nprint(1 + 1)\n```\n\n```text\n3\n```\n"
    assert printed.filled(text) == text.replace("3", "2")


def test_clean_keeps_what_learners_wrote():
    recipe = re.search(r"^clean:.*\n\t(.*)", read("Makefile"), flags=re.M)[1]
    assert "work" not in recipe


# What could not be tried


SKIPS = """
import pytest

@pytest.mark.parametrize("n", [1, 2])
def test_shared(n):
    pytest.skip("not run: browser test (no Chromium)")

@pytest.mark.parametrize("n", [1, 2])
def test_plain(n):
    pytest.skip("no GPU")
"""


@pytest.mark.slow
def test_what_was_not_run_is_named_once_before_the_closing_line(tmp_path):
    (tmp_path / "conftest.py").write_text(read("tests/conftest.py"))
    (tmp_path / "test_skips.py").write_text(SKIPS)
    places = ROOT, ROOT / "tests/support", ROOT / "cudasim/tests"
    places = os.pathsep.join(map(str, places))
    run = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            f"--rootdir={tmp_path}",
            "-p",
            "no:cacheprovider",
        ],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": places, "PYTEST_ADDOPTS": ""},
        capture_output=True,
        text=True,
    )
    *_, first, second, closing = run.stdout.splitlines()
    assert first == "not run: browser test (no Chromium)"
    assert second == "not run: test_skips.py::test_plain (no GPU)"
    assert "4 skipped" in closing


# What stands in no file

# Written in pieces, because this file is read as well.
HOSTS = [
    "\\bpypi\\." + "org",
    "python" + "hosted",
    "\\bnpmjs" + "\\.",
    "anaconda" + "\\.",
]
PLACES = [f"(?<=[ \\t\"'(=:])/{folder}/" for folder in ("home", "opt", "root", "work")]


def test_no_file_names_a_registry_or_a_place_on_one_machine():
    unwanted, guilty = re.compile("|".join(HOSTS + PLACES)), []
    for path in tracked():
        text = path.read_text(errors="replace")
        for found in unwanted.finditer(text):
            line = text.count("\n", 0, found.start()) + 1
            guilty.append(f"{path.relative_to(ROOT)}:{line}: {found[0]}")
    assert guilty == []


def test_what_learners_write_is_ignored_by_git():
    command = ["git", "check-ignore", "work/03_strides.ipynb", "START.ipynb"]
    tracked()  # skips where git is missing
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert run.stdout.split() == command[2:]


def test_every_file_beside_the_pictures_modules_is_shipped():
    package, kinds = ROOT / "minigrad", {".svg", ".js", ".css"}
    installed = PROJECT["tool"]["setuptools"]["package-data"]["minigrad"]
    files = {f for f in (package / "viz").rglob("*.*") if f.suffix in kinds}
    assert {f.suffix for f in files} == kinds
    for patterns in (installed, texts.DATA):
        assert files <= {f for glob in patterns for f in package.glob(glob)}
