"""Small mistakes made by chance in a text of CUDA C."""

from cudasim.front.lexer import lex
from snippets import kernels

WORDS = [[t.text for t in lex(text)[:-1]] for text in kernels().values()]


def mutated(source, chance, times=1):
    """`source` with tokens dropped, doubled, swapped or taken from elsewhere.

    Directives stay as they are, for blanks have a meaning there.
    """
    lines = source.split("\n")
    kept = {i: line for i, line in enumerate(lines, 1) if line.lstrip()[:1] == "#"}
    tokens = [(t.text, t.place[0]) for t in lex(source)[:-1]]
    tokens = [token for token in tokens if token[1] not in kept]
    for _ in range(times if tokens else 0):
        at, to = chance.randrange(len(tokens)), chance.randrange(len(tokens))
        text, line = tokens[at]
        what = chance.randrange(4)
        if what == 0 and len(tokens) > 1:
            del tokens[at]
        elif what == 1:
            tokens.insert(at, tokens[at])
        elif what == 2:
            tokens[at], tokens[to] = (tokens[to][0], line), (text, tokens[to][1])
        else:
            tokens[at] = chance.choice(chance.choice(WORDS)), line
    return in_lines(tokens, kept, len(lines))


def in_lines(tokens, kept, count):
    """Tokens as text, each in the line where it stood."""
    lines = {}
    for text, line in tokens:
        lines.setdefault(line, []).append(text)
    return "\n".join(
        kept.get(i) or " ".join(lines.get(i, ())) for i in range(1, count + 1)
    )
