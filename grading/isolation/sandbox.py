"""A box for a program: the system to read, and nothing else of this machine.

bubblewrap makes it: namespaces of its own for processes, network, IPC and mounts, and
for users where we are not root. In it are the system, this Python without the libraries
that know the answers, `minigrad`, `grading` without its checks, and `cudasim` without
its tests. There is no gradebook, no solution, no submission and no home.
"""

import contextlib
import functools
import importlib.util
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

from minigrad import course

from . import codec, locks, missing_box
from .limits import Together
from .locks import NOBODY

KNOWING = "torch", "tensorflow", "jax", "cupy"  # what could answer in a student's place
DEVICES = "null", "zero", "full", "random", "urandom"
SYSTEM = "bin", "lib", "lib64", "sbin"
ENVIRONMENT = {
    "PATH": "/usr/local/cuda/bin:/usr/local/bin:/usr/bin:/bin",
    "HOME": "/tmp",
    "LANG": "C.UTF-8",
    "OMP_NUM_THREADS": "1",
}
FILES = "/etc/ld.so.cache", "/etc/alternatives"
MIGHTY = 1 << 21 | 1 << 12  # CAP_SYS_ADMIN and CAP_NET_ADMIN
boxing = False  # does this process grade, so that answers run in boxes?
ROOMY = 2**30  # bytes of /tmp; those of students have a /tmp of their own
MEMORY = 5 * 2**30  # bytes of all processes of a box, and its /tmp
GPU_MEMORY = 16 * 2**30  # where CUDA keeps a part of what it needs
REPLY = 2**28  # bytes of the longest file that `said` lets a program write
TRIED = f"import runpy; runpy.run_path({locks.__file__!r})['Filter']()"  # and no NumPy


class NoIsolation(RuntimeError):
    """This machine offers no box: the message says what to do."""


class Failed(RuntimeError):
    """A program in a box has ended with an error: its last words."""


@functools.cache
def why_not():
    """Why there is no box on this machine; "" where there is one. It is tried."""
    if not sys.platform.startswith("linux"):
        return "only Linux has what a box is made of"
    if shutil.which("bwrap") is None:
        return "bubblewrap is not installed"
    try:
        tried = subprocess.run(
            **boxed(python(TRIED)),
            env=ENVIRONMENT,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=60,
        )
    except (OSError, subprocess.SubprocessError) as error:
        return f"bubblewrap does not start: {error}"
    said = tried.stderr.strip().splitlines()
    last = said[-1].rstrip(".") if said else "?"
    return f"bubblewrap fails: {last}" if tried.returncode else ""


def expect():
    """NoIsolation where there is no box."""
    if why_not():
        raise NoIsolation(
            f"students' code cannot be shut off on this machine: {why_not()}. Nothing "
            f"is graded.\n{missing_box.advice(why_not())}\n(--unsafe grades without: "
            f"whatever a submission does, it does to this machine, and every grade is "
            f"marked so.)"
        )


def around(argv, hidden=KNOWING, devices=(), shown=()):
    """What `subprocess` starts a program by; in a box, where this process grades.

    Of the environment nothing is given away: the box could read bubblewrap's, too.
    """
    if not boxing:
        return {"args": argv}
    return boxed(argv, hidden, devices, shown) | {"env": ENVIRONMENT}


def boxed(argv, hidden=KNOWING, devices=(), shown=()):
    """What `subprocess` starts a program in a box by.

    Root without the powers to make namespaces, as in a container, has to be somebody
    else: in a user namespace, too, it would be the system's root.
    """
    nobody = {"user": NOBODY, "group": NOBODY, "extra_groups": []}
    command = _command(argv, hidden, devices, shown)
    return {"args": command} | (nobody if os.geteuid() == 0 and not _mighty() else {})


def _mighty():
    """May this process make namespaces without a namespace of users?"""
    with open("/proc/self/status") as file:
        said = dict(line.split(":", 1) for line in file)
    return int(said["CapEff"], 16) & MIGHTY == MIGHTY


def _command(argv, hidden=KNOWING, devices=(), shown=()):
    """The command line that runs another one in a box.

    hidden: packages that are not there. devices: more of /dev, such as a GPU's. shown:
    more folders to be read.
    """
    tmp = "--perms", "1777", "--size", str(ROOMY), "--tmpfs", "/tmp"  # may hold ours
    parts = *_shut(), *tmp, *_shown(shown), *_hidden(hidden), *_devices(devices)
    end = "--proc", "/proc", "--chdir", "/tmp", "--remount-ro", "/"
    return [shutil.which("bwrap"), *parts, *end, "--", *argv]


def started(how, limits=(), watched=False, **more):
    """(a process of its own group, our end of a socket to it); silent by default.

    how(fd): what `subprocess` starts it by, given the descriptor of its own end.
    watched: it may start programs, so the memory of all has to be counted.
    """
    here, theirs = socket.socketpair()
    with theirs:
        fd = theirs.fileno()
        silent = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.DEVNULL)
        how = silent | how(fd) | more
        child = _child(MEMORY, watched, dict(limits), pass_fds=[fd], **how)
    return child, here


def _child(memory, watched, limits, **how):
    """A process of its own group, whose memory is limited with that of all below it."""
    together = Together(memory, whole=watched)

    def begin():
        together.enter()
        locks.limit(limits)

    with _unseen(**how) as how:
        try:
            child = subprocess.Popen(start_new_session=True, preexec_fn=begin, **how)
        except BaseException:
            together.end()
            raise
    child.together = together
    if watched:
        together.watch(child.pid)
    return child


@contextlib.contextmanager
def _unseen(args, pass_fds=(), **how):
    """The same start, of a bubblewrap whose options no process of its box can read."""
    if "--" not in args:
        yield how | {"args": args, "pass_fds": pass_fds}
        return
    first, *options = args[: args.index("--")]
    with tempfile.TemporaryFile() as file:
        file.write(b"".join(os.fsencode(option) + b"\0" for option in options))
        file.seek(0)
        fd = file.fileno()
        args = [first, "--args", str(fd), *args[len(options) + 1 :]]
        yield how | {"args": args, "pass_fds": [*pass_fds, fd]}


def end(child):
    """End a process, and all of its group."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGKILL)
    child.wait()
    child.together.end()


def said(code, question, seconds, hidden=KNOWING):
    """What a Python with the GPUs, in a box, says to a question by `answer`.

    Failed: its last words, where it has failed. TimeoutError: it was not done in time.
    ValueError: it says nothing that `answer` would.
    """
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        streams = {"stdin": subprocess.PIPE, "stdout": output, "stderr": errors}
        how = around(python(code), hidden, gpus()) | streams
        child = _child(GPU_MEMORY, True, {"RLIMIT_FSIZE": REPLY}, **how)
        try:
            child.communicate(codec.encode(question), seconds)
        except subprocess.TimeoutExpired:
            raise TimeoutError(f"not done after {seconds} s") from None
        finally:
            end(child)
        for file in output, errors:
            file.seek(0)
        if child.returncode:
            lines = errors.read(2**20).decode(errors="replace").split("\n")
            raise Failed(next((x for x in reversed(lines) if x.strip()), "it crashed"))
        return codec.decode(output.read())


def answer(function):
    """Say function(question), in the program that `said` starts.

    Only that reaches its output, and not what kernels and libraries print.
    """
    voice = os.fdopen(os.dup(1), "wb")
    with open(os.devnull, "wb") as nowhere:
        os.dup2(nowhere.fileno(), 1)
    reply = function(codec.decode(sys.stdin.buffer.read()))
    with voice:
        voice.write(codec.encode(reply))


def gpus():
    """The devices of NVIDIA's driver, by name."""
    return [path.name for path in Path("/dev").glob("nvidia*") if not path.is_dir()]


def python(code):
    """The command line of a Python in a box that has the course on its path."""
    start = f"import sys; sys.path[:0] = [{str(course.home())!r}]; {code}"
    return [sys.executable, "-I", "-c", start]


def _shut():
    names = [f"--unshare-{name}" for name in ("ipc", "pid", "net", "uts")]
    root = "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"  # until it is nobody
    user = root if _mighty() else ("--unshare-user",)
    return [*names, *user, "--new-session", "--die-with-parent"]


def _shown(more):
    """The system, this Python, the course and more, to be read."""
    for name in SYSTEM:
        path = Path("/", name)
        if path.is_symlink():
            yield from ("--symlink", os.readlink(path), str(path))
        elif path.exists():
            yield from ("--ro-bind", str(path), str(path))
    ours = [course.home() / name for name in ("minigrad", "grading", "cudasim")]
    shown = [
        Path(p) for p in ("/usr", *FILES, sys.base_prefix, sys.prefix, *ours, *more)
    ]
    for folder in sorted({f for path in shown for f in path.parents} - {Path("/")}):
        yield from ("--perms", "0755", "--dir", str(folder))  # else they are root's
    for path in shown:
        yield from ("--ro-bind-try", str(path), str(path))


def _hidden(packages):
    specs = [importlib.util.find_spec(name) for name in packages]
    places = [spec.submodule_search_locations[0] for spec in specs
              if spec and spec.submodule_search_locations]  # fmt: skip
    texts = "grading/checks", "cudasim/tests", "cudasim/benchmarks"  # of kernels
    knowing = [course.home() / name for name in texts]
    for place in [*places, *(str(p) for p in knowing if p.exists())]:
        yield from ("--tmpfs", place, "--remount-ro", place)


def _devices(more):
    yield from ("--dir", "/dev")
    for name in (*DEVICES, *more):
        yield from ("--dev-bind-try", f"/dev/{name}", f"/dev/{name}")
