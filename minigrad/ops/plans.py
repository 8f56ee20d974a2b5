"""Plans: what an operator did on a device, to be done again without thinking.

The first call with operands of some layouts runs the operator's own Python: it makes
memory, chooses rungs, works out grids and arguments. What it allocates and launches is
written down, and the next call with such operands only does that.
"""

from ..dispatch import Operator, seen
from ..recorder import Recording, place_of, recorder
from .launcher import Launch


class PlannedOperator(Operator):
    """An operator whose work on devices follows from layouts and options alone."""

    planned = True  # False: of one that is never called with the same numbers again

    def key(self, operands, options):
        """As of every operator, and the options by their values."""
        if not self.planned:
            return super().key(operands, options)
        return *map(seen, operands), *options.items()


class Planned:
    """A kernel for devices: a function whose calls are to be planned."""

    def __init__(self, work):
        self.work = work

    def prepare(self, operands):
        """A plan, unless an operand is a number: the key does not have its value."""
        tensors = all(x is None or hasattr(x, "storage") for x in operands)
        return Plan(self.work, operands) if tensors else self.work


class Plan:
    """The work for operands of such layouts: the first call writes it down."""

    launches = None

    def __init__(self, work, operands):
        self.work = work
        self.which = [i for i, x in enumerate(operands) if hasattr(x, "storage")]
        self.device = operands[self.which[0]].device

    def __call__(self, *operands, **options):
        if recorder.active is not None:  # it is a part of something that is planned
            return self.work(*operands, **options)
        arrays = [operands[i].storage.data for i in self.which]
        if not self.launches:
            return self.first(arrays, operands, options)
        for make, count, dtype in self.made:
            arrays.append(make(count, dtype, self.device))
        for launch, places in self.launches:
            launch([(arrays[i], offset) for i, offset in places])
        new = operands[self.which[0]].new_laid
        found = [r and new(arrays[r[0]], r[1], r[2]) for r in self.results]
        return self.as_result(found)

    def first(self, arrays, operands, options):
        """Do the work, and write it down if a plan can be made of it."""
        with Recording(arrays) as heard:
            result = self.work(*operands, **options)
        some = result if isinstance(result, tuple) else (result,)
        places = [x is None or place_of(x.storage.data, heard.arrays) for x in some]
        given, used = len(arrays), [p for p in places if p is not True]
        new = all(p is not None and p >= given for p in used)
        distinct = len({*map(id, arrays)}) == given and len({*used}) == len(used)
        if heard.sound and new and distinct:
            self.made, self.launches = heard.made, [*map(again, heard.launches)]
            self.results = [x if x is None else (place, x._layout, x.dtype)
                            for x, place in zip(some, places, strict=True)]  # fmt: skip
            self.as_result = packer(result)
        return result


def again(heard):
    """A launch that was heard: the Launch, and where its memory lies in the arrays."""
    args, places, told = heard
    return Launch(told, args, [i for i, *_ in places]), [at for _, *at in places]


def packer(result):
    """list of tensors -> what an operator returns: one, a tuple, or a named one."""
    if not isinstance(result, tuple):
        return lambda found: found[0]
    return getattr(type(result), "_make", tuple)
