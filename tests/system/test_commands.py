"""Every command line: what each option is for, and which version it is."""

import subprocess
import sys

import pytest
import typer
from typer.testing import CliRunner

import cudasim
import cudasim.cli.command
import grading.cli
import minigrad
import tools.audit.__main__
from minigrad import course
from minigrad.cli import commands, work

APPS = {
    "minigrad": commands.app,
    "grading": grading.cli.app,
    "audit": tools.audit.__main__.app,
    "cudasim": cudasim.cli.command.app,
}


def every_command(app):
    whole = typer.main.get_command(app)
    yield whole
    yield from getattr(whole, "commands", {}).values()


@pytest.mark.parametrize("name", APPS)
def test_each_parameter_says_what_it_is_for(name):
    parameters = [
        (command.name, parameter.name)
        for command in every_command(APPS[name])
        for parameter in command.params
        if not parameter.help
    ]
    assert not parameters


@pytest.mark.parametrize("name", APPS)
def test_a_list_of_commands_fits_a_terminal(name):
    _, *listed = every_command(APPS[name])
    room = 78 - 6 - max([len(command.name) for command in listed], default=0)
    assert not [c.name for c in listed if c.get_short_help_str(room).endswith("...")]


def test_without_a_command_there_is_a_next_step(course_home, write_notebook):
    ran = CliRunner().invoke(commands.app)
    assert ran.exit_code == 0
    assert ran.stdout.startswith("`minigrad lab` opens the course.\n")
    write_notebook(course_home / "labs/03_strides.ipynb", ("a", "markdown", "Lab"))
    work.make_copies()
    chapter = "chapter 03, A tensor is a storage and a way to read it"
    assert f"Continue with {chapter}: " in CliRunner().invoke(commands.app).stdout
    write_notebook(course_home / "labs/03_strides.ipynb", ("a", "markdown", "Lab 3"))
    assert "`minigrad update` renews" in CliRunner().invoke(commands.app).stdout
    shown = CliRunner().invoke(commands.app, ["progress"])
    assert shown.exit_code == 0 and "total" in shown.stdout
    assert chapter in " ".join(shown.stdout.split())


@pytest.mark.parametrize("module", [minigrad, grading, cudasim])
def test_the_version(module):
    words = [sys.executable, "-m", module.__name__, "--version"]
    ran = subprocess.run(words, capture_output=True, text=True, cwd=course.home())
    version = getattr(module, "__version__", minigrad.__version__)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout == f"{module.__name__} {version}\n"
