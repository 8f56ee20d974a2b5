"""Random statements: loops end, and variables are in scope."""

from .choices import Expr, Var
from .expressions import Expressions
from .types import (
    BLOCK,
    BOOL,
    BY_FLOAT,
    DOUBLE,
    FLOAT,
    INPUT,
    INT,
    LL,
    LONG,
    THREAD,
    TYPES,
    UINT,
    WARP,
    WHOLE,
    promoted,
)

INDENT = "    "


class Statements(Expressions):
    """Random statements.

    flow: the threads that are sure to be here together. loops: what break and continue
    may mean here. result: the type that return takes here; None in a kernel.
    """

    def __init__(self, choices, features):
        super().__init__(choices, features)
        self.lines, self.indent, self.flow = [], 1, THREAD
        self.loops, self.depth, self.result = [], 0, None
        self.shared_arrays, self.atomics = [], []
        self.plain = [
            self.declare, self.declare, self.assign, self.assign, self.assign,
            self.if_, self.if_, self.loop, self.switch, self.jump, self.array,
            self.reference, self.pointer, self.exchange, self.choice, self.in_range,
        ]  # fmt: skip
        by_feature = {
            "shared": [self.barrier, self.barrier, self.count_all, self.turn],
            "warp": [self.shuffle, self.shuffle, self.shuffle, self.vote, self.vote],
            "atomic": [self.atomic, self.atomic, self.own_atomic, self.fence],
        }
        self.extra = {f: by_feature[f] for f in by_feature if f in features}

    def say(self, line):
        self.lines.append(INDENT * self.indent + line)

    def add(self, name, type, **more):
        """A new variable in scope."""
        var = Var(name, type, more.pop("base", name), **more)
        self.scopes[-1].append(var)
        return var

    def statement(self):
        options = list(self.plain)
        if "shared" in self.extra and self.flow == BLOCK:
            options += self.extra["shared"]
        if "warp" in self.extra and self.flow >= WARP:
            options += self.extra["warp"]
        if self.result is None:
            options += self.extra.get("atomic", [])
        self.fresh()
        self.c.pick(options)()
        self.fresh()

    def body(self, most):
        for _ in range(most):
            begin = len(self.c.made)
            if not self.c.chance(85):
                return
            self.statement()
            self.c.part(begin)

    def block(self, head, most=3, flow=None, loops=None, extra=(), first=""):
        """head { statements }, its variables in a scope of their own."""
        saved = self.flow, self.loops
        self.flow = self.flow if flow is None else flow
        if loops is not None:
            self.loops = loops
        self.say(head + " {")
        self.indent += 1
        self.depth += 1
        self.scopes.append(list(extra))
        if first:
            self.say(first)
        self.body(most if self.depth < 4 else 1)
        self.scopes.pop()
        self.depth -= 1
        self.indent -= 1
        self.flow, self.loops = saved

    def condition(self, depth=2):
        """Operands of && and || are full expressions of their own."""
        e = self.value(depth)
        while self.c.chance(25):
            op = self.c.pick(["&&", "||"])
            self.fresh()
            e = self.join(e, op, self.value(depth), BOOL)
        return e

    def evenly(self):
        """A level for a condition or a value: how many threads see the same."""
        return self.c.below(self.flow + 1)

    def at_level(self, level, make):
        """What `make` gives, from nothing that differs between the threads."""
        before, self.want = self.want, level
        statement = make()
        self.want = before
        return statement

    def declare(self):
        type, level = self.c.pick(TYPES), self.evenly()
        e = self.at_level(level, lambda: self.assignable(type))
        name, const = self.new("v"), level > THREAD or self.c.chance(15)
        style = self.c.pick([" = {}", "(({}))", "{{{}}}"]).format(e.text)
        self.say(f"{'const ' * const}{type.name} {name}{style};")
        self.add(name, type, level=level, writable=not const)

    def target(self):
        known = self.targets()
        if not known:
            return None, ""
        v = self.c.pick(known)
        self.touched.add(v.base)
        return v, self.place(v, write=True)

    def assign(self):
        v, text = self.target()
        if v is None:
            return self.declare()
        if not self.c.chance(60):
            return self.say(f"{text} = {self.assignable(v.type).text};")
        if v.type is BOOL:
            return self.say(f"{text} {self.c.pick('&|^')}= {self.integer(2).text};")
        which = self.c.below(5)
        if which == 0:
            return self.say(self.c.pick(["{}++;", "--{};"]).format(text))
        if not v.type.integer:
            op, e = self.c.pick("+-*/"), self.value()
            e = self.divisor(v.type, e) if e.type.integer and op == "/" else e
            return self.say(f"{text} {op}= {e.text};")
        e = self.integer(2)
        if which == 1:
            op, by = self.c.pick("/%"), self.divisor(v.type, e).text
        elif which == 2:
            op, by = self.c.pick(["<<", ">>"]), self.shift_count(v.type, e)
        else:
            op, by = self.c.pick("+-*&|^"), e.text
        self.say(f"{text} {op}= {by};")

    def in_range(self):
        """An integer changed by a float, near zero."""
        known = [v for v in self.targets() if not (v.dims or v.shared)]
        known = [v for v in known if v.type.integer and v.type.bits > 8]
        if not known:
            return self.declare()
        v = self.c.pick(known)
        self.touched.add(v.base)
        type = self.c.pick([FLOAT, DOUBLE])
        e = self.clamped(self.floating(type, 1), BY_FLOAT)
        op = self.c.pick("+*")
        self.say(f"{v.name} &= 31, {v.name} {op}= {e.text};")

    def if_(self):
        level = self.evenly()
        e = self.at_level(level, self.condition)
        loops = self.loops if level == self.flow else []
        ends = [self.modes()]
        self.block(f"if ({e.text})", flow=level, loops=loops)
        while self.c.chance(30):
            self.fresh()
            self.next_path(ends, level)
            e = self.at_level(level, self.condition)
            ends[0] = self.modes()
            self.block(f"}} else if ({e.text})", flow=level, loops=loops)
        if self.c.chance(40):
            self.next_path(ends, level)
            self.block("} else", flow=level, loops=loops)
        self.say("}")
        ends.append(self.modes())
        for v, *modes in zip(self.shared_arrays, *ends, strict=True):
            modes = set(modes) - {""}
            v.mode = modes.pop() if len(modes) == 1 else "mixed" if modes else ""

    def modes(self):
        return [v.mode for v in self.shared_arrays]

    def next_path(self, ends, level):
        """Note how one path ends; if blocks choose, another begins where it began."""
        ends.append(self.modes())
        if level < BLOCK:
            return
        for v, mode in zip(self.shared_arrays, ends[0], strict=True):
            v.mode = mode

    def loop(self):
        if self.depth > (1 if self.result else 2):
            return self.assign()
        level = self.evenly()
        meets = level == BLOCK and "shared" in self.extra and self.c.chance(50)
        flow = level if meets else min(level, WARP)
        make = self.c.pick([self.for_, self.for_, self.while_, self.do_])
        make(level, {"flow": flow, "loops": ["loop"]}, "__syncthreads();" * meets)
        if meets:
            self.synchronized()
            self.say("__syncthreads();")

    def for_(self, level, how, first):
        type, i = self.c.pick([INT, INT, UINT, WHOLE[6], WHOLE[8], LL]), self.new("i")
        n, self.quiet = str(1 + self.c.below(5)), bool(first)
        if self.c.chance(50):
            n = f"({self.at_level(level, lambda: self.integer(1)).at(6)} & 3)"
        steps = [
            f"{i} = 0; {i} < {n}; {i}++",
            f"{i} = {n}; {i} > 0; --{i}",
            f"{i} = 0, j{i} = 9; {i} < {n} && j{i} > 2; {i} += 1, j{i} -= 2",
        ]
        extra, self.quiet = [Var(i, type, i, level, False)], False
        head = f"for ({type.name} {self.c.pick(steps)})"
        self.meet(first)
        self.block(head, extra=extra, first=first, **how)
        self.say("}")

    def while_(self, level, how, first):
        guard = self.new("g")
        self.say(f"int {guard} = {2 + self.c.below(4)};")
        self.quiet = bool(first)
        if level == WARP and "warp" in self.extra:
            e = self.at_level(THREAD, self.condition)
            e = Expr(f"__any_sync(0xffffffffu, {e.text})", INT)
        else:
            e = self.at_level(level, self.condition)
        self.quiet = False
        self.meet(first)
        self.block(f"while ({guard}-- > 0 && {e.at(3)})", first=first, **how)
        self.say("}")

    def do_(self, level, how, first):
        guard = self.new("g")
        self.say(f"int {guard} = {2 + self.c.below(4)};")
        self.meet(first)
        self.block("do", first=first, **how)
        self.fresh()
        e = self.at_level(level, self.condition)
        self.say(f"}} while (--{guard} > 0 && {e.at(3)});")

    def meet(self, first):
        """A barrier will stand first in the block that follows."""
        if first:
            self.synchronized()

    def synchronized(self):
        for v in self.shared_arrays:
            v.mode = ""

    def switch(self):
        level = min(self.evenly(), WARP)
        e = self.at_level(level, lambda: self.integer(2))
        n = 1 + self.c.below(4)
        labels = [f"case {i}:" for i in range(n)]
        labels.insert(self.c.below(n + 1), "default:")
        keeps = [x for x in self.loops if x == "loop"] if level == self.flow else []
        self.say(f"switch ({e.at(6)} & {self.c.pick([1, 3, 7])}) {{")
        for label in labels:
            falls = self.c.chance(30)
            self.block(label, most=2, flow=level, loops=["switch", *keeps])
            self.say("}" if falls else "} break;")
        self.say("}")

    def jump(self):
        """break, continue or return, under a condition."""
        level, words = self.flow, []
        if self.loops:
            words = ["break"] + ["continue"] * ("loop" in self.loops)
        leaves = "warp" not in self.extra and self.c.chance(30)
        if self.result or leaves:
            words.append("return")
        if not words:
            return self.assign()
        word = self.c.pick(words)
        if word == "return" and not self.result:
            level = THREAD
        e = self.at_level(level, self.condition)
        if word == "return" and self.result:
            self.fresh()
            word = f"return {self.assignable(self.result, 1).text}"
        self.say(f"if ({e.text}) {word};")

    def array(self):
        type, name = self.c.pick(TYPES), self.new("a")
        dims = self.c.pick([(4,), (2,), (8,), (2, 4), (4, 2)])
        rows = []
        for _ in range(dims[0] if len(dims) > 1 else 1):
            given = range(dims[-1] - self.c.below(2))
            rows.append(", ".join(self.assignable(type, 1).text for _ in given))
        inner = ", ".join(f"{{{r}}}" for r in rows) if len(dims) > 1 else rows[0]
        shape = "".join(f"[{d}]" for d in dims)
        self.say(f"{type.name} {name}{shape} = {{{inner}}};")
        self.add(name, type, dims=dims)

    def reference(self):
        known = [v for v in self.targets() if not v.shared and not v.dims]
        if not known:
            return self.declare()
        v, name = self.c.pick(known), self.new("r")
        v.solid = True
        self.say(f"{v.type.name}& {name} = {v.name};")
        self.add(name, v.type, solid=True)

    def pointer(self):
        """A pointer walks over an array; where it begins may differ by thread."""
        known = [v for v in self.visible() if v.dims and not v.shared]
        if not known:
            return self.array()
        v, p, total = self.c.pick(known), self.new("p"), self.new("v")
        of = v.name + "".join(f"[{self.c.below(d)}]" for d in v.dims[:-1])
        half, twin = v.dims[-1] // 2, of
        if v.dims == (INPUT,) and self.c.chance(30):
            same = [w for w in known if w.dims == v.dims and w.type is v.type]
            twin = self.c.pick(same).name
        begin = of if twin == of else f"({self.value(1).at(1)} ? {of} : {twin})"
        const = "const " * (not v.writable or self.c.chance(50))
        begin = f"{begin} + ({self.integer(1).at(6)} & {half - 1})"
        self.say(f"{const}{v.type.name}* {p} = {begin};")
        self.say(f"{promoted(v.type).name} {total} = 0;")
        if self.c.chance(20):
            call = f"{self.use('total')}<{v.type.name}, {half}>({p}, 1)"
            self.say(f"{total} = {call};")
        step = self.walk(p, v, total, const)
        self.say(f"for (int k = 0; k < {half}; k++) {step}")
        self.add(total, promoted(v.type))
        if twin == of:
            self.add(self.new("v"), LONG)
            self.say(f"long {self.scopes[-1][-1].name} = {p} - {of};")

    def walk(self, p, v, total, const):
        """One step of a pointer."""
        ways = ["{t} += *{p}++;", "{t} = {t} * 3 + {p}[0], {p} += 1;"]
        ways += ["{t} -= *({p} + k);"]
        if not const and v.type is not BOOL:
            ways += ["*{p}++ += 3;", "{t} += ++{p}[k];", "{p}[0] = {p}[1], ++{p};"]
        if not const:
            v.solid = True
        return self.c.pick(ways).format(t=total, p=p)

    def exchange(self):
        known = [v for v in self.targets() if not v.shared]
        pairs = [
            (a, b) for a in known for b in known if a.type is b.type and a is not b
        ]
        if not pairs:
            return self.declare()
        a, b = self.c.pick(pairs)
        self.pure = True
        first, second = self.place(a), self.place(b)
        self.pure = False
        self.say(f"{self.use('exchange')}({first}, {second});")

    def choice(self):
        """An assignment to one of two variables."""
        known = [v for v in self.targets() if not v.shared and not v.dims]
        pairs = [
            (a, b) for a in known for b in known if a.type is b.type and a is not b
        ]
        if not pairs:
            return self.assign()
        a, b = self.c.pick(pairs)
        e = self.assignable(a.type, 2)
        test = self.at_level(THREAD, lambda: self.leaf())
        self.say(f"({test.at(1)} ? {a.name} : {b.name}) = {e.text};")
