"""Function: an operator of one's own, with its gradient."""

from types import MethodType

from ..check import check
from ..exercises.registry import exercise
from .grad_mode import thread
from .graph import FREED, Node, Saved, alias, edges_of, requires
from .views import attach

MISSING = "You must implement the {} function for custom autograd.Function."


class OnSubclasses:
    """A class method, which the class that defines it shows as the function itself."""

    def __init__(self, function):
        self.function, self.__doc__ = function, function.__doc__

    def __set_name__(self, owner, name):
        self.owner = owner

    def __get__(self, instance, owner):
        own = owner is self.owner
        return self.function if own else MethodType(self.function, owner)


class Context(Node):
    """`ctx`: what forward leaves for backward, one for each call; the node itself."""

    to_save = saved = results = ()
    materialize = True

    def __init__(self, function, args):
        self.function, self.needs_input_grad = function, (*map(requires, args),)
        name = f"{function.__name__}Backward"
        super().__init__(name, *edges_of(args, self.needs_input_grad))
        self.given = [id(x) for x in args]

    def save_for_backward(self, *tensors):
        """Keep tensors for backward: operands or results, or None."""
        for number, x in enumerate(tensors):
            check(x is None or hasattr(x, "storage"), lambda: "save_for_backward can "
                  f"only save variables, but argument {number} is of type "
                  f"{type(x).__name__}: ctx.name = value keeps others",
                  TypeError)  # fmt: skip
        self.to_save = tensors

    def set_materialize_grads(self, value):
        """Should backward get zeros, not None, for results that were not used?"""
        self.materialize = value

    @property
    def saved_tensors(self):
        """The tensors of save_for_backward, as a tuple."""
        check(self.saved is not None, FREED)
        return self.to_save or tuple(s and self.saved_one(*s) for s in self.saved)

    def saved_one(self, saved, index):
        x = saved.get(self.title)
        again = index is not None and thread.enabled
        return self.made(x._alias(), index) if again else x

    def made(self, y, index):
        """y, which this node has made as its result number `index`."""
        attach(self, y)._meta.index = index
        return y

    def record(self, results):
        """Make this the node of what forward has returned; return that.

        The results that are floats require a gradient then. What forward gave to
        save_for_backward is saved, with its version.
        """
        check(results is not None,
              lambda: f"{self.title}: forward returned None, not a tensor or a tuple "
              "of them: is a return missing?", TypeError)  # fmt: skip
        several = results if isinstance(results, tuple) else (results,)
        self.outputs, tensor = len(several), [hasattr(y, "storage") for y in several]
        self.results = [t and (y.shape, y.dtype, y.device)
                        for t, y in zip(tensor, several, strict=True)]  # fmt: skip
        self.saved, self.to_save = [self.save(x, several) for x in self.to_save], ()
        recorded = tuple(self.result(i, y) for i, y in enumerate(several))
        return recorded if isinstance(results, tuple) else recorded[0]

    def save(self, x, results):
        """A tensor for later; of a result a tensor that does not hold this node."""
        for index, y in enumerate(results):
            if x is not None and x is y and id(x) not in self.given:
                return Saved(x._alias()), index
        return x if x is None else (Saved(x), None)

    def result(self, index, y):
        if not hasattr(y, "storage") or y.dtype.kind != "f":
            return y
        if y._base is not None or id(y) in self.given:  # an operand, or a view of one
            y = y._alias()
        return self.made(y, index)

    def backward(self, *gradients):
        like = next(g for g in gradients if g is not None)
        given = [
            like.new_number(0, of[1]).expand(of[0]) if g is None and of else g
            for g, of in zip(gradients, self.results, strict=True)
        ]
        given = given if self.materialize else gradients
        computed = self.function.backward(self, *given)
        computed = computed if isinstance(computed, tuple | list) else (computed,)
        while len(computed) > len(self.likes) and computed[-1] is None:
            computed = computed[:-1]
        check(len(computed) == len(self.likes),
              lambda: f"function {self.title} returned an incorrect number of gradients"
              f" (expected {len(self.likes)}, got {len(computed)}): backward returns "
              "one, or None, for each argument of forward")  # fmt: skip
        return [self.checked(*each) for each in enumerate(computed)]

    def checked(self, number, g):
        """A gradient that is a tensor of its own, in a shape that fits."""
        like = self.likes[number]
        if g is None or like is None:
            return None
        check(hasattr(g, "storage"), lambda: f"{self.title}: expected a Tensor or None "
              f"for gradient {number}, got {type(g).__name__}", TypeError)  # fmt: skip
        ends = zip(reversed(like[0]), reversed(g.shape), strict=False)
        check(len(like[0]) <= g.ndim and all(n in (1, m) for n, m in ends),
              lambda: f"Function {self.title} returned an invalid gradient at index "
              f"{number} - got {list(g.shape)} but expected shape compatible with "
              f"{list(like[0])}")  # fmt: skip
        return alias(g)

    def free(self):
        self.saved = None if self.saved else self.saved


class Function:
    """An operator of one's own: a subclass with two static methods.

    class Square(minigrad.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, dy):
            (x,) = ctx.saved_tensors
            return 2 * x * dy

    y = Square.apply(x)
    """

    @staticmethod
    def forward(ctx, *args):
        """The result, a tensor or a tuple of tensors."""
        raise NotImplementedError(MISSING.format("forward"))

    @staticmethod
    def backward(ctx, *gradients):
        """The gradients of forward's arguments, given those of its results."""
        raise NotImplementedError(MISSING.format("backward"))

    @OnSubclasses
    @exercise(points=3, stars=2, minutes=20)
    def apply(cls, *args):
        """Call forward, record the call if that's needed, and return the results.

        cls: the subclass whose apply is called. args: the arguments of its forward, in
            order, which may be tensors or anything else.

        - `Context(cls, args)` makes ctx. Each call must have its own.
        - `cls.forward(ctx, *args)` computes the results, a tensor or a tuple of
          tensors. Call it exactly once and under no_grad(), because backward stands for
          all the operators in it.
        - If any(ctx.needs_input_grad) is True, and is_grad_enabled() was True where
          apply was called, return what `ctx.record(results)` returns. Otherwise, return
          the results of forward, and keep no reference to ctx.

        Afterward, recording must be on or off as before, even if forward raises an
        error. The caller gets that error.
        """
