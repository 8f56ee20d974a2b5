"""NVIDIA's own compiler and the simulator take what the course has of CUDA C."""

import functools
import itertools

import pytest
from recorded import recorded
from styles import rights
from test_cudasim_nvrtc import MISSING, accepted, instances

from benchmarks import chapters
from cudasim import nvrtc
from minigrad import course, launch
from minigrad.exercises.registry import KernelExercise, exercises
from tools.audit.specimens import specimens_of

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(bool(MISSING), reason=f"not run: NVRTC ({MISSING})"),
]
LIBRARY = sorted((course.home() / "minigrad" / "kernels").glob("*.cu"))


@pytest.mark.parametrize("path", LIBRARY, ids=lambda path: path.name)
def test_kernel_variants(path, targets):
    text = launch.file_text(path.name)
    accepted(text, targets, instances(text))


@pytest.mark.xdist_group("chapters")  # recorded once
@pytest.mark.parametrize(
    "path", list(chapters.texts()), ids=lambda p: f"{p.parent.name} {p.stem}"
)
def test_what_a_chapter_launches(path, targets):
    kernels = {one.kernel.source: one.kernel for one in recorded(path)[0]}
    of_operators = path.parent.name == "lessons" or path.stem == "12_graphs"
    assert kernels or of_operators  # it may launch these only
    for kernel in kernels.values():
        names = (kernel.name,) if "<" in kernel.name else ()
        accepted(kernel.source, targets, names, kernel.options)


def test_right_answers(targets):
    """In some the exercise says what T, scalar_t, acc_t and OP are."""
    given = "typedef float T, scalar_t, acc_t;\n"
    given += "template<class... A> __device__ T OP(T a, A...);\n"
    everything = [entry.exercise for entry in exercises()]
    right = [s for h in everything for s in specimens_of(h) + rights(h) if not s.cause]
    texts = [s.answer for s in right if type(s.exercise) is KernelExercise]
    texts = [
        nvrtc.with_macros(text, nvrtc.macros(text))[0] for text in texts
    ]  # as Kernel gives them
    assert len(texts) > 100
    for text, arch in itertools.product(texts, targets):
        said = functools.partial(nvrtc.compiled, arch=arch, options=nvrtc.QUICKLY)
        wrong = said(text) and said(given + text)
        assert not wrong, text
