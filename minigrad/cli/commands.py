"""The commands: lab, update, progress, export, simt, doctor."""

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
    """Write the package with your answers in its holes to FOLDER."""
    from minigrad.export import export as write

    write(folder, force)


@app.command()
def simt(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE... | FILE ARG...",
            help="Files; with --run one, and the kernel's arguments: for an array its "
            "size, as 1024 or zeros:32x64 (or ones:, range:, random:), else a number.",
        ),
    ],
    name_expression: Annotated[
        list[str] | None, typer.Option(help="A kernel of a template, as add<float>.")
    ] = None,
    define: Annotated[
        list[str] | None, typer.Option("-D", "--define", help="A macro, as N=4.")
    ] = None,
    arch: Annotated[str, typer.Option(help="The GPU to compile for.")] = "sm_75",
    run: Annotated[
        str | None, typer.Option(metavar="KERNEL", help="Run it, and watch the run.")
    ] = None,
    grid: Annotated[str, typer.Option(help="Blocks, as 4 or 4,2.")] = "1",
    block: Annotated[str, typer.Option(help="Threads of a block, as 256.")] = "32",
    shared_mem: Annotated[int, typer.Option(help="Dynamic shared memory, bytes.")] = 0,
    seed: Annotated[int, typer.Option(help="Of the arrays that are made.")] = 0,
    gpu: Annotated[str, typer.Option(help="The GPU to name the occupancy of.")] = "T4",
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
):
    """Compile CUDA C, and show mistakes and what the kernels need. No GPU is needed.

    minigrad simt add.cu --run add --grid 4 --block 256 1000 1000 zeros:1000 1000
    """
    options = [f"-arch={arch}", *(f"-D{text}" for text in define or [])]
    if run is None:
        from .kernels import check

        found = check(list(map(Path, files)), name_expression or [], options, json)
        raise typer.Exit(found)
    from .simulate import simulate

    try:
        sizes = [tuple(int(n) for n in text.split(",")) for text in (grid, block)]
    except ValueError:
        message = f"--grid and --block are numbers, as 4 or 4,2: {grid!r}, {block!r}"
        raise ValueError(message) from None
    path, *given = files
    raise typer.Exit(
        simulate(Path(path), run, *sizes, given, shared_mem, seed, gpu, options, json)
    )


@app.command()
def doctor():
    """Say what is installed here, what is missing, and how to mend it."""
    from .doctor import doctor as look

    raise typer.Exit(look())
