"""Calls of constexpr functions in constant expressions: the typed tree, run."""

from . import constant, ctype as C, tree as T

MOST_STEPS = 100_000
DEEPEST = 60
BREAK, CONTINUE = "break", "continue"


class Unknown(Exception):
    """This has no value when compiling, or none that is computed here."""


class Known(dict):
    """variable -> value within one call. left: [steps that all calls may still do]."""

    def __init__(self, left, depth):
        super().__init__()
        self.left, self.depth = left, depth


def call(node, known):
    """The value of a call of a constexpr function; None if it has none."""
    left, depth = [MOST_STEPS], 0
    if known is not None:  # it may well be empty
        left, depth = known.left, known.depth + 1
    function, inner = node.function, Known(left, depth)
    if not function.constexpr or depth > DEEPEST:
        return None
    try:
        for parameter, argument in zip(
            function.parameters, node.arguments, strict=True
        ):
            if isinstance(parameter.type, C.Reference) and not parameter.type.to.const:
                return None
            inner[parameter] = needed(argument, known)
        how = run(function.body, inner)
    except Unknown:
        return None
    return how[0] if isinstance(how, tuple) else None


def unknown_call(node):
    """A call of a constexpr function within `node` that has no value; or None."""
    if isinstance(node, T.Call) and node.function.constexpr:
        return node
    for name in node.__slots__:
        for part in parts(getattr(node, name)):
            if constant.value_of(part) is None and (call := unknown_call(part)):
                return call
    return None


def parts(value):
    """The expressions in a field of a node."""
    values = value if isinstance(value, list) else [value]
    return [v for v in values if "type" in getattr(type(v), "__slots__", ())]


def needed(node, known):
    """The value of an expression that must have one."""
    value = constant.value_of(node, known)
    if value is None:
        raise Unknown
    return list(value) if isinstance(value, list) else value


def run(node, known):
    """Run a statement: None, BREAK, CONTINUE, or the tuple of what it returns."""
    known.left[0] -= 1
    if known.left[0] < 0:
        raise Unknown
    statement = STATEMENT.get(type(node))
    if statement is None:
        raise Unknown
    return statement(node, known)


def in_order(statements, known):
    for statement in statements:
        if how := run(statement, known):
            return how
    return None


def declare(node, known):
    if node.init is None or isinstance(node.variable.type, C.Reference):
        raise Unknown
    known[node.variable] = needed(node.init, known)


def evaluate(node, known):
    """An expression for its effect; one without a value may be a void call."""
    if isinstance(node.value, T.Convert) and node.value.type is C.VOID:
        needed(node.value.operand, known)
    else:
        needed(node.value, known)


def choose(node, known):
    side = node.yes if needed(node.condition, known) else node.no
    return run(side, known) if side else None


def loop(node, known):
    """while, do and for."""
    if isinstance(node, T.For):
        in_order(node.init, known)
    condition, step = node.condition, getattr(node, "step", None)
    first = isinstance(node, T.Do)
    while first or condition is None or needed(condition, known):
        first, how = False, run(node.body, known)
        if how is BREAK:
            break
        if isinstance(how, tuple):
            return how
        if step:
            needed(step, known)
    return None


def switch(node, known):
    """The cases from the one that fits on, up to a break."""
    value = needed(node.subject, known)
    labels = [case.value for case in node.cases]
    start = value if value in labels else None  # None: the default, if there is one
    if start not in labels:
        return None
    for case in node.cases[labels.index(start) :]:
        if how := in_order(case.body, known):
            return None if how is BREAK else how
    return None


def put(target, value, known):
    """Write to a variable of this call, or to a part of one."""
    if known is None:
        raise Unknown
    if isinstance(target, T.VariableRef):
        if target.variable not in known:
            raise Unknown
        known[target.variable] = value
        return value
    if not isinstance(target, T.Index | T.Field):
        raise Unknown
    whole = needed_place(target.base, known)
    if isinstance(target, T.Field):
        at = list(target.base.type.plain.fields).index(target.name)
    else:
        at = needed(target.index, known)
    if not isinstance(whole, list) or not 0 <= at < len(whole):
        raise Unknown
    whole[at] = value
    return value


def needed_place(node, known):
    """The list, itself and no copy, that a part is written to."""
    base = node
    while isinstance(base, T.Index | T.Field):
        base = base.base
    if not isinstance(base, T.VariableRef) or base.variable not in known:
        raise Unknown
    return constant.value_of(node, known)


def assign(node, known):
    return put(node.target, needed(node.value, known), known)


def compound(node, known):
    type, compute = node.target.type, node.compute.plain
    operand = C.promoted(type) if node.op in ("<<", ">>") else node.value.type.plain
    old = constant.fit(needed(node.target, known), operand)
    value = needed(node.value, known)
    if old is None or not compute.is_arithmetic:
        raise Unknown
    return store(node, constant.combine(node.op, old, value, operand, compute), known)


def increment(node, known):
    type, old = node.target.type.plain, needed(node.target, known)
    if not type.is_arithmetic:
        raise Unknown
    step = 1 if node.op == "++" else -1
    new = store(node, constant.result(old + step, C.promoted(type)), known)
    return new if node.prefix else old


def store(node, value, known):
    """Write a number to the target of a node, in the target's type."""
    value = None if value is None else constant.fit(value, node.target.type)
    if value is None:
        raise Unknown
    return put(node.target, value, known)


def comma(node, known):
    needed(node.left, known)
    return needed(node.right, known)


def within(function):
    """Of an expression that writes: nothing is known of it outside a call."""
    return lambda node, known: None if known is None else function(node, known)


STATEMENT = {
    T.Block: lambda node, known: in_order(node.statements, known),
    T.Declare: declare,
    T.Evaluate: evaluate,
    T.If: choose,
    T.While: loop,
    T.Do: loop,
    T.For: loop,
    T.Switch: switch,
    T.Break: lambda node, known: BREAK,
    T.Continue: lambda node, known: CONTINUE,
    T.Return: lambda node, known: (needed(node.value, known),) if node.value else (0,),
}
constant.EVALUATE.update(
    {
        T.Call: call,
        T.Assign: within(assign),
        T.CompoundAssign: within(compound),
        T.Increment: within(increment),
        T.Comma: within(comma),
    }
)
