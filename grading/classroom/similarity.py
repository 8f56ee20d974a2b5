"""Answers of a class that are near-identical, whatever their names and comments.

An answer becomes a row of tokens, of which names are one and the same, and these the
set of all runs of K. What the course's own texts have, or many in the class, says
nothing; of what is left, two answers that share most of it are alike. That is a reason
to read both, and no proof.
"""

import collections
import heapq
import itertools
import keyword
import re
from typing import NamedTuple

K = 8
LEAST = 15  # runs of its own, below which an answer is too short to tell
MANY = 0.15  # of the class: so many have written it by themselves
LONGEST = 50_000  # characters of an answer that are shown
TOKENS, RUNS = 20_000, 2000  # of an answer that are compared; a real one has fewer
NEAR = 0.8  # of the runs of both
WORDS = {*keyword.kwlist, *["char", "const", "double", "float", "int", "long", "void"]}
TOKEN = re.compile(r"[^\W\d]\w*|\d[\w.]*|\S")
COMMENTS = re.compile(r"#.*"), re.compile(r"//.*|/\*[\s\S]*?(?:\*/|\Z)")


class Alike(NamedTuple):
    """Two students, and how much of what sets their answers apart is the same."""

    students: tuple
    exercise: str
    share: float
    texts: tuple


def tokens(text):
    """The tokens of Python or CUDA C, without comments; a name is `_`.

    These expressions read each character once, so it takes no more than a moment.
    """
    comments = COMMENTS["__global__" in text]
    matches = itertools.islice(TOKEN.finditer(comments.sub(" ", text)), TOKENS)
    words = (match[0] for match in matches)
    return [w if w in WORDS or not w.isidentifier() else "_" for w in words]


def runs(text):
    """The set of K tokens in a row, as numbers."""
    row = tokens(text)
    return {hash(tuple(row[i : i + K])) for i in range(len(row) - K + 1)}


def alike(exercise, answers, known=()):
    """The Alikes of an exercise.

    answers: {student: text}. known: the course's own texts.
    """
    common = set().union(*map(runs, known))
    having = collections.defaultdict(set)
    for student, text in answers.items():
        for run in heapq.nsmallest(RUNS, runs(text) - common):
            having[run].add(student)
    most = max(3, MANY * len(answers))
    own, shared = collections.Counter(), collections.Counter()
    for students in having.values():
        if len(students) <= most:
            own.update(students)
            shared.update(itertools.combinations(sorted(students), 2))
    for (a, b), both in sorted(shared.items()):
        share = both / (own[a] + own[b] - both)
        if min(own[a], own[b]) >= LEAST and share >= NEAR:
            texts = answers[a][:LONGEST], answers[b][:LONGEST]
            yield Alike((a, b), exercise, share, texts)


def groups(answers):
    """[(students, their Alikes)] of those who are alike, also by way of others."""
    leader = {}

    def first(student):
        while (above := leader.setdefault(student, student)) != student:
            student = above
        return student

    for one in answers:
        a, b = map(first, one.students)
        leader[max(a, b)] = min(a, b)
    alikes = collections.defaultdict(list)
    for one in answers:
        alikes[first(one.students[0])].append(one)
    return [
        (sorted({s for one in group for s in one.students}), group)
        for group in alikes.values()
    ]
