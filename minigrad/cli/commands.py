"""The commands: lab, update, progress, export, doctor."""

import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from minigrad import __version__, course

from . import start, work

# Help without boxes: those name a type for each switch, and are hard to copy from.
app = typer.Typer(
    add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None
)


def run():
    """Run a command; an error that was foreseen is one message, not a traceback."""
    try:
        app()
    except (start.CannotStart, ValueError, OSError) as error:
        sys.exit(f"minigrad: {error}")


def show_version(wanted: bool):
    if wanted:
        print(f"minigrad {__version__}")
        raise typer.Exit()


@app.callback(invoke_without_command=True)
def minigrad(
    context: typer.Context,
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=show_version, is_eager=True, help="Print the version."
        ),
    ] = False,
):
    """The minigrad course: learn how PyTorch works by writing it.

    Without a command, say what the next step is.
    """
    if context.invoked_subcommand is None:
        start.require_clone()
        print(start.progress().hint())
        if old := work.outdated():
            print(
                f"Copies of an earlier version of the course in work/: {len(old)}."
                " `minigrad update` renews them, with what you wrote."
            )
        print("`minigrad --help` lists all commands.")


@app.command()
def lab(
    port: Annotated[
        int | None,
        typer.Option(
            metavar="PORT",
            help=f"By default the first free one from {start.FIRST_PORT} on.",
        ),
    ] = None,
    browser: Annotated[
        bool, typer.Option(help="Open a browser, or only print the address.")
    ] = True,
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run", help="Make your copies, then only print how to start."
        ),
    ] = False,
):
    """Open JupyterLab on the start page."""
    start.lab(port, browser, dry_run)


@app.command()
def update(
    chapters: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="CHAPTER",
            help="Such as 03 or strides; all that have changed if none is given.",
        ),
    ] = None,
):
    """Renew your copies of labs and lessons, with what you wrote."""
    start.require_clone()
    names = [course.chapter(c).name for c in chapters or []]
    for name in names or dict.fromkeys(one.name for one in work.outdated()):
        print(start.update(name))
    if not chapters and not work.outdated():
        print("Every copy in work/ is up to date.")


@app.command()
def progress():
    """Show which exercises are solved, and where to go on."""
    start.require_clone()
    Console(highlight=False).print(start.progress())


@app.command()
def export(
    folder: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="A new one, or an earlier export.")
    ],
    force: Annotated[
        bool,
        typer.Option("--force", help="Take any folder; keep what's there beside it."),
    ] = False,
):
    """Write the package with your answers in its exercises to FOLDER."""
    from minigrad.export import export as write

    write(folder, force)


@app.command()
def doctor():
    """Say what is installed, what is missing, and how to fix it."""
    from .doctor import doctor as look

    raise typer.Exit(look())
