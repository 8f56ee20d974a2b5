"""What all processes of a box use together: counted by Linux, or watched."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="not run: grading (PyTorch is not installed)")

from grading.isolation import limits, sandbox  # noqa: E402

pytestmark = pytest.mark.slow
if sandbox.why_not():
    pytest.skip(f"not run: {sandbox.why_not()}", allow_module_level=True)

MB = 2**20
MANY = """
import mmap, os, time
def keep():
    {}
    time.sleep(60)
    os._exit(0)
for _ in range(15):
    if os.fork() == 0:
        keep()
time.sleep(60)
"""
MEMORY = {
    "its own": "x = b'x' * 30 * 2**20",
    "shared with nobody": "m = mmap.mmap(-1, 30 * 2**20); m.write(b'x' * 30 * 2**20)",
    "in files": "open(f'/tmp/{os.getpid()}', 'wb').write(b'x' * 30 * 2**20)",
}


@pytest.fixture(params=["as here", "watched"])
def counted(request, monkeypatch):
    """With the machine's cgroups, if it has any, and without."""
    if request.param == "watched":
        monkeypatch.setattr(limits, "_place", lambda: None)
    elif limits._place() is None:
        pytest.skip("not run: limits by cgroups (none can be made here)")


@pytest.mark.parametrize("kind", MEMORY)
def test_many_processes_together_have_the_memory_of_one(counted, monkeypatch, kind):
    monkeypatch.setattr(sandbox, "boxing", True)
    monkeypatch.setattr(sandbox, "GPU_MEMORY", 250 * MB)
    code = f"exec({MANY.format(MEMORY[kind])!r})"
    with pytest.raises(sandbox.Failed):  # all of it was ended
        sandbox.said(code, None, 30)


def test_what_shares_its_memory_is_counted_once(counted, monkeypatch):
    monkeypatch.setattr(sandbox, "boxing", True)
    monkeypatch.setattr(sandbox, "GPU_MEMORY", 250 * MB)
    text = "x = b'x' * 50 * 2**20\n" + MANY.format("").replace("60", "2")
    code = f"from grading.isolation import sandbox; exec({text!r}); "
    assert sandbox.said(code + "sandbox.answer(lambda x: x + 1)", 1, 20) == 2


def test_nothing_of_a_group_is_left(counted):
    group = limits.Together(100 * MB)
    code = "import time; time.sleep(60)"
    child = subprocess.Popen([sys.executable, "-c", code], preexec_fn=group.enter)
    folder = group.group
    if folder:
        assert str(child.pid) in (folder / "cgroup.procs").read_text().split()
        group.end()
        assert not folder.exists() and child.wait() == -9
    child.kill()
    child.wait()


def test_what_a_killed_grader_has_left_is_removed(tmp_path):
    ended = subprocess.Popen(["true"])
    ended.wait()
    for pid in ended.pid, os.getpid():
        (tmp_path / f"minigrad-{pid}-0").mkdir()
    limits._forget_dead(tmp_path)
    assert [p.name for p in tmp_path.iterdir()] == [f"minigrad-{os.getpid()}-0"]


def test_process_1_tells_nothing_of_the_machine(monkeypatch):
    monkeypatch.setattr(sandbox, "boxing", True)
    read = "lambda _: open('/proc/1/cmdline', 'rb').read()"
    code = f"from grading.isolation import sandbox; sandbox.answer({read})"
    first = sandbox.said(code, None, 20).split(b"\0--\0")[0]
    assert b"--args" in first and b"bind" not in first
    assert str(Path.home()).encode() not in first
