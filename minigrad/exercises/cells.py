"""The cells of a lab: reading them, and telling what they are by their text.

Colab, VS Code and copying lose metadata, so the text must do: an answer cell says
`solves(...)` at the start of a line, a set-up cell begins with `# Set-up`.
"""

import ast
import functools
import io
import json
import re
import symtable
import tokenize
from pathlib import Path
from typing import NamedTuple

MAGIC = re.compile(r"[%!?]|[\w.]+\?|[\w, ]+=\s*[%!]")
FOR_IPYTHON = re.compile(r"^[ \t]*[%!?].*", re.M)
MARK = re.compile(r"^[ \t]*(?:#|//): \w+\n|[ \t]*(?:#|//): \w+$", re.M)
SOLVES = (
    r"^[ \t]*(?:\w+[ \t]*=[ \t]*)?(?:@[ \t]*)?(?:\w+[ \t]*\.[ \t]*)*(?:{})"
    r"\s*\(\s*(?:\w+\s*\.\s*)*(\w+)\s*(?:,\s*)?\)"
)
SKIPPED = tokenize.COMMENT, tokenize.NL, tokenize.INDENT, tokenize.DEDENT

# What Python says of a text that is none, or is nested too deep to be read.
UNREADABLE = SyntaxError, ValueError, RecursionError, MemoryError
SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
LOOPS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


class NotANotebook(ValueError):
    """A file that should be a notebook cannot be read as one."""


class Cell(NamedTuple):
    id: str
    text: str

    @property
    def title(self):
        """What a learner would call it; Jupyter does not show ids."""
        name = answered_in(self.text)
        if name:
            return f"the cell that answers {name}"
        return "the set-up cell" if is_setup(self.text) else f"cell {self.id}"


def is_setup(text):
    return text.lstrip().startswith("# Set-up")


def is_answer(text):
    return answered_in(text) is not None


def answered_in(text):
    """The exercise that a cell answers, by name: @solves(Tensor.permute) -> permute."""
    exercises = answers_in(text)
    return exercises[0] if exercises else None


def answers_in(text, solves=("solves",)):
    """Names of the exercises that a cell answers. solves: what `solves` is called."""
    if not any(name in text for name in solves):
        return []
    return [*_answers_in(text, tuple(solves))]


@functools.lru_cache(256)
def _answers_in(text, solves):
    pattern = re.compile(SOLVES.format("|".join(map(re.escape, solves))), re.M)
    lines, whole = _logical_lines(FOR_IPYTHON.sub("", text))
    return pattern.findall("\n".join(lines)) or ([] if whole else pattern.findall(text))


def _logical_lines(text):
    """(the tokens of each logical line, with spaces between; is it all of them?)."""
    lines = [[]]
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.NEWLINE:
                lines.append([])
            elif token.type not in SKIPPED:
                lines[-1] += token.string.split()
    except (tokenize.TokenError, SyntaxError):
        return [" ".join(line) for line in lines], False
    return [" ".join(line) for line in lines], True


def cells_of(path):
    """The set-up and answer cells of a notebook, or of a solution's py:percent text."""
    return [c for c in all_cells(path) if is_setup(c.text) or is_answer(c.text)]


def all_cells(path):
    """Every code cell of a notebook, or of a solution's py:percent text."""
    path = Path(path)
    if path.suffix == ".ipynb":
        return _notebook_cells(path)
    return percent_cells(source_of(path))


def source_of(path):
    """A lesson's or solution's py:percent text, without `#: guard` and `//: guard`.

    Such a mark ends a line of a solution, or stands above it, and names it for those
    who write wrong answers (grading/marks.py).
    """
    return MARK.sub("", Path(path).read_text(encoding="utf-8"))


def _notebook_cells(path):
    try:
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        return [
            Cell(str(c.get("id", position)), "".join(c["source"]))
            for position, c in enumerate(cells)
            if c["cell_type"] == "code"
        ]
    except (ValueError, KeyError, TypeError, AttributeError):
        raise NotANotebook(
            f"{path.name} is not a notebook, or a damaged one: open it in JupyterLab "
            f"to see why. It was not touched."
        ) from None


def percent_cells(text):
    """The code cells of a py:percent text."""
    parts = re.split(r"^# %%(.*)\n", text, flags=re.M)[1:]
    cells = []
    for header, body in zip(parts[::2], parts[1::2], strict=True):
        if "[markdown]" not in header:
            named = re.search(r'exercise="([^"]+)"', header)
            name = named[1] if named else f"cell-{len(cells)}"
            cells.append(Cell(name, body.strip("\n")))
    return cells


@functools.lru_cache(1000)
def python(text):
    """The cell with `pass` in place of the lines that only IPython understands."""
    lines = text.split("\n")
    if not any(MAGIC.match(line.lstrip()) for line in lines):
        return text
    while True:
        try:
            ast.parse("\n".join(lines))
            return "\n".join(lines)
        except SyntaxError as error:
            at = min(error.lineno or 1, len(lines)) - 1
            if not MAGIC.match(lines[at].lstrip()):
                raise
            indent = len(lines[at]) - len(lines[at].lstrip())
            lines[at] = lines[at][:indent] + "pass"


@functools.lru_cache(1000)
def statements(cell):
    """The statements of a cell, as ast nodes; none where it is not Python."""
    try:
        return ast.parse(python(cell.text)).body
    except UNREADABLE:
        return []


@functools.lru_cache(20_000)  # an export looks at 5,000
def bound_by(node):
    """The names that a statement at top level binds, or changes by `name[...] =`."""
    if isinstance(node, ast.Import | ast.ImportFrom):
        return frozenset(a.asname or a.name.split(".")[0] for a in node.names)
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return frozenset([node.name])
    top = symtable.symtable(ast.unparse(node), "<cell>", "exec")
    names = {s.get_name() for s in top.get_symbols() if s.is_assigned()}
    names -= _loop_names(node)
    for part in ast.walk(node):
        if isinstance(part, ast.Subscript) and isinstance(part.ctx, ast.Store):
            names |= {part.value.id} if isinstance(part.value, ast.Name) else set()
    return frozenset(names)


def definition(name, cells):
    """The last statement that binds `name`, and its cell; else (None, None)."""
    for cell in reversed(cells):
        if name not in cell.text and cell.text.isascii():  # é can be written two ways
            continue
        for node in reversed(statements(cell)):
            if name in bound_by(node):
                return node, cell
    return None, None


def is_definition(node):
    """An import, a function, a class or a plain constant: it stands for itself."""
    if isinstance(node, ast.Assign):
        try:
            ast.literal_eval(node.value)
        except (ValueError, TypeError, SyntaxError, MemoryError):
            return False
        return True
    kinds = ast.Import | ast.ImportFrom | ast.FunctionDef | ast.ClassDef
    return isinstance(node, kinds)


def names_used(text):
    """The names that Python text looks up outside of its own functions."""
    names = set(_global_names(symtable.symtable(text, "<cell>", "exec"), True))
    return names - _loop_names(ast.parse(text))


def _loop_names(tree):
    """The `i` of `[... for i in ...]`: Python 3.12 lists it with the names outside."""
    outer = {n.id for n in _own(tree, SCOPES + LOOPS) if isinstance(n, ast.Name)}
    loops = [n.target for n in _own(tree, SCOPES) if isinstance(n, ast.comprehension)]
    names = {n.id for x in loops for n in ast.walk(x) if isinstance(n, ast.Name)}
    return names - outer


def _own(tree, closed):
    """The nodes of a tree, without the insides of the `closed` kinds."""
    queue = [tree]
    while queue:
        node = queue.pop()
        yield node
        if not isinstance(node, closed):
            queue += ast.iter_child_nodes(node)


def _global_names(table, at_top):
    for symbol in table.get_symbols():
        if symbol.is_referenced() and (at_top or symbol.is_global()):
            yield symbol.get_name()
    for inner in table.get_children():
        yield from _global_names(inner, False)
