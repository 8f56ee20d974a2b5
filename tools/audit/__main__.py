"""`python -m tools.audit prove | mutants | seeds | causes | soundness`."""

from typing import Annotated

import typer
from rich.table import Table

from grading.cli import console, main, progress_bar
from minigrad.exercises.registry import exercises, find

app = typer.Typer(
    help="Try the checks themselves: by wrong answers, and by right ones.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

Names = Annotated[
    list[str] | None,
    typer.Argument(help="Exercises, or chapters such as 03; all if none."),
]
Sample = Annotated[
    int | None, typer.Option(help="So many of each exercise, drawn by the seed.")
]
Seed = Annotated[int, typer.Option(help="Of the sample, and of the cases.")]
Write = Annotated[
    bool,
    typer.Option("--write", help="Write the exercises' rows of the page in docs/."),
]


Messages = Annotated[
    bool, typer.Option("--messages", help="Also print what a learner reads.")
]


@app.command()
def mutants(
    names: Names = None, sample: Sample = None, seed: Seed = 0, write: Write = False
):
    """Change solutions by machine, and say which pass the checks."""
    from cudasim import nvrtc

    from . import mutants, report

    if write and (sample is not None or nvrtc.missing()):
        why = f"NVRTC is missing: {nvrtc.missing()}" if nvrtc.missing() else ""
        raise ValueError(why or "--write goes with no sample")
    chosen = _exercises(names)
    work, outcomes, stale = mutants.draw(chosen, seed, sample), [], mutants.gone(chosen)
    for listed in stale:
        _say(f"stale: {listed}: no such edit")
    for one in _followed(mutants.audit(work), len(work), "mutants"):
        outcomes.append(one)
        if one.state in (mutants.SURVIVED, mutants.STALE):
            _say(f"{one.state}: {one.exercise}: {one.edit}")
    _tabulate(report, outcomes)
    killed = report.share(report.table(outcomes))
    console.print(f"{killed:.2%} of what is not equivalent is killed")
    if stale or any(one.state == mutants.STALE for one in outcomes):
        raise LookupError("what is listed as equivalent is not: see `stale` above")
    if write:
        _write(report, outcomes)


@app.command()
def seeds(
    names: Names = None,
    count: Annotated[int, typer.Option("--seeds", help="How many, from 0 on.")] = 300,
):
    """Judge each solution with many seeds, and say which refuse it."""
    from .seeds import draw, tried

    chosen, refused = _exercises(names), 0
    work = draw(chosen, count)
    for name, bad in _followed(tried(work), len(work), "seeds"):
        refused += len(bad)
        if bad:
            _say(f"refused: {name}: by {', '.join(map(str, bad))}")
    if refused:
        raise LookupError(f"right answers are refused, {refused} times: see above")
    console.print(f"{len(chosen)} solutions are right by each of {count} seeds")


@app.command()
def causes(
    names: Names = None, sample: Sample = None, seed: Seed = 0, write: Write = False
):
    """Judge wrong answers, and say which named causes are false.

    The sample is of those by machine, and as many of those by hand; the page has its
    own.
    """
    from . import causes

    if write and sample is not None:
        raise ValueError("--write goes with no sample")
    chosen, outcomes = _exercises(names), []
    work = causes.draw(chosen, seed, causes.SAMPLE if write else sample)
    for one in _followed(causes.causes(work), len(work), "wrong answers"):
        outcomes.append(one)
        if one.state == causes.FALSE:
            _say(f"{one.exercise}: {one.title}: said to be {one.cause}")
    _tabulate(causes, outcomes)
    if write:
        _write(causes, outcomes)


@app.command()
def soundness(names: Names = None, seed: Seed = 0, write: Write = False):
    """Grade every listed answer, right or wrong, as a student's."""
    from . import soundness

    chosen, outcomes = _exercises(names), []
    graded = soundness.audit(chosen, seed)
    for one in _followed(graded, soundness.count(chosen), "answers"):
        outcomes.append(one)
        if not one.well:
            _say(f"{one.exercise}, {one.title}, {one.kind}: {one.said}")
    _tabulate(soundness, outcomes)
    console.print(soundness.summary(soundness.table(outcomes)), soft_wrap=True)
    if write:
        _write(soundness, outcomes)
    if not all(one.well for one in outcomes):
        raise typer.Exit(1)


@app.command()
def prove(names: Names = None, messages: Messages = False):
    """Say whether an exercise's answers prove what they're for."""
    from . import prove

    faults = 0
    for name in _exercises(names):
        for problem in prove.problems(find(name)):
            faults += 1
            _say(f"{name}: {problem}")
        for title, message in prove.messages(find(name)) if messages else ():
            _say(f"{name}, {title}:\n{message}")
    if faults:
        raise typer.Exit(1)
    console.print("each answer proves what it is listed for")


def _followed(work, total, what):
    """Go through work, with a bar that says how far it is."""
    with progress_bar() as progress:
        yield from progress.track(work, total, description=what)


def _say(line):
    console.print(line, markup=False, soft_wrap=True)


def _write(module, outcomes):
    """Make the rows anew, on the module's page, of the exercises that were tried."""
    before = module.PAGE.read_text(encoding="utf-8")
    module.PAGE.write_text(module.page(outcomes, before), encoding="utf-8")


def _tabulate(module, outcomes):
    rows = Table(*module.COLUMNS)
    for row in module.table(outcomes):
        rows.add_row(*map(str, row))
    console.print(rows)


def _exercises(names):
    """The names of all exercises, or of those: by name, number or chapter."""
    every, chosen = exercises(), set()
    for name in names or ():
        of_chapter = {e.name for e in every if e.chapter.startswith(f"{name}_")}
        chosen |= of_chapter or {find(name).name}
    return [e.name for e in every if not names or e.name in chosen]


if __name__ == "__main__":
    main(app)
