"""The semantic checker: from the parser's tree to the typed tree.

Functions over a `Scope` (scope.py); `check(scope, node)` (node_checks.py) finds the one
for a node. So imports go one way, although C++ does not: what a function needs of a
module above its own, it gets by the class of a node.
"""

# Each of these puts the functions for its nodes into the table.
from . import (  # noqa: F401
    check_calls,
    check_expressions,
    check_lambdas,
    check_operators,
    check_statements,
    check_structs,
    check_types,
    check_variables,
    function_bodies,
    parameter_packs,
)
from .check_file import check_file, finish_file
from .scope import Scope
from .template_arguments import template_argument
from .templates import instantiate

__all__ = ["Scope", "check_file", "finish_file", "instantiate", "template_argument"]
