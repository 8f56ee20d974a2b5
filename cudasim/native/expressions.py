"""Expressions in C.

In an expression that needs steps they stand in a `({ ... })` of GNU C, from left to
right.
"""

from ..front import constant
from ..front import ctype as C
from ..front import tree as T
from ..generate.expressions import FOLDED, SHIFTS, is_number
from . import builtins
from .builtins import Unread, has_effects
from .places import Places


class Expressions(Places):
    """Writes expressions."""

    def filled(self, name, type, node):
        """Statements that write an initial value; what it leaves out is zero."""
        return f"memset(&{name}, 0, sizeof {name}); " + self.items(name, type, node)

    def items(self, name, type, node):
        if not isinstance(node, T.Aggregate):
            return f"{name} = {self.value(node)}; " if node is not None else ""
        plain = type.plain
        if isinstance(plain, C.Array):
            places = [(f"{name}[{i}]", plain.element) for i in range(len(node.items))]
        elif isinstance(plain, C.Struct):
            fields = enumerate(plain.fields.values())
            places = [(f"{name}.m{i}", field) for i, (field, _) in fields]
        else:
            places = [(name, plain)]
        pairs = zip(places, node.items, strict=False)
        return "".join(self.items(*place, item) for place, item in pairs)

    # Values

    def value(self, node):
        known = constant.value_of(node) if type(node) in FOLDED else None
        if known is not None and is_number(node.type):
            return self.number(known, node.type.plain)
        write = VALUE.get(type(node))
        if write is None:
            raise Unread(type(node).__name__)
        return write(self, node)

    def number(self, value, type):
        """A number of a type, as C."""
        if isinstance(type, C.Enum):
            type = type.base
        name = self.type(type)
        if type.is_float:
            made = float(type.dtype.type(value))
            if made != made:
                return f"({name})NAN"
            if abs(made) == float("inf"):
                return f"({name}){'-' if made < 0 else ''}INFINITY"
            return f"(({name}){made.hex()})"
        return f"(({name}){int(value) & (2**64 - 1):#x}ull)"

    def stepwise(self, nodes, form):
        """form(values) with the values computed from left to right."""
        if len(nodes) < 2 or not any(map(has_effects, nodes[1:])):
            return form(*map(self.value, nodes))
        names, lines = zip(*(self.kept(node) for node in nodes), strict=True)
        return f"({{ {''.join(lines)}{form(*names)}; }})"

    def kept(self, node):
        """(name, the line that computes a value and keeps it under this name)"""
        name = self.name()
        return name, f"{self.type(node.type)} {name} = {self.value(node)}; "

    def on_literal(self, node):
        if isinstance(node.type.plain, C.Pointer):
            return "((P){0})"
        return self.number(node.value, node.type.plain)

    def on_load(self, node):
        inner = node.operand
        if isinstance(inner, T.VariableRef) and inner.variable.constant is not None:
            return self.number(inner.variable.constant, node.type.plain)
        if isinstance(inner, T.Assign | T.CompoundAssign | T.Increment):
            return self.value(inner)
        return self.place(inner)

    def on_convert(self, node):
        target = node.type.plain
        if isinstance(target, C.Pointer) and type(node.operand) is T.Literal:
            return "((P){0})" if not node.operand.value else self.unread("addresses")
        return self.converted(self.value(node.operand), node.operand.type, node.type)

    def unread(self, what):
        raise Unread(what)

    def converted(self, code, source, target):
        """A value of one type as one of another."""
        source, target = source.plain, target.plain
        if target is C.VOID:
            return f"(void)({code})"
        if isinstance(target, C.Pointer):
            return self.converted_pointer(code, source, target)
        if isinstance(source, C.Pointer):
            to_bool = target is C.BOOL
            return f"(b8)!!raw({code})" if to_bool else self.unread("addresses")
        source, target = (
            t.base if isinstance(t, C.Enum) else t for t in (source, target)
        )
        if source is target:
            return code
        if not (source.is_arithmetic and target.is_arithmetic):
            raise Unread(f"{source} as {target}")
        name = self.type(target)
        if target is C.BOOL:
            return f"(b8)(({code}) != 0)"
        if source.is_float and target.is_integer:
            wide = name if target.size >= 4 else f"{name[0]}32"
            return f"({name}){self.type(source)}_to_{wide}({code})"
        return f"({name})({code})"

    def converted_pointer(self, code, source, target):
        if not isinstance(source, C.Pointer):
            raise Unread("addresses")
        self.type(target)
        self.source.casts |= source.to.const and not target.to.const
        align = target.to.align
        if align > source.to.align:
            return f"aligned(R, {code}, {align})"
        return code

    def on_address(self, node):
        return self.address(node.operand)

    def on_field(self, node):
        if T.is_lvalue(node):
            return self.place(node)
        return f"({self.value(node.base)}).{self.member(node)}"

    def on_pointer_add(self, node):
        size = self.size_of(node.type.plain.to)
        kind = node.index.type
        return self.stepwise(
            [node.pointer, node.index],
            lambda p, i: f"add({p}, {node.op}{self.scaled(i, kind, size)})",
        )

    def on_pointer_diff(self, node):
        size = self.size_of(node.left.type.plain.to)
        return self.stepwise(
            [node.left, node.right], lambda a, b: f"distance(R, {a}, {b}, {size})"
        )

    def on_unary(self, node):
        if not node.type.plain.is_arithmetic:
            raise Unread(f"{node.op} of {node.type}")
        return f"({self.type(node.type)})({node.op}({self.value(node.operand)}))"

    def on_binary(self, node):
        return self.stepwise(
            [node.left, node.right],
            lambda a, b: self.binary(node.op, a, b, node.left.type, node.type),
        )

    def binary(self, op, a, b, type, result):
        """a op b, both of `type` (except a shift's right side)."""
        plain = type.plain
        if isinstance(plain, C.Enum):
            plain = plain.base
        if isinstance(plain, C.Pointer):
            return f"(b8)(raw({a}) {op} raw({b}))"
        name, result = self.type(plain), self.type(result)
        if not plain.is_arithmetic:
            raise Unread(f"{op} of {type}")
        if op in SHIFTS:
            return f"{'shl' if op == '<<' else 'shr'}_{name}({a}, (u32)(i32)({b}))"
        if op in "/%" and plain.is_integer:
            return f"{'div' if op == '/' else 'mod'}_{name}(R, {a}, {b})"
        return f"({result})(({a}) {op} ({b}))"

    def on_logical(self, node):
        return f"(b8)(({self.value(node.left)}) {node.op} ({self.value(node.right)}))"

    def on_select(self, node):
        yes, no = self.value(node.yes), self.value(node.no)
        return f"({self.value(node.condition)} ? {yes} : {no})"

    def on_comma(self, node):
        return f"({{ (void)({self.value(node.left)}); {self.value(node.right)}; }})"

    def on_assign(self, node):
        target = self.place(node.target)
        if isinstance(node.target, T.VariableRef) or not has_effects(node.value):
            return f"({target} = {self.value(node.value)})"
        return self.through(node.target, lambda q: f"{q} = {self.value(node.value)};")

    def through(self, target, lines):
        """Steps with a place that is found once, *q."""
        q = self.name("q")
        found = f"{self.type(target.type)}* {q} = &{self.place(target)};"
        return f"({{ {found} {lines(f'(*{q})')} }})"

    def on_compound(self, node):
        type, value_type = node.target.type, node.value.type
        name, value = self.kept(node.value)

        def lines(q):
            if isinstance(type.plain, C.Pointer):
                size = self.size_of(type.plain.to)
                by = self.scaled(name, value_type, size)
                new = f"add({q}, {node.op}{by})"
            else:
                operand = C.promoted(type) if node.op in SHIFTS else value_type
                old = self.converted(q, type, operand)
                new = self.binary(node.op, old, name, operand, operand)
                new = self.converted(new, operand, type)
            return f"{value}{q} = {new};"

        return self.through(node.target, lines)

    def on_increment(self, node):
        type = node.target.type.plain
        old, new = self.name("old"), self.name("new")

        def lines(q):
            if isinstance(type, C.Pointer):
                more = f"add({old}, {node.op[0]}{self.size_of(type.to)})"
            elif type.is_arithmetic:
                more = f"({self.type(type)})({old} {node.op[0]} 1)"
            else:
                raise Unread(f"{node.op} of {type}")
            kind = self.type(type)
            kept = f"{kind} {old} = {q}, {new} = {more}; {q} = {new};"
            return f"{kept} {new if node.prefix else old};"

        return self.through(node.target, lines)

    # Calls

    def key(self):
        """What tells a place where threads meet, in this round of its loops."""
        code = f"mix(path, {self.source.site()})"
        for counter in self.rounds:
            code = f"mix({code}, {counter})"
        return code

    def on_call(self, node):
        function = node.function
        lines, names = [], []
        for parameter, argument in zip(
            function.parameters, node.arguments, strict=True
        ):
            name = self.name()
            if isinstance(parameter.type, C.Reference):
                code = self.reference(argument, parameter.type.to)
            else:
                code = self.value(argument)
            lines.append(f"{self.type(parameter.type)} {name} = {code}; ")
            names.append(name)
        path = [self.key()] if function in self.source.meets else []
        given = ", ".join(["R", "t", *path, *names])
        lines += [self.passing()] if path else []
        return f"({{ {''.join(lines)}{self.source.names[function]}({given}); }})"

    def on_builtin(self, node):
        builtin = node.builtin
        kind = builtins.kind_of(builtin)
        if kind == "atomic":
            return self.atomic(node)
        if kind in ("memory", "store"):
            return self.access(node)
        if kind in ("fence", "assert") or builtin.name == "__builtin_assume":
            test = [self.value(a) for a in node.arguments if kind == "assert"]
            return f"({test[0]} ? (void)0 : fault(R))" if test else "(void)0"
        if kind == "vector":
            whole = f"({self.type(node.type)})"
            return self.stepwise(
                node.arguments, lambda *parts: f"{whole}{{ {', '.join(parts)} }}"
            )
        template = builtins.template(builtin, self.type)
        if template is None:
            raise Unread(builtin.name)
        names, lines = [], []
        alike = kind == "math" and builtin.name.lstrip("ul") in ("min", "max")
        for wanted, argument in zip(builtin.types, node.arguments, strict=False):
            wanted = builtin.result if alike else wanted
            code = self.converted(self.value(argument), argument.type, wanted)
            names.append(self.name())
            lines.append(f"{self.type(wanted)} {names[-1]} = {code}; ")
        missing = len(builtin.types) - len(names)
        names += ["32" if builtin.name[:6] == "__shfl" else "~0u"] * missing
        key = ""
        if builtins.meets(builtin):
            key = self.name("key")
            lines.append(f"u64 {key} = {self.key()}; {self.passing()} ")
        return f"({{ {''.join(lines)}{template.format(*names, key=key)}; }})"

    def atomic(self, node):
        how, update = builtins.update(node.builtin)
        type = node.builtin.types[0].to.plain
        if not type.is_arithmetic:
            raise Unread(node.builtin.name)
        kept = [self.kept(a) for a in node.arguments]
        names = [name for name, _ in kept]
        kind = self.type(type)
        steps = (
            f"{kind}* q_ = ({kind}*)at(R, {names[0]}, 0, {type.size}), old = *q_; "
            f"*q_ = {update.format(*names[1:])}; old;"
        )
        return f"({{ {''.join(line for _, line in kept)}{steps} }})"

    def access(self, node):
        """__ldg and the like, __stcs and the like."""
        kept = [self.kept(a) for a in node.arguments]
        place = self.behind(kept[0][0], "0", node.builtin.types[0].to)
        lines = "".join(line for _, line in kept)
        if len(kept) == 1:
            return f"({{ {lines}{place}; }})"
        return f"({{ {lines}{place} = {kept[1][0]}; (void)0; }})"

    def on_aggregate(self, node):
        name, kind = self.name(), self.type(node.type)
        return f"({{ {kind} {name}; {self.filled(name, node.type, node)}{name}; }})"


_E = Expressions
VALUE = {
    T.Literal: _E.on_literal, T.Load: _E.on_load, T.Convert: _E.on_convert,
    T.Decay: _E.on_address, T.AddressOf: _E.on_address, T.Field: _E.on_field,
    T.PointerAdd: _E.on_pointer_add, T.PointerDiff: _E.on_pointer_diff,
    T.Unary: _E.on_unary, T.Binary: _E.on_binary, T.Logical: _E.on_logical,
    T.Select: _E.on_select, T.Comma: _E.on_comma, T.Assign: _E.on_assign,
    T.CompoundAssign: _E.on_compound, T.Increment: _E.on_increment,
    T.Call: _E.on_call, T.BuiltinCall: _E.on_builtin, T.Aggregate: _E.on_aggregate,
}  # fmt: skip
