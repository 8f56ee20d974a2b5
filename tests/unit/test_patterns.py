"""What all wrong results have in common, and what a failed assertion compared."""

import numpy as np
import pytest
from judging import unanswered, verdict_on  # noqa: F401
from test_diagnosis import judged

from grading.checking import patterns
from grading.checking.answers import Specimen
from grading.checking.check import Check, call
from grading.checking.runner import LocalSubject
from minigrad.exercises import own_tests
from minigrad.kernels import first, threads
from minigrad.kernels.threads import launch_config
from minigrad.layout import contiguous_strides, offset_of

NUMBERS = 3, 8, -5, 0


def said_of(function, reference=lambda n: float(n)):
    """What is said of an answer whose result is to be the reference's."""

    def answer(shape):
        return function(shape)

    check = Check(
        contiguous_strides,
        cases=lambda random: (("numbers", call(n)) for n in NUMBERS),
        reference=reference,
        not_tested="other numbers",
    )
    with Specimen(contiguous_strides, answer, None, "test").in_place():
        judgment = check.judgment(LocalSubject(), 0)
        return patterns.pattern(judgment, [*judgment.tried()])


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (lambda n: -float(n), "Every wrong number has the opposite sign."),
        (lambda n: 3.0 * n, "Every wrong number is 3 times the expected one."),
        (lambda n: n / 4, "Every wrong number is the expected one divided by 4."),
        (lambda n: n - 2.0, "Every wrong number is 2 too small."),
        (lambda n: float(n * n), "Every wrong number is the square of the expected "
         "one."),
        (lambda n: n * 1e3, "Every wrong number is 1000 times the expected one. Is it "
         "in another unit?"),
    ],
)  # fmt: skip
def test_a_pattern_is_said_that_all_wrong_results_show(answer, said):
    assert said_of(answer)[1] == said


@pytest.mark.parametrize(
    "answer",
    [
        lambda n: 2.0 * n if n > 0 else 3.0 * n,
        lambda n: 2.0 * n if n == 3 else float(n),  # one case is no pattern
        lambda n: 1 / 0 if n == 3 else 2.0 * n,
    ],
)
def test_no_pattern_is_said_that_one_wrong_result_lacks(answer):
    assert said_of(answer) is None


def test_a_pattern_of_tuples():
    assert said_of(lambda n: (2, n, 1), lambda n: (1, n, 2))[0] == "reversed"
    both = {"one": 1.0, "other": [2.0]}
    doubled = said_of(
        lambda n: {"one": 1.0, "other": [2.0 * n]},
        lambda n: both | {"other": [1.0 * n]},
    )
    assert doubled[1] == "Every wrong number is 2 times the expected one."


def test_a_pattern_of_a_kernel():
    said = judged(threads.tail_guard, BODY.format("-2 * x[i]"))
    assert "Every wrong number has the opposite sign." in str(said)


BODY = "int i = blockIdx.x * blockDim.x + threadIdx.x;\nif (i < n) y[i] = {};"


def test_another_type_is_tried():
    text = (
        "unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;\nif (i < n) {\n"
        "int k = (i - shift) % n; y[i] = x[k < 0 ? k + n : k]; }"
    )
    assert "tried: with `int` instead of an unsigned type" in str(
        judged(first.roll, text)
    )


def test_an_error_must_be_raised_and_a_module_imported():
    def returned(index, strides, offset=0):
        return ValueError("no")

    said = str(verdict_on(offset_of, returned))
    assert "a ValueError is returned, but must be raised: write `raise Val" in said

    def answer(shape, block):
        return math.prod(shape)  # noqa: F821

    said = str(verdict_on(launch_config, answer))
    assert "`math` isn't known here. For the module, add `import math`." in said


def returning(kernel):
    x, y = np.ones(40, np.float32), np.zeros(40, np.float32)
    kernel(2, 32, (x, y, 33))
    return bool((y == 2 * (np.arange(40) < 33)).all())


def never_equal(kernel):
    x, y = np.ones(4, np.float32), np.zeros(4, np.float32)
    kernel(1, 32, (x, y, 3))
    assert np.array_equal(y[:3], 3 * x[:3]), "wrong"


def of_list(kernel):
    found = []
    assert found == 0


def with_nan(kernel):
    a = np.array([1, np.nan])
    b = a.copy()
    assert (a == b).all()


@pytest.mark.parametrize(
    ("test", "said"),
    [
        (returning, "your test returns False for a kernel"),
        (never_equal, "y[:3] = [2, 2, 2], 3 * x[:3] = [3, 3, 3]"),
        (of_list, "A list is never equal to an int."),
        (with_nan, "NaN isn't equal to itself"),
    ],
)
def test_of_a_learners_test_what_it_compared_is_shown(test, said):
    verdict = str(verdict_on(own_tests.test_tail_guard, test))
    assert said in " ".join(verdict.split())
