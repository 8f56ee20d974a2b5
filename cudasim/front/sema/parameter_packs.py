"""Parameter packs. Each element is the pattern, with the packs' names bound anew."""

from .. import ast, ctype as C, tree as T
from ..errors import CompileError
from .discarded import names_in
from .node_checks import check, checks, type_of
from .symbols import Pack

EMPTY = {"&&": "true", "||": "false"}


def pack_elements(scope, pattern):
    """The names that each element of a pattern binds."""
    names = [n for n in sorted(names_in(pattern)) if isinstance(scope.find(n), Pack)]
    packs = [scope.find(name) for name in names]
    if len(set(map(len, packs))) != 1:
        message = "'...' needs packs, all of one length, before it"
        raise CompileError(message, pattern.place)
    return [dict(zip(names, row, strict=True)) for row in zip(*packs, strict=True)]


def expand(scope, items):
    """Expressions, types or lists: what has ... behind it once for each element."""
    out = []
    for item in items:
        if isinstance(item, ast.Expand):
            rows = pack_elements(scope, item.pattern)
            out += [ast.Element(item.place, item.pattern, row) for row in rows]
        elif isinstance(item, ast.PackOf):
            types = pack_types(scope, item)
            out += [ast.NamedType(item.place, type, 0) for type in types]
        else:
            out.append(item)
    return out


def pack_types(scope, node):
    """The types that Ts*... is."""
    saved, out = scope.names, []
    for row in pack_elements(scope, node.type):
        scope.names = [*saved, row]
        out.append(type_of(scope, node.type))
    scope.names = saved
    return out


@checks(ast.Element)
def check_element(scope, node):
    scope.names.append(node.names)
    checked = check(scope, node.pattern)
    scope.names.pop()
    return checked


@checks(ast.Fold)
def check_fold(scope, node):
    """(args + ...), (... + args), (first + ... + args), (args + ... + last)"""
    sides = [s for s in (node.left, node.right) if s is not None]
    packed = [s for s in sides if any(
        isinstance(scope.find(name), Pack) for name in names_in(s))]  # fmt: skip
    if len(packed) != 1:
        raise CompileError("one side of a fold must hold a pack", node.place)
    parts = expand(scope, [ast.Expand(node.place, packed[0])])
    to_the_right = packed[0] is node.left
    others = [s for s in sides if s is not packed[0]]
    parts = parts + others if to_the_right else others + parts
    if not parts:
        if node.op not in EMPTY:
            message = f"'{node.op}' of an empty pack has no value"
            raise CompileError(message, node.place)
        return check(scope, ast.Word(node.place, EMPTY[node.op]))
    folded = parts.pop(-1 if to_the_right else 0)
    for part in reversed(parts) if to_the_right else parts:
        pair = (part, folded) if to_the_right else (folded, part)
        folded = ast.Binary(node.place, node.op, *pair)
    return check(scope, folded)


def size_of_pack(scope, node):
    pack = scope.find(node.operand.name)
    if not isinstance(pack, Pack):
        raise CompileError(f"'{node.operand.name}' is no pack", node.operand.place)
    return T.Literal(node.place, C.ULONG, len(pack))
