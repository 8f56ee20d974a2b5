"""Answers of leaf_rules by other algorithms."""

from minigrad.autograd.tensor_methods import leaf_rules
from tools.audit.specimens import answer


@answer(leaf_rules, right="by a table")
def _(asked, node):
    table = {(0, 0): (0, 1, 0), (0, 1): (1, 0, 0), (1, 0): (1, 1, 1), (1, 1): (1, 0, 0)}
    return tuple(map(bool, table[bool(asked), node is not None]))


@answer(leaf_rules, right="bit by bit")
def _(asked, node):
    made = not isinstance(node, type(None))
    return asked | made, not made, asked & (not made)
