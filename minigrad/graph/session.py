"""Running a graph: what is to be computed, in which order, and what is known before."""

from ..exercises.registry import exercise
from ..jit.passes import common_subexpressions
from .operation import as_tensor, default_graph
from .operators import KERNELS

STATEFUL = "Placeholder", "Variable", "Assign", "RandomNormal"  # not the same each time


@exercise("12.1", points=2, stars=2, minutes=20)
def execution_order(fetches):
    """All operations that the fetches depend on, themselves included: a list, each
    once, and each after all of its inputs.

    fetches: a list of operations. operation.inputs: a tuple of those that it uses;
    nothing leads from an operation to those that use it. What no fetch depends on is
    not in the list. Graphs are deep: no function that calls itself. Where several
    orders are possible, any will do.
    """


@exercise("12.2", points=2, stars=2, minutes=15)
def pruned(order, fetches, fed):
    """The operations of `order` that a run has to compute: a list, in that order.

    order: what execution_order(fetches) returns. fed: operations whose values are given
    for this run; any operation can be, not only placeholders. Those are not computed,
    and neither is what is needed for their sake alone. A fetch that is fed is not
    computed.

    Raises ValueError for a placeholder that would have to be computed: nobody has given
    its value. operation.type is "Placeholder" for these, operation.name is to stand in
    the message.
    """


@exercise("12.3", points=2, stars=1, minutes=15)
def fold_constants(order, kernels, stateful):
    """The values that are the same in every run: {operation: value}.

    order: operations, each after its inputs. An operation of type "Const" has its
    value, operation.value. Any other has a constant value if it has inputs and all of
    them are constants; its value is kernels[operation.type](*values of its inputs),
    computed once. But an operation whose type is in `stateful` never is constant: it
    may do something else in each run.
    """


class Session:
    """Runs a graph, and keeps the values of its variables."""

    def __init__(self, graph=None):
        self.graph, self.variables, self.plans = graph or default_graph(), {}, {}

    def run(self, fetches, feed_dict=None):
        """The values of the fetches, an operation or a list of them.

        feed_dict: {operation: value}. The first run with such fetches and feeds plans
        what is to be done; further ones do it.
        """
        wanted = [*fetches] if isinstance(fetches, list | tuple) else [fetches]
        feeds = {o: as_tensor(v) for o, v in (feed_dict or {}).items()}
        key = tuple(wanted), tuple(feeds)
        if key not in self.plans:
            self.plans[key] = self.plan(wanted, feeds)
        steps, values, twins = self.plans[key]
        values = {**values, **feeds}
        for operation in steps:
            inputs = [values[twins.get(i, i)] for i in operation.inputs]
            values[operation] = self.compute(operation, inputs)
        found = [values[twins.get(o, o)] for o in wanted]
        return found if isinstance(fetches, list | tuple) else found[0]

    def plan(self, wanted, feeds):
        """(what is computed, in order; values that are known; {operation: its twin})"""
        order = execution_order(wanted)
        order = pruned(order, wanted, set(feeds))
        seen = {o: Seen(o) for o in order}
        for o in order:
            seen[o].args = tuple(seen.get(i, i) for i in o.inputs)
        twins = common_subexpressions([*seen.values()])
        twins = {node.of: first.of for node, first in twins.items()}
        order = [o for o in order if o not in twins]
        values = fold_constants(order, KERNELS, STATEFUL)
        return [o for o in order if o not in values], values, twins

    def compute(self, operation, inputs):
        """The value of one operation."""
        if operation.type == "Variable":
            return self.variables.setdefault(operation, operation.value)
        if operation.type == "Assign":
            self.variables[operation.inputs[0]] = inputs[1]
            return inputs[1]
        return KERNELS[operation.type](*inputs)


class Seen:
    """An operation as common_subexpressions looks at it."""

    def __init__(self, operation):
        self.of, self.target, self.kwargs = operation, operation.type, {}
        stateful = operation.type in STATEFUL
        self.op = "placeholder" if stateful else "call_function"
        if operation.type == "Const":
            self.kwargs["value"] = known(operation.value)


def known(value):
    """A constant's value, by which an equal one is found."""
    small = value.numel() <= 16 and value.device == "cpu"
    return (str(value.dtype), value.tolist()) if small else id(value)
