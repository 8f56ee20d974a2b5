"""Each planted bug is found, at its line; its mended twin is silent. See bugs.py."""

import itertools

import bugs
import cudasim
import numpy as np
import pytest
from cudasim import nvrtc
from snippets import programs
from table import table

in_schedules = pytest.mark.parametrize("schedules", [
    pytest.param([("lockstep", 0), ("warps", 0)], id="two"),
    pytest.param([("warps", 0), ("warps", 1), ("warps", 2)], id="orders of warps",
                 marks=pytest.mark.slow),
])  # fmt: skip
LIMITS = cudasim.Limits(steps=2_000)


def watched(kernel, launch, schedule, seed):
    """(report, arrays) of a run with all tools."""
    how = {"schedule": schedule, "seed": seed, "limits": LIMITS}
    report = cudasim.run(kernel, **launch, tools="all", **how)
    return report, [a for a in launch["args"] if isinstance(a, np.ndarray)]


def allowed(marks):
    """The (kind, line) where findings may be."""
    pairs = {
        (kind, line) for line, m in marks.items() for ks in m.values() for kind in ks
    }
    return pairs | {("race-warp", line) for kind, line in pairs if kind == "race"}


def missed(marks, findings):
    """The lines of the marks BUG of which nothing was found, there or at an OR."""
    instead = {
        (kind, n) for n, m in marks.items() for kind in m.get("OR", ())
    } & findings
    for line, m in marks.items():
        kinds = m.get("BUG", ())
        here = any((kind, line) in findings for kind in kinds)
        if kinds and not here and not any(kind in kinds for kind, _ in instead):
            yield line


@in_schedules
@table("case", bugs.wrong(), ids=lambda c: c.name)
def test_found_where_it_is(case, schedules):
    """At its line in every schedule, and by a thread of the launch."""
    kernel = cudasim.RawKernel(case.source, case.name)
    for schedule, seed in schedules:
        launch = case.arguments()
        report, _ = watched(kernel, launch, schedule, seed)
        findings = {(f.kind, f.line) for f in report.findings}
        assert not list(missed(case.marks, findings)), f"{schedule} {seed}: {report}"
        assert findings <= allowed(case.marks), f"{schedule} {seed}: {report}"
        for finding in report.findings:
            assert finding.column >= 1 and finding.message
            for at, size in ((finding.block, "grid"), (finding.thread, "block")):
                sizes = (*launch[size], 1, 1)[:3]
                assert all(0 <= i < n for i, n in zip(at, sizes, strict=True))


@in_schedules
@table("case", bugs.cases().values(), ids=lambda c: c.name)
def test_twin_is_silent(case, schedules):
    """In every schedule, with the same results unless their order is free."""
    kernel = cudasim.RawKernel(case.mended, case.name)
    results = []
    for schedule, seed in schedules:
        report, arrays = watched(kernel, case.arguments(True), schedule, seed)
        assert not report.findings, f"{schedule} {seed}: {report}"
        results += [arrays] if case.ordered else []
    for other in results[1:]:
        for a, b in zip(results[0], other, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-5)


@table("case", bugs.cases().values(), ids=lambda c: c.name)
def test_case_is_well_formed(case):
    """Both texts compile, each has its kernel, and a wrong one has a line to find."""
    for text in {case.source, case.mended}:
        assert case.name in cudasim.compile(text).kernels
        assert text.count("\n") == case.source.count("\n")
    if case.marks:
        assert any("BUG" in m for m in case.marks.values())
        assert case.mended != case.source.partition("// ")[0]
        assert "BUG" not in case.mended


@pytest.mark.slow
def test_nvrtc_compiles_them(targets):
    if nvrtc.missing():
        pytest.skip(f"not run: planted bugs under NVRTC ({nvrtc.missing()})")
    every = bugs.cases().values()
    texts = [*{text: 0 for case in every for text in (case.source, case.mended)}]
    for program, arch in itertools.product(programs(texts), targets):
        assert nvrtc.compiled(program, arch, options=nvrtc.QUICKLY) == ""
