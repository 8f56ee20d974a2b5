"""Which of ATen's operators a C++ answer calls, by whatever way it reaches them.

While an answer runs, there is a trap at the entry of every function of ATen that
computes. Those that allocate and fill memory are let through: which functions these
are is learned by calling them once.
"""

import contextlib
import ctypes
import mmap
import platform
import re
from pathlib import Path

import numpy as np

from minigrad.testing import extension

SOURCE = Path(__file__).with_name("aten_traps.cpp")
MACHINES = "x86_64", "aarch64"
COMPUTES = re.compile(
    rb"\0(_Z[A-Z]*N?K?2at(?:4_ops|6native|3cpu|4meta|\d+composite|\d+TensorIterator|"
    rb"12_GLOBAL__N_1L?\d+(?:wrapper|structured)_)[^\0]*)"
)
HEADER = np.dtype({"names": ["sections", "count"], "formats": ["u8", "u2"],
                   "offsets": [40, 60], "itemsize": 64})  # fmt: skip
SECTION = np.dtype({"names": ["kind", "offset", "size", "link"],
                    "formats": ["u4", "u8", "u8", "u4"],
                    "offsets": [4, 24, 32, 40], "itemsize": 64})  # fmt: skip
SYMBOL = np.dtype({"names": ["name", "info", "section", "value"],
                   "formats": ["u4", "u1", "u2", "u8"],
                   "offsets": [0, 4, 6, 8], "itemsize": 24})  # fmt: skip
SYMBOLS, EXPORTED, FUNCTION = 2, 11, 2  # of ELF
GONE = -2  # a trap was taken away


class Traps:
    """The traps of this process. `called`: the first function that ran into one."""

    def __init__(self):
        import torch

        path = Path(torch.__file__).parent / "lib" / "libtorch_cpu.so"
        command = [extension.compiler(), "-shared", "-fPIC", "-O1", "-std=c++17"]
        library = extension.shared_library("traps", SOURCE, command=command)
        self._library, self.called = ctypes.CDLL(str(library)), ""
        self._places, self._names = functions(path)
        places = (self._places + base(path)).astype(np.uintp)
        if self._library.traps_place(places.ctypes, ctypes.c_size_t(len(places))):
            raise OSError("the code of PyTorch cannot be changed")
        allocate()  # what that imports is here before the answer uses up the files

    @contextlib.contextmanager
    def set(self):
        """Let what is called in this block compute nothing by ATen."""
        self._library.traps_set(True)
        allocate()
        self._library.traps_set(False)
        try:
            yield
        finally:
            place = self._library.traps_end()
            self.called = demangled(self._names[place]) if place >= 0 else ""
            if place == GONE:
                self.called = "ATen, behind traps that were taken away,"


def traps():
    """The Traps; None where there are none: on macOS, or other processors."""
    linux = platform.system() == "Linux" and platform.machine() in MACHINES
    return Traps() if linux else None


def allocate():
    """Call what an answer may call: all that ATen does to allocate and fill memory."""
    import torch

    for device in "cpu", "meta":
        for dtype in torch.float, torch.double, torch.half, torch.bfloat16, torch.long:
            how = {"dtype": dtype, "device": device}
            for shape in (), (0,), (2, 3), (2, 1, 3):
                x = torch.ops.aten.empty_like(torch.zeros(shape, **how))
                torch.ops.aten.zeros_like(torch.empty(shape, **how).fill_(1).zero_())
                torch.empty_strided(shape, x.stride(), **how)
                x.new_empty(shape), x.new_zeros(shape), x.contiguous()
        x = torch.empty(4, 6, device=device)
        x.t().contiguous(), x[:, ::2].contiguous()


def functions(path):
    """(offsets, names) of a library's functions that compute, in ascending order."""
    with path.open("rb") as file:
        data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    header = np.frombuffer(data, HEADER, 1)[0]
    sections = np.frombuffer(data, SECTION, header["count"], int(header["sections"]))
    kinds = sections["kind"].tolist()
    table = sections[kinds.index(SYMBOLS if SYMBOLS in kinds else EXPORTED)]
    count = int(table["size"]) // SYMBOL.itemsize
    symbols = np.frombuffer(data, SYMBOL, count, int(table["offset"]))
    texts = sections[table["link"]]
    text = data[int(texts["offset"]) : int(texts["offset"] + texts["size"])]
    names = [match.start(1) for match in COMPUTES.finditer(text)]
    here = (symbols["info"] & 15 == FUNCTION) & (symbols["section"] != 0)
    chosen = symbols[here & np.isin(symbols["name"], np.array(names, np.uint32))]
    places, first = np.unique(chosen["value"], return_index=True)
    starts = chosen["name"][first].tolist()
    return places, [text[at : text.index(b"\0", at)].decode() for at in starts]


def base(path):
    """The address at which a library lies in this process."""
    for line in Path("/proc/self/maps").read_text().splitlines():
        if line.endswith(str(path)):
            begin, _, offset, *_ = line.split()
            return int(begin.partition("-")[0], 16) - int(offset, 16)
    raise OSError(f"{path} is not loaded")


def demangled(name):
    """A C++ name as it's written."""
    demangle = ctypes.CDLL("libstdc++.so.6").__cxa_demangle
    demangle.restype = ctypes.c_char_p
    return (demangle(name.encode(), None, None, None) or name.encode()).decode()
