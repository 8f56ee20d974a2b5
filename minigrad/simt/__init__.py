"""CUDA C for a computer without a GPU.

So far the front end: `compile` reads the text of kernels, checks it as NVRTC would, and
gives a typed tree. It does not run kernels.
"""

import dataclasses

from . import ast as _ast
from . import tree as _tree
from .calls import DeductionError as _DeductionError
from .errors import CompileError, Lint
from .lexer import lex as _lex
from .options import read as _read
from .parser import Parser as _Parser
from .preprocess import Preprocessor as _Preprocessor
from .sema import Checker as _Checker

__all__ = ["CompileError", "Lint", "Program", "compile"]


@dataclasses.dataclass(eq=False)
class Program:
    """A checked file.

    kernels: name -> Function, without templates. functions: all of them, instances of
    templates included. globals: __device__ and __constant__ variables. dynamic: name ->
    type of the extern __shared__ arrays. warnings: Lints.
    """

    kernels: dict
    functions: list
    globals: list
    dynamic: dict
    warnings: list
    _checker: object = None
    _lines: tuple = ()

    def kernel(self, expression):
        """The kernel of this name; of a template an instance, as `add<float>`."""
        if expression in self.kernels:
            return self.kernels[expression]
        return _guarded(
            lambda: _instance(self, expression), "name expression", [expression]
        )


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
    macros, arch = _read(options)
    preprocessor = _Preprocessor(macros, name)
    tokens = preprocessor.run(_lex(source))
    nodes = _Parser(tokens, preprocessor.includes).file()
    checker = _Checker(name, preprocessor.includes, arch)
    checker.check_file(nodes)
    warnings = [
        dataclasses.replace(lint, file=name, source_line=lines[lint.line - 1])
        for lint in preprocessor.warnings + checker.warnings
    ]
    kernels = {
        f.name: f
        for f in checker.functions
        if f.kernel and f.body is not None and not f.template_arguments
    }
    return Program(
        kernels, checker.functions, checker.globals, checker.dynamic,
        sorted(warnings, key=lambda w: (w.line, w.column)), checker, tuple(lines),
    )  # fmt: skip


def _instance(program, expression):
    """The kernel that `add<float, 4>` names."""
    checker = program._checker
    tokens = _Preprocessor().run(_lex(expression))
    parser = _Parser(tokens, checker.includes)
    template = checker.templates.get(tokens[0].text)
    if template is None:
        known = ", ".join([*program.kernels, *checker.templates]) or "none"
        message = f"there is no kernel '{expression}'"
        raise CompileError(message, (1, 1), f"the file has {known}")
    for known, thing in checker.scopes[1].items():
        is_type = not isinstance(thing, (_tree.Variable, _tree.EnumValue))
        parser.declare(known, "type" if is_type else "value")
    parser.declare(template.name, "template")
    parsed = parser.primary()
    if parser.token.kind != "end" or not isinstance(parsed, _ast.Name):
        raise CompileError(f"'{expression}' names no kernel", (1, 1))
    bound = {}
    for parameter, value in zip(template.node.template, parsed.arguments or []):  # noqa: B905
        bound[parameter.name] = checker.template_value(parameter, value)
    made = checker.instantiate(template, bound, (1, 1))
    checker.finish()
    return made


def _guarded(run, name, lines):
    """Run a stage; errors get the file's name, and deep nesting is an error too."""
    try:
        return run()
    except CompileError as error:
        raise error.located(name, lines) from None
    except _DeductionError as error:
        raise CompileError(str(error)).located(name, lines) from None
    except RecursionError:
        message = "this is nested too deeply: split it into smaller parts"
        raise CompileError(message).located(name, lines) from None
