"""Mistakes that the simulator finds in well-known kernels, at their lines.

    python cudasim/benchmarks/public_races.py [--at FOLDER] [--write]

Fetches the repositories with git, but for those that FOLDER already holds, takes each
kernel out of its file with what it names (kernel_texts.py), runs it on random numbers
with all tools, and prints what was found.

Ends with 0; 1: a repository is not there, or its kernel is not.
"""

import argparse
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import cudasim
import numpy as np
from cudasim.benchmarks import common, public_kernels

PAGE = common.PAGES / "public_races.md"


class Launch(NamedTuple):
    """A kernel of a file of a repository, and how it is launched.

    args: each the shape of an array of random numbers, or a number.
    """

    source: str
    file: str
    kernel: str
    grid: tuple
    block: int
    args: tuple
    shared_mem: int = 0
    expression: str = ""


LAUNCHES = [
    Launch(
        "karpathy/llm.c", "dev/cuda/softmax_forward.cu", "softmax_forward_kernel4",
        (1,), 128, ((256,), (256,), 1, 256), shared_mem=16,
    ),
    Launch(
        "karpathy/llm.c", "train_gpt2_fp32.cu",
        "softmax_autoregressive_backward_kernel",
        (2, 1), 256, ((8, 8), (8, 8), (8, 8), 1, 8, 8, np.float32(0.5)),
    ),
    Launch(
        "xlite-dev/LeetCUDA", "kernels/softmax/softmax.cu",
        "online_safe_softmax_f32_per_token_kernel",
        (1,), 256, ((256,), (256,), 256),
        expression="online_safe_softmax_f32_per_token_kernel<256>",
    ),
    Launch(
        "xlite-dev/LeetCUDA", "kernels/softmax/softmax.cu",
        "online_safe_softmax_f32x4_pack_per_token_kernel",
        (1,), 64, ((256,), (256,), 256),
        expression="online_safe_softmax_f32x4_pack_per_token_kernel<64>",
    ),
]  # fmt: skip


def text_of(launch, folder):
    """The kernel's text alone, as `public_kernels` makes it."""
    kernels = public_kernels.texts(folder, 1, Path(launch.file))
    return next(k.text for _, k in kernels if k.name == launch.kernel)


def found_in(launch, text):
    """The findings of one launch."""
    kernel = cudasim.RawKernel(text, launch.expression or launch.kernel)
    random = np.random.default_rng(0)
    args = [
        random.standard_normal(a).astype(np.float32) if isinstance(a, tuple) else a
        for a in launch.args
    ]
    report = cudasim.run(kernel, launch.grid, launch.block, args, launch.shared_mem)
    return report.findings


def line_in(file, kernel, line):
    """The number of a line of the kernel in its own file."""
    lines = [one.strip() for one in file.splitlines()]
    begin = next(i for i, one in enumerate(lines) if f"{kernel}(" in one)
    return lines.index(line.strip(), begin) + 1


def rows(launch, folder):
    """A row of the table for each finding."""
    text = text_of(launch, folder)
    file, own = (folder / launch.file).read_text(errors="replace"), text.splitlines()
    for finding in found_in(launch, text):
        message = finding.message
        if finding.other and "line" in finding.other:
            there = finding.other["line"]
            line = line_in(file, launch.kernel, own[there - 1])
            message = message.replace(f"line {there}", f"line {line}")
        line = line_in(file, launch.kernel, finding.source_line)
        yield [launch.source, f"{launch.file}:{line}", launch.kernel, finding.kind,
               message]  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--at", type=Path, metavar="FOLDER")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    table = [["repository", "file and line", "kernel", "kind", "finding"]]
    with tempfile.TemporaryDirectory() as temporary:
        for launch in LAUNCHES:
            collection = public_kernels.Collection(launch.source)
            at = options.at or Path(temporary)
            folder, why = public_kernels.fetched(collection, at)
            if why:
                raise SystemExit(f"{launch.source} not run: no network? {why}")
            table += rows(launch, folder)
    shown = common.markdown(table)
    print(shown)
    if options.write:
        common.write(PAGE, shown, "findings")


if __name__ == "__main__":
    main()
