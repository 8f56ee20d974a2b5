"""Is a barrier what a kernel lacks? It is added here and there, and tried."""

import re
import time

from minigrad.simt import CompileError
from minigrad.simt.front.lexer import lex

MOST, SECONDS = 3, 0.7  # barriers that are added; and of the search
OPEN, CLOSE = "([", ")]"


def cured(statement, text, left):
    """(new text, places in words) where `statement` mends a kernel; no places: not.

    left(text): how much is wrong with it; 0: nothing, math.inf: it cannot be run.
    """
    end, places, least = time.thread_time() + SECONDS, [], left(text)
    while least and len(places) < MOST:
        best = None
        for place, new in _with(statement, text):
            if (now := left(new)) < least:
                best, least = (place, new), now
            if not least or time.thread_time() > end:
                break
        if best is None or least and time.thread_time() > end:
            return text, []
        places.append(best[0])
        text = best[1]
    return text, [] if least else places


def _with(statement, text):
    """Yield (place in words, text with one more `statement`), one after the other."""
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
            yield f"after line {line}", f"{text[:after]} {statement}{text[after:]}"
        loop = word == ")" and words[partner.get(i, 1) - 1] in ("for", "while")
        if loop and words[i + 1] != "{" and ";" in words[i:]:
            last = words.index(";", i)
            end = at[last] + 1
            body = text[after:end]
            for n, new in [(tokens[last].place[0], f"{body} {statement}"),
                           (line, f" {statement} {body}")]:  # fmt: skip
                place = f"after line {n}, inside the loop"
                yield place, f"{text[:after]} {{{new}}}{text[end:]}"
