"""Other shapes of the same elements: as a view where that can be."""

from grading.checking.describe import same_strides
from grading.checking.picture import cells, compared
from grading.exercise import checks, mistake, mistakes, right
from minigrad.layout import contiguous_strides, index_of, offset_of, view_or_copy

from .layouts import HUGE, LARGE, LayoutCheck, contiguous, many, without_memory


@checks(view_or_copy)
class ViewOrCopy(LayoutCheck):
    """Leaves out -1 and another number of elements in new_shape: both are barred."""

    least = (1,), (1,), (1,)

    def cases(self, random):
        heart = "contiguous and transposed"
        yield heart, (2, 3), (3, 1), (6,)
        yield heart, (3, 2), (1, 3), (6,)
        yield heart, (12,), (1,), (2, 3, 2)
        yield heart, (2, 3, 4), (12, 4, 1), (4, 6)
        yield heart, (2, 3, 4), (1, 2, 6), (6, 4)
        yield heart, (4, 3), (1, 4), (2, 6)
        for _ in range(3):
            a, b = random.sample(range(2, 99), 2)
            yield heart, (a, 2 * b), (2 * b, 1), (2 * a, b)
            yield heart, (a, 2 * b), (1, a), (2 * a, b)
        for new in [(2, 2, 3), (4, 3), (12,), (2, 6), (6, 2)]:
            yield "split and merged", (4, 3), (6, 2), new
            yield "split and merged", (4, 3), (8, 2), new
            yield "split and merged", (4, 3), (1, 4), new
        for shape in [(6, 4), (2, 3, 4), (3, 8)]:
            yield "split and merged", (2, 3, 4), (20, 4, 1), shape
            yield "split and merged", (2, 3, 4), (24, 8, 1), shape
        yield "split and merged", (2, 2, 3, 2), (99, 40, 9, 2), (2, 2, 3, 2)
        yield "split and merged", (2, 4, 6), (99, 20, 2), (2, 2, 2, 3, 2)
        for _ in range(12):
            yield "split and merged", *self.drawn(random)
        for strides, new in [((1, 0), (12,)), ((0, 1), (12,)), ((0, 0), (12,)),
                             ((4, 0), (2, 2, 3))]:  # fmt: skip
            yield "stride 0", (4, 3), strides, new
        yield "sizes of 1", (2, 1, 3), (3, 99, 1), (6,)
        yield "sizes of 1", (2, 3), (3, 1), (1, 2, 1, 3, 1)
        yield "sizes of 1", (3, 1, 2), (1, 5, 3), (2, 3, 1)
        yield "sizes of 1", (1, 4, 1), (7, 2, 5), (2, 2)
        yield "sizes of 0", (2, 0, 3), (3, 3, 1), (0,)
        yield "sizes of 0", (0, 4), (1, 9), (2, 0, 5)
        shape = many(random)
        strides = contiguous(shape).strides
        yield "any sizes", shape, strides, shape[::-1]
        yield "any sizes", shape, strides[::-1], shape[::-1]
        yield "no dimensions", (), (), ()
        yield "no dimensions", (), (), (1, 1)
        yield "no dimensions", (1, 1), (4, 2), ()
        yield "any sizes", LARGE, (3, 1), (50, 4000, 3)
        a, b, c = HUGE
        for strides in [contiguous(HUGE).strides, (c, c * a, 1)]:
            yield "any sizes", HUGE, strides, (a, b // 31, 31, c)
            yield "any sizes", HUGE, strides, (b, a, c)

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
            return without_memory(shape, strides).view(new_shape).stride()
        except RuntimeError:
            return None

    def same(self, got, expected, shape, strides, new_shape):
        if got is None or expected is None:
            return got is expected
        return same_strides(got, expected, new_shape)

    def picture(self, shape, strides, new_shape, expected, got):
        x = cells(shape, strides)
        return compared(x, x.reshape(new_shape), cells(new_shape, got))


mistakes(view_or_copy)(r"""
size_one: a dimension of size 1 is never stepped along: its stride must not count
> size != 1 and stride == -> stride ==
& elif size != 1: -> else:
no_elements: with no elements a view always exists
> if 0 in shape: -> if 0 in shape:\n        return None
wrong_view: row-major strides, whatever strides x has: they read the wrong cells
> = contiguous_strides(new_shape)
last_stride: the last stride alone does not tell: every group must be evenly spaced
> = tuple(((*strides, 1)[len(strides) - 1] * s for s in contiguous_strides(new_shape)))
always_copies: None says that it must be copied; here PyTorch makes a view
> = None
contiguous_only: x need not be contiguous: dimensions can be cut anew where evenly
    spaced
> = contiguous_strides(new_shape) if layout.is_contiguous(shape, strides)
    else None
> = contiguous_strides(new_shape) if strides == contiguous_strides(shape) else None
equivalent: with no elements any strides do
> branch dropped: -> return (contiguous_strides(new_shape))
equivalent: the first group is then empty, or begins with a dimension that it belongs
    to: whatever its stride is, only a dimension of size 1 gets it
> branch dropped: -> groups = [[1, (1)]]
> off by one: -> groups = [[1, strides[-(0)]
> off by one: -> groups = [[1, strides[-1] if strides else (
equivalent: a size of 1 changes no group, and there is no size of 0 here
> term dropped: -> if ((stride == groups[-1][0] * groups[-1][1])):
> off by one: -> if size != (0) and
""")


@mistake(view_or_copy)
def always_copies(shape, strides, new_shape):  # but where sizes stay as they are
    steps = {n: s for n, s in zip(shape, strides)}
    return tuple(steps[n] for n in new_shape) if set(new_shape) <= set(shape) else None


@right(view_or_copy, "merged first, then cut")
def _(shape, strides, new_shape):
    if 0 in shape:
        return (0,) * len(new_shape)
    runs, new, d = [], [0] * len(new_shape), len(new_shape)
    for size, stride in zip(shape, strides):
        if size == 1:
            continue
        if runs and runs[-1][1] == size * stride:
            size *= runs.pop()[0]
        runs.append((size, stride))
    for left, step in reversed(runs):
        while left > 1:
            d -= 1
            if left % new_shape[d]:
                return None
            new[d] = step
            left, step = left // new_shape[d], step * new_shape[d]
    return tuple(new)


def merged(shape, strides):
    """The fewest (size, stride) that read the same cells in the same order."""
    found = []
    for size, stride in zip(shape, strides):
        if found and found[-1][1] == size * stride:
            size *= found.pop()[0]
        found += [(size, stride)] if size > 1 else []
    return found


@right(view_or_copy, "by the cells of single elements, compared when merged")
def _(shape, strides, new_shape):
    if 0 in shape:
        return contiguous_strides(new_shape)
    new = []
    for size, step in zip(new_shape, contiguous_strides(new_shape)):
        place = index_of(step, shape) if size > 1 else ()
        new.append(offset_of(place, strides[: len(place)]))
    return tuple(new) if merged(shape, strides) == merged(new_shape, new) else None


@right(view_or_copy, "from the front, as NumPy does it")
def _(shape, strides, new_shape):
    old = [(n, s) for n, s in zip(shape, strides) if n != 1]
    sizes, new = [n for n in new_shape if n != 1], []
    if 0 in sizes:
        return (1,) * len(new_shape)
    while sizes:
        group, cut = [old.pop(0)], [sizes.pop(0)]
        have, want = group[0][0], cut[0]
        while have != want:
            if have < want:
                group.append(old.pop(0))
                have *= group[-1][0]
            else:
                cut.append(sizes.pop(0))
                want *= cut[-1]
        if any(a[1] != b[0] * b[1] for a, b in zip(group, group[1:])):
            return None
        new += [s * group[-1][1] for s in contiguous_strides(tuple(cut))]
    return tuple(0 if n == 1 else new.pop(0) for n in new_shape)
