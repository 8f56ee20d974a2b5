"""A guard is advised only where it was tried: with it, less is wrong."""

import contextlib

import numpy as np

from .engine.advice import question
from .front import CompileError
from .front.lexer import lex

HEADS = {"if", "for", "while", "switch"}  # of statements, before a parenthesis
ENDS = {";", "{", "}", "else", "do"}
TRIES = 2  # guards that are tried
SMALL = 2**22  # bytes of arguments that are copied for it


def copies(args):
    """The arguments, so that a launch can be repeated; None where they're large."""
    arrays = [value for value in args if isinstance(value, np.ndarray)]
    if sum(array.nbytes for array in arrays) > SMALL:
        return None
    if any(np.shares_memory(a, b) for a in arrays for b in arrays if a is not b):
        return None
    return [v.copy(order="K") if isinstance(v, np.ndarray) else v for v in args]


def advise(findings, code, launched):
    """Change the hints of findings whose guard mends from a question to advice.

    launched(code): the findings of the same launch with another text.
    """
    mends = {}
    for finding in [f for f in findings if f.guard]:
        guard = finding.line, finding.guard
        if guard not in mends and len(mends) < TRIES:
            mends[guard] = _mends(finding, findings, code, launched)
        if mends.get(guard):
            finding.hint = advice(finding)


def _mends(finding, findings, code, launched):
    """Are there fewer findings with its guard, and none elsewhere?"""
    places = {(f.kind, f.line) for f in findings}
    for _, text in guarded(code, finding.line, finding.column, finding.guard):
        with contextlib.suppress(CompileError):
            left = launched(text)
            if len(left) < len(findings) and {(f.kind, f.line) for f in left} <= places:
                return True
    return False


def advice(finding):
    asked, guard = question(finding.guard), f"guard it with if ({finding.guard})"
    return finding.hint.replace(f"{asked} Or", f"{guard}, or").replace(asked, guard)


def guarded(code, line, column, condition):
    """[(statement, text with it)]: guards of the statement at a place of a text."""
    lines = code.split("\n")
    for begin in _statements(code):
        if begin > (line, column):
            break
        row, place = begin
    text = lines[row - 1]
    for guard in f"if ({condition})", f"if (!({condition})) return;":
        lines[row - 1] = f"{text[: place - 1]}{guard} {text[place - 1 :]}"
        yield guard, "\n".join(lines)


def _statements(code):
    """Where statements begin, as (line, column)."""
    tokens, opened, begins = lex(code)[:-1], [], True
    for i, token in enumerate(tokens):
        if begins and not opened:
            yield token.place
        begins = token.text in ENDS
        if token.text in ("(", "["):
            opened.append(i)
        elif token.text in (")", "]") and opened:
            head = tokens[opened.pop() - 1].text
            begins = token.text == ")" and head in HEADS
