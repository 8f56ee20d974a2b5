"""Backward: from the end of the graph to its leaves."""

from ..check import check
from ..exercises.registry import exercise
from .grad_mode import thread
from .graph import Capture, accumulate, alias, edge_of, requires


@exercise(points=3, stars=3, minutes=25)
def topological_order(roots):
    """Return all nodes of a graph as a list, in an order in which backward can run.

    roots: a list of nodes. A node may be in it twice, or be reachable from another one.

    `node.next_functions` is a tuple of pairs (next node or None, int), one per operand.
    The next nodes are those that this node sends gradients to, and None means nowhere.
    The list must contain all roots and all nodes that can be reached from them, each
    once, and each before all its next nodes. If several orders are possible, any will
    do. There are no cycles.

    A graph may be 100,000 nodes deep, but Python allows only about 1,000 nested calls,
    so don't use recursion. The time must be roughly proportional to the size of the
    graph, so remember the nodes you've seen in a set or a dict. `node in a_list` is too
    slow, because Python compares the node with one element after another.
    """


@exercise(points=4, stars=3, minutes=30)
def backward(order, seeds, retain_graph=False):
    """Carry gradients from the end of a graph to its leaves.

    order: the nodes, in topological order.
    seeds: the gradients to begin with, a dict {(node, index): gradient}. Each is the
        gradient of result number `index` of a node, and none is None. The dict must
        not be changed.

    Do the following for each node in order.
    - Its gradients are those that have arrived at (node, 0), (node, 1), ..., (node,
      node.outputs - 1), with None in place of each that hasn't. If all are None, skip
      the node.
    - Call node(*gradients). It returns a gradient or None for each pair in
      node.next_functions. The pair is the (next node, index) to send the gradient to,
      or (None, 0) if it goes nowhere. You may drop gradients that go nowhere, but don't
      add them up, because their shapes may differ. A leaf's node has no next nodes, and
      adds to .grad when it's called.
    - If two gradients meet at (next node, index), replace them with their sum, g + h.
      `+=` would change a tensor that others may use.
    - Right after the call, call node.release(), which drops what the node has saved,
      unless retain_graph is True.

    Gradients take as much memory as the tensors they belong to, so remove a node's
    gradients from your dict before or right after you call it. A local variable may
    hold them a little longer, but in a chain, at most 3 gradients may exist at a time.
    """


def run_backward(tensors, grad_tensors=None, retain_graph=None, create_graph=False,
                 inputs=None):  # fmt: skip
    """Tensor.backward for several tensors at once: their gradients are added up."""
    inputs = None if inputs is None else listed(inputs)
    check(inputs != [], "'inputs' argument to backward() cannot be empty.")
    others = [x for x in inputs or () if not getattr(x, "is_leaf", True)]
    gradients = run(tensors, grad_tensors, retain_graph, create_graph, inputs, others)
    for x in others:
        if gradients[edge_of(x)] is not None:
            accumulate(x, gradients[edge_of(x)])


def grad(outputs, inputs, grad_outputs=None, retain_graph=None, create_graph=False,
         allow_unused=None, materialize_grads=False):  # fmt: skip
    """The gradients of the outputs (their sum) by the inputs, as a tuple.

    .grad is not touched. grad_outputs: the gradients of the outputs, where these have
    more than one element. allow_unused: None for an input that no output depends on,
    instead of an error; materialize_grads: zeros for it.
    """
    check(not materialize_grads or allow_unused is not False,
          "Expected allow_unused to be True or not passed when materialize_grads=True, "
          "but got: allow_unused=False.", ValueError)  # fmt: skip
    inputs = listed(inputs)
    check(inputs, "`inputs` argument to `grad()` cannot be empty.")
    gradients = run(outputs, grad_outputs, retain_graph, create_graph, inputs, inputs)
    result = [gradients[edge_of(x)] for x in inputs]
    for number, x in enumerate(inputs):
        if result[number] is None and materialize_grads:
            result[number] = x.new_zeros(x.shape)
        check(result[number] is not None or allow_unused, lambda: "One of the "
              "differentiated Tensors appears to not have been used in the graph. Set "
              "allow_unused=True if this is the desired behavior. It is input number "
              f"{number}, of shape {list(x.shape)}")  # fmt: skip
    return tuple(result)


def run(outputs, gradients, retain_graph, create_graph, inputs, caught):
    """Run backward, for the inputs alone if they are given; {edge: gradient} of those
    that are to be caught instead of added to .grad."""
    outputs, seeds = listed(outputs), {}
    gradients = [None] * len(outputs) if gradients is None else listed(gradients)
    check(len(outputs) == len(gradients), lambda: f"got {len(outputs)} tensors and "
          f"{len(gradients)} gradients: one for each, or None")  # fmt: skip
    for number, (x, g) in enumerate(zip(outputs, gradients, strict=True)):
        check_output(x, number)
        g, edge = seed(x, g), edge_of(x)
        seeds[edge] = seeds[edge] + g if edge in seeds else g
    keep = create_graph if retain_graph is None else retain_graph
    order, caught_at, watched = topological_order([node for node, _ in seeds]), {}, []
    if inputs is not None:
        for number, x in enumerate(inputs):
            check_input(x, number)
        ends = {edge_of(x)[0] for x in inputs}
        order, leading = towards(order, ends)
        caught_at = dict.fromkeys(map(edge_of, caught))
        watched = [node for node, _ in caught_at]
        for node in watched:
            node.capture = Capture(caught_at, node not in leading)
    before, thread.enabled = thread.enabled, bool(create_graph)
    try:
        backward(order, seeds, bool(keep))
    finally:
        thread.enabled = before
        for node in watched:
            node.capture = None
    return caught_at


def towards(order, ends):
    """The nodes from which `ends` can be reached, in order; and those that lead on."""
    leading = set()
    for node in reversed(order):
        if any(n in leading or n in ends for n, _ in node.next_functions):
            leading.add(node)
    return [n for n in order if n in leading or n in ends], leading


def listed(tensors):
    """A list of the tensors: one, or several of them."""
    if hasattr(tensors, "storage"):
        return [tensors]
    try:
        return [*tensors]
    except TypeError:
        kind = type(tensors).__name__
        raise TypeError(f"expected a tensor, or several of them, got {kind}") from None


def check_output(x, number):
    check(hasattr(x, "storage"),
          lambda: f"element {number} of tensors is {type(x).__name__}, not a tensor: "
          "has item() or numpy() made a number of it?", TypeError)  # fmt: skip
    check(requires(x),
          lambda: f"element {number} of tensors does not require grad and does not "
          "have a grad_fn: no recorded operator made it. Ask for gradients before "
          "computing, with tensor(..., requires_grad=True) or x.requires_grad_(), and "
          "compute outside of no_grad()")  # fmt: skip


def check_input(x, number):
    check(hasattr(x, "storage"), lambda: "all inputs have to be Tensors, but got "
          f"{type(x).__name__}")  # fmt: skip
    check(requires(x),
          lambda: "One of the differentiated Tensors does not require grad: input "
          f"number {number}. x.requires_grad_() asks for one, before computing; a view "
          "of x must be made after that, outside of no_grad()")  # fmt: skip


def seed(x, gradient):
    """The gradient of an output: 1 for a single element, or what was given."""
    if gradient is None:
        check(x.numel() == 1, lambda: "grad can be implicitly created only for scalar "
              f"outputs, but this one has shape {list(x.shape)}: give backward() the "
              "gradient, a tensor of that shape, or reduce the output to one number "
              "first, with sum() or mean()")  # fmt: skip
        return x.new_number(1, x.dtype).expand(x.shape)
    check(hasattr(gradient, "storage"), lambda: "gradients can be either Tensors or "
          f"None, but got {type(gradient).__name__}", TypeError)  # fmt: skip
    check(gradient.shape == x.shape, lambda: "Mismatch in shape: grad_output has a "
          f"shape of {list(gradient.shape)} and output has a shape of "
          f"{list(x.shape)}.")  # fmt: skip
    check(gradient.device == x.device,
          lambda: f"the gradient is on {gradient.device!r} and the output on "
          f"{x.device!r}: gradient.to({x.device!r}) makes a copy there")  # fmt: skip
    return alias(gradient).to(dtype=x.dtype)
