"""Chapter 03, slice_view: PyTorch's own indexing is the oracle."""

from grading import show
from grading.checking import Check, cause, checks
from grading.picture import cells, compared
from grading.show import same_strides
from minigrad import layout

from .layouts import random_view, tensor


def numbers(shape, strides, offset, index):
    """(shape, strides, offset) of x[index], by PyTorch."""
    y = tensor(shape, strides, offset)[index]
    return tuple(y.shape), y.stride(), y.storage_offset()


def each(index, kind, change):
    """The index with `change(item)` for each item of a kind."""
    return tuple(change(item) if isinstance(item, kind) else item for item in index)


def from_to(start=None, stop=None, step=None):
    return slice(start, stop, step)


@checks(layout.slice_view)
class SliceView(Check):
    def cases(self, random):
        rows, cube = ((4, 6), (6, 1), 0), ((2, 3, 4), (12, 4, 1), 0)
        moved, none = ((3, 5), (1, 8), 7), ((), (), 3)
        heart = "ints and slices"
        yield heart, *rows, (1, from_to(0, 6))
        yield heart, *rows, (from_to(1, 3), from_to(2, 5))
        yield heart, *cube, (1, 2, 3)
        yield heart, *cube, (from_to(0, 2), 1, from_to(1, 4))
        for _ in range(4):
            shape, strides, offset = random_view(random)
            yield heart, shape, strides, offset, self.drawn(random, shape)
        for index in [
            (from_to(0, 4, 2), 1),
            (2, from_to(1, 6, 2)),
            (from_to(1, 4, 3), 0),
        ]:
            yield "steps", *rows, index
        yield "steps", *moved, (from_to(0, 3, 2), from_to(0, 5, 3))
        for index in [
            (-1, from_to(-4, -1)),
            (from_to(1, -1), -6),
            (-4, from_to(-5, None, 2)),
        ]:
            yield "negative", *rows, index
        ends = [
            from_to(),
            from_to(2),
            from_to(None, 2),
            from_to(1, 99),
            from_to(-99, 2),
        ]
        for item in ends:
            yield "open ends", *rows, (item, 2)
        for item in [from_to(3, 1), from_to(2, 2), from_to(99, 100), from_to(5, -99)]:
            yield "nothing left", *rows, (item, from_to(1, 3))
        yield "nothing left", (0, 3), (3, 1), 2, (from_to(), 1)
        for index in [(), (1,), (from_to(1, 2),)]:
            yield "fewer items", *cube, index
        yield "fewer items", *none, ()
        for index in [(None, 1), (1, None, from_to(1, 4)), (None, from_to(), 2, None)]:
            yield "None", *rows, index
        yield "None", *none, (None,)
        for index in [(..., 1), (1, ..., 2), (0, ...), (0, 1, ..., 2), (...,)]:
            yield "...", *cube, index
        yield "...", *cube, (..., None, from_to(1, 3))
        for index in [(4, 0), (0, -7), (0, 0, 0), (0, ..., 0, 0), (6,)]:
            yield "errors", *rows, index
        for step in [0, -1]:
            yield "errors", *rows, (from_to(0, 4, step), 1)

    def drawn(self, random, shape):
        index = [random.randrange(n) for n in shape]
        slices = random.sample(range(len(shape)), random.randint(1, len(shape) - 1))
        for d in slices:
            index[d] = from_to(random.randint(0, 1), shape[d] - random.randint(0, 1))
        return tuple(index)

    def expected(self, shape, strides, offset, index):
        return numbers(shape, strides, offset, index)

    def same(self, got, expected, *args):
        if not isinstance(got, tuple) or len(got) != 3:
            return False
        empty = 0 in expected[0]  # then no cell is read: the offset has no meaning
        return (
            show.same(got[0], expected[0])
            and same_strides(got[1], expected[1], expected[0])
            and type(got[2]) is int
            and (empty or got[2] == expected[2])
        )

    def picture(self, shape, strides, offset, index, expected, got):
        return compared(cells(shape, strides, offset), cells(*expected), cells(*got))

    @cause("the offset that x has is lost: the new offset starts from it")
    def offset_lost(self, shape, strides, offset, index):
        return numbers(shape, strides, 0, index)

    @cause(
        "the offset does not move: an int, or a start, moves it by that many strides"
    )
    def start_lost(self, shape, strides, offset, index):
        return *numbers(shape, strides, offset, index)[:2], offset

    @cause("the step is ignored: the size is divided by it, the stride multiplied")
    def step_ignored(self, shape, strides, offset, index):
        bare = each(index, slice, lambda item: slice(item.start, item.stop))
        return numbers(shape, strides, offset, bare)

    @cause("the stride is not multiplied by the step")
    def stride_kept(self, shape, strides, offset, index):
        right = numbers(shape, strides, offset, index)
        return (
            right[0],
            self.step_ignored.model.function(self, shape, strides, offset, index)[1],
            right[2],
        )

    @cause("the size is rounded down: 0:5:2 has three elements; len(range(0, 5, 2))")
    def rounded_down(self, shape, strides, offset, index):
        def shorter(s):
            step = s.step or 1
            size = ((s.stop or 0) - (s.start or 0)) // step
            return slice(s.start, (s.start or 0) + size * step, step)

        return numbers(shape, strides, offset, each(index, slice, shorter))

    @cause("an int takes its dimension away: here it stays, with size 1")
    def int_stays(self, shape, strides, offset, index):
        kept = each(index, int, lambda i: slice(i, i + 1 or None))
        return numbers(shape, strides, offset, kept)

    @cause("a negative int counts from the end: add the size")
    def negative_int(self, shape, strides, offset, index):
        right = numbers(shape, strides, offset, index)
        back = zip(index, shape, strides, strict=False)
        less = sum(n * s for i, n, s in back if isinstance(i, int) and i < 0)
        return *right[:2], right[2] - less

    @cause(
        "slice.indices(size) fills in None, counts from the end and stops at the end"
    )
    def raw_ends(self, shape, strides, offset, index):
        numbers(shape, strides, offset, index)  # raises as it should
        new_shape, new_strides = [], []
        for item, n, s in zip(index, shape, strides, strict=False):
            if isinstance(item, slice):
                start, stop, step = item.start or 0, item.stop, item.step or 1
                size = len(range(start, n if stop is None else stop, step))
                new_shape.append(size)
                new_strides.append(s * step)
                offset += start * s
            else:
                offset += item % n * s
        return tuple(new_shape), tuple(new_strides), offset

    @cause(
        "dimensions that the index does not reach are kept whole: here they are lost"
    )
    def rest_lost(self, shape, strides, offset, index):
        used = sum(item is not None and item is not ... for item in index)
        rest = len(shape) - used
        right = numbers(shape, strides, offset, index)
        keep = len(right[0]) - rest
        return right[0][:keep], right[1][:keep], right[2]

    @cause("None puts in a new dimension, and deals with none of x's own")
    def none_consumes(self, shape, strides, offset, index):
        taken = tuple(slice(0, 1) if item is None else item for item in index)
        return numbers(shape, strides, offset, taken)

    @cause("... stands for as many dimensions as are left, none or several")
    def one_dimension(self, shape, strides, offset, index):
        single = tuple(slice(None) if item is ... else item for item in index)
        return numbers(shape, strides, offset, single)
