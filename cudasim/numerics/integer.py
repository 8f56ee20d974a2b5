"""Integer intrinsics."""

import numpy as np

from .pieces import in_pieces

I32, U32, I64, U64 = np.int32, np.uint32, np.int64, np.uint64


def _count(x):
    return np.bitwise_count(x).astype(I32)


def _unsigned(x):
    return x.view(f"u{x.dtype.itemsize}")


def popc(x):
    """The number of bits set."""
    return _count(_unsigned(x))


@in_pieces
def clz(x):
    """Leading zeros: smear the highest bit to the right and count."""
    bits, x = 8 * x.dtype.itemsize, _unsigned(x)
    step = 1
    while step < bits:
        x = x | (x >> x.dtype.type(step))
        step *= 2
    return I32(bits) - _count(x)


def ffs(x):
    """One plus the place of the lowest bit set; 0 for 0."""
    x = _unsigned(x)
    one = x.dtype.type(1)
    return np.where(x == 0, I32(0), _count(x ^ (x - one)))[()]


MASKS = (0x5555555555555555, 0x3333333333333333, 0x0F0F0F0F0F0F0F0F)


@in_pieces
def brev(x):
    """The bits reversed: within bytes by swaps, then the bytes."""
    of = x.dtype.type
    for at, mask in enumerate(MASKS):
        n, m = of(1 << at), U64(mask).astype(x.dtype)
        x = ((x >> n) & m) | ((x & m) << n)
    return x.byteswap()


def mulhi32(a, b):
    wide = I64 if a.dtype == I32 else U64
    return ((a.astype(wide) * b.astype(wide)) >> wide(32)).astype(a.dtype)


@in_pieces
def umul64hi(a, b):
    """The high 64 bits of the product, from four products of halves."""
    low, by = U64(0xFFFFFFFF), U64(32)
    al, ah, bl, bh = a & low, a >> by, b & low, b >> by
    middle = ah * bl + ((al * bl) >> by)
    other = al * bh + (middle & low)
    return ah * bh + (middle >> by) + (other >> by)


@in_pieces
def mul64hi(a, b):
    high = umul64hi(a.view(U64), b.view(U64)).view(I64)
    return high - np.where(a < 0, b, I64(0)) - np.where(b < 0, a, I64(0))


def mul24(a, b):
    """The low 32 bits of the product of the low 24 bits, signed or unsigned."""
    by = a.dtype.type(8)
    return ((a << by) >> by) * ((b << by) >> by)


@in_pieces
def byte_perm(x, y, s):
    """Four bytes picked out of the eight of y and x by the nibbles of s."""
    pair, out = (y.astype(U64) << U64(32)) | x, U32(0)
    for at in range(0, 16, 4):
        place = ((s >> U32(at)) & U32(7)).astype(U64) * U64(8)
        byte = (pair >> place).astype(U32) & U32(0xFF)
        out = out | (byte << U32(at * 2))
    return out


def _funnel(clamp, left):
    @in_pieces
    def shift(low, high, n):
        n = np.minimum(n, U32(32)) if clamp else n & U32(31)
        pair = (high.astype(U64) << U64(32)) | low
        n = n.astype(U64)
        return ((pair << n) >> U64(32) if left else pair >> n).astype(U32)

    return shift


def sad(x, y, z):
    """|x - y| + z."""
    return abs(x.astype(I64) - y.astype(I64)).astype(U32) + z


def _average(extra):
    def average(x, y):
        return ((x.astype(I64) + y.astype(I64) + extra) >> 1).astype(x.dtype)

    return average


def _unpacked(x, bits, type):
    """The numbers of `bits` bits in a 32-bit one, or those of a vector."""
    if isinstance(x, tuple):
        return [part.astype(type) for part in x]
    narrow = np.dtype(f"{'i' if type is I32 else 'u'}{bits // 8}")
    return [(x >> type(at)).astype(narrow).astype(type) for at in range(0, 32, bits)]


def _dot(bits, skipped=0):
    """The dot product of numbers of `bits` bits with bytes, plus c."""

    def dot(a, b, c):
        type = c.dtype.type
        left, right = _unpacked(a, bits, type), _unpacked(b, 8, type)[skipped:]
        for x, y in zip(left, right, strict=False):
            c = c + x * y
        return c

    return dot


BUILTINS = {
    "__popc": popc, "__popcll": popc, "__clz": clz, "__clzll": clz, "__ffs": ffs,
    "__ffsll": ffs, "__brev": brev, "__brevll": brev, "__mulhi": mulhi32,
    "__umulhi": mulhi32, "__mul64hi": mul64hi, "__umul64hi": umul64hi,
    "__mul24": mul24, "__umul24": mul24, "__byte_perm": byte_perm,
    "__funnelshift_l": _funnel(False, True), "__funnelshift_r": _funnel(False, False),
    "__funnelshift_lc": _funnel(True, True), "__funnelshift_rc": _funnel(True, False),
    "__sad": sad, "__usad": sad, "__hadd": _average(0),
    "__rhadd": _average(1), "__uhadd": _average(0), "__urhadd": _average(1),
    "__dp4a": _dot(8), "__dp2a_lo": _dot(16), "__dp2a_hi": _dot(16, 2),
}  # fmt: skip
