"""Chapter 03, rules: broadcasting, and when a view must become a copy."""

import torch

from grading.checking import Check, Raises, cause, checks
from grading.picture import cells, compared
from grading.show import same_strides
from minigrad import layout

from .layouts import random_shape, tensor


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
