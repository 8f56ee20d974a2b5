"""minigrad.Kernel: one launch call, two ways to run, and what it refuses."""

import fake_cupy
import numpy as np
import pytest

import minigrad
from cudasim import nvrtc
from minigrad import devices
from minigrad.cli import doctor
from minigrad.kernel import (
    CompileError,
    Kernel,
    arguments,
    nvrtc_error,
)

SAXPY = """
extern "C" __global__ void saxpy(float a, const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}
"""
TEMPLATE = """
template <typename T> __global__ void twice(T* x, int n) {
    int i = threadIdx.x;
    if (i < n) x[i] = x[i] + x[i];
}
"""
STRUCT = """
struct Box { char kind; double size; int n; };
extern "C" __global__ void fill(float* y, Box box) { y[threadIdx.x] = box.size; }
"""
BOX = np.dtype([("kind", "i1"), ("size", "f8"), ("n", "i4")], align=True)
A = np.float32(2)


@pytest.fixture
def saxpy(no_gpu):
    return Kernel(SAXPY, "saxpy")


@pytest.fixture
def no_gpu(monkeypatch):
    fake_cupy.install(monkeypatch, available=False)


def floats(n=300):
    return np.arange(n, dtype=np.float32), np.ones(n, np.float32)


# On the host


def test_numpy_arrays_run_in_the_simulator(saxpy):
    x, y = floats()
    assert saxpy((3,), (128,), (A, x, y, 300)) is None
    assert np.array_equal(y, 2 * x + 1)


def test_ints_stand_for_sizes_and_tensors_for_their_memory(saxpy):
    x, y = floats()
    tx, ty = minigrad.from_numpy(x), minigrad.from_numpy(y)
    saxpy(3, 128, (A, tx, ty, np.int32(300)))
    assert np.array_equal(y, 2 * x + 1)


def test_a_view_with_an_offset_is_read_where_it_begins(saxpy):
    x, y = floats()
    saxpy(1, 128, (A, x[100:], y[200:], 100))
    assert np.array_equal(y[200:], 2 * x[100:200] + 1)
    assert (y[:200] == 1).all()


def test_shared_memory_is_passed_on(no_gpu):
    text = """
    extern "C" __global__ void turn(int* x) {
        extern __shared__ int s[];
        s[threadIdx.x] = x[threadIdx.x];
        __syncthreads();
        x[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
    }"""
    x = np.arange(64, dtype=np.int32)
    Kernel(text, "turn")(1, 64, (x,), shared_mem=64 * 4)
    assert x.tolist() == list(range(63, -1, -1))


def test_a_template_is_named_with_its_arguments(no_gpu):
    x = np.arange(10, dtype=np.float64)
    Kernel(TEMPLATE, "twice<double>")(1, 32, (x, 10))
    assert np.array_equal(x, 2.0 * np.arange(10))


def test_options_reach_the_compiler(no_gpu):
    text = 'extern "C" __global__ void f(int* x) { x[0] = N; }'
    x = np.zeros(1, np.int32)
    Kernel(text, "f", ("-DN=7",))(1, 1, (x,))
    assert x[0] == 7


def test_structs_are_passed_by_value(no_gpu):
    y = np.zeros(4, np.float32)
    Kernel(STRUCT, "fill")(1, 4, (y, np.array((1, 2.5, 3), BOX)[()]))
    assert y.tolist() == [2.5] * 4


def test_out_of_bounds_is_an_error_that_names_the_line(saxpy):
    x, y = floats()
    with pytest.raises(RuntimeError, match=r"(?s)out-of-bounds.*y\[i\] = a \* x\[i\]"):
        saxpy(3, 128, (A, x, y, 384))


# check


def test_check_reports_and_leaves_the_arguments_alone(saxpy):
    x, y = floats()
    report = saxpy.check(3, 128, (A, x, y, 384))
    assert {f.kind for f in report.findings} == {"out-of-bounds"}
    assert (y == 1).all()
    assert not saxpy.check(3, 128, (A, x, y, 300)).findings


def test_check_sees_what_shares_memory(no_gpu):
    text = """
    extern "C" __global__ void shift(const float* x, float* y, int n) {
        int i = threadIdx.x;
        if (i < n - 1) y[i] = x[i + 1];
    }"""
    kernel, (x, y) = Kernel(text, "shift"), floats(200)
    assert not kernel.check(1, 200, (x, y, 200)).findings
    kinds = {f.kind for f in kernel.check(1, 200, (x, x, 200)).findings}
    assert kinds & {"race", "race-warp"}
    assert np.array_equal(x, floats(200)[0])


def test_check_knows_that_an_array_was_never_written(saxpy):
    x, _ = floats()
    y = devices.device_empty(300)
    kinds = {f.kind for f in saxpy.check(3, 128, (A, x, y, 300)).findings}
    assert kinds == {"uninitialized"}


# On a GPU, with a stand-in for CuPy


ALONE = {"enable_cooperative_groups": False}  # a kernel without grid.sync()


def gpu_floats(n=300):
    return tuple(map(fake_cupy.ndarray, floats(n)))


def test_cupy_arrays_go_to_cupy_with_numbers_of_the_parameters_types(monkeypatch):
    cupy, (x, y) = fake_cupy.install(monkeypatch), gpu_floats()
    kernel = Kernel(SAXPY, "saxpy", ("--fmad=false",))
    assert cupy.calls == []  # nothing is compiled before it is needed
    kernel(3, (128,), (A, x, y, 300), shared_mem=64)
    kernel(3, (128,), (A, x, y, 300), shared_mem=64)
    module = {"code": SAXPY, "options": ("--fmad=false",), **ALONE}
    module["name_expressions"] = ("saxpy",)
    launch = ("launch", (3, 1, 1), (128, 1, 1), (A, x, y, 300), 64)
    assert cupy.calls == [("module", module), ("function", "saxpy"), launch, launch]
    *_, (_, _, _, (a, _, _, n), _) = cupy.calls
    assert (a.dtype, n.dtype) == (np.float32, np.int32)


def test_structs_go_to_cupy_as_arrays_of_one_element(monkeypatch):
    cupy = fake_cupy.install(monkeypatch)
    y = fake_cupy.ndarray(np.zeros(4, np.float32))
    Kernel(STRUCT, "fill")(1, 4, (y, np.array((1, 2.5, 3), BOX)[()]))
    box = cupy.calls[-1][3][1]
    assert (type(box), box.size, box.itemsize) == (np.ndarray, 1, BOX.itemsize)
    assert box.view(BOX)[0].tolist() == (1, 2.5, 3)


def test_without_arrays_it_runs_where_a_gpu_is(monkeypatch):
    text = 'extern "C" __global__ void hello(int n) { if (n < 0) printf("hello"); }'
    cupy = fake_cupy.install(monkeypatch)
    Kernel(text, "hello")(1, 1, (5,))
    assert cupy.calls[-1][0] == "launch"
    cupy = fake_cupy.install(monkeypatch, available=False)
    Kernel(text, "hello")(1, 1, (5,))
    assert cupy.calls == []


def test_check_copies_from_the_gpu(monkeypatch):
    cupy, (x, y) = fake_cupy.install(monkeypatch), gpu_floats()
    kernel = Kernel(SAXPY, "saxpy")
    kinds = {f.kind for f in kernel.check(3, 128, (A, x, y, 384)).findings}
    assert kinds == {"out-of-bounds"}
    assert (y.get() == 1).all()
    assert cupy.calls == []


def test_a_launch_that_the_driver_refuses_names_the_kernel(monkeypatch):
    fake_cupy.install(monkeypatch, refuse="CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES")
    x, y = gpu_floats()
    with pytest.raises(RuntimeError, match="saxpy.*grid .3, 1, 1.*OUT_OF_RESOURCES"):
        Kernel(SAXPY, "saxpy")(3, 128, (A, x, y, 300))


def test_arrays_on_two_machines_are_named(monkeypatch):
    fake_cupy.install(monkeypatch)
    x, y = gpu_floats()
    with pytest.raises(
        TypeError, match=r"CuPy arrays.: y; .*NumPy arrays.: x\. .*to_dev"
    ):
        Kernel(SAXPY, "saxpy")(3, 128, (A, x.get(), y, 300))


# Compile errors

WRONG = 'extern "C" __global__ void f(float* y) {\n\ty[0] = foo;\n}\n'
LOG = (
    '/tmp/k.cubin.cu(2): error: identifier "foo" is undefined\n  \ty[0] = foo;\n'
    '  \t       ^\n\n1 error detected in the compilation of "/tmp/k.cubin.cu".\n'
)
CARET = "    \ty[0] = foo;\n    \t       ^"


@pytest.mark.parametrize("gpu", [False, True])
def test_a_compile_error_shows_the_line_and_a_caret(monkeypatch, gpu):
    fake_cupy.install(monkeypatch, available=gpu, log=LOG)
    with pytest.raises(CompileError) as caught:
        Kernel(WRONG, "f")
    error = caught.value
    assert (error.file, error.line, error.column) == ("kernel.cu", 2, 9)
    assert str(error).startswith("kernel.cu:2:9: error: ")
    assert CARET in str(error)
    assert ('identifier "foo" is undefined' in str(error)) == gpu


def test_nvrtc_has_the_last_word_where_a_gpu_is(monkeypatch):
    text = 'extern "C" __global__ void f(float* y) { asm("nop;"); }'
    cupy = fake_cupy.install(monkeypatch)
    kernel = Kernel(text, "f")
    y = fake_cupy.ndarray(np.zeros(4, np.float32))
    kernel(1, 4, (y, 3))
    assert cupy.calls[-1][3] == (y, 3)
    with pytest.raises(TypeError, match=r"argument 2: pass np.float32\(1.5\)"):
        kernel(1, 4, (y, 1.5))
    for run in (kernel, kernel.check):
        with pytest.raises(CompileError, match="outside the subset"):
            run(1, 4, (np.zeros(4, np.float32), 3))


NO_NAME = (
    '__nv_name_map(2): error: cannot determine which instance of overloaded function '
    '"all" is intended\n  #pragma\n  ^\n\n'
)  # fmt: skip


def test_a_name_that_cuda_has_too_is_found_in_extern_c(monkeypatch):
    text = 'extern "C" __global__ void all(int* x) { x[0] = 1; }'
    cupy = fake_cupy.install(monkeypatch, log=NO_NAME, plain=["all"])
    Kernel(text, "all")(1, 1, (fake_cupy.ndarray(np.zeros(1, np.int32)),))
    assert cupy.calls[1] == ("module", {"code": text, "options": (), **ALONE})
    assert cupy.calls[2:3] == [("function", "all")]
    assert cupy.calls[3][0] == "launch"


def test_a_name_that_is_nowhere_is_refused(monkeypatch):
    fake_cupy.install(monkeypatch, log=NO_NAME, plain=[])
    x = fake_cupy.ndarray(np.zeros(1, np.int32))
    kernel = Kernel("__global__ void all(int* x) { x[0] = 1; }", "all")
    with pytest.raises(CompileError, match="there is no such kernel: cannot determine"):
        kernel(1, 1, (x,))


def test_the_simulator_keeps_denormals(no_gpu):
    """CuPy compiles with -ftz=true, which makes them zero (see cudasim/docs)."""
    text = 'extern "C" __global__ void f(float* x) { x[1] = x[0] * 0.5f; x[2] = x[1]; }'
    x = np.float32([2.0**-126, 1, 1])
    Kernel(text, "f")(1, 1, (x,))
    assert x.tolist() == [2.0**-126, 2.0**-127, 2.0**-127]


LOGS = {
    "several": (
        LOG + LOG,
        'kernel.cu:2:9: error: identifier "foo" is undefined\n'
        + CARET + "\nnote: NVRTC names 2 errors; this is the first",
    ),
    "warning first": (
        '/tmp/k.cubin.cu(1): warning #177-D: variable "z" was never referenced\n'
        "   int z;\n       ^\n\n" + LOG,
        'kernel.cu:2:9: error: identifier "foo" is undefined\n' + CARET,
    ),
    "numbered": (
        LOG.replace("error:", "error #20:"),
        'kernel.cu:2:9: error: identifier "foo" is undefined\n' + CARET,
    ),
    "header": (
        '/usr/include/a.h(7): error: expected a ";"\n  x\n  ^\n\n',
        'error: /usr/include/a.h(7): expected a ";"',
    ),
    "instance": (
        LOG.replace("\n\n", '\n      detected during instantiation of "f" at line 9\n'),
        'kernel.cu:2:9: error: identifier "foo" is undefined\n' + CARET
        + '\nnote: detected during instantiation of "f" at line 9',
    ),
    "assembler": (
        "ptxas error   : Entry function 'f' uses too much shared data (0x61a80)\n\0",
        "error: Entry function 'f' uses too much shared data (0x61a80)",
    ),
    "no such kernel": (
        '__nv_name_map(2): error: identifier "g" is undefined\n  #pragma\n  ^\n\n',
        'error: there is no such kernel: identifier "g" is undefined',
    ),
}  # fmt: skip


@pytest.mark.parametrize("log, said", LOGS.values(), ids=LOGS)
def test_what_nvrtc_says_is_reported_as_the_front_end_tells_it(log, said):
    assert str(nvrtc_error(log, "/tmp/k.cubin.cu", WRONG)) == said


MISTAKES = {  # text: place, as NVRTC sees it
    'extern "C" __global__ void f(float* y) {\n\ty[0] = foo;\n}': (2, 9),
    'extern "C" __global__ void f(float* y) {\n  y[0] = 1\n}': (3, 1),
    "#define A(x) (x +)\n__global__ void f(float* y) {\n y[0] = A(3);\n}": (3, 9),
    "__global__ void f(int n) {\n  int z;\n  n = q;\n}": (3, 7),
}


@pytest.mark.parametrize("text, place", MISTAKES.items())
def test_nvrtcs_own_log_is_understood(text, place):
    if nvrtc.missing():
        pytest.skip(f"not run: NVRTC ({nvrtc.missing()})")
    error = nvrtc_error(nvrtc.compiled(text), "kernel.cu", text)
    assert (error.line, error.column) == place
    assert error.source_line == text.split("\n")[place[0] - 1]


def test_options_are_a_tuple():
    with pytest.raises(TypeError, match="options is a tuple of texts"):
        Kernel(SAXPY, "saxpy", "-DN=3")


# Launches that are refused

X, Y = floats()
GOOD = (A, X, Y, 300)
LAUNCHES = {
    "empty grid": ((0, 128, GOOD), ValueError, r"grid \(0,\) is empty"),
    "empty block": ((1, (32, 0), GOOD), ValueError, r"block \(32, 0\) is empty"),
    "negative": ((-1, 32, GOOD), ValueError, "is empty"),
    "divided": ((300 / 128, 128, GOOD), TypeError, r"grid \(2.34.*-\(-n // size\)"),
    "four": ((1, (1, 1, 1, 1), GOOD), ValueError, r"expected \(x,\), \(x, y\)"),
    "threads": ((1, (64, 32), GOOD), ValueError, "2048 threads; at most 1024"),
    "block x": ((1, 2000, GOOD), ValueError, "x is 2000, at most 1024"),
    "block z": ((1, (1, 1, 65), GOOD), ValueError, "z is 65, at most 64"),
    "grid z": (((1, 1, 65536), 1, GOOD), ValueError, "z is 65536, at most 65535"),
    "shared": ((1, 1, GOOD, 50000), ValueError, "shared_mem=50000.*0 to 49152"),
    "too few": ((1, 1, GOOD[:3]), TypeError, r"int n\) takes 4 arguments, got 3"),
    "no tuple": ((1, 1, X), TypeError, r"must be a tuple, not an array.*\(x,\)"),
    "dtype": (
        (1, 1, (A, X.astype(np.float64), Y, 300)), TypeError,
        r"argument 2, const float \* x: expected an array of float32, got an array of "
        r"float64; x.astype\(np.float32\) makes one",
    ),
    "list": ((1, 1, (A, [1.0], Y, 300)), TypeError, "x: expected an array, got the P"),
    "number": ((1, 1, (A, A, Y, 300)), TypeError, r"x: expected an array, got np.flo"),
    "strided": ((1, 1, (A, X[::2], Y, 3)), ValueError, "not contiguous.*np.ascontig"),
    "transposed": (
        (1, 1, (A, X.reshape(30, 10).T, Y, 3)), ValueError, r"x: .*shape \(10, 30\)",
    ),
    "0-d": ((1, 1, (A, np.array(A), Y, 3)), ValueError, r"no dimen.*x.reshape\(1\)"),
    "float": ((1, 1, (2.0, X, Y, 3)), TypeError, r"float a: .*Pass np.float32\(x\)"),
    "int as float": ((1, 1, (2, X, Y, 3)), TypeError, r"float a: .*np.float32\(x\)"),
    "double": ((1, 1, (np.float64(2), X, Y, 3)), TypeError, r"Pass np.float32\(x\)"),
    "int64": ((1, 1, (A, X, Y, np.int64(3))), TypeError, r"n: .*Pass np.int32\(x\)"),
    "too large": ((1, 1, (A, X, Y, 2**31)), ValueError, "2147483648 is not within -21"),
    "float as int": ((1, 1, (A, X, Y, 3.0)), TypeError, r"Pass np.int32\(x\)"),
    "bool as int": ((1, 1, (A, X, Y, True)), TypeError, r"Pass np.int32\(x\)"),
    "array as number": ((1, 1, (A, X, Y, X)), TypeError, "int n is not a pointer"),
    "text": ((1, 1, (A, X, Y, "n")), TypeError, "got the Python str 'n'"),
}  # fmt: skip


@pytest.mark.parametrize("launch, error, match", LAUNCHES.values(), ids=LAUNCHES)
@pytest.mark.parametrize("gpu", [False, True])
def test_a_wrong_launch_is_refused_on_both_ways(monkeypatch, gpu, launch, error, match):
    cupy = fake_cupy.install(monkeypatch, available=gpu)
    kernel, (grid, block, args, *shared) = Kernel(SAXPY, "saxpy"), launch
    if gpu and isinstance(args, tuple):
        args = tuple(on_a_gpu(a) for a in args)
        match = match.replace("np.ascon", "cupy.ascon")
    with pytest.raises(error, match=match) as caught:
        kernel(grid, block, args, *shared)
    assert str(caught.value).startswith("saxpy")
    assert cupy.calls == []


def on_a_gpu(value):
    return fake_cupy.ndarray(value) if isinstance(value, np.ndarray) else value


def test_launch_bounds_are_kept(no_gpu):
    text = 'extern "C" __global__ void __launch_bounds__(64) f(int n) {}'
    Kernel(text, "f")(1, 64, (1,))
    with pytest.raises(
        ValueError, match="65 threads; at most 64 .its __launch_bounds__"
    ):
        Kernel(text, "f")(1, 65, (1,))


def test_a_read_only_array_may_be_read(saxpy):
    x, y = floats()
    x.flags.writeable = False
    saxpy(3, 128, (A, x, y, 300))
    with pytest.raises(ValueError, match=r"y: the array is read-only; use x.copy\(\)"):
        saxpy(3, 128, (A, y, x, 300))


PARAMETERS = [  # C type, what is accepted, the dtype that arrives
    ("bool b", True, "?"), ("bool b", np.bool_(0), "?"), ("double x", 1.5, "f8"),
    ("unsigned char c", 255, "u1"), ("long long n", -(2**63), "i8"),
    ("size_t n", 2**64 - 1, "u8"), ("short n", np.int16(-1), "i2"),
    ("__half h", np.float16(1), "f2"), ("__nv_bfloat16 h", np.uint16(1), "u2"),
    ("Op op", 10, "i4"),
]  # fmt: skip
HEAD = "#include <cuda_fp16.h>\n#include <cuda_bf16.h>\nenum Op { ADD, DIV = 10 };\n"


@pytest.mark.parametrize("parameter, value, dtype", PARAMETERS)
def test_numbers_arrive_as_the_parameters_type(no_gpu, parameter, value, dtype):
    kernel = Kernel(HEAD + f'extern "C" __global__ void f({parameter}) {{}}', "f")
    (arrived,) = arguments("f", kernel.function, (value,))
    assert arrived.dtype == np.dtype(dtype)
    assert arrived == value


ARRAYS = [  # pointer, dtypes that are taken, dtypes that are not
    ("float4*", ["f4", [(c, "f4") for c in "xyzw"]], ["f8", [(c, "f4") for c in "xy"]]),
    ("const Box*", [BOX], ["f4", [("kind", "i1"), ("size", "f8"), ("n", "i4")]]),
    ("void*", ["f4", "i1", BOX], []), ("const __half*", ["f2"], ["u2", "f4"]),
    ("__nv_bfloat16*", ["u2"], ["f2"]), ("bool*", ["?"], ["u1", "i1"]),
    ("unsigned*", ["u4"], ["i4", "u8"]), ("long long*", ["i8"], ["u8", "i4"]),
]  # fmt: skip
BOXES = HEAD + STRUCT.strip().split("\n")[0] + "\n"


@pytest.mark.parametrize("type, taken, refused", ARRAYS)
def test_an_array_has_the_dtype_of_its_pointer(no_gpu, type, taken, refused):
    kernel = Kernel(BOXES + f'extern "C" __global__ void f({type} p) {{}}', "f")
    for dtype in taken:
        array = np.zeros(8, dtype)
        assert arguments("f", kernel.function, (array,))[0] is array
    for dtype in refused:
        with pytest.raises(TypeError, match="p: expected an array of .*, got an array"):
            arguments("f", kernel.function, (np.zeros(8, dtype),))


def test_a_struct_of_another_layout_is_refused_with_the_right_one(no_gpu):
    kernel = Kernel(STRUCT, "fill")
    packed = np.array((1, 2.5, 3), [("kind", "i1"), ("size", "f8"), ("n", "i4")])[()]
    for value in (packed, 3, np.float32(1)):
        with pytest.raises(TypeError, match="expected a struct.*align=True") as caught:
            kernel(1, 4, (np.zeros(4, np.float32), value))
        written = str(caught.value).split("(...), ")[1].split(")[()]")[0]
        assert eval(written, {"np": np}) == BOX


def test_none_is_the_null_pointer(no_gpu):
    text = 'extern "C" __global__ void f(int* x, float* y) { x[0] = y == nullptr; }'
    x = np.zeros(1, np.int32)
    Kernel(text, "f")(1, 1, (x, None))
    assert x[0] == 1


# What the doctor says


def test_the_doctor_says_where_kernels_run(monkeypatch):
    fake_cupy.install(monkeypatch, available=False)
    assert doctor.kernels().value == "run in the simulator"
    fake_cupy.install(monkeypatch)
    finding = doctor.kernels()
    assert (finding.value.count("on the GPU"), finding.mend) == (1, None)
    fake_cupy.install(monkeypatch, log="cannot open cuda_fp16.h\n\n")
    finding = doctor.kernels()
    assert finding.value == "CuPy cannot compile any: cannot open cuda_fp16.h"
    assert "install -e ./cudasim -e '.[cuda1" in finding.mend


# Where arrays live


def test_arrays_go_to_the_gpu_and_back(monkeypatch):
    cupy = fake_cupy.install(monkeypatch)
    x = floats()[0]
    there = devices.to_device(x)
    assert devices.on_gpu(there)
    assert np.array_equal(devices.to_host(there), x)
    assert devices.on_gpu(devices.device_empty((2, 3), np.int32))
    assert isinstance(devices.to_device(x, "sim"), np.ndarray)
    devices.synchronize()
    assert cupy.calls == [("synchronize",)]


def test_without_a_gpu_device_memory_is_a_copy_on_the_host(no_gpu):
    x = floats()[0][::2]
    there = devices.to_device(x)
    assert not np.shares_memory(x, there)
    assert there.flags.c_contiguous
    assert not np.shares_memory(devices.to_host(there), there)
    assert devices.device_empty((2, 3), np.int32).shape == (2, 3)
    devices.synchronize()


def test_without_a_gpu_cuda_is_refused(no_gpu):
    assert devices.gpu_available() is False
    with pytest.raises(RuntimeError, match='device="sim" works everywhere'):
        devices.to_device(floats()[0], device="cuda")
    with pytest.raises(ValueError, match="no device 'gpu': choose from 'auto', 'cuda'"):
        devices.device_empty(3, device="gpu")


def test_importing_minigrad_imports_only_what_it_needs():
    import subprocess
    import sys

    code = "import minigrad, sys; print({'cupy', 'safetensors'} & {*sys.modules})"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert run.stdout.strip() == "set()"


def test_macros_stand_behind_the_headers_of_nvrtc():
    """-DT=float as an option would be seen by NVRTC's own templates."""
    text, options = nvrtc.with_macros("T x;", ("-DT=float", "-lineinfo", "-DN", "-DE="))
    assert text == "#define T float\n#define N 1\n#define E \n#line 1\nT x;"
    assert options == ("-lineinfo",)
    assert nvrtc.with_macros("int x;", ("-lineinfo",)) == ("int x;", ("-lineinfo",))


@pytest.mark.skipif(bool(nvrtc.missing()), reason=f"not run: NVRTC ({nvrtc.missing()})")
def test_nvrtc_takes_macros_that_its_headers_use():
    source = "__global__ void k(T* y) { y[0] = OP y[0] }"
    log = nvrtc.compiled(nvrtc.with_macros(source, ("-DT=float", "-DOP=-"))[0])
    assert 'kernel.cu(1): error: expected a ";"' in log
    fine = source.replace("0] }", "0]; }")
    assert nvrtc.compiled(nvrtc.with_macros(fine, ("-DT=float", "-DOP=-"))[0]) == ""
