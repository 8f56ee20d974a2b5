"""printf of kernels."""

import math
import re

import numpy as np

from ..front import ctype as C

FORMAT = re.compile(
    rb"%([-+ #0]*)(\d+|\*)?(\.\d*|\.\*)?(hh|h|ll|l|z|j|t)?([diuoxXfFeEgGaAcsp%])"
)
MOST_CALLS = 10_000
MOST_BYTES = 2**20  # as in a GPU's buffer
WIDEST = 4095  # what C guarantees for one conversion
BITS = {"hh": 8, "h": 16, "": 32}


class Printer:
    """Collects what the threads of a launch print, in the order of their lanes."""

    def __init__(self):
        self.parts, self.left, self.bytes, self.lost = [], MOST_CALLS, MOST_BYTES, 0

    def take(self, calls):
        """How many of `calls` calls may still print."""
        taken = min(calls, self.left) if self.bytes > 0 else 0
        self.left -= taken
        self.lost += calls - taken
        return taken

    def add(self, text):
        if self.bytes > 0:
            self.parts.append(text)
            self.bytes -= len(text)
        else:
            self.lost += 1

    def text(self):
        lost = f"... and {self.lost:,} more calls of printf\n" if self.lost else ""
        return "".join(self.parts) + lost


def formatted(template, values):
    """C's format, filled with Python numbers."""
    values = list(values)

    def one(match):
        flags, width, precision, length, letter = (
            (g or b"").decode() for g in match.groups()
        )
        if letter == "%":
            return b"%"
        wanted = 1 + (width == "*") + (precision == ".*")
        if len(values) < wanted:
            return match[0]
        given = [values.pop(0) for _ in range(wanted)]
        flags, width = sized(flags, width, given)
        spec = f"%{flags}{width}{bounded(precision, given)}"
        return show(spec, length, letter, given[0]).encode("utf-8", "replace")

    return FORMAT.sub(one, template).decode("utf-8", "replace")


def sized(flags, width, given):
    """Flags and width; a width of `*` is the next argument."""
    number = int(given.pop(0)) if width == "*" else int(width or 0)
    if number < 0:
        flags += "-"
    return flags, min(abs(number), WIDEST) or ""


def bounded(precision, given):
    """The precision as Python takes it."""
    if not precision:
        return ""
    if precision == ".*":
        number = int(given.pop(0))
        return f".{min(number, WIDEST)}" if number >= 0 else ""
    return f".{min(int(precision[1:] or 0), WIDEST)}"


def show(spec, length, letter, value):
    """One conversion."""
    if letter == "s":
        return (spec + "s") % (value if isinstance(value, str) else "(null)")
    if isinstance(value, str):
        value = 0
    if letter in "fFeEgGaA":
        return real(spec, letter, value)
    number = integer(value)
    if letter == "p":
        return (spec + "s") % f"{number:#x}"
    if letter == "c":
        return (spec + "c") % (number & 0xFF)
    bits = BITS.get(length, 64)
    number &= 2**bits - 1
    if letter in "di":
        return (spec + "d") % (number - (number >> bits - 1 << bits))
    spec = spec.replace("+", "").replace(" ", "")
    if not number:
        spec = spec.replace("#", "")
    text = (spec + letter.replace("u", "d")) % number
    return text.replace("0o", "0", 1) if letter == "o" else text


def integer(value):
    """The bits of a value, for a conversion that expects an integer."""
    if isinstance(value, float):
        return int(np.float64(value).view(np.int64))
    return int(value)


def real(spec, letter, value):
    """A value as a float; an integer's bits are reinterpreted."""
    if not isinstance(value, float):
        value = float(np.uint64(int(value) & 2**64 - 1).view(np.float64))
    if not math.isfinite(value):
        spec = re.sub(r"^%([-+ #0]*)", lambda m: m[0].replace("0", ""), spec)
    if letter not in "aA" or not math.isfinite(value):
        return (spec + letter.replace("a", "f").replace("A", "F")) % value
    digits, power = value.hex().split("p")
    text = f"{digits.rstrip('0').rstrip('.') if '.' in digits else digits}p{power}"
    return (spec.partition(".")[0] + "s") % (text.upper() if letter == "A" else text)


def texts_and_numbers(types, values, lane, text_of):
    """One lane's values for `formatted`."""
    for type, value in zip(types, values, strict=True):
        number = value[lane].item()
        is_text = isinstance(type, C.Pointer) and type.to.plain is C.CHAR
        yield text_of(number, lane) if is_text else number
