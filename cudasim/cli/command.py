"""The command `cudasim`."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from .. import __version__
from .compile import check
from .simulate import GPUS, simulate

app = typer.Typer(
    add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None
)


def run():
    """Run the command; an error that was foreseen is one message, not a traceback."""
    try:
        app()
    except (ValueError, OSError) as error:
        sys.exit(f"cudasim: {error}")


def show_version(wanted: bool):
    if wanted:
        print(f"cudasim {__version__}")
        raise typer.Exit()


@app.command(no_args_is_help=True)
def cudasim(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE... | FILE ARG...",
            help="Files; with --run one, and the kernel's arguments: for an array its "
            "size, as 1024 or zeros:32x64 (or ones:, range:, random:), else a number.",
        ),
    ],
    name_expression: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="A kernel of a template, as add<float>."),
    ] = None,
    define: Annotated[
        list[str] | None,
        typer.Option("-D", "--define", metavar="MACRO", help="Such as N=4."),
    ] = None,
    arch: Annotated[
        str, typer.Option(metavar="ARCH", help="The GPU to compile for.")
    ] = "sm_75",
    run: Annotated[
        str | None, typer.Option(metavar="KERNEL", help="Run it, and watch the run.")
    ] = None,
    grid: Annotated[
        str, typer.Option(metavar="SIZE", help="Blocks, as 4 or 4,2.")
    ] = "1",
    block: Annotated[
        str, typer.Option(metavar="SIZE", help="Threads per block, as 256.")
    ] = "32",
    shared_mem: Annotated[
        int, typer.Option(metavar="BYTES", help="Dynamic shared memory.")
    ] = 0,
    seed: Annotated[int, typer.Option(metavar="NUMBER", help="Of random arrays.")] = 0,
    gpu: Annotated[
        str,
        typer.Option(metavar="GPU", help=f"Show the occupancy of {', '.join(GPUS)}."),
    ] = "T4",
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=show_version, is_eager=True, help="Print the version."
        ),
    ] = False,
):
    """Compile CUDA C++, and show mistakes and what the kernels need, without a GPU.

    cudasim add.cu --run add --grid 4 --block 256 1000 1000 zeros:1000 1000
    """
    options = [f"-arch={arch}", *(f"-D{text}" for text in define or [])]
    if run is None:
        status = check(list(map(Path, files)), name_expression or [], options, json)
        raise typer.Exit(status)
    try:
        sizes = [tuple(int(n) for n in text.split(",")) for text in (grid, block)]
    except ValueError:
        message = f"--grid and --block are numbers, as 4 or 4,2: {grid!r}, {block!r}"
        raise ValueError(message) from None
    path, *given = files
    raise typer.Exit(
        simulate(Path(path), run, *sizes, given, shared_mem, seed, gpu, options, json)
    )
