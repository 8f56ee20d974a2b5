"""The locks that a process shuts about itself, and cannot open again. Linux has them.

bubblewrap locks a program from its start. A process that is forked from a warm one, and
starts nothing, has to lock itself.
"""

import contextlib
import ctypes
import os
import resource
import signal

NEWUSER, NEWPID, NEWNET, NEWNS = 0x10000000, 0x20000000, 0x40000000, 0x00020000
NEWIPC, NEWUTS = 0x08000000, 0x04000000
OWN = NEWUSER | NEWPID | NEWNET | NEWNS | NEWIPC | NEWUTS
NOSUID, NODEV, NOEXEC, READONLY, BIND = 2, 4, 8, 1, 4096 | 16384
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
    "RLIMIT_NPROC": 256,  # threads count, too
    "RLIMIT_CORE": 0,
    "RLIMIT_MSGQUEUE": 0,
    "RLIMIT_MEMLOCK": 0,
}
# What no answer needs, and what has been used to break out, to hide or to wait for
# another. What starts programs or processes has a list of its own: compilers do.
REFUSED = """acct add_key bpf chroot clock_adjtime clock_settime connect
create_module delete_module fanotify_init finit_module fsconfig fsmount fsopen
init_module io_setup io_uring_enter io_uring_register io_uring_setup ioperm iopl kcmp
kexec_file_load kexec_load keyctl lookup_dcookie mbind memfd_create memfd_secret
migrate_pages mount mount_setattr move_mount move_pages mq_open msgget name_to_handle_at
open_by_handle_at open_tree perf_event_open personality pivot_root process_madvise
process_vm_readv process_vm_writev ptrace quotactl reboot request_key semget
setdomainname sethostname setns settimeofday shmget socket swapoff swapon syslog umount2
unshare userfaultfd vhangup""".split()  # noqa: SIM905
PROCESSES = ["execve", "execveat", "fork", "vfork"]
ALLOW, EPERM, ENOSYS = 0x7FFF0000, 0x00050001, 0x00050026
MASKED_EQUAL = 7
THREAD, PDEATHSIG = 0x00010000, 1


class _Argument(ctypes.Structure):
    _fields_ = [("number", ctypes.c_uint), ("how", ctypes.c_int),
                ("one", ctypes.c_uint64), ("other", ctypes.c_uint64)]  # fmt: skip


_libc = ctypes.CDLL(None, use_errno=True)


def private_namespaces(which=OWN):
    """Have namespaces of one's own; the next child is process 1 of its world."""
    user, group = os.geteuid(), os.getegid()
    _call("unshare", which)
    for name, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"),
                       ("gid_map", f"{group} {group} 1")):  # fmt: skip
        with open(f"/proc/self/{name}", "w") as file:
            file.write(text)


def private_folders():
    """Have a /tmp of limited size, and a /proc of one's own, or none.

    What a box shows within /tmp, such as a course that lies there, is shown again.
    """
    with open("/proc/self/mountinfo") as file:
        places = [line.split()[4] for line in file]
    shown = {p: os.open(p, os.O_PATH) for p in places if p.startswith("/tmp/")}
    options = f"size={TMP},nr_inodes=4096,mode=700".encode()
    _mount(b"tmpfs", b"/tmp", NOSUID | NODEV, options)
    for place, opened in shown.items():
        os.makedirs(place, exist_ok=True)
        _mount(f"/proc/self/fd/{opened}".encode(), place.encode(), BIND)
        os.close(opened)
    try:
        _mount(b"proc", b"/proc", NOSUID | NODEV | NOEXEC)
    except PermissionError:  # where a part of /proc is covered, as in a container
        _mount(b"tmpfs", b"/proc", NOSUID | NODEV | NOEXEC | READONLY, b"size=4k")


def drop_root():
    """Be nobody from now on, where one is root and may."""
    if os.getuid() == 0:
        with contextlib.suppress(PermissionError, OSError):
            os.setgroups([])
            os.setresgid(NOBODY, NOBODY, NOBODY)
            os.setresuid(NOBODY, NOBODY, NOBODY)
            _libc.prctl(DUMPABLE, 1, 0, 0, 0)  # else /proc/self is root's


def end_with_parent():
    """Have Linux end this process when its parent ends, however that happens."""
    _call("prctl", PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def limit(limits):
    """Keep to limits of memory, processes, files and time, such as LIMITS."""
    for name, most in limits.items():
        if hasattr(resource, name):
            _, hard = resource.getrlimit(getattr(resource, name))
            most = most if hard == resource.RLIM_INFINITY else min(most, hard)
            resource.setrlimit(getattr(resource, name), (most, most))


def powerless():
    """Have no capability, and never get one by starting a program."""
    _call("prctl", KEEP_NO_PRIVILEGES, 1, 0, 0, 0)
    head, data = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()
    _call("capset", head, data)


def for_a_compiler(**more):
    """The locks of a program that builds what it runs; outside of a box, none."""
    if os.environ.get("HOME") == "/tmp":
        drop_root()
        powerless()
        few = {"RLIMIT_AS": 2**33, "RLIMIT_FSIZE": 2**30, "RLIMIT_NOFILE": 1024}
        limit(LIMITS | few | more)
        Filter(processes=True).shut()


class Filter:
    """A list of system calls that are refused: made once, shut by each child."""

    def __init__(self, processes=False):
        self._lib = ctypes.CDLL("libseccomp.so.2")
        self._lib.seccomp_init.restype = ctypes.c_void_p
        self._list = ctypes.c_void_p(self._lib.seccomp_init(ctypes.c_uint32(ALLOW)))
        for name in REFUSED + ([] if processes else PROCESSES):
            self._refuse(name, EPERM)
        self._refuse("prctl", EPERM, _Argument(0, MASKED_EQUAL, 2**32 - 1, PDEATHSIG))
        for bit in (NEWUSER, NEWPID, NEWNET, NEWNS, NEWIPC, NEWUTS):
            self._refuse("clone", EPERM, _Argument(0, MASKED_EQUAL, bit, bit))
        if not processes:  # a thread is no process
            self._refuse("clone", EPERM, _Argument(0, MASKED_EQUAL, THREAD, 0))
        self._refuse("clone3", ENOSYS)  # its flags lie in memory; libc takes clone then

    def shut(self):
        if self._lib.seccomp_load(self._list):
            raise OSError("the kernel does not take the list of system calls")

    def _refuse(self, name, how, *arguments):
        number = self._lib.seccomp_syscall_resolve_name(name.encode())
        if number == -1:  # this libseccomp does not know it
            return
        many = (_Argument * max(len(arguments), 1))(*arguments)
        done = self._lib.seccomp_rule_add_array(
            self._list, ctypes.c_uint32(how), number, len(arguments), many
        )
        if done and number >= 0:  # below 0: this machine's kernels do not have it
            raise OSError(-done, f"no rule for {name}")


def _mount(kind, where, flags, options=None):
    _call("mount", kind, where, kind, flags, options)


def _call(name, *arguments):
    if getattr(_libc, name)(*arguments) < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")
