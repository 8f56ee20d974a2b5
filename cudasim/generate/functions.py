"""From the typed tree to NumPy source: statements, masks, functions.

Each C function becomes a Python function `f(R, m0, ...)`: R is the batch, m0 the mask
of the lanes that call. Each block of statements has its own mask variable; lanes that
leave (return, break, continue) are removed from it, and when none remains the following
statements are skipped.
"""

import dataclasses
import re

from ..engine.memory import access, leaves_of, poison, zero
from ..front import ctype as C
from ..front import tree as T
from ..front.errors import CompileError
from .contraction import fusible
from .expressions import ExpressionCode, tuple_of
from .rows import rising
from .variables import clean, decayed, elements, has_array, walk

DEEPEST = 45  # Python allows 100 levels of indentation
DEEPEST_LOOP = 18  # and 20 nested loops
MOST_CELLS = 64  # larger local arrays live in memory
MANY = 100  # statements between two looks at the time limit


@dataclasses.dataclass
class Local:
    """How a variable is kept: as a value, cells (a list), memory or a reference."""

    kind: str
    name: str
    mask: str


class FunctionCode(ExpressionCode):
    """Writes one function."""

    def __init__(self, module, function):
        self.module, self.function = module, function
        self.lines, self.prologue, self.level, self.counter = [], {}, 1, 0
        self.locals, self.loops, self.loop_depth = {}, [], 0
        self.early, self.visible = set(), {}
        self.clock, self.ranks = 0, {}  # see Contraction.rank
        self.mask = "m0"
        nodes = list(walk(function.body))
        self.returns = sum(type(node) is T.Return for node in nodes)
        self.jumps = any(type(node) is T.Goto for node in nodes)
        self.waiting = {}  # label -> the mask of the lanes that go to it
        self.in_memory = decayed(nodes)
        self.known_traits = {}  # expression -> what `traits` found
        rows = module.rows and not self.jumps
        self.rising = rising(nodes, self.in_memory) if rows else ()
        self.bases = {}  # variable -> name of its base, see RowCode
        self.fusible = fusible(nodes) if module.program.fmad else ()
        self.products = {}  # variable -> codes of the factors, see Contraction
        self.in_locals, self.widest = 0, 8  # bytes of a lane

    @property
    def lane_bytes(self):
        """An upper bound on a lane's bytes: every value as large as the largest."""
        return self.counter * self.widest + self.in_locals

    # Writing

    def emit(self, line):
        if self.level > DEEPEST * 2:
            message = "this is nested too deeply: split it into smaller functions"
            raise CompileError(message, self.function.place)
        self.lines.append(" " * self.level + line)

    def fresh(self, stem="t"):
        self.counter += 1
        return f"{stem}{self.counter}"

    def temp(self, code):
        """The value of `code`, computed now and kept."""
        if KEPT.fullmatch(code):
            return code
        name = self.fresh()
        self.emit(f"{name} = {code}")
        return name

    def site(self, node):
        if self.function.place in self.module.program.brought:
            # What a header's function does counts for the line that calls it.
            self.prologue["at"] = "R.at"
            return "at"
        return self.module.site(node.place)

    def text(self):
        """The function as Python source."""
        function = self.function
        names = []
        for parameter in function.parameters:
            name = self.fresh(clean(parameter.name or "unnamed") + "_")
            names.append(name)
            self.parameter(parameter, name)
        self.single = self.returns_at_end()
        if not function.kernel:
            self.emit(f"R.tick({self.site(function)})")
        if self.has_result and not self.single:
            self.emit(f"rv = {self.poison(self.result_type)}")
        if self.needs_returned:
            self.emit("ret = False")
        self.block(function.body)
        self.last_step()
        if self.has_result and not self.single:
            self.emit("return rv")
        elif not self.lines:
            self.emit("pass")
        return "\n".join(self.whole(", ".join(["R", "m0", *names])))

    def whole(self, parameters):
        """All lines of the function."""
        yield f"def {self.module.names[self.function]}({parameters}):"
        yield from (f" {name} = {value}" for name, value in self.prologue.items())
        yield from self.lines
        if self.module.stops_in(self.function):  # a generator, whatever it reaches
            yield from (" return", " yield")

    @property
    def result_type(self):
        return self.function.result

    @property
    def has_result(self):
        return self.result_type is not C.VOID

    def returns_at_end(self):
        """Is the only return the last statement?"""
        statements = self.function.body.statements
        self.needs_returned = self.returns > 0
        last = statements[-1] if statements else None
        last = isinstance(last, T.Return) and last.value is not None
        return self.returns == 1 and last and self.has_result and not self.jumps

    def parameter(self, variable, name):
        if isinstance(variable.type, C.Reference):
            self.locals[variable] = Local("reference", name, "m0")
            return
        local = self.locals[variable] = Local("value", name, self.declared)
        self.clock += 1
        self.ranks[variable] = self.clock
        self.show(variable, local)
        if self.lives_in_memory(variable):
            self.visible.clear()
            value, local.name = name, self.fresh("p")
            local.kind = "memory"
            self.make_memory(variable, local.name)
            self.store_value(local.name, variable.type, value)

    def lives_in_memory(self, variable):
        type = variable.type
        if variable.address_taken or variable in self.in_memory:
            return True
        if isinstance(type, C.Array):
            return elements(type) > MOST_CELLS or has_array(type.of)
        return has_array(type)

    def make_memory(self, variable, name):
        self.in_locals += variable.type.size
        type = self.module.constant(variable.type)
        text = self.module.constant(variable.name)
        self.emit(f"{name} = R.local({type}, {text})")

    def store_value(self, pointer, type, value):
        """Store a whole value at a pointer."""
        how = self.access(type, type.size)
        self.emit(f"R.store({pointer}, None, {value}, {how}, {self.mask}, 0)")

    def access(self, type, unit):
        made = access(type.plain, unit)
        self.widest = max(self.widest, made.size)
        return self.module.constant(made)

    def poison(self, type):
        if isinstance(type, C.Reference):
            return "NULL"
        return self.module.constant(poison(type), ("poison", type.plain))

    def zero(self, type):
        return self.module.constant(zero(type), ("zero", type.plain))

    # Statements: each gives the set of ways in which lanes may leave it.

    def block(self, node):
        return self.sequence(node.statements)

    @property
    def declared(self):
        """The lanes that will ever read a variable that is declared here."""
        return "None" if self.jumps else self.mask

    def sequence(self, statements):
        labels = [s for s in statements if type(s) is T.Label]
        return self.labelled(statements, labels) if labels else self.plain(statements)

    def labelled(self, statements, labels):
        """Rounds through the statements: lanes wait from each goto to its label."""
        outer, inner, done = self.mask, self.fresh("m"), self.fresh("m")
        self.declare_early(statements)
        for label in labels:
            name = self.waiting[label.name] = self.fresh("g")
            self.emit(f"{name} = False")
        self.emit(f"{inner}, {done} = {outer}, False")
        self.deeper(labels[0])
        self.emit("while True:")
        self.level += 1
        self.emit(f"R.tick({self.site(labels[0])})")
        at = [*map(statements.index, labels), len(statements)]
        kills = self.branch(inner, T.Block(None, statements[: at[0]]))
        for label, begin, end in zip(labels, at, at[1:], strict=False):
            name = self.waiting[label.name]
            self.emit(f"{inner}, {name} = union({inner}, {name}, {outer}), False")
            kills |= self.branch(inner, T.Block(None, statements[begin + 1 : end]))
        self.emit(f"{done}, {inner} = union({done}, {inner}, {outer}), False")
        mine = {self.waiting[label.name] for label in labels}
        self.emit(f"if {' is '.join(sorted(mine))} is False: break")
        self.level -= 1
        self.loop_depth -= 1
        self.mask = outer
        if kills := kills - mine:
            self.emit(f"{outer} = {done}")
        return kills

    def plain(self, statements):
        self.products.clear()
        kills, visible = set(), dict(self.visible)
        guarded = False
        for number, statement in enumerate(statements, 1):
            if number % MANY == 0:
                self.emit(f"R.tick({self.site(statement)})")
            if kills and not guarded:
                self.emit(f"if {self.mask} is not False:")
                self.level += 1
                guarded = True
            before, lines = self.level, len(self.lines)
            self.step(statement)
            new = self.statement(statement)
            if guarded and new:
                if len(self.lines) == lines:
                    self.emit("pass")
                self.level, guarded = before - 1, False
            kills |= new
        if guarded:
            if self.lines[-1].rstrip().endswith("is not False:"):
                self.emit("pass")
            self.level -= 1
        self.visible = visible
        return kills

    def step(self, node, last=False):
        """Report the statement to the batch, in the schedule "steps"."""
        if self.module.steps and (last or not isinstance(node, T.Block)):
            pairs = [f"{key}: {name}" for key, name in self.visible.items()]
            site = self.site(node)
            self.emit(f"R.step({site}, {self.mask}, {{{', '.join(pairs)}}})")

    def last_step(self):
        """Report the state in which a kernel ends."""
        if self.module.steps and self.function.kernel:
            self.mask = "None"
            self.step(T.Block(self.function.end, []), last=True)

    def show(self, variable, local):
        """From here on, steps show this variable."""
        if self.module.steps and local.kind in ("value", "cells"):
            self.visible[self.module.constant(variable)] = local.name

    def statement(self, node):
        if not isinstance(node, T.Declare | T.Evaluate | T.Return):
            self.products.clear()  # the compiler fuses only within straight-line code
        return STATEMENT[type(node)](self, node) or set()

    def on_declare(self, node):
        variable, type = node.variable, node.variable.type
        if variable.constant is not None and not variable.address_taken:
            return
        if variable in self.early:
            self.redeclare(node, self.locals[variable])
            return
        name = self.fresh(clean(variable.name) + "_")
        local = self.locals[variable] = Local("value", name, self.declared)
        if isinstance(type, C.Reference):
            local.kind = "reference"
            self.emit(f"{name} = {self.reference(node.init, type.to)}")
        elif self.lives_in_memory(variable):
            local.kind = "memory"
            self.declare_in_memory(variable, name, node.init)
        elif isinstance(type, C.Array):
            local.kind = "cells"
            self.emit(f"{name} = [{', '.join(self.array_items(type, node.init))}]")
        elif node.init is None:
            self.emit(f"{name} = {self.poison(type)}")
        else:
            self.note_rank(variable, node.init)
            value = self.declare_product(variable, node.init)
            self.emit(f"{name} = {value or self.value(node.init)}")
            self.declare_base(variable, name, node.init)
        self.show(variable, local)

    def redeclare(self, node, local):
        """A declaration in a case of a switch, whose variable exists already."""
        type = node.variable.type
        if node.init is None:
            return
        if local.kind == "value":
            self.set_local(local, self.value(node.init))
        elif local.kind == "cells":
            items = ", ".join(self.array_items(type, node.init))
            self.emit(f"{local.name} = [{items}]")
        else:
            self.declare_in_memory(node.variable, local.name, node.init)

    def declare_in_memory(self, variable, name, init):
        value = None
        if init is not None and not isinstance(init, T.Aggregate):
            value = self.temp(self.value(init))
        self.make_memory(variable, name)
        if value is not None:
            self.store_value(name, variable.type, value)
        elif init is not None:
            leaves = self.flatten(variable.type, init)
            for (leaf, offset, _), code in zip(
                leaves_of(variable.type), leaves, strict=True
            ):
                how = self.access(leaf, leaf.size)
                at = self.module.constant(offset // leaf.size)
                self.emit(f"R.store({name}, {at}, {code}, {how}, {self.mask}, 0)")

    def array_items(self, type, init):
        """The code of each element of a local array."""
        element, count = type.of.plain, elements(type)
        if init is None:
            return [self.poison(element)] * count
        leaves = self.flatten(type, init)
        per = len(leaves) // count
        if not isinstance(element, C.Struct):
            return leaves
        return [tuple_of(leaves[i : i + per]) for i in range(0, len(leaves), per)]

    def on_evaluate(self, node):
        self.effect(node.value)

    def on_block(self, node):
        return self.sequence(node.statements)

    def on_if(self, node):
        outer = self.mask
        condition = self.value(node.condition)
        yes, no = self.fresh("m"), self.fresh("m")
        self.emit(f"{yes}, {no} = R.split({outer}, {condition}, {self.site(node)})")
        kills = self.branch(yes, node.yes)
        kills |= self.branch(no, node.no) if node.no else set()
        self.mask = outer
        if kills:
            self.emit(f"{outer} = union({yes}, {no}, {outer})")
        return kills

    def branch(self, mask, node):
        """One side of an if."""
        self.mask = mask
        self.emit(f"if {mask} is not False:")
        self.level += 1
        before = len(self.lines)
        kills = self.sequence(node.statements)
        if len(self.lines) == before:
            self.emit("pass")
        self.level -= 1
        return kills

    def on_while(self, node):
        return self.loop(node, node.condition, None, node.body)

    def on_do(self, node):
        return self.loop(node, node.condition, None, node.body, test_first=False)

    def on_for(self, node):
        for statement in node.init:
            self.statement(statement)
        return self.loop(node, node.condition, node.step, node.body)

    def loop(self, node, condition, step, body, test_first=True):
        outer, live, site = self.mask, self.fresh("m"), self.site(node)
        self.deeper(node)
        self.emit(f"{live} = {outer}")
        self.emit("while True:")
        self.level += 1
        self.emit(f"R.tick({site})")
        self.mask = live
        self.step(node)
        if test_first and condition is not None:
            self.test(live, condition, site)
        kills = self.loop_body(live, body)
        self.mask = live
        if step is not None:
            self.effect(step)
        if not test_first:
            self.test(live, condition, site)
        self.level -= 1
        self.loop_depth -= 1
        self.mask = outer
        return self.leave(outer, kills - {"break", "continue"})

    def leave(self, outer, kills):
        """Behind a loop or a switch: without the lanes that went further."""
        for gone in sorted(kills - {"continue"}):
            self.emit(f"{outer} = minus({outer}, {gone})")
        return kills

    def deeper(self, node):
        """Enter a nested loop."""
        self.loop_depth += 1
        if self.loop_depth > DEEPEST_LOOP:
            message = "loops are nested too deeply: move some into a function"
            raise CompileError(message, node.place)

    def test(self, live, condition, site):
        """Drop from the loop the lanes for which its condition does not hold."""
        self.emit(f"{live} = R.choose({live}, {self.value(condition)}, {site})")
        self.emit(f"if {live} is False: break")

    def loop_body(self, live, body):
        inner, again = self.fresh("m"), self.fresh("c")
        self.emit(f"{inner} = {live}")
        at = len(self.lines)
        self.loops.append(("loop", again))
        self.mask = inner
        kills = self.sequence(body.statements)
        self.loops.pop()
        if "continue" in kills:
            self.lines.insert(at, " " * self.level + f"{again} = False")
        if kills - {"continue"}:  # else every lane comes back
            back = again if "continue" in kills else "False"
            self.emit(f"{live} = union({inner}, {back}, {live})")
            self.emit(f"if {live} is False: break")
        return kills

    def on_switch(self, node):
        outer, current = self.mask, self.fresh("m")
        subject = self.temp(self.value(node.subject))
        for case in node.cases:
            self.declare_early(case.body)
        tests, other = self.case_tests(node, subject)
        self.emit(f"{current} = False")
        self.loops.append(("switch", None))
        kills, site = set(), self.site(node)
        for number, case in enumerate(node.cases, 1):
            if number % MANY == 0:
                self.emit(f"R.tick({site})")
            test = tests.get(case, other)
            self.emit(
                f"{current} = union({current}, R.choose({outer}, {test}, {site}))"
            )
            kills |= self.branch(current, case_block(case))
        self.loops.pop()
        self.mask = outer
        return self.after_switch(outer, kills)

    def case_tests(self, node, subject):
        """(case -> code of its test, code of the default's)"""
        tests = {}
        for case in node.cases:
            if case.value is not None:
                number = self.module.number(case.value, node.subject.type.plain)
                tests[case] = self.temp(f"({subject} == {number})")
        if not tests:
            return tests, "bool_(True)"
        return tests, f"~any_of(({', '.join(tests.values())},))"

    def after_switch(self, outer, kills):
        self.leave(outer, kills - {"break"})
        if "continue" in kills:
            again = next(name for kind, name in reversed(self.loops) if kind == "loop")
            self.emit(f"{outer} = minus({outer}, {again})")
        return kills - {"break"}

    def declare_early(self, statements):
        """Lanes may use a variable without having passed its declaration."""
        for statement in statements:
            if isinstance(statement, T.Declare):
                variable = statement.variable
                if not isinstance(variable.type, C.Reference):
                    self.on_declare(T.Declare(statement.place, variable, None))
                    self.early.add(variable)

    def on_break(self, node):
        self.emit(f"{self.mask} = False")
        return {"break"}

    def on_continue(self, node):
        again = next(name for kind, name in reversed(self.loops) if kind == "loop")
        self.emit(f"{again} = union({again}, {self.mask})")
        self.emit(f"{self.mask} = False")
        return {"continue"}

    def on_goto(self, node):
        name = self.waiting[node.name]
        self.emit(f"{name} = union({name}, {self.mask})")
        self.emit(f"{self.mask} = False")
        return {name}

    def on_return(self, node):
        if node.value is not None and self.has_result:
            self.returned(node)
        elif node.value is not None:
            self.effect(node.value)
        if self.single:
            return None
        if self.function.kernel:
            self.emit(f"R.exit({self.mask})")
        self.emit(f"ret = union(ret, {self.mask})")
        self.emit(f"{self.mask} = False")
        return {"ret"}

    def returned(self, node):
        type = self.result_type
        if isinstance(type, C.Reference):
            value = self.reference(node.value, type.to)
        else:
            value = self.value(node.value)
        if self.single:
            self.emit(f"return {value}")
        elif self.mask == "m0":
            self.emit(f"rv = {value} if ret is False else select_any(m0, {value}, rv)")
        else:
            self.emit(f"rv = select_any({self.mask}, {value}, rv)")


def case_block(case):
    return T.Block(case.place, case.body)


KEPT = re.compile(r"[tk]\d+|NULL")  # names that are assigned once
STATEMENT = {
    T.Block: FunctionCode.on_block,
    T.Declare: FunctionCode.on_declare,
    T.Evaluate: FunctionCode.on_evaluate,
    T.If: FunctionCode.on_if,
    T.While: FunctionCode.on_while,
    T.Do: FunctionCode.on_do,
    T.For: FunctionCode.on_for,
    T.Switch: FunctionCode.on_switch,
    T.Break: FunctionCode.on_break,
    T.Continue: FunctionCode.on_continue,
    T.Goto: FunctionCode.on_goto,
    T.Return: FunctionCode.on_return,
}
