"""What the checks of copies share: what is counted, and the bandwidth on a GPU.

Counted is what the warps ask for: sectors of 32 bytes of global memory, and passes over
the banks of shared memory. On a GPU the bandwidth is measured as well, as a share of
what a plain copy kernel of the same launch reaches on the same card.
"""

import numpy as np

from grading.exercise import Problem
from grading.kernels import gpu

SECTOR = 8  # floats
SLACK = 1.3  # of counts: a warp that begins amid a sector needs 5 for 4; wrong is 2
SHARE = 0.7  # of a plain copy's bandwidth


def bandwidth(plain, big):
    """The part of `on_gpu` that measures it.

    plain: a copy with the kernel's declaration. big(): the launch that is timed; about
    100 MB are read, and as many written.
    """

    def measure(exercise, text):
        launch = big()
        times = gpu.share(exercise, text, plain, launch, SHARE)
        if isinstance(times, Problem):
            yield False, times.message
            return
        share, took, copy = times
        nbytes = sum(a.nbytes for a in launch.args if isinstance(a, np.ndarray))
        speed, best = nbytes / took / 1e9, nbytes / copy / 1e9
        yield (
            share >= SHARE,
            f"Your kernel reaches {speed:.0f} GB/s, {share:.0%} of a plain copy's "
            f"{best:.0f} GB/s on this GPU. It needs {SHARE:.0%}.",
        )

    return {"bandwidth": measure}
