"""Mistakes that only a kernel sees: an index that chooses no element.

A kernel cannot raise, and an assert would end all work on the GPU. It notes such an
index in memory that the host sees, too, and leaves the element out. The host looks
there when it has waited for the GPU: in item(), tolist(), cpu() and synchronize().
"""

import numpy as np

BAD_TARGET = 2  # a note's kind, as in kernels/faults.cuh; the other one is BAD_INDEX
_notes = {}  # device -> what its kernels write to: the kind, the index, the size


def argument(device):
    """The kernels' argument `fault`; a GPU reads pinned memory at the same address."""
    if device not in _notes:
        note = np.zeros(3, np.int64)
        if device == "cuda":  # memory of the host that a GPU writes to
            import cupy

            note = np.frombuffer(cupy.cuda.alloc_pinned_memory(24), np.int64, 3)
            note[:] = 0
        _notes[device] = note
    there = _notes[device]
    return np.uint64(there.ctypes.data) if device == "cuda" else there


def check(device):
    """IndexError if a kernel has noted a mistake, which is raised once."""
    note = _notes.get(device)
    if note is None or not note[0]:
        return
    what, index, size = note.tolist()
    note[:] = 0
    shown = f"index {index} is out of bounds for a dimension with size {size}"
    if what == BAD_TARGET:
        shown = f"Target {index} is out of bounds: there are {size} classes"
    earlier = "; a kernel on the GPU saw it, perhaps of an earlier line"
    raise IndexError(shown + earlier if device == "cuda" else shown)
