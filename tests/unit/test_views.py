"""Chains of views, side by side in minigrad and PyTorch: equal at each step.

HYPOTHESIS_PROFILE=deep takes many more examples, other ones each time.
"""

import os

import numpy as np
import pytest
from answers import filled  # noqa: F401  every exercise has an answer
from hypothesis import given, settings
from hypothesis import strategies as st

import minigrad

torch = pytest.importorskip(
    "torch", reason="not run: tests against PyTorch (torch is not installed)"
)
pytestmark = pytest.mark.filterwarnings("ignore")  # T of other than two dimensions

DEEP = os.environ.get("HYPOTHESIS_PROFILE") == "deep"
examples = settings(
    max_examples=20_000 if DEEP else 600,
    derandomize=not DEEP,
    database=None,
    deadline=None,
)
DTYPES = ("uint8", "int32", "int64", "float32", "float64", "bool")
MISTAKES = IndexError, RuntimeError, TypeError, ValueError

sizes = st.sampled_from([0, 1, 1, 2, 3, 4])
shapes = st.lists(sizes, max_size=5).map(tuple)
rarely = st.sampled_from([False] * 7 + [True])


@st.composite
def arrays(draw):
    shape = draw(shapes)
    numbers = np.arange(np.prod(shape, dtype=int)).reshape(shape)
    return numbers.astype(draw(st.sampled_from(DTYPES)))


def dim_of(ndim):
    bound = max(ndim, 1)
    inside = st.integers(-bound, bound - 1)
    return rarely.flatmap(lambda wrong: st.integers(-7, 7) if wrong else inside)


@st.composite
def orders(draw, ndim):
    dims = draw(st.permutations(range(ndim)))
    if draw(rarely):
        dims = draw(st.lists(dim_of(ndim), max_size=6))
    return tuple(d - ndim if draw(st.booleans()) else d for d in dims)


@st.composite
def new_shapes(draw, count):
    """Mostly shapes of `count` elements, some with a -1; also ones that do not fit."""
    if draw(rarely):
        return draw(st.lists(st.integers(-2, 6), max_size=4).map(tuple))
    shape, left = [], count
    for _ in range(draw(st.integers(0, 3))):
        fitting = [n for n in range(1, 13) if left % n == 0]
        shape.append(draw(st.sampled_from(fitting)))
        left //= shape[-1]
    if left != 1 or draw(rarely):
        shape.insert(draw(st.integers(0, len(shape))), left)
    if shape and draw(rarely):
        shape[draw(st.integers(0, len(shape) - 1))] = -1
    return tuple(shape)


@st.composite
def expansions(draw, shape):
    new = [draw(sizes) for _ in range(draw(st.integers(0, 2)))]
    old = [draw(sizes) if n == 1 else draw(st.sampled_from([n, -1])) for n in shape]
    if new + old and draw(rarely):
        (new + old)[0], old[-1:] = -1, [draw(st.integers(-1, 5))]
    return tuple(new + old)[draw(rarely) :]


@st.composite
def indices(draw, shape):
    items = []
    for n in shape[: draw(st.integers(0, len(shape)))]:
        if draw(rarely):
            items.append(draw(st.integers(-n - 1, n)))
        elif n and draw(st.booleans()):
            items.append(draw(st.integers(-n, n - 1)))
        else:
            near = st.none() | st.integers(-n - 1, n + 1)
            steps = st.sampled_from([None, 1, 1, 2, 3, 5, -1 if draw(rarely) else 1])
            items.append(slice(draw(near), draw(near), draw(steps)))
    if draw(rarely):
        items += [0] * draw(st.integers(1, 6))
    for extra in draw(st.sampled_from([[], [], [None], [...], [None, ...]])):
        items.insert(draw(st.integers(0, len(items))), extra)
    return items[0] if len(items) == 1 and draw(st.booleans()) else tuple(items)


@st.composite
def strided(draw, cells):
    ndim = draw(st.integers(0, 3))
    shape = tuple(draw(sizes) for _ in range(ndim))
    strides = tuple(draw(st.integers(-draw(rarely), 4)) for _ in range(ndim))
    return shape, strides, draw(st.integers(-draw(rarely), cells))


@st.composite
def steps(draw, x):
    """One operation that mostly fits the tensor x: its name and its arguments."""
    ndim, shape = x.dim(), tuple(x.shape)
    count, cells = x.numel(), x.untyped_storage().nbytes() // x.element_size()
    dim = dim_of(ndim)
    name, arguments = draw(
        st.sampled_from(
            [
                ("[]", st.tuples(indices(shape))),
                ("T", st.just(())),
                ("permute", st.tuples(orders(ndim))),
                ("transpose", st.tuples(dim, dim)),
                ("expand", st.tuples(expansions(shape))),
                ("view", st.tuples(new_shapes(count))),
                ("reshape", st.tuples(new_shapes(count))),
                ("flatten", st.just(()) | st.tuples(dim) | st.tuples(dim, dim)),
                ("squeeze", st.just(()) | st.tuples(dim)),
                ("squeeze", st.tuples(st.lists(dim, max_size=3).map(tuple))),
                ("unsqueeze", st.tuples(dim_of(ndim + 1))),
                ("as_strided", strided(cells)),
                ("contiguous", st.just(())),
                ("clone", st.just(())),
            ]
        )
    )
    return name, draw(arguments)


def apply(x, name, arguments):
    if name == "[]":
        return x[arguments[0]]
    if name == "T":
        return x.T
    if name == "clone" and isinstance(x, torch.Tensor):  # on purpose: always row-major
        return x.clone(memory_format=torch.contiguous_format)
    return getattr(x, name)(*arguments)


def outcome(x, name, arguments):
    try:
        return apply(x, name, arguments)
    except MISTAKES as error:
        return error


def same_error(ours, theirs):
    assert type(ours) is type(theirs), (repr(ours), repr(theirs))
    assert len(str(ours)) > 15, repr(ours)


def same_tensor(ours, theirs):
    assert type(ours.shape) is tuple
    assert ours.shape == ours.size() == tuple(theirs.shape)
    assert ours.stride() == theirs.stride()
    assert ours.storage_offset() == theirs.storage_offset()
    assert (ours.dim(), ours.numel()) == (theirs.dim(), theirs.numel())
    assert ours.is_contiguous() is theirs.is_contiguous()
    assert ours.dtype.name == str(theirs.dtype).removeprefix("torch.")
    assert ours.tolist() == ours.numpy().tolist() == theirs.tolist()


def shared(a, b):
    """Do two tensors of one library read the same storage?"""
    if isinstance(a, minigrad.Tensor):
        return a.storage is b.storage
    return a.untyped_storage()._cdata == b.untyped_storage()._cdata


def begin(array):
    theirs = apply(torch.from_numpy(array), "clone", ())
    return minigrad.tensor(array), theirs


def walk(data, ours, theirs, most=8):
    """Up to so many steps in both libraries, compared one by one; the last tensors."""
    path = [(ours, theirs)]
    for _ in range(data.draw(st.integers(min(2, most), most), label="steps")):
        name, arguments = data.draw(steps(theirs), label="step")
        one, other = (outcome(x, name, arguments) for x in (ours, theirs))
        if isinstance(other, Exception):
            same_error(one, other)
            continue
        same_tensor(one, other)
        for a, b in path:  # the origin, and every view on the way
            assert shared(one, a) is shared(other, b)
        ours, theirs = one, other
        path.append((ours, theirs))
    return ours, theirs


@pytest.mark.slow
@examples
@given(arrays(), st.data())
def test_chains_of_views(array, data):
    walk(data, *begin(array))


@pytest.mark.slow
@examples
@given(arrays(), st.data())
def test_writing_through_a_view_shows_in_its_base(array, data):
    bases = begin(array)
    views = walk(data, *bases, most=4)
    index = data.draw(indices(tuple(views[1].shape)), label="index")
    shape = data.draw(shapes, label="shape")
    values = [7, True, 1.5, "part", *[shape] * data.draw(rarely)]
    value = data.draw(st.sampled_from(values), label="value")
    results = []
    for m, base, view in zip((minigrad, torch), bases, views, strict=True):
        try:
            new = value
            if value == "part":  # the last dimensions of the place, or more
                place = tuple(view[index].shape)
                new = m.ones((1, *place) if len(place) % 2 else place[1:])
            elif isinstance(value, tuple):
                new = m.ones(value)
            view[index] = new
            results.append(None)
        except MISTAKES as error:
            results.append(error)
        results.append((base, view))
    if results[2] is None:
        assert results[0] is None
    else:
        same_error(results[0], results[2])
    for one, other in zip(results[1], results[3], strict=True):
        same_tensor(one, other)


@pytest.mark.slow
@examples
@given(arrays(), st.data())
def test_from_numpy_of_any_view(array, data):
    for _ in range(data.draw(st.integers(0, 3))):
        index = data.draw(indices(array.shape))
        try:
            array = np.asarray(array[index])
        except IndexError:
            continue
        array = array.transpose(data.draw(st.permutations(range(array.ndim))))
    ours, theirs = (outcome_of_from_numpy(array, m) for m in (minigrad, torch))
    if isinstance(theirs, Exception):
        return same_error(ours, theirs)
    same_tensor(ours, theirs)
    assert np.shares_memory(ours.numpy(), array) == (array.size > 0)
    walk(data, ours, theirs, most=3)


def outcome_of_from_numpy(array, m):
    try:
        return m.from_numpy(array)
    except MISTAKES as error:
        return error


FIELDS = np.dtype([("a", "i1"), ("b", "<i4"), ("c", "V3")])  # b is 1 byte off


@pytest.mark.parametrize(
    "array",
    [
        np.arange(24.0).reshape(2, 3, 4)[:, ::2, 1:],
        np.arange(6).reshape(2, 3).T,
        np.broadcast_to(np.arange(3), (2, 3)),
        np.zeros((2, 0, 3)),
        np.zeros((4, 5))[:0, 2:],
        np.array(5.0),
        np.arange(6, dtype=np.float16),
        np.array([True, False])[::1],
        np.asfortranarray(np.ones((2, 3))),
        np.zeros(4, FIELDS)["b"],
        np.zeros(4, "f4,f4")["f1"],
        np.frombuffer(bytes(8), np.int32),
        np.arange(3)[::-1],
        np.ones((2, 3))[:, ::-1],
        np.zeros(4, "f4,i1")["f0"],
        np.arange(3, dtype=">i4"),
        np.array(["a"]),
        np.array([1, None]),
        np.array([np.datetime64("2020-01-01")]),
        np.zeros(3, FIELDS),
        [1, 2],
        3.0,
    ],
    ids=lambda a: f"{getattr(a, 'dtype', type(a).__name__)}{np.shape(a)}",
)
def test_from_numpy(array):
    ours, theirs = (outcome_of_from_numpy(array, m) for m in (minigrad, torch))
    if isinstance(theirs, Exception):
        return same_error(ours, theirs)
    same_tensor(ours, theirs)
    if array.size and array.flags.writeable:
        array[(0,) * array.ndim] = 1
        ours[(-1,) * array.ndim] = 1
        same_tensor(ours, theirs)
        assert ours.tolist() == array.tolist()


def test_a_read_only_array_stays_as_it_is():
    array = np.arange(3)
    array.flags.writeable = False
    x = minigrad.from_numpy(array)
    with pytest.raises(RuntimeError, match="read-only: write to a clone"):
        x[0] = 5
    copied = x.clone()
    copied[0] = 5
    assert (array.tolist(), copied.tolist()) == ([0, 1, 2], [5, 1, 2])


def test_memory_of_an_array_outlives_its_name():
    x = minigrad.from_numpy(np.arange(1000))[10:]
    assert x.numpy()[:3].tolist() == [10, 11, 12]
    y = minigrad.arange(3).numpy()
    assert y.tolist() == [0, 1, 2]
