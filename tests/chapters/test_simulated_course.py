"""The course's own answers under every tool: silent, and no barrier is superfluous."""

import functools

import numpy as np
import pytest
from recorded import recorded
from test_cudasim_kernels import FOUND_WITHOUT, without_barriers
from test_cudasim_native import both, needs_compiler, same

import cudasim
from benchmarks import common
from cudasim import Limits
from minigrad import course
from minigrad.exercises.answers import load_references
from minigrad.exercises.registry import KernelExercise, exercises
from minigrad.kernel import Kernel

pytestmark = pytest.mark.xdist_group("chapters")  # recorded once
MOST_THREADS = 300_000  # of a launch that runs under all tools
# The labs try these on one tile; a second one needs the barrier after the first.
LARGER = {
    "conv2d_gemm": (1, [(20, 9), (5, 20), 5, (5, 9)], (5, 20, 9)),
    "conv2d_direct": (1, [(2, 5, 4), (1, 2, 3, 3), 1, (5, 4)], (2, 5, 4, 1, 3, 1)),
}


@functools.cache
def answers():
    """name -> text of every kernel that the solved labs write."""
    for path in (course.home() / "solutions").glob("*.py"):
        load_references(path.stem)
    everything = [entry.exercise for entry in exercises()]
    return {
        exercise.name: exercise.reference
        for exercise in everything
        if type(exercise) is KernelExercise and exercise.reference
    }


@functools.cache
def launches():
    """name -> the launches that the solved labs make of that kernel."""
    found = {name: [] for name in answers()}
    for path in (course.home() / "solutions").glob("*.py"):
        if "Kernel(" not in path.read_text(encoding="utf-8"):
            continue
        for one in recorded(path)[0]:
            kernel, grid, block, *_ = one.launch
            text = answers().get(kernel.name, "")
            if kernel.source.strip() == text.strip() and small(grid, block):
                found[kernel.name].append(one.launch)
    for name, (grid, shapes, sizes) in LARGER.items():
        kernel = Kernel(answers()[name], name)
        args = *(np.ones(shape, np.float32) for shape in shapes), *sizes
        found[name].append((kernel, grid, (16, 16), args, 0))
    return found


def small(grid, block):
    threads = 1
    for size in (grid, block):
        for number in size if isinstance(size, tuple) else (size,):
            threads *= number
    return threads <= MOST_THREADS


def watched(source, launch, schedule, seed=0):
    kernel, grid, block, args, shared_mem = launch
    twin = cudasim.RawKernel(source, kernel.name, kernel.options)
    args, limits = common.fresh(args), Limits(seconds=600)  # on a busy computer
    return cudasim.run(
        twin, grid, block, args, shared_mem, "all", schedule, seed, limits
    )


@pytest.mark.slow
def test_every_kernel_of_the_course_is_launched():
    assert answers()
    assert [name for name, some in launches().items() if not some] == []


@pytest.mark.slow
@pytest.mark.parametrize("schedule", ["lockstep", "warps"])
def test_answers_are_silent(schedule, nightly):
    """Some launches of each; where warps take turns, in another order each time."""
    most = 3 if nightly else 2
    for some in launches().values():
        for seed in range(most if schedule == "warps" else min(most, len(some))):
            launch = some[seed % len(some)]
            report = watched(launch[0].source, launch, schedule, seed)
            assert not report.findings, str(report)


@pytest.mark.slow
@pytest.mark.parametrize("schedule", ["lockstep", "warps"])
def test_every_barrier_of_an_answer_is_missed(schedule):
    tried = 0
    for name, source in answers().items():
        for number, line, text in without_barriers(source):
            assert any(
                finding.kind in FOUND_WITHOUT
                for launch in launches()[name]
                for finding in watched(text, launch, schedule).findings
            ), f"{name}: barrier {number} in line {line}"
            tried += 1
    assert tried


@needs_compiler
@pytest.mark.slow
@pytest.mark.xdist_group("chapters")
def test_answers_run_in_c():
    """All but a few run in C: a shuffle from a lane that is not there is NumPy's."""
    read = 0
    for name, some in launches().items():
        for kernel, *how in some[:2]:
            compiled, *ends = both(kernel.source, kernel.name, *how, kernel.options)
            assert not compiled or same(*ends), name
            read += compiled
    assert read > 50
