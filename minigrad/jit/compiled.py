"""What `jit` returns: a function that finds the program for a call, or makes it."""

import functools
import re

from .. import plan_cache
from ..lines import shown
from ..tensor import Tensor
from . import guards
from .ir import mapped
from .passes import optimized
from .program import Captured, Program
from .replay import Differentiable, with_gradients
from .trace import Tracer

MOST = 8  # traces of one function, as torch.compile's recompile limit
WHY = {
    "item()": "a number of a tensor is read on the host",
    "bool()": "what is done next depends on numbers of a tensor",
    "numpy()": "NumPy reads a tensor, and what it does is not traced",
    "nonzero()": "how large a result is depends on numbers of a tensor",
    "tolist()": "numbers of a tensor are read on the host",
}


class Trace:
    """A program, and what it was made for. refused: why there is none."""

    def __init__(self, facts, program=None, refused=None):
        self.facts, self.program, self.refused = facts, program, refused


class Compiled:
    """A jitted function. log: (call, what happened, why)."""

    def __init__(self, function, mode=None):
        functools.update_wrapper(self, function)
        self.function, self.mode, self.calls, self.log = function, mode, 0, []
        self.traces = {}

    def __call__(self, *args, **kwargs):
        self.calls += 1
        if isinstance(Tracer.active, Tracer):  # inside of another one
            return self.function(*args, **kwargs)
        for traced_call in self.traces.values():
            if not kwargs and traced_call.program and traced_call.facts.hold(args):
                return traced_call.program.run(args)
        here, why = guards.facts_of(self.function, args, kwargs), None
        for number in reversed(self.traces):
            traced_call = self.traces[number]
            failures = guards.guard_failures(traced_call.facts.facts, here.facts)
            why = failures if why is None else min(why, failures, key=len)
            if not failures:
                if traced_call.program is None:
                    return self.function(*args, **kwargs)
                return traced_call.program.run([x for _, x in here.inputs])
        return self.first(here, args, kwargs, why or ["the first call"])

    def first(self, here, args, kwargs, why):
        """A call for which there is no trace: run it, and make one."""
        if len(self.traces) >= MOST:
            if self.log[-1][1] != "given up":
                self.log.append((self.calls, "given up", why))
            return self.function(*args, **kwargs)
        args, kwargs = mapped((args, kwargs), Tensor, from_the_start)
        here = guards.facts_of(self.function, args, kwargs)
        result, program, refused = traced(self.function, here, args, kwargs)
        if self.mode and type(program) is Program:
            program = Captured(program)
        here.settle()
        trace = Trace(here, program, refused)
        plan_cache.put(self.traces, len(self.traces), trace)
        if refused:
            self.log.append((self.calls, "refused", refused))
        else:
            self.log.append((self.calls, "traced", why))
        return result

    @property
    def program(self):
        """The Program of the last trace."""
        programs = [t.program for t in self.traces.values() if t.program]
        if not programs:
            raise RuntimeError(f"{self.__name__} has no trace. {explain(self)}")
        return programs[-1]

    @property
    def graph(self):
        """The Graph of the last trace, after the passes."""
        return self.program.graph

    @property
    def code(self):
        """The kernels that were written for the last trace, as a text."""
        return "\n\n".join(kernel.text for kernel in self.program.kernels)

    def __repr__(self):
        return f"<jit {self.__name__}: {len(self.traces)} traces>"


def traced(function, here, args, kwargs):
    """Run a function: (result, a program or None, why there is none or None)."""
    names = {id(x.storage): name for name, x in here.outside.items()}
    tracer = Tracer(here.inputs, names)
    watched = [*here.outside.values(), *(x for _, x in here.inputs)]
    before = [grad_of(x) for x in watched]
    with tracer:
        result = function(*args, **kwargs)
        grads = [(x, grad_of(x)) for x, g in zip(watched, before, strict=True)
                 if grad_of(x) is not g]  # fmt: skip
        joint = with_gradients(tracer, here, result)
    refused = problems(tracer, here, function, args, kwargs)
    if refused:
        return result, None, refused
    if joint:
        program = Differentiable(joint, tracer.static)
        return program.first(), program, None
    graph = tracer.graph(result, grads)
    return result, Program(optimized(graph), tracer.static), None


def from_the_start(x):
    """A tensor that lies at the beginning of its storage, where it may be moved."""
    return x.clone() if x.offset and guards.movable(x) else x


def grad_of(x):
    return x._meta and x._meta.grad


def problems(tracer, here, function, args, kwargs):
    """Why what was traced cannot be run again: a list of texts."""
    if tracer.refused:
        what, line = tracer.refused
        return [f"{what}{WHY.get(what) and f': {WHY[what]}'}{at(line)}"]
    inputs = {node.memory: node for node in tracer.nodes if node.op == "placeholder"}
    for node in tracer.nodes:
        for memory in node.writes:
            if memory in inputs:
                name = inputs[memory].target
                return [f"{node.target} writes into the input {name!r}{at(node.line)}"]
    after = guards.facts_of(function, args, kwargs)
    for name, x in here.outside.items():
        if after.outside.get(name) is not x:
            return [f"{name} is another tensor after the call: write into the old one"]
    return []


def at(line):
    """Where in the user's code."""
    return f" ({shown(line)})" if line else ""


class Explanation(str):
    """A text that shows itself as it is."""

    __repr__ = str.__str__


def explain(function):
    """What became of each call of a jitted function that was not simply run."""
    if not isinstance(function, Compiled):
        raise TypeError(f"jit.explain takes what jit returned, not {function!r:.60}")
    name, lines = function.__name__, []
    for call, what, why in function.log:
        lines.append("\n    ".join([f"call {call}: {SAID[what]}:", *brief(why)]))
    programs = [t.program for t in function.traces.values() if t.program]
    lines = [f"{name}: calls {function.calls}, traces {len(programs)}", *lines]
    if programs:
        graph = programs[-1].graph
        lines.append(f"the last trace: {graph.count()} kernels, "
                     f"{len(programs[-1].kernels)} of them written by jit")  # fmt: skip
        for node in graph.kept:
            own = any(one.variant == "yours" for one in node.launches)
            whose = "a kernel of yours" if own else "no kernel with a place for it"
            lines.append(f"what follows {node.target} stays a kernel of its own: "
                         f"{whose} makes its operand{at(node.line)}")  # fmt: skip
    return Explanation("\n".join(lines))


def brief(why):
    """The first reasons; of memory only that it is another."""
    why = [re.sub(r"^(memory of .*?) was .*", r"the \1 is another", w) for w in why]
    return why[:3] + [f"and {len(why) - 3} more"] * (len(why) > 3)


SAID = {
    "traced": "traced",
    "refused": "not traced, and run as it is from now on",
    "given up": f"not traced any more after {MOST} traces, and run as it is",
}
