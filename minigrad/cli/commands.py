"""The commands: lab, update, progress, export, doctor."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from minigrad import course

from . import start, work

app = typer.Typer(
    no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False
)


def run():
    """Run a command; an error that was foreseen is one message, not a traceback."""
    try:
        app()
    except (start.CannotStart, ValueError, OSError) as error:
        sys.exit(f"minigrad: {error}")


@app.callback()
def minigrad():
    """The minigrad course: learn how PyTorch works by writing it."""


@app.command()
def lab(port: int | None = None, browser: bool = True, dry_run: bool = False):
    """Open JupyterLab on the start page."""
    start.lab(port, browser, dry_run)


@app.command()
def update(chapters: Annotated[list[str] | None, typer.Argument()] = None):
    """Bring your copies of labs and lessons up to date; what you wrote comes along."""
    start.require_clone()
    names = [course.chapter(c).name for c in chapters or []]
    for name in names or dict.fromkeys(one.name for one in work.outdated()):
        print(start.update(name))
    if not chapters and not work.outdated():
        print("Every copy in work/ is up to date.")


@app.command()
def progress():
    """Show which exercises are solved."""
    print(start.progress())


@app.command()
def export(folder: Path, force: bool = False):
    """Write the package with your answers in its exercises to FOLDER."""
    from minigrad.export import export as write

    write(folder, force)


@app.command()
def doctor():
    """Say what is installed here, what is missing, and how to mend it."""
    from .doctor import doctor as look

    raise typer.Exit(look())
