"""NVRTC's answers are kept: a text that hasn't changed is compiled once on a machine.

A plugin of pytest, for these tests and the course's. An answer is kept by the text, the
options, and the versions of NVRTC and of CUDA's headers, in `.pytest_cache`; `--fresh`
asks NVRTC. The summary says how many answers were reused.
"""

import functools
import hashlib
import inspect
import os

import pytest
from cudasim import nvrtc

COUNT = pytest.StashKey()


def pytest_configure(config):
    config.stash[COUNT] = reused = []
    if not nvrtc.missing() and hasattr(config, "cache"):
        folder = config.cache.mkdir("nvrtc")
        fresh = config.option.fresh or config.option.nightly
        ask = Answers(folder, versions(), fresh, reused)
        config.add_cleanup(
            functools.partial(setattr, nvrtc, "compiled", nvrtc.compiled)
        )
        nvrtc.compiled = functools.cache(ask)


def versions():
    """What is installed of NVIDIA, and how it is asked."""
    there = sorted(
        path.name for path in nvrtc.folder().parent.parent.glob("*.dist-info")
    )
    return repr(
        (inspect.getsource(nvrtc), [n for n in there if "nvidia" in n or "cuda" in n])
    )


class Answers:
    """`nvrtc.compiled`, which looks first for what was answered before."""

    def __init__(self, folder, versions, fresh, reused):
        self.folder, self.versions = folder, versions
        self.fresh, self.reused = fresh, reused
        self.compiled = nvrtc.compiled

    def __call__(self, source, arch=75, names=(), options=()):
        asked = repr((self.versions, source, arch, tuple(names), tuple(options)))
        path = self.folder / hashlib.sha256(asked.encode()).hexdigest()
        if not self.fresh and path.exists():
            self.reused.append(path.name)
            return path.read_text("utf-8")
        answer = self.compiled(source, arch, names, options)
        unfinished = path.with_suffix(f".{os.getpid()}")
        unfinished.write_text(answer, "utf-8")
        unfinished.replace(path)
        return answer


def pytest_sessionfinish(session):
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["nvrtc"] = len(session.config.stash[COUNT])


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node):
    count = getattr(node, "workeroutput", {}).get("nvrtc", 0)
    node.config.stash[COUNT] += [None] * count


def pytest_terminal_summary(terminalreporter, config):
    if reused := len(config.stash[COUNT]):
        terminalreporter.write_line(
            f"{reused:,} answers of NVRTC reused, to the same texts; --fresh asks it",
            yellow=True,
        )
