"""Hostile answers, of every kind that we know. None earns a point or reads a secret.

A text is what a cell does when it runs (CELL), what the answer does when it is called
(CALL), an expression whose value the answer returns, to be read in the feedback (READ),
a reply to the grader, written by hand (REPLY) or by a cell (EARLY), or CUDA C (CUDA). `{home}` is the
course's folder, `{room}` the class's, `{secret}` a file beside it.
"""

import textwrap
from typing import NamedTuple

from minigrad.kernels.copy import contiguous_kernel

CELL, CALL, READ, CUDA = "cell", "call", "read", "CUDA C"
REPLY, EARLY = "reply", "early"

HEAD = """
import ctypes, gc, os, pathlib, re, signal, socket, subprocess, sys, threading, time
import numpy as np
import minigrad, minigrad.kernels.copy
from minigrad import Tensor, layout, solves
libc = ctypes.CDLL(None, use_errno=True)
def must(result):
    if result < 0: raise OSError(ctypes.get_errno(), "refused")
    return result
def tell(text):
    raise ValueError(text)
"""
LINE = """
import msgpack
from grading.isolation import codec
from grading.isolation.connection import Line
line = next(o for o in gc.get_objects() if isinstance(o, Line))
def reply(value): line.send(codec.encode(value))
def raw(data): line.end.settimeout(None); line.end.sendall(data)
def sent(structure, arrays=b""): line.send(codec.HEAD.pack(len(structure)) + structure + arrays)
def packed(value, arrays=b""): sent(msgpack.packb(value), arrays)
def ext(code, value): return msgpack.ExtType(code, msgpack.packb(value))
"""
KERNEL_OF = "solves(minigrad.kernels.copy.contiguous_kernel)"
ANSWER = """
@solves(layout.contiguous_strides)
def contiguous_strides(shape):
"""


class Attack(NamedTuple):
    kind: str
    name: str
    how: str
    text: str

    def cells(self, **places):
        """The code of its cells: (id, text)."""
        text = self.text
        for key, value in places.items():
            text = text.replace(f"{{{key}}}", str(value))
        if self.how == CUDA:
            text = text.replace("GLOBAL", contiguous_kernel.form()).replace(
                "DEEP", DEEP
            )
            return [("a", f"{HEAD}{KERNEL_OF}(r'''{text}''')")]
        if self.how in (CELL, EARLY):
            head = HEAD + (LINE if self.how == EARLY else "")
            return [("a", head + text), ("b", HEAD + ANSWER + "    return (0,)")]
        if self.how == READ:
            text = f"return str({text})"
        head = HEAD + (LINE if self.how == REPLY else "")
        return [("a", head + ANSWER + textwrap.indent(text, "    "))]


def table(kind, how, lines):
    """Attacks of one kind: NAME: code; what is indented goes on with the one above."""
    results = []
    for line in lines.strip().splitlines():
        if line.startswith(" "):
            results[-1][1].append(line.strip("\n")[4:])
        else:
            name, _, code = line.partition(":")
            results.append((name, [code.strip()]))
    return [Attack(kind, name, how, "\n".join(code).strip()) for name, code in results]


FORGED = table(
    "forging a result",
    CALL,
    r"""
equal to everything: return type("E", (), {"__eq__": lambda s, o: True})()
a tuple that equals everything: return type("T", (tuple,), {"__eq__": lambda s, o: True})((7,))
an int that equals everything: return (type("I", (int,), {"__eq__": lambda s, o: True, "__hash__": int.__hash__})(7),)
a text that is every text: return type("S", (str,), {"__eq__": lambda s, o: True})("7")
an array that walks the frames: return type("A", (np.ndarray,), {"__array__": lambda s, *a: sys._getframe(1).f_locals["expected"]})((2,))
an array of objects: return np.array([object()], dtype=object)
NaN: return (float("nan"),)
infinity: return (float("inf"),) * len(shape)
overflow: return (2**63 - 1, -(2**63))
an int of a million digits: return (10**1000000,)
the expected value, from a frame:
    frame = sys._getframe()
    while frame:
        if "expected" in frame.f_locals: return frame.f_locals["expected"]
        frame = frame.f_back
the expected value, from the collector: return next((o["expected"] for o in gc.get_objects() if isinstance(o, dict) and "expected" in o), None)
PyTorch by a new import:
    sys.modules.pop("torch", None)
    import torch
    return torch.empty(shape).stride()
PyTorch by its files:
    place = next(p for p in sys.path if os.path.isdir(p + "/torch/lib"))
    return ctypes.CDLL(place + "/torch/lib/libtorch.so")
TensorFlow:
    import tensorflow
    return tensorflow.zeros(shape).numpy().strides
the course's answer, requested: return layout.contiguous_strides.course_answer()(shape)
the course's answer, by the line:
    from minigrad.exercises import exercise
    return exercise.supply(layout.contiguous_strides)(shape)
the course's answer, under another name:
    from minigrad.exercises import exercise
    fake = type("H", (), {"name": "contiguous_strides", "chapter": "03_strides"})
    return exercise.supply(fake)(shape)
the solution's file:
    names = {}
    exec(open("{home}/solutions/03_strides.py").read(), names)
    return names["contiguous_strides"](shape)
the solution as a stand-in:
    minigrad.answers_from("solutions")
    return layout.contiguous_strides(shape)
the check's own module:
    import importlib
    return importlib.import_module("grading.checks.03_01_contiguous_strides")
NumPy's comparisons patched:
    np.testing.assert_allclose = np.testing.assert_array_equal = lambda *a, **k: None
    np.array_equal = np.allclose = lambda *a, **k: True
    return (7,)
the judge patched:
    import grading.checking.check, grading.checking.describe
    grading.checking.check.judge = lambda *a: 1.0
    grading.checking.describe.same = lambda *a: True
    return (7,)
the verdict patched:
    from grading.checking.verdict import Verdict
    Verdict.points = property(lambda s: 100)
    return (7,)
the exercise's points changed:
    layout.contiguous_strides.points = 1000
    return (7,)
its argument changed into the answer:
    layout.contiguous_strides.__wrapped__ = lambda shape: shape
    return (7,)
right in the first calls only:
    contiguous_strides.calls = getattr(contiguous_strides, "calls", 0) + 1
    return (1,) if contiguous_strides.calls == 1 else (7,)
a table of the listed inputs: return {(2,): (1,), (2, 3): (3, 1), (): (), (1,): (1,), (2, 3, 4): (12, 4, 1)}.get(shape, (0,))
a generator: return (n for n in shape)
a class in the place of a value: return tuple
an exception that is a number: raise type("1.0", (Exception,), {"__str__": lambda s: "1.0"})()
an exception that cannot be shown: raise type("E", (Exception,), {"__str__": lambda s: 1 / 0})()
the exit status of success: os._exit(0)
SystemExit in an answer: sys.exit(0)
KeyboardInterrupt in an answer: raise KeyboardInterrupt
""",
)
FORGED += table(
    "forging a result",
    CELL,
    r"""
the exercise replaced: layout.contiguous_strides = lambda shape: shape
a check that prints a score: print("1.0"); 1.0
a background thread that answers:
    def loop():
        while True: layout.contiguous_strides._run = lambda shape: (1,)
    threading.Thread(target=loop, daemon=True).start()
importing torch under another name:
    import importlib.util
    sys.modules["numpy.linalg"] = importlib.util.find_spec("torch")
answers that are registered as solutions:
    import minigrad.exercises.source as source
    source._place = ("solutions/03_strides.py", "x", "x")
the memory of the process read for the answer: print(open("/proc/self/mem", "rb").read(10))
an audit hook that raises: sys.addaudithook(lambda *a: 1 / 0)
a trace function that rewrites locals: sys.settrace(lambda f, e, a: f.f_locals.clear() or None)
""",
)

REPLIES = table(
    "abuse of the protocol",
    REPLY,
    r"""
an outcome of its own before the real one: reply(((1,), None, "")); return (7,)
a hundred outcomes: [reply(((1,), None, "")) for _ in range(100)]; return (7,)
a message longer than agreed: raw(b"\xff\xff\xff\xff" + b"x" * 100); time.sleep(99)
a message that never ends:
    raw(b"\x00\xff\xff\xff")
    while True: raw(b"x"); time.sleep(0.1)
a message broken off: raw(b"\x00\x00\xff\xffabc"); os._exit(0)
bytes of no protocol: raw(os.urandom(4096)); time.sleep(99)
an empty message: raw(b"\0\0\0\0"); time.sleep(99)
a megabyte of nothing: line.send(b"\xc0" * 2**20); time.sleep(99)
a list nested a hundred thousand deep: sent(b"\x91" * 100000 + b"\xc0"); time.sleep(99)
a tuple nested in tuples:
    value = b"\xc0"
    for _ in range(2000): value = msgpack.packb(msgpack.ExtType(0, b"\x91" + value))
    sent(value); time.sleep(99)
ten million values: sent(b"\x93\xdd\x00\x98\x96\x80" + b"\xc0" * 10**7 + b"\xc0\xa0"); time.sleep(99)
a dtype of size 0: packed([ext(1, ["V0", [4]]), None, ""]); time.sleep(99)
a dtype of objects: packed([ext(1, ["O", [1]]), None, ""], b"x" * 8); time.sleep(99)
a dtype that is no text: packed([ext(1, [[["a", "f4"]], [1]]), None, ""], b"x" * 4); time.sleep(99)
a dtype with a shape: packed([ext(1, ["(0,)f4", [1]]), None, ""]); time.sleep(99)
a huge shape over no bytes: packed([ext(1, ["<f4", [0, 2**62, 2**62]]), None, ""]); time.sleep(99)
a negative shape: packed([ext(1, ["<f4", [-1]]), None, ""], b"x" * 4); time.sleep(99)
a shape of floats: packed([ext(1, ["<f4", [1.0]]), None, ""], b"x" * 4); time.sleep(99)
an unknown kind of value: packed([ext(99, 1), None, ""]); time.sleep(99)
a pickle:
    import pickle
    raw(pickle.dumps([os.getpid]) * 9); time.sleep(99)
a tensor of huge strides: reply((codec.Seen((2,), (10**30,), 0, "float32", None, True), None, "")); time.sleep(99)
a tensor of odd parts: reply((codec.Seen("a", None, [1], {}, (2,), 3), None, "")); time.sleep(99)
a map with a list for a key: sent(b"\x81\x90\x01"); time.sleep(99)
no outcome but a number: reply(1); time.sleep(99)
an outcome of one part: reply((1,)); time.sleep(99)
a problem of odd parts: reply((None, (1, 2, 3, 4), "")); time.sleep(99)
a problem without end: reply((None, ("raised", "x" * 10**7, ("E",) * 10**5, ""), "")); time.sleep(99)
an expected exception, claimed: reply((None, ("raised", "x", ("AssertionError", "IndexError"), ""), "")); time.sleep(99)
what is printed is a number: reply((7, None, 7)); time.sleep(99)
lone surrogates: sent(b"\x93\x07\xc0\xa3\xed\xb0\x80"); time.sleep(99)
a message of an unknown kind: line.send(codec.encode(["grade", 100])); time.sleep(99)
a message that a cell is done: line.send(codec.encode(["end", "a", "x"])); time.sleep(99)
a need of an answer that there is not: line.send(codec.encode(["need", "os.system"])); time.sleep(99)
a need of itself: line.send(codec.encode(["need", "contiguous_strides"])); return line.receive()
a need of no text: line.send(codec.encode(["need", {"a": 1}])); time.sleep(99)
needs without end:
    while True: line.send(codec.encode(["need", "index_of"]))
a line that is closed: line.end.close(); return (7,)
every descriptor closed: os.closerange(0, 999); return (7,)
a line that is not read: os.kill(os.getpid(), signal.SIGSTOP); time.sleep(99)
an encoder that lies: codec.encode = lambda *a: b"\xc0"; return (7,)
a subject that lies:
    from grading.checking import runner
    runner.serve = lambda *a: codec.encode(((1,), None, ""))
    runner.served = lambda *a: [runner.serve()]
    runner.LocalSubject.call = lambda *a: ((1,), None, "")
    return (7,)
""",
)

COSTLY = table(
    "messages that take long to read",
    REPLY,
    r"""
a map of colliding ints:
    sent(b"\x93\xdf" + (199999).to_bytes(4, "big") + b"".join(msgpack.packb(ext(5, hex(n * (2**61 - 1)))) + b"\x00" for n in range(1, 200000)) + b"\xc0\xa0")
a map of colliding tuples: sent(b"\x93\xdf" + (10**5).to_bytes(4, "big") + b"".join(msgpack.packb(ext(0, [n * (2**61 - 1)])) + b"\x00" for n in range(10**5)) + b"\xc0\xa0")
many maps of colliding tuples:
    one = b"\xde" + (250).to_bytes(2, "big") + b"".join(msgpack.packb(ext(0, [ext(5, hex(n * (2**61 - 1)))])) + b"\x00" for n in range(1, 251))
    sent(b"\x93\xdc\x00\xff" + one * 255 + b"\xc0\xa0")
a map of NaN: sent(b"\x93\xdf\x00\x01\x00\x00" + (msgpack.packb(float("nan")) + b"\x00") * 2**16 + b"\xc0\xa0")
a map of floats: sent(b"\x93\xdf\x00\x01\x00\x00" + b"".join(msgpack.packb(2.0 ** (n % 1000) * n) + b"\x00" for n in range(2**16)) + b"\xc0\xa0")
five million tuples: sent(b"\x93\xdd\x00\x4c\x4b\x40" + b"\xd4\x00\x90" * 5000000 + b"\xc0\xa0")
a million empty lists: sent(b"\x93\xdd\x00\x0f\x00\x00" + b"\x90" * (15 * 2**16) + b"\xc0\xa0")
tuples in tuples that are read again and again:
    value = msgpack.packb("x" * 900000)
    for _ in range(38): value = msgpack.packb(msgpack.ExtType(0, b"\x91" + value))
    sent(b"\x93" + value + b"\xc0\xa0")
one array given a thousand times: packed([[ext(1, ["|u1", [2**20]])] * 1000, None, ""], bytes(2**20))
an array that is larger than it is: packed([ext(1, ["|u1", [2**40]]), None, ""], bytes(2**20))
an int of a million digits, in hex: packed([ext(5, "0x" + "f" * 900000), None, ""])
a tensor of 200,000 sizes: packed([ext(2, [ext(0, [1] * 200000), ext(0, [1] * 200000), 0, "float32", None, True]), None, ""])
a dtype that is a map: packed([ext(2, [ext(0, [2]), ext(0, [1]), 0, {}, None, True]), None, ""])
15 MB of zeros: packed([ext(1, ["|u1", [15 * 2**20]]), None, ""], bytes(15 * 2**20))
""",
)

ASKED_FOR_BY_NOBODY = table(
    "messages that nobody asks for",
    EARLY,
    r"""
a map of colliding keys, while a cell runs: sent(b"\x93\xdf" + (20000).to_bytes(4, "big") + b"".join(msgpack.packb(ext(0, [n * (2**61 - 1)])) + b"\x00" for n in range(20000)))
a megabyte of what a cell has raised: sent(msgpack.packb(["end", "a", "x" * 2**20]))
a hundred thousand beginnings:
    for _ in range(10**5): line.send(codec.encode(["begin", "a"]))
that it is ready: line.send(codec.encode(["ready"]))
that it is ready, and an outcome:
    line.send(codec.encode(["ready"])); line.send(codec.encode(("answered", "a", "b", "c", False)))
    for _ in range(9): reply(((1,), None, ""))
that another cell begins: line.send(codec.encode(["begin", "b"]))
that a cell of no notebook begins: line.send(codec.encode(["begin", {"a": 1}]))
noise to the references:
    from grading.drivers import reference_calls
    reference_calls.connected.end.sendall(os.urandom(2**20))
a long message to the references, which never comes:
    from grading.drivers import reference_calls
    reference_calls.connected.end.sendall(b"\x0f\xff\xff\xff")
calls of the references without end, in a thread:
    from grading.drivers import reference_calls
    def ask():
        while True:
            try: reference_calls.connected.request("has", "index_of")
            except Exception: pass
    threading.Thread(target=ask, daemon=True).start()
an iterator without end, for a reference:
    from minigrad.kernels.transfers import needless_copies
    def events():
        while True: yield "copy", "x"
    threading.Thread(target=needless_copies, args=(events(),), daemon=True).start()
""",
)

SECRETS = table(
    "reading what is secret",
    READ,
    r"""
a file of the home folder: open("{secret}").read()
by a path that climbs: open("/tmp/../../../../../../{secret}").read()
the gradebook: open("{room}/gradebook.db", "rb").read()
another's submission: list(pathlib.Path("{room}/submitted").rglob("*"))[0].read_text()
the records: list(pathlib.Path("{room}/verdicts").rglob("*.json"))[0].read_text()
the checks: [p.read_text() for p in pathlib.Path("{home}/grading/checks").rglob("*.py")][0]
compiled checks: list(pathlib.Path("{home}/grading").rglob("checks/__pycache__/*.pyc"))[0].read_bytes()
the solutions: open("{home}/solutions/03_strides.py").read()
the history of the course: list(pathlib.Path("{home}/.git").iterdir())
the environment: [v for v in os.environ.values() if "SECRET" in v][0]
the environment of the parent: open(f"/proc/{os.getppid()}/environ").read()
the environment of process 1: [x for x in open("/proc/1/environ").read().split() if "SECRET" in x][0]
the memory of another process: [open(f"/proc/{p}/mem", "rb") for p in os.listdir("/proc") if p.isdigit() and p != str(os.getpid())][0]
the descriptors that were inherited: [os.pread(n, 99, 0) for n in range(3, 99) if os.path.exists(f"/proc/self/fd/{n}") and os.fstat(n).st_mode & 0o100000][0]
the root of process 1: os.listdir("/proc/1/root/home")[0] + open("/proc/1/root{secret}").read()
the names of who is here: open("/etc/passwd").read().split("SECRET")[1]
the machine's secrets: open("/etc/shadow").read()
keys: list(pathlib.Path("/root", ".ssh").iterdir())[0].read_text()
the disk itself: open("/dev/vda", "rb").read(99)
the memory itself: open("/dev/mem", "rb").read(99)
a link to a file: [os.symlink("{secret}", "/tmp/link"), open("/tmp/link").read()][1]
a hard link to a file: [os.link("{secret}", "/tmp/link"), open("/tmp/link").read()][1]
another's /tmp: [os.path.join(d, f) for d, _, fs in os.walk("/tmp") for f in fs][0]
the command line of the grader: [open(f"/proc/{p}/cmdline").read() for p in os.listdir("/proc") if p.isdigit() and "bwrap" in open(f"/proc/{p}/cmdline").read()][0]
the mounts: [l for l in open("/proc/self/mountinfo") if "SECRET" in l][0]
the seed, from every module: [vars(m)["seed"] for m in list(sys.modules.values()) if isinstance(vars(m).get("seed"), int)][0]
the check, from the collector: [o for o in gc.get_objects() if type(o).__name__ == "ContiguousStrides"][0]
""",
)

DAMAGE = table(
    "changing what is not its own",
    CELL,
    r"""
the gradebook:
    import sqlite3
    sqlite3.connect("{room}/gradebook.db").execute("update grade set auto_score = 9")
the record: pathlib.Path("{room}/verdicts/03_strides/eve.json").write_text("{}")
another's submission: pathlib.Path("{room}/submitted/ada/03_strides/03_strides.ipynb").write_text("x")
everything: subprocess.run("rm -rf {room}", shell=True, check=True)
everything, without a shell:
    import shutil
    shutil.rmtree("{room}")
a start-up file of IPython:
    folder = pathlib.Path("{room}/../.ipython/profile_default/startup"); folder.mkdir(parents=True)
    (folder / "x.py").write_text("1")
a .pth file: pathlib.Path(np.__file__).parent.parent.joinpath("x.pth").write_text("import os")
usercustomize: pathlib.Path("/root", ".local/lib/python3.11/site-packages").mkdir(parents=True)
a compiled module of the course: [p.write_bytes(b"x") for p in pathlib.Path("{home}/minigrad").rglob("*.pyc")] or 1 / 0
a module of the course: pathlib.Path("{home}/minigrad/layout.py").write_text("x")
the course's configuration: open("{room}/nbgrader_config.py", "a").write("import os")
a cron job: pathlib.Path("/etc/cron.d/x").write_text("* * * * * root true")
a file in the folder of all temporary files: pathlib.Path("/tmp/minigrad-was-here").write_text("x")
the permissions of a file: os.chmod("{secret}", 0o777)
the clock: must(libc.clock_settime(0, (ctypes.c_long * 2)(int(time.time()), 0)))
the name of the machine: must(libc.sethostname(b"owned", 5))
""",
)

PROCESSES = table(
    "processes that stay, or signals",
    CELL,
    r"""
a fork: os.fork() or time.sleep(999)
a daemon:
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0: time.sleep(999)
a fork bomb:
    while True: os.fork()
vfork: must(libc.vfork())
clone by hand: must(libc.syscall(56, 17, 0, 0, 0, 0))
clone3: must(libc.syscall(435, (ctypes.c_uint64 * 11)(0, 0, 0, 0, 17), 88))
a program: subprocess.Popen(["sleep", "999"], start_new_session=True)
posix_spawn: os.posix_spawn("/bin/sleep", ["sleep", "999"], {})
exec: os.execv("/bin/sleep", ["sleep", "999"])
nohup by the shell: os.system("nohup sleep 999 &") and 1 / 0
multiprocessing:
    import multiprocessing
    multiprocessing.Process(target=time.sleep, args=(999,)).start()
threads without end: [threading.Thread(target=time.sleep, args=(999,)).start() for _ in range(9999)]
a thread that is no daemon: threading.Thread(target=time.sleep, args=(999,)).start()
death of the parent: os.kill(os.getppid(), 9)
death of all: os.kill(-1, 9)
death of the group: os.killpg(0, 9)
death of itself: os.kill(os.getpid(), 9)
stop of itself: os.kill(os.getpid(), signal.SIGSTOP)
signals that are ignored:
    for n in range(1, 65):
        try: signal.signal(n, signal.SIG_IGN)
        except (OSError, ValueError): pass
alarms to come: signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)
living longer than the parent: must(libc.prctl(1, 0, 0, 0, 0))
another session: os.setsid(); os.fork()
something at the exit:
    import atexit
    atexit.register(time.sleep, 999)
a segmentation fault: ctypes.string_at(0)
an abort: os.abort()
a thread that never lets go:
    def loop():
        while True: pass
    [threading.Thread(target=loop, daemon=True).start() for _ in range(4)]
""",
)

NETWORK = table(
    "the network",
    READ,
    r"""
the internet: socket.create_connection(("192.0.2.1", 80), 2)
a name: socket.gethostbyname("example.org").index("SECRET")
loopback: socket.create_server(("127.0.0.1", 0))
loopback by IPv6: socket.socket(socket.AF_INET6)
a Unix socket: socket.socket(socket.AF_UNIX)
netlink: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW)
raw packets: socket.socket(socket.AF_INET, socket.SOCK_RAW, 1)
a page: __import__("urllib.request").request.urlopen("http://192.0.2.1", timeout=2)
vsock: socket.socket(40, socket.SOCK_STREAM)
""",
)

RESOURCES = table(
    "taking all there is",
    CALL,
    r"""
6 GB of memory: x = [b"x" * 2**28 for _ in range(24)]; return (len(x),)
6 GB of zeros that are written: x = np.ones(6 * 2**27); return (7,)
2 GB of disk:
    for n in range(99): open(f"/tmp/{n}", "wb").write(bytes(2**25))
    return (7,)
a hundred thousand files:
    for n in range(100000): open(f"/tmp/{n}", "w").close()
    return (7,)
8000 open files: x = [open("/dev/null") for _ in range(8000)]; return (7,)
pipes full of data: x = [os.write(os.pipe()[1], bytes(65536)) for _ in range(4000)]; return (7,)
memory as a file: x = [os.write(os.memfd_create("x"), bytes(2**28)) for _ in range(9)]; return (7,)
shared memory: must(libc.shmget(0, 2**30, 0o1666)); return (7,)
/dev/shm: open("/dev/shm/x", "wb").write(bytes(2**30)); return (7,)
a very deep folder:
    for _ in range(3000): os.mkdir("d"); os.chdir("d")
    return (7,)
endless recursion:
    sys.setrecursionlimit(10**9)
    return contiguous_strides(shape)
endless recursion of its own:
    f = lambda n: f(n + 1)
    return f(0)
an endless loop:
    while True: pass
an endless loop that eats every exception:
    while True:
        try:
            while True: pass
        except BaseException: pass
sleep: time.sleep(9999)
sleep, a little in every call: time.sleep(4); return (7,)
a lock that is never free: threading.Lock().acquire() and threading.Lock().acquire(); x = threading.Lock(); x.acquire(); x.acquire()
a regular expression: return re.match(r"(a+)+$", "a" * 40 + "b")
a power: return (9**9**9,)
a print without end:
    while True: print("x" * 10**6)
output below Python:
    while True: os.write(1, b"x" * 65536)
an answer of 100 MB: return (("x" * 10**8),)
an answer nested without end:
    x = []
    x.append(x)
    return x
an answer nested a thousand deep:
    x = ()
    for _ in range(1000): x = (x,)
    return x
a million answers: return tuple(range(10**6))
a decompression bomb:
    import zlib
    x = zlib.compress(bytes(10**7))
    return [zlib.decompress(x) for _ in range(10**4)]
memory without a name:
    import mmap
    x = [mmap.mmap(-1, 2**28) for _ in range(24)]
    return (7,)
""",
)

KERNEL = table(
    "the kernel's doors",
    CELL,
    r"""
namespaces: must(libc.unshare(0x10000000))
a mount: must(libc.mount(b"tmpfs", b"/usr", b"tmpfs", 0, None))
/tmp bound elsewhere: must(libc.mount(b"/tmp", b"/usr", None, 4096, None))
an unmount: must(libc.umount2(b"/proc", 2))
a new root: os.chroot("/tmp"); open("/../../../{secret}")
pivot_root: must(libc.syscall(155, b"/tmp", b"/tmp"))
the namespaces of process 1: must(libc.setns(os.open("/proc/1/ns/mnt", 0), 0))
root by setuid: os.setuid(0); open("/etc/shadow")
all capabilities: must(libc.capset((ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)(*[2**32 - 1] * 6)))
ptrace: must(libc.ptrace(16, 1, 0, 0))
another's memory: must(libc.process_vm_readv(1, None, 0, None, 0, 0) - 1)
BPF: must(libc.syscall(321, 0, None, 0))
perf: must(libc.syscall(298, None, 0, -1, -1, 0))
io_uring: must(libc.syscall(425, 8, None))
keys of the kernel: must(libc.syscall(250, 0, -3, 1))
userfaultfd: must(libc.syscall(323, 0))
a file by its handle: must(libc.syscall(304, -100, None, 0))
a device: os.mknod("/tmp/disk", 0o60666, os.makedev(254, 0)); open("/tmp/disk", "rb").read(9)
a module of the kernel: must(libc.syscall(175, None, 0, b""))
a reboot: must(libc.reboot(0))
a higher priority: os.setpriority(os.PRIO_PROCESS, 0, -20)
limits raised:
    import resource
    resource.setrlimit(resource.RLIMIT_AS, (-1, -1))
""",
)

CUDA_C = table(
    "kernels",
    CUDA,
    r"""
an endless loop: GLOBAL { while (true) y[0] = 1; }
writes beyond the end: GLOBAL { y[n + threadIdx.x + 100000000] = 1; }
reads of memory that it was not given: GLOBAL { y[0] = x[-1000000]; }
writes to its input: GLOBAL { ((float*)x)[0] = 1; }
a pointer out of nothing: GLOBAL { *(float*)0x7fff0000 = 1; }
a file of the machine: #include "{secret}"
a file, by a path that climbs: #include "../../../../../../../../../../..{secret}"
a file, from a folder that is shipped: #include <cuda/../../../../../../../../..{secret}>
a file, by a macro:
    #define F "{secret}"
    #include F
a file, by its own name:
    #line 1 "{secret}"
    #include __FILE__
a file, embedded:
    GLOBAL { char t[] = {
    #embed "{secret}"
    }; y[0] = t[0]; }
a file, by the assembler: GLOBAL { asm(".incbin \"{secret}\""); }
whether a file is there:
    #if __has_include("{secret}") || __has_include(</etc/passwd>)
    #error SECRET-4711
    #endif
    GLOBAL { }
memory without end: GLOBAL { float z[1000000000]; z[n] = 1; y[0] = z[n]; }
a macro bomb:
    #define A "x" "x"
    #define B A A A A A A A A A A A A A A A A
    #define C B B B B B B B B B B B B B B B B
    #define D C C C C C C C C C C C C C C C C
    #define E D D D D D D D D D D D D D D D D
    #define F E E E E E E E E E E E E E E E E
    GLOBAL { const char* x = F F F F; }
code of the host:
    #include <cstdlib>
    struct X { X() { system("touch {room}/owned"); } };
    static X x;
    GLOBAL { }
Python in a name: GLOBAL { int __import__ = 1, os = 2, eval = 3; y[0] = __import__ + os + eval; }
assembler: GLOBAL { asm("trap;"); }
a message that is a script: GLOBAL { <script>alert(1)</script> }
parentheses without end: GLOBAL { y[0] = DEEP; }
""",
)
DEEP = "(" * 9000 + "1" + ")" * 9000

ATTACKS = [*FORGED, *REPLIES, *COSTLY, *ASKED_FOR_BY_NOBODY, *SECRETS, *DAMAGE, *PROCESSES, *NETWORK, *RESOURCES,
           *KERNEL, *CUDA_C]  # fmt: skip
