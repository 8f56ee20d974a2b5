"""Chapter 10, read_idx: the bytes of a file."""

import math
import struct

import numpy as np

from grading.checking import cause, checks
from grading.subject import Problem
from minigrad.data import idx

from .scene_check import SceneCheck

REFUSED = {
    "magic": "the file does not begin with two zero bytes, so it is no IDX file (a "
    "gzip file begins with 1f 8b): raise ValueError",
    "any_type": "the third byte says the type, and only 8, unsigned bytes, is read "
    "here: other elements have other sizes. Raise ValueError",
    "truncated": "bytes are missing, and nobody is told: compare how many bytes follow "
    "the head with how many the sizes ask for, and raise ValueError",
    "trailing": "there are more bytes than the sizes say, and nobody is told: then the "
    "file is damaged, or the head was misread. Raise ValueError",
}


def file_of(*shape, values=None, kind=8):
    """The bytes of an IDX file."""
    head = bytes([0, 0, kind, len(shape)]) + struct.pack(f">{len(shape)}I", *shape)
    count = math.prod(shape)
    body = np.arange(count) % 251 if values is None else values
    return head + np.asarray(body, np.uint8).tobytes()


def parts_of(data):
    """(shape, where the elements begin) as a file's head has them."""
    sizes = struct.unpack(f">{data[3]}I", data[4 : 4 + 4 * data[3]])
    return sizes, 4 + 4 * data[3]


def told(array):
    shape = tuple(array.shape)
    return {"dtype": str(array.dtype), "shape": shape, "elements": array.tolist()}


@checks(idx.read_idx)
class ReadIdx(SceneCheck):
    def words(self, scene):
        data = scene["data"]
        head = data[: 4 + 4 * data[3]] if len(data) > 3 and data[3] < 9 else data[:4]
        groups = [head[i : i + 4].hex(" ") for i in range(0, len(head), 4)]
        rest = len(data) - len(head)
        return f"the bytes {' | '.join(groups)}, and {rest} more"

    def cases(self, random):
        def of(*shape):
            values = [random.randrange(256) for _ in range(math.prod(shape))]
            return self.of(file_of(*shape, values=values))

        yield "images and labels", of(3, 4, 5)
        yield "images and labels", of(2, 28, 28)
        yield "images and labels", of(300)
        yield "any number of dimensions", of(5, 3)
        yield "any number of dimensions", of(2, 3, 4, 5)
        yield "any number of dimensions", of(0, 2, 2)
        yield "any number of dimensions", self.of(file_of(0, 1 << 16))
        good = file_of(4, 3, 2)
        for kind in (0x0D, 0x0B):
            yield "what is wrong is refused", self.of(file_of(4, 3, 2, kind=kind))
        yield "what is wrong is refused", self.of(b"\x1f\x8b" + good[2:])
        yield "what is wrong is refused", self.of(good[:-1])
        yield "what is wrong is refused", self.of(good + b"\0")
        yield "what is wrong is refused", self.of(good[:11])
        yield "what is wrong is refused", self.of(b"")

    def of(self, data):
        return {"scene": "idx", "data": data}

    def wrong(self, data):
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

    def expected(self, scene):
        return told(self.read(scene["data"]))

    def read(self, data, order="C"):
        if self.wrong(data):
            raise ValueError("these bytes are no whole IDX file of unsigned bytes")
        shape, head = parts_of(data)
        return np.frombuffer(data[head:], np.uint8).reshape(shape, order=order)

    def general(self, case):
        got, data = case.got, case.args[0]["data"]
        if isinstance(got, Problem):
            if self.wrong(data) and got.kind == "raised":
                said = f"this file is refused by ValueError, not by {got.types[0]}"
                return "wrong_error", said
            return super().general(case)
        if self.wrong(data):
            return self.wrong(data), REFUSED[self.wrong(data)]
        if got["dtype"] != "uint8":
            said = f"the elements are bytes, 0 to 255: np.uint8, not {got['dtype']}"
            return "not_bytes", said
        return self.shifted(got, data) or super().general(case)

    def shifted(self, got, data):
        """Elements that are read from another place of the file."""
        head, found = parts_of(data)[1], np.array(got["elements"], np.uint8).tobytes()
        at = data.find(found) if len(found) > 3 else head
        if got["shape"] != parts_of(data)[0] or at in (-1, head):
            return None
        return "shifted", (
            f"the elements are read from byte {at} on, but the head has {head} bytes: "
            "four, and four for each dimension"
        )

    @cause("the sizes are read from the wrong end: IDX has the byte that counts most "
           "first, big-endian: int.from_bytes(four bytes, \"big\")")  # fmt: skip
    def little_endian(self, scene):
        data = scene["data"]
        self.read(data)
        shape = struct.unpack(f"<{data[3]}I", data[4 : 4 + 4 * data[3]])
        if math.prod(shape) != math.prod(parts_of(data)[0]):
            raise ValueError
        return told(np.frombuffer(data[4 + 4 * len(shape) :], np.uint8).reshape(shape))

    @cause("the elements are laid out column by column: in the file the last dimension "
           "runs fastest, as in a row-major array")  # fmt: skip
    def column_major(self, scene):
        return told(self.read(scene["data"], order="F"))

    @cause("the sizes are in the reverse order: the first size in the head is the "
           "first dimension")  # fmt: skip
    def reversed_sizes(self, scene):
        array = self.read(scene["data"])
        return told(array.reshape(array.shape[::-1]))

    @cause("the last two dimensions are swapped: an image is stored row by row")
    def transposed(self, scene):
        array = self.read(scene["data"])
        return told(array.swapaxes(-1, -2) if array.ndim > 1 else array)

    @cause("three dimensions are taken for granted: the fourth byte says how many "
           "there are, and labels have one")  # fmt: skip
    def three(self, scene):
        array = self.read(scene["data"])
        if array.ndim != 3:
            raise ValueError
        return told(array)

    @cause("the number of bytes of the head is wrong: it has four, and four for each "
           "dimension")  # fmt: skip
    def head_length(self, scene):
        self.read(scene["data"])
        raise ValueError

    @cause("the array is flat: give it the shape that the head says")
    def flat(self, scene):
        return told(self.read(scene["data"]).reshape(-1))
