"""The parser: from tokens to a tree, by recursive descent.

Functions over a `Cursor` (cursor.py), each named after what it reads: `parse_if`. What
begins a statement finds its function in a table.
"""

from . import parse_asm  # noqa: F401  asm statements are in the table from here on
from .cursor import Cursor
from .parse_expressions import parse_primary
from .parse_file import parse_file

__all__ = ["Cursor", "parse_file", "parse_primary"]
