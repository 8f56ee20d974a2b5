"""Recording an operator: what it saves, and how its node computes gradients.

An operator has a formula for each operand, a function of `dy`, the gradient of the
result; or an operator, and the letters of what it is given after dy. What else a
formula needs it has as parameters, and that alone is saved: `a`, `b`, `c` are the
operands, `y` the result, `i` the second result, `shape` the shape of the first operand,
`layout_b` (shape, strides, offset) of the second; other names are the call's options.
Formulas use operators, so gradients have gradients. Where several operands have the
same formula it is called once, and returns the gradients of all of them.
"""

import inspect

from .grad_mode import thread
from .graph import FREED, Meta, Node, Saved, edges_of, requires

OPERANDS = "a", "b", "c"


class Gradients:
    """The formulas of an operator, one for each operand; None: not differentiable.
    With ... after the last one, that is the formula of all further operands, too.

    once: a second backward is refused, as by PyTorch's node, which saves tensors where
    this one needs none.
    """

    once = False

    def __init__(self, *formulas):
        self.more = formulas[-1] is ...
        formulas = formulas[:-1] if self.more else formulas
        self.formulas = [_wanted(f) if f else None for f in formulas]
        self.known = {}  # needs -> the names to save

    def of(self, count):
        """The formulas of `count` operands."""
        if not self.more:
            return self.formulas
        return self.formulas + self.formulas[-1:] * (count - len(self.formulas))

    def names(self, needs):
        """The names of all that the formulas of these operands need."""
        if needs not in self.known:
            formulas = self.of(len(needs))
            pairs = [p for p, n in zip(formulas, needs, strict=True) if n and p]
            self.known[needs] = tuple({name for _, names in pairs for name in names})
        return self.known[needs]


def _wanted(formula):
    """(formula, the names of what it needs beside dy)."""
    if type(formula) is tuple:  # an operator, and the letters
        return formula[0], tuple(formula[1])
    first, *names = inspect.signature(formula).parameters
    if first != "dy":
        raise TypeError(f"the first parameter of {formula} must be dy, not {first}")
    return formula, tuple(names)


class OperatorNode(Node):
    """The node of an operator with Gradients; result: what it returned."""

    def __init__(self, operator, operands, options, needs, result=None):
        super().__init__(operator.node_name, *edges_of(operands, needs))
        self.gradients, self.saved = operator.gradients, {}
        for name in self.gradients.names(needs):
            place = "abc".find(name)
            if place >= 0:
                x = operands[place]
                value = Saved(x) if hasattr(x, "storage") else x
            elif name == "shape":
                value = operands[0].shape
            elif name == "layout_b":
                value = operands[1].spec.layout
            elif name in options:
                value = options[name]
            else:
                several = isinstance(result, tuple)
                value = saved_result(result[name == "i"] if several else result)
            self.saved[name] = value

    def attached(self, y):
        """Save the result of an operator that has written in place."""
        if "y" in self.saved:
            self.saved["y"] = saved_result(y)

    def get(self, name):
        """What was saved under a name."""
        value = self.saved[name]
        if type(value) is not Saved:
            return value
        x = value.get(self.title)
        if name == "y" and thread.enabled:
            x = x._alias()
            x._meta = Meta()
            x._meta.node = self
        return x

    def backward(self, dy, *others):
        if self.saved is None:
            raise RuntimeError(FREED)
        operand_gradients, shared = [], {}
        formulas = self.gradients.of(len(self.likes))
        for pair, like in zip(formulas, self.likes, strict=True):
            if like is None or pair is None:
                operand_gradients.append(None)
                continue
            if pair not in shared:
                formula, names = pair
                shared[pair] = formula(dy, *map(self.get, names))
            g = shared[pair]
            if isinstance(g, tuple):
                g = g[formulas[: len(operand_gradients)].count(pair)]
            operand_gradients.append(g)
        return operand_gradients

    def free(self):
        """Let go of what was saved. A number that an operand was is saved as well."""
        for name, value in self.saved.items() if self.saved else ():
            if type(value) is Saved or name in OPERANDS or self.gradients.once:
                self.saved = None
                return


def saved_result(y):
    """A result for later; without its node, which would hold itself."""
    return None if y is None else Saved(y._alias())


def record(operator, operands, options, result):
    """Record a call of an operator, if there is a gradient to compute; its result."""
    if operator.gradients is None or not thread.enabled:
        return result
    needs = (*map(requires, operands),)
    y = result[0] if isinstance(result, tuple) else result
    if True in needs and y.storage.dtype.kind == "f":
        y._base, y._meta = None, Meta()
        y._meta.node = OperatorNode(operator, operands, options, needs, result)
    return result


def below(function, *args, **kwargs):
    """Call a function without recording it."""
    before, thread.enabled = thread.enabled, False
    try:
        return function(*args, **kwargs)
    finally:
        thread.enabled = before
