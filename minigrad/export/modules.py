"""The modules of the exported package, and what each of their names stands for."""

import ast
import functools
import re
import sys
from typing import NamedTuple

from ..exercises.cells import bound_by
from . import pieces

# An export reads each module several times, and another export reads the same again.
parsed = functools.lru_cache(1000)(ast.parse)


class Origin(NamedTuple):
    """What a name stands for: a module, or (`name`, perhaps dotted) a thing in it."""

    module: str
    name: str | None = None

    @property
    def in_course(self):
        return self.module.split(".")[0] == "minigrad"

    @property
    def is_common(self):
        """Is it there wherever the exported package is?"""
        top = self.module.split(".")[0]
        return top == "numpy" or top in sys.stdlib_module_names


@functools.lru_cache(1000)
def import_froms(tree):
    return [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]


def imported(node, name, package=""):
    """The Origin of a name that an import statement binds."""
    alias = next(a for a in node.names if name == (a.asname or a.name.split(".")[0]))
    if isinstance(node, ast.Import):
        return Origin(alias.name if alias.asname else name)
    parts = package.split(".")
    parent = parts[: len(parts) + 1 - node.level] if node.level else []
    return Origin(".".join([*parent, *filter(None, [node.module])]), alias.name)


class Package(dict):
    """{name: Module}"""

    def settle(self, origin):
        """Where a thing is really defined, past every re-export."""
        if origin.module not in self or origin.name is None:
            return origin
        head, _, rest = origin.name.partition(".")
        source = self[origin.module].names.get(head)
        if source is None and f"{origin.module}.{head}" in self:
            source = Origin(f"{origin.module}.{head}")
        if source in (None, (origin.module, head)):
            return origin
        name = ".".join(filter(None, [source.name, rest])) or None
        return self.settle(Origin(source.module, name))

    def has(self, origin):
        """Is this in the package?"""
        if origin.module not in self or origin.name is None:
            return origin.module in self
        return origin.name.split(".")[0] in self[origin.module].names

    def imports(self, module, other):
        """Does importing `module` import `other`?"""
        seen, queue = set(), [module]
        while queue:
            name = queue.pop()
            seen.add(name)
            modules = {self.settle(o).module for o in self[name].names.values()}
            queue += (modules & set(self)) - seen
        return other in seen - {module}


class Module:
    """A module whose exercises are being filled."""

    def __init__(self, name, text, path, package):
        self.name, self.text, self.path, self.package = name, text, path, package
        self.tree = parsed(text)
        self.edits = []
        self.new_imports = []
        self.brought = {}  # (name in a notebook, its text) -> name here, of helpers
        self.folder = name if path.stem == "__init__" else name.rpartition(".")[0]
        self.names = {  # at top level: name -> Origin
            name: self.origin(node, name)
            for node in self.tree.body
            for name in bound_by(node)
        }

    def origin(self, node, name):
        if isinstance(node, ast.Import | ast.ImportFrom):
            return imported(node, name, self.folder)
        return Origin(self.name, name)

    def imported(self):
        """The names of all modules that this one may import, also inside functions."""
        imports = set()
        for node in import_froms(self.tree):
            for alias in node.names:
                origin = imported(node, alias.asname or alias.name, self.folder)
                imports |= {origin.module, f"{origin.module}.{origin.name}"}
        return sorted(name for name in imports if name.split(".")[0] == "minigrad")

    def refer(self, origin):
        """How this module refers to a thing of the package; None if it cannot yet."""
        known = {self.package.settle(o): name for name, o in self.names.items()}
        head, _, rest = (origin.name or "").partition(".")
        if Origin(origin.module, head) in known:
            return ".".join(filter(None, [known[origin.module, head], rest]))
        if Origin(origin.module) in known:
            return ".".join(filter(None, [known[origin.module, None], origin.name]))
        if (
            not head
            or head in self.names
            or self.package.imports(origin.module, self.name)
        ):
            return None
        self.names[head] = Origin(origin.module, head)
        self.new_imports.append(self.import_line(origin))
        return origin.name

    def import_line(self, origin, name=None):
        """The import of a module of the package, or of the first part of a thing."""
        module, what = origin.module, (origin.name or "").split(".")[0]
        if not what:
            module, _, what = module.rpartition(".")
        if not module:
            return f"import {what}" + (f" as {name}" if name != what else "")
        inner = ".".join(module.split(".")[1:])
        dots = "." * (self.folder.count(".") + 1)
        other = f" as {name}" if name not in (None, what) else ""
        return f"from {dots}{inner} import {what}{other}"

    def take_import(self, origin, name):
        """Import something that is not of the package; return lines for inside."""
        line = _foreign_import(origin, name)
        if self.names.get(name) == origin:
            return []
        if name in self.names or not origin.is_common:
            return [line]
        self.names[name] = origin
        self.new_imports.append(line)
        return []

    def find(self, qualname):
        """The `def` of an exercise, and the statement at top level that holds it."""
        *outer, name = qualname.split(".")
        holders = [
            n
            for n in self.tree.body
            if getattr(n, "name", None) == (outer or [name])[0]
        ]
        inside = holders[0].body if outer else holders
        return next(n for n in inside if getattr(n, "name", None) == name), holders[0]

    def result(self):
        """The text with everything in place, and no trace of the course's machinery."""
        self.edits += [e for node in self.tree.body for e in self.cleaned(node)]
        imports = [
            n for n in self.tree.body if isinstance(n, ast.Import | ast.ImportFrom)
        ]
        first = imports or self.tree.body[:1]
        line = first[-1].end_lineno + 1 if first else 1
        new = "".join(f"{line}\n" for line in self.new_imports)
        return pieces.edited(self.text, [*self.edits, ((line, 0), (line, 0), new)])

    def cleaned(self, node):
        if isinstance(node, ast.ImportFrom):
            kept = [a for a in node.names if self.stays(node, a)]
            if len(kept) < len(node.names):
                line = ast.unparse(ast.ImportFrom(node.module, kept, node.level))
                yield _lines(node, line + "\n" if kept else "")
        elif isinstance(node, ast.Assign) and is_list_of_all(node):
            names = [n for n in ast.literal_eval(node.value) if self.is_here(n)]
            yield _lines(node, f"__all__ = {names}\n")
        elif node is self.tree.body[0] and "@exercise" in ast.unparse(node):
            text = ast.get_source_segment(self.text, node)
            yield _lines(node, re.sub(r"\s*[^.\"]*@exercise[^.]*\.", "", text) + "\n")

    def stays(self, node, alias):
        origin = imported(node, alias.asname or alias.name, self.folder)
        return not origin.in_course or self.package.has(self.package.settle(origin))

    def is_here(self, name):
        origin = self.package.settle(Origin(self.name, name))
        return self.package.has(origin)


def is_list_of_all(node):
    """Is this __all__ = [...], name by name?"""
    names = ast.unparse(node.targets[0]) == "__all__"
    return names and isinstance(node.value, ast.List | ast.Tuple)


def _lines(node, new):
    return (node.lineno, 0), (node.end_lineno + 1, 0), new


def _foreign_import(origin, name):
    if origin.name is None:
        top = origin.module.split(".")[0]
        same = name == origin.module or name == top
        return f"import {origin.module}" + ("" if same else f" as {name}")
    return f"from {origin.module} import {origin.name}" + (
        "" if name == origin.name else f" as {name}"
    )
