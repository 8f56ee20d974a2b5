"""Random numbers: Philox4x32-10, a function of a seed and a counter.

The same seed gives the same numbers on every device: number i depends on i alone, and
every thread can compute its own. Salmon, Moraes, Dror, Shaw: Parallel random numbers:
as easy as 1, 2, 3 (2011).
"""

import contextlib
from numbers import Integral

import numpy as np

from . import dtypes, launch, layout, plan_cache
from .check import check
from .creation import empty, factory, like, tensor
from .dispatch import number_for, operator, tensor_for
from .dtypes import as_dtype, bool_, float32, int64, of_bits, to_bits
from .launch import THREADS, cdiv
from .ops.pointwise import lt
from .storage import Storage, copy_to_device
from .trace import Trace

UNIFORM, NORMAL, WHOLE = range(3)
BITS = dict(zip(dtypes.FLOATS, (11, 8, 24, 53), strict=True))  # of a number in [0, 1)
DRAW = launch.one("philox", "draw", "random.cu",
                  args="out n:long seed first bits:int low:long count state",
                  grid=lambda f: cdiv(f.blocks, THREADS),
                  types=lambda f: (f.dtype, f.kind))  # fmt: skip


class Generator:
    """A seed, and how many blocks of four 32-bit words have been used.

    static: while a step is captured, to be done again with other numbers, its Static.
    """

    static = None

    def __init__(self, seed=0):
        self.manual_seed(seed)

    def manual_seed(self, seed):
        """Begin anew."""
        number_for("manual_seed", "seed", seed)
        self.seed, self.counter = int(seed) & (2**64 - 1), 0
        return self

    def get_state(self):
        return self.seed, self.counter

    def set_state(self, state):
        self.seed, self.counter = state

    def take(self, blocks):
        """Use up `blocks` blocks of random numbers; the number of the first."""
        first, self.counter = self.counter, self.counter + blocks
        return first

    def state(self, device):
        """What random.cu calls state: a storage, or None where nothing is captured."""
        return self.static and self.static.on(device)


class Static:
    """Seed and counter in memory, where captured kernels read them at each replay.

    devices: where there is such memory from the start. used: the blocks of one run.
    """

    def __init__(self, *devices):
        self.buffers, self.used, self.devices = {}, 0, devices

    def on(self, device):
        """The storage of both on a device."""
        if device not in self.buffers:
            pair = np.array([default_generator.seed, self.start], np.uint64)
            copy = copy_to_device(pair, device)
            self.buffers[device] = Storage(copy, device, pair.dtype)
        plan_cache.constant(self.buffers[device])
        return self.buffers[device]

    @contextlib.contextmanager
    def captured(self):
        """While this is open, blocks are counted from 0, added to those in memory."""
        generator = default_generator
        self.start, self.pair = generator.counter, generator.get_state()
        for device in self.devices:
            self.on(device)
        generator.counter, generator.static = 0, self
        try:
            yield self
        finally:
            self.used, generator.static = generator.counter, None
            generator.counter += self.start

    def renew(self):
        """Let the next run take the numbers that come next."""
        self.put((default_generator.seed, default_generator.take(self.used)))

    def put(self, pair):
        """Let the next run take the numbers of a seed from a block on."""
        self.pair, pair = pair, np.array(pair, np.uint64)
        for buffer in self.buffers.values():
            if buffer.device == "cuda":
                buffer.data.set(pair)
            else:
                buffer.data[:] = pair


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
    check(kind == WHOLE or dtype in BITS, lambda: "random numbers of this kind are "
          f"floats, not {dtype}", NotImplementedError)  # fmt: skip
    out = empty(size, dtype=dtype, device=device)
    n, seed = out.numel(), default_generator.seed
    blocks = -(-n // 2)
    first, state = default_generator.take(blocks), default_generator.state(device)
    bits = BITS.get(dtype, 0)
    if not n:
        return out
    if device == "cpu":

        def draw_numbers(out):
            words = philox(*drawn(seed, first, blocks, state)).reshape(-1, 2)[:n]
            out.storage.data[:] = to_bits(numbers(kind, words, bits, low, count), dtype)

        if Trace.active is None:
            draw_numbers(out)
        else:
            Trace.active.run("random", draw_numbers, (out,), {})
    else:
        launch.run(DRAW, "random", out=out, kind=kind, n=n, seed=np.uint64(seed),
                   first=np.uint64(first), bits=bits, low=low, count=np.uint64(count),
                   blocks=blocks, state=state)  # fmt: skip
    return out


def drawn(seed, first, blocks, state):
    """The seed, and the counters of `blocks` blocks."""
    if state is not None:
        seed, first = int(state.data[0]), first + int(state.data[1])
    return seed, np.arange(first, first + blocks, dtype=np.uint64)


@factory
def rand(*size, dtype=None, device="cpu"):
    """Random numbers, uniform on [0, 1)."""
    return draw(UNIFORM, layout.as_shape(size), as_dtype(dtype), device)


@factory
def randn(*size, dtype=None, device="cpu"):
    """Random numbers of the normal distribution with mean 0 and variance 1."""
    return draw(NORMAL, layout.as_shape(size), as_dtype(dtype), device)


def randint(low=None, high=None, size=None, *, dtype=int64, device="cpu"):
    """Whole numbers from low (0 in randint(high, size)) to high - 1.

    Raises RuntimeError where there are none, or the dtype does not hold them.
    """
    if size is None and isinstance(high, tuple | list):
        low, high, size = None, low, high
    if high is None:
        low, high = None, low
    check(size is not None and high is not None,
          "randint() takes randint(high, size) or randint(low, high, size), where size "
          "is a tuple, as in randint(10, (2, 3))", TypeError)  # fmt: skip
    low, high = layout.as_ints((0 if low is None else low, high))
    check(high > low, lambda: "randint expects 'from' to be less than 'to', but got "
          f"from={low} >= to={high}")  # fmt: skip
    shape, dtype = layout.as_shape((size,)), as_dtype(dtype)
    check_fits("randint", dtype, low, high - 1)
    return draw(WHOLE, shape, int64, device, low, high - low).to(dtype)


def check_fits(function, dtype, least, most):
    """RuntimeError unless a dtype holds such whole numbers."""
    if dtype in BITS:
        return
    ends = (0, 1) if dtype == bool_ else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    for number in least, most:
        check(ends[0] <= number <= ends[1],
              f"{function}: {number} is out of bounds for {dtype}")  # fmt: skip


def randperm(n, *, dtype=int64, device="cpu"):
    """The numbers 0 ... n - 1 in random order: the order of n random numbers."""
    number_for("randperm", "n", n, Integral)
    (n,), dtype = layout.as_shape((n,)), as_dtype(dtype)
    check_fits("randperm", dtype, 0, n - 1 if n else 0)
    keys = draw(WHOLE, (n,), int64, "cpu", 0, 2**63).numpy()
    return tensor(np.argsort(keys, kind="stable"), dtype, device)


def bernoulli(p):
    """1 with probability p[i], else 0, for each element of a tensor p, in its dtype.

    RuntimeError unless 0 <= p <= 1; on "cuda" that is not checked: it would wait for
    the GPU.
    """
    check(tensor_for("bernoulli", "input", p).dtype in BITS, lambda: "bernoulli: "
          f"probabilities are floats, not {p.dtype}", NotImplementedError)  # fmt: skip
    if p.device != "cuda":
        chances = of_bits(p.detach().memory(), p.dtype)
        check(np.all((chances >= 0) & (chances <= 1)),
              "Expected p_in >= 0 && p_in <= 1 to be true, but got false.")  # fmt: skip
    return keep_mask(p, p)


def keep_mask(x, p):
    """1 with probability p, else 0, in the shape, dtype and device of x."""
    return lt(rand(x.shape, dtype=float32, device=x.device), p).to(x.dtype)


rand_like, randn_like = like(rand), like(randn)

DROPOUT = launch.one("philox", "dropout", "random.cu",
                     args="x y seed first most scale:wide n:long state",
                     grid=lambda f: cdiv(f.n, 2 * THREADS))  # fmt: skip


@operator(planned=False, vjps=[
    lambda dy, p, seed, first, state: dropout(dy, p=p, seed=seed, first=first,
                                              state=state)])  # fmt: skip
def dropout(x, *, p, seed, first, state=None):
    """x / p where an element is kept, with probability p, else 0.

    first: the first of the blocks of random numbers, as rand() takes them. So the same
    call with dy is the way back, and no mask is stored.
    """


@dropout.cpu
def _(x, p, seed, first, state):
    words = philox(*drawn(seed, first, cdiv(x.size, 2), state))[:, ::2]
    words = words.reshape(-1)[: x.size].reshape(x.shape)
    scale = x.dtype.type(1 / p if p else 0)
    return np.where(words >> 8 < limit(p), x * scale, x.dtype.type(0))


@dropout.device
def _(x, p, seed, first, state):
    x = x.contiguous()
    y = x.new_empty(x.shape)
    launch.run(DROPOUT, "dropout", x=x, y=y, seed=np.uint64(seed), n=x.numel(),
               first=np.uint64(first), most=np.uint32(limit(p)),
               scale=1 / p if p else 0, state=state)  # fmt: skip
    return y


def limit(p):
    """A random number of 24 bits is below this one with probability p."""
    return int(np.ceil(np.float32(p) * 2.0**24))


dropout.gradients.once = True  # PyTorch saves the mask
