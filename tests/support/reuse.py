"""What a run of the whole suite leaves out, since it passed and nothing of it changed.

That is every test marked `kept("verdicts")`, of a chapter whose exercises, checks, and
mistakes are as they were, with all that judges them; those marked `kept("notebooks")`,
if a chapter's texts, and what they run and quote, are as they were; and the tests of
cudasim, if no file of `cudasim/` has changed. None of it counts as passed: the summary
says what was not run.
Tests that you name, with a path or with `-k`, are run, and with `--fresh` or
`--nightly` all are. What passed is kept in `.pytest_cache`, which CI doesn't have.
"""

import datetime
import hashlib
import os
import re
import shutil
import sys
import sysconfig

import pytest

from minigrad.exercises.cells import all_cells

KEPT = "minigrad/passed"
CUDASIM = "cudasim/tests"
PLAN = pytest.StashKey()
DONE = {
    "verdicts": "reused, unchanged since they were judged",
    "notebooks": "not run, unchanged since they ran",
}

# Verdicts depend on these, whatever the chapter, and on the tests that are marked.
JUDGES = (
    "minigrad", "cudasim", "tools/audit", "solutions", "grading/exercise.py",
    *(f"grading/{room}" for room in
      ("checking", "checks", "drivers", "isolation", "kernels", "processes")),
)  # fmt: skip
NO_JUDGES = (
    "minigrad/cli",
    "minigrad/export",
    CUDASIM,
    "cudasim/benchmarks",
    "cudasim/docs",
)
# Notebooks depend on these, too.
SOURCES = "lessons", "labs", "docs", "grading/notebooks", "pyproject.toml"
OF_A_CHAPTER = re.compile(r"(?:grading/checks|tests/answers|lessons|labs)/(\d\d)[_/]")
GENERATED = re.compile(r"__pycache__|\.egg-info|/build/|/\.")


def pytest_configure(config):
    config.addinivalue_line("markers", "kept(kind): not run if unchanged; see reuse.py")
    there = getattr(config, "workerinput", None)
    config.stash[PLAN] = plan = there["reuse"] if there else planned(config)
    if plan["cudasim"]:
        config.args[:] = [a for a in config.args if not a.endswith(CUDASIM)]


def planned(config):
    """What may be left out, as text and numbers: workers are sent it."""
    whole = config.args_source is config.ArgsSource.TESTPATHS
    whole = whole and not config.option.keyword and hasattr(config, "cache")
    again = config.option.fresh or config.option.nightly
    passed = config.cache.get(KEPT, {}) if hasattr(config, "cache") else {}
    plan = {"whole": whole, "cudasim": None, "passed": {}, "reused": {}}
    plan |= {
        "digests": digests(config.rootpath),
        "of cudasim": cudasim(config.rootpath),
    }
    if whole and not again:
        plan["passed"] = passed.get("tests", {})
        runs = passed.get("cudasim", {}).get(plan["of cudasim"], {})
        plan["cudasim"] = runs.get("") or runs.get(config.option.markexpr)
    return plan


# ---------------------------------------------------------------- what it depends on


def digests(root):
    """{kind: {chapter: a digest of all that it depends on}}; of "" every chapter's."""
    judges = [path for folder in JUDGES for path in texts(root, folder)]
    judges = [p for p in judges if not shown(root, p).startswith(NO_JUDGES)]
    sources = judges + [path for folder in SOURCES for path in texts(root, folder)]
    judges += [*texts(root, "tests/answers"), *helpers(root, "test_checks.py")]
    judges += helpers(root, "test_mutation.py")
    return {
        "verdicts": by_chapter(root, judges),
        "notebooks": by_chapter(root, sources + helpers(root, "test_notebooks.py")),
    }


def by_chapter(root, files):
    common, own = hashlib.sha256(environment().encode()), {}
    for path in sorted({*files}):
        chapter = OF_A_CHAPTER.match(shown(root, path))
        one = own.setdefault(chapter[1], hashlib.sha256()) if chapter else common
        one.update(f"{shown(root, path)}\0".encode() + content(path) + b"\0")
    results = {name: digest(common, one) for name, one in own.items()}
    return results | {"": digest(common, *own.values())}


def cudasim(root):
    """A digest of cudasim, its tests, and what is installed."""
    one = hashlib.sha256(environment().encode())
    for path in texts(root, "cudasim"):
        one.update(f"{shown(root, path)}\0".encode() + path.read_bytes() + b"\0")
    return digest(one)


def texts(root, name):
    """The files in a folder that no tool wrote, or the file of this name."""
    place = root / name
    files = place.rglob("*") if place.is_dir() else [place] * place.exists()
    return sorted(
        path for path in files
        if path.is_file() and not GENERATED.search(shown(root, path))
    )  # fmt: skip


def content(path):
    """The bytes of a file; of a solution only its code, which its text isn't."""
    if path.parent.name != "solutions":
        return path.read_bytes()
    return "\0".join(cell.text for cell in all_cells(path)).encode()


def helpers(root, name):
    """A file of tests, and what it names of tests/support or table.py, and so on."""
    places = *root.glob("tests/support/*.py"), *root.glob(f"{CUDASIM}/table.py")
    there = {path.stem: path for path in places}
    results, queue = set(), [*(root / "tests").rglob(name)]
    while queue:
        results.add(path := queue.pop())
        names = {*map(str.strip, re.split(r"[\s,.]", path.read_text("utf-8")))}
        queue += [there[n] for n in names & there.keys() if there[n] not in results]
    return sorted(results)


def environment():
    """The interpreter, every installed distribution, and the compilers."""
    folders = {sysconfig.get_path(kind) for kind in ("purelib", "platlib")}
    installed = {n for f in folders for n in os.listdir(f) if n.endswith(".dist-info")}
    tools = map(shutil.which, ("g++", "nvcc", "nvidia-smi", "bwrap"))
    return repr((sys.version, os.uname().machine, sorted(installed), [*tools]))


def shown(root, path):
    return path.relative_to(root).as_posix()


def digest(*parts):
    return hashlib.sha256(b"".join(one.digest() for one in parts)).hexdigest()


# ---------------------------------------------------------------- leaving out


@pytest.hookimpl(trylast=True)  # of what -m selects
def pytest_collection_modifyitems(config, items):
    plan, reused = config.stash[PLAN], []
    for item in items:
        if mark := item.get_closest_marker("kept"):
            (kind,) = mark.args
            group = item.get_closest_marker("xdist_group")
            name = item.nodeid.removesuffix(f"@{group.args[0]}" if group else "")
            name += f" --seeds {config.getoption('seeds', 1)}"
            now = plan["digests"][kind].get(chapter_of(item), "nobody knows")
            item.user_properties.append(("kept", (name, now)))
            before, day = plan["passed"].get(name, (None, None))
            if before == now:
                reused.append(item)
                plan["reused"].setdefault(kind, []).append(day)
    if reused:
        config.hook.pytest_deselected(items=reused)
        gone = {*map(id, reused)}
        items[:] = [item for item in items if id(item) not in gone]
    if hasattr(config, "workeroutput"):
        config.workeroutput["reused"] = plan["reused"]


def chapter_of(item):
    """The chapter of an item's exercise or text; "" is all chapters."""
    values = item.callspec.params if hasattr(item, "callspec") else {}
    if "text" in values:
        return values["text"].stem[:2]
    exercise = values.get("exercise")
    return exercise.chapter[:2] if exercise else ""


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node):
    node.workerinput["reuse"] = node.config.stash[PLAN]


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node):
    """All workers leave out the same."""
    if reused := getattr(node, "workeroutput", {}).get("reused"):
        node.config.stash[PLAN]["reused"] = reused


# ---------------------------------------------------------------- keeping what passed


def pytest_sessionfinish(session, exitstatus):
    config, plan = session.config, session.config.stash[PLAN]
    stats = config.pluginmanager.get_plugin("terminalreporter")
    if hasattr(config, "workerinput") or not hasattr(config, "cache") or not stats:
        return
    passed, today = config.cache.get(KEPT, {}), str(datetime.date.today())
    tests = passed.get("tests", {})
    tests |= {name: (d, today) for name, d in judged(stats, "passed")}
    for name, _ in (*judged(stats, "failed"), *judged(stats, "error")):
        tests.pop(name, None)
    now = {d for chapters in plan["digests"].values() for d in chapters.values()}
    tests = {name: kept for name, kept in tests.items() if kept[0] in now}
    runs = {plan["of cudasim"]: passed.get("cudasim", {}).get(plan["of cudasim"], {})}
    if run := of_cudasim(stats):
        runs[plan["of cudasim"]].pop(config.option.markexpr, None)
        done = exitstatus in (0, 1) and not (session.shouldfail or session.shouldstop)
        if plan["whole"] and done and run.pop("well"):
            runs[plan["of cudasim"]][config.option.markexpr] = run | {"day": today}
    config.cache.set(KEPT, {"tests": tests, "cudasim": runs})


def judged(stats, outcome):
    for report in stats.stats.get(outcome, []):
        of_a_test = getattr(report, "user_properties", [])  # a file's report has none
        yield from (kept for key, kept in of_a_test if key == "kept")


def of_cudasim(stats):
    """What became of cudasim's tests in this run; None if there were none."""
    groups = {
        outcome: [
            r for r in stats.stats.get(outcome, []) if r.nodeid.startswith(CUDASIM)
        ]
        for outcome in ("passed", "skipped", "failed", "error", "rerun")
    }
    passed, skipped, *bad = groups.values()
    if not any(groups.values()):
        return None
    reasons = {r.longrepr[2] for r in skipped if isinstance(r.longrepr, tuple)}
    reasons = sorted(reason.removeprefix("Skipped: ") for reason in reasons)
    return {"well": passed and not any(bad), "passed": len(passed), "not run": reasons}


def pytest_terminal_summary(terminalreporter, config):
    plan, say = config.stash[PLAN], terminalreporter.write_line
    for kind, days in plan["reused"].items():
        say(f"{len(days):,} {kind} {DONE[kind]} (since {min(days)}); "
            "--fresh runs them", yellow=True)  # fmt: skip
    if run := plan["cudasim"]:
        say(
            f"cudasim: not run, unchanged since its {run['passed']:,} tests passed on "
            f"{run['day']}; --fresh runs them",
            yellow=True,
        )
        for reason in run["not run"]:
            say(f"cudasim: not run on that day, either: {reason}", yellow=True)
