"""Which function checks a node of the parser's tree: one table, by the node's class.

Each module says with `@checks(ast.If)` what its functions are for.
"""

import functools

from ..handlers import handles

TABLE = {}
checks = functools.partial(handles, TABLE)


def check(scope, node):
    """The typed tree of an expression.

    Of a statement: (its typed tree, or a list, or None; is its end reached).
    """
    return TABLE[type(node)](scope, node)


def type_of(scope, node, auto=None):
    """The C type of a type in the tree. auto: what `auto` stands for."""
    return TABLE[type(node)](scope, node, auto)
