"""Random CUDA C kernels: well defined in C++, free of races, the same for each seed.

A kernel is made from a list of choices. A changed list makes another valid kernel, and
the choice 0 is the simplest: so a kernel is made smaller by making its list smaller.
Loops end, indices are masked, divisors are not zero, floats are brought into range
before they become integers, a variable that an expression changes stands in it once.
"""

from .choices import Program
from .kernel import KINDS, make

__all__ = ["KINDS", "Program", "make"]
