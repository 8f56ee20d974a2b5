"""From the typed tree to NumPy source: expressions.

`value` gives code for a value; effects are emitted as statements before it, and then
the operands to its left are computed first too.
"""

from .. import numerics
from ..engine import lanes
from ..engine.memory import leaves_of
from ..front import constant
from ..front import ctype as C
from ..front import tree as T
from ..front.ast import chain
from ..front.errors import outside
from .builtins import BuiltinCode
from .contraction import Contraction, parts
from .places import Memory, PlaceCode, Value
from .rows import RowCode

LONGEST = 1000
COMPARISONS = {"==", "!=", "<", ">", "<=", ">="}
SHIFTS = {"<<": "shift_left", ">>": "shift_right"}


class ExpressionCode(PlaceCode, BuiltinCode, Contraction, RowCode):
    """Writes expressions."""

    def value(self, node):
        """Code for the value of an expression."""
        known = constant.value_of(node) if type(node) in FOLDED else None
        if known is not None and is_number(node.type):
            return self.module.number(known, node.type.plain)
        return VALUE[type(node)](self, node)

    def effect(self, node):
        """An expression for its effect alone."""
        if isinstance(node, T.Assign | T.CompoundAssign):
            self.assign(node, used=False)
        elif isinstance(node, T.Increment):
            self.increment(node, used=False)
        elif isinstance(node, T.Comma):
            self.effect(node.left)
            self.effect(node.right)
        elif isinstance(node, T.Convert) and node.type is C.VOID:
            self.effect(node.operand)
        elif isinstance(node, T.BuiltinCall):
            self.builtin(node, used=False)
        elif T.is_lvalue(node) and not isinstance(node, T.Call):
            self.place(node)  # its value is not needed
        else:
            code = self.value(node)
            if not code.isidentifier():
                self.emit(code)

    def values(self, nodes):
        """The codes of several values, computed from left to right."""
        out = []
        for i, node in enumerate(nodes):
            code = self.value(node)
            if any(self.emits(later) for later in nodes[i + 1 :]):
                code = self.temp_of(code)
            out.append(code)
        return out

    def temp_of(self, code):
        """Save a value before an effect, even that of a variable."""
        if code[0] == "k" and code[1:].isdigit():
            return code
        name = self.fresh()
        self.emit(f"{name} = {code}")
        return name

    # What an expression needs

    def emits(self, node):
        """Does this expression emit statements, so that its order matters?"""
        return self.traits(node)[0]

    def faults(self, node):
        """Could this expression fail in lanes that do not need it?"""
        return self.traits(node)[1]

    def traits(self, node):
        """(emits, faults) of an expression"""
        found = self.known_traits.get(node)
        if found is None:
            found = self.known_traits[node] = self.traits_of(node)
        return found

    def traits_of(self, node):
        kind = type(node)
        if kind in (T.Assign, T.CompoundAssign, T.Increment, T.Call, T.Comma):
            return True, True
        if kind is T.BuiltinCall:
            return self.builtin_traits(node)
        if kind in (T.Literal, T.StringLiteral):
            return False, False
        if kind is T.VariableRef:
            if node.variable.constant is not None:
                return False, False
            local = self.locals.get(node.variable)
            memory = local is None or local.kind not in ("value", "cells")
            return False, memory and node.variable.storage != "builtin"
        if kind is T.Binary:
            return self.traits_of_chain(node)
        inner = [self.traits(part) for part in parts(node)]
        emits, faults = any(e for e, _ in inner), any(f for _, f in inner)
        if kind in (T.Logical, T.Select):  # the first part is always computed
            emits = emits or any(f for _, f in inner[1:])
        if kind is T.Aggregate or (kind is T.Field and not T.is_lvalue(node)):
            emits = True
        return emits, faults or self.may_fail(node)

    def traits_of_chain(self, node):
        """(emits, faults) of a + b + c + ..., which may be long"""
        links = chain(node)
        found = [self.traits(link.right) for link in links]
        found.append(self.traits(links[-1].left))
        faults = any(f for _, f in found) or any(map(self.may_fail, links))
        return any(e for e, _ in found), faults

    def may_fail(self, node):
        """Can this node itself fail: by its address, or as a division?"""
        if isinstance(node, T.Index):
            known, array = constant.value_of(node.index), node.base.type
            if known is None or not isinstance(array, C.Array):
                return True
            return array.count is not None and not 0 <= known < array.count
        if isinstance(node, T.Binary) and node.op in "/%":
            return node.type.plain.is_integer and not constant.value_of(node.right)
        return isinstance(node, T.Deref)

    # Values

    def on_literal(self, node):
        if node.type is C.NULLPTR or isinstance(node.type.plain, C.Pointer):
            return "NULL"
        return self.module.number(node.value, node.type.plain)

    def on_load(self, node):
        inner = node.operand
        if isinstance(inner, T.VariableRef) and inner.variable.constant is not None:
            return self.module.number(inner.variable.constant, node.type.plain)
        if isinstance(inner, T.Select):
            return self.select(inner, load=True)
        if isinstance(inner, T.Assign | T.CompoundAssign | T.Increment):
            return self.value(inner)
        return self.read(self.place(inner), node.type, inner)

    def on_convert(self, node):
        operand = self.value(node.operand)
        return self.converted(operand, node.operand.type.plain, node.type.plain)

    def converted(self, code, source, target):
        """Code converted from one C type to another."""
        if source is target or target is C.VOID:
            return code
        if isinstance(target, C.Pointer):
            if isinstance(source, C.Pointer):
                size = target.to.size
                return f"{code}.cast({size})" if size > 0 and code != "NULL" else code
            return f"R.pointer_from({code}.astype(np.uint64), {target.to.size})"
        if isinstance(source, C.Pointer):
            if target is C.BOOL:
                return f"({code}.address != 0)"
            return f"{code}.address.view(np.{target.dtype.name})"
        if isinstance(target, C.Struct):
            return code
        function = numerics.converter(source, target)
        if function is None:
            return code
        name = self.module.constant(function, ("convert", source, target))
        return f"{name}({code})"

    def on_decay(self, node):
        inner = node.operand
        place = self.place(inner)
        if not isinstance(place, Memory):
            raise outside("this use of an array", node.place, "index it")
        element = inner.type.element
        return f"{self.pointer_to(place, inner)}.cast({element.size})"

    def on_address(self, node):
        return self.reference(node.operand, node.operand.type)

    def on_field(self, node):
        return self.read(self.place(node), node.type, node)

    def on_pointer_add(self, node):
        pointer, index = self.values([node.pointer, node.index])
        size = node.type.plain.to.size
        sign = "-" if node.op == "-" else ""
        index = self.converted(index, node.index.type.plain, C.LONG)
        return f"{pointer}.add({sign}{index}, {size})"

    def on_pointer_diff(self, node):
        left, right = self.values([node.left, node.right])
        size = node.left.type.plain.to.size
        return f"((({left}.address - {right}.address)).view(np.int64) // {size})"

    def on_unary(self, node):
        type, operand = node.type.plain, self.value(node.operand)
        if node.op == "+":
            return operand
        if node.op in "!~":
            return f"(~{operand})"
        if type is C.BFLOAT16:
            return f"({operand} ^ {self.module.number(0x8000, C.BFLOAT16)})"
        return f"(-{operand})"

    def on_binary(self, node):
        if self.fused(node.op, node.type, node.left, node.right):
            return self.fuse(node.op, node.left, node.right)
        links = self.unfolded(node)
        code = self.value(links[-1].left)
        for link in reversed(links):
            if self.emits(link.right):
                code = self.temp_of(code)
            right = self.value(link.right)
            code = self.binary(link.op, code, right, link.left.type.plain, link)
        return code

    def unfolded(self, node):
        """The part of a + b + c + ... that is computed term by term."""
        links = chain(node)
        for i, link in enumerate(links[1:], 1):
            fused = self.fused(link.op, link.type, link.left, link.right)
            if fused or constant.value_of(link) is not None:
                return links[:i]
        return links

    def binary(self, op, left, right, type, node):
        """left op right, both of `type` (except a shift's right side)."""
        if isinstance(type, C.Pointer):
            return f"({left}.address {op} {right}.address)"
        if isinstance(type, C.Half) or type in (C.HALF2, C.BFLOAT162):
            return self.half_binary(op, left, right, type)
        if op in SHIFTS:
            return f"{SHIFTS[op]}({left}, {right})"
        if op in "/%" and type.is_integer:
            divisor = node.right if isinstance(node, T.Binary) else node.value
            if not constant.value_of(divisor):
                right = f"R.divisor({right}, {self.mask}, {self.site(node)})"
            return f"{'int_div' if op == '/' else 'int_mod'}({left}, {right})"
        if len(left) > LONGEST:  # Python nests 200 parentheses at most
            left = self.temp(left)
        return f"{lanes.NAMES[op]}({left}, {right})"

    def half_binary(self, op, left, right, type):
        bf16 = type in (C.BFLOAT16, C.BFLOAT162)
        function = numerics.half_op(op, bf16)
        name = self.module.constant(function, ("half", op, bf16))
        if isinstance(type, C.Half):
            return f"{name}({left}, {right})"
        pair = f"tuple(map({name}, {left}, {right}))"
        if op not in COMPARISONS:
            return pair
        both = self.temp(pair)
        return f"({both}[0] & {both}[1])"

    # && || ?:

    def on_logical(self, node):
        op = "&" if node.op == "&&" else "|"
        if not self.faults(node.right):
            left, right = self.values([node.left, node.right])
            return f"{lanes.NAMES[op]}({left}, {right})"
        result, outer = self.fresh(), self.mask
        self.emit(f"{result} = {self.value(node.left)}")
        inner = self.fresh("m")
        test = result if op == "&" else f"~{result}"
        self.emit(f"{inner} = take({outer}, {test})")
        self.emit(f"if {inner} is not False:")
        self.level, self.mask = self.level + 1, inner
        self.emit(f"{result} = {result} {op} {self.value(node.right)}")
        self.level, self.mask = self.level - 1, outer
        return result

    def on_select(self, node):
        return self.select(node)

    def select(self, node, load=False):
        """condition ? yes : no; with `load` of two lvalues."""
        yes, no = node.yes, node.no
        if load:
            yes = T.Load(yes.place, yes.type.plain, yes)
            no = T.Load(no.place, no.type.plain, no)
        if not (self.faults(yes) or self.faults(no)):
            condition, a, b = self.values([node.condition, yes, no])
            return f"R.where({condition}, {a}, {b})"
        outer, result = self.mask, self.fresh()
        m_yes, m_no = self.fresh("m"), self.fresh("m")
        condition = self.value(node.condition)
        self.emit(f"{m_yes}, {m_no} = split({outer}, {condition})")
        self.emit(f"{result} = None")
        for mask, side in ((m_yes, yes), (m_no, no)):
            self.emit(f"if {mask} is not False:")
            self.level, self.mask = self.level + 1, mask
            code = self.value(side)
            if side is yes:
                self.emit(f"{result} = {code}")
            else:
                self.emit(f"{result} = R.other({mask}, {code}, {result})")
            self.level, self.mask = self.level - 1, outer
        return result

    def on_comma(self, node):
        self.effect(node.left)
        return self.value(node.right)

    # Assignments: each gives its place, with pointer and index computed once, and the
    # code of the new value

    def on_assign(self, node):
        return self.assign(node, used=True)[1]

    def assign(self, node, used):
        compound = isinstance(node, T.CompoundAssign)
        target = node.target
        if isinstance(target, T.VariableRef) and not compound:
            self.note_rank(target.variable, node.value)
        place = self.place(target)
        if compound or self.emits(node.value) or used:
            place = self.settled(place)
        code = self.compound(node, place) if compound else self.value(node.value)
        if used:
            code = self.temp_of(code)
        self.change_base(target, lambda base: (
            self.compound(node, Value(base)) if compound else self.base_of(node.value)
        ))  # fmt: skip
        self.write(place, target.type.plain, code, node)
        return place, code

    def compound(self, node, place):
        """Code for the value that a op= b stores."""
        type, compute = node.target.type.plain, node.compute
        early = self.emits(node.value)
        value = self.temp_of(self.value(node.value)) if early else None
        old = self.read(place, type, node.target)
        if isinstance(type, C.Pointer):
            value = value or self.value(node.value)
            value = self.converted(value, node.value.type.plain, C.LONG)
            sign = "-" if node.op == "-" else ""
            return f"{old}.add({sign}{value}, {type.to.size})"
        shift = node.op in SHIFTS
        operand = C.promoted(type) if shift else node.value.type.plain
        old = self.converted(old, type, operand)
        if self.fused(node.op, operand, None, node.value):
            a, b = self.factors(node.value)
            code = f"fma({'-' if node.op == '-' else ''}{a}, {b}, {old})"
        else:
            value = value or self.value(node.value)
            code = self.binary(node.op, old, value, operand, node)
        return self.converted(code, compute, type)

    def on_increment(self, node):
        return self.increment(node, used=True)[1]

    def increment(self, node, used):
        type = node.target.type.plain
        place = self.settled(self.place(node.target))
        old = self.read(place, type, node.target)
        if used and not node.prefix:
            old = self.temp_of(old)
        sign = node.op[0]
        if isinstance(type, C.Pointer):
            new = f"{old}.add({sign}1, {type.to.size})"
        elif isinstance(type, C.Half):
            one = self.module.number(0x3F80 if type is C.BFLOAT16 else 1, type)
            new = self.half_binary(sign, old, one, type)
        else:
            one = self.module.number(1, type)
            self.change_base(node.target, lambda r: f"({r.name} {sign} {one})")
            new = f"({old} {sign} {one})"
        if used and node.prefix:
            new = self.temp_of(new)
        self.write(place, type, new, node)
        return place, new if node.prefix else old

    # Calls and structs

    def on_call(self, node):
        function = node.function
        codes = []
        for parameter, argument in zip(
            function.parameters, node.arguments, strict=True
        ):
            if isinstance(parameter.type, C.Reference):
                code = self.reference(argument, parameter.type.to)
            else:
                code = self.value(argument)
            codes.append(self.temp_of(code))
        name = self.module.name_of(function)
        if function.place in self.module.program.brought:
            self.emit(f"R.at = {self.site(node)}")
        call = f"{name}({', '.join(['R', self.mask, *codes])})"
        if self.module.stops_in(function):
            call = f"(yield from {call})"
        if function.result is C.VOID:
            self.emit(call)
            return "None"
        return self.temp_of(call)

    def on_builtin(self, node):
        return self.builtin(node, used=True)

    def on_aggregate(self, node):
        if isinstance(node.type.plain, C.Struct):
            return tuple_of(self.flatten(node.type, node))
        return self.flatten(node.type, node)[0]

    def flatten(self, type, node):
        """The codes of all leaves of an initial value; omitted ones are zero."""
        plain = type.plain
        if node is None:
            return [self.zero(leaf) for leaf, _, _ in leaves_of(type)]
        if not isinstance(node, T.Aggregate):
            code = self.value(node)
            if not isinstance(plain, C.Struct):
                return [self.temp_of(code)]
            whole = self.temp_of(code)
            return [f"{whole}[{i}]" for i in range(len(leaves_of(type)))]
        if isinstance(plain, C.Struct):
            kinds = [field for field, _ in plain.fields.values()]
        elif isinstance(plain, C.Array):
            kinds = [plain.element] * plain.count
        else:
            kinds = [plain]
        items = [*node.items, *[None] * (len(kinds) - len(node.items))]
        return [
            code
            for kind, item in zip(kinds, items, strict=True)
            for code in self.flatten(kind, item)
        ]


def tuple_of(codes):
    """Code for a tuple."""
    return f"({', '.join(codes)},)" if codes else "()"


def is_number(type):
    type = type.plain
    return type.is_arithmetic or isinstance(type, C.Enum)


FOLDED = (T.Binary, T.Unary, T.Convert)
VALUE = {
    T.Literal: ExpressionCode.on_literal,
    T.Load: ExpressionCode.on_load,
    T.Convert: ExpressionCode.on_convert,
    T.Decay: ExpressionCode.on_decay,
    T.AddressOf: ExpressionCode.on_address,
    T.Field: ExpressionCode.on_field,
    T.PointerAdd: ExpressionCode.on_pointer_add,
    T.PointerDiff: ExpressionCode.on_pointer_diff,
    T.Unary: ExpressionCode.on_unary,
    T.Binary: ExpressionCode.on_binary,
    T.Logical: ExpressionCode.on_logical,
    T.Select: ExpressionCode.on_select,
    T.Comma: ExpressionCode.on_comma,
    T.Assign: ExpressionCode.on_assign,
    T.CompoundAssign: ExpressionCode.on_assign,
    T.Increment: ExpressionCode.on_increment,
    T.Call: ExpressionCode.on_call,
    T.BuiltinCall: ExpressionCode.on_builtin,
    T.Aggregate: ExpressionCode.on_aggregate,
}
