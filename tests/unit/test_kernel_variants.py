"""The library's kernels, variant by variant, against PyTorch at awkward sizes: the
simulator's tools are silent in both schedules, and no barrier can be left out."""

import functools
import re

import numpy as np
import pytest

pytest.importorskip("torch", reason="not run: kernel variants (no PyTorch)")

import variant_cases
import variant_cases_conv  # noqa: F401
import variant_cases_optim  # noqa: F401
import variant_cases_rows  # noqa: F401
import variant_cases_training  # noqa: F401
from variant_cases import FAMILIES, compare, text

import cudasim

BARRIER = re.compile(r"__syncthreads\(\);")
FOUND_WITHOUT = {"race", "race-warp", "uninitialized", "divergent-barrier"}


module = functools.lru_cache(20)(cudasim.RawModule)  # a text is compiled once


def launched(source, case, **how):
    """(report, args afterwards) with all tools."""
    kernel = module(case.prelude + source).get_function(case.name)
    args = tuple(a.copy() if isinstance(a, np.ndarray) else a for a in case.args)
    return cudasim.run(kernel, case.grid, case.block, args, tools="all", **how), args


def kernel_of(case):
    return case.name.partition("<")[0]


@pytest.mark.slow
@pytest.mark.parametrize("schedule", ["lockstep", "warps"])
@pytest.mark.parametrize("stem", FAMILIES)
def test_right_and_silent(stem, schedule):
    for number, case in enumerate(FAMILIES[stem]()):
        try:
            report, args = launched(text(stem), case, schedule=schedule, seed=1)
            assert not report.findings, str(report)
            compare(case, args)
        except Exception as error:
            error.add_note(f"case {number}: {case.name}, {case.grid}, {case.block}")
            raise


def without_barriers(source):
    """(line, the text without it) for each barrier of a file."""
    for match in BARRIER.finditer(source):
        gap = " " * (len(match[0]) - 1) + ";"
        line = source.count("\n", 0, match.start()) + 1
        yield line, source[: match.start()] + gap + source[match.end() :]


def shows(source, case):
    """Does a launch show that something is wrong?"""
    result = launched(source, case)[0].findings
    return any(finding.kind in FOUND_WITHOUT for finding in result)


@pytest.mark.slow
@pytest.mark.parametrize("stem", FAMILIES)
def test_every_barrier_is_missed(stem):
    for line, source in without_barriers(text(stem)):
        above = "\n".join(source.split("\n")[:line])
        kernel = re.findall(r"__global__ void (\w+)\(", above)[-1:]
        cases = sorted(FAMILIES[stem](), key=lambda c: [kernel_of(c)] != kernel)  # noqa: B023
        assert any(shows(source, case) for case in cases), f"{stem}.cu:{line}"


@pytest.mark.slow
def test_every_kernel_is_launched():
    for stem, make in FAMILIES.items():
        kernels = set(re.findall(r"__global__ void (\w+)\(", text(stem)))
        assert kernels == {kernel_of(case) for case in make()}
    assert {*FAMILIES} == {path.stem for path in variant_cases.FOLDER.glob("*.cu")}


@pytest.mark.slow
def test_the_race_tool_misses_the_fence_of_the_last_block():
    begin, fence = "// Is this block the last", "__threadfence()"
    stems = [stem for stem in FAMILIES if begin in text(stem)]
    assert len(stems) > 1
    for stem in stems:
        source = text(stem).replace(fence, "(void)0", 1)
        shared = [
            case for case in FAMILIES[stem]() if case.scratch and shows(source, case)
        ]
        assert shared, stem


def counted(name, what):
    """What the largest launch of a kernel costs."""
    stem = name.partition("_")[0].replace("transpose", "copy")
    cases = [c for c in FAMILIES[stem]() if kernel_of(c) == name]
    return max(launched(text(stem), case)[0].counts[what] for case in cases)


@pytest.mark.parametrize(
    "slower, faster, what",
    [
        ("transpose_naive", "transpose_tiled", "sectors"),
        ("transpose_tiled", "transpose_padded", "bank_passes"),
        ("softmax_shared", "softmax_online", "reads"),
        ("softmax_online", "softmax_registers", "requests"),
        ("matmul_naive", "matmul_coalesced", "sectors"),
    ],
)
def test_a_rung_saves_what_it_is_for(slower, faster, what):
    assert counted(faster, what) < 0.8 * counted(slower, what)
