"""Pointers kept as numbers, and pointers into different allocations."""

import weakref

import numpy as np

from . import masks
from .memory import NULL, Addresses, Pointer, Region, Root, poison


class Pointers:
    """The part of a batch that handles addresses."""

    def __init__(self):
        super().__init__()
        self.locals = weakref.WeakValueDictionary()  # address -> Region, while it lives

    def local(self, type, name):
        """A pointer to a local variable that has an address, one for each lane."""
        size = -(-type.size // 16) * 16
        launch, lanes = self.launch, self.geometry.lanes
        launch.need_memory(lanes * size)
        data = np.full((lanes, size), 0xFF, np.uint8)
        weakref.finalize(data, launch.free_memory, lanes * size)
        root = Root("local", name, data, address=launch.new_address(size))
        region = Region(root, name, type, 0, type.size)
        self.locals[root.address] = region
        return Pointer(region, 0, type.size)

    def regions(self):
        """Every region that a thread can point into."""
        for root in self.launch.roots:
            yield from root.regions
        for pointer in self.shared:
            yield pointer.region
        yield from list(self.locals.values())

    def regions_of(self, address):
        """(test over lanes, offsets, Region) for each region that holds an address.

        Addresses in no region come last, with None as their Region.
        """
        address = np.asarray(address).astype(np.int64)
        left = np.ones(address.shape, bool)
        for region in self.regions():
            begin = region.root.address + region.begin
            offset = address - begin
            test = left & (offset >= 0) & (offset < max(region.nbytes, 1))
            if test.any():
                left = left & ~test
                yield test, np.where(test, offset, 0), region
        if left.any():
            yield left, address, None

    def pointer_from(self, value, size):
        """A pointer that was kept as a number."""
        value = np.asarray(value).astype(np.uint64)[()]
        test, offset, region = next(self.regions_of(value))
        if region is None or not test.all():
            return Addresses(value) if np.any(value) else NULL
        offset = int(offset) if offset.ndim == 0 else offset
        return Pointer(region, offset, 1).cast(size or 1)

    def text_at(self, address, lane):
        """The string that one lane's address points to."""
        _, offset, region = next(self.regions_of(address))
        if region is None:
            return "(null)"
        data, begin = region.root.data, region.begin
        if data.ndim == 2:  # one row for each block, or each lane
            shared = region.space == "shared"
            data = data[lane // self.geometry.threads if shared else lane]
        data = data[begin + int(offset) : begin + region.nbytes]
        return data.tobytes().split(b"\0")[0].decode("utf-8", "replace")

    def load_anywhere(self, pointer, index, access, mask, site):
        value = poison(access.type)
        for lanes, one in self.parts(pointer, index, access, mask, site, "read"):
            got = self.load(one, None, access, lanes, site)
            value = masks.select_any(lanes, got, value)
        return value

    def store_anywhere(self, pointer, index, value, access, mask, site):
        for lanes, one in self.parts(pointer, index, access, mask, site, "written"):
            self.store(one, None, value, access, lanes, site)

    def atomic_anywhere(self, how, pointer, operands, access, mask, site, used):
        value = poison(access.type)
        for lanes, one in self.parts(pointer, None, access, mask, site, "updated"):
            got = self.atomic(how, one, operands, access, lanes, site, used)
            value = masks.select_any(lanes, got, value) if used else None
        return value

    def parts(self, pointer, index, access, mask, site, what):
        """(lanes, Pointer) for each allocation that the lanes point into."""
        start = pointer.address
        if index is not None:
            pointer = pointer.add(index, access.unit)
        for test, offset, region in self.regions_of(pointer.address):
            lanes = masks.take(mask, np.asarray(test))
            if lanes is False:
                continue
            if region is not None:
                yield lanes, Pointer(region, offset, 1).cast(access.unit)
                continue
            lane = self.first(lanes)
            null = not all(self.geometry.full(a)[lane] for a in (start, offset))
            message = (
                f"a null pointer is {what}" if null
                else f"a pointer that does not point into an array is {what}"
            )  # fmt: skip
            self.fault("out-of-bounds", site, lanes, message)
