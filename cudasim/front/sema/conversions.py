"""Implicit conversions, casts, and how good a match an argument is."""

from .. import constant, ctype as C, group_types as groups, tree as T
from ..errors import CompileError, outside

EXACT, QUALIFIED, PROMOTION, CONVERSION, USER = 0, 0.5, 1, 2, 3


def is_null(node):
    """Is this a null pointer constant: 0 or nullptr?"""
    if not isinstance(node, T.Literal):
        return False
    whole = node.type.is_integer and node.type is not C.BOOL
    return node.type is C.NULLPTR or (whole and node.value == 0)


def number(type):
    """Is `type` an arithmetic type, or an enum that converts to one?"""
    type = type.plain
    return type.is_arithmetic or (isinstance(type, C.Enum) and not type.scoped)


def rank(node, target):
    """How `node`, a value, converts to `target` unasked: a rank, or None."""
    source, target = node.type.plain, target.plain
    if source is target:
        return EXACT
    if number(source) and target.is_arithmetic:
        wider = source is C.FLOAT and target is C.DOUBLE
        promotes = C.promoted(source) is target or wider
        return PROMOTION if promotes else CONVERSION
    if isinstance(target, C.Pointer):
        return pointer_rank(node, source, target)
    if isinstance(target, C.FunctionPointer):
        return CONVERSION if is_null(node) else None
    if target is C.BOOL and isinstance(source, C.Pointer | C.FunctionPointer):
        return CONVERSION
    return class_rank(source, target)


def pointer_rank(node, source, target):
    if is_null(node):
        return CONVERSION
    if not isinstance(source, C.Pointer) or source is C.NULLPTR:
        return None
    a, b = source.to, target.to
    if a.quals & ~b.quals:
        return None
    if a.plain is b.plain:
        return QUALIFIED
    return CONVERSION if b.plain is C.VOID else None


def same_object(a, b):
    """Are these one type but for const, also for arrays of const elements?"""
    if isinstance(a, C.Array) and isinstance(b, C.Array):
        return a.count == b.count and same_object(a.element, b.element)
    return a.plain is b.plain


def class_rank(source, target):
    """The conversions that CUDA's own classes bring."""
    if isinstance(target, C.Half):
        return USER if number(source) else None
    if isinstance(source, C.Half):
        if target is C.DOUBLE:
            return USER + 0.5  # by way of float
        return USER if target.is_arithmetic else None
    if groups.forgets(source, target):
        return USER
    uint3 = C.VECTORS["uint3"]
    if {source, target} == {uint3, C.DIM3}:
        return USER
    return USER if target is C.DIM3 and number(source) else None


def converted(node, type, what="", place=None):
    """`node` as a value of `type`, or the error for what cannot be converted."""
    type = type.plain
    if node.type.plain is type:
        return node
    if rank(node, type) is None:
        raise mismatch(node, type, what, place)
    return apply(node, type)


def deep(source, target):
    """Are these pointers to pointers that differ in const alone?"""
    if source is target:
        return True
    both = isinstance(source, C.Pointer) and isinstance(target, C.Pointer)
    if not both or not isinstance(source.to.plain, C.Pointer):
        return False
    a, b = source.to.plain, target.to.plain
    return isinstance(b, C.Pointer) and (a.to.plain is b.to.plain or deep(a, b))


def mismatch(node, type, what, place):
    source = node.type.plain
    text = isinstance(node, T.Decay) and isinstance(node.operand, T.StringLiteral)
    if text and type is C.CHAR.pointer():
        return outside("a text as char *", place or node.place, "write const char *")
    if deep(source, type):
        what = f"'{source}' as '{type}'"
        return outside(what, place or node.place, "cast it, or leave const out")
    message = f"a value of type '{source}' cannot {what or 'become'} '{type}'"
    note = ""
    if isinstance(source, C.Pointer) and isinstance(type, C.Pointer):
        if source.to.plain is type.to.plain:
            note = "that would drop const: declare the pointer const too"
        else:
            note = f"reinterpret_cast<{type}>(...) looks at memory as another type"
    elif isinstance(type, C.Pointer) and number(source):
        note = "take an address with &, or index with [i]"
    elif isinstance(source, C.Pointer):
        note = "read through the pointer: p[i] or *p"
    elif type.__class__ is C.Enum:
        note = f"write ({type})x"
    return CompileError(message, place or node.place, note)


def apply(node, type):
    """A conversion node; a literal becomes a literal of the new type."""
    if type is C.DIM3 and number(node.type):
        one = T.Literal(node.place, C.UINT, 1)
        return T.Aggregate(node.place, type, [apply(node, C.UINT), one, one])
    if isinstance(type, groups.Tile):
        return groups.forget(node, type)
    if isinstance(type, C.FunctionPointer):
        return T.Literal(node.place, type, 0)
    if isinstance(node, T.Literal) and type.is_arithmetic:
        value = constant.fit(node.value, type)
        if value is not None:
            return T.Literal(node.place, type, value)
    return T.Convert(node.place, type, node)


def cast(style, node, type, place):
    """(T)x and the named casts."""
    source, target = node.type.plain, type.plain
    if target is C.VOID:
        return T.Convert(place, C.VOID, node)
    allowed = STYLES[style](node, source, target)
    if not allowed:
        note = ""
        if isinstance(source, C.Pointer) and target.is_integer:
            note = "an address has 64 bits: cast it to long long or size_t"
        elif style == "static_cast":
            note = "reinterpret_cast looks at memory as another type"
        message = f"'{source}' cannot be cast to '{target}'"
        raise CompileError(message, place, note)
    if source is target:
        return node
    if is_null(node) and target.is_integer:  # and no null pointer any more
        return T.Convert(place, target, node)
    return apply(node, target)


def _static(node, source, target):
    if isinstance(source, C.Pointer) and isinstance(target, C.Pointer):
        keeps = not source.to.quals & ~target.to.quals
        void = C.VOID in (source.to.plain, target.to.plain)
        return is_null(node) or keeps and (void or source.to.plain is target.to.plain)
    enums = isinstance(source, C.Enum) or isinstance(target, C.Enum)
    if enums and source.is_scalar and target.is_scalar:
        return not isinstance(source, C.Pointer) and not isinstance(target, C.Pointer)
    return rank(node, target) is not None


def _reinterpret(node, source, target):
    if isinstance(source, C.Pointer) and isinstance(target, C.Pointer):
        return not source.to.quals & ~target.to.quals
    return _address(source, target) or source is target


def _const(node, source, target):
    both = isinstance(source, C.Pointer) and isinstance(target, C.Pointer)
    return both and source.to.plain is target.to.plain


def _address(source, target):
    """Between pointers and integers of 64 bits, or from any integer."""
    if isinstance(source, C.Pointer):
        return target.is_integer and target.size == 8
    return isinstance(target, C.Pointer) and source.is_integer


def _c_style(node, source, target):
    if isinstance(source, C.Pointer) and isinstance(target, C.Pointer):
        return True
    return _static(node, source, target) or _address(source, target)


def _asm(node, source, target):
    """An operand of asm has the size that its letter says, and is a float if it is."""
    both = source.is_scalar and target.is_scalar and source.size == target.size
    return both and source.is_float == target.is_float


STYLES = {
    "asm": _asm,
    "c": _c_style,
    "static_cast": _static,
    "reinterpret_cast": _reinterpret,
    "const_cast": _const,
}
