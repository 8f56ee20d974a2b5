"""Nodes that are drawn as one box: all that a call of a module made."""

import functools
import math

from .graph_layout import MOST_LAYERS, MOST_WIDE, ends, layers_of, nodes_in_order

AUTO = "auto"
NO_DEPTH = (
    "depth is how many levels of modules are open: 0, 1, 2 ...; None: all are open; "
    '"auto": as many as have room. It is not {!r}.'
)


class GraphBox:
    """What is drawn as one: a node, or the nodes that one call of a module made.

    nodes: in the order of backward. call: the call, or None for a single node.
    next_functions: (box, 0) for each edge; a folded module has one to each end.
    """

    def __init__(self, call):
        self.call, self.nodes, self.next_functions = call, [], ()

    @property
    def leaf(self):
        """The tensor whose .grad this box adds to, or None."""
        return getattr(self.nodes[0], "variable", None) if self.call is None else None

    def name(self):
        """What is compared where boxes repeat themselves."""
        if self.call is None:
            return self.nodes[0].name()
        return f"{type(self.call.module).__name__} {self.size()}"

    def size(self):
        """The number of elements of a folded module's parameters."""
        return sum(math.prod(p.shape) for p in self.call.parameters().values())


def boxes(root, depth=AUTO):
    """The boxes of all nodes below one, each before all that it points to.

    depth: modules that lie so deep in others are folded, and inner ones without
    modules of their own. None: none is. "auto": as many levels are open as fit into a
    picture, but the outermost at least.
    """
    number = type(depth) is int and depth >= 0
    if not (number or depth is None or (type(depth) is str and depth == AUTO)):
        raise ValueError(NO_DEPTH.format(depth))
    order = nodes_in_order(root)
    chains = chains_of(order)
    if depth != AUTO:
        return boxed(order, chains, depth)
    deepest = max(map(len, chains.values()))
    for level in [None, *range(deepest - 1, 0, -1)]:
        folded = boxed(order, chains, level)
        if level == 1 or deepest < 2 or fits(folded):
            break
    return folded


def fits(order):
    layers = layers_of(order)
    return len(layers) <= MOST_LAYERS and max(map(len, layers)) <= MOST_WIDE


def boxed(order, chains, depth):
    """The boxes of nodes, with the modules at a depth folded."""
    boxes_of, home = {}, {}
    for node in order:
        call = None if depth is None else folding(chains[node], depth)
        home[node] = boxes_of.setdefault(call or node, GraphBox(call))
        home[node].nodes.append(node)
    for box in boxes_of.values():
        targets = [home[end] for node in box.nodes for end in ends(node)]
        outside = [end for end in targets if end is not box]
        if box.call is not None:
            outside = dict.fromkeys(outside)
        box.next_functions = [(end, 0) for end in outside]
    return nodes_in_order(home[order[0]])


def folding(chain, depth):
    """The call that a node is folded into, or None.

    An inner module that has no others in it is one box at every depth.
    """
    if len(chain) > depth:
        return chain[depth]
    inner = len(chain) > 1 and not chain[-1].module._modules
    return chain[-1] if inner else None


def chains_of(order):
    """{node: the calls of modules that it was made in, the outermost first}."""
    whole = functools.cache(lambda call: () if call is None else call.chain())
    chains = {n: whole(n.made_in) for n in order if not hasattr(n, "variable")}
    leaves = {n: None for n in order if hasattr(n, "variable")}
    for node, chain in chains.items():
        for end in ends(node):
            if end in leaves:
                leaves[end] = common(chain, leaves[end])
    for leaf, chain in leaves.items():
        chains[leaf] = owning(leaf.variable, chain or ())
    return chains


def common(chain, other):
    """The calls that two chains begin with."""
    if other is None:
        return chain
    same = (i for i, (a, b) in enumerate(zip(chain, other, strict=False)) if a is not b)
    return chain[: next(same, min(len(chain), len(other)))]


def owning(leaf, chain):
    """The beginning of a chain that ends with a module whose parameter a leaf is."""
    while chain and all(p is not leaf for p in chain[-1].parameters().values()):
        chain = chain[:-1]
    return chain


def parameter_names(order):
    """{id of a parameter: its name in the outermost module that was called}."""
    calls = {node.made_in for node in order if node.made_in is not None}
    outermost = {call.chain()[0].module: call.chain()[0] for call in calls}
    return {
        id(parameter): name
        for call in outermost.values()
        for name, parameter in call.parameters().items()
    }
