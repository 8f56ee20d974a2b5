"""Statements: what they declare, where control can go."""

from . import ast, constant
from . import ctype as C
from . import tree as T
from .bases import is_struct
from .convert import converted, number
from .discarded import Discarded, names_in
from .errors import CompileError, outside
from .expressions import Expressions
from .group_types import Group, Operation

NO_CODE = ast.Case, ast.Alias, ast.Label
NOT_LOCAL = {"__global__", "__host__", "inline", "__forceinline__", "__noinline__"}


def is_const(node):
    """Does a type in the tree say const of what it is?"""
    while isinstance(node, ast.ArrayOf):
        node = node.element
    return bool(getattr(node, "quals", 0) & C.CONST)


class Statements(Expressions, Discarded):
    """Checks statements: each gives (typed statement or None, is its end reached)."""

    def block(self, node):
        self.scopes.append({})
        made, falls = self.sequence(node.statements)
        self.scopes.pop()
        return T.Block(node.place, made), falls

    def sequence(self, statements):
        """Statements one after another; what cannot be reached is a lint."""
        out, falls = [], True
        self.around.append((self.labels_in(statements), out))
        for statement in statements:
            if not falls and not isinstance(statement, NO_CODE):
                self.lint("unreachable", statement.place, "this is never reached")
                falls = True
            made, falls = self.statement(statement)
            if made is not None:
                out += made if isinstance(made, list) else [made]
        self.around.pop()
        return out, falls

    def labels_in(self, statements):
        """name -> how many statements of this block stand before each goto to it."""
        found = [s for s in statements if isinstance(s, ast.Label)]
        for label in found:
            if label.name in self.labels:
                raise CompileError(f"a second label '{label.name}'", label.place)
            self.labels.add(label.name)
        return {label.name: [] for label in found}

    def on_goto(self, node):
        for labels, before in self.around:
            if node.name in labels:
                labels[node.name].append(len(before))
                return T.Goto(node.place, node.name), False
        message = f"there is no label '{node.name}' in a block around this goto"
        raise CompileError(message, node.place, "a goto leaves blocks, and enters none")

    def on_label(self, node):
        labels, before = self.around[-1]
        for statement in before[min(labels[node.name], default=len(before)) :]:
            variable = getattr(statement, "variable", None)
            if variable and isinstance(variable.type, C.Reference):
                what = f"a goto over the first value of '{variable.name}'"
                raise outside(what, node.place, "declare the reference before it")
        self.unset.clear()
        return T.Label(node.place, node.name), True

    def statement(self, node):
        return STATEMENT[type(node)](self, node)

    def on_block(self, node):
        return self.block(node)

    def on_expression(self, node):
        if node.value is None:
            return None, True
        typed = self.check(node.value)
        if isinstance(typed.type, C.FunctionType):
            typed = self.read(typed)
        if isinstance(typed, (T.Binary, T.Logical, T.VariableRef, T.Index, T.Literal)):
            message = "this computes a value that nobody uses"
            self.lint("no-effect", node.place, message)
        return T.Evaluate(node.place, typed), True

    def on_declaration(self, node):
        made = [self.local(v) for v in node.variables]
        if len(made) > 1 and self.says_auto(node.variables[0].type):
            self.same_auto(node.variables, [m.variable.type for m in made])
        return [m for m in made if m is not None], True

    def local(self, node):
        """One local variable."""
        words = node.specifiers
        for word in NOT_LOCAL & set(words):
            raise CompileError(f"'{word}' cannot stand before a variable", words[word])
        if "__shared__" in words:
            return self.shared(node)
        if "extern" in words or "__device__" in words or "__constant__" in words:
            order = ("extern", "__device__", "__constant__")
            word = next(w for w in order if w in words)
            message = f"a variable within a function cannot be {word}"
            raise CompileError(message, node.place, "declare it at file level")
        if "static" in words and not ("constexpr" in words or is_const(node.type)):
            note = "write a __device__ variable at file level"
            raise outside("a static variable in a function", node.place, note)
        self.note_dependent(node)
        if node.init is not None and node.name in names_in(node.init):
            what = f"a first value of '{node.name}' made of '{node.name}' itself"
            raise outside(what, node.place, "choose another name")
        type, value = self.typed_init(node)
        if "constexpr" in words:
            type = type.qualified(C.CONST)
        variable = T.Variable(node.name, type, "local", node.place, init=value)
        self.set_constant(variable, value, node)
        if value is None:
            self.check_uninitialised(variable, node)
        self.add(node.name, variable, node.place)
        self.locals.append(variable)
        return T.Declare(node.place, variable, value)

    def check_uninitialised(self, variable, node):
        type = variable.type
        self.not_constexpr("a variable without a value", node.place)
        if isinstance(type, C.Reference):
            raise CompileError("a reference needs something to refer to", node.place)
        if type.const and not isinstance(type, Operation):
            raise CompileError("a const variable needs a value", node.place)
        if isinstance(type, Group):
            note = "write auto block = cg::this_thread_block();"
            raise CompileError("a group needs a first value", node.place, note)
        if type.is_scalar or isinstance(type.plain, C.Half):
            self.unset.add(variable)

    def not_constexpr(self, what, place):
        """Refuse what no constexpr function can have; an instance can."""
        function = self.function
        if function and function.constexpr and not function.template_arguments:
            message = f"{what} cannot stand in a constexpr function"
            raise CompileError(message, place, "leave constexpr out")

    def typed_init(self, node):
        """(type, initial value) of a declaration, with auto deduced from the value."""
        init = node.init
        if self.says_auto(node.type):
            if (
                isinstance(init, ast.Items)
                and len(init.items) > 1
                and node.style == "="
            ):
                raise outside("auto from a list", node.place, "write its type")
            if init is None or isinstance(init, ast.Items) and len(init.items) != 1:
                raise CompileError("auto needs an initial value", node.place)
            if isinstance(init, ast.Items):
                init = init.items[0]
            return self.auto(node, init)
        type = self.type_of(node.type)
        self.check_object(type, init, node)
        if init is None:
            return type, self.first_value(type, node.place)
        if isinstance(type, C.Reference):
            if isinstance(init, ast.Items):
                raise CompileError("a reference is initialized with =", node.place)
            return type, self.bind_reference(type, self.check(init), "the value")
        if node.style == "(" and isinstance(init, ast.Items):
            init = self.bracket_init(type, init)
        value = self.initial(type, init, node.place)
        if isinstance(type, C.Array) and type.count is None:
            type = value.type
        return type, value

    def bracket_init(self, type, init):
        """T x(value), or dim3 x(a, b)."""
        pair = type.plain in (C.HALF2, C.BFLOAT162) and len(init.items) == 2
        made = is_struct(type) and type.plain.methods.get("")
        if pair or made or type.plain is C.DIM3:
            return init
        if isinstance(type, C.Array) or len(init.items) != 1:
            raise CompileError(f"'{type}' cannot be made from this list", init.place)
        return init.items[0]

    def says_auto(self, node):
        while isinstance(node, (ast.PointerTo, ast.ReferenceTo)):
            node = node.to
        return isinstance(node, ast.NamedType) and node.name == "auto"

    def auto(self, node, init):
        """auto x, auto& x, auto* x."""
        if isinstance(node.type, ast.ReferenceTo):
            target = self.check(init)
            if isinstance(target.type, C.FunctionType):
                target = self.read(target)
            type = self.type_of(node.type, target.type)
            return type, self.bind_reference(type, target, "the value")
        value = self.value(init)
        found = value.type.plain
        if found is C.VOID:
            raise CompileError("this call returns nothing", node.place)
        if isinstance(node.type, ast.PointerTo):
            if not isinstance(found, C.Pointer):
                raise CompileError(f"'{found}' is not a pointer", node.place)
            found = found.to
        type = self.type_of(node.type, found)
        return type, converted(value, type)

    def same_auto(self, variables, types):
        """`auto a = 1, *b = &c;`: auto stands for one type."""
        shown = {}
        for variable, type in zip(variables, types, strict=True):
            inner = variable.type
            while isinstance(inner, ast.PointerTo | ast.ReferenceTo):
                inner, type = inner.to, type.plain.to
            shown.setdefault(type.plain, variable)
        if len(shown) > 1:
            (one, _), (other, variable) = list(shown.items())[:2]
            message = f"auto is '{one}' before, and '{other}' here"
            raise CompileError(message, variable.place, "declare them one by one")

    def check_object(self, type, init, node):
        """Refuse variables of incomplete types."""
        if type.plain is C.VOID:
            raise CompileError("a variable cannot be void", node.place)
        if isinstance(type, C.Struct) and not type.complete:
            raise CompileError(f"'{type}' is not defined yet", node.place)
        if isinstance(type, C.Array) and type.count is None and init is None:
            raise CompileError("the size of this array is missing", node.place)

    def set_constant(self, variable, value, node):
        """Remember the value of a const that is known when compiling."""
        type = variable.type
        constexpr = "constexpr" in node.specifiers
        keeps = constexpr or not type.plain.is_float
        if value is not None and type.const and type.plain.is_scalar and keeps:
            variable.constant = constant.value_of(value)
        if not constexpr or variable.constant is not None:
            return
        message = "a constexpr needs a value that is known when compiling"
        if value is None:
            raise CompileError(message, node.place)
        if constant.is_known(constant.zero(type)):  # numbers, and what holds them
            found = self.constant(value, message, node.place)
            variable.known = found if isinstance(found, list) else None

    def shared(self, node):
        """__shared__ T name[n]; extern __shared__ T name[];"""
        type = self.type_of(node.type)
        if node.init is not None:
            note = "let threads write it, then __syncthreads()"
            message = "a __shared__ variable cannot have an initial value"
            raise CompileError(message, node.place, note)
        self.no_group(type, "shared memory for", node.place)
        if isinstance(type, C.Reference):
            raise CompileError("a __shared__ reference", node.place)
        dynamic = "extern" in node.specifiers
        if dynamic and not (isinstance(type, C.Array) and type.count is None):
            note = "write extern __shared__ T name[]; the launch gives its size"
            raise outside("an extern __shared__ with a size", node.place, note)
        if type.const:
            raise CompileError("a const variable needs a value", node.place)
        if not dynamic:
            self.check_object(type, None, node)
        self.not_constexpr("a __shared__ variable", node.place)
        variable = T.Variable(
            node.name, type, "dynamic-shared" if dynamic else "shared", node.place
        )
        if dynamic:
            self.check_dynamic(node, type)
        elif type.size > 227 * 1024:
            raise CompileError("a block has less shared memory than this", node.place)
        self.add(node.name, variable, node.place)
        if self.function:
            self.function.shared.append(variable)
        return None

    def check_dynamic(self, node, type):
        """Dynamic shared arrays of one name are one array: one type."""
        before = self.dynamic.setdefault(node.name, type)
        if before is not type:
            message = f"'{node.name}' is declared as '{before}' elsewhere"
            note = "all extern __shared__ arrays of one name have one type"
            raise CompileError(message, node.place, note)

    def on_if(self, node):
        condition = self.condition(node.condition)
        if node.constexpr:
            return self.if_constexpr(node, condition)
        before = set(self.unset)
        yes, falls_yes = self.scoped(node.yes)
        after, self.unset = self.unset, before
        no, falls_no = self.scoped(node.no) if node.no else (None, True)
        if not falls_no:
            self.unset = after
        elif falls_yes:
            self.unset &= after
        return T.If(node.place, condition, yes, no), falls_yes or falls_no

    def if_constexpr(self, node, condition):
        """The branch that is not taken leaves nothing."""
        message = "if constexpr needs a condition known when compiling"
        value = self.constant(condition, message, node.place)
        chosen, other = (node.yes, node.no) if value else (node.no, node.yes)
        if other is not None:
            self.discarded(other)
        return self.scoped(chosen) if chosen else (None, True)

    def scoped(self, node):
        """A statement as a Block of its own."""
        if isinstance(node, ast.Block):
            return self.block(node)
        return self.block(ast.Block(node.place, [node], node.place))

    def loop(self, body):
        """(body, did it break) of a loop."""
        self.loops.append([True, False])
        made, falls = self.scoped(body)
        return made, self.loops.pop()[1], falls

    def always(self, condition):
        return condition is None or bool(constant.value_of(condition))

    def on_while(self, node):
        condition = self.condition(node.condition)
        before = set(self.unset)
        body, broke, _ = self.loop(node.body)
        # The body may not run at all: what it set may be unset after it.
        self.unset &= before
        falls = broke or not self.always(condition)
        return T.While(node.place, condition, body), falls

    def on_do(self, node):
        body, broke, _ = self.loop(node.body)
        condition = self.condition(node.condition)
        falls = broke or not self.always(condition)
        return T.Do(node.place, body, condition), falls

    def on_for(self, node):
        self.scopes.append({})
        init = []
        if node.init is not None:
            made, _ = self.statement(node.init)
            init = made if isinstance(made, list) else [made]
        condition = self.condition(node.condition) if node.condition else None
        if isinstance(node.body, ast.Block):
            self.refuse_redeclared(node.body)
        body, broke, _ = self.loop(node.body)
        step = self.check(node.step) if node.step else None
        self.scopes.pop()
        falls = broke or not self.always(condition)
        return T.For(node.place, init, condition, step, body), falls

    def refuse_redeclared(self, body):
        """`for (int i...) { int i; }` is an error in C++."""
        for statement in body.statements:
            if isinstance(statement, ast.Declaration):
                for variable in statement.variables:
                    if variable.name in self.scopes[-1]:
                        message = f"'{variable.name}' is the variable of this loop"
                        raise CompileError(message, variable.place)

    def on_switch(self, node):
        subject = self.value(node.subject)
        if not number(subject.type) and not isinstance(subject.type.plain, C.Enum):
            message = f"switch needs an integer, not '{subject.type.plain}'"
            raise CompileError(message, node.subject.place)
        type = C.promoted(subject.type)
        if type.is_float:
            message = f"switch needs an integer, not '{type}'"
            raise CompileError(message, node.subject.place)
        if not isinstance(node.body, ast.Block):
            raise outside("a switch without { }", node.place)
        self.loops.append([False, False])
        self.scopes.append({})
        cases, falls = self.cases(node.body, type)
        self.scopes.pop()
        broke = self.loops.pop()[1]
        has_default = any(case.value is None for case in cases)
        made = T.Switch(node.place, converted(subject, type), cases)
        return made, falls or broke or not has_default

    def cases(self, body, type):
        """The cases of a switch, in order."""
        cases, seen, run, begin, falls = [], {}, [], None, True
        early = "a statement before the first case"
        before = set(self.unset)

        def close():
            if begin is None:
                return True
            made, end = self.sequence(run)
            cases.append(T.Case(begin.place, self.label(begin, type, seen), made))
            return end

        for statement in body.statements:
            if isinstance(statement, ast.Case):
                if begin is None and run:
                    raise outside(early, run[0].place)
                falls = close()
                begin, run, self.unset = statement, [], set(before)
            else:
                run.append(statement)
        if begin is None and run:
            raise outside(early, run[0].place)
        falls = close()
        self.unset &= before
        return cases, falls

    def label(self, node, type, seen):
        """The value of a case; each may stand once."""
        value = None
        if node.value is not None:
            value = self.whole_number(node.value, "the value of a case")
            if type.is_integer and type.wrap(value) != value:
                message = f"{value} is no value of '{type}', of which the switch is"
                raise CompileError(message, node.value.place)
        if value in seen:
            what = "default" if value is None else f"case {value}"
            raise CompileError(f"a second '{what}' in this switch", node.place)
        seen[value] = node.place
        return value

    def on_case(self, node):
        if any(not is_loop for is_loop, _ in self.loops):
            what = "a case inside another statement"
            raise outside(what, node.place, "write it directly in the switch's { }")
        raise CompileError(
            "case stands directly within the { } of a switch", node.place
        )

    def on_jump(self, node):
        if node.word == "break":
            if not self.loops:
                raise CompileError("break stands in a loop or a switch", node.place)
            self.loops[-1][1] = True
            return T.Break(node.place), False
        if not any(is_loop for is_loop, _ in self.loops):
            raise CompileError("continue stands in a loop", node.place)
        return T.Continue(node.place), False

    def on_return(self, node):
        type = self.function.result
        if node.value is None and self.function.makes:
            return T.Return(node.place, self.read(self.this(node.place))), False
        if type is None:  # auto: the first return says it
            value = None if node.value is None else self.value(node.value)
            self.function.result = C.VOID if value is None else value.type.plain
            return T.Return(node.place, value), False
        if node.value is None:
            if type is not C.VOID:
                message = f"'{self.function.name}' returns a value here"
                self.lint("missing-return", node.place, message)
            return T.Return(node.place, None), False
        if isinstance(node.value, ast.Items):
            value = self.initial(type, node.value, node.place)
            return T.Return(node.place, value), False
        checked = self.check(node.value)
        if isinstance(type, C.Reference):
            value = self.bind_reference(type, checked, "the value returned")
            return T.Return(node.place, value), False
        value = self.read(checked)
        if type is C.VOID and value.type.plain is not C.VOID:
            message = f"'{self.function.name}' is void and returns nothing"
            raise CompileError(message, node.value.place)
        value = self.initial_value(type, node.value, value, "be returned as")
        return T.Return(node.place, value), False

    def on_alias(self, node):
        type = self.type_of(node.type)
        if self.scopes[-1].get(node.name) is not type:  # the same twice is one
            self.add(node.name, type, node.place)
        return None, True

    def on_struct(self, node):
        self.define_struct(node)
        return None, True

    def on_enum(self, node):
        self.define_enum(node)
        return None, True

    def on_static_assert(self, node):
        message = "static_assert needs a condition known when compiling"
        condition = self.condition(node.condition)
        if not self.constant(condition, message, node.place):
            message = f"static assertion failed {node.message}".strip()
            raise CompileError(message, node.place)
        return None, True


STATEMENT = {
    ast.Block: Statements.on_block,
    ast.Expression: Statements.on_expression,
    ast.Declaration: Statements.on_declaration,
    ast.If: Statements.on_if,
    ast.While: Statements.on_while,
    ast.Do: Statements.on_do,
    ast.For: Statements.on_for,
    ast.Switch: Statements.on_switch,
    ast.Case: Statements.on_case,
    ast.Jump: Statements.on_jump,
    ast.Goto: Statements.on_goto,
    ast.Label: Statements.on_label,
    ast.Return: Statements.on_return,
    ast.Alias: Statements.on_alias,
    ast.StructOf: Statements.on_struct,
    ast.EnumOf: Statements.on_enum,
    ast.StaticAssert: Statements.on_static_assert,
}
