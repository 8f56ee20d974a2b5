"""Links to docs/glossary.md from a lesson's words, where they are first in bold."""

import functools
import re

from minigrad import course

BOLD = re.compile(r"\*\*([^*`]{2,40})\*\*")
PAGE = "docs/glossary.md"


@functools.cache
def terms():
    """{term in small letters: its anchor on the page}."""
    text = (course.home() / PAGE).read_text(encoding="utf-8")
    return {
        term.lower(): anchor(term) for term in re.findall(r"^### (.+)$", text, re.M)
    }


def anchor(heading):
    return re.sub(r"[^\w-]", "", heading.lower().replace(" ", "-"))


def link(cells):
    """Turn the first bold use of each term in the markdown cells into a link."""
    seen = set()

    def linked(bold):
        word = " ".join(bold[1].lower().split())
        found = [t for t in (word, word + "s", word.removesuffix("s")) if t in terms()]
        if not found or found[0] in seen:
            return bold[0]
        seen.add(found[0])
        return f"[{bold[0]}](../{PAGE}#{terms()[found[0]]})"

    for cell in cells:
        if cell.cell_type == "markdown":
            cell.source = BOLD.sub(linked, cell.source)
