"""What the checks of chapter 07 share: tiles in shared memory, and whole numbers.

The numbers are whole: float adds and multiplies them without rounding.
"""

from grading.checking import cause
from grading.kernels import Fault, KernelCheck, distinct

COMES_OF = [
    ("divergent-barrier", "uninitialised"),
    ("divergent-barrier", "race"),
    ("out-of-bounds", "uninitialised"),
]
BARRIER = (
    "a tile is read before it is filled, or filled while others still read the last "
    "one: a __syncthreads() after filling, and one after reading"
)
DIVERGENT = (
    "not all threads of the block come to a barrier: a thread whose element is behind "
    "the edge helps to fill the tiles like the others, and only does not write"
)
UNFILLED = "a part of a tile is read that nobody has filled: outside there are zeros"
MANY_READS = (
    "the values are right, but read from global memory again and again: the threads of "
    "a block bring them to shared memory, each once, and read them from there"
)
OUTSIDE = "a thread goes outside of an array: ask before reading, and before writing"


def small(random, *shape):
    """Whole numbers whose products and sums stay exact in float."""
    return distinct(random, *shape) % 31 - 15


class ProductCheck(KernelCheck):
    def faults(self, got, launch):
        """Of several, those that come of others are not told."""
        found = super().faults(got, launch)
        for first, then in COMES_OF:
            if first in found:
                found.pop(then, None)
        return found

    @cause(BARRIER)
    def no_barrier(self, launch, *args):
        return Fault("race")

    @cause(DIVERGENT)
    def barrier_in_if(self, launch, *args):
        return Fault("divergent-barrier")

    @cause(UNFILLED)
    def not_filled(self, launch, *args):
        return Fault("uninitialised")

    @cause(MANY_READS)
    def many_reads(self, launch, *args):
        return Fault("reads")

    @cause(OUTSIDE)
    def outside(self, launch, *args):
        return Fault("out-of-bounds")
