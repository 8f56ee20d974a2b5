"""What lessons and solved labs launch; each is run once, for whoever asks first."""

import contextlib
import functools
from unittest.mock import patch

from benchmarks import chapters
from minigrad.kernel import Kernel

record = chapters.recorded  # a test puts `recorded` in its place


@functools.cache
def recorded(path):
    """(launches of a text, and what its `check`s look at; what could not be run)

    The doctor, who asks every library, and what nvcc compiles launch nothing here.
    """
    doctor = patch("minigrad.cli.doctor.doctor", return_value=0)
    nvcc = patch("minigrad.testing.toolkit.program")
    with doctor, nvcc, patch.object(Kernel, "check", launched_and_checked):
        return record(path)


def launched_and_checked(
    kernel, grid, block, args, shared_mem=0, check=Kernel.check, **how
):
    with contextlib.suppress(Exception):  # the check says what is wrong with it
        kernel(grid, block, chapters.common.fresh(args), shared_mem)
    return check(kernel, grid, block, args, shared_mem, **how)
