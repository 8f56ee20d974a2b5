"""The glossary: in order, with a Chinese name each, and linked from the lessons."""

import re

import pytest

from grading.notebooks import glossary_links
from grading.notebooks.build import notebook, sources
from minigrad import course

TEXT = (course.home() / glossary_links.PAGE).read_text(encoding="utf-8")
FOUND = re.findall(r"^### (.+)\n\n((?:.+\n)+)", TEXT, re.M)
ENTRIES = [(name, " ".join(text.split())) for name, text in FOUND]
LESSONS = {}  # a chapter's number -> the texts of its lessons
for text, _ in sources():
    if text.parent.name == "lessons":
        LESSONS.setdefault(text.stem[:2], []).append(text)


def test_terms_stand_in_order_with_a_chinese_name_and_a_chapter():
    names = [name for name, _ in ENTRIES]
    assert names == sorted(names, key=str.lower) and len(set(names)) == len(names)
    for name, text in ENTRIES:
        assert re.search("[\u4e00-\u9fff].* · ", text), name
        assert re.search(r"Chapter \d\d\.$", text), name


@pytest.mark.parametrize("chapter", LESSONS)
def test_a_term_is_linked_from_the_lesson_that_explains_it(chapter):
    cells = [c for text in LESSONS[chapter] for c in notebook(text, False).cells]
    linked = set(
        re.findall(r"glossary\.md#([\w-]+)", " ".join(c.source for c in cells))
    )
    mine = {n for n, text in ENTRIES if text.endswith(f"Chapter {chapter}.")}
    assert not {n for n in mine if glossary_links.anchor(n) not in linked}


def test_a_term_is_linked_once_whatever_its_form():
    from types import SimpleNamespace

    cell = SimpleNamespace(cell_type="markdown", source="**Warps**, a **warp**, **no**")
    glossary_links.link([cell], "05")
    assert cell.source == "[**Warps**](../docs/glossary.md#warp), a **warp**, **no**"


def test_a_term_is_linked_where_it_comes_before_its_chapter_and_not_in_code():
    from types import SimpleNamespace

    text = "## Barriers\n`barrier`, barriers and a barrier, a warp"
    cells = [SimpleNamespace(cell_type="markdown", source=text) for _ in range(2)]
    glossary_links.link(cells, "01")
    linked = "[barriers](../docs/glossary.md#barrier)"
    assert cells[0].source == text.replace("barriers", linked)
    assert cells[1].source == text
