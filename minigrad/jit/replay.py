"""A traced function whose result is differentiated: a graph forward, one backward."""

from ..autograd import Function, grad, is_grad_enabled
from ..autograd.graph import requires
from ..tensor import Tensor
from .ir import Graph, Node, leaves, mapped
from .passes import optimized
from .program import Program


def with_gradients(tracer, here, result):
    """Trace backward, too, where the result asks for gradients: a Joint, or None."""
    if not is_grad_enabled():
        return None
    given = {id(x) for _, x in here.inputs}
    outputs = [y for y in unique(leaves(result, Tensor)) if requires(y)]
    outputs = [y for y in outputs if id(y) not in given and not y.is_leaf]
    asked = [x for _, x in here.inputs] + [*here.outside.values()]
    asked = [x for x in unique(asked) if requires(x)]
    if not outputs or not asked:
        return None
    mapped([result, outputs], Tensor, tracer.node_of)
    tracer.keep()  # what backward reads, among it
    cut, tracer.depth, dys = len(tracer.nodes), 1, []
    for y in outputs:
        dy = y.new_zeros(y.shape)
        node = Node("placeholder", f"dy{len(dys)}", spec=dy.spec)
        dys.append((dy, tracer.known(dy, node)))
    tracer.depth = 0
    try:
        gradients = grad(outputs, asked, [dy for dy, _ in dys], allow_unused=True)
    except RuntimeError:  # the function itself has called backward: that was it
        del tracer.nodes[cut:]
        return None
    given = [x for _, x in here.inputs]
    return Joint(tracer, cut, result, outputs, asked, given, dys, gradients)


def unique(tensors):
    return [*{id(x): x for x in tensors}.values()]


class Joint:
    """Both graphs, cut in two: forward hands on the nodes that backward uses."""

    def __init__(self, tracer, cut, result, outputs, asked, given, dys, grads):
        whole = tracer.graph([result, outputs, [g for g in grads if g is not None]])
        self.result, ends, gradients = whole.results
        self.asked = [x for x, g in zip(asked, grads, strict=True) if g is not None]
        front, back = whole.nodes[:cut], whole.nodes[cut:]
        kept, inside = {}, {*back}
        for node in back:
            for other in node.inputs:
                if other not in inside and other not in kept:
                    kept[other] = stand_in(other)
        held = [n for n in kept.values() if n.op == "get_attr"]
        saved = {n: new for n, new in kept.items() if new.op == "placeholder"}
        for g in gradients:
            if g not in inside and g not in kept:
                saved[g] = kept[g] = stand_in(g)
        for node in back:
            node.args = tuple(kept.get(a, a) if type(a) is Node else a
                              for a in node.args)  # fmt: skip
            node.out = kept.get(node.out, node.out)
        self.values = [result, outputs, [n.value for n in saved]]  # of the trace
        self.given = given
        self.front = Graph(front, [self.result, ends, [*saved]])
        gradients = [kept.get(g, g) for g in gradients]
        dys = [node for _, node in dys]
        back = [n for n in back if n not in dys]
        self.back = Graph([*dys, *saved.values(), *held, *back], gradients)


def stand_in(node):
    """What stands in the second graph for a node of the first."""
    op = node.op if node.op == "get_attr" else "placeholder"
    new = Node(op, node.target, spec=node.spec, memory=node.memory, value=node.value)
    new.constant = getattr(node, "constant", False)
    return new


class Differentiable:
    """Two programs; the result of the first is differentiated by the second."""

    def __init__(self, joint, static):
        self.traced, self.static = (joint.values, joint.given), static
        self.front = Program(optimized(joint.front), static)
        self.back = Program(optimized(joint.back), None)
        self.graph, self.kernels = self.front.graph, [
            *self.front.kernels, *self.back.kernels]  # fmt: skip
        places = {id(x): i for i, x in enumerate(joint.given)}
        self.takes = [places.get(id(x), x) for x in joint.asked]

    def first(self):
        """The result of the traced call, differentiated as all others are."""
        traced, self.traced = self.traced, None
        return self.attached(*traced)

    def run(self, tensors):
        return self.attached(self.front.run(tensors), tensors)

    def attached(self, values, tensors):
        """The result, with Replay as what made it."""
        result, ends, kept = values
        asked = [tensors[x] if type(x) is int else x for x in self.takes]
        outputs = Replay.apply(self, ends, kept, *asked)
        outputs = outputs if isinstance(outputs, tuple) else (outputs,)
        replaced = {id(old): new for old, new in zip(ends, outputs, strict=True)}
        return mapped(result, Tensor, lambda x: replaced.get(id(x), x))


class Replay(Function):
    """The node of a jitted function."""

    @staticmethod
    def forward(ctx, program, ends, kept, *asked):
        ctx.program, ctx.kept = program, kept
        ctx.pair = program.static.pair
        ends = [y.detach() for y in ends]
        return tuple(ends) if len(ends) > 1 else ends[0]

    @staticmethod
    def backward(ctx, *dys):
        if is_grad_enabled():
            raise RuntimeError(
                "jit: gradients of gradients are not traced: call the function itself"
            )
        program = ctx.program
        program.static.put(ctx.pair)
        dys = [fitted(dy, n) for dy, n in zip(dys, program.back.inputs, strict=False)]
        return None, None, None, *program.back.run([*dys, *ctx.kept])


def fitted(dy, node):
    """A gradient in the layout that the trace was made for."""
    return dy if dy.spec is node.spec else dy.clone()
