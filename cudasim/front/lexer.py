"""CUDA C text to tokens with line and column."""

import bisect
import re

from .errors import CompileError

MOST_CHARACTERS = 1_000_000
NOTHING = frozenset()

PATTERN = re.compile(
    r"""
  (?P<space>(?:[ \t\f\v\r]+|//[^\n]*|/\*(?s:.*?)\*/)+)
| (?P<newline>\n)
| (?P<open>/\*)
| (?P<raw>(?:u8|[uUL])?R"[^()\\\s]{0,16}\()
| (?P<id>[A-Za-z_]\w*)
| (?P<number>\.?\d(?:[eEpP][+-]|'\w|[\w.])*)
| (?P<string>"(?:[^"\\\n]|\\.)*")
| (?P<char>'(?:[^'\\\n]|\\.)+')
| (?P<bad>["'\\`@$]|[^\x00-\x7f]|[\x00-\x08\x0e-\x1f\x7f])
| (?P<op><<<|<<=|>>=|\.\.\.|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||::|\#\#
    |[-+*/%&|^]=|[-+*/%&|^=<>!~?:;,.(){}[\]\#])
""",
    re.VERBOSE | re.ASCII,
)


class Token:
    """One token: its kind, its text, and its place (line, column), both from 1.

    first: first of its line. space: something blank stands before it.
    hide: names of macros that must not expand it again.
    """

    __slots__ = ("kind", "text", "place", "first", "space", "hide")

    def __init__(self, kind, text, place, first=False, space=False, hide=NOTHING):
        self.kind, self.text, self.place = kind, text, place
        self.first, self.space, self.hide = first, space, hide

    def at(self, place, hide):
        """A copy for another place, with more macros hidden."""
        return Token(self.kind, self.text, place, False, self.space, self.hide | hide)

    def __repr__(self):
        return f"{self.text!r} at {self.place[0]}:{self.place[1]}"


def lex(source):
    """The tokens of `source`, without blanks and comments, ending with kind 'end'."""
    if len(source) > MOST_CHARACTERS:
        raise CompileError(f"the source has more than {MOST_CHARACTERS:,} characters")
    text, place_of = spliced(source.replace("\r\n", "\n"))
    tokens, first, space, line, start = [], True, False, 1, 0
    for match in PATTERN.finditer(text):
        kind, begin = match.lastgroup, match.start()
        if kind == "newline":
            first, line, start = True, line + 1, begin + 1
        elif kind == "space":
            space = True
            if breaks := text.count("\n", begin, match.end()):
                line += breaks
                start = text.rfind("\n", begin, match.end()) + 1
        else:
            place = place_of(begin) if place_of else (line, begin - start + 1)
            if kind == "open":
                raise CompileError("this comment is never closed with */", place)
            tokens.append(Token(kind, match.group(), place, first, space))
            first = space = False
    last = place_of(len(text)) if place_of else (line, len(text) - start + 1)
    tokens.append(Token("end", "end of file", last, True))
    return tokens


def spliced(source):
    """`source` without backslash-newlines, and a function from offset to place.

    The function is None where nothing was spliced.
    """
    if "\\\n" not in source:
        return source, None
    pieces = source.split("\\\n")
    seams, at = [], 0
    for piece in pieces[:-1]:
        at += len(piece)
        seams.append(at)
    starts = [0] + [m.end() for m in re.finditer("\n", source)]

    def place_of(offset):
        physical = offset + 2 * bisect.bisect_right(seams, offset)
        line = bisect.bisect_right(starts, physical)
        return line, physical - starts[line - 1] + 1

    return "".join(pieces), place_of
