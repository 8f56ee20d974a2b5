"""Chapter 06: the learner's variants under `@`, answers under all tools, the roof."""

import sys
import types

import fake_cupy
import numpy as np
import pytest
from answers import filled  # noqa: F401

import minigrad
from grading.checking.answers import Specimen
from grading.checking.check import find_check, judge
from grading.checking.runner import LocalSubject
from grading.kernels import gpu
from minigrad import Kernel, viz
from minigrad.exercises.answers import exercises_of
from minigrad.kernels import matmul
from minigrad.testing import Ceilings, Timing, ceilings, roof
from tools.audit.specimens import specimens_of

pytestmark = pytest.mark.slow

RIGHT = [s for h in exercises_of("06_matmul") for s in specimens_of(h) if not s.cause]
RIGHT = [s for s in RIGHT if isinstance(s.answer, str)]


def random(*shape):
    draw = np.random.default_rng(sum(shape))
    return minigrad.tensor(draw.standard_normal(shape), "float32", "sim")


# ------------------------------------------------- variants

OPERANDS = [  # two shapes, is the first transposed?, the kernel
    ((130, 20), (20, 132), False, "matmul_register"),
    ((64, 64), (64, 64), False, "matmul_register"),
    ((64, 62), (62, 64), False, "matmul_tiled"),
    ((37, 29), (29, 51), False, "matmul_tiled"),
    ((3, 0), (0, 2), False, "matmul_tiled"),
    ((20, 130), (20, 132), True, "matmul_batched"),
    ((3, 1, 5, 7), (2, 7, 4), False, "matmul_batched"),
    ((7,), (4, 7, 2), False, "matmul_batched"),
]


@pytest.mark.parametrize("one, two, turned, kernel", OPERANDS)
def test_the_highest_answer_runs_and_copies_nothing(one, two, turned, kernel):
    a, b = random(*one), random(*two)
    a = a.T if turned else a
    with minigrad.trace() as launches:
        with minigrad.kernel_variant("yours"):
            c = a @ b
        a @ b
    first, second = launches
    assert (first.variant, first.kernel) == ("yours", kernel)
    assert second.variant != "yours"
    a, b, c = (x.cpu().numpy() for x in (a, b, c))
    np.testing.assert_allclose(c, a @ b, atol=1e-4)


def test_the_learners_own_answer_runs_unasked(monkeypatch):
    exercise, a = matmul.matmul_tiled, random(37, 37)
    text = exercise.text
    for name in "answer", "_run":
        monkeypatch.setattr(exercise, name, getattr(exercise, name))
    minigrad.solves(exercise)(text)
    with minigrad.trace() as launches:
        a @ a
        with minigrad.kernel_variant("fastest"):
            a @ a
    assert [launch.variant for launch in launches] == ["yours", "tiled"]


def empty(exercise, monkeypatch):
    for name in "answer", "_run":
        monkeypatch.setattr(exercise, name, None)


def test_the_next_lower_answer_runs_where_one_is_missing(monkeypatch):
    a, names = random(64, 64), []
    for exercise in (
        matmul.matmul_register,
        matmul.matmul_tiled,
        matmul.matmul_naive,
        None,
    ):
        with minigrad.kernel_variant("yours"), minigrad.trace() as launches:
            a @ a
        names.append(launches[0].kernel)
        if exercise:
            empty(exercise, monkeypatch)
    ways = "register", "tiled", "naive", "batched"
    assert names == [f"matmul_{way}" for way in ways]
    empty(matmul.matmul_batched, monkeypatch)
    with (
        minigrad.kernel_variant("yours"),
        pytest.raises(minigrad.NotAnswered, match="lab 06"),
    ):
        a @ a


def test_other_dtypes_keep_the_librarys_kernels():
    a = random(20, 20).to(minigrad.float64)
    with minigrad.kernel_variant("yours"), minigrad.trace() as launches:
        a @ a
    assert launches[0].variant != "yours"


# ------------------------------------------------- answers

SIZES = [(1, 4, 4), (37, 52, 28), (129, 4, 8), (3, 8, 0)]
LAUNCHES = {"matmul_naive": (16, (16, 16)), "matmul_tiled": (16, (16, 16)),
            "matmul_register": (128, 256)}  # fmt: skip


@pytest.mark.parametrize("schedule", ["lockstep", "warps"])
@pytest.mark.parametrize("name", LAUNCHES)
def test_an_answer_is_right_and_silent(name, schedule):
    size, block = LAUNCHES[name]
    kernel = Kernel(getattr(matmul, name).text, name)
    for M, N, K in SIZES:
        draw = np.random.default_rng(M)
        a, b = (draw.random(max(n, 1), np.float32) for n in (M * K, K * N))
        c = np.full((M, N), 77, np.float32)
        grid = -(-N // size), -(-M // size)
        args = a, b, c, M, N, K
        report = kernel.check(grid, block, args, schedule=schedule, seed=1)
        assert not report.findings, str(report)
        kernel(grid, block, args)
        product = a[: M * K].reshape(M, K) @ b[: K * N].reshape(K, N)
        np.testing.assert_allclose(c, product, atol=1e-4)


# ------------------------------------------------- speed, where a GPU is


@pytest.mark.parametrize(
    "share, right, words",
    [
        (0.34, False, "34% of the 50.0 TFLOP/s of cuBLAS"),
        (0.36, True, "asks for 35%, and the bonus for 60%"),
        (0.64, True, "32.0 TFLOP/s, 64% of the 50.0"),
    ],
)
def test_the_speed_is_a_share_of_cublas(monkeypatch, share, right, words):
    check, best = find_check(matmul.matmul_register), 2 * 4096**3 / 50e12
    took = {gpu.CUBLAS: best, "text": best / share}
    monkeypatch.setattr(
        gpu, "seconds", lambda exercise, texts, _: [*map(took.get, texts)]
    )
    ((is_right, message),) = check.on_gpu["speed"](check.exercise, "text")
    assert is_right == right and words in message
    assert ("You have the bonus" in message) is (share > 0.6)


def test_a_product_that_is_nearly_right_is_said_to_be():
    exercise, last = matmul.matmul_naive, "c[row * N + col] = sum"
    text = exercise.reference.replace(last, f"{last} * 1.001f")
    assert text != exercise.reference
    with Specimen(exercise, text, "coarse", "a thousandth too much").in_place():
        verdict = judge(exercise, LocalSubject(), 1)
    assert (verdict.points, verdict.failures[0].cause) == (0, "coarse")


BY_HAND = [  # two shapes, bytes of floats, FLOP
    ((2, 3), (3, 4), 4 * (6 + 12 + 8), 48),
    ((1, 1), (1, 1), 12, 2),
    ((1, 1000), (1000, 1), 8004, 2000),
    ((1000, 1), (1, 1000), 4_008_000, 2_000_000),
    ((4096, 4096), (4096, 4096), 201_326_592, 137_438_953_472),
]


@pytest.mark.parametrize("a, b, nbytes, flops", BY_HAND)
def test_the_reference_of_roofline_counts_as_by_hand(a, b, nbytes, flops):
    expected = find_check(matmul.roofline).reference(a, b, 4e12, 50e12)
    assert (expected["bytes"], expected["flops"]) == (nbytes, flops)


@pytest.mark.parametrize("nbytes", [10**400, float("nan"), None, [104], "104"])
def test_no_odd_number_of_bytes_is_right_or_ends_the_check(nbytes):
    check = find_check(matmul.roofline)
    expected = check.reference((2, 3), (3, 4), 4e12, 50e12)
    assert check.compare(expected | {"bytes": 104.0}, expected)
    assert not check.compare(expected | {"bytes": nbytes}, expected)


def test_cublas_is_called_like_a_kernel(monkeypatch):
    cupy = fake_cupy.install(monkeypatch)
    monkeypatch.setattr(cupy, "matmul", np.matmul, raising=False)
    a, b = (np.arange(n, dtype=np.float32) for n in (6, 12))
    c = np.zeros(8, np.float32)
    gpu._cublas(1, 1, (a, b, c, *np.int32([2, 4, 3])), shared_mem=0)
    assert np.array_equal(c.reshape(2, 4), a.reshape(2, 3) @ b.reshape(3, 4))


# ------------------------------------------------- the roof

H200 = Ceilings(4e12, 48e12, "NVIDIA H200")


def test_ceilings_of_the_host():
    result = ceilings("cpu", floats=2**16, n=64, repeat=2)
    assert result.bandwidth > 0 and result.peak > 0
    assert "host" in result.machine and "NumPy" in str(result)


def test_ceilings_of_a_gpu(monkeypatch):
    cupy = fake_cupy.install(monkeypatch)
    for name in "ones", "zeros", "copyto", "matmul":
        setattr(cupy, name, getattr(np, name))
    properties = {"name": b"A card"}
    cupy.cuda.Device = lambda: types.SimpleNamespace(id=0)
    runtime = types.SimpleNamespace(getDeviceProperties=lambda number: properties)
    monkeypatch.setattr(cupy.cuda, "runtime", runtime, raising=False)
    timed = []

    def bench(function, *args, **how):
        timed.append(how["device"])
        return Timing((2.0,))

    monkeypatch.setattr(roof, "bench", bench)
    result = ceilings("cuda", floats=1000, n=10)
    assert (result.machine, timed) == ("A card", ["cuda", "cuda"])
    assert (result.bandwidth, result.peak) == (4000.0, 1000.0)


def test_the_roof():
    assert H200.ridge == 12
    assert [H200.rate(i) for i in (3, 12, 600)] == [12e12, 48e12, 48e12]


def square(n, size=16, block=(16, 16)):
    a, b, c = (np.ones((n, n), np.float32) for _ in range(3))
    return (n // size, n // size), block, (a, b, c, n, n, n), 2 * n**3


def test_a_point_has_the_traffic_that_is_counted_and_no_time_without_a_gpu(monkeypatch):
    where = sys.modules["minigrad.viz.roofline"]
    monkeypatch.setattr(where, "gpu_available", lambda: False)
    kernel = Kernel(matmul.matmul_tiled.text, "matmul_tiled")
    point = viz.point(kernel, square, small=32)
    sectors = kernel.check(*square(32)[:3]).counts["sectors"]
    assert point.intensity == 2 * 32**3 / (32 * sectors)
    assert point.rate is None and point.name == "matmul_tiled"


def test_what_cannot_run_has_no_place_but_a_word():
    kernel = Kernel(matmul.matmul_tiled.text, "matmul_tiled")
    point = viz.point(kernel, lambda n: (1, (16, 16), (1, 2), 5))
    assert not point.is_drawn and "matmul_tiled" in point.note
    assert point.note in repr(viz.roofline([point], H200))


@pytest.mark.parametrize(
    "point, said",
    [
        (viz.Point("k", 3.0, 6e12), "k: 3 FLOP for each byte, 6 TFLOP/s, 50% of"),
        (viz.Point("k", 3.0), "k: 3 FLOP for each byte; not timed"),
        (viz.Point("k", 0.1, 6e12), "1500% of the roof"),
        (viz.Point("k", 0.0, 1.0), "k has no place"),
        (viz.Point("k", float("inf")), "k has no place"),
        (viz.Point("k", None, 5.0), "k has no place"),
        (viz.Point("k", 1e-6, float("nan")), "k has no place"),
    ],
)
def test_every_point_is_drawn_or_named(point, said):
    pytest.importorskip("matplotlib", reason="not run: pictures (no matplotlib)")
    picture = viz.roofline([point, viz.Point("other", 20.0, 1e9)], H200)
    assert said in repr(picture) and "other: 20 FLOP" in repr(picture)
    assert picture.svg().startswith("<?xml")


def test_without_points_there_is_the_roof_alone():
    pytest.importorskip("matplotlib", reason="not run: pictures (no matplotlib)")
    assert "NVIDIA H200" in viz.roofline([], H200).svg()


def test_without_matplotlib_it_says_so(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match="pip install matplotlib"):
        viz.roofline([], H200)
