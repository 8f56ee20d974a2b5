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
    """Return (number, cause) of the CUDA error that a message names, or None.

    message: a text as a program prints it, of one or more lines. It names an error of
        ERRORS if it contains the complete text of .words, .runtime, or .driver, in any
        mix of uppercase and lowercase ASCII letters, even inside a longer word, but
        never broken across lines. No message names more than one error. Nothing else
        counts, not even an error number.

    cause is what has to be fixed:
        "driver": it's older than the program's CUDA version (35, 222)
        "device": no GPU is found (100)
        "build": the program has no code for this GPU (209)
        "launch": the grid, the block, or what the block needs (9, 701)
        "kernel": it failed while it ran, and the process must be restarted (700, 716,
            719)
        "memory": the device's memory is full (2)

    read_error("RuntimeError: CUDA error: out of memory") -> (2, "memory")
    read_error("IndexError: index 5 is out of bounds") -> None
    """


@exercise(points=3, stars=3, minutes=25, level="extra")
def wheel_for(driver, capability, wheels):
    """Return the name of the newest wheel that runs on a machine, or None.

    driver: the newest CUDA version that the driver runs, as two ints: (12, 8).
    capability: the GPU's compute capability, as two ints: (8, 6).
    wheels: {name: (cuda, cubins, ptx)}: the CUDA version that the wheel was built with;
        a list of the compute capabilities for which it has machine code, which may be
        empty; and the capability for which it has PTX, or None.

    A wheel runs if both of these are true:
    1. The major number of its CUDA version is at most the driver's.
    2. It has code for the GPU. Either it has a cubin whose major number is the GPU's
       and whose minor number is at most the GPU's. Or it has PTX for at most the GPU's
       capability, and its CUDA version is at most the driver's, major and minor,
       because the driver has to compile the PTX.
    The newest wheel is the one with the highest CUDA version. No two are equal.

    wheels = {"cu126": ((12, 6), [(7, 5), (8, 0)], None),
              "cu130": ((13, 0), [(7, 5), (8, 0)], (9, 0))}
    wheel_for((12, 8), (8, 6), wheels) -> "cu126", because cu130 needs a driver for 13
    wheel_for((13, 0), (9, 0), wheels) -> "cu130", by its PTX
    """
