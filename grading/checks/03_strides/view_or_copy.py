"""view_or_copy: other shapes of the same elements, as a view where that can be."""

from grading.checking.compare import same_strides
from grading.checking.picture import cells, compared
from grading.exercise import Check, call
from minigrad.layout import view_or_copy

from .layouts import HUGE, LARGE, contiguous, many, numbers_only, without_memory

LEAST = (1,), (1,), (1,)


def grouped(random):
    """24 elements, or none, in groups with gaps, repeats and sizes of 1; read anew."""

    def shape():
        sizes = random.choice([(24,), (2, 12), (4, 6), (6, 4), (2, 3, 4), (3, 2, 2, 2)])
        return tuple(
            n
            for size in sizes
            for n in random.choice([(size,)] * 3 + [(1, size), (size, 1)])
        )

    old, strides, step = shape(), [], random.choice([1, 1, 2])
    for n in reversed(old):
        strides.append(step if n > 1 else random.randint(0, 99))
        step = random.choice([step * n] * 6 + [step * n + 1, 0])
    if random.random() < 0.2:
        random.shuffle(strides)
    return old, tuple(reversed(strides)), shape()


def cases(random):
    yield "contiguous and transposed", call((2, 3), (3, 1), (6,))
    yield "contiguous and transposed", call((3, 2), (1, 3), (6,))
    yield "contiguous and transposed", call((12,), (1,), (2, 3, 2))
    yield "contiguous and transposed", call((2, 3, 4), (12, 4, 1), (4, 6))
    yield "contiguous and transposed", call((2, 3, 4), (1, 2, 6), (6, 4))
    for _ in range(3):
        a, b = random.sample(range(2, 99), 2)
        for strides in (2 * b, 1), (1, a):
            yield "contiguous and transposed", call((a, 2 * b), strides, (2 * a, b))
    for new in [(2, 2, 3), (12,), (6, 2)]:
        for strides in (6, 2), (8, 2):
            yield "split and merged", call((4, 3), strides, new)
    for new in [(6, 4), (3, 8)]:
        for strides in (20, 4, 1), (24, 8, 1):
            yield "split and merged", call((2, 3, 4), strides, new)
    for _ in range(50):
        yield "split and merged", call(*grouped(random))
    yield "split and merged", call((2, 2, 3, 2), (99, 40, 9, 2), (2, 2, 3, 2))
    yield "split and merged", call((2, 4, 6), (99, 20, 2), (2, 2, 2, 3, 2))
    for strides in [(1, 0), (0, 1), (0, 0)]:
        yield "stride 0", call((4, 3), strides, (12,))
    yield "stride 0", call((4, 3), (4, 0), (2, 2, 3))
    yield "sizes of 1", call((2, 1, 3), (3, 99, 1), (6,))
    yield "sizes of 1", call((2, 3), (3, 1), (1, 2, 1, 3, 1))
    yield "sizes of 1", call((3, 1, 2), (1, 5, 3), (2, 3, 1))
    yield "sizes of 1", call((1, 4, 1), (7, 2, 5), (2, 2))
    yield "sizes of 0", call((2, 0, 3), (3, 3, 1), (0,))
    yield "sizes of 0", call((0, 4), (1, 9), (2, 0, 5))
    shape, (a, b, c) = many(random), HUGE
    strides = contiguous(shape).strides
    yield "any sizes", numbers_only(shape, strides, shape[::-1], least=LEAST)
    yield "any sizes", numbers_only(shape, strides[::-1], shape[::-1], least=LEAST)
    yield "no dimensions", call((), (), ())
    yield "no dimensions", call((), (), (1, 1))
    yield "no dimensions", call((1, 1), (4, 2), ())
    yield "any sizes", numbers_only(LARGE, (3, 1), (50, 4000, 3), least=LEAST)
    for strides in contiguous(HUGE).strides, (c, c * a, 1):
        for new in (a, b // 31, 31, c), (b, a, c), (a, b, c // 17, 17):
            yield "any sizes", numbers_only(HUGE, strides, new, least=LEAST)
    uneven = b * c + 1, c, 1  # by 1 of 2 ** 55
    yield "any sizes", numbers_only(HUGE, uneven, (b, a, c), least=LEAST)


def reference(shape, strides, new_shape):
    try:
        return without_memory(shape, strides).view(new_shape).stride()
    except RuntimeError:
        return None


def compare(got, expected, case):
    if got is None or expected is None:
        return got is expected
    return same_strides(got, expected, case.args[2])


def picture(case, expected, got):
    shape, strides, new_shape = case.args
    x = cells(shape, strides)
    return compared(x, x.reshape(new_shape), cells(new_shape, got))


check = Check(
    view_or_copy,
    cases=cases,
    reference=reference,
    compare=compare,
    picture=picture,
    not_tested="-1 and another number of elements in new_shape: both are barred",
)
