"""The graph: a node for each operator that was recorded, and what a tensor knows of it.

A node is called with the gradients of its operator's results and returns those of its
operands. `next_functions` says where these go: to (node, index), which stands for
result number `index` of that node's operator. At the ends of the graph a leaf's node
adds what comes to `.grad`.
"""

import sys
import weakref
from typing import NamedTuple

from .. import lines
from ..exercises.registry import exercise
from . import grad_mode
from .adjoints import strided_backward, sum_to_size
from .grad_mode import explained, thread
from .hooks import hooked

NOWHERE = None, 0  # the edge to an operand that requires no gradient


class Meta:
    """What a tensor knows of the graph; one that requires no gradient has none."""

    requires = False  # was requires_grad set?
    node, index = None, 0  # what made it: grad_fn, and which of its results it is
    grad = None
    hooks = None  # of a leaf: they outlive graphs
    retains = False
    version = None  # of a view: its storage's version when `node` was made
    collector = None  # a leaf's AccumulateGrad, weakly: the graph holds it

    def retain(self):
        """Keep the gradient that comes to the node."""
        kept = {self.index: weakref.ref(self)}
        self.retains, self.node.retained = True, (self.node.retained or {}) | kept


def known(x):
    """A tensor's Meta; it gets one if it has none."""
    if x._meta is None:
        x._meta = Meta()
    return x._meta


def requires(x):
    """Does an operand require a gradient?"""
    meta = getattr(x, "_meta", None)
    if meta is not None:
        return meta.node is not None or meta.requires
    base = getattr(x, "_base", None)
    if base is None or base._meta is None or base._meta.node is None:
        return False
    renew(x)  # the base got a history after this view was made
    return True


def renew(x):
    """Give a view a node that reads its base as it is now."""
    base, view, meta = x._base, x._layout, known(x)
    origin, meta.version = base._layout, x.storage.version
    backward = lambda dy: (strided_backward(dy, origin, view),)  # noqa: E731
    meta.node, meta.index = Recorded("AsStridedBackward0", [base], backward), 0
    if meta.retains:
        meta.retain()


class Node:
    """A step of the graph. A subclass says in `backward` what it computes."""

    outputs = 1  # results of its operator
    hooks = retained = capture = None

    def __init__(self, name, edges, likes):
        self.title, self.next_functions, self.likes = name, edges, likes
        self.made_in = thread.made_in
        self.line = lines.user_line() if grad_mode.anomaly else None

    def name(self):
        """Such as MulBackward0."""
        return self.title

    def __repr__(self):
        return f"<{self.title} object at {id(self):#x}>"

    def __call__(self, *gradients):
        """The operands' gradients; None where there is none, or none is wanted."""
        if self.hooks or self.retained or self.capture:
            gradients = self.watched(gradients)
        if self.capture and self.capture.stop:
            return (None,) * len(self.next_functions)
        if grad_mode.anomaly:
            return self.examined(gradients)
        return self.fitted(self.backward(*gradients), gradients)

    def backward(self, *gradients):
        raise NotImplementedError

    def attached(self, y):
        """Save of the result y what backward needs."""

    def release(self):
        """Let go of what was saved: this node is not called again.

        A node at which gradients were caught has computed nothing, and may yet.
        """
        if self.capture is None or not self.capture.stop:
            self.free()

    def free(self):
        """Let go of what was saved."""

    def fitted(self, grads, gradients):
        """The gradients in the shapes, dtypes and devices of the operands.

        One that is passed on as it came gets a tensor of its own, so that no two places
        hold the same one.
        """
        fitted = []
        for g, like in zip(grads, self.likes, strict=True):
            if like is None or g is None:
                fitted.append(None)
                continue
            if g.shape != like[0]:
                g = sum_to_size(g, like[0])
            if (g.storage.dtype, g.storage.device) != like[1:]:
                g = g.to(like[2], like[1])  # a number of "cpu" beside a device's
            fitted.append(alias(g) if any(g is other for other in gradients) else g)
        return fitted

    def watched(self, gradients):
        """The gradients after the hooks; those that retain_grad() wants are kept."""
        gradients = list(gradients)
        for i, g in enumerate(gradients):
            if g is None:
                continue
            for hook in list((self.hooks or {}).get(i, {}).values()):
                g = hooked(hook, g)
            gradients[i] = alias(g)
            meta = self.retained and i in self.retained and self.retained[i]()
            if meta:
                meta.grad = g if meta.grad is None else meta.grad + g
            if self.capture and (self, i) in self.capture.found:
                self.capture.found[self, i] = g
        return gradients

    def examined(self, gradients):
        """The same as a call, in anomaly mode."""
        try:
            computed = self.fitted(self.backward(*gradients), gradients)
        except Exception as error:
            raise explained(self, f"{type(error).__name__}: {error}") from error
        for number, g in enumerate(computed):
            if g is not None and (g != g).any():
                place = f"returned nan values in its {number}th output."
                raise explained(self, f"Function '{self.title}' {place}")
        return computed


class Capture(NamedTuple):
    """Gradients to be caught at a node."""

    found: dict  # {(node, index): gradient}
    stop: bool  # is nothing past the node wanted?


def alias(x):
    """Another tensor over the same memory, with the same history."""
    other = x._alias()
    other._meta = x._meta
    return other


def edge_of(x):
    """Where the gradient of a tensor goes: (node, index)."""
    meta = x._meta
    if meta.version not in (None, x.storage.version):
        renew(x)  # its base was written to since
    if meta.node is not None:
        return meta.node, meta.index
    node = meta.collector and meta.collector()
    if node is None:
        node = AccumulateGrad(x)
        meta.collector = weakref.ref(node)
    return node, 0


def edges_of(operands, needs):
    """For each operand its edge, and its gradient's shape, dtype and device."""
    edges, likes = [], []
    for x, needed in zip(operands, needs, strict=True):
        edges.append(edge_of(x) if needed else NOWHERE)
        likes.append((x.shape, x.storage.dtype, x.storage.device) if needed else None)
    return tuple(edges), likes


class Recorded(Node):
    """A node whose backward is a function of the result's gradient: dy -> a tuple.

    saves: does that function hold tensors? Then it goes when the node is released.
    """

    def __init__(self, name, operands, backward, saves=False):
        super().__init__(name, *edges_of(operands, [*map(requires, operands)]))
        self.backward, self.saves = backward, saves

    def free(self):
        if self.saves:
            self.backward = freed


def freed(*_):
    """The backward of a node whose saved tensors are gone."""
    raise RuntimeError(FREED)


class AccumulateGrad(Node):
    """The end of the graph: adds what comes to a leaf's .grad."""

    def __init__(self, x):
        super().__init__("AccumulateGrad", (), ())
        self.variable = x

    @property
    def hooks(self):
        return self.variable._meta.hooks

    def backward(self, gradient):
        accumulate(self.variable, gradient)
        return ()


FREED = (
    "Trying to backward through the graph a second time (or directly access saved "
    "tensors after they have already been freed). Saved intermediate values of the "
    "graph are freed when you call .backward() or autograd.grad(). Specify "
    "retain_graph=True if you need to backward through the graph a second time or if "
    "you need to access saved tensors after calling backward."
)


def written(x):
    """Count a write to the memory of x, for all tensors that read it; return x."""
    x.storage.version += 1
    return x


@exercise(points=2, stars=2, minutes=10, level="good to know")
def unpack(x, version, name):
    """Return the saved tensor x itself, unless it has been written to since.

    version: an int, x.storage.version when x was saved. Each write adds 1 to it.
    name: the name of the node that saved x, such as "MulBackward0".

    Raises RuntimeError with the message modified(x, version, name) if the memory has
    been written to since, also through a view. The version must stay as it is.
    """


def modified(x, version, name):
    """What to say of a saved tensor that was changed."""
    return (
        "one of the variables needed for gradient computation has been modified by an "
        f"inplace operation: the {x.dtype} tensor of shape {list(x.shape)} that {name} "
        f"saved is at version {x.storage.version}; expected version {version} instead. "
        f"Hint: `+=`, `x[...] =`, or an operator whose name ends in _ wrote to it "
        f"after {name.partition('Backward')[0]} had read it: use an operator that "
        "makes a new tensor, or write to a clone(). autograd.detect_anomaly() names "
        "the forward line"
    )


class Saved:
    """A tensor as it is now, for later."""

    __slots__ = ("tensor", "version")

    def __init__(self, x):
        self.tensor, self.version = x, x.storage.version

    def get(self, name):
        return unpack(self.tensor, self.version, name)


def accumulate(x, gradient):
    """Add to x.grad, in place. A first gradient is copied unless it can be stolen."""
    meta = x._meta
    if meta.grad is None:
        meta.grad = gradient if can_steal(gradient) else gradient.clone()
    elif thread.enabled:
        meta.grad = meta.grad + gradient
    else:
        meta.grad.add_(gradient)


SOLE = 2  # references to a tensor's storage: the tensor's, and getrefcount's argument


def can_steal(gradient):
    """May x.grad be this tensor: all of its memory, and the only one over it?

    PyTorch's AccumulateGrad asks this of a reference count, too. Whoever else may read
    the memory, a view, a saved tensor, or a hook's list, holds a reference; and a copy
    would be another kernel for each parameter in each step.
    """
    if thread.enabled:
        return False
    gradient._base = None  # what a formula made on its way
    whole = len(gradient.storage) == gradient.numel() and gradient.is_contiguous()
    return whole and sys.getrefcount(gradient.storage) == SOLE
