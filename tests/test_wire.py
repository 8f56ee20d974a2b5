"""Values as bytes and back: what may cross does so unchanged, all else is refused."""

import datetime
import pickle

import msgpack
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from grading import wire
from grading.wire import NotPlain, Seen, decode, encode, plain

SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.integers(-(10**50), 10**50),
    st.integers(10**1000, 10**1001),
    st.floats(allow_nan=False),
    st.text(max_size=20),
    st.binary(max_size=20),
    st.just(...),
    st.builds(Seen, *[st.none()] * len(Seen._fields)),
    st.builds(slice, *[st.none() | st.integers()] * 3),
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(inner, max_size=4).map(tuple)
        | st.dictionaries(st.text(max_size=5) | st.integers(), inner, max_size=3)
    ),
    max_leaves=12,
)
DTYPES = (
    arrays.boolean_dtypes()
    | arrays.integer_dtypes()
    | arrays.unsigned_integer_dtypes()
    | arrays.floating_dtypes()
)


def equal(a, b):
    """The same value, of the same types all the way down."""
    if type(a) is not type(b):
        return False
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(equal(a[k], b[k]) for k in a)
    if isinstance(a, list | tuple):
        return len(a) == len(b) and all(map(equal, a, b))
    return a == b


@given(VALUES)
def test_plain_values_come_back_unchanged(value):
    assert equal(decode(encode(value)), value)


@given(arrays.arrays(DTYPES, arrays.array_shapes(min_dims=0, min_side=0, max_side=4)))
def test_arrays_come_back_unchanged(array):
    back = decode(encode(array))
    assert (back.dtype, back.shape) == (array.dtype, array.shape)
    assert np.array_equal(back, array, equal_nan=array.dtype.kind == "f")
    assert back.flags.writeable and back.base is not array


def test_an_array_that_is_a_view_crosses_by_value():
    array = np.arange(24).reshape(4, 6)
    for view in (array.T, array[::-2, 1:], np.broadcast_to(array[0], (3, 6))):
        assert np.array_equal(decode(encode(view)), view)


@pytest.mark.parametrize("value", [float("inf"), -0.0, 2**63, -(2**63) - 1, 2**64, ""])
def test_values_at_the_edge(value):
    assert repr(decode(encode(value))) == repr(value)


def test_nan_comes_back():
    assert np.isnan(decode(encode(float("nan"))))


class Own:
    def __reduce__(self):
        raise AssertionError("nothing here is ever pickled")


class OwnInt(int):
    pass


class OwnTuple(tuple):
    pass


@pytest.mark.parametrize(
    "value",
    [
        Own(),
        Own,
        len,
        {1, 2},
        1j,
        datetime.date(2026, 1, 1),
        np.float32(1),
        np.array(["a"]),
        np.array([object()]),
        np.zeros(2, "M8[s]"),
        np.zeros(2, [("a", "f4")]),
        OwnInt(3),
        (1, [Own()]),
        {"a": Own()},
    ],
    ids=lambda value: type(value).__name__,
)
def test_nothing_else_is_encoded(value):
    with pytest.raises(NotPlain):
        encode(value)


def deep(levels, kind):
    value = kind()
    for _ in range(levels):
        value = kind([value])
    return value


@pytest.mark.parametrize("kind", [list, tuple])
def test_a_value_that_is_nested_too_deeply_is_refused(kind):
    with pytest.raises(NotPlain):
        encode(deep(3000, kind))


def test_a_message_that_is_nested_too_deeply_is_refused():
    message = b"\xc0"
    for _ in range(5000):  # each is decoded by itself: C's stack would end
        message = msgpack.packb(msgpack.ExtType(wire.TUPLE, b"\x91" + message))
    with pytest.raises(ValueError, match="nested"):
        decode(message)


def array_message(dtype="<f4", shape=(2,), data=b"\0" * 8):
    inner = msgpack.packb([dtype, list(shape), data])
    return msgpack.packb(msgpack.ExtType(wire.ARRAY, inner))


@pytest.mark.parametrize(
    "message",
    [
        b"",
        b"\xc1",
        encode([1, 2])[:-1],
        encode(1) + b"\0",
        pickle.dumps({"a": 1}),
        msgpack.packb(msgpack.ExtType(77, b"\x01")),
        msgpack.packb(msgpack.ExtType(wire.TUPLE, b"\x01")),
        msgpack.packb(msgpack.ExtType(wire.SEEN, msgpack.packb("a"))),
        msgpack.packb(msgpack.ExtType(wire.SEEN, msgpack.packb([1] * 5))),
        msgpack.packb(msgpack.ExtType(wire.SLICE, msgpack.packb([1, 2]))),
        msgpack.packb(msgpack.ExtType(wire.SLICE, msgpack.packb(["a", 1, 1]))),
        msgpack.packb(msgpack.ExtType(wire.BIG_INT, msgpack.packb("zz"))),
        msgpack.packb(msgpack.ExtType(wire.BIG_INT, msgpack.packb("0x" + "f" * 10**6))),
        array_message("O"),
        array_message("V4"),
        array_message("f4,f4"),
        array_message("nonsense"),
        array_message(shape=(3,)),
        array_message(shape=(-1,)),
        array_message(shape=("a",)),
        array_message(shape=(2**40,)),
        array_message(shape=(0, 2**62, 2**62), data=b""),
        array_message(data=b"\0" * 7),
        array_message(data="text"),
        msgpack.packb({"a": [1]})[:-1],
        b"\x91" * 2000 + b"\xc0",
        b"\xdd\xff\xff\xff\xff",
    ],
)
def test_bytes_that_are_no_message_are_refused(message):
    with pytest.raises(ValueError):
        decode(message)


@given(st.binary(max_size=60))
def test_any_bytes_give_a_plain_value_or_a_clear_error(data):
    try:
        value = decode(data)
    except ValueError:
        return
    plain(value, keep=lambda v: v if type(v) is bytes else refuse(v))


def test_a_time_becomes_a_number():
    assert decode(msgpack.packb(msgpack.Timestamp(1))) == 1.0


def test_a_message_that_is_too_long_is_refused(monkeypatch):
    monkeypatch.setattr(wire, "MAX_BYTES", 10)
    with pytest.raises(ValueError, match="too long"):
        decode(encode("a" * 20))


# ---------------------------------------------------------------- plain


def refuse(value):
    raise NotPlain(type(value).__name__)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (np.int64(3), 3),
        (np.float32(0.5), 0.5),
        (np.bool_(True), True),
        (OwnInt(3), 3),
        (OwnTuple((1, 2)), (1, 2)),
        (np.str_("a"), "a"),
        ((np.int8(1), [np.int8(2)]), (1, [2])),
        (slice(np.int64(1), None), slice(1, None)),
        ({np.int64(1): 2}, {1: 2}),
    ],
    ids=lambda value: type(value).__name__,
)
def test_plain_makes_exact_types(value, expected):
    assert equal(plain(value, refuse), expected)


def test_plain_hands_what_is_not_plain_to_keep():
    own = Own()
    assert plain((1, own), keep=lambda v: 7) == (1, 7)
    with pytest.raises(NotPlain):
        plain(own, refuse)


def test_plain_copies_arrays():
    array = np.arange(3)
    copy = plain(array, refuse)
    array[0] = 99
    assert copy[0] == 0


def test_plain_stops_at_what_contains_itself():
    itself = []
    itself.append(itself)
    with pytest.raises(NotPlain, match="32 deep"):
        plain(itself, refuse)
