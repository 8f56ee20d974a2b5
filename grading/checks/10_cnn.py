"""read_idx: the bytes of a file."""

import math
import struct

import numpy as np

from grading.exercise import Model, Problem, checks, models
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


models(read_idx, three=Model(ReadIdx.three))
