"""The corpus: what is accepted, what is rejected, and where the caret stands."""

import pytest
from snippets import entries, expected, kernels

from minigrad import simt


@pytest.mark.parametrize("source", entries("accepted"))
def test_accepted(source):
    assert simt.compile(source).functions is not None


@pytest.mark.parametrize("entry", entries("rejected") + entries("outside"))
def test_refused_at_its_place(entry):
    source, line, column, message = expected(entry)
    with pytest.raises(simt.CompileError) as caught:
        simt.compile(source, name="lab.cu")
    error = caught.value
    assert error.message == message
    assert (error.line, error.column) == (line, column)
    assert f"lab.cu:{line}:{column}: error: {message}" in str(error)


@pytest.mark.parametrize("name", kernels())
def test_teaching_kernels(name):
    program = simt.compile(kernels()[name])
    noisy = [w for w in program.warnings if w.kind != "template"]
    assert noisy == []
    assert program.kernels or program.kernel("map<float>").kernel
