"""Links to docs/glossary.md from a lesson's words: where they are first in bold, and
where they come up before the chapter that explains them."""

import functools
import re

from minigrad import course

PAGE = "docs/glossary.md"
BOLD = re.compile(r"\*\*([^*`]{2,40})\*\*")
NO_PROSE = (
    r"```.*?```|`[^`]*`|\[[^]]*\]\([^)]*\)|^#.*?$|<summary>.*?</summary>|\*\*.*?\*\*"
)
EVERYDAY = {
    "batch",
    "buffer",
    "graph",
    "guards",
    "leaves",
    "padding",
    "session",
    "shuffle",
}


@functools.cache
def terms():
    """{term in small letters: (its anchor on the page, the chapter explaining it)}."""
    text = (course.home() / PAGE).read_text(encoding="utf-8")
    entries = re.findall(r"^### ([^\n]+)$(.*?)Chapter\s+(\d\d)\.", text, re.M | re.S)
    return {term.lower(): (anchor(term), chapter) for term, _, chapter in entries}


def anchor(heading):
    return re.sub(r"[^\w-]", "", heading.lower().replace(" ", "-"))


def link(cells, chapter):
    """Link each term once in the markdown cells of this chapter's lesson."""
    texts, seen = [cell for cell in cells if cell.cell_type == "markdown"], set()

    def to(term, text):
        seen.add(term)
        return f"[{text}](../{PAGE}#{terms()[term][0]})"

    def linked(bold):
        word = " ".join(bold[1].lower().split())
        known = [t for t in (word, word + "s", word.removesuffix("s")) if t in terms()]
        return bold[0] if not known or known[0] in seen else to(known[0], bold[0])

    for cell in texts:
        cell.source = BOLD.sub(linked, cell.source)
    for term, (_, explained) in terms().items():
        if explained <= chapter or term in EVERYDAY:
            continue
        word = re.compile(
            rf"{NO_PROSE}|(?<![\w-])({re.escape(term.removesuffix('s'))}s?)(?![\w-])",
            re.I | re.M | re.S,
        )
        for cell in texts:
            cell.source = word.sub(
                lambda m, t=term: to(t, m[1]) if m[1] and t not in seen else m[0],
                cell.source,
            )
