"""Is a barrier what a kernel lacks? It is added here and there, and tried."""

import re

from cudasim import CompileError, lex

OPEN, CLOSE = "([", ")]"


def cured(statement, text, left, lines, tries):
    """(new Text, places in words) where `statement` mends a kernel; no places: not.

    left(text): how much is wrong with it; 0: nothing, math.inf: it cannot be run.
    lines: of the accesses that need it: so many places near them are tried.
    """
    places, least = [], left(text)
    while least and tries > 0:
        best, options = None, text.repairs(statement, lines, tries)
        for line, where, new in options:
            tries -= 1
            if (now := left(new)) < least:
                best, least = (f"after line {line}{where}", new), now
            if not least:
                best = outermost(text.code, new, options, left) or best
                break
        if best is None:
            return text, []
        places.append(best[0])
        text = best[1]
    return text, [] if least else places


def outermost(code, new, options, left):
    """The last of the options that mends a kernel like `new`, after braces that close
    the block in which that has its statement: (place, Text), or None."""
    best, begin = None, _begin(code, new.code)
    later = [(_begin(code, n.code), line, n) for line, where, n in options
             if not where]  # fmt: skip
    for at, line, text in sorted(later, key=lambda one: one[0]):
        if at > begin:
            if code[begin:at].strip(" \n}") or left(text):
                break
            best = f"after line {line}", text
    return best


def _begin(code, new):
    """Where two texts begin to differ."""
    pairs = zip(code, new, strict=False)
    return next((i for i, (a, b) in enumerate(pairs) if a != b), len(code))


def repairs(statement, code, lines, tries):
    """[(line, where on it, code with one more `statement`)], nearest to `lines`."""
    away = lambda place: min(abs(place[0] - line) for line in lines)  # noqa: E731
    places = sorted(_places(statement, code), key=away)[:tries]
    return [
        (line, where, code[:begin] + new + code[end:])
        for line, where, begin, end, new in places
    ]


def _places(statement, code):
    """Yield (line, where on it, begin, end, what stands between these instead)."""
    try:
        tokens = lex(code)[:-1]
    except CompileError:
        return
    starts = [0, *(m.end() for m in re.finditer("\n", code))]
    words, opened, partner = [t.text for t in tokens], [], {}
    at = [starts[t.place[0] - 1] + t.place[1] - 1 for t in tokens]
    ends = [i for i, word in enumerate(words) if word == ";"][::-1]
    for i, word in enumerate(words):
        if ends and ends[-1] < i:
            ends.pop()
        if word in OPEN:
            opened.append(i)
        elif word in CLOSE and opened:
            partner[i] = opened.pop()
        if opened or i + 1 == len(words):
            continue
        after, line = at[i] + len(word), tokens[i].place[0]
        if word in (";", "{", "}"):
            yield line, "", after, after, f" {statement}"
        loop = word == ")" and words[partner.get(i, 1) - 1] in ("for", "while")
        if loop and words[i + 1] != "{" and ends:
            last = ends[-1]
            end = at[last] + 1
            body = code[after:end]
            for n, new in [(tokens[last].place[0], f"{body} {statement}"),
                           (line, f" {statement} {body}")]:  # fmt: skip
                yield n, ", inside the loop", after, end, f" {{{new}}}"
