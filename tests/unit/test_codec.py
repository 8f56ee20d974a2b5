"""Values as bytes and back: what may cross does so unchanged, all else is refused."""

import contextlib
import datetime
import gc
import pickle
import time

import msgpack
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from grading.checking.runner import plain
from grading.isolation import codec
from grading.isolation.codec import NotPlain, Seen, decode, encode

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
        message = msgpack.packb(msgpack.ExtType(codec.TUPLE, b"\x91" + message))
    with pytest.raises(ValueError, match="nested"):
        decode(framed(message))


def framed(structure, arrays=b""):
    """A message of such a structure, written by hand."""
    return codec.HEAD.pack(len(structure)) + structure + arrays


def ext(code, value):
    return framed(msgpack.packb(msgpack.ExtType(code, msgpack.packb(value))))


def array_message(dtype="<f4", shape=(2,), data=b"\0" * 8):
    return ext(codec.ARRAY, [dtype, shape]) + data


@pytest.mark.parametrize(
    "message",
    [
        b"",
        b"\xc1",
        framed(b"\xc1"),
        encode([1, 2])[:-1],
        framed(msgpack.packb(1) + b"\0"),
        pickle.dumps({"a": 1}),
        ext(77, 1),
        ext(codec.TUPLE, 1),
        ext(codec.SEEN, "a"),
        ext(codec.SEEN, [1] * 5),
        ext(codec.SLICE, [1, 2]),
        ext(codec.SLICE, ["a", 1, 1]),
        ext(codec.BIG_INT, "zz"),
        ext(codec.BIG_INT, "0x" + "f" * 10**5),
        array_message("O"),
        array_message("V4"),
        array_message("f4,f4"),
        array_message("nonsense"),
        array_message(["f4"]),
        array_message(shape=(3,)),
        array_message(shape=(-1,)),
        array_message(shape=("a",)),
        array_message(shape=(2**40,)),
        array_message(shape=(0, 2**62, 2**62), data=b""),
        array_message(shape=5),
        array_message(data=b"\0" * 7),
        framed(msgpack.packb({"a": [1]})[:-1]),
        framed(b"\x91" * 2000 + b"\xc0"),
        framed(b"\xdd\xff\xff\xff\xff"),
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
    assert decode(framed(msgpack.packb(msgpack.Timestamp(1)))) == 1.0


def test_a_structure_that_is_too_long_is_refused_but_not_a_long_array():
    with pytest.raises(ValueError, match="1048582 bytes"):
        decode(encode("a" * 2**20 + "b"))
    assert len(decode(encode("a" * 2**20 + "b"), most=2**21)) == 2**20 + 1
    assert decode(encode(np.zeros(2**20))).size == 2**20


def test_a_value_with_too_much_to_read_is_refused_but_not_a_long_array():
    codec.expect_short([np.zeros(2**20), "a" * (codec.VALUE - 100)])
    for much in ("a" * codec.VALUE, ("ab",) * 50_000, [0] * codec.VALUE):
        with pytest.raises(codec.TooMuch, match="too much to read"):
            codec.expect_short(much)
        with pytest.raises(codec.TooMuch, match="too much to read"):
            decode(encode(much), most=codec.VALUE)


def nested(depth=30):
    """A value of 1 MB that is in so many of others, each of which is read by itself."""
    value = msgpack.packb("a" * (2**20 - 500))
    for _ in range(depth):
        value = msgpack.packb(msgpack.ExtType(codec.TUPLE, b"\x91" + value))
    return framed(value)


COLLIDING = [n * (2**61 - 1) for n in range(1, 12_000)]  # their hashes are all 0


@pytest.mark.slow
@pytest.mark.parametrize(
    "message",
    [
        lambda: framed(
            msgpack.packb([{2.0 ** (61 * n): 0 for n in range(-16, 17)}] * 3000)
        ),
        lambda: encode(dict.fromkeys(COLLIDING)),
        lambda: encode({(n,): 0 for n in COLLIDING}),
        lambda: encode({n * 0.5: 0 for n in range(100_000)}),
        lambda: framed(
            b"\xdf\x00\x01\x00\x00" + (b"\xcb\x7f\xf8" + b"\0" * 6 + b"\0") * 2**16
        ),
        lambda: framed(b"\xdd\x00\x04\x00\x00" + b"\xc7\x01\x00\x90" * 2**18),
        lambda: framed(b"\xdd\x00\x0f\x00\x00" + b"\x90" * (15 * 2**16)),
        lambda: encode(list(COLLIDING) * 4),
        lambda: encode([np.zeros(0)] * 49_000),
        lambda: nested(),
        lambda: encode([()] * 49_000),
        lambda: encode(dict.fromkeys(map(str, range(70_000)))),
    ],
    ids=range(12),
)
def test_reading_a_message_takes_no_more_than_a_moment(message):
    message = message()
    gc.freeze()  # collections leave alone what other tests have made
    for _ in range(3):  # the first may have to ask the system for memory
        begun = time.process_time()
        with contextlib.suppress(ValueError):
            decode(message)
        if (seconds := time.process_time() - begun) < 1:
            break
    assert seconds < 1


def test_the_bytes_of_an_array_are_read_once():
    one = msgpack.packb(msgpack.ExtType(codec.ARRAY, msgpack.packb(["|u1", [100]])))
    message = framed(msgpack.packb([0] * 3)[:1] + one * 3, b"x" * 299)
    with pytest.raises(ValueError):
        decode(message)
    assert [a.size for a in decode(message + b"x")] == [100] * 3


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
