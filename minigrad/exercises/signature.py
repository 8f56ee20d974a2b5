"""Does an answer fit its exercise? Parameters of Python functions, and of kernels."""

import ast
import inspect
import re
import textwrap
import tokenize

NO_DEFAULT = inspect.Parameter.empty
CATCH_ALL = inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD


def accepts(got, expected):
    """Can `got` be called in every way that `expected` can? Annotations have no say."""
    got, expected = _parameters(got), _parameters(expected)
    if got and expected and expected[0][0] == "self":
        got[0] = ("self", *got[0][1:])  # it may have any name
    more = got[len(expected) :]
    return got[: len(expected)] == expected and all(
        default is not NO_DEFAULT or kind in CATCH_ALL for _, kind, default in more
    )


def _parameters(signature):
    return [(p.name, p.kind, p.default) for p in signature.parameters.values()]


def plain(signature):
    """The signature as text, without annotations."""
    bare = [p.replace(annotation=p.empty) for p in signature.parameters.values()]
    return str(signature.replace(parameters=bare, return_annotation=signature.empty))


def is_stub(function):
    """Is this still the lab's empty function?

    Its body does nothing, or comes to `raise NotImplementedError` before any `return`.
    """
    used = getattr(getattr(inspect.unwrap(function), "__code__", None), "co_names", ())
    if used and "NotImplementedError" not in used:  # so its text need not be read
        return False
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    except (OSError, TypeError, SyntaxError, tokenize.TokenError):
        # no text, or the first line of a lambda
        return False
    if not isinstance(tree.body[0], ast.FunctionDef):
        return False
    return is_empty(tree.body[0].body)


def is_empty(body):
    """The same question, of the statements of a function."""
    for statement in body:
        if any(isinstance(node, ast.Return) for node in ast.walk(statement)):
            return False
        if isinstance(statement, ast.Raise) and statement.exc:
            raised = statement.exc
            raised = raised.func if isinstance(raised, ast.Call) else raised
            return ast.unparse(raised) == "NotImplementedError"
    return all(isinstance(s, ast.Pass) or _is_constant(s) for s in body)


def _is_constant(statement):
    """A docstring or `...` that stands alone."""
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


class NoKernel(ValueError):
    """CUDA C text in which there is no such kernel."""


def kernel_signature(text, name=None):
    """The name and the parameters ("const float* x") of a kernel in CUDA C text."""
    bare = without_comments(text)
    match = re.search(kernel_pattern(name), bare)
    if not match:
        raise NoKernel(f"no kernel `__global__ void {name or '...'}(...)` in the text")
    return match["name"], _parameters_of(match)


def function_signature(text, name, result):
    """The same of a C++ function that returns `result`: "at::Tensor"."""
    pattern = rf"{re.escape(result)}\s+(?P<name>{name or 'WORD'})".replace(
        "WORD", r"\w+"
    )
    match = re.search(pattern + r"\s*\((?P<parameters>[^)]*)\)", without_comments(text))
    if not match:
        raise NoKernel(f"no function `{result} {name}(...)` in the text")
    return match["name"], _parameters_of(match)


def _parameters_of(match):
    parameters = match["parameters"].split(",")
    return [_tidy(p) for p in parameters if p.strip() not in ("", "void")]


def kernel_pattern(name=None):
    """What a kernel's head looks like, up to the bracket that closes its parameters."""
    name = re.escape(name) if name else r"\w+"
    bounds = r"__launch_bounds__\s*\([^)]*\)"
    return (
        rf"""(extern\s+"C"\s+)?({bounds}\s*)?__global__\s+({bounds}\s*)?void\s+"""
        rf"({bounds}\s*)?(?P<name>{name})\s*\((?P<parameters>[^)]*)\)"
    )


def without_comments(text):
    """CUDA C text with blanks for comments: all other characters keep their places.

    One that is never closed stays, with all that follows: the compiler says so.
    """
    return re.sub(
        r"/\*.*?\*/|(?P<open>/\*.*)|//[^\n]*",
        lambda found: found["open"] or re.sub(r"[^\n]", " ", found[0]),
        text,
        flags=re.S,
    )


def _tidy(parameter):
    """`float const *__restrict__ x` -> `const float* x`."""
    words = re.findall(r"\w+|[^\w\s]", parameter)
    words = [word for word in words if word not in ("__restrict__", "__restrict")]
    star = words.index("*") if "*" in words else len(words)
    if "const" in words[1:star]:  # after the type, where it says the same
        words.remove("const")
        words.insert(0, "const")
    return " ".join(words).replace(" *", "*").replace(" &", "&").replace(" : : ", "::")
