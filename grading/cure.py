"""Is a barrier what a kernel lacks? It is added here and there, and tried."""

import re

from minigrad.simt import CompileError
from minigrad.simt.front.lexer import lex

OPEN, CLOSE = "([", ")]"


def cured(statement, text, left, lines, tries):
    """(new text, places in words) where `statement` mends a kernel; no places: not.

    left(text): how much is wrong with it; 0: nothing, math.inf: it cannot be run.
    lines: of the accesses that need it: so many places near them are tried.
    """
    places, least = [], left(text)
    while least and tries > 0:
        near = sorted(
            _with(statement, text), key=lambda p: min(abs(p[0] - n) for n in lines)
        )
        best = None
        for line, where, new in near[:tries]:
            tries -= 1
            if (now := left(new)) < least:
                best, least = (f"after line {line}{where}", new), now
            if not least:
                break
        if best is None:
            return text, []
        places.append(best[0])
        text = best[1]
    return text, [] if least else places


def _with(statement, text):
    """Yield (line, where on it, text with one more `statement` after that)."""
    try:
        tokens = lex(text)[:-1]
    except CompileError:
        return
    starts = [0, *(m.end() for m in re.finditer("\n", text))]
    words, opened, partner = [t.text for t in tokens], [], {}
    at = [starts[t.place[0] - 1] + t.place[1] - 1 for t in tokens]
    for i, word in enumerate(words):
        if word in OPEN:
            opened.append(i)
        elif word in CLOSE and opened:
            partner[i] = opened.pop()
        if opened or i + 1 == len(words):
            continue
        after, line = at[i] + len(word), tokens[i].place[0]
        if word in (";", "{", "}"):
            yield line, "", f"{text[:after]} {statement}{text[after:]}"
        loop = word == ")" and words[partner.get(i, 1) - 1] in ("for", "while")
        if loop and words[i + 1] != "{" and ";" in words[i:]:
            last = words.index(";", i)
            end = at[last] + 1
            body = text[after:end]
            for n, new in [(tokens[last].place[0], f"{body} {statement}"),
                           (line, f" {statement} {body}")]:  # fmt: skip
                new = f"{text[:after]} {{{new}}}{text[end:]}"
                yield n, ", inside the loop", new
