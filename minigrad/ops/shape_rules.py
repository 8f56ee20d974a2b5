"""The shape of a result, before there is one. Written in lab 11."""

from ..exercises.registry import exercise


@exercise(points=2, stars=2, minutes=15, level="extra")
def outer_shape(a, b):
    """The shape (B, M, N) of the outer products of a, (B, M), and b, (B, N).

    a, b: tuples of sizes, as a graph knows them before it runs: a size that is not
    known yet is None, and where not even the number of dimensions is known the whole
    shape is None. Sizes may be 0.

    Returns a tuple of three, each known as far as a and b tell: B by either of them.
    Raises ValueError where a or b has not two dimensions, and where both batches are
    known and differ.

    outer_shape((None, 3), (8, None)) is (8, 3, None); outer_shape(None, (8, 4)) is
    (8, None, 4).
    """
