"""Chapter 03, rules: slices, broadcasting, and when a view must become a copy."""

import torch

from grading import show
from grading.checking import Check, Raises, cause, checks
from grading.picture import cells, compared
from grading.show import same_strides
from minigrad import layout

from .inputs import random_shape, random_view, tensor


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
        return right[0], self.step_ignored(shape, strides, offset, index)[1], right[2]

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


@checks(layout.broadcast_shapes)
class BroadcastShapes(Check):
    def cases(self, random):
        for shapes in [((3, 1), (4,)), ((2, 3), (3,)), ((5,), (2, 4, 1)), ((6,), (6,))]:
            yield "two shapes", *shapes
        for _ in range(6):
            yield "two shapes", *self.drawn(random, 2)
        yield "any number of shapes", (2, 1), (1, 3), (4, 1, 1)
        yield "any number of shapes", *self.drawn(random, 4)
        yield "any number of shapes", (2, 3)
        yield ("any number of shapes",)
        yield "no dimensions", (), (2, 3)
        yield "no dimensions", (3, 1), ()
        yield "no dimensions", (), ()
        for shapes in [((1,), (0,)), ((2, 0), (1,)), ((0, 1), (1, 4)), ((0,), (0,))]:
            yield "sizes of 0", *shapes
        yield "errors", (3,), (4,)
        yield "errors", (2, 3), (2,)
        yield "errors", (3,), (0,)
        yield "errors", (2, 1), (1, 3), (4, 3)

    def drawn(self, random, count):
        """Shapes that fit: one shape, of which each lacks or has as 1 some sizes."""
        sizes = random_shape(random, (2, 4))
        for _ in range(count):
            keep = sizes[random.randrange(len(sizes)) :]
            yield tuple(random.choice([1, n]) for n in keep)

    def expected(self, *shapes):
        tensors = torch.broadcast_tensors(*map(torch.empty, shapes)) if shapes else []
        return tuple(tensors[0].shape) if tensors else ()

    @cause("the shapes are lined up at the first dimension: they belong at the last")
    def wrong_alignment(self, *shapes):
        return self.expected(*(shape[::-1] for shape in shapes))[::-1]

    @cause("dimensions that only the longer shape has are left out: zip stops early")
    def cut_off(self, *shapes):
        least = min(map(len, shapes))
        return self.expected(*(shape[len(shape) - least :] for shape in shapes))

    @cause("the greater size is not always right: 3 and 4 do not fit, 1 and 0 give 0")
    def greatest(self, *shapes):
        longest = max(map(len, shapes), default=0)
        full = [(1,) * (longest - len(shape)) + shape for shape in shapes]
        return tuple(map(max, zip(*full, strict=True)))

    @cause("there may be any number of shapes: here only the first two count")
    def first_two(self, *shapes):
        return self.expected(*shapes[:2])

    @cause("size 0 is a size like any other: 1 and 0 fit, and give 0")
    def zero_refused(self, *shapes):
        zero = any(0 in shape for shape in shapes)
        return Raises("RuntimeError", "") if zero else self.expected(*shapes)


@checks(layout.view_or_copy)
class ViewOrCopy(Check):
    def cases(self, random):
        heart = "contiguous and transposed"
        yield heart, (2, 3), (3, 1), (6,)
        yield heart, (3, 2), (1, 3), (6,)
        yield heart, (12,), (1,), (2, 3, 2)
        yield heart, (2, 3, 4), (12, 4, 1), (4, 6)
        yield heart, (2, 3, 4), (1, 2, 6), (6, 4)
        yield heart, (4, 3), (1, 4), (2, 6)
        for new in [(2, 2, 3), (4, 3), (12,), (2, 6), (6, 2)]:
            yield "split and merged", (4, 3), (6, 2), new
            yield "split and merged", (4, 3), (8, 2), new
            yield "split and merged", (4, 3), (1, 4), new
        for shape in [(6, 4), (2, 3, 4), (3, 8)]:
            yield "split and merged", (2, 3, 4), (20, 4, 1), shape
            yield "split and merged", (2, 3, 4), (24, 8, 1), shape
        for _ in range(12):
            yield "split and merged", *self.drawn(random)
        for strides, new in [
            ((1, 0), (12,)),
            ((0, 1), (12,)),
            ((0, 0), (12,)),
            ((4, 0), (2, 2, 3)),
        ]:
            yield "stride 0", (4, 3), strides, new
        yield "sizes of 1", (2, 1, 3), (3, 99, 1), (6,)
        yield "sizes of 1", (2, 3), (3, 1), (1, 2, 1, 3, 1)
        yield "sizes of 1", (3, 1, 2), (1, 5, 3), (2, 3, 1)
        yield "sizes of 1", (1, 4, 1), (7, 2, 5), (2, 2)
        yield "sizes of 0", (2, 0, 3), (3, 3, 1), (0,)
        yield "sizes of 0", (0, 4), (1, 9), (2, 0, 5)
        yield "no dimensions", (), (), ()
        yield "no dimensions", (), (), (1, 1)
        yield "no dimensions", (1, 1), (4, 2), ()

    def drawn(self, random):
        """Sizes 2, 2, 3 in any grouping, evenly spaced or not, read as any other."""
        cuts = [(12,), (2, 6), (6, 2), (4, 3), (3, 4), (2, 2, 3), (3, 2, 2)]
        shape, new_shape = random.choice(cuts), random.choice(cuts)
        strides, step = [], random.choice([1, 2])
        for n in reversed(shape):
            strides.append(step)
            step = step * n + random.choice([0, 0, 1])
        return shape, tuple(reversed(strides)), new_shape

    def expected(self, shape, strides, new_shape):
        try:
            return tensor(shape, strides).view(new_shape).stride()
        except RuntimeError:
            return None

    def same(self, got, expected, shape, strides, new_shape):
        if got is None or expected is None:
            return got is expected
        return same_strides(got, expected, new_shape)

    def picture(self, shape, strides, new_shape, expected, got):
        x = cells(shape, strides)
        return compared(x, x.reshape(new_shape), cells(new_shape, got))

    @cause("None says that it must be copied; here PyTorch makes a view")
    def always_copies(self, shape, strides, new_shape):
        return None

    @cause("row-major strides, whatever strides x has: they read the wrong cells")
    def wrong_view(self, shape, strides, new_shape):
        return torch.empty(new_shape).stride()

    @cause("x need not be contiguous: dimensions can be cut anew where evenly spaced")
    def contiguous_only(self, shape, strides, new_shape):
        x = tensor(shape, strides)
        return torch.empty(new_shape).stride() if x.is_contiguous() else None

    @cause("the last stride alone does not tell: every group must be evenly spaced")
    def last_stride(self, shape, strides, new_shape):
        last = strides[-1] if strides else 1
        return tuple(last * s for s in torch.empty(new_shape).stride())

    @cause("a dimension of size 1 is never stepped along: its stride must not count")
    def size_one(self, shape, strides, new_shape):
        for d, n in enumerate(shape):
            inner = d + 1 < len(shape)
            if n == 1 and inner and strides[d] != strides[d + 1] * shape[d + 1]:
                return None
        return self.expected(shape, strides, new_shape)

    @cause("with no elements a view always exists")
    def no_elements(self, shape, strides, new_shape):
        return None if 0 in shape else self.expected(shape, strides, new_shape)
