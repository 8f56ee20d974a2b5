"""Scenes of chapter 12: what an answer does to operations, nodes and static tensors."""

import contextlib
import re
import sys

import numpy as np

import minigrad
from minigrad import graph
from minigrad.exercises.registry import kind
from minigrad.jit.ir import Node

from ..isolation.codec import NotPlain
from .guards import Misuse, replaced
from .registry import scene, wanted


class Op:
    """An operation that a check describes."""

    def __init__(self, name, inputs, type="Add", value=None):  # noqa: A002
        self.name, self.inputs, self.type = name, tuple(inputs), type
        if type == "Const":
            self.value = value

    def __getattr__(self, name):
        if name == "value":
            raise RuntimeError(f"{self} has no value, because it isn't a Const")
        raise AttributeError(name)

    def __repr__(self):
        return self.name


def operations(edges, types=(), values=()):
    """{number: Op} of {number: the numbers of its inputs}, inputs first."""
    types, values, ops = dict(types), dict(values), {}
    for number, inputs in edges.items():
        used, name = [ops[i] for i in inputs], f"operation_{number}"
        ops[number] = Op(name, used, types.get(number, "Add"), values.get(number))
    return ops


def same_facts(thing, before):
    """Has a thing the attributes that it had, and are these the same objects?"""
    now = vars(thing)
    return now.keys() == before.keys() and all(now[k] is before[k] for k in now)


def numbers(result, number_of):
    """A list of operations as their numbers; -1 for anything else."""
    number_of = {id(o): n for n, o in number_of.items()}
    return [
        number_of.get(id(o), -1) for o in wanted(result, list, "a list of operations")
    ]


@scene
def execution(exercise, edges, fetches):
    """The numbers of the operations, in the order that was found."""
    ops = operations(edges)
    fetched = [ops[n] for n in fetches]
    with few_calls() if len(edges) > 1000 else contextlib.nullcontext():
        exercise(fetched)  # once more below: nothing may be kept
        order = numbers(exercise(fetched), ops)
    for operation in ops.values():  # or Python would take a long row apart one by one
        operation.inputs = ()
    return order


@contextlib.contextmanager
def few_calls():
    """Let no more than 5000 calls be inside of each other, whatever an answer does."""
    most, allow = sys.getrecursionlimit(), sys.setrecursionlimit
    allow(5000)
    try:
        with replaced(sys, "setrecursionlimit", lambda limit: None):
            yield
    finally:
        allow(most)


@scene
def prune(exercise, edges, types, order, fetches, fed):
    """The numbers of what is to be computed, or the names that a ValueError says."""
    ops = operations(edges, types)
    order, fetches = [ops[n] for n in order], [ops[n] for n in fetches]
    fed_ops = {ops[n] for n in fed}
    try:
        exercise(order, fetches, fed_ops)  # once more below: nothing may be kept
        computed = numbers(exercise(order, fetches, fed_ops), ops)
    except ValueError as error:
        words = re.findall(r"\w+", f"{error}")
        if names := [o.name for o in ops.values() if o.name in words]:
            return {"ValueError about": names}
        raise
    return {"computed": computed}


WORKS = {  # what the kernels of `fold` compute
    "Add": lambda *a: sum(a), "Sub": lambda a, b: a - b, "Mul": lambda a, b: a * b,
    "Neg": lambda a: -a, "Zero": lambda: 0.0, "Random": lambda *a: 4.0,
    "Forget": lambda a: None, "IsNone": lambda a: a is None,
}  # fmt: skip


def foldable(edges, types, stateful):
    """The operations that are computed of constants."""
    known = {n for n, kind in types.items() if kind == "Const"}
    for n, inputs in edges.items():
        if inputs and types[n] not in stateful and known >= {*inputs}:
            known.add(n)
            yield n


@scene
def fold(exercise, edges, types, values, stateful, kernels="all"):
    """The values that were found, and how often each kernel was called."""
    needed = {types[n] for n in foldable(edges, types, stateful)}
    given = needed if kernels == "those needed" else WORKS
    ops = operations(edges, types, values)
    calls = []

    def kernel(name, work):
        def run(*args):
            calls.append(name)
            return work(*args)

        return run

    kernels = {name: kernel(name, WORKS[name]) for name in WORKS if name in given}
    order = [*ops.values()]
    before = [{**vars(o)} for o in order]
    result = wanted(exercise(order, kernels, tuple(stateful)), dict, "a dict")
    if not all(map(same_facts, order, before)):
        raise Misuse("changed", "an operation has changed")
    number_of = {id(o): n for n, o in ops.items()}
    if not number_of.keys() >= set(map(id, result)):
        raise NotPlain("a key is no operation of order: is it kept from another call?")
    shown = {number_of[id(o)]: v for o, v in result.items()}
    return {"values": dict(sorted(shown.items())), "kernels called": sorted(calls)}


# ------------------------------------------------- gradients


def built(steps):
    """Operations of the steps (name, type, inputs), in the default graph."""
    ops = {}
    for name, type_, inputs in steps:
        if type_ == "Placeholder":
            ops[name] = graph.placeholder(name)
        else:
            ops[name] = graph.op(type_, *[ops[i] for i in inputs], name=name)
    return ops


@scene
def graph_gradients(exercise, steps, y, xs, feed, twice=False, shared=False):
    """The values of gradients that were defined, and what was asked on the way.

    twice: the gradient of the sum of the first gradient, in their place. shared: one
    operation is the gradient of both inputs of a sum.
    """
    with graph.Graph().as_default():
        ops = built(steps)
        asked, before = [], len(ops[y].graph.operations)

        def grad_of(operation, dy):
            asked.append(operation.name)
            if shared and operation.type == "Add":
                return dy, dy
            return graph.gradient_of(operation, dy)

        targets = [ops[x] for x in xs]
        gradients = exercise(ops[y], targets, grad_of)
        if targets != [ops[x] for x in xs]:
            raise Misuse("changed", "xs has changed")
        if twice:
            gradients = exercise(
                graph.reduce_sum(gradients[0]), targets, graph.gradient_of
            )
        for g in wanted(gradients, list, "a list"):
            if g is not None and not isinstance(g, graph.Operation):
                raise NotPlain(f"gradients are operations, or None, not {kind(g)}")
        session = graph.Session()
        feed = {ops[name]: np.array(v, np.float64) for name, v in feed.items()}
        values = [None if g is None else session.run(g, feed) for g in gradients]
        values = [None if v is None else np.array(v.numpy()) for v in values]
        old = {o.name for o in ops[y].graph.operations[:before]}
        asked = None if twice else ", ".join(sorted(a for a in asked if a in old))
        return {"gradients": values, "grad_of is called for": asked}


# ------------------------------------------------- nodes


def nodes_of(described):
    """Nodes of (op, target, args, kwargs); ("node", n) among the args is a node.

    They have no numbers yet, and what is equal is not the same object.
    """
    nodes = []
    for op, target, args, kwargs in described:
        args = [nodes[a[1]] if isinstance(a, tuple) else anew(a) for a in args]
        kwargs = {anew(name): anew(value) for name, value in kwargs.items()}
        nodes.append(Node(anew(op), anew(target), args, kwargs))
    return nodes


def anew(value):
    """An equal value that is, where Python can tell them apart, another object."""
    if isinstance(value, tuple):
        return tuple(map(anew, value))
    if isinstance(value, str):
        return "".join(list(value))
    return value if value is None or isinstance(value, bool) else value * type(value)(1)


@scene
def common(exercise, described):
    """{number of a node: number of the one that it repeats}."""
    nodes = nodes_of(described)
    copy, before = [*nodes], [{**vars(n)} for n in nodes]
    options = [{**n.kwargs} for n in nodes]
    exercise(copy)  # once more below: nothing may be kept
    result = wanted(exercise(copy), dict, "a dict")
    number_of = {id(n): i for i, n in enumerate(nodes)}
    pairs = {
        number_of.get(id(a), -1): number_of.get(id(b), -1) for a, b in result.items()
    }
    same = copy == nodes and all(map(same_facts, nodes, before))
    same = same and options == [n.kwargs for n in nodes]
    return {"repeated": dict(sorted(pairs.items())), "nodes are as they were": same}


class Fact:
    """A node as can_fuse is shown one."""

    def __init__(self, number, inputs, pointwise=True, shape=(3, 4), device="sim",
                 reads=(), writes=()):  # fmt: skip
        self.number, self.pointwise, self.shape = number, pointwise, anew(shape)
        self.device, self.reads, self.writes = anew(device), set(reads), set(writes)
        self.inputs, self.args = inputs, tuple(inputs)

    def told(self):
        """All that it says, as it is now."""
        return {name: [*value] if isinstance(value, set | list) else value
                for name, value in vars(self).items()}  # fmt: skip

    def __repr__(self):
        return f"%{self.number}"


@scene
def fusion(exercise, nodes, group, node, between):
    """May a node be fused? nodes: {number: what Fact takes, inputs by their numbers}"""
    facts = {}
    for n, how in nodes.items():
        facts[n] = Fact(n, **how | {"inputs": [facts[i] for i in how["inputs"]]})
    args = [facts[n] for n in group], facts[node], [facts[n] for n in between]
    before = [fact.told() for fact in facts.values()], [*args[0]], [*args[2]]
    result = wanted(exercise(*args), bool, "True or False")
    if before != ([fact.told() for fact in facts.values()], args[0], args[2]):
        raise Misuse("changed", "a node, group or between has changed")
    return result


# ------------------------------------------------- static tensors


LAYOUTS = {  # tensors with the elements of an array
    "row by row": minigrad.tensor,
    "turned": lambda a: minigrad.tensor(np.ascontiguousarray(a.T)).T,
    "inside": lambda a: minigrad.tensor(np.stack([a - 1, a, a + 1], -1))[..., 1],
}


@scene(changes=("static", "given"))
def inputs_copied(exercise, static, given, layout="row by row"):
    """What static tensors hold after the copy of the given ones.

    given: arrays, or ("static", n) for a static tensor, ("turned", n) and ("first", n)
    for views of one, ("elsewhere", n) for one on another device, ("given", n) for one
    that is given already. layout: of the static ones, and of arrays that are given.
    """
    tensors, new = [LAYOUTS[layout](a) for a in static], []
    memory, graph_reads = (
        [t.storage.data for t in tensors],
        [t.detach() for t in tensors],
    )
    beside = [t.storage.data.copy() for t in tensors]
    views = {"static": lambda n: tensors[n], "turned": lambda n: tensors[n].T,
             "first": lambda n: tensors[n][:1].expand(tensors[n].shape),
             "elsewhere": lambda n: tensors[n].to("sim"),
             "given": lambda n: new[n]}  # fmt: skip
    for x in given:
        array = isinstance(x, np.ndarray)
        new.append(LAYOUTS[layout](x) if array else views[x[0]](x[1]))
    lists = [*tensors], [*new]
    try:
        exercise(lists[0], lists[1])
        raised = None
    except Exception as error:
        raised = type(error).__name__ + " without a message" * (not str(error))
    shown = [np.array(t.detach().numpy()) for t in graph_reads]
    alike = [[*map(id, now)] for now in lists] == [[*map(id, tensors)], [*map(id, new)]]
    same = all(t.storage.data is m for t, m in zip(tensors, memory, strict=True))
    if layout == "inside":  # what lies between is not theirs
        for m, old in zip(memory, beside, strict=True):
            same &= bool((np.delete(m, slice(1, None, 3)) ==
                          np.delete(old, slice(1, None, 3))).all())  # fmt: skip
    others = [np.array(x.numpy()) if isinstance(g, np.ndarray) else None
              for x, g in zip(new, given, strict=True)]  # fmt: skip
    return {
        "static tensors": shown, "raises": raised, "the lists are as they were": alike,
        "they read the same memory": same, "given tensors": others,
    }  # fmt: skip
