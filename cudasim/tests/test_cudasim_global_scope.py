"""Names of the whole file, ::f, and what NVRTC lets a file declare again: the front end
and NVRTC take the same texts."""

import cudasim
import numpy as np
import pytest
from cudasim import nvrtc
from table import table

# What is before the kernel | its body
TEXTS = r"""
| x[0] = ::erf(x[1]);
| x[0] = ::erff(x[1]);
| x[0] = ::max(1, 2);
| int i = ::threadIdx.x; x[i] = 1;
| x[0] = ::sqrtf(x[1]) + ::fmaxf(x[0], x[1]);
| ::atomicAdd(y, 1);
| ::__syncthreads();
| x[0] = -::fabsf(x[0]);
| x[0] = ::__shfl_sync(~0u, x[0], 1);
| ::printf("a");
__device__ float f(float v) { return v; } | x[0] = ::f(x[1]);
__device__ int g = 3; | int g = 1; y[0] = ::g + g;
__constant__ float c[3]; | x[0] = ::c[1];
const int N = 4; | for (int i = 0; i < ::N; i++) x[i] = 0;
struct S { int a; }; | ::S s; s.a = 1; y[0] = s.a;
struct S { int a; }; __device__ int h(::S s) { return s.a; } | ::S s = {1}; y[0] = h(s);
struct S { int a; }; __global__ void k(::S* s) { s->a = 1; } |
namespace n { __device__ float f(float v) { return v; } } | x[0] = ::n::f(x[1]);
namespace n { const int A = 3; } | y[0] = ::n::A;
namespace n { __device__ float f(float v) { return 2 * v; } __device__ float g(float v) { return ::sinf(v) + f(v); } } | x[0] = n::g(x[1]);
template <typename T> __device__ T f(T v) { return v; } | x[0] = ::f(x[1]) + ::f<float>(x[0]);
enum E { A, B }; | y[0] = ::A + ::B;
enum class E { A, B }; | y[0] = (int)::E::A;
typedef float real; | ::real v = 1; x[0] = v;
using real = float; | x[0] = ::real(1);
#define F(x) ::sqrtf(x) | x[0] = F(x[1]);
| x[0] = std::sqrt(x[1]);
| x[0] = std::max(x[1], x[0]);
| x[0] = std::abs(x[1]);
| x[0] = std::exp(x[1]);
| x[0] = std::fabs(x[0]); y[0] = std::isnan(x[0]);
| x[0] = ::std::sin(x[1]);
| y[0] = std::min(1, 2);
| x[0] = std::pow(x[0], 2.0f);
#include <cmath> | x[0] = std::sqrt(x[1]);
#include <math.h> | x[0] = sqrtf(x[1]);
const int warpSize = 32; | y[0] = warpSize;
#define warpSize 32 | y[0] = warpSize;
__device__ int warpSize = 32; | y[0] = warpSize;
constexpr int warpSize = 32; | __shared__ int s[warpSize]; y[0] = s[0];
static const int warpSize = 16; | y[0] = warpSize;
| const int warpSize = 32; y[0] = warpSize;
| int threadIdx = 3; y[0] = threadIdx;
const int blockDim = 3; | y[0] = blockDim;
const int threadIdx = 3; | y[0] = threadIdx;
extern "C" int printf(const char*, ...); | printf("%d", 1);
extern "C" __device__ int printf(const char*, ...); | printf("%d", 1);
int printf(const char*, ...); | printf("%d", 1);
__device__ int printf(const char* format, ...); | printf("%d", 1);
extern "C" { __device__ int printf(const char*, ...); } | printf("%d", 1);
extern int printf(const char *, ...); | printf("%d", 1);
__device__ float sinf(float); | x[0] = sinf(x[1]);
extern "C" __device__ float expf(float); | x[0] = expf(x[1]);
__device__ int max(int, int); | y[0] = max(1, 2);
__device__ float erf(float x) { return x; } | x[0] = erf(x[1]);
__device__ float lerp(float a, float b, float t) { return a; } | x[0] = ::lerp(1, 2, 3);
| x[0] = ::undefined(x[1]);
| x[0] = ::undefined;
| int a = 1; y[0] = ::a;
__device__ int a; | y[0] = :: a;
| y[0] = (::min)(1, 2);
| y[0] = 1 ? ::min(1, 2) : ::max(1,2);
| y[0] = y[0] ? y[1] ::max(1, 2);
struct S { __device__ static int f() { return 1; } static const int n = 2; }; | y[0] = ::S::f() + ::S::n;
struct S { __device__ float erf(float v) { return ::erff(v); } }; | S s; x[0] = s.erf(1);
using ::size_t; | size_t n = 1; y[0] = n;
| ::size_t n = 1; y[0] = n;
| y[0] = sizeof(::size_t);
| x[0] = static_cast<::size_t>(3);
| y[0] = ::blockDim.x * ::blockIdx.x + ::threadIdx.x;
| y[0] = ::warpSize;
| ::float4 v = ::make_float4(1,2,3,4); x[0] = v.x;
| ::dim3 d(1,2,3); y[0] = d.x;
| std::size_t n = 1; y[0] = n;
| y[0] = std::numeric_limits<int>::max();
| std::swap(x[0], x[1]);
__device__ float f(float v); __device__ float g(float v) { return ::f(v); } __device__ float f(float v) { return v; } | x[0] = ::g(1);
__device__ float ::f(float v) { return v; } | x[0] = 1;
namespace { __device__ float f(float v) { return v; } } | x[0] = ::f(x[1]);
inline namespace n { __device__ float f(float v) { return v; } } | x[0] = ::f(x[1]);
"""  # noqa: E501


def text_of(line):
    before, _, body = line.rpartition("|")
    before = before.replace("\\n", "\n")
    if not body.strip():
        return before
    return f"{before} __global__ void k(float* x, int* y) {{ {body} }}"


def refusal(text):
    try:
        cudasim.compile(text)
    except cudasim.CompileError as error:
        return str(error)
    return ""


@pytest.mark.slow
@pytest.mark.skipif(bool(nvrtc.missing()), reason=f"not run: NVRTC ({nvrtc.missing()})")
@table("line", TEXTS.strip().split("\n"))
def test_the_front_end_takes_what_nvrtc_takes(line):
    text = text_of(line)
    said = nvrtc.compiled(text, 80)
    assert bool(refusal(text)) == bool(said), said or refusal(text)


VALUES = [
    ("__device__ int g = 3;", "int g = 1; y[0] = ::g * 10 + g;", 31),
    ("const int warpSize = 7;", "y[0] = warpSize + ::warpSize;", 14),
    ("__device__ int f(int v) { return v; }", "y[0] = ::f(5) + ::max(1, 2);", 7),
    ("struct S { int n; __device__ int abs(int v) { return ::abs(v) + n; } };",
     "::S s = {1}; y[0] = s.abs(-3);", 4),
    ("#define G(v) ::two(v)\n__device__ int two(int v) { return 2 * v; }",
     "int v = 4; y[0] = G(v);", 8),
    ("__device__ float sinf(float); extern \"C\" int printf(const char*, ...);",
     "y[0] = 10 * sinf(1.0f);", 8),
    ("namespace n { __device__ int f() { return 6; } } using namespace n;",
     "y[0] = ::n::f() + ::f();", 12),
]  # fmt: skip


@pytest.mark.parametrize("before, body, value", VALUES)
def test_what_a_name_of_the_file_means(before, body, value):
    y = np.zeros(1, np.int32)
    text = f"{before}\n__global__ void k(int* y) {{ {body} }}"
    cudasim.RawKernel(text, "k")(1, 1, (y,))
    assert y[0] == value
    if not nvrtc.missing():
        assert nvrtc.compiled(text) == ""


# A text that CUDA takes no longer | what its note says
GONE = r"""
texture<float, 2, cudaReadModeElementType> t; | since CUDA 12 .. cudasim.texture(array)
static texture<float> t; | take a cudaTextureObject_t as a parameter
__global__ void f(texture<float, 1> t) {} | take a cudaTextureObject_t as a parameter
textureReference* t; | cudaTextureObject_t
surface<void, 2> s; | take a cudaSurfaceObject_t .. cudasim.surface(array)
surface<void, cudaSurfaceType2D> s; | take a cudaSurfaceObject_t
| cudaBindTexture(0, x, y, 4); | cudaTextureObject_t
| x[0] = tex2D<float>(y, 1, 2); | first argument is a cudaTextureObject_t
| x[0] = __shfl(x[0], 1); | __shfl_sync(0xffffffff, value, lane)
| x[0] = __shfl_up(x[0], 1); | __shfl_up_sync(0xffffffff, value, offset)
| x[0] = __shfl_down(x[0], 1, 16); | __shfl_down_sync(0xffffffff, value, offset)
| x[0] = __shfl_xor(x[0], 1); | __shfl_xor_sync(0xffffffff, value, mask)
| y[0] = __ballot(1); | __ballot_sync(0xffffffff, predicate)
| y[0] = any(1) + all(1); | __any_sync(0xffffffff, predicate)
| cudaThreadSynchronize(); | __syncthreads() waits for the block
| cudaDeviceSynchronize(); | the next launch for the whole grid
| cudaMemcpy(x, y, 4, 0); | done from Python
| register int i = 1; y[0] = i; | leave it out
| x[0] = saturate(x[0]); | __saturatef(x)
| x[0] = __half2float(x[0]); | write #include <cuda_fp16.h> at the top
"""


@pytest.mark.parametrize("line", GONE.strip().split("\n"))
def test_what_is_gone_names_what_to_write(line):
    text, _, note = line.rpartition(" | ")
    if text.startswith("|"):
        text = text_of(text)
    said = refusal(text)
    assert all(part in said for part in note.split(" .. ")), said
