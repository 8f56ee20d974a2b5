"""The headers, macros and names that NVRTC has, and those that it has not."""

import functools
import pathlib
import re

FOLDER = pathlib.Path(__file__).parent.parent / "headers"
# The only files that a text can bring. A name is looked up here and opens no path.
FILES = {p.relative_to(FOLDER).as_posix(): p for p in FOLDER.rglob("*") if p.is_file()}
# Those of them that stand in every text that needs them, and have no name in CUDA.
IMPLIED = {"ptx", "textures", "memory", "groups"}

OFFERED = {
    "cuda_fp16.h", "cuda_bf16.h", "math_constants.h", "vector_types.h",
    "vector_functions.h", "cuda_runtime.h", "device_launch_parameters.h",
    "sm_60_atomic_functions.h", "builtin_types.h", "cuda_runtime_api.h",
    "cooperative_groups.h", "cooperative_groups/reduce.h",
}  # fmt: skip
# Those whose names are known, and refused where they are used.
WITHOUT_NAMES = re.compile(
    r"cuda_awbarrier(_primitives)?\.h|cuda/\w+(/\w+)?"
    r"|cooperative_groups/scan\.h"
)
KNOWN = "leave the line out: what kernels use of it is known without it"
INSTEAD = {
    **dict.fromkeys(
        ("math.h", "cmath", "stdio.h", "cstdio", "assert.h", "cassert", "stdint.h",
         "cstdint", "float.h", "cfloat", "limits.h", "climits", "stddef.h", "cstddef"),
        KNOWN,
    ),
    **dict.fromkeys(
        ("cutil.h", "cutil_inline.h", "cutil_math.h", "helper_cuda.h", "helper_math.h",
         "helper_functions.h"),
        "this is of CUDA's samples, not of CUDA: write what you need of it",
    ),
    "curand_kernel.h": "make random bits from the seed and the index, by a hash",
    "cublas_v2.h": "the library is the host's: leave the line out",
}  # fmt: skip
OF_LIBRARIES = {  # folder -> what to write instead of what is in it
    "cub": "write the reduction, scan or sort: by shuffles, and in shared memory",
    "thrust": "its vectors are the host's; write a kernel for each algorithm",
    "cute": "write the tiles as arrays in shared memory, and index them",
    "cutlass": "write the tiles as arrays in shared memory, and index them",
}
PREDEFINED = {
    "__CUDACC__": "1",
    "__CUDACC_RTC__": "1",
    "__CUDACC_VER_MAJOR__": "13",
    "__CUDACC_VER_MINOR__": "0",
    "__cplusplus": "201703L",
    "CUDART_VERSION": "13000",
    "NULL": "0",
}
# What people write, and NVRTC knows by headers alone that it has not: defined for every
# text that uses such a name without defining it. `nvrtc.macros` has them for a GPU.
USUAL = {
    "INFINITY": "__int_as_float(0x7f800000)",
    "NAN": "__int_as_float(0x7fffffff)",
    "FLT_MAX": "3.402823466e+38f",
    "FLT_MIN": "1.175494351e-38f",
    "FLT_EPSILON": "1.192092896e-07f",
    "DBL_MAX": "1.7976931348623157e+308",
    "DBL_MIN": "2.2250738585072014e-308",
    "DBL_EPSILON": "2.2204460492503131e-16",
    "INT_MAX": "2147483647",
    "INT_MIN": "(-2147483647 - 1)",
    "UINT_MAX": "4294967295u",
    "M_PI": "3.14159265358979323846",
    "M_PI_2": "1.57079632679489661923",
    "M_E": "2.7182818284590452354",
    "M_LN2": "0.69314718055994530942",
    "M_SQRT2": "1.41421356237309504880",
    "M_SQRT1_2": "0.70710678118654752440",
    "M_2_SQRTPI": "1.12837916709551257390",
    "int8_t": "signed char",
    "uint8_t": "unsigned char",
    "int16_t": "short",
    "uint16_t": "unsigned short",
    "int32_t": "int",
    "uint32_t": "unsigned int",
    "int64_t": "long long",
    "uint64_t": "unsigned long long",
    "intptr_t": "long long",
    "uintptr_t": "unsigned long long",
    "uchar": "unsigned char",
    "ushort": "unsigned short",
    "uint": "unsigned int",
    "ulong": "unsigned long",
}


def offered(name):
    """Has NVRTC this header?"""
    return (
        name in OFFERED
        or bool(WITHOUT_NAMES.fullmatch(name))
        or name in FILES.keys() - IMPLIED
    )


def text_of(name):
    """What a header declares, as CUDA C; None where the compiler knows it itself."""
    return _read(FILES[name]) if name in FILES else None


@functools.cache
def _read(path):
    return path.read_text(encoding="utf-8")


def usual(source):
    """name -> text of what of USUAL a text uses and does not define."""
    used = {name for name in re.findall(r"\w+", source) if name in USUAL}
    return (
        {name: USUAL[name] for name in sorted(used - defined(source))} if used else {}
    )


def defined(source):
    """The names that a text gives to macros, types and variables."""
    names = {*re.findall(r"#\s*define\s+(\w+)", source)}
    names |= {*re.findall(r"\w\s+(\w+)\s*=", source)}
    statements = (part for part in source.split(";")[:-1] if "typedef" in part)
    return names | {last[0] for part in statements if (last := WORD.search(part))}


WORD = re.compile(r"(?<!\w)\w+(?=\s*\Z)")  # the last one
MATH_CONSTANTS = {
    "CUDART_INF_F": "__int_as_float(0x7f800000)",
    "CUDART_NAN_F": "__int_as_float(0x7fffffff)",
    "CUDART_MIN_DENORM_F": "__int_as_float(0x00000001)",
    "CUDART_MAX_NORMAL_F": "__int_as_float(0x7f7fffff)",
    "CUDART_NEG_ZERO_F": "__int_as_float((int)0x80000000)",
    "CUDART_ZERO_F": "0.0F",
    "CUDART_ONE_F": "1.0F",
    "CUDART_SQRT_TWO_F": "1.414213562F",
    "CUDART_L2E_F": "1.442695041F",
    "CUDART_LN2_F": "0.693147181F",
    "CUDART_PI_F": "3.141592654F",
    "CUDART_PIO2_F": "1.570796327F",
    "CUDART_INF": "__longlong_as_double(0x7ff0000000000000LL)",
    "CUDART_NAN": "__longlong_as_double((long long)0xfff8000000000000ULL)",
    "CUDART_PI": "3.1415926535897931e+0",
    "CUDART_PIO2": "1.5707963267948966e+0",
    "CUDART_SQRT_TWO": "1.4142135623730951e+0",
    "CUDART_LN2": "6.9314718055994529e-1",
    "CUDART_L2E": "1.4426950408889634e+0",
}
# Names that NVRTC knows and the subset leaves out: no text can take them either.
OUTSIDE = {
    "norm", "normf", "rnorm", "rnormf", "jn", "jnf", "yn", "ynf", "cyl_bessel_i0",
    "cyl_bessel_i1", "cyl_bessel_i0f", "cyl_bessel_i1f", "malloc",
    "free", "any", "all", "ballot", "__any", "__all", "__ballot", "__fns",
    "__isnan", "__isnanf", "__isinf", "__isinff", "__finite", "__finitef",
    "__signbit", "__signbitf", "__brkpt", "__prof_trigger", "__pm0", "__pm1",
    "__pm2", "__pm3", "__barrier_sync", "__barrier_sync_count",
    "__threadfence_cluster", "__sin2pif", "__cos2pif", "__sincos2pif",
    "__assertfail", "__func__", "__FUNCTION__", "__PRETTY_FUNCTION__", "std",
    "tex1D", "tex2D", "tex3D", "tex1Dfetch", "cudaError_t", "cudaStream_t",
    "cudaTextureObject_t", "cudaSurfaceObject_t", "va_list", "make_double4_16a",
    "make_double4_32a", "make_longlong4_16a", "make_longlong4_32a",
    "make_ulonglong4_16a", "make_ulonglong4_32a", "double4_16a", "double4_32a",
    "longlong4_16a", "longlong4_32a", "ulonglong4_16a", "ulonglong4_32a",
    "__half_raw", "__half2_raw", "__nv_bfloat16_raw", "__nv_bfloat162_raw",
}  # fmt: skip
FAMILIES = re.compile(
    r"__(nvvm|nv_atomic|cvta|cluster|[hibd]mma|mma|wgmma)_\w+|__cluster[A-Z]\w+"
    r"|__v[a-z]+[24]|__vi(b|add)?(max|min)3?_\w+|tex(1D|2D|3D|Cubemap)\w*"
    r"|surf([123]D|Cubemap)\w+"
    r"|__is(Global|Shared|Constant|Local|GridConstant|ClusterShared|CtaShared)"
    r"|__builtin_(COLUMN|FILE|FILE_NAME|FUNCTION|LINE|(add|sub|mul)_overflow|addressof"
    r"|assume_aligned|bit_cast|clear_padding|constant_p|copysignf?"
    r"|is_constant_evaluated|isfinite|isinf|isnan|offsetof)"
    r"|__(is|has)_[a-z_]+"
)


def is_outside(name):
    """Does NVRTC know this name, and the subset not?"""
    return name in OUTSIDE or bool(FAMILIES.fullmatch(name))


def note(name):
    """What to write instead of a name that is not there, or ""."""
    of_family = (note for family, note in NOTES if family.match(name))
    return MISSING.get(name) or next(of_family, "")


TEXTURE = (
    "texture references are gone since CUDA 12: take a cudaTextureObject_t as a "
    "parameter, made by cudasim.texture(array), and read it with tex2D<float>(image, "
    "x, y)"
)
SURFACE = (
    "surface references are gone since CUDA 12: take a cudaSurfaceObject_t as a "
    "parameter, made by cudasim.surface(array)"
)
OF_TEXTURES = (
    "its first argument is a cudaTextureObject_t, a parameter of the kernel that "
    "cudasim.texture(array) makes"
)
OF_HOST = (
    "this is the host's: what it does is done from Python, before the launch or after"
)
GONE = {"texture": TEXTURE, "surface": SURFACE}
NOTES = [
    (re.compile(family), note)
    for family, note in (
        ("cuda(Unb|B)indTexture|cudaGetTexture|textureReference", TEXTURE),
        ("cudaBindSurface|cudaGetSurface|surfaceReference", SURFACE),
        ("texCubemap|surfCubemap", "put the faces into the layers of a tex2DLayered"),
        ("tex", "write tex1D, tex2D, tex3D, tex1DLayered or tex2DLayered"),
        ("surf", "write surf1D, surf2D or surf3D with read or write, plain or Layered"),
        ("__v|__vi", "compute the parts one by one: x >> 8 & 0xff is the second byte"),
        (
            "__nv|__(nv_atomic|cluster)",
            "write an atomic operation or a barrier of a block",
        ),
        ("cuda[A-Z][a-z]+([A-Z]|$)", OF_HOST),
        ("__[hibd]?mma|__wgmma", "include <mma.h>, or write mma.sync in asm"),
    )
]
MISSING = {
    "half": "write #include <cuda_fp16.h> at the top",
    "__half": "write #include <cuda_fp16.h> at the top",
    "half2": "write #include <cuda_fp16.h> at the top",
    "__half2": "write #include <cuda_fp16.h> at the top",
    "__nv_bfloat16": "write #include <cuda_bf16.h> at the top",
    **GONE,
    **dict.fromkeys(
        ("tex1Dfetch", "tex1D", "tex2D", "tex3D", "tex1DLayered", "tex2DLayered"),
        OF_TEXTURES,
    ),
    **dict.fromkeys(
        ("cudaThreadSynchronize", "cudaDeviceSynchronize"),
        "a kernel cannot wait for the device: __syncthreads() waits for the block, and "
        "the next launch for the whole grid",
    ),
    "cudaThreadExit": "write return",
    "__clock": "write clock()",
    "saturate": "write __saturatef(x)",
    "__shfl_down": "write __shfl_down_sync(0xffffffff, value, offset)",
    "__shfl_up": "write __shfl_up_sync(0xffffffff, value, offset)",
    "__shfl_xor": "write __shfl_xor_sync(0xffffffff, value, mask)",
    "ballot": "write __ballot_sync(0xffffffff, predicate)",
    "any": "write __any_sync(0xffffffff, predicate)",
    "all": "write __all_sync(0xffffffff, predicate)",
    "__shfl": "write __shfl_sync(0xffffffff, value, lane)",
    "__ballot": "write __ballot_sync(0xffffffff, predicate)",
    "__any": "write __any_sync(0xffffffff, predicate)",
    "__all": "write __all_sync(0xffffffff, predicate)",
    "pipeline_role": "let all threads copy and compute: make_pipeline(block, &state)",
    "norm": "write norm3d, norm4d, or a loop and sqrt",
    "normf": "write norm3df, norm4df, or a loop and sqrtf",
    "free": "use a local array, or shared memory",
    "malloc": "use a local array, or shared memory",
    "CUDART_INF_F": "write #include <math_constants.h> at the top",
    "CUDART_PI_F": "write #include <math_constants.h> at the top",
    "cooperative_groups": "write #include <cooperative_groups.h> at the top",
    "reduce": "write #include <cooperative_groups/reduce.h> at the top",
}
