"""The locks that a process shuts about itself, and cannot open again. Linux has them.

bubblewrap locks a program from its start. A process that is forked from a warm one, and
starts nothing, has to lock itself.
"""

import contextlib
import ctypes
import os
import resource
import signal
import sys
import tempfile

NEWUSER, NEWPID, NEWNET, NEWNS = 0x10000000, 0x20000000, 0x40000000, 0x00020000
NEWIPC, NEWUTS = 0x08000000, 0x04000000
OWN = NEWUSER | NEWPID | NEWNET | NEWNS | NEWIPC | NEWUTS
NOSUID, NODEV, NOEXEC, READONLY, BIND = 2, 4, 8, 1, 4096 | 16384
DETACH = 2  # umount2
NOBODY = 65534
DUMPABLE, KEEP_NO_PRIVILEGES = 4, 38  # prctl

MEMORY = 4 * 2**30  # bytes of addresses; NumPy and minigrad take 200 MB of them
TMP = 64 * 2**20  # bytes of /tmp
CPU = 600  # seconds of work for all exercises of a submission
LIMITS = {
    "RLIMIT_AS": MEMORY,
    "RLIMIT_CPU": CPU,
    "RLIMIT_FSIZE": TMP,
    "RLIMIT_NOFILE": 128,
    "RLIMIT_NPROC": 64,  # threads count, too; more of them starve other students
    "RLIMIT_CORE": 0,
    "RLIMIT_MSGQUEUE": 0,
    "RLIMIT_MEMLOCK": 0,
}
# The system calls of Python, NumPy, and their threads. What's not listed doesn't exist
# for an answer, as on a kernel that's older than the call: nothing that a newer kernel
# adds can be reached, and libc falls back to what it used before.
NEEDED = """access alarm arch_prctl brk capget chdir chmod clock_getres clock_gettime
clock_nanosleep close close_range copy_file_range creat dup dup2 dup3 epoll_create
epoll_create1 epoll_ctl epoll_pwait epoll_pwait2 epoll_wait eventfd eventfd2 exit
exit_group faccessat faccessat2 fallocate fchdir fchmod fchmodat fchmodat2 fdatasync
fgetxattr flistxattr fstat fstatfs fsync ftruncate futex get_robust_list getcpu getcwd
getdents getdents64 getegid geteuid getgid getgroups getitimer getpeername getpgid
getpgrp getpid getppid getpriority getrandom getresgid getresuid getrlimit getrusage
getsid getsockname getsockopt gettid gettimeofday getuid getxattr kill lgetxattr link
linkat listxattr llistxattr lseek lstat map_shadow_stack mkdir mkdirat mmap mprotect
mremap msync munmap nanosleep newfstatat open openat openat2 pause pipe pipe2 poll ppoll
pread64 preadv pselect6 pwrite64 pwritev read readlink readlinkat readv
recvfrom recvmsg rename renameat renameat2 restart_syscall rmdir rseq rt_sigaction
rt_sigpending rt_sigprocmask rt_sigreturn rt_sigsuspend rt_sigtimedwait
sched_get_priority_max sched_get_priority_min sched_getaffinity sched_getparam
sched_getscheduler sched_yield select sendfile sendmsg sendto set_robust_list
set_tid_address setitimer setrlimit setsockopt shutdown sigaltstack signalfd4 stat
statfs statx symlink symlinkat sysinfo tgkill time timerfd_create timerfd_gettime
timerfd_settime times tkill truncate umask uname unlink unlinkat utime utimensat utimes
wait4 waitid write writev""".split()  # noqa: SIM905
# The arguments that are allowed, where not all are: of which one, under which mask.
ALL = 2**64 - 1
CHOICES = {
    # F_DUPFD to F_SETFL, F_DUPFD_CLOEXEC, F_GETPIPE_SZ: no lock, lease or notice, by
    # which an answer could have others wait for a file that all may read.
    "fcntl": (1, 2**32 - 1, [0, 1, 2, 3, 4, 1030, 1032]),
    # TCGETS, TIOCGWINSZ, FIONREAD, FIONBIO, FIONCLEX, FIOCLEX
    "ioctl": (1, 2**32 - 1, [0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451]),
    # up to DONTNEED, FREE, (DONT)FORK, (NO)HUGEPAGE, (DO|DONT)DUMP, (WIPE|KEEP)ONFORK,
    # GUARD_*: nothing that moves pages of files in and out of memory
    "madvise": (2, 2**32 - 1, [0, 1, 2, 3, 4, 8, 10, 11, *range(14, 20), 102, 103]),
    # PR_GET_DUMPABLE, (SET|GET)_NAME, CAPBSET_READ, NO_NEW_PRIVS, SET_VMA
    "prctl": (0, 2**32 - 1, [3, 15, 16, 23, 38, 39, 0x53564D41]),
    "prlimit64": (0, 2**32 - 1, [0]),  # one's own limits
    "socketpair": (0, 2**32 - 1, [1]),  # AF_UNIX
}
NEW = 0x7E020080  # CLONE_NEW*: namespaces
THREAD = 0x00010000  # CLONE_THREAD
THREADS = {"clone": (0, NEW | THREAD, [THREAD])}
PROCESSES = {"clone": (0, NEW, [0])}
PROGRAMS = "execve", "execveat", "fork", "vfork"
# What an answer may expect to be there: it hears that it's not permitted.
FORBIDDEN = *PROGRAMS, "connect", "flock", "socket"
# CUDA's driver: its devices, and memory of the host that stays where it is.
CUDA = "ioctl", "madvise", "mlock", "mlock2", "munlock", "sched_setaffinity"
ALLOW, EPERM, ENOSYS, KILL = 0x7FFF0000, 0x00050001, 0x00050026, 0x80000000
MASKED_EQUAL = 7
BAD_ARCHITECTURE, OPTIMIZE = 2, 8  # attributes of libseccomp's filters
PDEATHSIG = 1  # prctl
SET_FILTER, ALL_THREADS = 1, 1  # seccomp


class _Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("code", ctypes.c_char_p)]


class _Argument(ctypes.Structure):
    _fields_ = [("number", ctypes.c_uint), ("how", ctypes.c_int),
                ("one", ctypes.c_uint64), ("other", ctypes.c_uint64)]  # fmt: skip


LINUX = sys.platform.startswith("linux")
_u32 = ctypes.c_uint32
_libc = ctypes.CDLL(None, use_errno=True)


def private_namespaces(which=OWN):
    """Have namespaces of one's own; the next child is process 1 of its world."""
    user, group = os.geteuid(), os.getegid()
    _call("unshare", which)
    for name, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"),
                       ("gid_map", f"{group} {group} 1")):  # fmt: skip
        with open(f"/proc/self/{name}", "w") as file:
            file.write(text)


def private_proc():
    """Have a /proc of one's own, or none."""
    try:
        _mount(b"proc", b"/proc", NOSUID | NODEV | NOEXEC)
    except PermissionError:  # where a part of /proc is covered, as in a container
        _mount(b"tmpfs", b"/proc", NOSUID | NODEV | NOEXEC | READONLY, b"size=4k")


def shown_in_tmp():
    """What a box shows within /tmp, such as a course that lies there: opened, by path.

    Read it before private_proc().
    """
    with open("/proc/self/mountinfo") as file:
        places = [line.split()[4] for line in file]
    return {p: os.open(p, os.O_PATH) for p in places if p.startswith("/tmp/")}


@contextlib.contextmanager
def private_tmp(shown):
    """Have a /tmp of limited size for a while, of which nothing is left.

    What was shown_in_tmp() is shown again.
    """
    options = f"size={TMP},nr_inodes=4096,mode=700".encode()
    _mount(b"tmpfs", b"/tmp", NOSUID | NODEV, options)
    for place, opened in shown.items():
        os.makedirs(place, exist_ok=True)
        os.fchdir(opened)
        _mount(b".", place.encode(), BIND)
    os.chdir("/")
    try:
        yield
    finally:
        _call("umount2", b"/tmp", DETACH)


def end_all():
    """End all processes but this one, which is process 1 of its namespace."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(-1, signal.SIGKILL)
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, 0):
            pass


def hide():
    """Let no process of the same user read or change this one; show() ends that."""
    if LINUX:
        _call("prctl", DUMPABLE, 0, 0, 0, 0)


def show():
    if LINUX:
        _call("prctl", DUMPABLE, 1, 0, 0, 0)


def drop_root():
    """Be nobody from now on, where one is root and may."""
    if os.getuid() == 0:
        with contextlib.suppress(PermissionError, OSError):
            os.setgroups([])
            os.setresgid(NOBODY, NOBODY, NOBODY)
            os.setresuid(NOBODY, NOBODY, NOBODY)
            show()  # else /proc/self is root's


def end_with_parent():
    """Have Linux end this process when its parent ends, however that happens."""
    if LINUX:
        _call("prctl", PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def limit(limits):
    """Keep to limits of memory, processes, files and time, such as LIMITS."""
    for name, most in limits.items():
        if hasattr(resource, name) and (LINUX or name != "RLIMIT_AS"):  # macOS has none
            _, hard = resource.getrlimit(getattr(resource, name))
            most = most if hard == resource.RLIM_INFINITY else min(most, hard)
            resource.setrlimit(getattr(resource, name), (most, most))


def powerless():
    """Have no capability, and never get one by starting a program."""
    _call("prctl", KEEP_NO_PRIVILEGES, 1, 0, 0, 0)
    head, data = (_u32 * 2)(0x20080522, 0), (_u32 * 6)()
    _call("capset", head, data)


def for_a_compiler(cuda=False):
    """The locks of a program that builds what it runs; outside of a box, none.

    cuda: it may drive the GPU.
    """
    if os.environ.get("HOME") == "/tmp":
        drop_root()
        powerless()
        few = {"RLIMIT_AS": 2**33, "RLIMIT_FSIZE": 2**30, "RLIMIT_NOFILE": 1024}
        few["RLIMIT_NPROC"] = 256
        if cuda:
            few["RLIMIT_AS"] = 2**46  # all of the GPU's memory is mapped
        limit(LIMITS | few)
        Filter((*PROGRAMS, "seccomp", *(CUDA if cuda else ())), PROCESSES).shut()


def for_what_was_built(cuda=False):
    """From now on, start no program: only what was built, in this process, runs."""
    if os.environ.get("HOME") == "/tmp":
        Filter(CUDA if cuda else ()).shut()


class Filter:
    """A list of the only system calls there are: made once, shut by each child.

    more: calls with any arguments. choices: {a call: (argument, mask, values)}.
    """

    def __init__(self, more=(), choices=THREADS):
        lib = ctypes.CDLL("libseccomp.so.2")
        lib.seccomp_init.restype = ctypes.c_void_p
        self._lib, self._list = lib, ctypes.c_void_p(lib.seccomp_init(_u32(ENOSYS)))
        lib.seccomp_attr_set(self._list, BAD_ARCHITECTURE, _u32(KILL))
        lib.seccomp_attr_set(self._list, OPTIMIZE, _u32(2))  # a tree, where it can
        for name in {*NEEDED, *more}:
            self._rule(ALLOW, name)
        choices = {n: c for n, c in (CHOICES | choices).items() if n not in more}
        for name, (number, mask, values) in choices.items():
            for value in values:
                argument = _Argument(number, MASKED_EQUAL, mask, value)
                self._rule(ALLOW, name, argument)
        for name in {*FORBIDDEN} - {*more}:
            self._rule(EPERM, name)
        if "fork" not in more:
            self._rule(EPERM, "clone", _Argument(0, MASKED_EQUAL, THREAD, 0))
        self._program = self._exported()

    def shut(self):
        """Allow nothing else from now on, to any thread of this process."""
        _call("prctl", KEEP_NO_PRIVILEGES, 1, 0, 0, 0)
        number = self._lib.seccomp_syscall_resolve_name(b"seccomp")
        program = ctypes.byref(self._program)
        if _call("syscall", number, SET_FILTER, ALL_THREADS, program):
            raise OSError("a thread keeps the system calls that it had")

    def _exported(self):
        """The filter as the kernel takes it, so that no child has to make it again."""
        with tempfile.TemporaryFile() as file:
            if self._lib.seccomp_export_bpf(self._list, file.fileno()):
                raise OSError("libseccomp cannot write the list of system calls")
            file.seek(0)
            code = file.read()
        return _Program(len(code) // 8, code)

    def _rule(self, how, name, *arguments):
        number = self._lib.seccomp_syscall_resolve_name(name.encode())
        if number == -1:  # this libseccomp does not know it
            return
        many = (_Argument * max(len(arguments), 1))(*arguments)
        done = self._lib.seccomp_rule_add_array(
            self._list, _u32(how), number, len(arguments), many
        )
        if done and number >= 0:  # below 0: this machine's kernels do not have it
            raise OSError(-done, f"no rule for {name}")


def _mount(kind, where, flags, options=None):
    _call("mount", kind, where, kind, flags, options)


def _call(name, *arguments):
    result = getattr(_libc, name)(*arguments)
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")
    return result
