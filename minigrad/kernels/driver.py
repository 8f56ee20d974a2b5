"""What the driver says, and what it runs. The table holds facts; lab 00 reads them."""

from typing import NamedTuple

from ..exercises.registry import exercise


class CudaError(NamedTuple):
    """An error's number, its names in the runtime and the driver, and its words."""

    number: int
    runtime: str
    driver: str | None  # None: only the runtime has it
    words: str


ERRORS = tuple(
    CudaError(*row)
    for row in [
        (2, "cudaErrorMemoryAllocation", "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"),
        (9, "cudaErrorInvalidConfiguration", None, "invalid configuration argument"),
        (35, "cudaErrorInsufficientDriver", None,
         "CUDA driver version is insufficient for CUDA runtime version"),
        (100, "cudaErrorNoDevice", "CUDA_ERROR_NO_DEVICE",
         "no CUDA-capable device is detected"),
        (209, "cudaErrorNoKernelImageForDevice", "CUDA_ERROR_NO_BINARY_FOR_GPU",
         "no kernel image is available for execution on the device"),
        (222, "cudaErrorUnsupportedPtxVersion", "CUDA_ERROR_UNSUPPORTED_PTX_VERSION",
         "the provided PTX was compiled with an unsupported toolchain"),
        (700, "cudaErrorIllegalAddress", "CUDA_ERROR_ILLEGAL_ADDRESS",
         "an illegal memory access was encountered"),
        (701, "cudaErrorLaunchOutOfResources", "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES",
         "too many resources requested for launch"),
        (716, "cudaErrorMisalignedAddress", "CUDA_ERROR_MISALIGNED_ADDRESS",
         "misaligned address"),
        (719, "cudaErrorLaunchFailure", "CUDA_ERROR_LAUNCH_FAILED",
         "unspecified launch failure"),
    ]
)  # fmt: skip


@exercise(points=2, stars=2, minutes=15, level="extra")
def read_error(message):
    """(number, cause) of the CUDA error that a message names; None if it names none.

    message: a text as a program prints it, of one line or several. It names an error of
    ERRORS, one at most, if it holds its words or one of its two names, whole, in
    capitals or not, anywhere: in any line, and inside a longer word. No line breaks
    inside them. Nothing else counts, such as a number.
    cause: what is to be mended:
        "driver": it is older than the CUDA of the program (35, 222)
        "device": none is seen (100)
        "build": the program has no code for this GPU (209)
        "launch": the grid, the block, or what the block needs (9, 701)
        "kernel": it went wrong while it ran; the process must be started anew (700,
            716, 719)
        "memory": the device's is full (2)

    read_error("RuntimeError: CUDA error: out of memory") -> (2, "memory")
    read_error("IndexError: index 5 is out of bounds") -> None
    """


@exercise(points=3, stars=3, minutes=25, level="extra")
def wheel_for(driver, capability, wheels):
    """The name of the newest wheel that runs on a machine; None where none does.

    driver: the newest CUDA that the driver knows, as two ints: (12, 8).
    capability: the GPU's compute capability: (8, 6).
    wheels: {name: (cuda, cubins, ptx)}: the CUDA that the wheel is built with; the
    compute capabilities for which it has machine code, a list, which may be empty; and
    the one for which it has PTX, or None.

    A wheel runs if both are true:
    1. The major number of its CUDA is at most the driver's.
    2. It has code for the GPU. That is a cubin whose major number is the GPU's and
       whose minor number is at most the GPU's. Or it is PTX for at most the GPU's
       capability; the driver must compile it, and knows how only if the CUDA of the
       wheel is no newer than the driver's, major and minor.
    The newest is the one with the highest CUDA. No two are equal.

    wheels = {"cu126": ((12, 6), [(7, 5), (8, 0)], None),
              "cu130": ((13, 0), [(7, 5), (8, 0)], (9, 0))}
    wheel_for((12, 8), (8, 6), wheels) -> "cu126": cu130 is for drivers of CUDA 13
    wheel_for((13, 0), (9, 0), wheels) -> "cu130": by its PTX
    """
