"""The corpus: what is accepted, what is rejected, and where the caret stands."""

import warnings

import cudasim
import pytest
from arguments import arguments
from snippets import entries, expected, kernels
from table import table
from test_cudasim_safe import assert_ours

ACCEPTED = {**dict.fromkeys(entries("accepted") + [*kernels().values()])}


@table("source", ACCEPTED)
def test_accepted(source):
    """It compiles to Python that is all ours, and runs with a report."""
    module = cudasim.RawModule(source)
    assert_ours(module)
    assert_runs(module, "lockstep")


@pytest.mark.slow
@table("source", ACCEPTED)
def test_accepted_in_the_other_ways_to_run(source):
    assert_runs(cudasim.RawModule(source), "warps", "steps")


def assert_runs(module, *schedules):
    """Whatever a text holds: no exception, no warning of NumPy's."""
    limits = cudasim.Limits(steps=20_000, seconds=3)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for name in module.program.kernels:
            kernel = module.get_function(name)
            kernel.limits = limits
            for schedule in schedules:
                args = kernel, 2, 33, arguments(kernel), 1024
                if schedule == "steps":
                    assert len(cudasim.trace(*args).steps) <= 2000
                else:
                    report = cudasim.run(*args, schedule=schedule)
                    assert str(report).startswith(name)


@table("entry", dict.fromkeys(entries("rejected") + entries("outside")))
def test_refused_at_its_place(entry):
    source, line, column, message = expected(entry)
    with pytest.raises(cudasim.CompileError) as caught:
        cudasim.compile(source, name="lab.cu")
    error = caught.value
    assert error.message == message
    assert (error.line, error.column) == (line, column)
    assert f"lab.cu:{line}:{column}: error: {message}" in str(error)


@table("name", kernels())
def test_teaching_kernels(name):
    program = cudasim.compile(kernels()[name])
    noisy = [w for w in program.warnings if w.kind != "template"]
    assert noisy == []
    assert program.kernels or program.kernel("map<float>").kernel
