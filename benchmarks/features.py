"""The launches of the simulator's tests of C++ and of CUDA's headers, recorded."""

import contextlib
import io
import os
import re
from unittest.mock import patch

import pytest

from benchmarks import chapters, common
from minigrad.kernel import Kernel
from minigrad.simt import launch
from minigrad.simt.texture import HEAD

FILES = "test_simt_cpp", "test_simt_headers"


def launches():
    """([(name of a test, Recorded)], [(file, why it could not be run)])."""
    found, failed = {}, []
    for file in FILES:
        path = str(common.HOME / "tests" / "simt" / f"{file}.py")
        with recording(found), contextlib.redirect_stdout(io.StringIO()) as said:
            if pytest.main(["-q", "-p", "no:cacheprovider", path]):
                failed.append((file, said.getvalue().strip().splitlines()[-1]))
    for _, one in found.values():
        textures = any(getattr(a, "dtype", 0) == HEAD for a in one.args)
        one.left_out = "a GPU's textures are other objects" if textures else ""
        one.left_out = one.left_out or chapters.mistake(one)
    return list(found.values()), failed


@contextlib.contextmanager
def recording(found):
    """Put what is launched into `found`: {what it is: (the test, Recorded)}."""
    run = launch.Launch.run

    def record(self, *begin):
        grid, block, args, shared_mem = self.how
        args = common.fresh(args)
        report = run(self, *begin)
        test = re.search(r"::test_(\w+)", os.environ["PYTEST_CURRENT_TEST"])[1]
        kernel = Kernel(self.kernel.code, self.kernel.name, self.kernel.options)
        one = chapters.Recorded(kernel, grid, block, args, shared_mem)
        found.setdefault(one.key, (test, one))
        return report

    with patch.object(launch.Launch, "run", record):
        yield
