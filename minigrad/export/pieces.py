"""Pieces of Python text: cut out of a cell, edited in place, comments and all."""

import ast
import io
import re
import symtable
import tokenize

MARK = re.compile(r"^[ \t]*(###? (BEGIN|END) SOLUTION|# YOUR CODE HERE)[ \t]*\n?", re.M)


def cut(text, node):
    """The lines of a top-level statement, with the comments that belong to it."""
    lines = text.splitlines()
    first, last = first_line(node) - 1, node.end_lineno
    while first and _is_comment(lines[first - 1]):
        first -= 1
    end = last
    while end < len(lines) and re.match(r"\s*$|\s+#", lines[end]):
        end += 1
        last = end if lines[end - 1].strip() else last  # an indented comment at the end
    return "\n".join(lines[first:last]) + "\n"


def first_line(node):
    """The line on which a statement begins, its decorators included."""
    return min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", []))])


def _is_comment(line):
    heading = line.startswith(("# Set-up", "# %%")) or MARK.match(line)
    return line.startswith("#") and not heading


def without_marks(text):
    """The text without the lines that tell the build where a solution stands."""
    return MARK.sub("", text)


def chains(node):
    """Every `a.b.c` in a tree, as the nodes of a, a.b and a.b.c."""
    chain, inner = [node], node
    while isinstance(inner, ast.Attribute):
        inner = inner.value
        chain.insert(0, inner)
    if isinstance(inner, ast.Name):
        yield chain
        return
    for child in ast.iter_child_nodes(node):
        yield from chains(child)


def annotations(tree):
    """The annotations of a function's parameters and result, and of inner functions."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.returns:
            yield node.returns
        if isinstance(node, ast.arg) and node.annotation:
            yield node.annotation


def local_names(text):
    """The names that belong to functions in a text: parameters, what they assign."""
    top = symtable.symtable(text, "<piece>", "exec")
    tables, names = list(top.get_children()), _loop_names(text)
    while tables:
        table = tables.pop()
        tables += table.get_children()
        names |= {s.get_name() for s in table.get_symbols() if not s.is_global()}
    return names


def _loop_names(text):
    """The `i` of `[... for i in ...]`: Python 3.12 does not list it everywhere."""
    nodes = ast.walk(ast.parse(text))
    loops = [n.target for n in nodes if isinstance(n, ast.comprehension)]
    return {n.id for loop in loops for n in ast.walk(loop) if isinstance(n, ast.Name)}


def edited(text, edits):
    """The text with each (start, end, new) done; places are (line, utf-8 column)."""
    raw = text.encode()
    starts = [0]
    for line in raw.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    for (line1, col1), (line2, col2), new in sorted(set(edits), reverse=True):
        start, end = starts[line1 - 1] + col1, starts[line2 - 1] + col2
        raw = raw[:start] + new.encode() + raw[end:]
    return raw.decode()


def source_at(text, node):
    """What really stands where a node is said to be (f-strings of Python 3.11 lie)."""
    try:
        return ast.get_source_segment(text, node)
    except (IndexError, UnicodeDecodeError):
        return None


def start(node):
    return node.lineno, node.col_offset


def end(node):
    return node.end_lineno, node.end_col_offset


def function_in(text):
    """The one function of a piece."""
    return next(n for n in ast.parse(text).body if isinstance(n, ast.FunctionDef))


def without_decorator(text, is_unwanted):
    """The function without the decorator that `is_unwanted`, and those above it."""
    node = function_in(text)
    unwanted = [d for d in node.decorator_list if is_unwanted(d)]
    if not unwanted:
        return text
    first, last = first_line(node) - 1, unwanted[-1].end_lineno
    lines = text.splitlines(keepends=True)
    return "".join(lines[:first] + lines[last:])


def renamed(text, name):
    """The function, or class, under another name."""
    node = next(n for n in ast.parse(text).body if hasattr(n, "decorator_list"))
    line = text.splitlines()[node.lineno - 1]
    head = re.search(r"(?:def|class)\s+(\w+)", line)
    at = len(line[: head.start(1)].encode())
    place = (node.lineno, at), (node.lineno, at + len(head[1].encode()))
    return edited(text, [(*place, name)])


def with_opening(text, docstring, imports):
    """The function with a docstring, if it has none, and imports as its first lines."""
    node = function_in(text)
    own = ast.get_docstring(node, clean=False) is not None
    opening = ([] if own or not docstring else [docstring]) + imports
    lines = text.splitlines(keepends=True)
    line, col = end(node.body[0]) if own else _colon(text)
    rest = lines[line - 1].encode()[col:].decode().split("#")[0].strip(" \t\n;")
    indent = "    "
    if node.body[-1].lineno > line:
        indent = re.match(r"[ \t]*", lines[node.body[-1].lineno - 1])[0]
    new = "".join(f"{indent}{part}\n" for part in opening)
    if not new:
        return text
    if rest:  # def f(x): return x
        after = lines[line - 1].encode()[col:]
        behind = col + len(after) - len(after.lstrip())
        return edited(text, [((line, col), (line, behind), f"\n{new}{indent}")])
    return "".join(lines[:line]) + new + "".join(lines[line:])


def _colon(text):
    """Where the head of the function ends: (line, column) after its colon."""
    depth, seen = 0, False
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        seen = seen or token.string == "def"
        if token.type == tokenize.OP:
            depth += (token.string in "([{") - (token.string in ")]}")
        if seen and depth == 0 and token.string == ":":
            line, col = token.end
            return line, len(text.splitlines()[line - 1][:col].encode())


def indented(text, by):
    """The text moved to the right, except for the insides of long strings."""
    inside = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Constant | ast.JoinedStr):
            inside |= set(range(node.lineno + 1, node.end_lineno + 1))
    lines = text.splitlines(keepends=True)
    return "".join(
        by + line if line.strip() and number not in inside else line
        for number, line in enumerate(lines, 1)
    )


def docstring_of(text, node):
    """The docstring as it stands in the text, moved to the left edge; or None."""
    if ast.get_docstring(node) is None:
        return None
    source = ast.get_source_segment(text, node.body[0])
    head, *rest = source.split("\n")
    shift = " " * node.col_offset
    return "\n".join([head, *(line.removeprefix(shift) for line in rest)])
