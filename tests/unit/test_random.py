"""Random numbers: Philox against its published values, the same on every device."""

import numpy as np
import pytest
from answers import filled  # noqa: F401
from both import DEVICES

import minigrad
from minigrad import random

# Random123's kat_vectors, philox4x32-10: counter, key, words.
PUBLISHED = [
    (0, 0, [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]),
]
DRAWS = """
m.rand(3, 5, device=D) | m.rand(7, dtype=m.float16, device=D) | m.randn(1001, device=D)
m.rand(8, dtype=m.bfloat16, device=D) | m.rand(9, dtype=m.float64, device=D)
m.randn(2, 3, dtype=m.float16, device=D) | m.randint(10, (99,), device=D)
m.randint(-5, 5, (4, 3), device=D) | m.randint(0, 2, (5,), dtype=m.int32, device=D)
m.randint(3, size=(9,), device=D) | m.randint(high=3, size=[2, 2], device=D)
m.randint(-(2**40), 2**60, (50,), device=D) | m.randperm(20, device=D)
m.bernoulli(m.full((40,), 0.3, device=D)) | m.rand_like(m.ones(3, 2, device=D))
m.functional.dropout(m.ones(30, device=D), 0.4) | m.randn_like(m.ones(5, device=D))
"""
EACH = [text.strip() for text in DRAWS.strip().replace("\n", "|").split("|")]


def test_philox_is_philox():
    for counter, key, words in PUBLISHED:
        assert random.philox(key, [counter])[0].tolist() == words
    ones = random.philox(2**64 - 1, [2**64 - 1])
    assert ones.dtype == np.uint32 and len(set(ones[0].tolist())) == 4


@pytest.mark.parametrize("device", DEVICES[1:])
@pytest.mark.parametrize("text", EACH)
def test_same_numbers_on_every_device(text, device):
    drawn = []
    for place in ("cpu", device):
        minigrad.manual_seed(11)
        x = eval(text, {"m": minigrad, "D": place})
        assert x.device == place
        drawn.append((x.tolist(), x.dtype))
    assert drawn[0] == drawn[1]


@pytest.mark.parametrize("text", EACH)
def test_a_seed_repeats_and_numbers_go_on(text):
    minigrad.manual_seed(5)
    first = [eval(text, {"m": minigrad, "D": "cpu"}).tolist() for _ in range(6)]
    assert any(numbers != first[0] for numbers in first[1:])
    minigrad.manual_seed(5)
    assert eval(text, {"m": minigrad, "D": "cpu"}).tolist() == first[0]


@pytest.mark.parametrize("device", DEVICES)
def test_a_trace_shows_them(device):
    with minigrad.trace() as launches:
        minigrad.rand(5, dtype=minigrad.float16, device=device)
    assert [(n.operator, n.device, n.bytes) for n in launches] == [
        ("random", device, 10)
    ]


def test_chances_are_numbers_from_0_to_1():
    for device in ("cpu", "sim"):
        for p in (-0.1, 1.5, float("nan")):
            with pytest.raises(RuntimeError, match="p_in >= 0 && p_in <= 1"):
                minigrad.bernoulli(minigrad.tensor([0.5, p], device=device))
    with pytest.raises(NotImplementedError, match="are floats, not int64"):
        minigrad.bernoulli(minigrad.ones(2, dtype=minigrad.int64))


def test_state_can_be_kept():
    state = random.default_generator.get_state()
    first = minigrad.rand(10).tolist()
    random.default_generator.set_state(state)
    assert minigrad.rand(10).tolist() == first


def test_distributions():
    n = 200_000
    minigrad.manual_seed(0)
    for dtype in (minigrad.float32, minigrad.float64, minigrad.float16):
        x = minigrad.rand(n, dtype=dtype).numpy().astype(float)
        assert x.min() >= 0 and x.max() < 1
        counts, _ = np.histogram(x, 16, (0, 1))
        assert abs(counts - n / 16).max() < 5 * (n / 16) ** 0.5
    x = minigrad.randn(n).numpy()
    inside = [np.mean(abs(x) < s) for s in (1, 2, 3)]
    np.testing.assert_allclose(inside, [0.6827, 0.9545, 0.9973], atol=4e-3)
    assert abs(x.mean()) < 0.01 and abs(np.mean(x[::2] * x[1::2])) < 0.01
    counts = np.bincount(minigrad.randint(7, (n,)).numpy())
    assert len(counts) == 7 and abs(counts - n / 7).max() < 5 * (n / 7) ** 0.5
    assert sorted(minigrad.randperm(1000).tolist()) == list(range(1000))


def test_dropout():
    x = minigrad.ones(10_000)
    y = minigrad.functional.dropout(x, 0.25).numpy()
    assert set(np.unique(y)) == {0, np.float32(1 / 0.75)}
    assert abs((y == 0).mean() - 0.25) < 0.02
    assert minigrad.functional.dropout(x, 0.25, training=False) is x
    assert not minigrad.functional.dropout(x, 1.0).any()
    with pytest.raises(ValueError, match="between 0 and 1, but got 1.5"):
        minigrad.functional.dropout(x, 1.5)


def test_mistakes():
    with pytest.raises(RuntimeError, match="from=3 >= to=3"):
        minigrad.randint(3, 3, (2,))
    with pytest.raises(NotImplementedError, match="floats, not int64"):
        minigrad.rand(2, dtype=minigrad.int64)


@pytest.mark.parametrize("text, words", [
    ("m.randint(5, 2)", "size is a tuple"), ("m.randint()", "randint.high, size"),
    ("m.randint(2.5, (2,))", "expected ints"), ("m.randperm(2.5)", "must be int"),
    ("m.randint(300, (2,), dtype=m.uint8)", "randint: 299 is out of bounds for uint8"),
    ("m.randint(-1, 2, (2,), dtype=bool)", "randint: -1 is out of bounds for bool"),
    ("m.randperm(300, dtype=m.int8)", "randperm: 299 is out of bounds for int8"),
    ("m.manual_seed('a')", "'seed' must be Number, not str"),
    ("m.rand_like(2)", "rand_like.*must be Tensor, not int"),
])  # fmt: skip
def test_what_fits_nowhere(text, words):
    with pytest.raises((TypeError, RuntimeError), match=words):
        eval(text, {"m": minigrad})
