"""A whole text: parameters, functions, the kernel and what it gives back."""

import numpy as np

from .choices import Choices, Function, Program, Var
from .together import COUNTED, SIZES, Together
from .types import (
    BLOCK,
    DOUBLE,
    FLOAT,
    INPUT,
    INT,
    LIBRARY,
    LL,
    THREAD,
    TYPES,
    UINT,
    WARP,
)

KINDS = ("plain", "helpers", "shared", "warp", "atomic", "mixed")
BLOCKS = [
    (4,), (32,), (7,), (64,), (33,), (100,), (8, 4), (5, 3), (4, 3, 2), (16, 2, 3),
]  # fmt: skip
GRIDS = [(1,), (2,), (3,), (2, 2), (1, 2, 2)]


class Kernel(Together):
    """A whole text."""

    def __init__(self, choices, kind, seed):
        parts = KINDS[1:5] if kind == "mixed" else (kind,)
        super().__init__(choices, parts)
        self.block_size, self.grid = self.c.pick(BLOCKS), self.c.pick(GRIDS)
        self.threads = int(np.prod(self.block_size))
        self.all = self.threads * int(np.prod(self.grid))
        self.parameters, self.heads, self.shared_mem = [], [], 0
        self.fields, self.outs, self.seed = [], [], seed

    def parameter(self, text, name, dtype, count):
        self.heads.append(text)
        self.parameters.append((name, dtype, count))

    def program(self):
        before = self.file_scope()
        while len(self.functions) < 2 and self.c.chance(60):
            before += self.function()
        self.kernel_scope()
        begin = self.prologue()
        self.body(10)
        self.epilogue()
        library = [LIBRARY[n] for n in LIBRARY if n in self.library]
        head = [f"__global__ void kernel({', '.join(self.heads)}) {{"]
        head = [f"#define NT {self.threads}", *library, *before, *head]
        source = "\n".join([*head, *begin, *self.lines, "}"]) + "\n"
        return Program(
            source, self.grid, self.block_size, self.shared_mem, self.parameters,
            self.seed, self.c.made, self.c.parts,
        )  # fmt: skip

    def file_scope(self):
        """A table, an enum, a struct; what CUDA itself brings."""
        for name, level in (
            ("threadIdx", THREAD),
            ("blockIdx", BLOCK),
            ("blockDim", BLOCK),
        ):
            for axis in "xyz":
                self.add(f"{name}.{axis}", UINT, level=level, writable=False)
        type, c = self.c.pick(TYPES), self.c
        table = ", ".join(self.literal(type).text for _ in range(8))
        self.add("table", type, level=BLOCK, writable=False, dims=(8,))
        self.add("BLUE", INT, level=BLOCK, writable=False)
        self.fields = [(n, c.pick(TYPES), c.pick([(), (), (2,)])) for n in "abcd"]
        fields = "".join(
            f" {t.name} {n}{''.join(f'[{d}]' for d in dims)};"
            for n, t, dims in self.fields
        )
        return [
            f"__constant__ {type.name} table[8] = {{{table}}};",
            "enum Color { RED, GREEN = 5, BLUE };",
            f"struct Part {{{fields} }};",
        ]

    def function(self):
        """A device function, as lines."""
        name, saved, start = self.new("f"), self.lines, len(self.c.made) - 1
        self.lines, self.result = [], self.c.pick(TYPES)
        self.scopes.append([])
        parameters, heads = [], []
        for _ in range(1 + self.c.below(3)):
            type, reference = self.c.pick(TYPES), self.c.chance(30)
            v = self.add(self.new("x"), type)
            heads.append(f"{type.name}{'&' * reference} {v.name}")
            parameters.append((type, reference))
        self.body(4)
        self.fresh()
        self.say(f"return {self.assignable(self.result).text};")
        head = f"__device__ {self.result.name} {name}({', '.join(heads)}) {{"
        lines = [head, *self.lines, "}"]
        self.functions.append(Function(name, self.result, parameters))
        self.scopes.pop()
        self.lines, self.result = saved, None
        self.c.part(start)
        return lines

    def kernel_scope(self):
        """Parameters."""
        for i in range(1 + self.c.below(4)):
            type = self.c.pick(TYPES)
            self.parameter(f"const {type.name}* in{i}", f"in{i}", type.dtype, INPUT)
            self.add(f"in{i}", type, level=BLOCK, writable=False, dims=(INPUT,))
        for i in range(self.c.below(4)):
            type = self.c.pick(TYPES)
            self.parameter(f"{type.name} n{i}", f"n{i}", type.dtype, None)
            self.add(f"n{i}", type, level=BLOCK, writable=False)
        if self.c.chance(30):
            self.parameter("Part part", "part", self.part_dtype(), None)
            self.members("part", level=BLOCK, writable=False)
        for i in range(1 + self.c.below(4)):
            type = self.c.pick(TYPES)
            self.parameter(f"{type.name}* o{i}", f"o{i}", type.dtype, self.all)
            self.outs.append(self.add(f"o{i}[gid]", type, base=f"o{i}"))
        for i in range(2 * ("atomic" in self.features)):
            group = self.c.pick(list(COUNTED))
            type = self.c.pick([t for t in SIZES if group != "add" or t is not LL])
            self.parameter(f"{type.name}* h{i}", f"h{i}", type.dtype, 16)
            self.atomics.append((Var(f"h{i}", type, f"h{i}"), group))

    def part_dtype(self):
        fields = [(name, type.dtype, dims) for name, type, dims in self.fields]
        return np.dtype(fields, align=True)

    def members(self, name, **more):
        for field, type, dims in self.fields:
            self.add(f"{name}.{field}", type, base=name, dims=dims, **more)

    def prologue(self):
        """Where this thread is; shared arrays get their first values."""
        places = ("tid", "threadIdx", "blockDim"), ("bid", "blockIdx", "gridDim")
        for name, at, size in places:
            row = f"({at}.y + {size}.y * {at}.z)"
            self.say(f"int {name} = {at}.x + {size}.x * {row};")
        self.say("int gid = bid * NT + tid;")
        self.add("tid", INT, writable=False)
        self.add("gid", INT, writable=False)
        self.add("bid", INT, level=BLOCK, writable=False)
        if "warp" in self.features:
            self.say(
                "int lane = tid & 31, wid = tid >> 5, live = min(32, NT - wid * 32);"
            )
            self.add("lane", INT, writable=False)
            self.add("wid", INT, level=WARP, writable=False)
        if "shared" in self.features:
            self.flow = BLOCK
            self.declare_shared()
        elif "warp" in self.features:
            self.flow = WARP
        self.structure()
        begin, self.lines = self.lines, []
        return begin

    def declare_shared(self):
        for i in range(1 + self.c.below(3)):
            type, name = self.c.pick(TYPES), f"s{i}"
            dims = self.c.pick([(), (), (2,)])
            shape = "".join(f"[{d}]" for d in dims) + "[NT]"
            if i == 0 and self.c.chance(40):
                shape, dims, self.shared_mem = "[]", (), self.threads * type.bits // 8
            extern = "extern " * (shape == "[]")
            self.say(f"{extern}__shared__ {type.name} {name}{shape};")
            for row in range(dims[0] if dims else 1):
                self.fresh()
                text = f"[{row}]" * len(dims)
                self.say(f"{name}{text}[tid] = {self.assignable(type).text};")
            self.shared_arrays.append(Var(name, type, name, dims=dims, shared=True))
        self.scopes[-1] += self.shared_arrays
        self.say("__syncthreads();")

    def structure(self):
        """Structs and vectors."""
        if self.c.chance(40):
            values = []
            for _, type, dims in self.fields:
                text = ", ".join(
                    self.assignable(type, 1).text for _ in range(len(dims) + 1)
                )
                values.append(f"{{{text}}}" if dims else text)
            self.say(f"Part q = {{{', '.join(values)}}};")
            self.members("q")
        if self.c.chance(40):
            type, n = self.c.pick([FLOAT, INT, DOUBLE, UINT]), self.c.pick([4, 2, 3])
            short = "uint" if type is UINT else type.name
            kind = f"{short}{n}"
            self.parameter(f"{kind}* w", "w", type.dtype, n * self.all)
            self.say(f"{kind} u = w[gid];")
            for axis in "xyzw"[:n]:
                self.add(f"u.{axis}", type, base="u")

    def epilogue(self):
        """Every variable that is left goes out."""
        if any(p[0] == "w" for p in self.parameters):
            self.say("w[gid] = u;")
        known = [v for v in self.scopes[-1] if v.writable and not v.shared]
        for v in known:
            if v in self.outs or v.base == "u":
                continue
            name, n = self.new("out"), int(np.prod(v.dims))
            self.parameter(f"{v.type.name}* {name}", name, v.type.dtype, n * self.all)
            if not v.dims:
                self.say(f"{name}[gid] = {v.name};")
                continue
            inner = v.dims[-1]
            rows = f"[k / {inner}]" * (len(v.dims) - 1)
            step = f"{name}[gid * {n} + k] = {v.name}{rows}[k % {inner}];"
            self.say(f"for (int k = 0; k < {n}; k++) {step}")


def make(seed, kind=None, replay=None):
    """The Program of a seed; `replay` is a list of choices in place of the seed's."""
    choices = Choices(seed, replay)
    return Kernel(choices, kind or KINDS[seed % len(KINDS)], seed).program()
