"""The type of every expression, with each conversion written out."""

from . import ast, literals
from . import ctype as C
from . import tree as T
from .bases import inherits, is_struct
from .calls import Calls
from .convert import apply, cast, converted, is_null, number, rank
from .errors import CompileError, outside
from .structs import Own, OwnReference, members

COMPARISONS = {"==", "!=", "<", ">", "<=", ">="}
INTEGER_ONLY = {"%", "&", "|", "^", "<<", ">>"}


class Expressions(Calls):
    """Checks expressions: `check` gives a node, `value` one that has been read."""

    def check(self, node):
        return CHECK[type(node)](self, node)

    def value(self, node):
        """The expression as a value: lvalues read, arrays as pointers."""
        return self.read(self.check(node))

    def read(self, typed):
        type = typed.type
        if isinstance(type, C.Array):
            if isinstance(typed, T.VariableRef):
                typed.variable.used = True
            return T.Decay(typed.place, type.element.pointer(), typed)
        if isinstance(type, C.FunctionType):
            return self.address_of_function(typed)
        if not T.is_lvalue(typed):
            return typed
        if isinstance(typed, T.VariableRef):
            self.used(typed)
        return T.Load(typed.place, type.plain, typed)

    def used(self, ref):
        variable = ref.variable
        variable.used = True
        if variable in self.unset:
            self.unset.discard(variable)
            message = f"'{variable.name}' is used before it has a value"
            self.lint("uninitialised", ref.place, message)

    def arithmetic(self, node, what):
        """A value that must be a number; enums become int."""
        typed = self.value(node)
        if not number(typed.type):
            raise CompileError(
                f"{what} needs a number, not '{typed.type.plain}'", node.place
            )
        return typed

    def condition(self, node, typed=None):
        """A value as bool. typed: the node, if it is checked already."""
        if isinstance(node, ast.Assign) and node.op == "=":
            self.lint("assignment", node.place, "= assigns: == compares")
        typed = self.read(typed or self.check(node))
        return converted(typed, C.BOOL, "be a condition, which is", node.place)

    def on_number(self, node):
        value, type = literals.number(node.text, node.place)
        return T.Literal(node.place, type, value)

    def on_character(self, node):
        value = literals.character(node.text, node.place)
        return T.Literal(node.place, C.CHAR, value)

    def on_string(self, node):
        text = b"".join(literals.characters(t[1:-1], node.place) for t in node.texts)
        type = C.CHAR.qualified(C.CONST).array(len(text) + 1)
        return T.StringLiteral(node.place, type, text)

    def on_word(self, node):
        if node.text == "nullptr":
            return T.Literal(node.place, C.NULLPTR, 0)
        return T.Literal(node.place, C.BOOL, int(node.text == "true"))

    def on_name(self, node):
        found = self.find(node.name, node.place)
        if isinstance(found, ast.VariableTemplate):
            return self.value_of_template(found, node)
        if isinstance(found, OwnReference):
            member = ast.Member(node.place, None, node.name, False)
            pointer = self.read(self.member_of(self.this(node.place), member))
            return T.Deref(node.place, pointer.type.plain.to, pointer)
        if isinstance(found, Own):
            member = ast.Member(node.place, None, node.name, False)
            return self.member_of(self.this(node.place), member)
        if isinstance(found, T.Variable):
            type = found.type
            if isinstance(type, C.Reference):
                type = type.to
            return T.VariableRef(node.place, type, found)
        if isinstance(found, T.EnumValue):
            made = T.Literal(node.place, found.type, found.value)
            zero = found.value == 0 and not isinstance(found.type, C.Enum)
            # A template's 0 is no null pointer, as a 0 that is written is.
            return T.Unary(node.place, found.type, "+", made) if zero else made
        if isinstance(found, C.CType):
            raise CompileError(f"'{node.name}' is a type", node.place)
        if found is not None or node.name in self.builtin_names():
            return T.Literal(node.place, C.FUNCTION, node.name)
        raise self.undeclared(node.name, node.place)

    def value_of_template(self, template, node):
        """pi<float>: a constant."""
        variable, place = template.variable, node.place
        given = node.arguments or []
        bound = {p.name: self.template_value(p, a)
                 for p, a in zip(template.template, given)}  # noqa: B905  # fmt: skip
        with self.parameters_bound(template.template, bound):
            type, value = self.typed_init(variable)
        message = "a variable template needs a value that is known when compiling"
        found = self.constant(value, message, variable.place)
        return T.Literal(place, type.plain, found)

    def on_unary(self, node):
        op = node.op
        if op == "*" and isinstance(node.operand, ast.This):
            return self.this(node.place)
        if op == "&":
            return self.address(node)
        if op in ("++", "--"):
            return self.increment(node, True)
        checked = self.check(node.operand)
        if made := self.overloaded(op, [checked], node.place):
            return made
        if op == "*":
            return self.deref(self.read(checked), node.place)
        return self.unary(op, node, checked)

    def unary(self, op, node, checked):
        """- + ! ~ of what is checked already."""
        if op == "!":
            condition = self.condition(node.operand, checked)
            return T.Unary(node.place, C.BOOL, "!", condition)
        operand = self.read(checked)
        if isinstance(operand.type.plain, C.Half) and op != "~":
            return T.Unary(node.place, operand.type.plain, op, operand)
        if op == "+" and isinstance(operand.type.plain, C.Pointer):
            return operand
        if not number(operand.type):
            message = f"'{op}' needs a number, not '{operand.type.plain}'"
            raise CompileError(message, node.place)
        type = C.promoted(operand.type)
        if op == "~" and not type.is_integer:
            raise CompileError(f"'~' needs an integer, not '{type}'", node.place)
        return T.Unary(node.place, type, op, converted(operand, type))

    def deref(self, pointer, place):
        type = pointer.type.plain
        if isinstance(type, C.FunctionPointer):
            return pointer
        if not isinstance(type, C.Pointer):
            message = f"'*' needs a pointer, not '{type}'"
            raise CompileError(message, place)
        self.need_complete(type.to, place)
        return T.Deref(place, type.to, pointer)

    def need_complete(self, type, place):
        if type.plain is C.VOID or (isinstance(type, C.Struct) and not type.complete):
            message = f"nothing of the type '{type}' can be read or counted"
            raise CompileError(message, place)

    def address(self, node):
        operand = self.check(node.operand)
        if isinstance(operand.type, C.FunctionType):
            return self.read(operand)
        if not T.is_lvalue(operand):
            message = "& needs something with an address: a variable or an element"
            raise CompileError(message, node.place)
        self.no_group(operand.type, "the address of", node.place)
        base = operand
        while isinstance(base, T.Field):
            base = base.base
        if isinstance(base, T.VariableRef) and base.variable.storage == "builtin":
            message = f"'{base.variable.name}' has no address"
            raise CompileError(message, node.place, "copy it into a variable")
        self.escapes(operand)
        return T.AddressOf(node.place, operand.type.pointer(), operand)

    def escapes(self, operand):
        """Note that a variable may now be changed from elsewhere."""
        while isinstance(operand, T.Field) or (
            isinstance(operand, T.Index) and isinstance(operand.base.type, C.Array)
        ):
            operand = operand.base
        if isinstance(operand, T.VariableRef):
            self.unset.discard(operand.variable)
            if operand.variable.storage != "builtin":
                operand.variable.address_taken = operand.variable.used = True

    def on_postfix(self, node):
        return self.increment(node, False)

    def increment(self, node, prefix):
        target = self.check(node.operand)
        zero = [] if prefix else [T.Literal(node.place, C.INT, 0)]
        if made := self.overloaded(node.op, [target, *zero], node.place):
            return made
        self.need_writable(target, node.place)
        type = target.type.plain
        if isinstance(target, T.VariableRef):
            self.used(target)
        if type is C.BOOL:
            raise CompileError("++ and -- do not work on bool", node.place)
        if isinstance(type, C.Pointer):
            self.need_complete(type.to, node.place)
        elif not (type.is_arithmetic or isinstance(type, C.Half)):
            message = f"'{node.op}' needs a number or a pointer, not '{type}'"
            raise CompileError(message, node.place)
        return T.Increment(node.place, target.type, node.op, target, prefix)

    def need_writable(self, target, place):
        """Only an lvalue that is not const can be written."""
        type = target.type
        if not T.is_lvalue(target) or isinstance(type, C.FunctionType):
            message = "the left side is a value, not a place that can be written"
            raise CompileError(message, place)
        if isinstance(type, C.Array):
            note = "copy it element by element"
            raise CompileError("an array cannot be assigned", place, note)
        self.no_group(type, "an assignment to", place)
        base = target
        while isinstance(base, T.Field | T.Index):
            base = base.base
        variable = getattr(base, "variable", None)
        if variable and variable.storage == "constant" and not type.const:
            message = f"'{variable.name}' is __constant__: only the host can write it"
            raise CompileError(message, place)
        if type.const:
            raise CompileError(
                f"this is const and cannot be written (its type is '{type}')", place
            )

    def on_binary(self, node):
        """a + b + c + ... is checked from the left: long chains do not nest."""
        typed = None
        for link in reversed(ast.chain(node)):
            typed = self.binary(link, typed)
        return typed

    def binary(self, node, left):
        """left: the left side, if it is checked already."""
        op = node.op
        if op in ("&&", "||"):
            left, right = self.condition(node.left, left), self.condition(node.right)
            return T.Logical(node.place, C.BOOL, op, left, right)
        left, right = left or self.check(node.left), self.check(node.right)
        if op == ",":
            return T.Comma(node.place, right.type, left, right)
        if made := self.overloaded(op, [left, right], node.place):
            return made
        return self.operate(op, self.read(left), self.read(right), node)

    def operate(self, op, left, right, node):
        """left op right, for values."""
        place, a, b = node.place, left.type.plain, right.type.plain
        if op in ("==", "!=") and isinstance(a, C.FunctionPointer):
            return T.Binary(place, C.BOOL, op, left, converted(right, a))
        if isinstance(a, C.Pointer) or isinstance(b, C.Pointer):
            return self.on_pointers(op, left, right, place)
        if self.is_half(a) or self.is_half(b):
            return self.on_halves(op, left, right, place)
        same_enum = a is b and isinstance(a, C.Enum)
        if op in COMPARISONS and same_enum:
            return T.Binary(place, C.BOOL, op, left, right)
        if not (number(a) and number(b)):
            structs = isinstance(a, C.Struct) or isinstance(b, C.Struct)
            note = f"write it by members, a.x {op} b.x, or an operator{op} of your own"
            message = f"no operator '{op}' for '{a}' and '{b}'"
            raise CompileError(message, place, note if structs else "")
        if op in INTEGER_ONLY and (a.is_float or b.is_float):
            note = "fmodf(a, b) is the remainder of floats" if op == "%" else ""
            message = f"'{op}' needs integers, not '{a}' and '{b}'"
            raise CompileError(message, place, note)
        self.lint_numbers(op, left, right, place)
        if op in ("<<", ">>"):
            type = C.promoted(a)
            right = converted(right, C.promoted(b))
            return T.Binary(place, type, op, converted(left, type), right)
        type = C.common(a, b)
        left, right = converted(left, type), converted(right, type)
        return T.Binary(place, C.BOOL if op in COMPARISONS else type, op, left, right)

    @staticmethod
    def is_half(type):
        return isinstance(type, C.Half) or type in (C.HALF2, C.BFLOAT162)

    def on_halves(self, op, left, right, place):
        a, b = left.type.plain, right.type.plain
        vector = isinstance(a, C.Struct)
        fits = op in ("+", "-", "*", "/") or op in COMPARISONS
        if a is not b or not fits:
            note = "" if vector else "convert one: __half2float(h), __float2half(x)"
            if a is b or not (number(a) or number(b)):
                message = f"no operator '{op}' for '{a}' and '{b}'"
            else:
                message = f"more than one operator '{op}' matches '{a}' and '{b}'"
            raise CompileError(message, place, note)
        return T.Binary(place, C.BOOL if op in COMPARISONS else a, op, left, right)

    def on_pointers(self, op, left, right, place):
        """p + i, i + p, p - i, p - q, and comparisons."""
        a, b = left.type.plain, right.type.plain
        if op in ("+", "-"):
            if op == "+" and isinstance(b, C.Pointer) and not isinstance(a, C.Pointer):
                left, right, a, b = right, left, b, a
            if isinstance(a, C.Pointer) and number(b) and not b.is_float:
                self.need_complete(a.to, place)
                step = converted(right, C.promoted(b))
                return T.PointerAdd(place, a, op, left, step)
            both = isinstance(a, C.Pointer) and isinstance(b, C.Pointer)
            if op == "-" and both and a.to.plain is b.to.plain:
                self.need_complete(a.to, place)
                return T.PointerDiff(place, C.LONG, left, right)
        if op in COMPARISONS and (type := self.common_pointer(left, right)):
            left, right = apply_to(left, type), apply_to(right, type)
            return T.Binary(place, C.BOOL, op, left, right)
        raise CompileError(f"no operator '{op}' for '{a}' and '{b}'", place)

    def common_pointer(self, left, right):
        """The pointer type that both sides convert to, or None."""
        a, b = left.type.plain, right.type.plain
        for node, type in ((left, b), (right, a)):
            pointer = isinstance(type, C.Pointer | C.FunctionPointer)
            known = pointer and type is not C.NULLPTR
            if known and rank(node, type) is not None:
                return type
        both = isinstance(a, C.Pointer) and isinstance(b, C.Pointer)
        if both and a.to.plain is b.to.plain:
            return a.to.qualified(b.to.quals).pointer()
        return None

    def on_assign(self, node):
        target = self.check(node.target)
        if isinstance(node.value, ast.Items):
            if node.op != "=":
                raise CompileError("expected an expression", node.value.place)
            value = self.initial(target.type.plain, node.value, node.value.place)
        else:
            checked = self.check(node.value)
            if made := self.overloaded(node.op, [target, checked], node.place):
                return made
            value = self.taken_for(self.read(checked), target.type)
        self.need_writable(target, node.place)
        if node.op != "=":
            return self.compound(node, target, value)
        value = converted(value, target.type, "be assigned to", node.place)
        if isinstance(target, (T.VariableRef, T.Field)):
            inner = target
            while isinstance(inner, T.Field):
                inner = inner.base
            if isinstance(inner, T.VariableRef):
                self.unset.discard(inner.variable)
        return T.Assign(node.place, target.type, target, value)

    def on_operand(self, node):
        """What asm has computed goes where its output says."""
        target = self.check(node.target)
        self.need_writable(target, node.place)
        if isinstance(target, T.VariableRef):
            self.unset.discard(target.variable)
        value = cast("asm", self.value(node.value), target.type, node.place)
        return T.Assign(node.place, target.type, target, value)

    def compound(self, node, target, value):
        """a op= b: computed in the common type, stored in a's."""
        op, type = node.op[:-1], target.type.plain
        if isinstance(type, C.Half) and number(value.type):
            value = converted(value, type)
        result = self.operate(op, self.read(target), value, node)
        converted(result, type, "be assigned to", node.place)
        compute = result.type
        right = result.index if isinstance(result, T.PointerAdd) else result.right
        return T.CompoundAssign(node.place, target.type, op, target, right, compute)

    def on_conditional(self, node):
        condition = self.condition(node.condition)
        before = set(self.unset)
        yes = self.check(node.yes)
        after, self.unset = self.unset, before
        no = self.check(node.no)
        self.unset &= after
        lvalues = T.is_lvalue(yes) and T.is_lvalue(no)
        if lvalues and yes.type is no.type and not isinstance(yes.type, C.Array):
            for side in (yes, no):
                if isinstance(side, T.VariableRef):
                    side.variable.used = True
            return T.Select(node.place, yes.type, condition, yes, no)
        yes, no = self.read(yes), self.read(no)
        type = self.common_type(yes, no, node.place)
        yes, no = apply_to(yes, type), apply_to(no, type)
        return T.Select(node.place, type, condition, yes, no)

    def common_type(self, yes, no, place):
        a, b = yes.type.plain, no.type.plain
        if a is C.VOID:
            raise outside("'?:' without a value", place, "write if and else")
        if a is b:
            return a
        if number(a) and number(b):
            self.lint_numbers("?", yes, no, place)
            return C.common(a, b)
        pointers = C.Pointer | C.FunctionPointer
        either = isinstance(a, pointers) or isinstance(b, pointers)
        if either and (type := self.common_pointer(yes, no)):
            return type
        raise CompileError(f"'?:' cannot choose between '{a}' and '{b}'", place)

    def on_index(self, node):
        base = self.check(node.base)
        if is_struct(base.type):
            index = self.check(node.index)
            if made := self.overloaded("[]", [base, index], node.place):
                return made
        if isinstance(base.type, C.Array):
            element = base.type.element
            if isinstance(base, T.VariableRef):
                base.variable.used = True
        else:
            base = self.read(base)
            if not isinstance(base.type.plain, C.Pointer):
                if isinstance(self.peeked(self.check(node.index)).type, C.Pointer):
                    note = "write array[index]"
                    raise outside("an index before its array", node.place, note)
                message = f"'[ ]' needs an array or a pointer, not '{base.type.plain}'"
                raise CompileError(message, node.place, "write array[index]")
            element = base.type.plain.to
        self.need_complete(element, node.place)
        index = self.value(node.index)
        if isinstance(index.type.plain, C.Half):
            what = f"an index that is a '{index.type.plain}'"
            raise outside(what, node.index.place, "write (int)x")
        if not number(index.type) or index.type.plain.is_float:
            message = f"an index must be an integer, not '{index.type.plain}'"
            raise CompileError(message, node.index.place)
        index = converted(index, C.promoted(index.type))
        self.check_bounds(base.type, index, node.index.place)
        return T.Index(node.place, element, base, index)

    def on_member(self, node):
        if isinstance(node.base, ast.TYPES):
            return self.member_of_type(node)
        if isinstance(node.base, ast.This):
            return self.member_of(self.this(node.place), node)
        base = self.check(node.base)
        if node.arrow:
            base = self.read(base)
            if not isinstance(base.type.plain, C.Pointer):
                note = "write . instead of ->"
                message = f"'->' needs a pointer, not '{base.type.plain}'"
                raise CompileError(message, node.place, note)
            base = T.Deref(node.place, base.type.plain.to, base)
        return self.member_of(base, node)

    def member_of(self, base, node):
        """base.name, for a base that is checked."""
        type = base.type.plain
        self.no_group(type, f"'{node.name}' without () of", node.place)
        if not isinstance(type, C.Struct):
            pointer = isinstance(type, C.Pointer)
            note = "write -> instead of ." if pointer else ""
            raise CompileError(f"'{type}' has no members", node.place, note)
        value = type.names.get(node.name)
        if isinstance(value, T.EnumValue):  # a static member
            made = T.Literal(node.place, value.type, value.value)
            return T.Comma(node.place, value.type, base, made)
        for hidden, (inner, _) in type.fields.items():
            own = hidden.isidentifier() or node.name in type.fields
            if not own and node.name in members([(hidden, inner)]):
                quals = base.type.quals
                base = T.Field(node.place, inner.qualified(quals), base, hidden)
                return self.member_of(base, node)
        if node.name not in type.fields:
            fields = [(name, inner) for name, (inner, _) in type.fields.items()]
            known = ", ".join(members(fields)) or "none"
            message = f"'{type}' has no member '{node.name}'"
            raise CompileError(message, node.place, f"its members are {known}")
        if isinstance(type, C.Union) and not T.is_lvalue(base):
            note = "put the union into a variable first"
            raise outside("a member of a union that is a result", node.place, note)
        if isinstance(base, T.VariableRef):
            base.variable.used = True
        quals = base.type.quals
        return T.Field(
            node.place, type.fields[node.name][0].qualified(quals), base, node.name
        )

    def on_cast(self, node):
        type = self.type_of(node.type)
        if isinstance(type, C.Reference):
            return self.reference_cast(node, type)
        operand = self.check(node.operand)
        if type.plain is not C.VOID or isinstance(operand.type, C.FunctionType):
            operand = self.read(operand)
        elif isinstance(operand, T.VariableRef):
            operand.variable.used = True
        if isinstance(type, C.Array):
            raise CompileError(f"nothing can be cast to '{type}'", node.place)
        operand = self.taken_for(operand, type, explicit=True)
        down = node.style == "static_cast" and self.downcast(operand.type, type)
        return cast("c" if down else node.style, operand, type, node.place)

    def reference_cast(self, node, type):
        """reinterpret_cast<int&>(x): the same bytes as another type."""
        operand = self.check(node.operand)
        related = inherits(type.to.plain, operand.type.plain)
        if not related and node.style not in ("reinterpret_cast", "c"):
            raise outside(f"{node.style} to a reference", node.place, "use a pointer")
        if not T.is_lvalue(operand) or isinstance(operand.type, C.FunctionType):
            raise CompileError("a reference needs an lvalue", node.place)
        if node.style == "reinterpret_cast" and operand.type.quals & ~type.to.quals:
            raise CompileError("that would drop const", node.place)
        self.escapes(operand)
        pointer = T.AddressOf(node.place, operand.type.pointer(), operand)
        made = T.Convert(node.place, type.to.pointer(), pointer)
        self.need_complete(type.to, node.place)
        return T.Deref(node.place, type.to, made)

    def on_construct(self, node):
        """T(x) is a cast; T{...} an initialization; dim3(a, b) CUDA's own."""
        type = self.type_of(node.type).plain
        if isinstance(type, C.Reference):
            raise outside("a reference made by T(x)", node.place)
        own = is_struct(type) and not node.braces
        if own and (made := self.made(type, node.arguments, node.place)):
            return made
        if node.braces or type is C.DIM3:
            return self.initial(type, ast.Items(node.place, node.arguments), node.place)
        if len(node.arguments) == 2 and type in (C.HALF2, C.BFLOAT162):
            return self.initial(type, ast.Items(node.place, node.arguments), node.place)
        if len(node.arguments) != 1 or isinstance(node.arguments[0], ast.Items):
            if type is C.VOID:
                raise outside("void() as a value", node.place, "write return;")
            if not node.arguments:
                return self.initial(type, ast.Items(node.place, []), node.place)
            note = f"write make_{type}(...)" if type in C.VECTORS.values() else ""
            message = f"'{type}' cannot be made from {len(node.arguments)} values"
            raise CompileError(message, node.place, note)
        return self.on_cast(ast.Cast(node.place, "c", node.type, node.arguments[0]))

    def on_sizeof(self, node):
        if node.what == "...":
            return self.size_of_pack(node)
        if isinstance(node.operand, ast.TYPES):
            found = self.type_of(node.operand)
        else:
            found = self.unevaluated(node.operand).type
        if isinstance(found, C.Reference):
            found = found.to
        self.no_group(found, "the size of", node.place)
        if found.size == 0:
            raise CompileError(f"'{found}' has no size", node.place)
        size = found.size if node.what == "sizeof" else found.align
        return T.Literal(node.place, C.ULONG, size)

    def unevaluated(self, node):
        """What an expression is, which never runs."""
        saved, unset = self.warnings[:], set(self.unset)
        found = self.check(node)
        self.warnings[:], self.unset = saved, unset
        return found

    def type_of_value(self, node):
        """decltype: what a name was declared as; of other lvalues a reference."""
        found = self.unevaluated(node.operand)
        if isinstance(found.type, C.FunctionType):
            raise outside("decltype of a function", node.place, "write the type")
        if node.bare and isinstance(found, T.VariableRef):
            return found.variable.type
        if node.bare and isinstance(found, T.Field):
            return found.base.type.plain.fields[found.name][0]
        return found.type.reference() if T.is_lvalue(found) else found.type

    def on_items(self, node):
        raise CompileError("a list in { } cannot stand here", node.place)


def apply_to(node, type):
    return node if node.type.plain is type.plain else apply(node, type.plain)


CHECK = {
    ast.Number: Expressions.on_number,
    ast.Character: Expressions.on_character,
    ast.String: Expressions.on_string,
    ast.Word: Expressions.on_word,
    ast.This: Expressions.on_this,
    ast.Name: Expressions.on_name,
    ast.Unary: Expressions.on_unary,
    ast.Postfix: Expressions.on_postfix,
    ast.Binary: Expressions.on_binary,
    ast.Assign: Expressions.on_assign,
    ast.Operand: Expressions.on_operand,
    ast.Conditional: Expressions.on_conditional,
    ast.Call: Calls.on_call,
    ast.Index: Expressions.on_index,
    ast.Member: Expressions.on_member,
    ast.Cast: Expressions.on_cast,
    ast.Construct: Expressions.on_construct,
    ast.SizeOf: Expressions.on_sizeof,
    ast.Items: Expressions.on_items,
    ast.Lambda: Expressions.on_lambda,
    ast.Element: Expressions.on_element,
    ast.Fold: Expressions.on_fold,
}
__all__ = ["Expressions", "is_null"]
