"""What a student's process can reach: nothing but its own cells and the library."""

import ctypes
import errno
import os
import subprocess
import sys

import pytest

pytest.importorskip("torch", reason="not run: grading (PyTorch is not installed)")

from grading.isolation import codec, forks, locks, replies, sandbox  # noqa: E402
from grading.isolation.forks import zygote  # noqa: E402
from grading.processes.process import ProcessSubject  # noqa: E402

if sandbox.why_not():
    pytest.skip(f"not run: {sandbox.why_not()}", allow_module_level=True)

LAB = "03_strides"
ERROR = "an error"
CELL = """
import ctypes, fcntl, gc, os, pathlib, socket, subprocess, sys, threading, time
import minigrad
from minigrad import layout, solves

@solves(layout.contiguous_strides)
def contiguous_strides(shape):
    try:
        return str({})
    except BaseException as error:
        return type(error).__name__
"""
# But for the course itself, where that lies there.
OURS = f"{sandbox.course.home()}/"
IN_TMP = f"[n for n in os.listdir('/tmp') if not {OURS!r}.startswith(f'/tmp/{{n}}/')]"
THREADS = """sum(t.start() is None for _ in range({})
    for t in [threading.Thread(target=time.sleep, args=(9,), daemon=True)])"""
SIX_GIGABYTES = "len(b'x' * 6 * 2**30)"
DISK = "[open(f'/tmp/{n}', 'wb').write(b'x' * 2**24) for n in range(9)]"


def tried(expression):
    """What an answer gets of an expression, or the error's name."""
    with ProcessSubject("x.ipynb", [("a", CELL.format(expression))], LAB) as subject:
        assert subject.about("contiguous_strides").state == "answered", subject.problems
        outcome = subject.call("contiguous_strides", [(2,)], 20)
        return outcome.value or outcome.problem


@pytest.mark.parametrize(
    "expression, got",
    [
        ("os.getppid() in (0, 1)", "True"),
        ("os.kill(1, 9)", "None"),  # nobody is hurt
        ("open('/proc/1/mem', 'r+b').read(1) != b''", ERROR),
        ("os.getuid() == 0", "False"),
        (IN_TMP, "[]"),
        ("len([p for p in os.listdir('/proc') if p.isdigit()]) in (0, 2)", "True"),
        ("sorted(os.environ.keys() & {'USER', 'SHELL', 'PYTHONPATH'})", "[]"),
        (f"os.path.exists({str(sandbox.course.home() / 'solutions')!r})", "False"),
        (f"os.listdir({str(sandbox.course.home() / 'grading' / 'checks')!r})", "[]"),
        (f"os.listdir({str(sandbox.course.home() / 'cudasim' / 'tests')!r})", "[]"),
        ("[m for m in sys.modules if m.startswith('grading.checks')]", "[]"),
        ("[m for m in ('asyncio', 'http', 'ssl') if m in sys.modules]", "[]"),  # slow
        ("gc.isenabled()", "True"),
        ("os.fork()", "PermissionError"),
        ("subprocess.run(['true'])", "PermissionError"),
        ("socket.socket()", "PermissionError"),
        ("open('/etc/passwd').read()", "FileNotFoundError"),
        (f"open({str(sandbox.course.home() / 'minigrad' / 'x')!r}, 'w')", "OSError"),
        ("pathlib.Path('/new').mkdir()", "OSError"),
        ("[open('/dev/null') for _ in range(9999)]", "OSError"),
        (SIX_GIGABYTES, "MemoryError"),
        (DISK, "OSError"),
        ("sum(t.start() is None for t in [threading.Thread(target=int)])", "1"),
        (THREADS.format(30), "30"),
        (THREADS.format(120), "RuntimeError"),
    ],
)
def test_what_a_students_process_reaches(expression, got):
    result = tried(expression)
    assert result == got or got is ERROR and result.endswith("Error")


SPAWNER = """
import os
from grading.isolation import locks
locks.drop_root()
locks.private_namespaces()
if os.fork() == 0:  # process 1
    locks.private_proc()
    locks.hide()
    if os.fork() == 0:
        locks.powerless()
        locks.show()
        os.listdir("/proc/self/fd")
        for name in "mem", "environ", "fd":
            try:
                os.listdir("/proc/1/fd") if name == "fd" else open(f"/proc/1/{name}")
            except OSError:
                continue
            print(name, "is open", flush=True)
        print("done", flush=True)
        os._exit(0)
    os.wait()
    os._exit(0)
os.wait()
"""


def test_no_student_reaches_what_has_forked_it():
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, "-c", SPAWNER]
    tried = subprocess.run(command, env=environment, capture_output=True, text=True)
    if "done" not in tried.stdout:
        pytest.skip(f"not run: namespaces ({tried.stderr[-200:]})")
    assert tried.stdout == "done\n"


def test_each_student_has_a_box_of_its_own():
    assert tried("open('/tmp/x', 'w').write('me')") == "2"
    assert tried(IN_TMP) == "[]"
    assert zygote().kind in ("own", "shared")


def test_the_answer_that_is_judged_is_not_there():
    steal = "layout.contiguous_strides.course_answer()"
    assert tried(steal) == "None"
    assert tried("layout.index_of.course_answer()(5, (2, 3))") == "(1, 2)"
    assert tried("layout.index_of.course_answer().__code__") == "AttributeError"


def test_where_there_is_no_box_nothing_is_graded(monkeypatch):
    monkeypatch.setattr(sandbox, "why_not", lambda: "bubblewrap is not installed")
    monkeypatch.setattr(forks, "_zygotes", {})
    with pytest.raises(sandbox.NoIsolation, match="--unsafe"):
        tried("1")


def test_a_killed_zygote_is_replaced():
    running = zygote()._process
    running.kill()
    running.wait()
    assert tried("1 + 1") == "2"


def test_one_box_a_student_where_namespaces_do_not_nest(monkeypatch):
    monkeypatch.setattr(forks, "_zygotes", {})
    code = forks.CODE.replace("import serve", "import Room, serve; "
                                "Room._nests = lambda self: False")  # fmt: skip
    monkeypatch.setattr(forks, "CODE", code)
    assert tried("open('/tmp/x', 'w').write('me')") == "2"
    assert tried(IN_TMP) == "[]"
    assert tried("os.fork()") == "PermissionError"
    assert not forks._zygotes


@pytest.mark.parametrize(
    "reply",
    [
        None,
        1,
        (),
        (1, None),
        (1, ("raised", "x"), ""),
        (1, ("raised", 1, (), ""), ""),
        (1, ("raised", "x", (1,), ""), ""),
        (1, ("raised", "x", ("y",) * 99, ""), ""),
        (1, None, b"printed"),
        ([[]] * 300_000, None, ""),
    ],
)
def test_odd_outcomes_are_refused(reply):
    with pytest.raises(ValueError):
        replies.outcome(codec.decode(codec.encode(reply)))


def test_a_deep_value_is_refused():
    value = 1
    for _ in range(60):
        value = [value]
    with pytest.raises(ValueError):
        replies.outcome((value, None, ""))


def test_tensors_are_examined():
    seen = codec.Seen((2,), (1,), 0, "float32", None, False)
    assert replies.outcome(((seen,), None, "")).value == (seen,)
    odd = [{"shape": [2]}, {"strides": ()}, {"offset": 1.0}, {"offset": 2**80},
           {"dtype": "V0"}, {"values": 7}, {"shares": 1}]  # fmt: skip
    for change in odd:
        with pytest.raises(ValueError):
            replies.outcome(([seen._replace(**change)], None, ""))


# By number where a libseccomp may not know the name; these are the same everywhere.
NEW = {"io_uring_setup": 425, "pidfd_getfd": 438, "cachestat": 451, "statmount": 457,
       "listmount": 458, "mseal": 462, "setxattrat": 463, "open_tree_attr": 467,
       "of another year": 500}  # fmt: skip
OLD = """add_key bpf fadvise64 fanotify_init inotify_init1 kcmp keyctl membarrier
memfd_create mincore mount name_to_handle_at perf_event_open personality preadv2
process_vm_readv ptrace seccomp sched_setaffinity setns setpriority splice sync
unshare userfaultfd""".split()  # noqa: SIM905
CALLED = "[ctypes.CDLL(None, use_errno=True).syscall({}, -1, 0), ctypes.get_errno()]"


@pytest.mark.parametrize("name", [*NEW, *OLD])
def test_a_call_that_no_answer_needs_does_not_exist(name):
    number = NEW.get(name) or number_of(name)
    assert tried(CALLED.format(number)) == str([-1, errno.ENOSYS])


def number_of(name):
    return ctypes.CDLL("libseccomp.so.2").seccomp_syscall_resolve_name(name.encode())


# To wait for, to be told of, or to hold up others at a file that all may read.
SHARED = "open(minigrad.layout.__file__)"


@pytest.mark.parametrize(
    "expression, got",
    [
        (f"fcntl.flock({SHARED}, fcntl.LOCK_SH)", "PermissionError"),
        (f"fcntl.lockf({SHARED}, fcntl.LOCK_SH)", "OSError"),
        (f"fcntl.fcntl({SHARED}, fcntl.F_SETLEASE, fcntl.F_RDLCK)", "OSError"),
        (f"fcntl.fcntl({SHARED}, fcntl.F_NOTIFY, 1)", "OSError"),
        (f"fcntl.fcntl({SHARED}, fcntl.F_SETOWN, 1)", "OSError"),
        (f"fcntl.fcntl({SHARED}, fcntl.F_SETFD, 1)", "0"),
    ],
)
def test_no_answer_holds_up_who_opens_a_file(expression, got):
    assert tried(expression) == got


def test_the_lists_of_allowed_calls_can_be_made():
    assert locks.Filter() and locks.Filter(locks.PROGRAMS, locks.PROCESSES)


def test_what_keeps_a_process_from_starting_is_said(monkeypatch):
    monkeypatch.setattr(forks, "_zygotes", {})
    monkeypatch.setattr(forks, "CODE", "import nowhere_to_be_had  # {fd} {boxed}")
    with pytest.raises(OSError, match="No module named 'nowhere_to_be_had'"):
        forks.Fork()
