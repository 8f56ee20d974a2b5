"""Fused multiply-add: the products that NVRTC joins with a sum, under --fmad=true.

Found by reading NVRTC's PTX and by running on a GPU: a product is joined with the + or
- that takes it, even through a variable if that is its only use. Of two products that
are added, the one whose factors are known first is fused, as LLVM orders operands; of
two that are subtracted, the left one.
"""

from ..front import ctype as C
from ..front import tree as T


class Contraction:
    """The part of the generator that decides about fused multiply-add."""

    def fused(self, op, type, left, right):
        """Would the compiler contract this + or - with a product?"""
        if not self.module.program.fmad or op not in "+-":
            return False
        if type.plain not in (C.FLOAT, C.DOUBLE):
            return False
        return self.is_product(left) or self.is_product(right)

    def is_product(self, node):
        """A multiplication, perhaps under a minus, perhaps kept in a variable?"""
        if isinstance(node, T.Unary) and node.op == "-":
            node = node.operand
        if isinstance(node, T.Load) and isinstance(node.operand, T.VariableRef):
            return node.operand.variable in self.products
        return isinstance(node, T.Binary) and node.op == "*"

    def factors(self, node):
        """The codes of a product's two factors."""
        if isinstance(node, T.Unary):
            a, b = self.factors(node.operand)
            return f"(-{a})", b
        if isinstance(node, T.Load):
            return self.products[node.operand.variable]
        return self.values([node.left, node.right])

    def fuse(self, op, left, right):
        """a * b + c in one rounding."""
        first = self.is_product(left)
        if first and self.is_product(right) and op == "+":
            clock = [self.clock]
            first = self.rank(left, clock) <= self.rank(right, clock)
        sign = "-" if op == "-" else ""
        if first:
            a, b = map(self.temp, self.factors(left))
            return f"fma({a}, {b}, {sign}{self.value(right)})"
        c = self.temp(self.value(left))
        a, b = self.factors(right)
        return f"fma({sign}{a}, {b}, {c})"

    def declare_product(self, variable, node):
        """Keep the factors of a variable's value where it may be fused later."""
        if variable not in self.fusible or not self.is_product(node):
            return None
        a, b = map(self.temp_of, self.factors(node))
        self.products[variable] = a, b
        return f"mul({a}, {b})"

    def rank(self, node, clock):
        """When a value is known: loads count up, others follow their operands."""
        if isinstance(node, T.Literal):
            return 0
        if isinstance(node, T.Load) and isinstance(node.operand, T.VariableRef):
            variable = node.operand.variable
            if variable in self.ranks or variable.storage == "builtin":
                return self.ranks.get(variable, 0)
        inner = [self.rank(part, clock) for part in parts(node)]
        if isinstance(node, T.Load):
            clock[0] += 1
            return clock[0]
        return max(inner, default=0) + 1

    def note_rank(self, variable, node):
        """A variable gets its value from `node`."""
        if self.module.program.fmad and node is not None:
            self.ranks[variable] = self.rank(node, [self.clock])


def fusible(nodes):
    """The variables set once whose only uses are additions, or one subtraction."""
    loads, added, taken, written = {}, {}, {}, set()
    for node in nodes:
        if isinstance(node, T.Load) and isinstance(node.operand, T.VariableRef):
            count(loads, node)
        elif isinstance(node, T.Binary | T.CompoundAssign) and node.op in "+-":
            sides = (node.left, node.right) if isinstance(node, T.Binary) else (
                node.value,)  # fmt: skip
            for side in sides:
                count(added if node.op == "+" else taken, side)
        if isinstance(node, T.Assign | T.CompoundAssign | T.Increment):
            written.add(getattr(node.target, "variable", None))
    return {
        variable
        for variable, number in loads.items()
        if variable not in written and not variable.address_taken
        and (added.get(variable) == number or (number, taken.get(variable)) == (1, 1))
    }  # fmt: skip


def count(table, node):
    """One more use of the variable that `node` reads."""
    if isinstance(node, T.Load) and isinstance(node.operand, T.VariableRef):
        variable = node.operand.variable
        table[variable] = table.get(variable, 0) + 1


PARTS = {}


def parts(node):
    """The expressions directly inside an expression."""
    kind = type(node)
    if kind not in PARTS:
        names = ("operand", "base", "index", "pointer", "left", "right", "condition",
                 "yes", "no", "items", "arguments")  # fmt: skip
        PARTS[kind] = [n for n in names if n in kind.__slots__]
    found = [getattr(node, name) for name in PARTS[kind]]
    out = []
    for part in found:
        out += [p for p in part if p is not None] if isinstance(part, list) else [part]
    return out
