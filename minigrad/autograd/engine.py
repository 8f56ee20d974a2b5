"""Backward: from the end of the graph to its leaves."""

from ..check import check
from ..exercises.registry import exercise
from .grad_mode import thread
from .graph import Capture, accumulate, alias, edge_of, requires


@exercise(points=3, stars=3, minutes=25)
def topological_order(roots):
    """All nodes of a graph in an order in which backward can visit them: a list.

    roots: a list of nodes. `node.next_functions` is a tuple of (next node or None,
    number): where the gradients go that the node computes. The list holds the roots,
    and all that can be reached from them, each once, and each before all nodes that it
    points to: when a node's turn comes, all gradients that it adds up are there.
    Where several orders are possible, any will do.

    Python calls 1000 functions deep and no more, but a graph may be 100 000 nodes deep:
    no recursion, but a list of what is to be visited. Twice the nodes are about twice
    the work: what has been seen, a set knows at once.
    """


@exercise(points=4, stars=3, minutes=30)
def backward(order, seeds, retain_graph=False):
    """Carry the gradients from the end of a graph to its leaves.

    order: its nodes, from topological_order. seeds: {(node, index): gradient}, the
    gradients to begin with: each is that of result number `index` of a node. The dict
    is not to be changed.

    For each node in turn:
    - its gradients are those that have arrived at (node, 0), (node, 1), ..., (node,
      node.outputs - 1), None where none has. A node at which nothing has arrived is
      left out.
    - node(*gradients) computes: a gradient, or None, for each of node.next_functions,
      which says where each goes: (next node, index), or nowhere: (None, 0). What goes
      nowhere has one shape, and may be added up, too, or dropped. Where two
      meet they are added up, as g + h: `+=` would change a tensor that others hold. A
      leaf's node has no next ones: it adds to .grad when it is called.
    - unless retain_graph, node.release(), right after that, lets go of what the node
      has saved.
    What has been handed on is not kept: gradients are as large as what they are of.
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
          "have a grad_fn: nothing it was made from requires gradients. Ask for them "
          "before computing, with tensor(..., requires_grad=True) or "
          "x.requires_grad_(), and compute outside of no_grad()")  # fmt: skip


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
              "gradient, a tensor of that shape, or make one number of it first, with "
              "sum() or mean()")  # fmt: skip
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
