"""Public kernels that NVRTC takes: how many does the simulator take, too?

    python cudasim/benchmarks/public_kernels.py [--at FOLDER] [--write] [--refused]
        [NAME ...]

Fetches collections of kernels with git, but for those that FOLDER already holds, makes
each kernel a text of its own (kernel_texts.py), and asks both compilers. NVRTC is the
judge of what is CUDA C++; it has the headers of its wheels and those of the collection.
NAME: collections, all of them without one. --refused: every kernel that is refused.

Ends with 0; 1: nothing could be tried.
"""

import argparse
import collections
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import cudasim
from cudasim import nvrtc
from cudasim.benchmarks import common, kernel_texts
from cudasim.generate import Module

ARCH = 90
PAGE = common.PAGES / "public_kernels.md"
SUFFIXES = {".h", ".cuh", ".hpp", ".inl", ".cu"}
REASONS = 15


class Collection(NamedTuple):
    """A repository of GitHub, of whose kernels each n-th is tried."""

    source: str
    every: int = 1

    @property
    def name(self):
        return self.source.rpartition("/")[2]


COLLECTIONS = [
    Collection("xlite-dev/LeetCUDA"), Collection("siboehm/SGEMM_CUDA"),
    Collection("gpu-mode/lectures"), Collection("CoffeeBeforeArch/cuda_programming"),
    Collection("R100001/Programming-Massively-Parallel-Processors"),
    Collection("BBuf/how-to-optim-algorithm-in-cuda"),
    Collection("NVIDIA/cuda-samples", 4), Collection("karpathy/llm.c", 4),
    Collection("yuhc/gpu-rodinia", 2), Collection("zjin-lcf/HeCBench", 20),
]  # fmt: skip


class Tried(NamedTuple):
    """A kernel that NVRTC takes; why: the simulator's reason to refuse it, or None."""

    path: Path
    name: str
    why: object


def fetched(collection, folder):
    """Where a collection lies, or the reason why it is nowhere."""
    there = folder / collection.name
    if there.exists():
        return there, None
    url = f"https://github.com/{collection.source}.git"
    command = ["git", "clone", "--quiet", "--depth", "1", url, str(there)]
    done = subprocess.run(command, capture_output=True, text=True)
    lines = done.stderr.strip().splitlines()
    return there, (lines or ["git failed"])[-1] if done.returncode else None


def texts(folder, every, only=None):
    """(path, Kernel) of a collection, or of one file of it; a text that stands there
    twice is tried once."""
    files = sorted(p for p in folder.rglob("*") if p.suffix in SUFFIXES)
    by_name, seen = collections.defaultdict(list), set()
    for path in files:
        by_name[path.name].append(path)
    wanted = [p for p in files if p.suffix in (".cu", ".cuh")]
    for path in [folder / only] if only else wanted:

        def included(name, near=path.parent):
            for one in [near / name, *by_name[Path(name).name]]:
                if one.is_file():
                    return one.read_text(errors="replace")
            return None

        text = path.read_text(errors="replace")
        for kernel in kernel_texts.kernels(text, included):
            if kernel.text not in seen:
                seen.add(kernel.text)
                if len(seen) % every == 0:
                    yield path.relative_to(folder), kernel


def by_nvrtc(kernel):
    """The name expression of an instance that NVRTC takes, "" for what is no template;
    None: it does not take the kernel, or no instance is known."""
    code, options = nvrtc.with_macros(kernel.text, nvrtc.macros(kernel.text))
    options = (*options, "-fdevice-syntax-only")
    if nvrtc.said(code, ARCH, (), options)[0]:
        return None
    refused = (n for n in kernel.names if not nvrtc.said(code, ARCH, (n,), options)[0])
    return next(refused, None) if kernel.names else ""


def is_there(kernel, name):
    """Is it in what NVRTC makes of its text? An #if may leave it out."""
    code, options = nvrtc.with_macros(kernel.text, nvrtc.macros(kernel.text))
    return kernel.name in nvrtc.said(code, ARCH, (name,) if name else (), options)[1]


def here(kernel, name):
    """Why the simulator refuses it; None where it takes it."""
    try:
        program = cudasim.compile(kernel.text, options=(f"-arch=compute_{ARCH}",))
        Module(program, program.kernel(name or kernel.name))
    except cudasim.CompileError as error:
        return error.message
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return None


def tried(folder, every):
    """(how many kernels there are, those that NVRTC takes)"""
    number, out = 0, []
    for path, kernel in texts(folder, every):
        number += 1
        name = by_nvrtc(kernel)
        why = here(kernel, name) if name is not None else ""
        if name is not None and (why is None or is_there(kernel, name)):
            out.append(Tried(path, kernel.name, why))
    return number, out


def row(collection, number, outcomes):
    good = sum(one.why is None for one in outcomes)
    share = f"{100 * good / len(outcomes):.1f} %" if outcomes else "-"
    which = "all" if collection.every == 1 else f"1 in {collection.every}"
    return [collection.source, which, number, len(outcomes), good, share]


def table(rows):
    head = ["collection", "tried", "kernels", "NVRTC takes", "simulator takes", "share"]
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines)


def reasons(outcomes):
    """The commonest reasons of refusal, names left out."""
    plain = [
        re.sub(r"'[^']*'(?! is outside| is undef)", "'...'", o.why) for o in outcomes
    ]
    counted = collections.Counter(plain).most_common(REASONS)
    return table_of_reasons(counted)


def table_of_reasons(counted):
    lines = ["| kernels | the simulator says |", "| --- | --- |"]
    return "\n".join([*lines, *(f"| {n} | {why} |" for why, n in counted)])


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--at", type=Path, metavar="FOLDER")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--refused", action="store_true")
    options = parser.parse_args()
    if nvrtc.missing():
        raise SystemExit(f"not run: NVRTC ({nvrtc.missing()})")
    with tempfile.TemporaryDirectory() as temporary:
        rows, outcomes = [], []
        for collection in COLLECTIONS:
            if options.names and collection.name not in options.names:
                continue
            folder, why = fetched(collection, options.at or Path(temporary))
            if why:
                print(f"{collection.source} not run: no network? {why}")
                continue
            number, some = tried(folder, collection.every)
            rows.append(row(collection, number, some))
            print(*rows[-1], sep=", ", flush=True)
            outcomes += some
    if not rows:
        raise SystemExit(1)
    refused = [one for one in outcomes if one.why]
    total = row(Collection("all of them"), sum(r[2] for r in rows), outcomes)
    shown = [table([*rows, total[:1] + [""] + total[2:]])]
    if refused:
        shown.append(reasons(refused))
    print("\n\n".join(shown))
    for one in refused if options.refused else ():
        print(f"{one.path}: {one.name}: {one.why}")
    if options.write:
        common.write(PAGE, "\n\n".join(shown), "rates")


if __name__ == "__main__":
    main()
