"""Functions and statements in C: a function for a function, a loop for a loop."""

from ..engine.memory import poison
from ..front import constant
from ..front import ctype as C
from ..front import tree as T
from ..generate.functions import MOST_CELLS
from ..generate.variables import clean, decayed, elements, has_array, owners, walk
from . import builtins
from .builtins import Unread
from .expressions import Expressions

FEW_ROUNDS = 64


class FunctionSource(Expressions):
    """Writes one function."""

    def __init__(self, source, function):
        self.source, self.type = source, source.type
        self.function = function
        self.waits = function in source.meets
        self.names, self.lines, self.fresh = {}, [], 0
        self.loops, self.rounds = [], []  # counters: of rounds; those that keys need
        self.depth, self.order = 0, 0  # loops around here; see `passing`
        nodes = list(walk(function.body))
        self.in_memory = decayed(nodes)
        parameters = [
            f"{self.type(p.type)} {self.declare(p)}" for p in function.parameters
        ]
        first = ["Run* R", "Thread* t", *(["u64 path"] if self.waits else [])]
        head = f"static {self.type(function.result)} {source.names[function]}"
        self.head = f"{head}({', '.join(first + parameters)})"

    def declare(self, variable):
        address = variable.address_taken or variable in self.in_memory
        if address and isinstance(variable.type.plain, C.Pointer):
            raise Unread("the address of a pointer")
        self.source.local += variable.type.size
        name = self.names[variable] = self.name(clean(variable.name or "unnamed"))
        return name

    def name(self, stem="v"):
        self.fresh += 1
        return f"{stem}_{self.fresh}"

    def text(self):
        body = self.block(self.function.body) + self.passing(last=True)
        self.check_escapes()
        if self.function.result is not C.VOID:
            none = self.poison("none_", self.function.result)
            body += f"{self.type(self.function.result)} none_; {none} return none_;"
        return "\n".join([f"{self.head} {{", *self.lines, body, "}"])

    def check_escapes(self):
        """Refuse a function that may return the address of a variable of its own."""
        if isinstance(self.function.result.plain, C.Pointer | C.Reference):
            values = [n.value for n in walk(self.function.body) if type(n) is T.Return]
            returned = set().union(*map(owners, values))
            for v in self.names:
                address = v.address_taken or v in self.in_memory or v in returned
                if address and not isinstance(v.type.plain, C.Pointer | C.Reference):
                    raise Unread("an address that is returned")

    def passing(self, last=False):
        """Note how far in the text of the kernel a thread is that waits or ends.

        Who returned before a barrier, in the order of the text, need not come to it.
        """
        if not (self.waits and self.function.kernel):
            return ""
        self.order += 1
        return f"t->place = {'~0u' if last else self.order};"

    # Statements

    def block(self, node):
        return "".join(self.statement(s) + "\n" for s in node.statements)

    def statement(self, node):
        write = STATEMENT.get(type(node))
        if write is None:
            raise Unread(type(node).__name__)
        return write(self, node)

    def on_declare(self, node):
        variable = node.variable
        if variable.constant is not None and not variable.address_taken:
            return ""
        name = self.declare(variable)
        type = variable.type
        self.lines.append(f"{self.type(type)} {name};")  # one place for all rounds
        if isinstance(type, C.Reference):
            return f"{name} = {self.reference(node.init, type.to)};"
        if node.init is None:
            return self.poisoned(variable, name)
        if isinstance(node.init, T.Aggregate):
            return self.filled(name, type, node.init)
        return f"{name} = {self.value(node.init)};"

    def poisoned(self, variable, name):
        """What a variable holds before it is written."""
        type = variable.type
        memory = variable.address_taken or variable in self.in_memory or has_array(type)
        if isinstance(type, C.Array):
            memory = memory or elements(type) > MOST_CELLS or has_array(type.of)
        if memory:
            return f"memset(&{name}, 0xFF, sizeof {name});"
        return self.poison(name, type)

    def poison(self, name, type):
        plain = type.plain
        if isinstance(type, C.Array):
            i = self.name("i")
            inner = self.poison(f"{name}[{i}]", type.element)
            return f"for (int {i} = 0; {i} < {type.count}; {i}++) {{ {inner} }}"
        if isinstance(plain, C.Struct):
            fields = enumerate(plain.fields.values())
            return " ".join(self.poison(f"{name}.m{i}", f) for i, (f, _) in fields)
        if isinstance(plain, C.Pointer | C.Reference):
            return f"{name} = (P){{0}};"
        if isinstance(plain, C.Enum):
            plain = plain.base
        return f"{name} = {self.number(poison(plain).item(), plain)};"

    def on_evaluate(self, node):
        return f"(void)({self.value(node.value)});"

    def on_block(self, node):
        return f"{{ {self.block(node)} }}"

    def on_if(self, node):
        text = f"if ({self.value(node.condition)}) {{ {self.block(node.yes)} }}"
        return text + (f" else {{ {self.block(node.no)} }}" if node.no else "")

    def on_loop(self, node):
        """for, while or do, whose rounds are counted."""
        kind = type(node)
        before = "".join(map(self.statement, node.init)) if kind is T.For else ""
        counter = self.name("rounds")
        self.lines.append(f"i64 {counter};")
        few = kind is T.For and few_rounds(node)
        if few:  # too few to count, and to look at
            before += f"t->work += {few}; "
            test = "1"
        else:
            before += f"ENTER; {counter} = 0; "
            test = f"ROUND({counter})"
        meets = self.waits and self.meeting(node)
        if meets:
            key = self.name("round")
            self.lines.append(f"u64 {key};")
            before += f"{key} = 0; "
            test = f"(++{key}, {test})"
            self.rounds.append(key)
        if not few:
            self.loops.append(counter)
        if node.condition is not None:
            test = f"{test} && {self.value(node.condition)}"
        self.depth += 1
        body = self.block(node.body)
        self.depth -= 1
        step = kind is T.For and node.step is not None
        step = f"(void)({self.value(node.step)})" if step else ""
        if not few:
            self.loops.pop()
        if meets:
            self.rounds.pop()
        after = "" if few else f" t->work += {counter};"
        if kind is T.Do:
            return f"{before}do {{ {body} }} while ({test});{after}"
        return f"{before}for (; {test}; {step}) {{ {body} }}{after}"

    def meeting(self, node):
        return any(
            type(n) is T.BuiltinCall and builtins.meets(n.builtin)
            or type(n) is T.Call and n.function in self.source.meets
            for n in walk(node)
        )  # fmt: skip

    def on_switch(self, node):
        kind, cases = self.type(node.subject.type), ""
        for case in node.cases:
            head = "default" if case.value is None else f"case ({kind}){case.value}ll"
            cases += f"{head}:; {self.block(T.Block(case.place, case.body))}"
        return f"switch ({self.value(node.subject)}) {{ {cases} }}"

    def on_break(self, node):
        return "break;"

    def on_continue(self, node):
        return "continue;"

    def on_return(self, node):
        spent = "".join(f"t->work += {counter}; " for counter in self.loops)
        spent += self.passing(last=self.depth > 0)
        result = self.function.result
        if node.value is None:
            return f"{spent}return;"
        if isinstance(result, C.Reference):
            return f"{spent}return {self.reference(node.value, result.to)};"
        if result is C.VOID:
            return f"{spent}(void)({self.value(node.value)}); return;"
        return f"{spent}return {self.value(node.value)};"


def few_rounds(node):
    """How often `for (int i = 0; i < 8; i++)` goes round, if it is seldom; else 0."""
    test, step = node.condition, node.step
    if len(node.init) != 1 or type(node.init[0]) is not T.Declare:
        return 0
    variable, begin = node.init[0].variable, constant.value_of(node.init[0].init)
    counts = type(step) is T.Increment and step.op == "++"
    if begin is None or not counts or type(test) is not T.Binary or test.op != "<":
        return 0
    end = constant.value_of(test.right)
    mine = (getattr(step.target, "variable", None), loaded(test.left))
    changed = any(
        isinstance(n, T.Assign | T.CompoundAssign | T.Increment)
        and variable in owners(n.target)
        for n in walk(node.body)
    )
    free = variable.address_taken or variable in decayed(list(walk(node.body)))
    if end is None or mine != (variable, variable) or changed or free:
        return 0
    return end - begin if 0 < end - begin <= FEW_ROUNDS else 0


def loaded(node):
    """The variable that a node reads, or None."""
    if type(node) is T.Load and type(node.operand) is T.VariableRef:
        return node.operand.variable
    return None


_F = FunctionSource
STATEMENT = {
    T.Block: _F.on_block, T.Declare: _F.on_declare, T.Evaluate: _F.on_evaluate,
    T.If: _F.on_if, T.While: _F.on_loop, T.Do: _F.on_loop, T.For: _F.on_loop,
    T.Switch: _F.on_switch, T.Break: _F.on_break, T.Continue: _F.on_continue,
    T.Return: _F.on_return,
}  # fmt: skip
