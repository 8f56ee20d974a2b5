"""Fused multiply-add: the products that NVRTC joins with a sum, under --fmad=true.

Found by reading NVRTC's PTX and by running on a GPU: a product is joined with the + or
- that takes it, even through a variable if that is its only use. Of two products that
are added, the one whose factors are known first is fused, as LLVM orders operands; of
two that are subtracted, the left one.
"""

from ..front import ctype as C, tree as T
from .function_code import value_of
from .traits import parts
from .value_code import values_of


def is_fused(code, op, type, left, right):
    """Would the compiler contract this + or - with a product?"""
    if not code.module.program.fmad or op not in "+-":
        return False
    if type.plain not in (C.FLOAT, C.DOUBLE):
        return False
    return is_product(code, left) or is_product(code, right)


def is_product(code, node):
    """A multiplication, perhaps under a minus, perhaps kept in a variable?"""
    if isinstance(node, T.Unary) and node.op == "-":
        node = node.operand
    if isinstance(node, T.Load) and isinstance(node.operand, T.VariableRef):
        return node.operand.variable in code.products
    return isinstance(node, T.Binary) and node.op == "*"


def factors(code, node):
    """The codes of a product's two factors."""
    if isinstance(node, T.Unary):
        a, b = factors(code, node.operand)
        return f"(-{a})", b
    if isinstance(node, T.Load):
        return code.products[node.operand.variable]
    return values_of(code, [node.left, node.right])


def fused_sum(code, op, left, right):
    """a * b + c in one rounding."""
    first = is_product(code, left)
    if first and is_product(code, right) and op == "+":
        clock = [code.clock]
        first = known_at(code, left, clock) <= known_at(code, right, clock)
    sign = "-" if op == "-" else ""
    if first:
        a, b = map(code.temp, factors(code, left))
        return f"fma({a}, {b}, {sign}{value_of(code, right)})"
    c = code.temp(value_of(code, left))
    a, b = factors(code, right)
    return f"fma({sign}{a}, {b}, {c})"


def declare_product(code, variable, node):
    """Keep the factors of a variable's value where it may be fused later."""
    if variable not in code.fusible or not is_product(code, node):
        return None
    a, b = map(code.temp_of, factors(code, node))
    code.products[variable] = a, b
    return f"mul({a}, {b})"


def known_at(code, node, clock):
    """When a value is known: loads count up, others follow their operands."""
    if isinstance(node, T.Literal):
        return 0
    if isinstance(node, T.Load) and isinstance(node.operand, T.VariableRef):
        variable = node.operand.variable
        if variable in code.ranks or variable.storage == "builtin":
            return code.ranks.get(variable, 0)
    inner = [known_at(code, part, clock) for part in parts(node)]
    if isinstance(node, T.Load):
        clock[0] += 1
        return clock[0]
    return max(inner, default=0) + 1


def note_rank(code, variable, node):
    """A variable gets its value from `node`."""
    if code.module.program.fmad and node is not None:
        code.ranks[variable] = known_at(code, node, [code.clock])
