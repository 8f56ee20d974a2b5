"""Updates: new values made of the old ones, and the atomic operation for each."""

import dataclasses

from ..front import ctype as C, tree as T
from ..generate.variables import OPAQUE, walk

NAMES = {
    "+": "atomicAdd", "-": "atomicSub", "|": "atomicOr", "&": "atomicAnd",
    "^": "atomicXor", "max": "atomicMax", "min": "atomicMin", "||": "atomicOr",
    "&&": "atomicAnd", "==": "atomicCAS",
}  # fmt: skip
SWAP = "a loop with atomicCAS"
COMMUTE = {"+", "*", "|", "&", "^", "||", "&&"}
LARGER, SMALLER = (">", ">="), ("<", "<=")


@dataclasses.dataclass(frozen=True)
class Update:
    """A variable's new value is made of its old one by this operator, or by others."""

    operator: str
    type: object

    def advice(self):
        """What to write instead."""
        name, type = NAMES.get(self.operator, SWAP), self.type
        note = ""
        if type.dtype.kind == "f" and name not in ("atomicAdd", SWAP):
            negative = name == "atomicSub"
            name = "atomicAdd with the negative number" if negative else SWAP
        elif type.size == 8 and type.dtype.kind == "i" and name == "atomicAdd":
            note = ", its address cast to unsigned long long*"
        elif type.size == 8 and name == "atomicSub":
            name = "atomicAdd with the negative number"
        elif type.size < 4 and type.dtype.kind != "f":
            note = f", and an array of int: there is none for {type}"
        return (
            f"an update is lost if two threads begin with the same old value: use "
            f"{name}{note}"
        )


def updates(functions):
    """place of an access -> the Update that it belongs to, in these functions."""
    by_place = {}
    for function in functions:
        if function.body is not None:
            Finder(by_place).statement(function.body)
    return by_place


class Finder:
    """Reads a function's statements in order.

    known: variable -> its value's tree, and what was known then."""

    def __init__(self, updates):
        self.updates, self.known = updates, {}

    def statement(self, node):
        if isinstance(node, T.Declare):
            self.expressions(node.init)
            self.known[node.variable] = node.init, dict(self.known)
        elif isinstance(node, T.If):
            self.by_hand(node)
            self.expressions(node.condition)
            self.inner(node)
        elif isinstance(node, T.Evaluate | T.Return):
            self.expressions(node.value)
        else:
            self.inner(node)
            for name in ("condition", "step", "subject"):
                self.expressions(getattr(node, name, None))

    def inner(self, node):
        """The statements inside of a statement."""
        for name in ("init", "statements", "yes", "no", "body", "cases"):
            inner = getattr(node, name, None)
            for one in inner if isinstance(inner, list) else [inner]:
                if one is not None:
                    self.statement(one)

    def expressions(self, node):
        for one in walk(node):
            if isinstance(one, T.CompoundAssign):
                self.note(one.target, one.op, [one.place, one.target.place])
                self.change(one.target, one.op, one.value)
            elif isinstance(one, T.Increment):
                self.note(one.target, one.op[0], [one.place, one.target.place])
            elif isinstance(one, T.Assign):
                operator, places = self.made_of(one.value, key(one.target), self.known)
                if places and operator != "same":
                    self.note(one.target, operator, [one.place, *places])
                self.change(one.target, None, one.value)

    def change(self, target, operator, value):
        """From here on a local variable has this value."""
        if isinstance(target, T.VariableRef) and target.variable.storage == "local":
            if operator:
                old = T.Load(target.place, target.type, target)
                value = T.Binary(target.place, target.type, operator, old, value)
            self.known[target.variable] = value, dict(self.known)

    def note(self, target, operator, places):
        if isinstance(target.type.plain, C.Struct | C.Pointer):
            return
        update = Update(operator, target.type.plain)
        self.updates |= dict.fromkeys(places, update)

    def by_hand(self, node):
        """if (value > x) x = value;"""
        inner = node.yes.statements if isinstance(node.yes, T.Block) else []
        one = inner[0].value if [*map(type, inner)] == [T.Evaluate] else None
        if node.no is not None or not isinstance(one, T.Assign):
            return
        target, condition = key(one.target), plain(node.condition)
        if not isinstance(condition, T.Binary | T.Unary):
            return
        sides = [getattr(condition, n, None) for n in ("left", "right")]
        here = [self.made_of(s, target, self.known) for s in sides if s is not None]
        if isinstance(condition, T.Unary):
            here = [self.made_of(condition.operand, target, self.known)]
        places = [place for _, of_part in here for place in of_part]
        if places:
            operator = "=="
            if condition.op in LARGER + SMALLER:
                left = bool(here[0][1])
                operator = "min" if left == (condition.op in LARGER) else "max"
            self.note(one.target, operator, [one.place, *places])

    def made_of(self, node, target, known, deep=0):
        """(operator, places of the target's loads): how a value is made of the target.

        The operator is "same" for the target itself; no places: it is not in there."""
        node = plain(node)
        if node is None or deep > 20:
            return "", []
        again = lambda n, k=known: self.made_of(n, target, k, deep + 1)  # noqa: E731
        node = node.operand if isinstance(node, T.Load) else node
        if isinstance(node, T.VariableRef | T.Index | T.Deref | T.Field):
            if key(node) == target:
                return "same", [node.place]
            local = isinstance(node, T.VariableRef) and known.get(node.variable)
            return again(*local) if local else ("", [])
        if isinstance(node, T.Binary | T.Logical):
            left, right = again(node.left), again(node.right)
            if left[1] and right[1]:
                return "", left[1] + right[1]
            inner, places = left if left[1] else right
            fits = left[1] or node.op in COMMUTE
            return (joined(inner, node.op) if fits else ""), places
        if isinstance(node, T.Select):
            return self.selected(node, again)
        if isinstance(node, T.Call):
            body = node.function.body
            returned = body.statements[:1] if body is not None else []
            if [*map(type, returned)] == [T.Return]:
                pairs = zip(node.function.parameters, node.arguments, strict=True)
                given = {parameter: (value, known) for parameter, value in pairs}
                return again(returned[0].value, given)
        if isinstance(node, T.Call | T.BuiltinCall):
            inner = [again(a) for a in node.arguments]
            places = [place for _, of_part in inner for place in of_part]
            name = node.builtin.name if isinstance(node, T.BuiltinCall) else ""
            operator = next((w for w in ("max", "min") if w in name), "")
            whole = all(how == "same" for how, of_part in inner if of_part)
            return (operator if whole else ""), places
        if isinstance(node, T.Unary):
            return "", again(node.operand)[1]
        return "", []

    def selected(self, node, again):
        """x > value ? x : value"""
        yes, no, condition = again(node.yes), again(node.no), plain(node.condition)
        places = yes[1] + no[1]
        if not isinstance(condition, T.Binary) or bool(yes[1]) == bool(no[1]):
            return "", places
        left, right = again(condition.left), again(condition.right)
        places = places + left[1] + right[1]
        if condition.op not in LARGER + SMALLER or bool(left[1]) == bool(right[1]):
            return "", places
        larger = (condition.op in LARGER) == bool(left[1])
        return ("max" if larger == bool(yes[1]) else "min"), places


def joined(inner, outer):
    """The operator of (x inner a) outer b."""
    if inner in ("same", outer):
        return outer
    return "+" if {inner, outer} == {"+", "-"} else ""


def plain(node):
    """A value without conversions."""
    while isinstance(node, T.Convert):
        node = node.operand
    return node


def key(node):
    """What two lvalues have in common that stand for one place."""
    if isinstance(node, T.VariableRef):
        return node.variable
    if isinstance(node, T.Literal):
        return node.value
    kind, names = type(node), [f.name for f in dataclasses.fields(node)]
    parts = [getattr(node, n) for n in names if n not in ("place", "type")]
    parts = [tuple(p) if isinstance(p, list) else p for p in parts]
    return kind, *[key(p) if is_node(p) else keys(p) for p in parts]


def keys(parts):
    return tuple(map(key, parts)) if isinstance(parts, tuple) else parts


def is_node(part):
    is_part = type(part).__module__ == T.__name__ and hasattr(part, "place")
    return is_part and not isinstance(part, OPAQUE)


def branch_of(functions, lines):
    """The line of the innermost branch or loop that these lines are inside of, or 0."""
    best = 0, 0
    for function in functions:
        for node in walk(function.body) if function.body is not None else ():
            for name in ("yes", "no", "body"):
                part = getattr(node, name, None)
                statements = isinstance(node, T.If | T.While | T.Do | T.For)
                if statements and part is not None:
                    inside = [n.place[0] for n in walk(part)]
                    if min(inside) <= min(lines) and max(lines) <= max(inside):
                        best = max(best, (min(inside), node.place[0]))
    return best[1]
