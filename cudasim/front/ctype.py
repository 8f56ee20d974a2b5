"""C types as CUDA's 64-bit devices have them. Types are compared with `is`.

`plain` is a type without const and volatile. Derived types (pointers, arrays,
qualified types) are made once and kept on the type they derive from.
"""

import numpy as np

CONST, VOLATILE = 1, 2


class CType:
    """What all types share: a name; size (0: incomplete) and alignment in bytes.

    parts: how many numbers it holds.
    """

    quals, size, align, dtype, parts = 0, 0, 1, None, 1
    is_integer = is_float = is_arithmetic = is_scalar = False

    def __init__(self, name):
        self.name, self.plain, self._derived = name, self, {}

    def __str__(self):
        return self.name

    __repr__ = __str__

    @property
    def const(self):
        return bool(self.quals & CONST)

    def derived(self, key, make):
        """The type kept under `key`, made on first use."""
        if key not in self._derived:
            self._derived[key] = make()
        return self._derived[key]

    def qualified(self, quals):
        """This type with more qualifiers (bits CONST and VOLATILE)."""
        quals |= self.quals
        if quals == self.quals:
            return self
        return self.plain.derived(("quals", quals), lambda: self.plain._qualify(quals))

    def _qualify(self, quals):
        copy = object.__new__(type(self))
        copy.__dict__.update(self.__dict__)
        words = ["const"] * (quals & CONST) + ["volatile"] * (quals >> 1)
        behind = isinstance(self, Pointer)
        parts = [self.name, *words] if behind else [*words, self.name]
        copy.name, copy.quals, copy.plain = " ".join(parts), quals, self
        copy._derived = {}
        return copy

    def pointer(self):
        return self.derived("pointer", lambda: Pointer(self))

    def reference(self):
        return self.derived("reference", lambda: Reference(self))

    def array(self, count):
        return self.derived(("array", count), lambda: Array(self, count))


class Scalar(CType):
    """void, bool, and every number; `kind` is void, bool, int, uint, float."""

    def __init__(self, name, kind, dtype=None, rank=0):
        super().__init__(name)
        self.kind, self.rank = kind, rank
        if dtype is not None:
            self.dtype = np.dtype(dtype)
            self.size = self.align = self.dtype.itemsize
        self.is_integer = kind in ("bool", "int", "uint")
        self.is_float = kind == "float"
        self.is_arithmetic = self.is_scalar = self.is_integer or self.is_float

    @property
    def signed(self):
        return self.kind == "int"

    @property
    def most(self):
        """The greatest value of an integer type."""
        return 1 if self.kind == "bool" else 2 ** (8 * self.size - self.signed) - 1

    @property
    def least(self):
        return -(2 ** (8 * self.size - 1)) if self.signed else 0

    def wrap(self, value):
        """An integer brought into the range of this type, as the hardware does."""
        if self.kind == "bool":
            return int(value != 0)
        value &= 2 ** (8 * self.size) - 1
        return value - 2 ** (8 * self.size) if value > self.most else value


class Half(CType):
    """__half and __nv_bfloat16: numbers that C sees as classes.

    The dtype of bfloat16 is that of its bits: NumPy has no bfloat16.
    """

    size = align = 2

    def __init__(self, name, dtype):
        super().__init__(name)
        self.dtype = np.dtype(dtype)


class Pointer(CType):
    size = align = 8
    dtype = np.dtype(np.uint64)
    is_scalar = True

    def __init__(self, to):
        behind = (
            f"{to.name} *" if not isinstance(to, Array) else f"{to.of} (*){to.dims}"
        )
        super().__init__(behind.replace("* *", "**"))
        self.to = to


class Reference(CType):
    def __init__(self, to):
        super().__init__(f"{to.name} &")
        self.to = to


class Array(CType):
    """`count` elements; None where the launch says how many."""

    def __init__(self, of, count):
        self.element, self.count = of, count
        self.of = of.of if isinstance(of, Array) else of
        self.dims = f"[{'' if count is None else count}]" + getattr(of, "dims", "")
        super().__init__(f"{self.of} {self.dims}")
        self.size, self.align = of.size * (count or 0), of.align
        self.quals, self.parts = of.quals, of.parts * (count or 0)
        if of.dtype is not None and count is not None:
            self.dtype = np.dtype((of.dtype, (count,)))

    def qualified(self, quals):
        return self.element.qualified(quals).array(self.count)


class Struct(CType):
    """A struct or a vector type. fields: name -> (type, offset)."""

    def __init__(self, name, fields=(), align=1, vector=False):
        super().__init__(name)
        self.fields, self.vector, self.complete = {}, vector, False
        # Of a struct of the file's own: what its names stand for, its methods, the
        # first values of members, the (template, arguments) that it is made of, and
        # whether it has a constructor P() {}; the struct that it inherits from.
        self.names, self.methods, self.defaults, self.template = {}, {}, {}, None
        self.idle, self.base = False, None
        if fields:
            self.complete_with(fields, align)

    def complete_with(self, fields, align=1):
        """Lay the fields out as C does, and make the NumPy dtype."""
        at = 0
        for name, type in fields:
            at = -(-at // type.align) * type.align
            self.fields[name] = (type, at)
            at += type.size
            align = max(align, type.align)
        self.align, self.size = align, max(1, -(-at // align)) * align
        self.complete, self.parts = True, sum(t.parts for _, t in fields)
        types = [t.dtype for t, _ in self.fields.values()]
        self.dtype = np.dtype(
            {
                "names": list(self.fields),
                "formats": types,
                "offsets": [offset for _, offset in self.fields.values()],
                "itemsize": self.size,
            }
        )


class Union(Struct):
    """A struct whose members all begin at 0: it holds words, whatever they mean."""

    def complete_with(self, fields, align=1):
        for name, type in fields:
            self.fields[name] = (type, 0)
            align = max(align, type.align)
        most = max((type.size for _, type in fields), default=1)
        self.align, self.size, self.complete = align, -(-most // align) * align, True
        self.word = {1: UCHAR, 2: USHORT, 4: UINT}.get(align, ULONG)
        self.parts = self.size // self.word.size
        self.dtype = np.dtype((self.word.dtype, (self.parts,)))


class Enum(CType):
    """An enum: an integer with names. A scoped one is never converted unasked."""

    is_scalar = True

    def __init__(self, name, scoped, base):
        super().__init__(name)
        self.values, self.scoped, self.base = {}, scoped, base
        self.size, self.align, self.dtype = base.size, base.align, base.dtype


class Signature(CType):
    """float (float): what pointers to functions point to. functions: those that have
    an address; call: the function that calls one by its pointer, or None."""

    def __init__(self, result, types):
        shown = ", ".join(map(str, types))
        super().__init__(f"{result} ({shown})")
        self.result, self.types, self.shown = result, types, f"{result} (*)({shown})"
        self.functions, self.call = [], None

    def pointer(self):
        return self.derived("pointer", lambda: FunctionPointer(self))


class FunctionPointer(Enum):
    """The number of a function among those of its signature; 0 is null."""

    def __init__(self, to):
        super().__init__(to.shown, True, ULONG)
        self.to = to


class FunctionType(CType):
    """The type of a function's name: good for calling it only."""


VOID = Scalar("void", "void")
BOOL = Scalar("bool", "bool", np.bool_, 0)
CHAR = Scalar("char", "int", np.int8, 1)
SCHAR = Scalar("signed char", "int", np.int8, 1)
UCHAR = Scalar("unsigned char", "uint", np.uint8, 1)
SHORT = Scalar("short", "int", np.int16, 2)
USHORT = Scalar("unsigned short", "uint", np.uint16, 2)
INT = Scalar("int", "int", np.int32, 3)
UINT = Scalar("unsigned int", "uint", np.uint32, 3)
LONG = Scalar("long", "int", np.int64, 4)
ULONG = Scalar("unsigned long", "uint", np.uint64, 4)
LONGLONG = Scalar("long long", "int", np.int64, 5)
ULONGLONG = Scalar("unsigned long long", "uint", np.uint64, 5)
FLOAT = Scalar("float", "float", np.float32, 6)
DOUBLE = Scalar("double", "float", np.float64, 7)
HALF = Half("__half", np.float16)
BFLOAT16 = Half("__nv_bfloat16", np.uint16)
NULLPTR = Pointer(VOID)
NULLPTR.name = "nullptr_t"
FUNCTION = FunctionType("function")
for _signed, _unsigned in (
    (CHAR, UCHAR), (SCHAR, UCHAR), (SHORT, USHORT), (INT, UINT), (LONG, ULONG),
    (LONGLONG, ULONGLONG),
):  # fmt: skip
    _signed.unsigned = _unsigned
    _unsigned.unsigned = _unsigned

BASES = {
    "char": CHAR, "uchar": UCHAR, "short": SHORT, "ushort": USHORT, "int": INT,
    "uint": UINT, "long": LONG, "ulong": ULONG, "longlong": LONGLONG,
    "ulonglong": ULONGLONG, "float": FLOAT, "double": DOUBLE,
}  # fmt: skip
NAMED = {
    "size_t": ULONG,
    "ptrdiff_t": LONG,
    "clock_t": LONG,
}


def _vector(name, base, count):
    """float4 and its kin; alignment is that of CUDA's vector_types.h."""
    align = base.size * count if count in (1, 2, 4) else base.size
    return Struct(name, [(c, base) for c in "xyzw"[:count]], min(align, 16), True)


VECTORS = {
    f"{name}{count}": _vector(f"{name}{count}", base, count)
    for name, base in BASES.items()
    for count in (1, 2, 3, 4)
}
DIM3 = Struct("dim3", [(c, UINT) for c in "xyz"])
HALF2 = Struct("__half2", [("x", HALF), ("y", HALF)], 4, True)
BFLOAT162 = Struct("__nv_bfloat162", [("x", BFLOAT16), ("y", BFLOAT16)], 4, True)
NAMED.update(VECTORS)
NAMED["dim3"] = DIM3
FP16 = {"__half": HALF, "half": HALF, "__half2": HALF2, "half2": HALF2}
BF16 = {
    "__nv_bfloat16": BFLOAT16, "nv_bfloat16": BFLOAT16,
    "__nv_bfloat162": BFLOAT162, "nv_bfloat162": BFLOAT162,
}  # fmt: skip


def promoted(type):
    """Integer promotion: what is smaller than int becomes int."""
    type = type.plain
    if isinstance(type, Enum):
        return type if type.scoped else promoted(type.base)
    return INT if type.is_integer and type.rank < INT.rank else type


def common(a, b):
    """The usual arithmetic conversions: the type in which C computes a + b."""
    a, b = promoted(a), promoted(b)
    if a is b:
        return a
    if a.is_float or b.is_float:
        return a if a.rank > b.rank else b
    if a.signed == b.signed:
        return a if a.rank > b.rank else b
    signed, unsigned = (a, b) if a.signed else (b, a)
    if unsigned.rank >= signed.rank:
        return unsigned
    return signed if signed.size > unsigned.size else signed.unsigned
