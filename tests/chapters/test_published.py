"""Numbers of docs/benchmarks in the lessons: as they are written there, or an error."""

import pytest

from grading.notebooks.build import MEASURED
from minigrad import course
from minigrad.testing import published, rate, series


def test_a_cell_as_it_is_written():
    time = published("a @ b, 4,096", "matmul_naive", "time")
    assert time.endswith(" ms") and float(time.removesuffix(" ms")) > 1
    rates = [published("a @ b, 4,096", "PyTorch", *c) for c in ((), ("TFLOP/s",))]
    assert rates[0] == rates[1]


def test_the_copy_that_a_page_names_with_its_machine():
    said = published("machine", "PyTorch's copy", "GB/s")
    page = (course.home() / "docs/benchmarks/kernels.md").read_text(encoding="utf-8")
    assert f"PyTorch's copy: {said} GB/s." in page


def test_a_column_as_numbers():
    strides, times = series("memory/shared memory", "µs")
    assert len(strides) == len(times) == 9
    assert times[strides.index(32)] == rate("memory/shared memory", "32", "µs")
    assert times[strides.index(32)] > 16 * times[strides.index(1)]


@pytest.mark.parametrize(
    "cell",
    [("a @ b, 4,096", "matmul_nine", "time"), ("a @ b, 4,096", "matmul", "time"),
     ("a @ b, 4,096", "matmul_naive", "hours")],
)  # fmt: skip
def test_anything_but_one_cell_is_an_error(cell):
    with pytest.raises(LookupError, match="cells are"):
        published(*cell)


def test_a_mark_in_a_text_names_a_cell():
    text = MEASURED.sub(lambda found: "/".join(found.groups()), "{{sum | tree | time}}")
    assert text == "sum/tree/time"


def test_tables_under_one_mark_are_of_one_gpu():
    for table, row in ("single", "a later"), ("copies", "16"):
        assert published(f"memory/{table}", row, "GPU").startswith("NVIDIA ")
    with pytest.raises(LookupError, match="0 cells are"):
        published("extension/operators on cpu", "bias", "GPU")
