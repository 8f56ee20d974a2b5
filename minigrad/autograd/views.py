"""Views in the graph, and operators that write into an existing tensor.

A view knows its base, the tensor whose memory it reads. Writing gives a tensor a new
history: its node is the writing operator's. Writing through a view gives the base one,
too, whose node puts the written part's gradient in its place; every other view of that
base finds by the storage's version that its node is of an older base, and gets another.
"""

from types import MethodType

from .. import plan_cache
from ..check import check
from ..layout import Uncacheable, key_of
from . import graph
from .adjoints import place
from .grad_mode import thread
from .graph import Meta, Node, Recorded, edge_of, renew, requires, written
from .record import below

LEAF = (
    "a leaf Variable that requires grad is being used in an in-place operation. Its "
    "gradient would belong to its old value, which is overwritten. Change it inside "
    "`with minigrad.no_grad():`, as an optimizer does, or write to a clone()"
)
OLD_VIEW = (
    "A view was created in no_grad mode and is being modified inplace with grad mode "
    "enabled. Make the view outside of no_grad(), or change it inside"
)


class ViewOp:
    """A method of Tensor that is recorded, with its gradient beside it.

    backward(dy, layout, *args): the gradient of the tensor, which had that layout (its
    shape, strides and offset), where the method was called with args. On the class it
    is the function itself, so that an exercise stays an exercise.
    """

    def __init__(self, name, backward, function):
        self.name, self.backward, self.function = name, backward, function
        self.__doc__ = function.__doc__
        self.layouts = {}  # of the views that it made

    def __get__(self, x, owner=None):
        return self.function if x is None else MethodType(self, x)

    def __call__(self, x, *args, **kwargs):
        if x._meta is None and x._base is None:
            return self.of(x, args, kwargs)
        wanted = requires(x)
        if not wanted or not thread.enabled:
            y, cut = self.of(x, args, kwargs), x._base is not None and x._meta
            if (wanted or cut) and y is not x and y._base is not None:
                y._meta = Meta()  # no gradient is wanted, whatever the base gets
            return y
        view, back = x._layout, self.backward
        node = Recorded(self.name, [x], lambda dy: (back(dy, view, *args, **kwargs),))
        y = below(self.of, x, args, kwargs)
        if y is x or y.storage is not x.storage:  # the same memory in another dtype
            return y
        return attach(node, y)

    def of(self, x, args, kwargs):
        """The function's result. The same view is made again without calling it."""
        try:
            key = None if kwargs else (x.spec, x.storage.count, key_of(args))
        except Uncacheable:
            key = None
        spec = self.layouts.get(key)
        if spec is None or plan_cache.state.disabled:
            y = self.function(x, *args, **kwargs)
            same = getattr(y, "storage", None) is x.storage
            if key is not None and same and y is not x:
                plan_cache.put(self.layouts, key, y.spec)
            return y
        y = x._alias(spec)
        y._base = x if x._base is None else x._base
        return y


def differentiable(name, backward):
    """Make a ViewOp of the function below."""
    return lambda function: ViewOp(f"{name}Backward0", backward, function)


def attach(node, y):
    """Make a node that of its result, perhaps a view."""
    y._meta = Meta()
    y._meta.node = node
    if y._base is not None:
        y._meta.version = y.storage.version
    return y


def record_call(name, tensors, run, backward, saves=False):
    """run(), which makes a tensor of tensors; recorded where one asks for a gradient.

    backward(dy): a gradient, or None, for each of the tensors. saves: see Recorded.
    """
    if not thread.enabled or not any(map(requires, tensors)):
        return run()
    node = Recorded(f"{name}Backward0", tensors, backward, saves)
    return attach(node, below(run))


def write(x, others, run, make_node):
    """Run an operator that writes into x and reads x and the others.

    run(): writes. make_node(old): its node, where `old` stands for x as it was.
    """
    enabled = thread.enabled
    if enabled:
        check_writable(x)
    if not enabled or x.dtype.kind != "f" or not any(map(requires, (x, *others))):
        run()
        return written(x)
    old = x._alias()
    if x._meta is not None:  # the node that x has now stays when x gets another
        old._meta = Meta()
        if requires(x):
            old._meta.node, old._meta.index = edge_of(x)
    node = make_node(old)
    below(run)
    written(x)
    rebase(x, node)
    return x


def check_writable(x):
    """RuntimeError where writing into x would lose a gradient."""
    meta, base = x._meta, x._base
    if base is not None and base._meta is not None and requires(base):
        if base._meta.node is None:
            raise RuntimeError(LEAF.replace("a leaf", "a view of a leaf", 1))
        check(meta is None or requires(x), OLD_VIEW)
    if meta is not None and meta.requires and meta.node is None:
        raise RuntimeError(LEAF)


def rebase(x, node):
    """Give x, which was written to, the history that the node stands for."""
    old, x._meta = x._meta or Meta(), Meta()
    x._meta.grad, x._meta.retains = old.grad, old.retains
    node.attached(x)
    if x._base is not None:
        rebase(x._base, CopySlices(x._base, x._layout, node))
        renew(x)
        return
    x._meta.node = node
    if old.retains:
        x._meta.retain()


class CopySlices(Node):
    """What writing through a view did to its base."""

    def __init__(self, base, view, inner):
        need = requires(base)
        edges = edge_of(base) if need else graph.NOWHERE, *inner.next_functions[1:]
        like = (base.shape, base.dtype, base.device) if need else None
        super().__init__("CopySlices", edges, [like, *inner.likes[1:]])
        self.inner, self.view, self.origin = inner, view, base._layout

    def backward(self, dy):
        whole, part = place(dy, self.origin, self.view)
        before, *others = self.inner(part.clone())
        part.zero_() if before is None else part.copy_(before)
        return whole, *others

    def free(self):
        if self.inner is not graph.freed:
            self.inner.free()
            self.inner = graph.freed
