"""The command `cudasim`."""

import sys
from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


def run():
    """Run the command; an error that was foreseen is one message, not a traceback."""
    try:
        app()
    except (ValueError, OSError) as error:
        sys.exit(f"cudasim: {error}")


@app.command()
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

    cudasim add.cu --run add --grid 4 --block 256 1000 1000 zeros:1000 1000
    """
    options = [f"-arch={arch}", *(f"-D{text}" for text in define or [])]
    if run is None:
        from .compile import check

        status = check(list(map(Path, files)), name_expression or [], options, json)
        raise typer.Exit(status)
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
