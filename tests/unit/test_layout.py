"""The arithmetic of layouts, against tables and against counting by hand."""

import itertools
import math
import pickle

import pytest
from answers import filled  # noqa: F401  every exercise has an answer

from minigrad import layout

SHAPES = [(), (1,), (0,), (4,), (2, 3), (3, 1), (1, 1), (2, 0, 3), (2, 3, 4), (2, 1, 2)]
# (shape, strides): row-major, transposed, every second, repeated, with gaps
LAYOUTS = [
    ((), ()),
    ((6,), (1,)),
    ((6,), (2,)),
    ((6,), (0,)),
    ((2, 3), (3, 1)),
    ((3, 2), (1, 3)),
    ((2, 3), (6, 2)),
    ((2, 3), (6, 1)),
    ((2, 3), (0, 1)),
    ((2, 3), (1, 0)),
    ((2, 3), (0, 0)),
    ((2, 2, 3), (6, 3, 1)),
    ((3, 2, 2), (1, 6, 3)),
    ((2, 3, 2), (6, 1, 3)),
    ((2, 2, 3), (12, 6, 1)),
    ((2, 1, 3), (3, 77, 1)),
    ((1, 6, 1), (9, 1, 5)),
    ((2, 0, 3), (3, 3, 1)),
]


def grid(shape, strides, offset=0):
    """The storage cells that a layout reads, as nested lists."""
    if not shape:
        return offset
    steps = range(offset, offset + shape[0] * strides[0], strides[0] or 1)
    steps = steps if strides[0] else [offset] * shape[0]
    return [grid(shape[1:], strides[1:], cell) for cell in steps]


def flat(rows):
    return [c for row in rows for c in flat(row)] if isinstance(rows, list) else [rows]


def pick(rows, index):
    """rows[index], done by Python's own lists."""
    if not index:
        return rows
    first, rest = index[0], index[1:]
    if first is None:
        return [pick(rows, rest)]
    if isinstance(first, slice):
        return [pick(row, rest) for row in rows[first]]
    return pick(rows[first], rest)


def positions(shape):
    return itertools.product(*map(range, shape))


# ---------------------------------------------------------------- the exercises


@pytest.mark.parametrize("shape", SHAPES)
def test_contiguous_strides_count_row_by_row(shape):
    strides = layout.contiguous_strides(shape)
    assert type(strides) is tuple and len(strides) == len(shape)
    assert flat(grid(shape, strides)) == list(range(math.prod(shape)))


def test_contiguous_strides_with_a_size_of_zero():
    assert layout.contiguous_strides((2, 0, 3)) == (3, 3, 1)
    assert layout.contiguous_strides((0, 4, 0)) == (4, 1, 1)


@pytest.mark.parametrize(("shape", "strides"), LAYOUTS)
def test_offset_of_finds_the_cell(shape, strides):
    for offset in (0, 5):
        values = [layout.offset_of(i, strides, offset) for i in positions(shape)]
        assert values == flat(grid(shape, strides, offset))


@pytest.mark.parametrize("shape", [s for s in SHAPES if 0 not in s])
def test_index_of_counts_row_by_row(shape):
    values = [layout.index_of(p, shape) for p in range(math.prod(shape))]
    assert values == list(positions(shape))


ITEMS = [0, -1, 1, None, *map(slice, (None, 1, -1), (None, 9, 2), (None, 2, 1))]


@pytest.mark.parametrize(("shape", "strides"), [s for s in LAYOUTS if len(s[0]) < 3])
def test_slice_view_picks_what_lists_pick(shape, strides):
    seen = 0
    for index in itertools.chain(
        *(itertools.product(ITEMS, repeat=n) for n in range(4))
    ):
        used = sum(item is not None for item in index)
        ints_fit = [i for i in index if i is not None]
        ints_fit = all(
            isinstance(i, slice) or -n <= i < n
            for i, n in zip(ints_fit, shape, strict=False)
        )
        if used > len(shape) or not ints_fit:
            with pytest.raises(IndexError):
                layout.slice_view(shape, strides, 3, index)
            continue
        view = layout.slice_view(shape, strides, 3, index)
        assert grid(*view) == pick(grid(shape, strides, 3), index), index
        seen += 1
    assert seen > 3


@pytest.mark.parametrize(
    ("index", "same"),
    [
        ((...,), ()),
        ((..., 1), (slice(None), slice(None), 1)),
        ((1, ...), (1,)),
        ((1, ..., 2), (1, slice(None), 2)),
        ((..., 1, 2, 3), (1, 2, 3)),
        ((1, ..., 2, 3), (1, 2, 3)),
        ((None, ..., None), (None, slice(None), slice(None), slice(None), None)),
    ],
)
def test_ellipsis_stands_for_the_dimensions_that_are_not_named(index, same):
    x = ((2, 3, 4), (12, 4, 1), 7)
    assert layout.slice_view(*x, index) == layout.slice_view(*x, same)


def test_slice_view_of_nothing_keeps_the_sizes():
    assert layout.slice_view((4, 6), (6, 1), 0, (slice(3, 1),))[0] == (0, 6)
    assert layout.slice_view((4, 6), (6, 1), 0, (slice(9, 99),))[0] == (0, 6)
    assert layout.slice_view((0, 6), (6, 1), 0, (slice(None), 2))[0] == (0,)


@pytest.mark.parametrize("step", [0, -1])
def test_slice_view_takes_no_step_below_one(step):
    with pytest.raises(ValueError, match="step"):
        layout.slice_view((4,), (1,), 0, (slice(None, None, step),))


def test_broadcast_shapes_of_all_small_shapes():
    small = [s for n in range(3) for s in itertools.product((0, 1, 2, 3), repeat=n)]
    for shapes in itertools.product(small, repeat=2):
        columns = itertools.zip_longest(*map(reversed, shapes), fillvalue=1)
        sizes = [set(column) - {1} for column in columns]
        if any(len(left) > 1 for left in sizes):
            with pytest.raises(RuntimeError, match="do not fit"):
                layout.broadcast_shapes(*shapes)
        else:
            expected = tuple(min(left, default=1) for left in reversed(sizes))
            assert layout.broadcast_shapes(*shapes) == expected, shapes


def test_broadcast_shapes_of_any_number_of_shapes():
    assert layout.broadcast_shapes() == ()
    assert layout.broadcast_shapes((2, 1)) == (2, 1)
    assert layout.broadcast_shapes((3, 1, 1), (4, 1), (5,)) == (3, 4, 5)


def splits(count, most=4):
    """Every shape of `count` elements with at most so many dimensions."""
    if most == 0:
        return [()] if count == 1 else []
    sizes = [n for n in range(1, count + 1) if count % n == 0]
    return [()] * (count == 1) + [
        (n, *rest) for n in sizes for rest in splits(count // n, most - 1)
    ]


@pytest.mark.parametrize(("shape", "strides"), LAYOUTS)
def test_view_or_copy_finds_a_view_where_one_exists(shape, strides):
    wanted = flat(grid(shape, strides))
    for new in set(splits(len(wanted))) if wanted else [(0,), (3, 0), (2, 0, 3)]:
        # Only these strides can be right: how far one step along each dimension goes.
        steps = [math.prod(new[d + 1 :]) for d in range(len(new))]
        only = [
            wanted[step] - wanted[0] if wanted and size > 1 else 0
            for size, step in zip(new, steps, strict=True)
        ]
        values = layout.view_or_copy(shape, strides, new)
        if flat(grid(new, only)) != wanted:
            assert values is None, new
        else:
            assert flat(grid(new, values)) == wanted, new


# ---------------------------------------------------------------- the rest


@pytest.mark.parametrize(("shape", "strides"), LAYOUTS)
def test_offsets_is_contiguous_and_extent(shape, strides):
    read = flat(grid(shape, strides, 5))
    assert layout.numel(shape) == len(read)
    assert layout.offsets(shape, strides, 5) == read
    assert layout.extent(shape, strides, 5) == max(read, default=-1) + 1
    assert layout.is_contiguous(shape, strides) == (
        read == list(range(5, 5 + len(read)))
    )


@pytest.mark.parametrize(
    ("new_shape", "count", "sizes"),
    [
        ((2, 3), 6, (2, 3)),
        ((-1,), 6, (6,)),
        ((2, -1), 6, (2, 3)),
        ((-1, 6), 6, (1, 6)),
        ((), 1, ()),
        ((-1,), 1, (1,)),
        ((-1,), 0, (0,)),
        ((3, -1), 0, (3, 0)),
        ((0, 5), 0, (0, 5)),
    ],
)
def test_infer_size(new_shape, count, sizes):
    assert layout.infer_size(new_shape, count) == sizes


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (
            "infer_size((4,), 6)",
            RuntimeError,
            r"'\[4\]' is invalid for input of size 6",
        ),
        ("infer_size((-1, 4), 6)", RuntimeError, "invalid for input of size 6"),
        ("infer_size((-1, 0), 6)", RuntimeError, "invalid for input of size 6"),
        ("infer_size((-1, -1), 6)", RuntimeError, "only one dimension can be inferred"),
        ("infer_size((-2, 3), 6)", RuntimeError, "invalid shape dimension -2"),
        (
            "infer_size((-1, 0), 0)",
            RuntimeError,
            "-1 can be any value and is ambiguous",
        ),
        ("wrap_dim(2, 2)", IndexError, r"range of \[-2, 1\], but got 2"),
        ("wrap_dim(-3, 2)", IndexError, "but got -3"),
        ("wrap_dim(1, 0)", IndexError, r"range of \[-1, 0\]"),
        ("wrap_dim(True, 2)", TypeError, "a dimension is an int, not bool"),
        ("wrap_dim(0.0, 2)", TypeError, "not float"),
        ("as_ints((), least=1)", TypeError, "got nothing"),
        ("as_ints((2.0, 3))", TypeError, r"got \(2.0, 3\)"),
        ("as_ints(('2',))", TypeError, "got"),
        ("as_ints((True, 2))", TypeError, "True"),
        ("as_ints(((2, 3), 4))", TypeError, r"one tuple of ints"),
        ("as_shape((2, -1))", RuntimeError, "must not be negative"),
        ("as_shape((10**30,))", MemoryError, "fits into no memory"),
        ("as_index((..., ...), 2)", IndexError, "single ellipsis"),
        ("as_index(0, 0)", IndexError, "0-dim tensor"),
        ("as_index(slice(None), 0)", IndexError, "0-dim tensor"),
        ("as_index(1.0, 2)", IndexError, "got float"),
        ("as_index('a', 2)", IndexError, r"got str\)$"),
        ("as_index([0, 1], 2)", IndexError, "valid indices .got list"),
        ("as_index((0, (1,)), 2)", IndexError, "valid indices .got tuple"),
        ("as_index(True, 2)", IndexError, "got bool"),
        ("at_dim((), 0)", IndexError, "tensor has no dimensions"),
        ("distinct((0, -1), 1)", RuntimeError, "appears multiple times"),
        ("check_fits((2, 2), (1,), 0, 9)", RuntimeError, "mismatch in length"),
        ("check_fits((2,), (-1,), 1, 9)", RuntimeError, "Negative strides"),
        ("check_fits((-2,), (1,), 0, 9)", RuntimeError, "must not be negative"),
        ("check_fits((2,), (1,), -1, 9)", RuntimeError, "invalid storage offset -1"),
        ("check_fits((2,), (1,), 8, 9)", RuntimeError, "need 10 cells.* has 9"),
        ("check_fits((1,), (10**30,), 0, 9)", RuntimeError, "out of bounds"),
        ("check_no_overlap((2, 3), (0, 1))", RuntimeError, "single memory location"),
    ],
)
def test_messages(call, error, words):
    with pytest.raises(error, match=words):
        eval(f"layout.{call}")


def test_what_is_no_mistake():
    layout.check_fits((2,), (1,), 7, 9)
    layout.check_fits((0,), (1,), 99, 9)
    layout.check_no_overlap((1, 3), (0, 1))
    layout.check_no_overlap((2, 0), (0, 1))
    assert layout.as_ints(((2, 3),)) == layout.as_ints((2, 3)) == (2, 3)
    assert layout.as_ints(((),), least=1) == layout.as_ints(()) == ()
    assert [layout.wrap_dim(d, 3) for d in (-3, -1, 0, 2)] == [0, 2, 0, 2]
    assert layout.wrap_dim(-1, 0) == 0


def test_a_misspelt_name_is_reported_the_right_one():
    with pytest.raises(
        AttributeError, match=r"'contiguos_strides'.*contiguous_strides"
    ):
        layout.contiguos_strides  # noqa: B018
    with pytest.raises(AttributeError, match="no attribute 'zzz'$"):
        layout.zzz  # noqa: B018
    assert not hasattr(layout, "contiguos_strides")
    assert getattr(layout, "zzz", 5) == 5
    with pytest.raises(ImportError):
        exec("from minigrad.layout import contiguos_strides", {})
    names = {}
    exec("from minigrad.layout import *", names)
    assert names["numel"] is layout.numel
    assert pickle.loads(pickle.dumps(layout.numel)) is layout.numel
