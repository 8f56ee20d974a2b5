"""Elementwise operators on a device: kernels/elementwise.cu, and how it is launched."""

import numpy as np

from ..kernels.copy import contiguous_kernel
from ..kernels.elementwise import binary_broadcast, unary_kernel
from ..layouts import is_contiguous, row_major
from ..storage import allocate, float32
from ..trace import nbytes
from . import ladder
from .arrays import as_number
from .ladder import Rung, computed_in, joined, strides_of
from .launcher import Launch
from .texts import HELPERS

THREADS = 256
MANY = 2**31 - THREADS  # elements that an int cannot count
LARGE = 2**16  # elements from which on a thread may treat several
FORMS = {1: "unary", 2: "binary", 3: "ternary"}  # by the number of tensors
MACROS = {1: "UNARY", 2: "BINARY", 3: "TERNARY"}
OP = {  # the names that the rungs "yours", the holes of chapter 04, know
    1: "#define T {}\n#define OP(x) (UNARY(x, 0, 0))\n",
    2: "#define T {}\n#define OP(a, b) (BINARY(a, b))\n",
}


def is_plain(contiguous, **facts):
    return contiguous


def is_wide(contiguous, aligned, n, **facts):
    return contiguous and aligned and n >= LARGE


def is_rows(contiguous, aligned, n, shape, steps, largest, **facts):
    """May rows be read in packs, or one number for all of a row?"""
    pack = 16 // largest
    packs = (s[-1] in (0, 1) and not any(t % pack for t in s[:-1]) for s in steps)
    large = aligned and n >= LARGE and not contiguous
    return large and shape[-1] % pack == 0 and all(packs)


def turned(shape, strides):
    """(batches, rows, columns) of dense matrices whose transposes a view shows.

    None where it shows something else.
    """
    if len(shape) not in (2, 3):
        return None
    *batch, cols, rows = shape
    if strides != (*[rows * cols] * len(batch), 1, cols):
        return None
    batches = batch[0] if batch else 1
    fits = max(rows, batches) <= 65535 and cols < 2**31
    return (batches, rows, cols) if fits else None


def is_turned(operator, keeps, n, matrices, **facts):
    return operator == "copy" and keeps and n >= LARGE and matrices


def is_turned_wide(aligned, largest, matrices, **facts):
    wide = is_turned(matrices=matrices, **facts) and aligned and largest <= 8
    return wide and not any(n % (16 // largest) for n in matrices[1:])


def is_copy(operator, types, **facts):
    return operator == "copy" and types == {float32}


def is_simple(operator, numbers, types, **facts):
    """Are tensors alone computed, all of one type?"""
    return operator != "copy" and not numbers and len(types) == 1


HOLES = {
    1: [
        Rung("yours", "contiguous_kernel", contiguous_kernel, is_copy, "strided"),
        Rung("yours", "unary_kernel", unary_kernel, is_simple, "strided"),
    ],
    2: [Rung("yours", "binary_broadcast", binary_broadcast, is_simple, "strided")],
    3: [],
}
LADDERS = {
    count: [
        *HOLES[count],
        Rung("strided", f"{form}_strided", "elementwise.cu"),
        Rung("contiguous", form, "elementwise.cu", is_plain),
        *[Rung("vectors", f"{form}_vectors", "elementwise.cu", is_wide)][: count < 3],
    ]
    for count, form in FORMS.items()
}
LADDERS[1] += [
    Rung("transposed", "transpose_padded", "copy.cu", is_turned),
    Rung("patches", "transpose_vectors", "copy.cu", is_turned_wide),
]
LADDERS[2].append(Rung("rows", "binary_rows", "elementwise.cu", is_rows))


class DeviceMap:
    """An expression as the kernel for "sim" and "cuda", computing in one dtype."""

    def __init__(self, operator, dtype):
        self.name, self.expression = operator.name, operator.expression
        self.dtype, self.wide = dtype, computed_in(dtype)
        self.result = operator.result or dtype

    def __call__(self, *operands, out=None):
        return self.prepare(operands)(*operands, out=out)

    def prepare(self, operands):
        """The MapPlan for operands of these layouts."""
        return MapPlan(self, operands)

    def with_tensors(self, operands):
        """Of three operands one or all are to be tensors: beside two, one is made."""
        tensors = [x for x in operands if hasattr(x, "storage")]
        if len(tensors) != 2:
            return operands
        like = tensors[0]
        return [x if hasattr(x, "storage") else like.new_number(x, self.dtype)
                for x in operands]  # fmt: skip

    def text(self, operands):
        """What stands in front of elementwise.cu: the operation as a macro."""
        named = list(zip("abc", operands, strict=False))
        tensors = [name for name, x in named if hasattr(x, "storage")]
        names = tensors + [name for name, _ in named if name not in tensors]
        names += ["s", "t"][: 3 - len(names)] if len(tensors) == 1 else []
        head = f"{MACROS[len(tensors)]}({', '.join(names)})"
        return f"{HELPERS}\n#define {head} {self.expression}\n"


class MapPlan:
    """All that is the same when an operator meets operands of such layouts again."""

    def __init__(self, owner, operands):
        self.owner = owner
        operands = owner.with_tensors(operands) if len(operands) == 3 else operands
        self.which = [i for i, x in enumerate(operands) if hasattr(x, "storage")]
        self.numbers = [i for i in range(len(operands)) if i not in self.which]
        tensors = [operands[i] for i in self.which]
        self.device, self.result = tensors[0].device, owner.result
        shape = ladder.broadcast(owner.name, [x.shape for x in tensors])
        views = [x.expand(shape) for x in tensors]
        self.n, self.layout = views[0].numel(), row_major(shape)
        self.nbytes = sum(map(nbytes, views)) + self.n * owner.result.itemsize
        self.shape, *self.steps = joined(shape, *(x.strides for x in views))
        self.matrices = turned(self.shape, tuple(self.steps[0]))
        dtypes = [owner.result, *(x.dtype for x in views)]
        self.largest = max(t.itemsize for t in dtypes)
        self.rung = ladder.choose(
            LADDERS[len(tensors)],
            operator=owner.name,
            numbers=len(self.numbers),
            types={*(x.dtype for x in tensors), owner.result, owner.wide},
            n=self.n,
            contiguous=all(is_contiguous(x.shape, x.strides) for x in views),
            aligned=not any(x.offset * x.dtype.itemsize % 16 for x in views),
            shape=self.shape, steps=self.steps, largest=self.largest,
            matrices=self.matrices, keeps=dtypes[0] == dtypes[1],
        )  # fmt: skip
        if self.rung.source == "copy.cu":
            self.transpose(owner.result)
        else:
            self.compile(tensors, operands)
            self.arrange(views)

    def transpose(self, dtype):
        """The launch where matrices are turned: tiles of 32 x 32, or patches."""
        self.function = self.rung.function(self.device, [dtype])
        batches, rows, cols = self.matrices
        pack = 16 // dtype.itemsize
        block, high, wide = (32, 8, 1), 32, 32
        if self.rung.name == "patches":
            block, high, wide = (8, 32, 1), 32 * pack, 8 * pack
        grid = -(-cols // wide), -(-rows // high), batches
        args = [None, None, np.int32(rows), np.int32(cols)]
        self.launch = Launch(self.told(grid, block), args, [0, 1], range(0))

    def told(self, grid, block):
        """What a trace says of the launch."""
        kernel = self.owner.name, self.rung.name, self.function, self.device
        return *kernel, grid, block, self.nbytes

    def compile(self, tensors, operands):
        types = [x.dtype for x in tensors] + [self.result, self.owner.wide]
        before = self.owner.text(operands)
        if self.n >= MANY:
            before = "#define INDEX long long\n" + before
        if self.rung.name == "yours":
            before += OP[len(tensors)].format(ladder.C_NAMES[types[0]])
        self.function = self.rung.function(self.device, types, before)

    def arrange(self, views):
        """The launch: its grid, and the arguments but for memory and numbers."""
        strided = self.rung.way in ("strided", "rows")
        packs = self.rung.way in ("vectors", "rows")
        each = THREADS * (16 // self.largest if packs else 1)
        grid = max(1, -(-self.n // each)), 1, 1
        args, memory = [], []  # memory: where it stands, the operands' and the result's
        for strides in self.steps:
            memory.append(len(args))
            args.append(None)
            if strided:
                args.append(strides_of(self.shape, strides, self.device))
        index = np.int32 if strided and self.n < MANY else np.int64
        memory.append(len(args))
        args += [None, index(self.n)]
        numbers = range(len(args), len(args) + len(self.numbers))
        if len(views) == 1 and self.rung.name != "yours":
            args += [self.owner.wide.type(0)] * 2
        told = self.told(grid, (THREADS, 1, 1))
        self.launch = Launch(told, args, memory, numbers)

    def __call__(self, *operands, out=None):
        """Launch the kernel on these operands; the result, in `out` if there is one."""
        if len(operands) == 3:
            operands = self.owner.with_tensors(operands)
        if out is None:
            data = allocate(self.n, self.result, self.device)
            out = operands[self.which[0]].new_laid(data, self.layout, self.result)
        if self.n:
            cells = [cells_of(operands[i]) for i in self.which]
            cells.append(cells_of(out))
            wide = self.owner.wide
            self.launch(cells, [as_number(operands[i], wide) for i in self.numbers])
        return out


def cells_of(tensor):
    """Where its elements lie: the array of its storage, and the offset."""
    return tensor.storage.data, tensor._layout[2]
