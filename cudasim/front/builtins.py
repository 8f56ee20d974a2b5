"""CUDA's own functions, as overloads."""

import dataclasses
import functools

from . import ctype as C
from .builtin_table import TABLE

WORDS = {
    **C.BASES, **C.VECTORS, "void": C.VOID, "bool": C.BOOL, "half": C.HALF,
    "half2": C.HALF2, "bf16": C.BFLOAT16, "bf162": C.BFLOAT162, "schar": C.SCHAR,
}  # fmt: skip
# NVRTC finds these ambiguous for a half, which converts to several types.
NOT_FOR_HALF = {"isinf", "isfinite", "signbit"}


@dataclasses.dataclass(eq=False, frozen=True)
class Builtin:
    """One overload of a function of CUDA's. arch: 80 for one that needs sm_80."""

    name: str
    category: str
    result: object
    types: tuple
    required: int
    header: str = ""
    arch: int = 0


def _rows():
    """name -> its lines: (category, header, arch, signature, types of T)."""
    rows, category, header, arch = {}, "", "", 0
    for line in filter(None, TABLE.splitlines()):
        if line.startswith("["):
            category, *where = line[1:-1].split()
            header = "".join(w for w in where if w[:3] != "sm_")
            arch = int("".join(w[3:] for w in where if w[:3] == "sm_") or 0)
            continue
        names, _, rest = line.partition(":")
        signature, _, types = rest.partition("|")
        for name in names.split():
            kinds = types.split() or ["void"]
            row = category, header, arch, signature.strip(), kinds
            rows.setdefault(name, []).append(row)
    return rows


ROWS = _rows()
NAMES = frozenset(n for n in ROWS if n[:7] not in ("__tile_", "__grid_")) | {
    "printf",
    "assert",
}


def _type(text, t):
    """The type that a word of the table stands for."""
    text = text.strip().rstrip("=")
    if text.endswith("*"):
        const = text.startswith("const ")
        inner = _type(text.removeprefix("const ")[:-1], t)
        return inner.qualified(C.CONST if const else 0).pointer()
    return WORDS[t if text == "T" else text]


@functools.cache
def overloads(name):
    """Every overload of `name`, in the order of the table."""
    out = []
    for category, header, arch, signature, types in ROWS.get(name, ()):
        if signature == "V":
            type = C.VECTORS[name.removeprefix("make_")]
            fields = tuple(t for t, _ in type.fields.values())
            out.append(Builtin(name, category, type, fields, len(fields)))
            continue
        result, _, rest = signature.removesuffix(")").partition("(")
        words = rest.split(",") if rest else []
        required = sum(not w.endswith("=") for w in words)
        for t in types:
            parameters = tuple(_type(w, t) for w in words)
            kind = _type(result, t)
            out.append(
                Builtin(name, category, kind, parameters, required, header, arch)
            )
    return tuple(out)


PRINTF = Builtin("printf", "print", C.INT, (), 1)
ASSERT = Builtin("assert", "assert", C.VOID, (C.BOOL,), 1)
