"""The attributes and methods of a tensor for gradients: grad, backward ..."""

import copy
import warnings
from collections import OrderedDict

from .. import layout
from ..check import check
from ..exercises.registry import exercise
from . import engine
from .adjoints import sum_to_size
from .graph import edge_of, known, requires
from .hooks import differences, register

ONLY_FLOATS = "only Tensors of floating point and complex dtype can require gradients"
ONLY_LEAVES = (
    "you can only change requires_grad flags of leaf variables. If you want to use a "
    "computed variable in a subgraph that doesn't require differentiation use "
    "var_no_grad = var.detach()."
)

NO_LEAF = (
    "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its "
    ".grad attribute won't be populated during autograd.backward(). If you want it, "
    "call .retain_grad() on that tensor before backward(). If you meant a leaf, ask "
    "the tensor that this one was made from"
)
BOOL = "requires_grad must be a bool, not {}"


@exercise(points=2, stars=1, minutes=10, level="good to know")
def leaf_rules(asked, node):
    """Return a tuple of three bools for a tensor: (requires_grad, is_leaf, keeps_grad).

    asked: a bool, True if somebody asked for the tensor's gradient, as with
        requires_grad=True.
    node: the node of the recorded operator that made the tensor (its grad_fn), or None.
        Every node is truthy. An operator is recorded only if one of its operands
        requires a gradient. So there's no node under no_grad(), after detach(), or if
        no operator made the tensor.

    requires_grad: will backward() compute its gradient? It will if somebody asked for
        the gradient, or if a recorded operator made the tensor.
    is_leaf: does the graph end here? Tensors that aren't in any graph count as leaves.
    keeps_grad: will backward() put the gradient into .grad, even without retain_grad()?
        It does so only for leaves that require a gradient.
    """


class Differentiable:
    """The part of Tensor that belongs to gradients."""

    __slots__ = ()

    @property
    def requires_grad(self):
        """Is there a gradient for this tensor? It can be set, on leaves."""
        return requires(self) and leaf_rules(_asked(self), self.grad_fn)[0]

    @requires_grad.setter
    def requires_grad(self, value):
        check(type(value) is bool, BOOL.format(type(value).__name__))
        check(self.is_leaf, ONLY_LEAVES)
        self.requires_grad_(value)

    def requires_grad_(self, requires_grad=True):
        """Ask for gradients of this tensor, or no longer; returns it."""
        if type(requires_grad) is not bool:
            raise TypeError(BOOL.format(type(requires_grad).__name__))
        if requires_grad and self.dtype.kind != "f":
            raise RuntimeError(f"{ONLY_FLOATS}, not {self.dtype}: x.float() makes one")
        check(requires_grad or self.is_leaf, ONLY_LEAVES)
        if self.is_leaf and (self._meta is not None or requires_grad):
            known(self).requires = requires_grad
        return self

    @property
    def is_leaf(self):
        """Does the graph end here, or is the tensor in none?"""
        return not requires(self) or leaf_rules(_asked(self), self.grad_fn)[1]

    @property
    def grad_fn(self):
        """The node of the operator that made this tensor, or None."""
        has_node = requires(self) and self._meta.node is not None
        return edge_of(self)[0] if has_node else None

    @property
    def _version(self):
        """How often the memory was written to by in-place operators."""
        return self.storage.version

    @property
    def grad(self):
        """The gradient that backward() has put here, a tensor, or None."""
        meta = self._meta
        if meta is None:
            return None
        if meta.grad is None and meta.node is not None and not meta.retains:
            warnings.warn(NO_LEAF, stacklevel=2)
        return meta.grad

    @grad.setter
    def grad(self, value):
        if value is not None:
            check_grad(self, value)
        if self._meta is not None or value is not None:
            known(self).grad = value

    def retain_grad(self):
        """Let backward() keep the gradient in .grad though this is no leaf."""
        check(requires(self), "can't retain_grad on Tensor that has "
              "requires_grad=False")  # fmt: skip
        if not self.is_leaf and not self._meta.retains:
            edge_of(self)
            self._meta.retain()

    def register_hook(self, hook):
        """Call hook(gradient) in backward() once this tensor's gradient is known.

        A tensor that the hook returns takes the gradient's place. Returns a handle,
        whose remove() takes the hook away.
        """
        check(requires(self), "cannot register a hook on a tensor that doesn't require "
              "gradient: x.requires_grad_() asks for one")  # fmt: skip
        node, index = edge_of(self)
        owner = self._meta if self.is_leaf else node
        owner.hooks = owner.hooks or {}
        return register(owner.hooks.setdefault(index, OrderedDict()), hook)

    def sum_to_size(self, *size):
        """This tensor added up to a shape that can be broadcast to its own."""
        return sum_to_size(self, layout.as_ints(size))

    @property
    def data(self):
        """The same memory without a history, as detach() gives it.

        x.data = y lets x read y's memory, of the same dtype and device.
        """
        return self.detach()

    @data.setter
    def data(self, new):
        check([getattr(new, name, None) for name in ("dtype", "device")] ==
              [self.dtype, self.device], lambda: "x.data = y takes a tensor of x's own "
              f"kind, {self.dtype} on {self.device!r}, not {new!r:.60}")  # fmt: skip
        self.storage, self.spec = new.storage, new.spec

    def backward(self, gradient=None, retain_graph=None, create_graph=False,
                 inputs=None):  # fmt: skip
        """Compute the gradients of this tensor by all leaves, and add them to .grad.

        gradient: this tensor's own, of its shape; without one it must have a single
        element, whose gradient is 1. retain_graph: keep what was saved, for another
        backward. create_graph: record this computation too, so that gradients have
        gradients. inputs: only for these tensors.
        """
        engine.run_backward([self], [gradient], retain_graph, create_graph, inputs)

    def __deepcopy__(self, memo):
        check(self.is_leaf,
              "Only Tensors created explicitly by the user (graph leaves) support the "
              "deepcopy protocol at the moment: use x.detach().clone()")  # fmt: skip
        copied = type(self).__new__(type(self))
        memo[id(self)] = copied
        copied.__setstate__(copy.deepcopy(self.__getstate__(), memo))
        return copied

    def __getstate__(self):
        """What is copied, or written to a file: no graph."""
        own = getattr(self, "__dict__", None)  # of a subclass
        grad = None if self._meta is None else self._meta.grad
        return self.storage, self._layout, self.requires_grad, grad, own

    def __setstate__(self, state):
        self.storage, how, requires_grad, grad, own = state
        self.spec = layout.spec(self.storage.dtype, self.storage.device, *how)
        self._meta = self._base = None
        if own:
            vars(self).update(own)
        if requires_grad or grad is not None:
            meta = known(self)
            meta.requires, meta.grad = requires_grad, grad


def _asked(x):
    return x._meta is not None and x._meta.requires


def check_grad(x, value):
    """Raise unless `value` may be x.grad."""
    check(hasattr(value, "storage"), lambda: "assigned grad expected to be a Tensor or "
          f"None but got grad of type {type(value).__name__}", TypeError)  # fmt: skip
    check(value is not x, "can't assign Variable as its own grad")
    for what, mine, other in differences(x, value):
        raise RuntimeError(
            f"assigned grad has data of a different {what}: the tensor's is {mine}, "
            f"the gradient's {other}"
        )
