"""The shape of a result before there is one, which you write in lab 11."""

from ..exercises.registry import exercise


@exercise(points=2, stars=2, minutes=15, level="extra")
def outer_shape(a, b):
    """Return the shape (B, M, N) of the outer products of (B, M) and (B, N).

    a, b: tuples of sizes >= 0, as a graph knows them before it runs. An unknown size is
        None. If even the number of dimensions is unknown, the whole shape is None.

    Returns a tuple of three sizes. A size that neither a nor b gives is None. The batch
    may come from either one.
    Raises ValueError if a or b doesn't have two dimensions, even if the other one is
    None, and if both batches are known and differ.

    outer_shape((None, 3), (8, None)) -> (8, 3, None)
    outer_shape(None, (8, 4)) -> (8, None, 4)
    """
