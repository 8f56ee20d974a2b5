"""Broadcasting undone. Written by the learner in lab 08."""

from ..exercises.registry import exercise


@exercise("08.6", points=2, stars=2, minutes=15)
def sum_to_size(x, shape):
    """x added up to `shape`, which was broadcast to x's shape: the gradient of that.

    Where an element was used many times, its gradient is the sum of theirs. The shapes
    are lined up at their last dimension; the dimensions of x that `shape` does not
    have, and those where it has size 1 and x has another, are added up.

    x: a tensor. shape: a tuple of ints.
    Returns a tensor of exactly that shape; x itself, or a view, where there is nothing
    to add. At hand: x.sum(dims, keepdim=...), x.view(shape).
    Raises RuntimeError where `shape` cannot be broadcast to x's shape.
    x of shape (4, 2, 3): to (2, 1) it adds up dimensions 0 and 2; to () all of them.
    """
