"""The launches of the tests of C++ and of CUDA's headers, recorded."""

import contextlib
import io
import os
import re
from unittest.mock import patch

import pytest
from cudasim.benchmarks import common
from cudasim.simulated_launch import Launch
from cudasim.texture import HEAD

FILES = "test_cudasim_cpp", "test_cudasim_headers"


def launches():
    """([Launch, with the name of its test], [(file, why it could not be run)])."""
    launches_by_key, failed = {}, []
    for file in FILES:
        path = str(common.HOME / "tests" / f"{file}.py")
        with (
            recording(launches_by_key),
            contextlib.redirect_stdout(io.StringIO()) as said,
        ):
            if pytest.main(["-q", "-p", "no:cacheprovider", path]):
                failed.append((file, said.getvalue().strip().splitlines()[-1]))
    return list(launches_by_key.values()), failed


def has_texture(one):
    """A GPU's textures are other objects."""
    return any(getattr(a, "dtype", 0) == HEAD for a in one.args)


@contextlib.contextmanager
def recording(launches):
    """Put what is launched into `found`: {what it is: Launch}."""
    run = Launch.run

    def record(self, *begin):
        grid, block, args, shared_mem = self.how
        args = common.fresh(args)
        report = run(self, *begin)
        test = re.search(r"::test_(\w+)", os.environ["PYTEST_CURRENT_TEST"])[1]
        text = self.kernel.code, self.kernel.name
        options = self.kernel.options
        one = common.Launch(test, *text, grid, block, args, shared_mem, options)
        shapes = tuple(getattr(a, "shape", a) for a in args)
        key = *text, str((grid, block, shapes, shared_mem))
        launches.setdefault(key, one)
        return report

    with patch.object(Launch, "run", record):
        yield
