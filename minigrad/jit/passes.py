"""Passes: functions of a Graph that leave it shorter and mean the same."""

from .. import launch
from ..dispatch import KERNELS
from ..exercises.registry import exercise
from ..layout import is_contiguous
from .ir import Graph, Node, mapped


def optimized(graph):
    """A graph after all passes."""
    for work in PASSES:
        graph = work(graph)
    return graph.numbered()


# ------------------------------------------------- dead code


def dead_code_elimination(graph):
    """Without the nodes whose results nobody needs.

    Backwards: a node is needed if it writes to memory from outside, or to memory that
    something needed reads; then what it reads is needed, too.
    """
    outside = {n.memory for n in graph.nodes if n.op in ("placeholder", "get_attr")}
    wanted = {*graph.outputs}
    needed = {node.memory for node in wanted} | outside
    alive = []
    for node in reversed(graph.nodes):
        if node in wanted or needed.intersection(node.writes):
            wanted.update(node.inputs)
            needed |= node.reads
        elif node.target == "empty" and node.memory in needed:
            pass  # somebody writes to it
        elif node.op != "placeholder":
            continue
        alive.append(node)
    return Graph(alive[::-1], graph.results, graph.grads)


def without_copies(graph):
    """Without copies of what nobody else holds, nobody writes to, and lies the same."""
    written = {m for node in graph.nodes for m in node.writes}
    outside = {n.memory for n in graph.nodes if n.op in ("placeholder", "get_attr")}
    held, new = {n.memory for n in graph.outputs}, {}
    for node in graph.nodes:
        if node.target != "copy" or node.op != "call_function" or node.out is not None:
            continue
        (source,) = node.args
        alone = source.memory not in written | outside | held
        if alone and source.spec is node.spec and node.memory not in written:
            new[node] = new.get(source, source)
            held.add(source.memory)  # a second copy is one
    return replaced(graph, new, [n for n in graph.nodes if n not in new])


# ------------------------------------------------- constants


def constant_folding(graph):
    """Operators of constants alone are constants: the trace has computed them."""
    written = {m for node in graph.nodes for m in node.writes}
    constant, new = set(), {}
    for node in graph.nodes:
        if node.op == "get_attr" and node.constant:
            constant.add(node)
        numbers = [a for a in node.args if isinstance(a, Node)]
        pure = node.op == "call_function" and node.pointwise and node.out is None
        if pure and numbers and {*numbers} <= constant and node.memory not in written:
            facts = {"spec": node.spec, "memory": node.memory, "value": node.value}
            new[node] = Node("get_attr", "number", constant=True, **facts)
            constant.add(node)
    return replaced(graph, new, [new.get(node, node) for node in graph.nodes])


# ------------------------------------------------- common subexpressions


@exercise(points=2, stars=2, minutes=20, level="extra")
def common_subexpressions(nodes):
    """Return {node: earlier node} for each node that repeats an earlier one.

    A node repeats an earlier one if both have op "call_function" and equal targets,
    args, and kwargs. (No such node draws random numbers or writes to memory.)
    Nodes of any other op never repeat another. If a node repeats several earlier ones,
    the result has the first of them.

    nodes: a list, in order. Each node has op and target (strings), args, and kwargs.
    args: numbers, strings, None, and earlier nodes. Their order and number matter. A
        node counts as the one that it repeats. With c = a + b, d = a + b, e = 2 * c,
        and f = 2 * d, the result is {d: c, f: e}.
    kwargs: {name: a number, a string, None, or a tuple of these}. Their order doesn't
        matter.

    Values are equal if they have the same type and value. So 1, 1.0, and True differ,
    and so do 0.0 and -0.0, also in tuples. Whether nan equals nan is up to you. Nodes
    have no numbers yet, so all of them may look alike when printed.
    """


def merged(graph):
    """Without what is computed twice, of what is not written to from then on."""
    order = {node: i for i, node in enumerate(graph.nodes)}
    last = {m: i for node, i in order.items() for m in node.writes}  # its last write
    alone = {*graph.outputs}
    able = [n for n in graph.nodes if pure(n) and n.memory not in last
            and all(last.get(m, -1) < order[n] for m in n.reads)]  # fmt: skip
    twins = common_subexpressions(able)
    twins = {node: first for node, first in twins.items() if node not in alone}
    return replaced(graph, twins, graph.nodes)


def pure(node):
    """Does a node nothing but make its result?"""
    return node.target != "empty" and not node.writes and node.out is None


def replaced(graph, new, nodes):
    """A graph whose nodes use others in the place of some: {old: new}."""
    for node in nodes:
        node.args = tuple(new.get(a, a) if type(a) is Node else a for a in node.args)
        node.out = new.get(node.out, node.out)
    results = mapped(graph.results, Node, lambda node: new.get(node, node))
    return Graph(nodes, results, [(x, new.get(g, g)) for x, g in graph.grads])


# ------------------------------------------------- fusion


def pooled(graph):
    """The gradient of a relu as part of the kernel that made its operand: max_pool2d's
    gradient, which is 0 but where a maximum was, reads the mask there alone."""
    users, outputs, gone = graph.users(), {*graph.outputs}, set()
    written = {m for node in graph.nodes for m in node.writes}
    for node in graph.nodes:
        if node.target != "relu_backward" or node.out is not None:
            continue
        pool, mask = node.args
        alone = (
            getattr(pool, "target", "") == "max_pool2d_input" and pool.args[-1] is None
        )
        if not alone or users[pool] != [node] or pool in outputs:
            continue
        if mask.dtype != pool.dtype or written & {
            pool.memory,
            *pool.reads,
            *node.reads,
        }:
            continue
        gone.add(pool)
        node.target, node.kernel, node.kwargs = pool.target, pool.kernel, pool.kwargs
        node.args, node.pointwise = (*pool.args[:-1], mask), False
    nodes = [node for node in graph.nodes if node not in gone]
    return Graph(nodes, graph.results, graph.grads)


@exercise(points=3, stars=2, minutes=25, level="good to know")
def can_fuse(group, node, between):
    """Return True if `node` may join the kernel that computes the nodes of `group`.

    Each thread of this kernel computes one element of every node. The kernel runs where
    `node` is, so the nodes of the group move past those of `between`. All of this must
    hold:

    - node is pointwise, and has the same shape and device as the group;
    - no node of `between` has a node of the group among its inputs;
    - no node of `between` writes to memory that a node of the group reads or writes.

    Everything else does no harm. For example, nodes of `between` may read any memory,
    because a node that needs what the group computes has it among its inputs.

    group: a list of one or more nodes, all of the same shape and device. They already
        fit into one kernel, so you only have to check whether `node` is pointwise.
    node: comes after them, and has at least one of them among its inputs.
    between: a list, perhaps empty. These nodes come after the first of the group and
        before `node`, and they aren't in the group. They may be of any kind.

    Each node has pointwise (True if element i of its result needs only elements i of
    its args), shape (a tuple), device (a string), inputs (a list of the nodes that it
    uses), and reads and writes (sets of numbers, each of which stands for a piece of
    memory).
    """


class Fused(Node):
    """Several nodes as one kernel. outputs: those of them whose results are written."""

    def __init__(self, group, outputs):
        inside = {*group}
        args = dict.fromkeys(a for n in group for a in n.args if isinstance(a, Node))
        args = [a for a in args if a not in inside]
        super().__init__("call_function", name_of(group), args, spec=outputs[0].spec)
        self.group, self.outputs, self.line = group, outputs, group[-1].line
        self.out, self.memory = group[-1].out, outputs[0].memory
        self.writes = group[-1].writes

    def format_node(self):
        first = f"{self.target} {' '.join(map(repr, self.args))}"
        lines = [f"    {node.format_node()}" for node in self.group]
        return "\n".join([f"{', '.join(map(repr, self.outputs))} = {first}", *lines])


def name_of(group):
    """`fused_mul_add_relu`; of a long one the first operators."""
    names = [node.target.strip("_") for node in group]
    more = [f"and_{len(names) - 4}_more"] * (len(names) > 4)
    return "_".join(["fused", *names[:4], *more])


def fused(graph):
    """Chains of elementwise operators as one node each."""
    groups, last, order = {}, {}, {node: i for i, node in enumerate(graph.nodes)}
    for node in graph.nodes:
        for used in node.inputs if suits(node) else ():
            group = groups.get(used) or ([used] if suits(used) else None)
            if group is None or closed(group) or node in group:
                continue
            mine = groups.get(node, [node])
            both = sorted({*group, *mine}, key=order.get)
            between = [n for n in graph.nodes[order[both[0]] : order[node]]
                       if n not in both]  # fmt: skip
            inside = closed(both[:-1]) or node.out in both  # memory is there before
            if not inside and can_fuse(both[:-1], node, between):
                groups.update(dict.fromkeys(both, both))
    last = {id(group): group[-1] for group in groups.values()}
    users, wanted, nodes = graph.users(), {*graph.outputs}, []
    for node in graph.nodes:
        group = groups.get(node)
        if group is None:
            nodes.append(node)
        elif node is last[id(group)]:
            kept = [n for n in group if n in wanted or n.out is not None
                    or not {*users[n]} <= {*group}]  # fmt: skip
            nodes.append(Fused(group, kept or [node]))
    return Graph(nodes, graph.results, graph.grads)


def suits(node):
    """An elementwise operator whose kernel can be written down as one of several."""
    if node.op != "call_function" or not node.pointwise:
        return False
    here = all(a.device == node.device for a in node.inputs)
    return here and is_contiguous(*node.spec.layout[:2])


def closed(group):
    """Does a group end with a write into a tensor that was there?"""
    return any(node.out is not None for node in group)


# ------------------------------------------------- prologues and epilogues

REDUCTIONS = "sum", "mean", "amax", "amin"
CORES = {  # operators, and by whose launch the result is written
    "matmul": ("matmul", "sum"),
    "linear": ("matmul", "sum"),
    "conv2d": ("conv2d",),
    **{name: (name,) for name in REDUCTIONS},
}


def biased(graph):
    """A linear layer as its product and the bias, which may become its epilogue."""
    nodes = []
    for node in graph.nodes:
        if node.target == "linear" and len(node.launches) > 1 and len(node.args) == 3:
            product = Node("call_function", "linear", (*node.args[:2], None),
                           spec=node.spec, kernel=node.kernel, memory=object(),
                           launches=node.launches[:-1], line=node.line)  # fmt: skip
            if node.args[2] is not None and takes(product):
                node.target, node.args = "add", (product, node.args[2])
                node.kernel = KERNELS["add", node.device, node.dtype]
                node.pointwise, node.launches = True, node.launches[-1:]
                nodes.append(product)
        nodes.append(node)
    return Graph(nodes, graph.results, graph.grads)


def takes(node):
    """Was the result written by a kernel of the library that takes an epilogue?"""
    if not node.launches or node.launches[-1].operator not in CORES[node.target]:
        return False
    kernel = node.launches[-1].kernel.name.partition("<")[0]
    return node.launches[-1].variant != "yours" and kernel in launch.with_epilogue()


def fuse_epilogues(graph):
    """Elementwise operators as part of the library's kernels: what is computed from the
    result of a product or a reduction is its epilogue, and what makes the elements
    that a reduction reads is its prologue.

    It pays where nobody else reads what is in between: that is neither written nor read
    then, a launch less is made, and each element is still computed once.
    """
    order = {node: i for i, node in enumerate(graph.nodes)}
    maker = {n: node for node in graph.nodes for n in node.group or [node]}
    users, outputs, new, gone, kept = graph.users(), {*graph.outputs}, {}, set(), []
    for core in reversed(graph.nodes):
        if core.target not in CORES or core.writes or not core.launches:
            continue
        prologue, epilogue, alone = [], [], users[core] == [*users[core][:1]]
        last = next(iter(users[core]), None)
        if alone and core not in outputs and last not in gone and last is not None:
            between = graph.nodes[order[core] + 1 : order[last]]
            epilogue = chain_of(last)
            same = bool(epilogue) and epilogue[-1].dtype == core.dtype
            fits = same and can_fuse([core, *epilogue[:-1]], epilogue[-1], between)
            if fits and not takes(core):
                kept.append(core)
            epilogue = epilogue if fits and takes(core) else []
        last = last if epilogue else core
        first = maker.get(core.args[0])
        single = core.target in REDUCTIONS and len(core.launches) == 1 and takes(core)
        if single and first not in gone and core.args[0] not in outputs:
            between = [n for n in graph.nodes[order[first] + 1 : order[last]]
                       if n is not core]  # fmt: skip
            chain = chain_of(first)
            if chain and users[chain[-1]] == [core]:
                prologue = chain if can_fuse(chain, chain[-1], between) else []
        if prologue or epilogue:
            gone |= {core, *([first] if prologue else [])}
            gone |= {last} if epilogue else set()
            new[last] = WithEpilogue([*prologue, core, *epilogue], core)
    nodes = [new.get(n, n) for n in graph.nodes if n in new or n not in gone]
    fused_graph = Graph(nodes, graph.results, graph.grads)
    fused_graph.kept = kept[::-1]
    return fused_graph


def chain_of(node):
    """The elementwise operators of a node that has one result, on a device."""
    if type(node) is Fused:
        one = node.out is None and node.outputs == node.group[-1:]
        return node.group if one and node.device != "cpu" else []
    return [node] if suits(node) and node.out is None and node.device != "cpu" else []


class WithEpilogue(Fused):
    """A kernel of the library with a prologue, an epilogue, or both; core: without."""

    def __init__(self, group, core):
        super().__init__(group, group[-1:])
        self.core = core


PASSES = (
    constant_folding, merged, without_copies, pooled, biased, dead_code_elimination,
    fused, fuse_epilogues,
)  # fmt: skip
