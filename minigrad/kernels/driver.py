"""Which wheel the driver runs. Written in lab 00."""

from ..exercises.registry import exercise


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
       and whose minor number is at most the GPU's. Or it has PTX for the GPU's
       capability or a lower one, and its CUDA version is at most the driver's, major
       and minor, because the driver has to compile the PTX.
    The newest wheel is the one with the highest CUDA version. No two are equal.

    wheels = {"cu126": ((12, 6), [(7, 5), (8, 0)], None),
              "cu130": ((13, 0), [(7, 5), (8, 0)], (9, 0))}
    wheel_for((12, 8), (8, 6), wheels) -> "cu126", because cu130 needs a driver for 13
    wheel_for((13, 0), (9, 0), wheels) -> "cu130", by its PTX
    """
