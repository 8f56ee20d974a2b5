"""Hostile answers in C++: what they compile, do at load and send reaches nothing."""

import contextlib
import fcntl
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytest.importorskip("nbgrader", reason="not run: grading (nbgrader is not installed)")
pytest.importorskip("torch", reason="not run: grading (PyTorch is not installed)")

from left_over import running  # noqa: E402

from grading.classroom.judging import verdict_on  # noqa: E402
from grading.isolation import sandbox  # noqa: E402
from grading.kernels import cpp  # noqa: E402
from grading.processes.process import ProcessSubject  # noqa: E402
from minigrad import course  # noqa: E402
from minigrad.exercises.answers import load_references  # noqa: E402
from minigrad.kernels.bindings import bias_gelu_cpu  # noqa: E402
from minigrad.testing import extension  # noqa: E402

if sandbox.why_not():
    pytest.skip(f"not run: {sandbox.why_not()}", allow_module_level=True)
if not extension.has_compiler():
    pytest.skip(f"not run: {extension.NEEDS}", allow_module_level=True)

pytestmark = pytest.mark.slow
LAB, SECRET = "11_extending_pytorch", "SECRET-4711"
SERVES = cpp.CODE.partition("{")[0]
ANSWER = "at::Tensor bias_gelu_cpu(const at::Tensor& x, const at::Tensor& bias)"
HEAD = r"""
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <fstream>
#include <string>

static bool reads(const char* path, const char* word = "") {
    std::ifstream file(path);
    std::string all((std::istreambuf_iterator<char>(file)), {});
    return file.good() || (!all.empty() && all.find(word) != std::string::npos);
}
static bool writes(const char* path) {
    return std::ofstream(path, std::ios::app).good();
}
static long by_hand(long number, long a = 0, long b = 0, long c = 0) {
    long result;
    asm volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c)
                 : "rcx", "r11", "memory");
    return result;
}
static int many(int most, bool (*one)()) {
    int done = 0;
    while (done < most && one()) done++;
    return done;
}
static void send(const std::string& message) {
    for (int fd = 3; fd < 99; fd++) {
        unsigned n = __builtin_bswap32(message.size());
        if (::send(fd, &n, 4, MSG_NOSIGNAL) == 4)
            ::send(fd, message.data(), message.size(), MSG_NOSIGNAL);
    }
}
"""
TRIED = r"""
a secret file: reads("{secret}")
a secret file, by a call by hand: by_hand(SYS_open, (long)"{secret}", O_RDONLY) >= 0
a path that climbs: reads("/tmp/../../../../{secret}")
the solutions: reads("{home}/solutions/11_extending_pytorch.py")
the checks: reads("{home}/grading/checks/11_extending_pytorch/bias_gelu_cpu.py")
the environment: getenv("MINIGRAD_TEST")
the environment of process 1: reads("/proc/1/environ", "SECRET")
the machine's secrets: reads("/etc/shadow")
the course: writes("{home}/minigrad/layout.py")
the compiler: writes("/usr/bin/c++") || !rename("/usr/bin/c++", "/usr/bin/d++")
PyTorch: writes("{torch}/__init__.py")
the internet: socket(AF_INET, SOCK_STREAM, 0) >= 0
a Unix socket, by a call by hand: by_hand(SYS_socket, AF_UNIX, SOCK_STREAM) >= 0
root: !setuid(0) || !geteuid()
ptrace, by a call by hand: by_hand(SYS_ptrace, 16, 1) >= 0
a mount, by a call by hand: by_hand(SYS_mount, 0, (long)"/usr", (long)"tmpfs") >= 0
namespaces, by a call by hand: by_hand(SYS_unshare, 0x10000000) >= 0
BPF: by_hand(SYS_bpf) >= 0
io_uring: by_hand(SYS_io_uring_setup, 8) >= 0
memory as a file: by_hand(SYS_memfd_create, (long)"x") >= 0
a device: !mknod("/tmp/disk", S_IFBLK | 0666, 0xfe00)
16 GB of memory: mmap(0, 1L << 34, PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) != MAP_FAILED
a file of 3 GB: !ftruncate(open("/tmp/huge", O_RDWR | O_CREAT, 0600), 3L << 30)
5000 open files: many(5000, [] { return open("/dev/null", O_RDONLY) >= 0; }) == 5000
living longer than the parent: !prctl(PR_SET_PDEATHSIG, 0)
another process: fork() >= 0
another program: system("true") == 0
another program, in the place of this one: execl("/bin/true", "true", (char*)0) >= 0
a fork bomb: many(5000, [] { int child = fork(); if (!child) { setsid(); signal(SIGTERM, SIG_IGN); sleep(999); _exit(0); } return child > 0; }) > 0
"""  # noqa: E501
AT_LOAD = HEAD + "struct Load { Load() { BODY } };\nstatic Load load;\n"
WRONG = f"{ANSWER} {{ return at::zeros({{1}}); }}"
TEXTS = {
    "a file that is included": '#include "{secret}"\n' + WRONG,
    "the solutions": '#include "{home}/solutions/11_extending_pytorch.py"\n' + WRONG,
    "a file by the assembler": 'asm(".incbin \\"{secret}\\"");\n' + WRONG,
    "an endless file": '#include "/dev/zero"\n' + WRONG,
    "itself": "#include __FILE__\n" + WRONG,
    "templates without end": "template <int n> struct A { static const int value = "
    "A<2 * n>::value + A<2 * n + 1>::value; };\nint x = A<1>::value;\n" + WRONG,
    "a macro bomb": "#define A x, x, x, x, x, x, x, x, x, x\n"
    + "".join(
        f"#define {b} {', '.join(10 * [a])}\n"
        for a, b in zip("ABCDEFGH", "BCDEFGHI", strict=True)
    )
    + "int x = 1, y[] = {I};\n"
    + WRONG,
    "a library of 2 GB": 'asm(".data\\n.fill 2000000000");\n' + WRONG,
    "exit at load": AT_LOAD.replace("BODY", "_exit(0);") + WRONG,
    "results of no kind, sent": AT_LOAD.replace(
        "BODY", 'send(std::string("\\x92\\xc0\\xa3") + "abc"); _exit(0);'
    )
    + WRONG,
    "100 MB, sent": AT_LOAD.replace("BODY", "send(std::string(1 << 27, 'x'));") + WRONG,
    "an error of 32 MB": ANSWER + "{ TORCH_CHECK(false, std::string(1 << 25, 'x')); }",
    "PyTorch's own operators": "at::Tensor all(const at::Tensor& a, const at::Tensor&) "
    "{ return a; }\nTORCH_LIBRARY_IMPL(aten, CPU, m) { m.impl("
    '"eq.Tensor", &all); }\n' + WRONG,
}
PASTE = "#define PASTE(a, b) a##b\n"
CPU = "#include <ATen/ops/{}_cpu_dispatch.h>\n#include <ATen/ops/{}_cpu_dispatch.h>\n"
OPS = "#include <ATen/ops/{}.h>\n#include <ATen/ops/{}.h>\n"
WALK = r"""
#include <link.h>
#include <cstring>
using Gelu = at::Tensor (*)(const at::Tensor&, std::string_view);
static const char* name;
static Gelu found;
static int look(dl_phdr_info* info, size_t, void*) {
    const ElfW(Sym)* symbols = nullptr;
    const char* strings = nullptr;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        if (info->dlpi_phdr[i].p_type != PT_DYNAMIC) continue;
        auto* part = (ElfW(Dyn)*)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
        for (; part->d_tag != DT_NULL; part++) {
            if (part->d_tag == DT_SYMTAB) symbols = (ElfW(Sym)*)part->d_un.d_ptr;
            if (part->d_tag == DT_STRTAB) strings = (const char*)part->d_un.d_ptr;
        }
    }
    if (!symbols || !strstr(info->dlpi_name, "libtorch_cpu")) return 0;
    for (; (const char*)symbols < strings; symbols++)
        if (symbols->st_shndx && !strcmp(strings + symbols->st_name, name))
            found = (Gelu)(info->dlpi_addr + symbols->st_value);
    return 0;
}
static at::Tensor walked(const char* wanted, const at::Tensor& x) {
    name = wanted;
    dl_iterate_phdr(look, nullptr);
    TORCH_CHECK(found, "it is not there");
    return found(x, "none");
}
"""
GELU = "4geluERKNS_6TensorESt17basic_string_viewIcSt11char_traitsIcEE"
CALL = GELU.replace("4gelu", "4gelu4call")
HIDDEN = {  # ways to have PyTorch do the work
    "at::, found in memory": WALK + ANSWER
    + f'{{ return walked("_ZN2at4_ops{CALL}", x); }}',
    "at::, found in memory, below the dispatcher": WALK + ANSWER
    + f'{{ return walked("_ZN2at3cpu{GELU}", x); }}',
    "at::, found in memory, for quantized numbers": WALK + ANSWER
    + f'{{ return walked("_ZN2at6native{GELU.replace("4gelu", "18gelu_quantized_cpu")}"'
    ", x); }",
    "at::, found in memory, and what it throws caught": WALK + ANSWER
    + f'{{ try {{ return walked("_ZN2at4_ops{CALL}", x); }} catch (...) {{ '
    "return at::empty_like(x); } }",
    "ATen, behind a handler of its own": "#include <signal.h>\n" + ANSWER
    + "{ signal(SIGTRAP, SIG_IGN); return at::empty_like(x); }",
    "at::, pasted": OPS.format("add", "gelu") + PASTE + ANSWER
    + "{ return at::PASTE(ge, lu)(at::PASTE(a, dd)(x, bias)); }",
    "at::, below the dispatcher": CPU.format("add", "gelu")
    + ANSWER + "{ return at::cpu::gelu(at::cpu::add(x, bias)); }",
    "at::, by another name": "at::Tensor mine(const at::Tensor&, std::string_view) "
    'asm("_ZN2at4_ops4gelu4callERKNS_6TensorESt17basic_string_viewIcSt11char_traitsIc'
    'EE");\n'
    + ANSWER + '{ return mine(x, "none"); }',
    "c10::Dispatcher::": "#include <ATen/core/dispatch/Dispatcher.h>\n" + ANSWER
    + '{ auto op = c10::Dispatcher::singleton().findSchemaOrThrow("aten::gelu", "");\n'
    "return op.typed<at::Tensor(const at::Tensor&, std::string_view)>()"
    '.call(x, "none"); }',
    "PyRun_SimpleString": 'extern "C" int PyRun_SimpleString(const char*);\n' + ANSWER
    + '{ PyRun_SimpleString("import torch"); return at::empty_like(x); }',
    "dlsym": "#include <dlfcn.h>\n" + ANSWER
    + '{ dlsym(RTLD_DEFAULT, "_ZN2at4_ops4gelu4call"); return at::empty_like(x); }',
}  # fmt: skip


@pytest.fixture
def places(tmp_path, monkeypatch):
    """A secret file, and a secret in the environment."""
    monkeypatch.setenv("MINIGRAD_TEST", SECRET)
    (tmp_path / "secret").write_text(SECRET)
    torch = os.path.dirname(pytest.importorskip("torch").__file__)
    yield {"secret": tmp_path / "secret", "home": course.home(), "torch": torch}
    assert (tmp_path / "secret").read_text() == SECRET


def judged(text, places):
    """The verdict on a C++ text, and what is said of it; nothing of it goes on."""
    for key, value in places.items():
        text = text.replace(f"{{{key}}}", str(value))
    imports = "from minigrad import solves\nfrom minigrad.kernels import bindings\n"
    cell = f"{imports}solves(bindings.bias_gelu_cpu)({text!r})"
    with ProcessSubject("x.ipynb", [("a", cell)], LAB) as subject:
        before = running(SERVES)
        verdict = verdict_on(bias_gelu_cpu, subject)
    late = time.monotonic() + 60
    while running(SERVES) - before:
        assert time.monotonic() < late, running(SERVES)
        time.sleep(0.05)
    said = f"{verdict} {verdict.failures} {subject.problems}"
    assert SECRET not in said
    return verdict, said


def test_what_it_does_at_load_succeeds_nowhere(places):
    tries = [line.split(": ", 1) for line in TRIED.strip().splitlines()]
    assert len(tries) > 24
    body = "".join(f'if ({test}) done += "{name}; ";\n' for name, test in tries)
    head = AT_LOAD.replace("BODY", f"signal(SIGXFSZ, SIG_IGN);\n{body}")
    head = head.replace("struct Load", "static std::string done;\nstruct Load")
    text = head + f'{ANSWER} {{ TORCH_CHECK(false, "reached: ", done, "."); }}'
    verdict, said = judged(text, places)
    assert verdict.points == 0 and "reached: ." in said, said


@pytest.mark.parametrize("name", TEXTS)
def test_a_text_earns_nothing_and_ends(name, places, monkeypatch):
    seconds = 20 if name == "templates without end" else 90
    monkeypatch.setattr(cpp, "SECONDS", seconds)
    verdict, said = judged(TEXTS[name], places)
    assert verdict.points == 0 and verdict.counts, said
    assert verdict.state in ("wrong", "crashed", "timed out"), said


@pytest.mark.parametrize("name", HIDDEN)
def test_an_operator_that_is_hidden_is_named(name, places):
    verdict, said = judged(HIDDEN[name], places)
    assert verdict.points == 0
    assert "ATen computed the result" in said
    begin = re.split("::| behind", name)[0]
    assert re.search(rf"got +{begin}[\w:, ]* is called", said), said


def test_what_allocates_and_shares_out_the_work_may_be_called(places):
    load_references(LAB)
    text = bias_gelu_cpu.reference.replace(
        "{", "{ int64_t from = 0, to = x.numel();", 1
    )
    loop = "for (int64_t i = 0; i < x.numel(); i++) {"
    assert loop in text
    text = text.replace(loop, "for (int64_t i = from; i < to; i++) {")
    text = text.replace(
        "at::Tensor y = at::empty_like(x);",
        "at::Tensor y = at::zeros(x.sizes(), x.options()).contiguous(); y.zero_(); "
        "at::empty({7}, x.options()).fill_(1.5); at::parallel_for(0, 9, 1, "
        '[&](int64_t a, int64_t b) { TORCH_CHECK(a < b, "none"); });',
    )
    verdict, said = judged("#include <ATen/Parallel.h>\n" + text, places)
    assert verdict.points == 3, said


def test_a_lock_on_what_a_box_shows_keeps_nobody_waiting(places):
    headers = Path(cpp.headers()).parent
    assert headers.with_name(f"{headers.name}.lock").exists()
    with contextlib.ExitStack() as stack:
        for path in headers, *headers.iterdir():
            opened = os.open(path, os.O_RDONLY)
            stack.callback(os.close, opened)
            fcntl.flock(opened, fcntl.LOCK_EX)
        code = "from minigrad.testing import native; print(native.headers())"
        command = [sys.executable, "-c", code]
        said = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert said.stdout.strip() == cpp.headers()
