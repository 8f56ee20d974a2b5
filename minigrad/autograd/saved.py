"""Tensors saved for backward, and how a change in place is noticed.

Every storage counts its versions: each in-place operator makes the next one. Whoever
saves a tensor remembers the version, and compares when the tensor is needed.
"""

from ..exercises.registry import exercise

FREED = (
    "Trying to backward through the graph a second time (or directly access saved "
    "tensors after they have already been freed). Saved intermediate values of the "
    "graph are freed when you call .backward() or autograd.grad(). Specify "
    "retain_graph=True if you need to backward through the graph a second time or if "
    "you need to access saved tensors after calling backward."
)


@exercise("08.7", points=1, stars=1, minutes=5)
def next_version(x):
    """Count a change of the tensor x: its memory has been written to.

    `x.storage.version` is an int, 0 at first. It belongs to the storage, because all
    views read the same memory: a change in one is a change in all.
    Returns x.
    """


def written(x):
    """Count that x was written to, if there is an answer that counts; return x.

    Before chapter 08 nothing goes back through a graph, so nothing can be stale.
    """
    try:
        return next_version(x)
    except NotImplementedError:  # not answered yet
        return x


@exercise("08.8", points=2, stars=2, minutes=10)
def unpack(x, version, name):
    """The saved tensor x, if it still holds what was saved.

    version: x.storage.version when x was saved. name: the node that saved it, such as
    "MulBackward0".
    Returns x.
    Raises RuntimeError where the memory has been written to since; modified(x,
    version, name) is its message. Without the error the gradient would be computed
    from other numbers than the result was: it would be wrong, and nobody would know.
    """


def modified(x, version, name):
    """What to say of a saved tensor that was changed."""
    return (
        "one of the variables needed for gradient computation has been modified by an "
        f"inplace operation: the {x.dtype} tensor of shape {list(x.shape)} that {name} "
        f"saved is at version {x.storage.version}; expected version {version} instead. "
        f"Hint: an operator whose name ends in _, `+=` or `x[...] =` wrote to it after "
        f"{name.partition('Backward')[0]} had read it: use the operator without the _ "
        "there, or write to a clone(). autograd.detect_anomaly() names the forward line"
    )


class Saved:
    """A tensor as it is now, for later."""

    __slots__ = ("tensor", "version")

    def __init__(self, x):
        self.tensor, self.version = x, x.storage.version

    def get(self, name):
        return unpack(self.tensor, self.version, name)
