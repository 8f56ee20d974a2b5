"""The same text on a GPU, by CuPy."""

import numpy as np
import pytest


def launched(text, name, grid, block, args, options=()):
    """The arrays after a launch; the test is skipped where there is no GPU."""
    cupy = pytest.importorskip("cupy", reason="not run: GPU tests (no CuPy)")
    if not cupy.cuda.is_available():
        pytest.skip("not run: GPU tests (no GPU)")
    there = [cupy.asarray(a) if isinstance(a, np.ndarray) else a for a in args]
    module = cupy.RawModule(code=text, options=options, name_expressions=(name,))
    module.get_function(name)((grid,), (block,), tuple(there))
    return [a.get() for a in there if isinstance(a, cupy.ndarray)]
