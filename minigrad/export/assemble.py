"""The text of the completed package: every exercise answered, the machinery gone."""

import ast
import builtins
import functools
import re
from pathlib import Path

from .. import _AT_FIRST_USE as AT_FIRST_USE
from .. import course
from ..exercises.cells import Cell, NotANotebook, all_cells, bound_by, names_used
from ..exercises.registry import KernelExercise, exercises
from ..exercises.signature import kernel_pattern, without_comments
from . import pieces
from .merge import Answer, CannotMerge, Merger
from .modules import Module, Package

# What the course needs, and the package does not.
MACHINERY = {"__main__", "cli", "course", "exercises", "export"}
HERE = Path(__file__).parent.parent


def assembled():
    """{path in the package: text}. Every exercise must have an answer."""
    exported = [entry.exercise for entry in exercises()]
    exported = [e for e in exported if not MACHINERY & set(e.__module__.split("."))]
    for exercise in exported:
        if exercise.answer is None:
            raise CannotMerge(
                f"{exercise.name} has no answer, and no solution stands in"
            )
    used = {"minigrad", "minigrad.viz", "minigrad.models", "minigrad.testing.compare"}
    used |= {f"minigrad.{module}" for module in AT_FIRST_USE.values()}
    package = all_modules(used | {exercise.__module__ for exercise in exported})
    kernels = {p: p.read_text(encoding="utf-8") for p in sorted(HERE.rglob("*.cu*"))}
    for exercise in exported:
        if isinstance(exercise, KernelExercise):
            fill_kernel(exercise, package[exercise.__module__], kernels)
        else:
            fill(exercise, package[exercise.__module__])
    texts = {module.path: module.result() for module in package.values()}
    for module in package.values():
        if texts[module.path] != module.text:
            check_names(module.path, texts[module.path])
    return {path.relative_to(HERE): text for path, text in (texts | kernels).items()}


def all_modules(names):
    """The modules of these names, and all that they import."""
    package, queue = Package(), sorted(names)
    while queue:
        name = queue.pop()
        path = path_of(name)
        if path and name not in package and not MACHINERY & set(name.split(".")):
            text = path.read_text(encoding="utf-8")
            package[name] = Module(name, text, path, package)
            queue += package[name].imported()
    return package


@functools.cache
def path_of(name):
    """The file of a module of minigrad, or None."""
    base = HERE.joinpath(*name.split(".")[1:])
    candidates = [base / "__init__.py", base.with_suffix(".py")]
    inside = name.split(".")[0] == "minigrad"
    return next((p for p in candidates if inside and p.is_file()), None)


def fill(exercise, module):
    """Put the answer in the exercise's place, and its helpers before it."""
    merger = Merger(answer_of(exercise), module)
    node, holder = module.find(exercise.__qualname__)
    text = merger.function(pieces.docstring_of(module.text, node))
    others = [
        f"@{ast.unparse(d)}\n" for d in node.decorator_list if not _is_exercise(d)
    ]
    text = re.sub(r"\A((?:#.*\n)*)", lambda m: m[0] + "".join(others), text)
    text = comment_on(exercise) + text
    first, last = pieces.first_line(node), node.end_lineno + 1
    text = pieces.indented(text, " " * node.col_offset)
    module.edits.append(((first, 0), (last, 0), text))
    place = pieces.first_line(holder), 0
    helpers = "\n\n".join(merger.helpers) + "\n\n" if merger.helpers else ""
    module.edits.append((place, place, helpers))


def fill_kernel(exercise, module, kernels):
    """Put the kernel's text where its declaration is: in a `.cu` file or a module."""
    calls = (_declaring(node, exercise.name) for node in ast.walk(module.tree))
    node = next(filter(None, calls))
    given = {keyword.arg: keyword.value for keyword in node.keywords}
    declaration = node.args[0] if node.args else given["declaration"]
    new = ast.get_source_segment(module.text, declaration)
    if isinstance(declaration, ast.Constant):
        new = f'r"""{kernel_text(exercise)}\n"""'
    module.edits.append((pieces.start(node), pieces.end(node), new))
    for path, text in kernels.items():
        declared = re.compile(kernel_pattern(exercise.name) + r"\s*;")
        match = exercise.name in text and declared.search(without_comments(text))
        if match:
            answer = kernel_text(exercise)
            kernels[path] = text[: match.start()] + answer + text[match.end() :]


def kernel_text(exercise):
    """The CUDA C of an answer, without the marks of the course's own solutions."""
    text = re.sub(
        r"^ *// (BEGIN|END) SOLUTION *\n", "", exercise.answer.value, flags=re.M
    )
    return comment_on(exercise, "//") + text.strip()


def answer_of(exercise):
    """The exercise's answer, with all cells of the notebook that it comes from."""
    source = exercise.answer.source
    path = course.home() / (source.notebook or "")
    try:
        cells = all_cells(path) if path.is_file() else []
    except NotANotebook:  # changed since the answer was given
        cells = []
    own = Cell(source.cell or "", source.text)
    others = [cell for cell in cells if cell.id != own.id]
    return Answer(exercise, own, [*others, own], source.notebook or "a notebook")


def comment_on(exercise, mark="#"):
    if not exercise.answer.from_solutions:
        return ""
    return f"{mark} The course's solution of exercise {exercise.number}.\n"


def check_names(path, text):
    """Raise if a module uses a name that it lacks: a mistake of the course's."""
    bound = {name for node in ast.parse(text).body for name in bound_by(node)}
    unknown = names_used(text) - bound - set(dir(builtins)) - {"__file__", "__path__"}
    if unknown:
        raise CannotMerge(
            f"{path.name} would use {', '.join(unknown)}, which is missing"
        )


def _is_exercise(node):
    return isinstance(node, ast.Call) and ast.unparse(node.func).endswith("exercise")


def _declaring(node, name):
    """The call in `name = kernel_exercise(...)`, or `cpp_exercise`; else None."""
    if not isinstance(node, ast.Assign) or ast.unparse(node.targets[0]) != name:
        return None
    calls = "kernel_exercise", "cpp_exercise"
    called = _is_exercise(node.value) and ast.unparse(node.value.func).endswith(calls)
    return node.value if called else None
