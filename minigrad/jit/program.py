"""Program: a Graph that can be run, on other inputs."""

import functools

from .. import plan_cache
from ..autograd import no_grad
from ..autograd.record import below
from ..cuda import CUDAGraph, copy_inputs
from ..cuda import graph as capturing
from ..dispatch import planned
from ..tensor import Tensor
from ..trace import Trace
from .codegen import kernel_of
from .fork import Fork
from .ir import Node, mapped
from .passes import Fused


class Program:
    """A graph as steps. static: where its random numbers begin, in
    memory; None: where they began last."""

    def __init__(self, graph, static):
        self.graph, self.static = graph, static
        self.inputs = [n for n in graph.nodes if n.op == "placeholder"]
        self.held = {n: n.value for n in graph.nodes if n.op == "get_attr"}
        self.kernels = [kernel_of(n) for n in graph.nodes if isinstance(n, Fused)]
        fused = iter(self.kernels)
        last = last_uses(graph)
        self.steps = [(n, step_of(n, fused), last[n]) for n in graph.nodes
                      if n.op == "call_function"]  # fmt: skip
        for node in graph.nodes:
            for one in node.group or [node]:
                one.value = None  # what the trace has made is not needed again

    def renew(self):
        """Let the next run draw the random numbers that come next."""
        if self.static is not None and self.static.used:
            self.static.renew()

    def run(self, tensors, renew=True, fork=None):
        """What the function returns for these tensors. fork: a Fork, on a GPU."""
        if renew:
            self.renew()
        env = dict(self.held)
        for parameter, _ in self.graph.grads:
            parameter.grad = None  # memory of its own comes instead
        for node, x in zip(self.inputs, tensors, strict=True):
            env[node] = x if x.spec is node.spec else x.clone()  # from its beginning on
        for node, step, done in self.steps:
            if fork is None:
                step(env)
            else:
                fork.run(node, step, env)
            for other in done:  # its memory is free for what comes
                del env[other]
        if fork is not None:
            fork.join()
        for parameter, node in self.graph.grads:
            parameter.grad = None if node is None else env[node]
        return mapped(self.graph.results, Node, env.__getitem__)


class Captured:
    """A program as a CUDA graph: its second run is captured, further ones replay it.

    What it returns is the same memory in each run.
    """

    def __init__(self, program):
        self.program, self.captured, self.warm = program, None, False
        self.graph, self.kernels = program.graph, program.kernels

    def run(self, tensors):
        if not self.warm:
            self.warm = True
            return self.program.run(tensors)
        if self.captured is None:
            self.static = [x.detach().clone() for x in tensors]
            self.captured = CUDAGraph()
            device = self.static[0].device if self.static else None
            on_gpu = device == "cuda"
            fork = Fork(self.program.graph) if on_gpu else None
            with capturing(self.captured, device="cuda" if on_gpu else "sim"):
                self.result = self.program.run(self.static, False, fork)
        with no_grad():
            copy_inputs(self.static, tensors)
        self.program.renew()
        self.captured.replay()
        return self.result


def last_uses(graph):
    """{node: the nodes that nobody needs after it}: their memory is free then."""
    ending_at, seen = {}, {*graph.outputs}
    for node in reversed(graph.nodes):
        mine = [node, *node.inputs] if not isinstance(node, Fused) else [
            *node.outputs, *node.inputs]  # fmt: skip
        ending_at[node] = [n for n in dict.fromkeys(mine) if n not in seen]
        seen.update(mine)
        if node.op != "call_function":
            ending_at[node] = []
    return ending_at


def step_of(node, fused):
    """A function of env, {node: tensor}, that does a node."""
    args, out = node.args, node.out
    if isinstance(node, Fused):
        return fused_step(node, next(fused))
    if node.target == "getitem":
        whole, number = args

        def get(env):
            env[node] = env[whole][number]

        return get
    if node.target == "as_strided":
        (base,), spec = args, node.spec

        def view(env):
            env[node] = env[base]._alias(spec)

        return view
    if node.target == "empty":

        def allocate(env):
            storage = node.kernel()
            if plan_cache.state.recording is not None:
                plan_cache.state.recording.allocated(storage, node.kernel)
            env[node] = Tensor._from_spec(storage, node.spec)

        return allocate
    state = {}

    def call(env):
        operands = [env[a] if type(a) is Node else a for a in args]
        if without_plans():
            how = node.kwargs if out is None else {**node.kwargs, "out": env[out]}
            env[node] = run_without_plan(node.target, node.kernel, operands, how)
        elif out is not None:
            into(node, state, operands, env[out])
            env[node] = env[out]
        elif "run" in state:
            env[node] = state["run"](*operands)
        else:
            env[node], run = below(planned, node.kernel, operands, node.kwargs)
            state["run"] = run or again(node)

    return call


def without_plans():
    """Is every kernel run anew, because it is traced or plans are disabled?"""
    return Trace.active is not None or plan_cache.state.disabled


def run_without_plan(name, kernel, operands, options):
    run = functools.partial(kernel, *operands, **options)
    if Trace.active is not None:
        run = functools.partial(Trace.active.run, name, kernel, operands, options)
    result = below(run)
    if options.get("out") is not None:
        options["out"].storage.version += 1
    return result


def again(node):
    """A node's kernel, for which there is no plan."""
    return lambda *operands: below(node.kernel, *operands, **node.kwargs)


def into(node, state, operands, out):
    """Run an operator that writes into a tensor that is there."""
    if "run" not in state:
        state["run"] = below(node.kernel.plan_into, out, operands)
    elif state["run"] is not None:
        state["run"](*operands, out)
    else:
        below(node.kernel, *operands, out=out)
    out.storage.version += 1


def fused_step(node, kernel):
    state = {}

    def run(env):
        out = None if node.out is None else env[node.out]
        options, operands = {} if out is None else {"out": out}, map(env.get, node.args)
        if not hasattr(kernel, "plan") or without_plans():
            outputs = run_without_plan(node.target, kernel, [*operands], options)
        elif "run" in state:
            outputs = state["run"](*operands)
        else:
            outputs, again = below(planned, kernel, [*operands], {})
            state["run"] = again or functools.partial(below, kernel)
        env.update(zip(kernel.outputs, outputs, strict=True))

    return run
