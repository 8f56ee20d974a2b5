"""The values and types of C literals."""

import re
import struct

import numpy as np

from . import ctype as C
from .errors import CompileError, outside

INTEGER = re.compile(
    r"(?P<hex>0[xX][\da-fA-F']*)|(?P<binary>0[bB][\d']*)|(?P<octal>0[\d']*)"
    r"|(?P<decimal>[1-9][\d']*)"
)
FLOATING = re.compile(
    r"(?:0[xX](?P<hex>[\da-fA-F']*\.?[\da-fA-F']*[pP][+-]?\d+)"
    r"|(?P<decimal>(?:[\d']*\.[\d']*|[\d']+)(?:[eE][+-]?\d+)?))(?P<suffix>\w*)$"
)
ESCAPES = {
    "n": 10, "t": 9, "r": 13, "a": 7, "b": 8, "f": 12, "v": 11, "e": 27,
    "0": 0, "\\": 92, "'": 39, '"': 34, "?": 63,
}  # fmt: skip
ESCAPE = re.compile(r"\\(?:x([\da-fA-F]+)|([0-7]{1,3})|(.?))", re.DOTALL)
SUFFIXES = {
    "": (False, 0), "u": (True, 0), "l": (False, 1), "ul": (True, 1), "lu": (True, 1),
    "ll": (False, 2), "ull": (True, 2), "llu": (True, 2),
}  # fmt: skip


def number(text, place):
    """The (value, type) of a numeric literal."""
    is_hex = text[:2] in ("0x", "0X")
    floating = any(c in text for c in (".pP" if is_hex else ".eE"))
    return (float_ if floating and text[:2] not in ("0b", "0B") else integer)(
        text, place
    )


def integer(text, place):
    """The (value, type) of an integer literal: the first type that it fits."""
    match = INTEGER.match(text)
    digits, suffix = match.group().replace("'", ""), text[match.end() :]
    base = {"hex": 16, "binary": 2, "octal": 8, "decimal": 10}[match.lastgroup]
    if len(digits) > 2000:
        raise outside("an integer too large for any type", place)
    try:
        value = int(digits[2:] if base in (16, 2) else digits, base)
    except ValueError:
        raise CompileError(f"invalid digit in '{text}'", place) from None
    key = suffix if suffix in ("LL", "ll") else suffix.lower()
    if key.lower() in SUFFIXES and ("Ll" in suffix or "lL" in suffix):
        raise outside(f"the suffix '{suffix}'", place, "write LL")
    if key.lower() not in SUFFIXES:
        raise CompileError(f"invalid suffix '{suffix}' of the number '{text}'", place)
    unsigned, longs = SUFFIXES[key.lower()]
    return value, integer_type(value, unsigned, longs, base, place)


def integer_type(value, unsigned, longs, base, place):
    """C's rule: the first type of the suffix's list that holds the value."""
    signed = [C.INT, C.LONG, C.LONGLONG][longs:]
    for type in signed:
        if not unsigned and value <= type.most:
            return type
        if (unsigned or base != 10) and value <= type.unsigned.most:
            return type.unsigned
    raise outside("an integer too large for any type", place)


def float_(text, place):
    """The (value, type) of a floating literal."""
    match = FLOATING.match(text)
    suffix = match["suffix"].lower() if match else text
    if suffix not in ("", "f", "l"):
        raise CompileError(f"invalid number '{text}'", place)
    digits = (match["hex"] or match["decimal"]).replace("'", "")
    try:
        value = float.fromhex("0x" + digits) if match["hex"] else float(digits)
    except (ValueError, OverflowError):
        value = float("inf") if "p" in digits.lower() else None
    if value is None:
        raise CompileError(f"invalid number '{text}'", place)
    type = C.FLOAT if suffix == "f" else C.DOUBLE
    value = rounded(digits, value, match["hex"]) if suffix == "f" else value
    if value == float("inf"):
        raise CompileError(f"'{text}' is too large for the type {type}", place)
    return value, type


def rounded(digits, value, is_hex):
    """The float32 nearest to a literal, as a Python float, rounded once."""
    try:
        near = struct.unpack("f", struct.pack("f", value))[0]
    except OverflowError:
        return float("inf")
    with np.errstate(all="ignore"):
        return near if is_hex else float(np.float32(digits))


def character(text, place):
    """The value of a character literal."""
    codes = characters(text[1:-1], place)
    if len(codes) > 1:
        what = "a character literal of several characters"
        raise outside(what, place, 'write "..." for text')
    if len(codes) != 1:
        note = 'write one character between the quotes, or "..." for text'
        raise CompileError("a character literal holds one character", place, note)
    return codes[0] - 256 if codes[0] > 127 else codes[0]


def characters(body, place):
    """The bytes of a string's body, with its escapes."""
    out, at = bytearray(), 0
    for match in ESCAPE.finditer(body):
        out += body[at : match.start()].encode("utf-8", "replace")
        out.append(escaped(match, place))
        at = match.end()
    return bytes(out + body[at:].encode("utf-8", "replace"))


def escaped(match, place):
    """The byte of one escape sequence."""
    hexadecimal, octal, letter = match.groups()
    if hexadecimal or octal:
        code = int(hexadecimal, 16) if hexadecimal else int(octal, 8)
        if code > 255:
            raise CompileError(f"'{match.group()}' does not fit a char", place)
        return code
    if letter in ("u", "U"):
        raise outside("a universal character name", place)
    if letter not in ESCAPES:
        raise outside(f"the escape sequence '{match.group()}'", place)
    return ESCAPES[letter]
