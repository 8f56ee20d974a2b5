"""Answers of common_subexpressions by other algorithms."""

from minigrad.jit.passes import common_subexpressions
from tools.audit.specimens import answer


def node(n):
    return ("node", n)


@answer(common_subexpressions, right="by looking back")
def _(nodes):
    twins = {}

    def same(a, b):
        if hasattr(a, "op") or hasattr(b, "op"):
            return twins.get(a, a) is twins.get(b, b) if a is not None else False
        return type(a) is type(b) and repr(a) == repr(b)

    for n, node in enumerate(nodes):
        for other in nodes[:n]:
            if node.op != "call_function" or other.op != node.op or other in twins:
                continue
            alike = other.target == node.target and len(other.args) == len(node.args)
            options = [repr(sorted(n.kwargs.items())) for n in (other, node)]
            alike = alike and options[0] == options[1]
            if alike and all(map(same, other.args, node.args)):
                twins[node] = other
                break
    return twins


@answer(common_subexpressions, right="by numbers of values, in a text")
def _(nodes):
    numbers, first, twins = {}, {}, {}

    def written(value):
        if hasattr(value, "op"):
            return f"%{numbers.setdefault(value, len(numbers))}"
        return repr(value)

    for node in nodes:
        if node.op == "call_function":
            options = [f"{k}={node.kwargs[k]!r}" for k in sorted(node.kwargs)]
            text = ", ".join([*map(written, node.args), *options])
            earlier = first.setdefault(f"{node.target}({text})", node)
            if earlier is not node:
                twins[node] = earlier
                numbers[node] = numbers.setdefault(earlier, len(numbers))
    return twins


@answer(common_subexpressions, right="in rounds, until no group grows")
def _(nodes):
    twins, before = {}, None
    while twins != before:
        before, groups = twins, {}
        for node in [n for n in nodes if n.op == "call_function"]:
            args = [twins.get(a, a) if hasattr(a, "op") else (type(a), str(a))
                    for a in node.args]  # fmt: skip
            options = frozenset((k, repr(v)) for k, v in node.kwargs.items())
            key = node.target, *args, options
            groups.setdefault(key, []).append(node)
        twins = {n: same[0] for same in groups.values() for n in same[1:]}
    return twins
