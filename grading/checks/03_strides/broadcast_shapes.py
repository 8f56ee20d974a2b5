"""broadcast_shapes: the shape of tensors that are broadcast together."""

import torch

from grading.checking import pairwise
from grading.exercise import Check, call
from minigrad.layout import broadcast_shapes

from .layouts import HUGE, LARGE, many, numbers_only, random_shape


def drawn(random, count):
    """Shapes that fit: one shape, of which each lacks or has as 1 some sizes."""
    sizes = random_shape(random, (2, 4))
    for _ in range(count):
        keep = sizes[random.randrange(len(sizes)) :]
        yield tuple(random.choice([1, n]) for n in keep)


def cases(random):
    for shapes in [((3, 1), (4,)), ((2, 3), (3,)), ((6,), (6,))]:
        yield "two shapes", call(*shapes)
    for _ in range(4):
        yield "two shapes", call(*drawn(random, 2))
    yield "any number of shapes", call((2, 1), (1, 3), (4, 1, 1))
    yield "any number of shapes", call(*drawn(random, 4))
    yield "any number of shapes", call((2, 3))
    yield "any number of shapes", call()
    yield "no dimensions", call((), (2, 3))
    yield "no dimensions", call((3, 1), ())
    yield "no dimensions", call((), ())
    for shapes in [((1,), (0,)), ((0, 1), (1, 4))]:
        yield "sizes of 0", call(*shapes)
    for a, b, c, d in pairwise.drawn(random, **dict.fromkeys("abcd", (0, 1, 2, 3))):
        part = "sizes of 0" if 0 in (a, b, c, d) else "any number of shapes"
        yield part, call((a,), (d, b), (c,))  # errors among them
    n = random.randint(300, 2**40)
    yield "two shapes", call((n, 1), (int(str(n)), 5))  # an int of its own
    yield "errors", call((2**53,), (2**53 + 1,))
    yield "errors", call((3,), (4,))
    yield "errors", call((2, 3), (2,))
    yield "errors", call((3,), (0,))
    yield "errors", call((2, 1), (1, 3), (4, 3))
    shape = many(random)
    for shapes in [
        (shape[3:], LARGE[1:] + shape, (1,)),
        (*[(n, 1) for n in (1, *LARGE[:1] * 70)], LARGE[1:]),
        (HUGE[:1] + (1, 1), HUGE[1:]),
    ]:
        yield "any sizes", numbers_only(*shapes, least=((1,),))


def reference(*shapes):
    return tuple(torch.broadcast_shapes(*shapes))


check = Check(
    broadcast_shapes,
    cases=cases,
    reference=reference,
    not_tested="sizes below 0 and shapes as lists: the contract has neither",
)
