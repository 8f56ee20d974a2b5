"""Dispatch, variants and the trace."""

import types

import numpy as np
import pytest
from answers import filled  # noqa: F401

import minigrad
from minigrad import dispatch, launch, plan_cache
from minigrad.dispatch import KERNELS, DispatchError, find_kernel
from minigrad.dtypes import FLOATS, float32, int64
from minigrad.exercises.exercise import isolated
from minigrad.kernels import elementwise
from minigrad.launch import Variant, coalesce_dims, select
from minigrad.ops import pointwise_kernels

REGISTRY = {
    ("add", "cpu", float32): "a", ("add", "cpu", None): "b",
    ("add", "sim", float32): "c", ("mul", "cpu", None): "d",
}  # fmt: skip


@pytest.mark.parametrize(
    "operator, device, dtype, kernel",
    [
        ("add", "cpu", float32, "a"), ("add", "cpu", int64, "b"),
        ("add", "sim", float32, "c"), ("mul", "cpu", int64, "d"),
    ],
)  # fmt: skip
def test_find_kernel(operator, device, dtype, kernel):
    assert find_kernel(REGISTRY, operator, device, dtype) == kernel


@pytest.mark.parametrize(
    "operator, device, dtype, words",
    [
        ("add", "sim", int64, "add has no kernel for int64 on 'sim'. It has: on 'cpu': "
                              "float32, every dtype; on 'sim': float32"),
        ("mul", "cuda", float32, "mul has no kernel for float32 on 'cuda'. It has: on"),
        ("div", "cpu", int64, "there is no operator 'div'; there are add, mul"),
    ],
)  # fmt: skip
def test_what_is_missing_is_named(operator, device, dtype, words):
    with pytest.raises(DispatchError) as caught:
        find_kernel(REGISTRY, operator, device, dtype)
    assert words in str(caught.value)


def test_every_operator_is_on_every_device():
    table = {}
    for operator, device, dtype in KERNELS:
        if "conv2d" not in operator or dtype in FLOATS:  # whole numbers: on "cpu" alone
            table.setdefault((operator, dtype), set()).add(device)
    assert len(table) > 300
    everywhere = {"cpu", "sim", "cuda"}
    assert {k: there for k, there in table.items() if there != everywhere} == {}


def test_an_operator_looks_its_kernel_up_once(monkeypatch):
    calls = []

    def counted(*key):
        calls.append(key[1:])
        return find_kernel(*key)

    monkeypatch.setattr(dispatch, "find_kernel", counted)
    x = minigrad.ones(2, dtype=minigrad.int8)
    plan_cache.clear()
    calls.clear()
    for _ in range(3):
        assert (x + x).tolist() == [2, 2]
    assert calls == [("add", "cpu", minigrad.int8)]


def test_a_new_answer_counts_at_once():
    x, exercise = minigrad.ones(2), dispatch.find_kernel
    assert (x + x).tolist() == [2, 2]
    kept = dict(vars(exercise))

    @minigrad.solves(exercise)
    def find_kernel(registry, operator, device, dtype):
        return lambda *operands, **options: (operator, device, dtype)

    assert x + x == ("add", "cpu", float32)
    vars(exercise).update(kept)
    plan_cache.clear()
    assert (x + x).tolist() == [2, 2]


# ------------------------------------------------- variants


class Exercise:
    """Like a kernel's exercise: its text is there once it is answered."""

    is_own = property(lambda self: self.answer is not None and self.own)

    def __init__(self, text=None):
        self.own, self.answer = True, text

    def __setattr__(self, name, value):
        super().__setattr__(name, value)
        plan_cache.clear()

    @property
    def text(self):
        if self.answer is None:
            raise minigrad.NotAnswered("exercise 1 of lab 99")
        return self.answer


def test_rungs():
    low, high = Exercise("low"), Exercise()
    steps = [
        Variant("low", "k", low), Variant("high", "k", high),
        Variant("best", "k", "copy.cu", lambda f: f.n > 10),
    ]  # fmt: skip
    launch.variants(*steps)

    def choose(steps, n):
        return select(steps, types.SimpleNamespace(n=n))

    assert choose(steps, n=20).name == "low"  # nobody has answered the higher one
    high.answer = "high"
    assert choose(steps, n=20).name == "high"
    high.own = False  # the course's solution stands in
    assert choose(steps, n=20).name == "low"
    low.answer = None
    assert choose(steps, n=20).name == "best"
    assert choose(steps, n=5).name == "high"  # there is no other
    high.answer = None
    with pytest.raises(minigrad.NotAnswered, match="exercise 1 of lab 99"):
        choose(steps, n=5)
    low.answer = high.answer = "answered"
    with minigrad.kernel_variant("fastest"):
        assert choose(steps, n=20).name == "best"
    for name in ("low", "high", "best"):
        with minigrad.kernel_variant(name):
            assert choose(steps, n=20).name == name
    unknown = pytest.raises(ValueError, match="no variant 'fasttest'; there are .*best")
    with unknown, minigrad.kernel_variant("fasttest"):
        pass
    assert launch.requested == "answered"


def test_an_answer_of_the_learner_runs_by_default():
    exercise, x = elementwise.unary_kernel, minigrad.ones(4, device="sim")
    before = dict(vars(exercise))

    def variant(x=x):
        with minigrad.trace() as launches:
            x.neg()
        return launches[0].variant

    assert variant() == "contiguous"  # the course's solution stands in
    minigrad.solves(exercise)(before["answer"].value)
    assert variant() == "yours"
    assert variant(x.int()) == "contiguous"  # its T is float or double
    with minigrad.kernel_variant("fastest"):
        assert variant() == "contiguous"
    with isolated(dispatch.find_kernel):  # another exercise is checked
        assert variant() == "contiguous"
    with isolated(exercise):
        assert variant() == "yours"
    vars(exercise).update(before)
    plan_cache.clear()
    with minigrad.kernel_variant("yours"):
        assert variant() == "yours"


MINE = """
// This one is traced as "mine".
__global__ void mine(const float* x, Strides xs, float* y, int n, float s, float t) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = UNARY(x[i * xs.stride[xs.dims - 1]], s, t);
}
"""


def test_an_answer_counts_at_once(monkeypatch):
    exercise, variants = (
        Exercise(),
        [r for r in pointwise_kernels.VARIANTS[1] if not r.is_exercise],
    )
    before = "struct Strides { int dims; long long shape[8]; long long stride[8]; };"
    mine = Variant("mine", "mine", exercise, args="a a_view y count s t",
                   before=lambda f: before + f.text)  # fmt: skip
    launch.variants(mine)
    monkeypatch.setitem(pointwise_kernels.VARIANTS, 1, [mine, *variants])
    x = minigrad.arange(0.0, 6.0, device="sim")[::2]
    with minigrad.trace() as launches:
        with pytest.raises(minigrad.NotAnswered), minigrad.kernel_variant("mine"):
            x.sqrt()
        exercise.answer = MINE
        assert x.sqrt().tolist() == [0, 2**0.5, 2] or x.sqrt().tolist()[2] == 2
        exercise.answer = MINE.replace("UNARY", "2 * UNARY")
        assert x.sqrt().tolist()[2] == 4
    assert {launch.variant for launch in launches} == {"mine"}
    exercise.answer = None
    assert x.sqrt().tolist()[2] == 2


JOINED = [
    ((2, 3, 4), [(12, 4, 1)], ((24,), (1,))),
    ((2, 3, 4), [(12, 4, 1), (0, 4, 1)], ((2, 12), (12, 1), (0, 1))),
    ((3, 2), [(1, 3)], ((3, 2), (1, 3))),
    ((2, 1, 3), [(3, 7, 1)], ((6,), (1,))),
    ((4, 5), [(0, 0)], ((20,), (0,))),
    ((), [()], ((), ())),
    ((1, 1), [(9, 9)], ((), ())),
]


@pytest.mark.parametrize("shape, strides, expected", JOINED)
def test_coalesce_dims(shape, strides, expected):
    assert coalesce_dims(shape, *strides) == expected


# ------------------------------------------------- trace


def test_trace():
    x, y = minigrad.ones(100, 30, device="sim"), minigrad.ones(30, device="sim")
    with minigrad.trace() as launches:
        z = (x.T.contiguous().T * y + 1).sum(1)
        with minigrad.trace() as inner:
            z.relu()
        z.cpu() + 1
    rows = [(n.operator, n.variant, n.grid, n.block, n.bytes) for n in launches]
    assert rows == [
        ("copy", "strided", (12, 1, 1), (256, 1, 1), 24000),
        ("mul", "strided", (12, 1, 1), (256, 1, 1), 4 * (3000 + 30 + 3000)),
        ("add", "contiguous", (12, 1, 1), (256, 1, 1), 24000),
        ("sum", "warps", (13, 1, 1), (32, 8, 1), 4 * 3100),
        ("add", "numpy", (), (), 800),
    ]
    assert [n.operator for n in inner] == ["relu"]
    assert launches[1].kernel.startswith("binary_strided<float, float, float, float>")
    assert launches[0].seconds is None and launches[-1].seconds > 0
    assert launches[-1].kernel == "add" and launches[0].device == "sim"


def test_trace_as_a_table():
    x = minigrad.ones(4, 8, device="sim")
    with minigrad.trace() as launches:
        x.amax(1)
        x.cpu().exp()
    head, line, first, second = str(launches).split("\n")
    assert " ".join(head.split()) == "operator variant kernel grid block bytes time"
    assert set(line) == {"-"}
    assert "reduce_warps<1, float, float, float>" in first
    assert first.split()[-4:] == ["32", "x", "8", "144", "-"][1:]
    assert second.split()[:3] == ["exp", "numpy", "exp"] and second.endswith(" us")


def test_a_trace_has_no_column_that_says_nothing():
    with minigrad.trace() as launches:
        minigrad.ones(4, device="sim").exp()
    head = str(launches).split("\n")[0]
    assert head.split() == ["operator", "variant", "kernel", "grid", "block", "bytes"]


def test_trace_in_a_notebook():
    x = minigrad.ones(4, device="sim")
    with minigrad.trace() as launches:
        x.exp()
    html = launches._repr_html_()
    assert html.startswith("<pre") and html.count("\n") == 2
    assert "unary&lt;float, float, float&gt;" in html  # a tag to a browser otherwise


def test_trace_ends_where_an_error_leaves_it():
    x = minigrad.ones(3)
    y = minigrad.ones(4)
    with pytest.raises(RuntimeError), minigrad.trace() as launches:
        x + y
    x + 1
    assert len(launches) == 0


def test_kernels_are_compiled_once():
    x = minigrad.tensor(np.arange(5), minigrad.int16, "sim")
    before = launch.compiled.cache_info().misses
    for n in range(3):
        x + n
        x[1:] + n
    assert launch.compiled.cache_info().misses - before <= 1
