"""The launches of the course: of teaching kernels, jit's, lessons and solved labs."""

import dataclasses

from benchmarks import chapters, common, generated
from benchmarks.outcomes import BOUNDS, EXACT
from cudasim.benchmarks import features
from minigrad.kernel import Kernel

TESTS = "tests"  # those of the simulator: C++, and what CUDA's headers bring


@dataclasses.dataclass
class Case(common.Launch):
    """One launch to compare. left_out: why it is not, if so."""

    left_out: str = ""

    @property
    def bound(self):
        return BOUNDS.get(self.label, EXACT)

    def __str__(self):
        return f"{self.label} {self.grid} {self.block}"


def without_fmad(options):
    return tuple(o for o in options if "fmad" not in o)


def of_teaching(only=()):
    """The launches with which the simulator's tests run the teaching kernels."""
    launches = common.of_tests("test_cudasim_kernels").LAUNCHES
    for stem, make in launches.items():
        if only and stem not in only:
            continue
        text = common.source(stem)
        for one in make():
            yield Case(stem, text, one.name, one.grid, one.block, one.args,
                       one.shared_mem, without_fmad(one.options))  # fmt: skip


def of_jit(only=()):
    """The launches of kernels that minigrad.jit writes."""
    for one in generated.launches():
        if not only or {one.label, one.name, generated.LABEL} & set(only):
            yield Case(one.label, one.source, one.name, one.grid, one.block, one.args)


def recorded(pool, seconds):
    """{text: the future of its launches}: a process for each lesson, solved lab, and
    the simulator's tests of C++ and headers."""
    ask = common.within, seconds, of_text
    texts = {title(path): pool.submit(*ask, path) for path in chapters.texts()}
    return texts | {TESTS: pool.submit(common.within, seconds, of_features)}


def title(path):
    return f"{path.parent.name}/{path.stem}"


def of_text(path):
    """(the launches of a lesson or solved lab, [(cell, why it could not be run)])."""
    launches, problems = chapters.launches(path)
    cases = [of_recorded(f"{title(path)}: {one.kernel.name}", one) for one in launches]
    return cases, [(f"{title(path)}: {cell}", why) for cell, why in problems]


def of_features():
    """The same of the simulator's tests of C++ and headers."""
    launches, problems = features.launches()
    return [of_feature(one) for one in launches], problems


def of_feature(one):
    kernel = Kernel(one.source, one.name, one.options)
    launch = chapters.Recorded(kernel, one.grid, one.block, one.args, one.shared_mem)
    textures = features.has_texture(one)
    mistake = "" if textures else chapters.mistake(launch)
    launch.left_out = "a GPU's textures are other objects" if textures else mistake
    return of_recorded(f"{TESTS}: {one.label}", launch)


def of_recorded(label, one):
    kernel = one.kernel
    return Case(label, kernel.source, kernel.name, one.grid, one.block, one.args,
                one.shared_mem, without_fmad(kernel.options),
                left_out=one.left_out)  # fmt: skip


def of_chapters(texts, only=()):
    """(the launches that are chosen, [(what could not be run, why)], [(text without
    launches, why)]) of what `recorded` has begun."""
    cases, failed, lost = [], [], []
    for text, future in texts.items():
        try:
            of_file, problems = future.result()
        except Exception as error:  # the other texts shall be compared all the same
            lost.append((text, in_words(error)))
            continue
        failed += problems
        cases += [case for case in of_file if chosen(case, text, only)]
    failed += [(str(case), case.left_out) for case in cases if case.left_out]
    return [case for case in cases if not case.left_out], failed, lost


def chosen(case, text, only):
    return not only or {case.label, case.name, text.partition("/")[2]} & set(only)


def in_words(error):
    """A line that says why there is no result."""
    if isinstance(error, TimeoutError):
        return f"not run: {error}"
    return f"failed: {type(error).__name__}: {error}".split("\n")[0]
