"""What all processes of a box may use together: memory, and a number of processes.

Linux counts it, and shares the CPU fairly, where this process may make cgroups: as
root, or where a part of the tree was given to its user. Elsewhere a thread watches.
"""

import contextlib
import functools
import itertools
import os
import signal
import threading
import time
from pathlib import Path

CONTROLLERS = {"memory", "pids"}
PROCESSES = 512  # and threads
PAUSE = 0.05  # seconds between two looks
END_SECONDS = 2  # until Linux has let go of what was killed
PAGE = os.sysconf("SC_PAGE_SIZE")
_numbers = itertools.count()


class Together:
    """A limit for a process that is started with `enter`, and for all below it.

    whole: above the limit all of them are ended, and not the largest one.
    """

    def __init__(self, memory, whole=True):
        self.memory, self.group, self._procs = memory, None, None
        with contextlib.suppress(OSError):
            self.group = _group(memory, whole)
            # It's written to by the child, who may be nobody by then.
            self._procs = os.open(self.group / "cgroup.procs", os.O_WRONLY)

    def enter(self):
        """Count this process, and all that it starts."""
        if self._procs is not None:
            os.write(self._procs, b"0")

    def watch(self, pid):
        """From now on, where Linux does not count: end all of them above the limit."""
        if self._procs is None and Path("/proc/self/statm").exists():
            threading.Thread(target=self._watch, args=[pid], daemon=True).start()

    def end(self):
        """Nothing of it is left."""
        if self._procs is not None:
            os.close(self._procs)
            self._procs = None
        late = time.monotonic() + END_SECONDS
        while self.group and self.group.exists() and time.monotonic() < late:
            with contextlib.suppress(OSError):
                (self.group / "cgroup.kill").write_text("1")
            with contextlib.suppress(OSError):
                self.group.rmdir()
                return
            time.sleep(0.002)

    def _watch(self, pid):
        while alive := below(pid):
            begun = time.monotonic()
            if used(alive) > self.memory and used(alive, shared) > self.memory:
                with contextlib.suppress(OSError):
                    os.killpg(pid, signal.SIGKILL)
                return
            time.sleep(PAUSE + time.monotonic() - begun)


def below(pid):
    """A process and all that it has started, while they live."""
    processes, waiting = [], [Path("/proc", str(pid))]
    while waiting:
        proc = waiting.pop()
        with contextlib.suppress(OSError):
            if not proc.joinpath("cmdline").read_bytes():
                continue  # it has ended
            for task in (proc / "task").iterdir():
                children = (task / "children").read_text().split()
                waiting += [Path("/proc", child) for child in children]
            processes.append(proc)
    return processes


def used(processes, size=None):
    """The bytes of these processes, and of their /tmp."""
    total = files = 0
    for proc in processes:
        with contextlib.suppress(OSError):
            total += (size or resident)(proc)
            if not (proc / "root").samefile("/"):
                disk = os.statvfs(proc / "root" / "tmp")
                files = max(files, (disk.f_blocks - disk.f_bfree) * disk.f_frsize)
    return total + files


def resident(proc):
    """Its bytes in memory, also those that it shares: many times those of a fork."""
    return int((proc / "statm").read_text().split()[1]) * PAGE


def shared(proc):
    """Its bytes in memory, with its part of what it shares; that takes longer."""
    try:
        said = (proc / "smaps_rollup").read_text()
    except OSError:  # it is somebody else's
        return resident(proc)
    return int(said.partition("\nPss:")[2].split()[0]) * 1024


def _group(memory, whole):
    """A new cgroup with these limits; OSError where none can be made."""
    place = _place()
    if place is None:
        raise OSError("no cgroups")
    group = place / f"minigrad-{os.getpid()}-{next(_numbers)}"
    group.mkdir()
    try:
        (group / "memory.max").write_text(str(memory))
        (group / "pids.max").write_text(str(PROCESSES))
        (group / "memory.oom.group").write_text(str(int(whole)))
        with contextlib.suppress(OSError):  # where there is no swap
            (group / "memory.swap.max").write_text("0")
    except OSError:
        group.rmdir()
        raise
    return group


@functools.cache
def _place():
    """Where cgroups with limits of memory and processes can be made, or None."""
    with contextlib.suppress(OSError, StopIteration, ValueError):
        own = _own()
        for folder in (own.parent, own):
            said = (folder / "cgroup.subtree_control").read_text()
            if {*said.split()} >= CONTROLLERS and os.access(folder, os.W_OK):
                _forget_dead(folder)
                return folder
    return None


def _own():
    """The folder of this process's cgroup, of version 2."""
    with open("/proc/self/mountinfo") as file:
        mounts = [line.split() for line in file if " - cgroup2 " in line]
    with open("/proc/self/cgroup") as file:
        path = next(line[3:].strip() for line in file if line.startswith("0::"))
    root, mounted = next((m[3], m[4]) for m in mounts)
    return Path(mounted) / Path(path).relative_to(root)


def _forget_dead(folder):
    """Remove what a grader has left that was killed."""
    for group in folder.glob("minigrad-*-*"):
        if not Path("/proc", group.name.split("-")[1]).exists():
            with contextlib.suppress(OSError):
                group.rmdir()
