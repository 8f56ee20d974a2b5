"""Pointers kept as numbers, and pointers into different allocations."""

import weakref

import numpy as np

from . import masks
from .memory import NULL, Addresses, Pointer, Region, Root, poison


def local(batch, type, name):
    """A pointer to a local variable that has an address, one for each lane."""
    size = -(-type.size // 16) * 16
    launch, lanes = batch.launch, batch.geometry.lanes
    launch.need_memory(lanes * size)
    data = np.full((lanes, size), 0xFF, np.uint8)
    weakref.finalize(data, launch.free_memory, lanes * size)
    root = Root("local", name, data, address=launch.new_address(size))
    region = Region(root, name, type, 0, type.size)
    batch.locals[root.address] = region
    return Pointer(region, 0, type.size)


def regions(batch):
    """Every region that a thread can point into."""
    for root in batch.launch.roots:
        yield from root.regions
    for pointer in batch.shared:
        yield pointer.region
    yield from list(batch.locals.values())


def regions_of(batch, address):
    """(test over lanes, offsets, Region) for each region that holds an address.

    Addresses in no region come last, with None as their Region.
    """
    address = np.asarray(address).astype(np.int64)
    left = np.ones(address.shape, bool)
    for region in regions(batch):
        begin = region.root.address + region.begin
        offset = address - begin
        test = left & (offset >= 0) & (offset < max(region.nbytes, 1))
        if test.any():
            left = left & ~test
            yield test, np.where(test, offset, 0), region
    if left.any():
        yield left, address, None


def pointer_from(batch, value, size):
    """A pointer that was kept as a number."""
    value = np.asarray(value).astype(np.uint64)[()]
    test, offset, region = next(regions_of(batch, value))
    if region is None or not test.all():
        return Addresses(value) if np.any(value) else NULL
    offset = int(offset) if offset.ndim == 0 else offset
    return Pointer(region, offset, 1).cast(size or 1)


def text_at(batch, address, lane):
    """The string that one lane's address points to."""
    _, offset, region = next(regions_of(batch, address))
    if region is None:
        return "(null)"
    data, begin = region.root.data, region.begin
    if data.ndim == 2:  # one row for each block, or each lane
        shared = region.space == "shared"
        data = data[lane // batch.geometry.threads if shared else lane]
    data = data[begin + int(offset) : begin + region.nbytes]
    return data.tobytes().split(b"\0")[0].decode("utf-8", "replace")


def load_anywhere(batch, pointer, index, access, mask, site):
    value = poison(access.type)
    for lanes, one in parts(batch, pointer, index, access, mask, site, "read"):
        got = batch.load(one, None, access, lanes, site)
        value = masks.select_any(lanes, got, value)
    return value


def store_anywhere(batch, pointer, index, value, access, mask, site):
    for lanes, one in parts(batch, pointer, index, access, mask, site, "written"):
        batch.store(one, None, value, access, lanes, site)


def atomic_anywhere(batch, how, pointer, operands, access, mask, site, used):
    value = poison(access.type)
    for lanes, one in parts(batch, pointer, None, access, mask, site, "updated"):
        got = batch.atomic(how, one, operands, access, lanes, site, used)
        value = masks.select_any(lanes, got, value) if used else None
    return value


def parts(batch, pointer, index, access, mask, site, what):
    """(lanes, Pointer) for each allocation that the lanes point into."""
    start = pointer.address
    if index is not None:
        pointer = pointer.add(index, access.unit)
    for test, offset, region in regions_of(batch, pointer.address):
        lanes = masks.take(mask, np.asarray(test))
        if lanes is False:
            continue
        if region is not None:
            yield lanes, Pointer(region, offset, 1).cast(access.unit)
            continue
        lane = batch.first(lanes)
        null = not all(batch.geometry.full(a)[lane] for a in (start, offset))
        message = (
            f"a null pointer is {what}" if null
            else f"a pointer that does not point into an array is {what}"
        )  # fmt: skip
        batch.fault("out-of-bounds", site, lanes, message)
