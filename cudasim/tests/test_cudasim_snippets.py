"""The corpus: what is accepted, what is rejected, and where the caret stands."""

import warnings

import cudasim
import pytest
from arguments import arguments
from snippets import entries, expected, kernels
from test_cudasim_safe import assert_ours


@pytest.mark.parametrize("source", entries("accepted") + list(kernels().values()))
def test_accepted(source):
    """It compiles to Python that is all ours, and runs with a report."""
    module = cudasim.RawModule(source)
    assert_ours(module)
    assert_runs(module)


def assert_runs(module):
    """Whatever a text holds: no exception, no warning of NumPy's."""
    limits = cudasim.Limits(steps=20_000, seconds=3)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for name in module.program.kernels:
            kernel = module.get_function(name)
            kernel.limits = limits
            for schedule in ("lockstep", "warps"):
                args = arguments(kernel)
                report = cudasim.run(kernel, 2, 33, args, 1024, schedule=schedule)
                assert str(report).startswith(name)
            trace = cudasim.trace(kernel, 2, 33, arguments(kernel), 1024)
            assert len(trace.steps) <= 2000


@pytest.mark.parametrize("entry", entries("rejected") + entries("outside"))
def test_refused_at_its_place(entry):
    source, line, column, message = expected(entry)
    with pytest.raises(cudasim.CompileError) as caught:
        cudasim.compile(source, name="lab.cu")
    error = caught.value
    assert error.message == message
    assert (error.line, error.column) == (line, column)
    assert f"lab.cu:{line}:{column}: error: {message}" in str(error)


@pytest.mark.parametrize("name", kernels())
def test_teaching_kernels(name):
    program = cudasim.compile(kernels()[name])
    noisy = [w for w in program.warnings if w.kind != "template"]
    assert noisy == []
    assert program.kernels or program.kernel("map<float>").kernel
