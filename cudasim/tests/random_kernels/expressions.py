"""Random expressions: well defined in C++, and the same for each seed."""

from .choices import Expr
from .types import (
    BOOL,
    DOUBLE,
    FLOAT,
    FLOAT1,
    FLOAT2,
    HELPERS,
    INT,
    LEVELS,
    LIBRARY,
    LL,
    POSITIVE,
    PRIMARY,
    RANGES,
    THREAD,
    TYPES,
    UINT,
    ULL,
    UNARY,
    common,
    promoted,
)


class Expressions:
    """Random expressions.

    touched: objects that the full expression reads. banned: those that it changes,
    which stand in it once. want: the least level of what may be read. pure: nothing may
    be changed. quiet: shared arrays are not read.
    """

    def __init__(self, choices, features):
        self.c, self.features = choices, features
        self.scopes, self.functions, self.library = [[]], [], []
        self.pure, self.quiet, self.want, self.count = False, False, THREAD, 0
        self.forms = [
            self.arithmetic, self.arithmetic, self.bitwise, self.shift, self.divide,
            self.compare, self.logical, self.unary, self.conditional, self.cast,
            self.math, self.call, self.effect, self.of_library,
        ]  # fmt: skip
        if "helpers" in features:
            self.forms += [self.helper, self.helper, self.helper, self.undefined_in_c]
        self.fresh()

    def fresh(self):
        """A full expression begins."""
        self.touched, self.banned = set(), set()

    def new(self, letter):
        self.count += 1
        return f"{letter}{self.count}"

    def use(self, name):
        if name not in self.library:
            self.library.append(name)
        return name

    def visible(self):
        """What can be read here."""
        return [
            v
            for scope in self.scopes
            for v in scope
            if v.base not in self.banned
            and (self.readable(v) if v.shared else self.want <= v.level)
        ]

    def readable(self, v):
        own = v.mode == "own" and self.want == THREAD
        return not self.quiet and (v.mode in ("", "read") or own)

    def targets(self, effect=False):
        """What can be written here; by an `effect`, within an expression."""
        return [
            v
            for v in self.visible()
            if v.writable
            and not (v.shared and v.mode not in ("", "own"))
            and not (effect and (v.solid or v.base in self.touched))
        ]

    def place(self, v, write=False):
        """The text of a variable, with an index where it is an array."""
        if not v.shared:
            return v.name + "".join(f"[{self.index(n)}]" for n in v.dims)
        own = v.mode == "own" or write or (self.want == THREAD and self.c.chance(40))
        v.mode = "own" if write else v.mode if own else "read"
        row = f"[{self.index(v.dims[0])}]" if v.dims else ""
        if own:
            return f"{v.name}{row}[tid]"
        return f"{v.name}{row}[(unsigned)({self.integer(1).text}) % NT]"

    def index(self, n):
        if not self.c.chance(50):
            return str(self.c.below(n))
        return f"{self.integer(1).at(6)} & {n - 1}"

    def leaf(self):
        known = self.visible()
        if not known or not self.c.chance(80):
            return self.literal(self.c.pick(TYPES))
        v = self.c.pick(known)
        self.touched.add(v.base)
        return Expr(self.place(v), v.type)

    def literal(self, type):
        c = self.c
        if type is BOOL:
            return Expr(c.pick(["false", "true"]), type)
        if type.rank < INT.rank:
            return Expr(f"({type.name}){c.below(100)}", type, UNARY)
        if not type.integer:
            text = c.pick(["0.0", "1.0", "0.5", "3.25", "0.1", "1e10", "7e-3"])
            return Expr(text + "f" * (type is FLOAT), type)
        suffix = {3: "", 4: "L", 5: "LL"}[type.rank]
        suffix = suffix if type.signed else "u" + suffix
        texts = ["0", "1", "2", "3", "7", "31", "100", "0x7fffffff", "123456789"]
        return Expr(c.pick(texts) + suffix, type)

    def value(self, depth=3):
        begin, simple = len(self.c.made), depth <= 0 or not self.c.chance(80)
        e = self.leaf() if simple else self.c.pick(self.forms)(depth - 1)
        self.c.part(begin, [0] * (3 + (depth > 0)))
        return e

    def integer(self, depth):
        e = self.value(depth)
        return e if e.type.integer else self.into(self.clamped(e, INT), INT)

    def assignable(self, type, depth=3):
        """A value that converts to `type` unasked, in C++ as in CUDA."""
        e = self.value(depth)
        whole = type.integer and type is not BOOL
        return self.clamped(e, type) if whole and not e.type.integer else e

    def clamped(self, e, type):
        high = (RANGES if type.signed else POSITIVE)[type.bits]
        low, f = f"-{high}" if type.signed else "0.0", "f" * (e.type is FLOAT)
        return Expr(f"fmin{f}(fmax{f}({e.text}, {low}{f}), {high}{f})", e.type)

    def into(self, e, type):
        """An explicit conversion."""
        style = self.c.below(3)
        if style == 1 and " " not in type.name:
            return Expr(f"{type.name}({e.text})", type)
        if style == 2:
            return Expr(f"static_cast<{type.name}>({e.text})", type)
        return Expr(f"({type.name}){e.at(UNARY)}", type, UNARY)

    def join(self, a, op, b, type):
        level = LEVELS[op]
        return Expr(f"{a.at(level)} {op} {b.at(level + 1)}", type, level)

    def arithmetic(self, depth):
        a, b = self.value(depth), self.value(depth)
        return self.join(a, self.c.pick("+-*"), b, common(a.type, b.type))

    def bitwise(self, depth):
        a, b = self.integer(depth), self.integer(depth)
        return self.join(a, self.c.pick("&|^"), b, common(a.type, b.type))

    def shift(self, depth):
        a, by = self.integer(depth), self.integer(depth)
        text = f"{a.at(9)} {self.c.pick(['<<', '>>'])} {self.shift_count(a.type, by)}"
        return Expr(text, promoted(a.type), 8)

    def shift_count(self, type, by):
        return f"({by.at(6)} & {promoted(type).bits - 1})"

    def divide(self, depth):
        a, divisor = self.value(depth), self.value(depth)
        op = "/"
        if divisor.type.integer:
            divisor = self.divisor(a.type, divisor)
            op = self.c.pick("/%") if a.type.integer else op
        text = f"{a.at(10)} {op} {divisor.at(11)}"
        return Expr(text, common(a.type, divisor.type), 10)

    def divisor(self, type, b):
        """Neither 0 nor, where that would overflow, -1."""
        joint = common(INT, b.type)
        if not common(type, joint).signed:
            return Expr(f"({b.at(4)} | 1)", joint)
        return Expr(
            self.c.pick([f"({b.at(6)} & 7 | 1)", f"(-3 - ({b.at(6)} & 12))"]), joint
        )

    def compare(self, depth):
        a, b = self.value(depth), self.value(depth)
        return self.join(a, self.c.pick(["<", "<=", ">", ">=", "==", "!="]), b, BOOL)

    def logical(self, depth):
        a, b = self.value(depth), self.value(depth)
        return self.join(a, self.c.pick(["&&", "||"]), b, BOOL)

    def unary(self, depth):
        op = self.c.pick("-!~+")
        e = self.integer(depth) if op == "~" else self.value(depth)
        return Expr(op + e.at(PRIMARY), BOOL if op == "!" else promoted(e.type), UNARY)

    def conditional(self, depth):
        test, a, b = self.value(depth), self.value(depth), self.value(depth)
        type = a.type if a.type.name == b.type.name else common(a.type, b.type)
        return Expr(f"{test.at(1)} ? {a.text} : {b.at(0)}", type, 0)

    def cast(self, depth):
        type = self.c.pick(TYPES)
        return self.into(self.assignable(type, depth), type)

    def floating(self, type, depth):
        e = self.value(depth)
        return e if e.type is type else self.into(e, type)

    def math(self, depth):
        type = self.c.pick([FLOAT, FLOAT, DOUBLE])
        f = "f" if type is FLOAT else ""
        which = self.c.below(4)
        if which == 3:
            parts = [self.assignable(INT, depth) for _ in "ab"]
            parts = [self.into(e, INT).text for e in parts]
            return Expr(f"{self.c.pick(['min', 'max'])}({', '.join(parts)})", INT)
        name = [self.c.pick(FLOAT1), self.c.pick(FLOAT2), "fma"][which]
        parts = [self.floating(type, depth).text for _ in range(which + 1)]
        return Expr(f"{name}{f}({', '.join(parts)})", type)

    def call(self, depth):
        """A call of a function of the text; references take variables of their own."""
        if not self.functions or self.want or self.pure:
            return self.leaf()
        function, parts = self.c.pick(self.functions), []
        for type, reference in function.parameters:
            if not reference:
                parts.append(self.assignable(type, min(depth, 1)).text)
                continue
            fits = [v for v in self.targets(effect=True) if v.type is type]
            if not fits:
                return self.leaf()
            parts.append(self.written(self.c.pick(fits)))
        return Expr(f"{function.name}({', '.join(parts)})", function.result)

    def written(self, v):
        """The place of a variable that an expression changes."""
        self.touched.add(v.base)
        text = self.place(v, write=True)
        self.banned.add(v.base)
        return text

    def effect(self, depth):
        """An expression that changes a variable."""
        known = [] if self.pure or self.want else self.targets(effect=True)
        known = [v for v in known if v.type is not BOOL]
        if not known:
            return self.leaf()
        v = self.c.pick(known)
        text = self.written(v)
        if which := self.c.below(5):
            if which == 4:
                e = self.assignable(v.type, depth)
                return Expr(f"({text} = {e.text})", v.type)
            effect = [f"{text}--", f"++{text}", f"--{text}"][which - 1]
            return Expr(effect, v.type, UNARY)
        return Expr(f"{text}++", v.type, UNARY)

    def of_library(self, depth):
        """A template or a macro."""
        which = self.c.below(4)
        if which == 0:
            type = self.c.pick(TYPES)
            a, b = self.assignable(type, depth), self.assignable(type, depth)
            test = self.value(depth).text
            text = f"{self.use('blend')}<{type.name}>({a.text}, {b.text}, {test})"
            return Expr(text, type)
        if which == 1:
            text = f"{self.use('stir')}<{1 + self.c.below(4)}>"
            return Expr(f"{text}({self.assignable(INT, depth).text})", INT)
        before, self.pure = self.pure, True
        a, b = self.value(depth), self.value(depth)
        self.pure = before
        if which == 2:
            return Expr(f"{self.use('SQUARE')}({a.text})", common(a.type, a.type))
        type = a.type if a.type.name == b.type.name else common(a.type, b.type)
        return Expr(f"{self.use('GREATER')}(({a.text}), ({b.text}))", type)

    def helper(self, depth):
        """A function of CUDA's on integers or bits."""
        name = self.c.pick(list(HELPERS))
        if name in LIBRARY:
            self.use(name)
        result, types = HELPERS[name]
        parts = [self.assignable(t, depth) for t in types]
        if name == "__dp4a":  # it has two overloads
            parts = [self.into(e, INT) for e in parts]
        return Expr(f"{name}({', '.join(e.text for e in parts)})", result)

    def undefined_in_c(self, depth):
        """Shifts by too much, and floats too large for an integer."""
        name = self.use(self.c.pick(["TO", "SHL", "SHR"]))
        if name == "TO":
            type = self.c.pick([INT, UINT, LL, ULL])
            return Expr(f"TO({type.name}, {self.value(depth).text})", type)
        a, by = self.integer(depth), self.integer(depth)
        return Expr(f"{name}(({a.text}), ({by.at(6)} & 127))", promoted(a.type))
