"""The course as a table: its chapters, and where their files lie."""

from pathlib import Path
from typing import NamedTuple

from . import suggest


class Chapter(NamedTuple):
    number: int
    word: str
    title: str

    @property
    def name(self):
        """`03_strides`: the name of the chapter's files everywhere."""
        return f"{self.number:02}_{self.word}"

    @property
    def lessons(self):
        """The names of its lessons, in order; most chapters have one."""
        parts = PARTS.get(self.number, ())
        return self.name, *(f"{self.name}_{part}" for part in parts)

    @property
    def needs(self):
        """The numbers of the chapters that this one builds on."""
        return NEEDS.get(self.number, ())


TITLES = {
    "python_to_gpu": "Where Python ends and the GPU begins",
    "threads": "Threads, blocks, grids",
    "memory": "Races, tiles, and timing",
    "strides": "A tensor is a storage and a way to read it",
    "elementwise": "One kernel for any layout",
    "reductions": "From sums to softmax",
    "matmul": "Matrix multiplication, step by step",
    "convolution": "Convolution and pooling",
    "autograd": "The graph and its gradients",
    "nn": "Modules, losses, optimizers",
    "cnn": "A convolutional network on MNIST",
    "extending_pytorch": "Your kernel inside PyTorch",
    "graphs": "Define, then run",
    "memory_pool": "Where the memory goes",
    "mixed_precision": "Half precision, full accuracy",
    "many_gpus": "One model, many GPUs",
    "transformer": "Attention, and a small GPT",
}
NEEDS = {2: (1,), 4: (1, 3), 5: (2, 3, 4), 6: (2, 3, 4), 7: (2, 3, 4, 6), 8: (3, 4),
         9: (8,), 10: (7, 9), 11: (4, 8), 12: (4, 8, 10)}  # fmt: skip
# The lessons after a chapter's first, for example 02_memory_tiles.
PARTS = {0: ("libraries", "machine"), 2: ("tiles",), 4: ("dispatch",),
         9: ("optimizers",), 11: ("measure", "tensorflow")}  # fmt: skip
CHAPTERS = tuple(Chapter(i, *names) for i, names in enumerate(TITLES.items()))


def chapter(number):
    """The chapter of a number (3, "3", "03"), a name, or the name of a lesson.

    Names are "03_strides" or "strides".
    """
    text = str(number)
    text = text.zfill(2) if text.isdecimal() else text
    for candidate in CHAPTERS:
        names = f"{candidate.number:02}", candidate.word, *candidate.lessons
        if text in names:
            return candidate
    names = [name for c in CHAPTERS for name in (c.word, *c.lessons)]
    every = f" The chapters are {', '.join(c.name for c in CHAPTERS)}."
    meant = suggest.hint(text, names) or every
    raise ValueError(f"no chapter is called {number!r}.{meant}")


def home():
    """The course's folder: the one that holds `minigrad`, `labs` and `solutions`."""
    return Path(__file__).resolve().parent.parent


def lab(name):
    """The notebook that a learner writes in: the working copy, else the lab itself."""
    copy = home() / "work" / f"{name}.ipynb"
    return copy if copy.exists() else home() / "labs" / f"{name}.ipynb"


def solution(name):
    """The solved lab, as py:percent text."""
    return home() / "solutions" / f"{name}.py"
