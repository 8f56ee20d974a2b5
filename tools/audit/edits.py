"""An edit of a solution's text: what every machine-made wrong answer is."""

import contextlib

from grading.checking.answers import Rewritten, Specimen, solution
from minigrad.exercises.exercise import KernelExercise


class Edit(Rewritten):
    """A text in which some pieces are others: [(begin, end, new)], by characters.

    kind: what was done, such as "off by one". title: "old line -> new line", by which
    it is named in tables and among the equivalent ones.
    """

    def __init__(self, kind, text, *pieces):
        self.kind, self.whole, self.pieces = kind, text, sorted(pieces)
        self.name = self.title

    @property
    def is_idle_if_untouched(self):
        """Does it change only what damage.py finds to change?"""
        return any("damage." in new for _, _, new in self.pieces)

    @property
    def title(self):
        changed = [p for p in self.pieces if p[0] < p[1]] or self.pieces[-1:]
        first = self.whole.rfind("\n", 0, changed[0][0]) + 1
        last = self.whole.find("\n", changed[-1][1])
        old = self.whole[first : last if last >= 0 else None]
        new = self._with([(a - first, b - first, n) for a, b, n in changed], old)
        return f"{' '.join(old.split())} -> {' '.join(new.split())}"

    def is_named(self, name):
        """Is this "kind: title", or "kind: a part of the title", its name?"""
        kind, _, part = name.partition(": ")
        return kind == self.kind and part in self.title

    def specimen(self, exercise):
        """The answer that it makes; None: the cell does not run, or is no answer."""
        with contextlib.suppress(Exception):
            answer = self.answer(exercise)
            exercise.fits(answer)
            return Specimen(exercise, answer, None, self.title)
        return None

    def change(self, text):
        return self._with(self.pieces, self.whole)

    def _with(self, pieces, text):
        parts, at = [], 0
        for begin, end, new in pieces:
            parts += text[at:begin], new
            at = end
        return "".join([*parts, text[at:]])


def edits(exercise):
    """Every edit of an exercise's solution, no two with the same text."""
    from tools.audit import cuda_edits, python_edits

    text = solution(exercise)
    language = cuda_edits if isinstance(exercise, KernelExercise) else python_edits
    by_text = {edit.change(text): edit for edit in language.Edits(text).edits}
    by_text.pop(text, None)
    return [*by_text.values()]
