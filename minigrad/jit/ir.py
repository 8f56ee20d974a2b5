"""The graph that a trace leaves: nodes in order, as torch.fx has them.

    %0 = placeholder x : float32[64, 10]
    %1 = get_attr weight : float32[10]
    %2 = mul %0 %1 : float32[64, 10]
    return %2

op: "placeholder", an input; "get_attr", a tensor that was there before the trace;
"call_function", an operator; "output", of which there is one, the last.
"""

import math


class Node:
    """A step, and what it makes.

    target: the operator's name, or the input's. args: nodes, numbers and None. kwargs:
    the operator's options. spec: dtype, device and layout of the result (a tuple of
    those of several). kernel: what computes it. memory: the number of the storage that
    the result lies in; writes: of those that are written to. line: where the user's
    code called it. pointwise: is each element computed by itself? launches: those by
    which an operator ran while it was traced.
    constant: is it a number that never changes? value: its tensor, if that is one, or
    was there before.
    """

    number = 0
    kernel = line = memory = out = value = group = None
    pointwise, constant, launches = False, False, ()

    def __init__(self, op, target, args=(), kwargs=None, spec=None, **facts):
        self.op, self.target, self.args = op, target, tuple(args)
        self.kwargs, self.spec, self.writes = kwargs or {}, spec, ()
        self.__dict__.update(facts)

    @property
    def inputs(self):
        """The nodes among its arguments."""
        nodes = [a for a in self.args if isinstance(a, Node)]
        return nodes + [self.out] * (self.out is not None)

    @property
    def shape(self):
        return self.spec.shape

    @property
    def dtype(self):
        return self.spec.dtype

    @property
    def device(self):
        return self.spec.device

    @property
    def reads(self):
        """The memory that it reads."""
        return {a.memory for a in self.args if isinstance(a, Node)}

    def __repr__(self):
        return f"%{self.number}"

    def format_node(self):
        """The node in a line."""
        words = [self.op] if self.op != "call_function" else []
        words += [self.target, *map(argument, self.args), *options(self.kwargs)]
        arrow = f" -> {self.out}" if self.out is not None else ""
        return f"{self} = {' '.join(words)}{arrow} : {kind(self.spec)}"


def argument(a):
    a = a.item() if hasattr(a, "item") else a
    return f"{a:g}" if isinstance(a, float) else repr(a)


def options(kwargs):
    """Those that a reader can read."""
    plain = (int, float, str, bool, tuple)
    return [f"{k}={v}" for k, v in kwargs.items() if type(v) in plain]


def kind(spec):
    """`float32[64, 10]`; a tuple of them in parentheses."""
    if isinstance(spec, tuple):
        return f"({', '.join(map(kind, spec))})"
    return f"{spec.dtype}[{', '.join(map(str, spec.shape))}]" if spec else "nothing"


class Graph:
    """Nodes, each after those that it uses; results: what the function returns.

    results: a tree of lists, tuples and dicts with nodes in the places of tensors.
    grads: (parameter, node) of the gradients that are left in .grad.
    """

    def __init__(self, nodes=(), results=None, grads=()):
        self.nodes, self.results, self.grads = [*nodes], results, [*grads]
        self.kept = []  # whose epilogues stay kernels of their own

    @property
    def outputs(self):
        """The nodes whose values outlive a run."""
        return leaves(self.results, Node) + [g for _, g in self.grads if g]

    def users(self):
        """{node: the nodes that use it}."""
        readers = {node: [] for node in self.nodes}
        for node in self.nodes:
            for other in {*node.inputs}:
                readers.setdefault(other, []).append(node)
        return readers

    def count(self):
        """How many operators it calls; views cost nothing."""
        return sum(n.op == "call_function" and n.target not in FREE for n in self.nodes)

    def numbered(self):
        """Number the nodes as they stand; return the graph."""
        members = [n for node in self.nodes for n in node.group or [node]]
        for number, node in enumerate(members):
            node.number = number
        return self

    def __str__(self):
        lines = [node.format_node() for node in self.numbered().nodes]
        lines += [f"grad of {list(x.shape)} = {node}" for x, node in self.grads]
        return "\n".join([*lines, f"return {shown(self.results)}"])

    __repr__ = __str__


FREE = {"as_strided", "getitem", "empty"}  # what launches nothing


def shown(tree):
    """A tree of results in a line."""
    if isinstance(tree, tuple):
        return f"({', '.join(map(shown, tree))}{',' * (len(tree) == 1)})"
    if isinstance(tree, list):
        return f"[{', '.join(map(shown, tree))}]"
    return repr(tree)


def leaves(tree, kind):
    """The objects of a kind in a tree of tuples, lists and dicts, in order."""
    if isinstance(tree, kind):
        return [tree]
    if isinstance(tree, dict):
        tree = [*tree.values()]
    if isinstance(tree, tuple | list):
        return [leaf for item in tree for leaf in leaves(item, kind)]
    return []


def mapped(tree, kind, function):
    """The same tree, with function(x) in the place of each x of a kind."""
    if isinstance(tree, kind):
        return function(tree)
    if isinstance(tree, dict):
        return {k: mapped(v, kind, function) for k, v in tree.items()}
    if isinstance(tree, tuple | list):
        items = [mapped(item, kind, function) for item in tree]
        return getattr(type(tree), "_make", type(tree))(items)
    return tree


def numel(node):
    return math.prod(node.shape)
