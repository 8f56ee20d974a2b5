"""What the processes that judge have imported when they are forked; see local_jobs."""

import gc

gc.disable()  # collections would look through what is imported, again and again

import torch  # noqa: E402

from . import local_jobs  # noqa: E402, F401

torch.broadcast_shapes((), ())  # imports SymPy
torch.set_num_threads(1)  # each has a core, and more would wait for each other
gc.freeze()
gc.enable()
