"""What a test is given: right and wrong answers of another exercise, as text."""

import ast
import inspect
import linecache
import textwrap

from .answers import Rewritten, written
from .mistakes import CHECKS, answers_in, mistakes_of, read


def right_for(test):
    """{how: answer} of the right answers that the .toml of a test has for it."""
    tables = read(CHECKS / test.chapter / f"{test.name}.toml").get("right", {})
    return {how: written(table) for how, table in tables.items()}


def wrong_for(test, of):
    """{title: answer} of the wrong ones: of mistakes, and what its .toml has."""
    specimens = [s for m in mistakes_of(of).values() for s in m.answers]
    tables = read(CHECKS / test.chapter / f"{test.name}.toml").get("wrong", {})
    for cause, table in tables.items():
        specimens += answers_in(of, cause, table)
    return {s.title: s.given for s in specimens}


def text_of(exercise, given):
    """The text of an answer of `exercise` as a specimen has it."""
    if isinstance(given, Rewritten):
        return given.text(exercise)
    if isinstance(given, str):
        return given
    if given.__name__ == "<lambda>":
        return f"answer = {_lambda(given.__code__)}"
    tree = ast.parse(textwrap.dedent(inspect.getsource(given)))
    tree.body[0].decorator_list = []
    return ast.unparse(tree)


def _lambda(code):
    """The text of a lambda that stands somewhere in a file."""
    text = "".join(linecache.getlines(code.co_filename))
    lambdas = [
        node for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Lambda) and node.lineno == code.co_firstlineno
    ]  # fmt: skip
    if len(lambdas) > 1:
        starts = {(line, column) for line, _, column, _ in code.co_positions()}
        places = [(node.body.lineno, node.body.col_offset) for node in lambdas]
        lambdas = [n for n, at in zip(lambdas, places, strict=True) if at in starts]
    (node,) = lambdas
    return ast.unparse(node)
