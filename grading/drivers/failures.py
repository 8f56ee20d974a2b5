"""What a failed assertion of a learner's test compared, in words."""

import ast
import linecache
import traceback

import numpy as np

from .guards import unwatched

FEW = 6  # elements of an array that are shown
MOST = 8  # names, and parts of an assertion, that are shown
LONGEST = 90  # characters of a value
PLAIN = (int, float, bool, str)
METHODS = {"numpy", "tolist", "item", "reshape", "ravel", "sum", "all", "any", "copy"}


@unwatched
def failed(error, answer):
    """ "fails: ..." of an AssertionError: its message, line, values, and a hint."""
    said = " ".join(str(error).split())[:1000]
    where = values = hint = ""
    own = getattr(getattr(answer, "__code__", None), "co_filename", None)
    frames = [*traceback.walk_tb(error.__traceback__)]
    for frame, line in reversed(frames):
        if frame.f_code.co_filename == own:
            where = f"line {line}: {linecache.getline(own, line).strip()}"
            try:
                values, hint = compared(frame, line, own)
            except Exception:  # what is shown is an extra
                values, hint = "", ""
            break
    return "\n".join([f"fails: {said}", where, values, hint])


def compared(frame, line, file):
    """(values, hint) of the statement at a line of a frame."""
    tree = ast.parse("".join(linecache.getlines(file)))
    statements = [n for n in ast.walk(tree) if isinstance(n, ast.Assert | ast.Expr)
                  and n.lineno <= line <= n.end_lineno]  # fmt: skip
    if not statements:
        return "", ""
    inside = statements[-1]
    inside = inside.test if isinstance(inside, ast.Assert) else inside.value
    names = {**frame.f_globals, **frame.f_locals}
    values, parts = [], {}
    for node in filter(safe, operands(inside)):
        values.append(eval(compile(ast.Expression(node), "<shown>", "eval"), names))
        if any(isinstance(inner, ast.Name) for inner in ast.walk(node)):
            parts[ast.unparse(node)] = values[-1]
    small = {k: v for k, v in frame.f_locals.items() if plain(v) and k not in parts}
    said = [f"{k} = {brief(v)}" for k, v in [*small.items()][:MOST]]
    said += [f"{k} = {brief(v)}" for k, v in [*parts.items()][:MOST]]
    return ", ".join(said), unlike(inside, values)


def operands(node):
    """The nodes of what an assertion compares."""
    if isinstance(node, ast.Compare):
        yield from (node.left, *node.comparators)
    elif isinstance(node, ast.BoolOp):
        for inner in node.values:
            yield from operands(inner)
    elif isinstance(node, ast.UnaryOp):
        yield from operands(node.operand)
    elif isinstance(node, ast.Call):
        method = isinstance(node.func, ast.Attribute) and node.func.value
        if method and isinstance(method, ast.Compare):
            yield from operands(method)
        for inner in node.args:
            is_test = isinstance(inner, ast.Compare | ast.BoolOp)
            yield from operands(inner) if is_test else [inner]
    else:
        yield node


def safe(node):
    """Is a node computed from values by NumPy alone, so that it may be done again?"""
    for inner in ast.walk(node):
        if isinstance(inner, ast.Call):
            func = inner.func
            if not isinstance(func, ast.Attribute):
                return False
            library = isinstance(func.value, ast.Name) and func.value.id == "np"
            if not library and func.attr not in METHODS:
                return False
        elif isinstance(inner, ast.NamedExpr | ast.Await | ast.Yield | ast.Lambda):
            return False
    return True


def unlike(node, values):
    """Why two values can't be equal; "" for no idea."""
    if isinstance(node, ast.Call):  # of `(a == b).all()` it's the comparison
        func = ast.unparse(node.func).rpartition(".")
        alike = func[2] in ("array_equal", "allclose") or " == " in func[0]
    else:
        alike = isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Eq)
    if not alike or len(values) != 2:
        return ""
    a, b = values
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray) and a.shape == b.shape:
        with np.errstate(all="ignore"):
            nan = (a != a) & (b != b)
            if nan.any() and bool(((a == b) | nan).all()):
                return (
                    "Both have NaN in the same places, and NaN isn't equal to itself. "
                    "`np.array_equal(..., equal_nan=True)` takes NaN as equal."
                )
    for one, other in (a, b), (b, a):
        if isinstance(one, list) and type(other) is int:
            return "A list is never equal to an int. An empty one is false: `not ...`."
    return ""


def plain(value):
    if isinstance(value, tuple):
        return len(value) <= 4 and all(map(plain, value))
    return isinstance(value, PLAIN)


def brief(value):
    """A value in a few characters."""
    if isinstance(value, np.ndarray):
        text = np.array2string(value, separator=", ", threshold=FEW, edgeitems=3,
                               formatter={"float": "{:.5g}".format})  # fmt: skip
    else:
        text = repr(value)
    text = " ".join(text.split())
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 4]} ..."
