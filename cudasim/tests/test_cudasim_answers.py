"""NVRTC's answers that are kept: only to the same text, options, and versions."""

import pytest
from nvrtc_answers import Answers

ASKED = ("int i;", 75, ("f<int>",), ("-G",))


@pytest.fixture
def ask(tmp_path):
    """ask(text, arch, names, options): (was NVRTC asked, the answer)"""

    def ask(*question, versions="13.0", fresh=False):
        asked, reused = [], []
        answers = Answers(tmp_path, versions, fresh, reused)
        answers.compiled = lambda *words: asked.append(words) or f"log of {words}"
        answer = answers(*question)
        assert len(asked) + len(reused) == 1
        return bool(asked), answer

    return ask


def test_an_answer_is_kept(ask):
    first, answer = ask(*ASKED)
    assert first and ask(*ASKED) == (False, answer)
    assert ask(*ASKED, fresh=True) == (True, answer)
    assert [*map(bool, ask("int j;"))] == [True, True] and not ask("int j;")[0]


@pytest.mark.parametrize("at", range(len(ASKED)))
def test_another_question_is_asked(ask, at):
    ask(*ASKED)
    other = "int i; ", 90, ("f<float>",), ()
    assert ask(*ASKED[:at], other[at], *ASKED[at + 1 :])[0]
    assert ask(*ASKED, versions="13.1")[0] and not ask(*ASKED)[0]


def test_an_empty_answer_is_an_answer(tmp_path):
    answers = Answers(tmp_path, "13.0", False, reused := [])
    answers.compiled = lambda *words: ""
    assert answers("int i;") == answers("int i;") == "" and len(reused) == 1
