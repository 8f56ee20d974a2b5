"""The captions of a picture of strides: elements, arithmetic, what is not drawn."""

from .text import count

NAMES = "ijklmnpq"


def marked_of(view, index):
    """The marked indices of every dimension, as ranges; `index` may be shorter."""
    if index is None:
        free = [s == 0 and n > 1 for n, s in zip(view.shape, view.strides, strict=True)]
        free = free if any(free) else [False] * (len(free) - 1) + [True] * bool(free)
        return [
            range(n if f else min(n, 1)) for n, f in zip(view.shape, free, strict=True)
        ]
    index = index if isinstance(index, tuple) else (index,)
    if len(index) > len(view.shape):
        raise IndexError(
            f"index {index} has {len(index)} items; the tensor has {len(view.shape)} "
            f"dimensions"
        )
    index += (slice(None),) * (len(view.shape) - len(index))
    return [
        _range(i, n, d) for d, (i, n) in enumerate(zip(index, view.shape, strict=True))
    ]


def _range(item, size, dim):
    if isinstance(item, slice):
        return range(size)[item]
    if isinstance(item, bool) or not hasattr(item, "__index__"):
        raise TypeError(f"index takes ints and slices, not {type(item).__name__}")
    if not -size <= item < size:
        raise IndexError(
            f"index {item} is out of range: dimension {dim} has size {size}"
        )
    return range(item % size, item % size + 1)


def is_single(marked):
    return all(len(m) == 1 for m in marked)


def marked_name(name, marked):
    """The marked elements, as Python writes them: x[0, :]"""
    parts = []
    for chosen in marked:
        whole = chosen.start == 0 and chosen.step == 1 and len(chosen) != 1
        cut = f"{chosen.start}:{chosen.stop}" + f":{chosen.step}" * (chosen.step != 1)
        parts.append(str(chosen[0]) if len(chosen) == 1 else ":" if whole else cut)
    return f"{name}[{', '.join(parts)}]" if parts else name


def cell_formula(name, view, marked):
    """Lines: from multi-index to cell, in letters and, for one element, in numbers."""
    ndim = len(view.shape)
    if ndim > len(NAMES):
        return ["cell = offset + the sum of index times stride over all dimensions"]
    numbers = [str(s) if s >= 0 else f"({s})" for s in view.strides]
    steps = [f"{i}\u00b7{s}" for i, s in zip(NAMES, numbers, strict=False)]
    names = f"[{', '.join(NAMES[:ndim])}]" if ndim else ""
    lines = [f"{name}{names} reads cell  {' + '.join([str(view.offset), *steps])}"]
    if ndim and view.numel and is_single(marked):
        index = [m[0] for m in marked]
        steps = [f"{i}\u00b7{s}" for i, s in zip(index, numbers, strict=True)]
        cell = view.cell(index)
        lines.append(
            f"{marked_name(name, marked)} reads cell  "
            f"{' + '.join([str(view.offset), *steps])} = {cell}"
            f"{'' if view.inside(cell) else ', outside the storage'}"
        )
    return lines


def notes_of(view, planes, slots):
    """Lines that say what of the tensor is not drawn, or what is odd about it."""
    notes, ndim = [], len(view.shape)
    if view.numel == 0:
        notes.append("No elements: a size is 0, so no cell is read.")
    mine = [p for p in planes if p.view is view]
    if ndim > 3 and mine:
        at = ", ".join(map(str, mine[0].leading[:-1]))
        notes.append(
            f"Of {count(ndim, 'dimension')} the last three are drawn, at index {at}."
        )
    drawn = sum(index is not None for p in mine for *_, index in p.places())
    if drawn < view.numel or any(p.is_cut() for p in planes):
        notes.append(f"Cut: {drawn} of {view.numel} elements are drawn.")
    shown = sum(cell is not None for cell in slots)
    if shown < view.cells:
        notes.append(f"Cut: {shown} of {view.cells} storage cells are drawn.")
    low, high = view.bounds() or (0, -1)
    if low < 0 or high >= view.cells and view.numel:
        notes.append(
            f"Out of bounds: elements read cells {low} to {high}; the storage has "
            f"{view.cells}."
        )
    return notes


def alt_of(view, what, hits, notes):
    """The picture in one paragraph, for those who cannot see it; what: is marked."""
    cells = ", ".join(map(str, hits[:24])) + (", ..." if len(hits) > 24 else "")
    text = (
        f"A storage of {count(view.cells, 'cell')} of {view.dtype}, read as shape "
        f"{view.shape} with strides {view.strides} and offset {view.offset}."
    )
    if hits:
        text += f" Marked: {what} reads cell{'s' * (len(hits) > 1)} {cells}."
    return " ".join([text, *notes])
