"""From CUDA C text to a checked tree: what NVRTC rejects is rejected here."""

import dataclasses

from . import ast as _ast, parse as _parse, sema as _sema, tree as _tree
from .errors import CompileError, DeductionError as _DeductionError, Lint, caret
from .headers import usual
from .lexer import lex as _lex
from .options import Options as _Options, read as _read
from .preprocess import Preprocessor as _Preprocessor

# What is there without an #include -> the words that bring it.
_IMPLIED = {
    "ptx": ("asm", "__asm__"),
    "textures": ("cudaTextureObject_t", "cudaSurfaceObject_t"),
    "memory": ("memcpy", "memset", "__builtin_assume_aligned"),
    "groups": (
        "this_grid", "grid_group", "coalesced_threads", "coalesced_group",
        "labeled_partition", "binary_partition",
    ),
}  # fmt: skip
__all__ = ["CompileError", "Lint", "Program", "caret", "compile"]


@dataclasses.dataclass(eq=False)
class Program:
    """A checked file.

    kernels: name -> Function, without templates. functions: all of them, instances of
    templates included. globals: __device__ and __constant__ variables. dynamic: name ->
    type of the extern __shared__ arrays. options: what the options said; fmad and arch
    are its two that matter most. brought: the places at which the text of headers
    stands.
    """

    kernels: dict
    functions: list
    globals: list
    dynamic: dict
    options: _Options = dataclasses.field(default_factory=_Options)
    brought: frozenset = frozenset()
    _scope: object = None
    _preprocessor: object = None
    _file: str = "kernel.cu"
    _lines: tuple = ()

    @property
    def fmad(self):
        """May a * b + c be fused into one operation?"""
        return self.options.fmad

    @property
    def arch(self):
        """The compute capability as one number: 75 for sm_75."""
        return self.options.arch

    @property
    def warnings(self):
        """Lints, by line: also those of the instances of templates made so far."""
        lints = [
            dataclasses.replace(
                lint, file=self._file, source_line=self._lines[lint.line - 1]
            )
            for lint in self._preprocessor.warnings + self._scope.warnings
            if (lint.line, lint.column) not in self.brought
        ]
        return sorted(lints, key=lambda lint: (lint.line, lint.column))

    @property
    def templates(self):
        """The names of the kernel templates."""
        every = self._scope.templates.items()
        return [n for n, t in every if "__global__" in t.node.specifiers]

    def kernel(self, expression):
        """The kernel of this name; of a template an instance, as `add<float>`."""
        if expression in self.kernels:
            return self.kernels[expression]
        template, bound = _guarded(
            lambda: _named(self, expression), "name expression", [expression]
        )
        return _guarded(
            lambda: _instance(self, template, bound), self._file, self._lines
        )

    def full_name(self, name):
        """`name`, or name<> where it is a template with a default for everything."""
        template = self._scope.templates.get(name)
        if name in self.kernels or template is None:
            return name
        whole = all(p.default is not None for p in template.node.template)
        return f"{name}<>" if whole else name


def compile(source, name="kernel.cu", options=()):
    """The Program of a CUDA C text.

    name: the file's name in messages. options: as NVRTC takes them (-DN=4, ...).
    Raises CompileError for what NVRTC rejects, and for what is outside the subset.
    """
    if not isinstance(source, str):
        raise TypeError(f"the source is a text, not {type(source).__name__}")
    lines = source.replace("\r\n", "\n").split("\n")
    return _guarded(lambda: _compiled(source, name, options, lines), name, lines)


def _compiled(source, name, options, lines):
    options = _read(options)
    macros = {**usual(source), **dict(options.macros)}
    preprocessor = _Preprocessor(macros, name)
    first = [t for h in options.includes for t in preprocessor.include(h, (1, 1))]
    tokens = first + preprocessor.run(_lex(source))
    for header, words in _IMPLIED.items():
        user = next((t for t in tokens if t.kind == "id" and t.text in words), None)
        if user:
            tokens = preprocessor.header(header, user.place) + tokens
    cursor = _parse.Cursor(tokens, preprocessor.includes)
    nodes = _parse.parse_file(cursor)
    scope = _sema.Scope(name, preprocessor.includes, options.arch, cursor.outer)
    _sema.check_file(scope, nodes)
    kernels = {
        f.name: f
        for f in scope.functions
        if f.kernel and f.body is not None and not f.template_arguments
    }
    return Program(
        kernels, scope.functions, scope.globals, scope.dynamic, options,
        frozenset(preprocessor.brought), scope, preprocessor, name, tuple(lines),
    )  # fmt: skip


def _named(program, expression):
    """(the template, its arguments by name) that `add<float, 4>` says."""
    scope = program._scope
    tokens = program._preprocessor.run(_lex(expression))
    cursor = _parse.Cursor(tokens, scope.includes)
    template = scope.templates.get(tokens[0].text)
    if template is None:
        kernels = ", ".join([*program.kernels, *scope.templates]) or "none"
        message = f"there is no kernel '{expression}'"
        raise CompileError(message, (1, 1), f"the file has {kernels}")
    for declared, thing in scope.names[1].items():
        is_type = not isinstance(thing, (_tree.Variable, _tree.EnumValue))
        cursor.declare(declared, "type" if is_type else "value")
    cursor.declare(template.name, "template")
    parsed = _parse.parse_primary(cursor)
    if cursor.token.kind != "end" or not isinstance(parsed, _ast.Name):
        raise CompileError(f"'{expression}' names no kernel", (1, 1))
    if len(parsed.arguments or []) > len(template.node.template):
        message = f"'{template.name}' has fewer template parameters"
        raise CompileError(message, (1, 1))
    bound = {}
    for parameter, value in zip(template.node.template, parsed.arguments or []):  # noqa: B905
        bound[parameter.name] = _sema.template_argument(scope, parameter, value)
    return template, bound


def _instance(program, template, bound):
    """The kernel that a template makes of these arguments."""
    scope = program._scope
    instance = _sema.instantiate(scope, template, bound, template.node.place)
    _sema.finish_file(scope)
    return instance


def _guarded(run, name, lines):
    """Run a stage; errors get the file's name, and deep nesting is an error too."""
    try:
        return run()
    except CompileError as error:
        raise error.located(name, lines) from None
    except _DeductionError as error:
        raise CompileError(str(error), (1, 1)).located(name, lines) from None
    except RecursionError:
        message = "this is nested too deeply: split it into smaller parts"
        raise CompileError(message).located(name, lines) from None
