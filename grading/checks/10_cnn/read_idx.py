"""read_idx: the array in an IDX file, by NumPy."""

import math

import numpy as np

from grading.drivers.training import idx
from grading.exercise import Check, Problem, Raises, call
from minigrad.data.idx import read_idx

ACCEPTED = {  # why a file is refused: what is said of who reads it
    "no IDX file": ("magic", "The file doesn't begin with two zero bytes, so it isn't "
        "an IDX file (a gzip file begins with 1f 8b). Raise ValueError."),
    "not of unsigned bytes": ("any_type", "The type in the third byte isn't 8, so the "
        "elements aren't unsigned bytes. Raise ValueError."),
    "bytes are missing": ("truncated", "Bytes are missing, but there's no error. "
        "Compare how many bytes follow the header with how many the sizes need, and "
        "raise ValueError."),
    "bytes are left over": ("trailing", "The file has more bytes than the sizes need, "
        "but there's no error. Raise ValueError."),
}  # fmt: skip
MISSING, LEFT_OVER = [*ACCEPTED][2:]


def head(*shape, kind=8):
    return bytes([0, 0, kind, len(shape)]) + np.array(shape, ">u4").tobytes()


def cases(random):
    def file(*shape, **kind):
        return head(*shape, **kind) + random.randbytes(math.prod(shape))

    for shape in (3, 4, 5), (2, 28, 28), (300,), (3, 4, 5):
        yield "images and labels", call(file(*shape))
    for shape in (5, 3), (2, 3, 4, 5), (0, 2, 2), (), (0, 65536), (1, 2, 1, 2, 1, 3):
        yield "any number of dimensions", call(file(*shape))
    for shape in (256, 1), (1, 257), (65_537,), (0, 2**32 - 1), (0, 2**31), (2,) * 12:
        yield "any number of dimensions", call(file(*shape))
    good = file(4, 3, 2)
    for data in [
        *(file(4, 3, 2, kind=kind) for kind in (0x0D, 0x0B)),
        *(file(3, 2, kind=kind) + bytes(6 * (size - 1))  # no byte is missing
          for kind, size in ((0x09, 1), (0x0B, 2), (0x0D, 4))),
        *(start + good[2:] for start in (b"\x1f\x8b", b"\0\1", b"\1\0")),
        *(good[:-1], good + b"\0", good[:11]),
        # sizes that are neither negative nor allocated
        *(head(2**32 - 1) + bytes(5), head(2**32 - 1, 2**16) + bytes(5)),
        *(b"", b"\0\0\x08", b"\0\0\x08\0"),
        *(good[:size] for size in range(len(good))),
        *(good + random.randbytes(more) for more in (1, 2, 4, 24)),
        *(file(4, 3, 2, kind=kind) for kind in (0, 7, 9, 10, 0x0E, 0x88, 0xFF)),
    ]:  # fmt: skip
        yield "what is wrong is refused", call(data)


def reference(data):
    if len(data) < 4:
        raise ValueError(MISSING)
    if data[:3] != b"\0\0\x08":
        is_idx = data[:2] == b"\0\0"
        raise ValueError("not of unsigned bytes" if is_idx else "no IDX file")
    start = 4 + 4 * data[3]
    shape = np.frombuffer(data[4:start].ljust(start - 4), ">u4").tolist()
    missing = start + math.prod(shape) - len(data)
    if missing:
        raise ValueError(MISSING if missing > 0 else LEFT_OVER)
    return np.frombuffer(data, np.uint8, offset=start).reshape(shape)


def three(data):
    array = reference(data)
    if array.ndim != 3:
        raise ValueError
    return array


def little_endian(data):
    start = 4 + 4 * (data[3] if len(data) > 3 else 0)
    sizes = data[4:start]
    try:
        if len(data) < start:
            raise ValueError
        turned = np.frombuffer(sizes, "<u4").astype(">u4").tobytes()
        return reference(data[:4] + turned + data[start:])
    except ValueError:
        raise ValueError from None  # whatever is said of it


def observe(array, case):
    elements = array.ravel().tolist()  # lists of nothing may be many
    return {"dtype": str(array.dtype), "shape": array.shape, "elements": elements}


def describe(exercise, case):
    (data,) = case.args
    begin = f", {data[:16].hex(' ', -4)}" if data else ""
    return f"read_idx(data); data: {len(data)} bytes{begin}"


def diagnose(got, expected, case):
    """A file that should be refused, or elements from another place of the file."""
    if isinstance(got, Problem):
        return None
    if isinstance(expected, Raises):
        return ACCEPTED[expected.message]
    if got["dtype"] != "uint8":
        said = f"The array's dtype is {got['dtype']}. The elements are bytes"
        return "not_bytes", f"{said}, so use `np.uint8`."
    (data,), elements = case.args, np.array(got["elements"], np.uint8).tobytes()
    start, at = 4 + 4 * data[3], data.find(elements)
    if got["shape"] == expected["shape"] and elements[3:] and at not in (-1, start):
        return "head_misread", (
            f"The elements are read from byte {at} on, but the header has {start} "
            "bytes, four and another four for each dimension. Start after it."
        )
    return None


check = Check(
    read_idx,
    cases=cases,
    reference=reference,
    driver=idx,
    observe=observe,
    describe=describe,
    diagnose=diagnose,
    models={"three": three, "little_endian": little_endian},
    not_tested="nothing that the contract names",
)
