"""Tracing: run a function once, and write down every operator that it calls.

The run is a real one: it computes what the function computes. What only Python sees is
not written down: an `if`, a loop, a number of its own is there as it was in this run.
"""

import itertools
from weakref import WeakKeyDictionary

from .. import plan_cache, random
from ..layout import row_spec
from ..lines import user_line
from ..storage import Storage
from ..tensor import Tensor
from ..trace import Trace
from .ir import Graph, Node, mapped

RULES = {"sgd": 3, "adam": 4}  # the tensors in a row of an optimizer's launch


class Tracer(Trace):
    """Listens to operators as `minigrad.trace()` does, and to memory and the host.

    names: {storage: what a tensor of it is called}. refused: (what, line) of the first
    thing that a trace cannot hold, or None.
    """

    def __init__(self, inputs, names=()):
        self.nodes, self.depth, self.refused = [], 0, None
        self.names, self.memories = dict(names), itertools.count(1)
        self.roots, self.views = WeakKeyDictionary(), WeakKeyDictionary()  # by storage
        self.constants, self.sound = [], True  # as a Recording has them
        self.static = random.Static()
        for name, x in inputs:
            self.known(x, Node("placeholder", name, spec=x.spec))

    # ------------------------------------------------- what it is called with

    def run(self, operator, kernel, operands, options, traffic=None):
        """An operator runs."""
        if self.depth:  # inside of another one
            return kernel(*operands, **options)
        args = [self.node_of(x) for x in operands]
        out = options.get("out")
        target = None if out is None else self.node_of(out)
        versions = [x.storage.version if tensor(x) else 0 for x in operands]
        self.depth, self.launches = self.depth + 1, []
        try:
            result = kernel(*operands, **options)
        finally:
            self.depth -= 1
        kwargs = {k: v for k, v in options.items() if k != "out"}
        node = Node("call_function", operator, args, kwargs, kernel=kernel)
        node.line, node.launches = user_line(), self.launches
        node.pointwise = getattr(kernel, "pointwise", False)
        written = [x.storage for x, v in zip(operands, versions, strict=True)
                   if tensor(x) and x.storage.version != v]  # fmt: skip
        written += [x.storage for x in operands if result is None and tensor(x)]
        if operator == "batch_norm" and options.get("training"):
            written += [x.storage for x in operands[3:] if tensor(x)]
        written += [out.storage] if out is not None else []
        node.out, node.writes = target, tuple(self.memory(s) for s in written)
        if out is None:
            self.made(node, result)
        else:
            node.spec, node.memory = out.spec, target.memory
            self.nodes.append(node)
        return result

    def launched(self, one, args):
        """A kernel is launched: alone where no operator runs, as by an optimizer."""
        if self.depth:
            self.launches.append(one)
            return
        fixed = [self.node_of(a) if has_memory(a) else a for a in args]
        kernel = AgainLaunch(one)
        node = Node("call_function", one.operator, fixed, kernel=kernel,
                    line=user_line())  # fmt: skip
        width = RULES.get(one.operator, 0)  # the second of each row is the gradient
        node.writes = tuple({
            a.memory for i, a in enumerate(fixed)
            if isinstance(a, Node) and not (width and i % width == 1)
        })  # fmt: skip
        self.nodes.append(node)

    def allocated(self, storage, maker):
        """Memory is allocated, outside of an operator."""
        if self.depth or storage in self.roots:
            return
        spec = row_spec(storage.dtype, storage.device, (storage.count,))
        node = Node("call_function", "empty", spec=spec, kernel=lambda: maker())
        self.known(Tensor._from_spec(storage, spec), node)

    def host_reads(self, what):
        """The host reads numbers: what it does with them is not in the trace."""
        if what not in (plan_cache.UPLOAD, "synchronize()"):
            self.refuse(what, user_line())

    def refuse(self, what, line=None):
        self.refused = self.refused or (what, line)

    def append(self, launch):
        """A launch, as `minigrad.trace()` lists them: the operator stands for it."""

    # ------------------------------------------------- nodes

    def made(self, node, result):
        """Keep a node, and what it has made."""
        self.nodes.append(node)
        if not isinstance(result, tuple):
            if result is not None:
                node.spec = result.spec
                self.known(result, node, new=False)
            return
        node.spec = tuple(x.spec if tensor(x) else None for x in result)
        for i, x in enumerate(result):
            if tensor(x):
                self.known(x, Node("call_function", "getitem", [node, i], spec=x.spec))

    def known(self, x, node, new=True):
        """Let a node stand for a tensor. Memory is freed as without a trace: only what
        is there before the first kernel, and what follows from it, is kept."""
        if new:
            self.nodes.append(node)
        storage, inputs = x.storage, node.pointwise and node.inputs
        if node.op == "get_attr" or inputs and all(n.constant for n in inputs):
            node.value, node.constant = x, node.constant or bool(inputs)
        first = self.roots.setdefault(storage, node)
        node.memory = first.memory or next(self.memories)
        self.views.setdefault(storage, {})[x.spec] = node
        return node

    def memory(self, storage):
        root = self.roots.get(storage)
        return root.memory if root else self.node_of(flat(storage)).memory

    def node_of(self, x):
        """The node of an operand; a number stays what it is."""
        if not has_memory(x):
            return x
        x = flat(x) if isinstance(x, Storage) else x
        view_node = self.views.get(x.storage, {}).get(x.spec)
        if view_node is not None:
            return view_node
        root = self.roots.get(x.storage)
        if root is not None:  # another way to read known memory
            node = Node("call_function", "as_strided", [root], {"to": x.spec.layout})
            node.spec = x.spec
            return self.known(x, node)
        of = getattr(x.storage, "of", None)
        if of is not None and of in self.roots:
            self.refuse("view(dtype): the same bytes as other numbers", user_line())
        number = any(x.storage is s for s in self.constants)
        name = self.names.get(id(x.storage), "number" if number else "tensor")
        node = Node("get_attr", name, spec=x.spec, value=x, constant=number)
        return self.known(x, node)

    def keep(self):
        """Keep what is still there of all that was made."""
        for storage, views in [*self.views.items()]:
            for spec, node in views.items():
                if node.value is None:
                    node.value = Tensor._from_spec(storage, spec)

    def graph(self, result, grads=()):
        """The Graph of what was traced, with what the function returned."""
        results = mapped(result, Tensor, self.node_of)
        grads = [(x, g if g is None else self.node_of(g)) for x, g in grads]
        return Graph(self.nodes, results, grads)

    # ------------------------------------------------- a run

    def __enter__(self):
        self.watch, plan_cache.state.watch = plan_cache.state.watch, self.host_reads
        self.drawing = self.static.captured()
        self.off = plan_cache.disabled(self)
        self.drawing.__enter__(), self.off.__enter__()
        return super().__enter__()

    def __exit__(self, *error):
        super().__exit__(*error)
        self.off.__exit__(*error), self.drawing.__exit__(*error)
        plan_cache.state.watch = self.watch


class AgainLaunch:
    """A launch that stands alone, with other memory."""

    def __init__(self, launch):
        self.launch = launch

    def __call__(self, *args):
        if plan_cache.state.recording is not None:
            plan_cache.state.recording.launched(self.launch, args)
        self.launch.run([self.launch.address(a) for a in args])


def tensor(x):
    return hasattr(x, "spec")


def has_memory(x):
    return tensor(x) or isinstance(x, Storage)


def flat(storage):
    """A storage as a tensor of one dimension."""
    return Tensor._from_spec(
        storage, row_spec(storage.dtype, storage.device, (len(storage),))
    )
