"""read_idx: the bytes of a file."""

import io
import math
import struct

import numpy as np

from grading.exercise import Model, Problem, checks, mistake, mistakes, right
from minigrad.data.idx import read_idx

from .scene_check import SceneCheck

REFUSED = {
    "magic": "the file does not begin with two zero bytes, so it is no IDX file (a "
    "gzip file begins with 1f 8b): raise ValueError",
    "any_type": "the third byte says the type, and only 8, unsigned bytes, is read "
    "here: other elements have other sizes. Raise ValueError",
    "truncated": "bytes are missing, and no error says so: compare how many bytes "
    "follow the head with how many the sizes need, and raise ValueError",
    "trailing": "the file has more bytes than the sizes say, and no error says so: it "
    "is damaged, or the head was misread. Raise ValueError",
}


def file_of(random, *shape, kind=8):
    """The bytes of an IDX file."""
    head = bytes([0, 0, kind, len(shape)]) + struct.pack(f">{len(shape)}I", *shape)
    return head + random.randbytes(math.prod(shape))


def parts_of(data):
    """(shape, where the elements begin) as a file's head has them."""
    sizes = struct.unpack(f">{data[3]}I", data[4 : 4 + 4 * data[3]])
    return sizes, 4 + 4 * data[3]


def wrong(data):
    """What is wrong with a file, as a name in REFUSED; "" for nothing."""
    if len(data) < 4:
        return "truncated"
    if data[:2] != b"\0\0":
        return "magic"
    if data[2] != 8:
        return "any_type"
    if len(data) < 4 + 4 * data[3]:
        return "truncated"
    shape, head = parts_of(data)
    missing = math.prod(shape) - (len(data) - head)
    return "truncated" if missing > 0 else "trailing" if missing else ""


def read(data):
    if wrong(data):
        raise ValueError("these bytes are no whole IDX file of unsigned bytes")
    shape, head = parts_of(data)
    return np.frombuffer(data, np.uint8, offset=head).reshape(shape)


def shown(array):
    shape = tuple(array.shape)
    return {"dtype": str(array.dtype), "shape": shape, "elements": array.tolist()}


@checks(read_idx)
class ReadIdx(SceneCheck):
    """Leaves out nothing that the contract names."""

    def words(self, scene):
        data = scene["data"]
        head = data[: 4 + 4 * data[3]] if len(data) > 3 and data[3] < 9 else data[:4]
        groups = [head[i : i + 4].hex(" ") for i in range(0, len(head), 4)]
        rest = len(data) - len(head)
        return f"the bytes {' | '.join(groups)}, and {rest} more"

    def cases(self, random):
        several = (5, 3), (2, 3, 4, 5), (0, 2, 2), (), (0, 65536), (1, 2, 1, 2, 1, 3)
        parts = {
            "images and labels": [(3, 4, 5), (2, 28, 28), (300,), (3, 4, 5)],
            "any number of dimensions": several,
        }
        for part, shapes in parts.items():
            for shape in shapes:
                yield part, self.of(file_of(random, *shape))
        good = file_of(random, 4, 3, 2)
        bad = [file_of(random, 4, 3, 2, kind=kind) for kind in (0x0D, 0x0B)]
        for kind, size in (0x09, 1), (0x0B, 2), (0x0D, 4):  # no byte is missing
            bad.append(file_of(random, 3, 2, kind=kind) + bytes(6 * (size - 1)))
        bad += [start + good[2:] for start in (b"\x1f\x8b", b"\0\1", b"\1\0")]
        bad += [good[:-1], good + b"\0", good[:11]]
        for sizes in (2**32 - 1,), (2**32 - 1, 2**16):  # neither negative nor allocated
            head = struct.pack(f">{len(sizes)}I", *sizes)
            bad.append(bytes([0, 0, 8, len(sizes)]) + head + bytes(5))
        for data in (*bad, b"", b"\0\0\x08", b"\0\0\x08\0"):
            yield "what is wrong is refused", self.of(data)

    def of(self, data):
        return {"scene": "idx", "data": data}

    def _got(self, subject, args, own=False):
        got, outcome = super()._got(subject, args, own)
        return shown(got) if isinstance(got, np.ndarray) else got, outcome

    def expected(self, scene):
        return shown(read(scene["data"]))

    def general(self, case):
        got, data = case.got, case.args[0]["data"]
        if isinstance(got, Problem):
            if wrong(data) and got.kind == "raised":
                said = f"this file is refused by ValueError, not by {got.types[0]}"
                return "wrong_error", said
            return super().general(case)
        if wrong(data):
            return wrong(data), REFUSED[wrong(data)]
        if got["dtype"] != "uint8":
            said = f"the elements are bytes, 0 to 255: np.uint8, not {got['dtype']}"
            return "not_bytes", said
        return self.misread(got, data) or super().general(case)

    def misread(self, got, data):
        """Elements that are read from another place of the file."""
        head, found = parts_of(data)[1], np.array(got["elements"], np.uint8).tobytes()
        at = data.find(found) if len(found) > 3 else head
        if got["shape"] != parts_of(data)[0] or at in (-1, head):
            return None
        return "head_misread", (
            f"the elements are read from byte {at} on, but the head has {head} bytes: "
            "four, and four for each dimension"
        )

    def three(self, scene):
        array = read(scene["data"])
        if array.ndim != 3:
            raise ValueError
        return shown(array)


ELEMENTS, RESHAPED = "np.frombuffer(data, np.uint8, count, head)", ".reshape(shape)"
mistakes(read_idx, three=Model(ReadIdx.three))(rf"""
three: three dimensions are taken for granted: the fourth byte says how many the array
    has, and labels have one
little_endian: the sizes are read from the wrong end: IDX has the byte that counts most
    first, big-endian: int.from_bytes(four bytes, "big")
> "big" -> "little"
not_compared: as many elements are taken as there are: compare how many bytes follow
    the head with how many the sizes need, and raise ValueError
> "big") for -> "big", signed=True) for
& given != count -> False
& count, head) -> -1, head)
reversed_sizes: the sizes are in the reverse order: the first size in the head is the
    first dimension
> reshape(shape) -> reshape(shape[::-1])
flat: the array is flat: give it the shape that the head says
> {RESHAPED} ->
trailing:
> given != count -> given < count
wrong_error:
> raise ValueError -> raise TypeError
> given, count = -> np.zeros(shape)\n    given, count =
any_type:
> data[2] != 0x08 -> False
> data[2] != 0x08 -> data[2] not in (8, 9)
head_misread:
> count, head) -> count, head - 1)
not_bytes:
> np.uint8 -> np.int8
> {RESHAPED} -> {RESHAPED} / 255
magic:
>  or data[:2] != b"\0\0" ->
truncated:
> given != count -> given > count
& {ELEMENTS} -> np.frombuffer(data[head:].ljust(min(count, 99), b"\0"), np.uint8)
equivalent: of a file of four bytes the elements are missing, and that is refused below
> comparison: -> if ((len(data)) <= (4))
> off by one: -> if len(data) < (5)
""")
right(read_idx, "by struct")(read)


@mistake(read_idx)
def three(data):
    n, height, width = struct.unpack(">III", data[4:16])
    return np.frombuffer(data, np.uint8, offset=16).reshape(n, height, width)


@right(read_idx, "by NumPy's big-endian numbers")
def _(data):
    head = np.frombuffer(data, np.uint8)
    if head.size < 4 or head[:3].tolist() != [0, 0, 8]:
        raise ValueError("no IDX file of bytes")
    sizes = np.frombuffer(data, ">u4", int(head[3]), 4).tolist()
    return head[4 + 4 * len(sizes) :].reshape(sizes)


@right(read_idx, "as a stream")
def _(data):
    stream = io.BytesIO(data)
    if stream.read(3) != b"\0\0\x08":
        raise ValueError("no IDX file of bytes")
    count = int.from_bytes(stream.read(1), "big")
    sizes, rest = np.frombuffer(stream.read(4 * count), ">u4"), stream.read()
    if len(data) < 4 or len(sizes) < count or math.prod(sizes.tolist()) != len(rest):
        raise ValueError("bytes are missing, or too many")
    return np.array(list(rest), np.uint8).reshape(sizes)
