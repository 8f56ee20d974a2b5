"""Random numbers: Philox4x32-10, a function of a seed and a counter.

The same seed gives the same numbers on every device: number i depends on i alone, and
every thread can compute its own. Salmon, Moraes, Dror, Shaw: Parallel random numbers:
as easy as 1, 2, 3 (2011).
"""

import numpy as np

from . import layout
from .factories import asking, empty, like, tensor
from .ops import ladder
from .ops.arrays import as_array
from .ops.elementwise import lt
from .ops.ladder import Rung, computed_in, memory
from .ops.rows import RowOperator
from .storage import as_dtype, bfloat16, float16, float32, float64, int64, to_bits

UNIFORM, NORMAL, WHOLE = range(3)
BITS = {float16: 11, bfloat16: 8, float32: 24, float64: 53}  # of a number in [0, 1)
THREADS = 256


class Generator:
    """A seed, and how many blocks of four 32-bit words have been used."""

    def __init__(self, seed=0):
        self.manual_seed(seed)

    def manual_seed(self, seed):
        """Begin anew."""
        self.seed, self.counter = int(seed) & (2**64 - 1), 0
        return self

    def get_state(self):
        return self.seed, self.counter

    def set_state(self, state):
        self.seed, self.counter = state

    def take(self, blocks):
        """The first of so many blocks, which nobody gets again."""
        first, self.counter = self.counter, self.counter + blocks
        return first


default_generator = Generator(0)
manual_seed = default_generator.manual_seed


def philox(seed, counters):
    """Four 32-bit words for each counter, as an array (counters, 4) of uint32."""
    counters = np.asarray(counters, np.uint64)
    low = np.uint64(0xFFFFFFFF)
    c = [counters & low, counters >> np.uint64(32), np.zeros_like(counters)]
    c.append(np.zeros_like(counters))
    key = [seed & 0xFFFFFFFF, seed >> 32]
    for _ in range(10):
        a, b = c[0] * np.uint64(0xD2511F53), c[2] * np.uint64(0xCD9E8D57)
        c = [
            (b >> np.uint64(32)) ^ c[1] ^ np.uint64(key[0]), b & low,
            (a >> np.uint64(32)) ^ c[3] ^ np.uint64(key[1]), a & low,
        ]  # fmt: skip
        key = [(key[0] + 0x9E3779B9) % 2**32, (key[1] + 0xBB67AE85) % 2**32]
    return np.stack(c, -1).astype(np.uint32)


def numbers(kind, words, bits, low, count):
    """The numbers that pairs of words, an array (n, 2), stand for."""
    a, b = words[:, 0].astype(np.uint64), words[:, 1].astype(np.uint64)
    both = a << np.uint64(32) | b
    if kind == WHOLE:
        return low + (both % np.uint64(count)).astype(np.int64)
    if kind == UNIFORM:
        return (both >> np.uint64(64 - bits)) * 0.5**bits
    radius = np.sqrt(-2 * np.log((a + 1.0) * 2.0**-32))  # Box and Muller (1958)
    return radius * np.cos(b * (2.0**-32 * 2 * np.pi))


def draw(kind, size, dtype, device, low=0, count=1):
    """A tensor of random numbers. Each takes two words, so half a block of Philox."""
    if kind != WHOLE and dtype not in BITS:
        raise NotImplementedError(
            f"random numbers of this kind are floats, not {dtype}"
        )
    out = empty(size, dtype=dtype, device=device)
    n, seed = out.numel(), default_generator.seed
    blocks = -(-n // 2)
    first = default_generator.take(blocks)
    bits = BITS.get(dtype, 0)
    if device == "cpu":
        counters = np.arange(first, first + blocks, dtype=np.uint64)
        words = philox(seed, counters).reshape(-1, 2)[:n]
        out.storage.data[:] = to_bits(numbers(kind, words, bits, low, count), dtype)
    elif n:
        text = ladder.with_headers(ladder.file_text("random.cu"), [dtype])
        function = ladder.compiled(text, ladder.template("draw", dtype, kind), device)
        args = (memory(out), np.int64(n), np.uint64(seed), np.uint64(first),
                np.int32(bits), np.int64(low), np.uint64(count))  # fmt: skip
        grid, nbytes = (-(-blocks // THREADS), 1, 1), n * dtype.itemsize
        ladder.launch(
            "random", "philox", function, device, grid, (THREADS, 1, 1), args, nbytes
        )
    return out


@asking
def rand(*size, dtype=None, device="cpu"):
    """Numbers of [0, 1), all as likely."""
    return draw(UNIFORM, layout.as_shape(size), as_dtype(dtype), device)


@asking
def randn(*size, dtype=None, device="cpu"):
    """Numbers of the normal distribution with mean 0 and variance 1."""
    return draw(NORMAL, layout.as_shape(size), as_dtype(dtype), device)


def randint(low, high=None, size=None, *, dtype=int64, device="cpu"):
    """Whole numbers from low (0 in randint(high, size)) to high - 1."""
    if size is None:
        low, high, size = 0, low, high
    if high <= low:
        raise RuntimeError(
            f"randint expects 'from' to be less than 'to', but got from={low} >= "
            f"to={high}"
        )
    shape, dtype = layout.as_shape((size,)), as_dtype(dtype)
    return draw(WHOLE, shape, int64, device, low, high - low).to(dtype)


def randperm(n, *, dtype=int64, device="cpu"):
    """The numbers 0 ... n - 1 in random order: the order of n random numbers."""
    keys = draw(WHOLE, (n,), int64, "cpu", 0, 2**63).numpy()
    return tensor(np.argsort(keys, kind="stable"), dtype, device)


def bernoulli(p):
    """1 with the chance p[i], else 0, for each element of a tensor p."""
    return lt(rand(p.shape, dtype=float32, device=p.device), p).to(p.dtype)


def keep_mask(x, p):
    """1 with the chance p, else 0, in the shape, dtype and device of x."""
    return lt(rand(x.shape, dtype=float32, device=x.device), p).to(x.dtype)


rand_like, randn_like = like(rand), like(randn)

# ------------------------------------------------- dropout

DROPOUT = Rung("philox", "dropout", "random.cu")


class Dropout(RowOperator):
    """x / p where an element is kept, which has the chance p, else 0.

    first: the first of the blocks of random numbers, as rand() takes them. So the same
    call with dy is the way back, and no mask is stored.
    """

    planned = False

    def on_cpu(self, x, p, seed, first):
        n, wide = x.numel(), computed_in(x.dtype)
        counters = np.arange(first, first + -(-n // 2), dtype=np.uint64)
        words = philox(seed, counters)[:, ::2].reshape(-1)[:n].reshape(x.shape)
        scale = wide.type(1 / p if p else 0)
        y = np.where(words >> 8 < limit(p), as_array(x, wide) * scale, wide.type(0))
        return x.new_of(y, x.dtype)

    def on_device(self, x, p, seed, first):
        x, wide = x.contiguous(), computed_in(x.dtype)
        y, n = x.new_empty(x.shape), x.numel()
        args = memory(x), memory(y), np.uint64(seed), np.uint64(first)
        args += np.uint32(limit(p)), wide.type(1 / p if p else 0), np.int64(n)
        grid = -(-n // (2 * THREADS)), 1, 1
        if n:
            self.launch(DROPOUT, [x.dtype, wide], grid, THREADS, args, (x, y))
        return y


def limit(p):
    """A number of 24 bits is below this one with the chance p."""
    return int(np.ceil(np.float32(p) * 2.0**24))


dropout = Dropout("dropout", Dropout.__doc__, [
    lambda dy, p, seed, first: dropout(dy, p=p, seed=seed, first=first)
])  # fmt: skip
