"""Function.apply: what it records; PyTorch does the same."""

from grading.checking.typed import program
from grading.drivers import scenarios
from grading.exercise import Check, close, drive
from minigrad.autograd import Function

from .inputs import drawn


def matrices(random, count=2):
    return [drawn(random, 2, 3) for _ in range(count)]


def one_call(random, k, *needs):
    args = matrices(random), needs, k, random.sample(range(1, 9), 4)
    return drive(scenarios.one_call, *args)


def cases(random):
    for k in 3, random.randint(2, 9):
        yield "one call", one_call(random, k, True, True)
    yield "one call", one_call(random, 2, True, False)
    yield "one call", one_call(random, 2, False, True)
    for k in 2, random.randint(3, 9):
        yield "several calls", drive(scenarios.two_calls, matrices(random, 3), k)
    yield "nothing asks", one_call(random, 2, False, False)
    yield "no_grad", drive(scenarios.without_recording, matrices(random), 2)
    three = matrices(random, 3)
    yield "several results", drive(scenarios.two_results, three, (2.0, -3.0))
    x, pair, k = drawn(random, 3), matrices(random), random.randint(2, 9)
    yield "several results", drive(scenarios.tuple_of_one, x, k)
    yield "an argument as the result", drive(scenarios.passed_on, x, k)
    yield "an error in forward", drive(scenarios.failing, pair)


check = Check(
    Function.apply,
    cases=cases,
    reference=lambda cls, *args: cls.apply(*args),
    compare=close(),
    describe=program,
    not_tested="other dtypes, layouts, and sizes: apply hands on what it is given",
)
