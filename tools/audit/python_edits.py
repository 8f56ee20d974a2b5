"""Edits of Python, by its syntax tree."""

import ast
import itertools

from tools.audit import damage
from tools.audit.edits import Edit

SWAPPED = {ast.Add: "-", ast.Sub: "+", ast.Mult: "/", ast.Div: "*", ast.FloorDiv: "/",
           ast.Mod: "//", ast.Pow: "*", ast.MatMult: "*", ast.LShift: ">>",
           ast.RShift: "<<", ast.BitAnd: "|", ast.BitOr: "&"}  # fmt: skip
ONE_SIDED = ast.Sub, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow, ast.MatMult
COMPARED = {ast.Lt: ("<=", ">"), ast.LtE: ("<",), ast.Gt: (">=", "<"), ast.GtE: (">",),
            ast.Eq: ("!=",), ast.NotEq: ("==",), ast.In: ("not in",),
            ast.NotIn: ("in",), ast.Is: ("is not",), ast.IsNot: ("is",)}  # fmt: skip
# Functions and methods that are easily taken for one another.
TWINS = {"min": "max", "max": "min", "any": "all", "all": "any", "append": "extend",
         "zeros": "ones", "sum": "mean", "mean": "sum", "maximum": "minimum",
         "amax": "amin", "argmax": "argmin", "sqrt": "exp", "exp": "log", "log": "exp",
         "uniform": "normal", "get": "setdefault"}  # fmt: skip
OTHER_ERROR = {"RuntimeError": "ValueError", "ValueError": "RuntimeError"}
MADE = (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp)
MAKERS = "list", "dict", "set", "defaultdict"
# What is done to each result: functions of damage.py.
SYMMETRIC = "min", "max", "transpose", "broadcast_shapes"
RESULTS = {
    "through half": "halved",
    "through int": "whole",
    "another dtype": "in_another_dtype",
    "detached": "detached",
    "a copy": "copied",
}
ALONE = "what is in a node is left as it is"
IMPORT = 0, 0, "from tools.audit import damage\n"


class Edits(ast.NodeVisitor):
    """found: the edits of a cell; only its functions are changed, not its imports."""

    def __init__(self, text):
        self.text, self.edits = text, []
        lines = text.split("\n")
        self.starts = [0]
        for line in lines:
            self.starts.append(self.starts[-1] + len(line) + 1)
        self.lines = [line.encode() for line in lines]
        for node in ast.parse(text).body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                self.visit(node)

    def visit(self, node):
        """Make the edits of a node, and of what is in it, unless it stays ALONE."""
        edit = getattr(self, f"visit_{type(node).__name__}", lambda node: None)
        if edit(node) is not ALONE:
            self.generic_visit(node)

    def at(self, line, column):
        return self.starts[line - 1] + len(self.lines[line - 1][:column].decode())

    def span(self, node):
        begin = self.at(node.lineno, node.col_offset)
        return begin, self.at(node.end_lineno, node.end_col_offset)

    def source(self, node):
        begin, end = self.span(node)
        return self.text[begin:end]

    def sign(self, left, right):
        """The operator between two operands."""
        return self.text[self.span(left)[1] : self.span(right)[0]].strip(" ()")

    def put(self, kind, place, new, *more):
        """Put something in the place of a node, or of what lies in (begin, end)."""
        begin, end = place if isinstance(place, tuple) else self.span(place)
        self.edits.append(Edit(kind, self.text, (begin, end, new), *more))

    # ------------------------------------------------- expressions

    def visit_Constant(self, node):
        value = node.value
        if isinstance(value, bool):
            self.put("constant", node, str(not value))
        elif isinstance(value, int):
            self.put("off by one", node, f"({value + 1})")
            self.put("off by one", node, f"({value - 1})")
        elif isinstance(value, float):
            self.put("constant", node, f"({value * 2 + (value == 0)})")
            self.put("constant", node, "0.0" if value else "(-1.0)")

    def visit_BinOp(self, node):
        left, right = self.source(node.left), self.source(node.right)
        kind = type(node.op)
        if kind in SWAPPED:
            self.put("operator", node, f"(({left}) {SWAPPED[kind]} ({right}))")
        self.put("term dropped", node, f"({left})")
        self.put("term dropped", node, f"({right})")
        if kind in ONE_SIDED:
            sign = self.sign(node.left, node.right)
            self.put("operands swapped", node, f"({right} {sign} {left})")

    def visit_UnaryOp(self, node):
        self.put("operator", node, f"({self.source(node.operand)})")

    def visit_Compare(self, node):
        if len(node.ops) == 1:
            left, right = self.source(node.left), self.source(node.comparators[0])
            for other in COMPARED[type(node.ops[0])]:
                self.put("comparison", node, f"(({left}) {other} ({right}))")
        else:
            for pair in itertools.pairwise([node.left, *node.comparators]):
                a, b = map(self.source, pair)  # a <= b < c: without one of the two
                self.put("term dropped", node, f"({a} {self.sign(*pair)} {b})")

    def visit_BoolOp(self, node):
        word = "or" if isinstance(node.op, ast.And) else "and"
        parts = [f"({self.source(value)})" for value in node.values]
        self.put("operator", node, f"({f' {word} '.join(parts)})")
        same = "and" if word == "or" else "or"
        for i in range(len(parts)):
            kept = f" {same} ".join(parts[:i] + parts[i + 1 :])
            self.put("term dropped", node, f"({kept})")

    def visit_IfExp(self, node):
        self.put("branch dropped", node, f"({self.source(node.body)})")
        self.put("branch dropped", node, f"({self.source(node.orelse)})")

    def visit_Call(self, node):
        name = getattr(node.func, "id", getattr(node.func, "attr", ""))
        if name in TWINS:
            end = self.span(node.func)[1]
            self.put("function", (end - len(name), end), TWINS[name])
        pairs = [] if name in SYMMETRIC else node.args[:-1]
        for i, argument in enumerate(pairs):
            pair = argument, node.args[i + 1]
            if not any(isinstance(a, ast.Starred | ast.GeneratorExp) for a in pair):
                one, two = map(self.source, pair)
                other = *self.span(pair[1]), one
                self.put("arguments swapped", argument, two, other)
        for keyword in node.keywords:
            if (name, keyword.arg) == ("zip", "strict"):  # a help to the author
                continue
            begin, end = self.span(keyword)
            comma = self.text.rfind(",", 0, begin)
            opened = self.text.rfind("(", 0, begin)
            begin = comma if comma > opened else begin
            self.put("option left out", (begin, end), "")

    def visit_keyword(self, node):
        return ALONE if node.arg == "strict" else None

    def visit_Subscript(self, node):
        if isinstance(node.slice, ast.Slice) and node.slice.step is not None:
            self.put("term dropped", node.slice.step, "")

    def visit_comprehension(self, node):
        for test in node.ifs:
            self.put("guard dropped", test, "True")

    def visit_JoinedStr(self, node):
        return ALONE  # messages

    # ------------------------------------------------- statements

    def visit_FunctionDef(self, node):
        args = node.args
        options = dict(zip([*args.posonlyargs, *args.args][::-1], args.defaults[::-1],
                           strict=False))  # fmt: skip
        options |= {a: d for a, d in zip(args.kwonlyargs, args.kw_defaults, strict=True)
                    if d is not None}  # fmt: skip
        first = node.body[0]
        begin = self.span(first)[0]
        indent = "\n" + " " * first.col_offset
        for option, default in options.items():
            line = f"{option.arg} = {self.source(default)}{indent}"
            self.put("option ignored", (begin, begin), line)
        for name in "remembers", "reuses":
            line = f"@damage.{name}\n{' ' * node.col_offset}"
            begin = self.span(node)[0]
            self.put("state kept", (begin, begin), line, IMPORT)
        self.names = [a.arg for a in (*args.posonlyargs, *args.args)]
        for statement in node.body:
            self.visit(statement)
        return ALONE

    def visit_If(self, node):
        self.put("guard dropped", node.test, "True")
        self.put("branch dropped", node.test, "False")

    def visit_While(self, node):
        self.put("loop dropped", node.test, "False")
        self.capped(node.test, f"damage.few({self.source(node.test)}, id(locals()))")

    def visit_For(self, node):
        every = self.source(node.iter)
        self.capped(node.iter, f"damage.first({every}, {damage.ROUNDS})")
        self.put("loop capped", node.iter, f"[*({every})][:-1]")
        self.put("loop capped", node.iter, f"[*({every})][1:]")
        if self.source(node.target) != "_":
            self.put("order", node.iter, f"[*({every})][::-1]")

    def capped(self, node, new):
        self.put("loop capped", node, new, IMPORT)

    def visit_Return(self, node):
        if node.value is None:
            return
        value, names = self.source(node.value), ", ".join(self.names)
        for kind, change in RESULTS.items():
            new = f"damage.{change}(({value}), [{names}])"
            self.put(kind, node.value, new, IMPORT)
        self.put("input changed", node.value, f"damage.spoils(({value}), [{names}])",
                 IMPORT)  # fmt: skip
        self.put("nothing returned", node.value, "None")

    def visit_Raise(self, node):
        self.put("exception swallowed", node, "pass")
        if isinstance(node.exc, ast.Call) and isinstance(node.exc.func, ast.Name):
            other = OTHER_ERROR.get(node.exc.func.id, "RuntimeError")
            self.put("exception's type", node.exc.func, other)
        return ALONE

    def visit_Expr(self, node):
        if not isinstance(node.value, ast.Constant):
            self.put("statement dropped", node, "pass")

    def visit_Assign(self, node):
        self.put("statement dropped", node, "pass")
        for value in getattr(node.value, "elts", [node.value]):
            maker = getattr(getattr(value, "func", None), "id", None) in MAKERS
            if maker or isinstance(value, MADE) and not _is_constant(value):
                new = f"damage.once(lambda: {self.source(value)})"
                self.put("state kept", value, new, IMPORT)

    def visit_AugAssign(self, node):
        target, value = self.source(node.target), self.source(node.value)
        self.put("statement dropped", node, "pass")
        self.put("operator", node, f"{target} = {value}")
        if type(node.op) in SWAPPED:
            self.put("operator", node, f"{target} {SWAPPED[type(node.op)]}= {value}")

    def visit_ExceptHandler(self, node):
        if not (len(node.body) == 1 and isinstance(node.body[0], ast.Pass)):
            begin, end = self.span(node.body[0])[0], self.span(node.body[-1])[1]
            self.put("handler emptied", (begin, end), "pass")

    def visit_With(self, node):
        if len(node.items) == 1:
            self.put("context dropped", node.items[0].context_expr,
                     "damage.nothing()", IMPORT)  # fmt: skip


def _is_constant(node):
    """Is it a list or dict of numbers and texts, which may well be made once?"""
    parts = [*ast.iter_child_nodes(node)]
    return parts[1:] and all(isinstance(p, ast.Constant | ast.Load) for p in parts)
