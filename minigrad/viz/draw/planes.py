"""What of a tensor is drawn: planes, rows and columns, cut where there are too many."""


def cut(size, limit, wanted=0):
    """At most `limit` of 0 .. size - 1, with the ends and `wanted`; None: a gap."""
    if size <= limit:
        return list(range(size))
    keep = {*range(limit - 2), size - 1}
    if wanted not in keep:
        keep = {*range(limit - 4), wanted, size - 1}
    return with_gaps(sorted(keep), size)


def with_gaps(numbers, end):
    """Sorted `numbers` with None where some of 0 .. end - 1 are left out."""
    result, expected = [], 0
    for number in [*numbers, end]:
        if number == expected + 1:
            result.append(expected)  # a gap of one is no gap
        elif number > expected:
            result.append(None)
        result.append(number)
        expected = number + 1
    return result[:-1]


class Plane:
    """A tensor of at most two dimensions, or one plane of a larger one.

    leading: the plane's indices in the dimensions before its own two.
    """

    def __init__(self, view, name, leading, firsts, limit):
        self.view, self.name, self.leading = view, name, leading
        self.ndim = len(view.shape)
        height, width = ((1, 1) + view.shape)[-2:]
        row, col = ([0, 0] + firsts)[-2:]
        across = {0: limit, 1: limit, 2: min(limit, 14)}.get(self.ndim, 7)
        self.rows = cut(height, min(limit, 9 if self.ndim < 3 else 6), row)
        self.cols = cut(width, across, col)

    @property
    def indent(self):
        """Room for row numbers, in inches."""
        return 0.36 if self.ndim > 1 else 0

    @property
    def title(self):
        plane = ", ".join(map(str, self.leading))
        return f"{self.name}[{plane}]" if self.leading else self.name

    def places(self):
        """(row's place, column's place, multi-index) of every box; None in a gap."""
        for y, row in enumerate(self.rows):
            for x, col in enumerate(self.cols):
                inner = (row, col)[2 - min(self.ndim, 2) :]
                yield y, x, None if None in inner else (*self.leading, *inner)

    def is_cut(self):
        return None in self.rows or None in self.cols


def planes_of(view, name, firsts, limit):
    """A Plane for each that is drawn; the dimensions before it stand at `firsts`."""
    if view.numel == 0:
        return []
    leading = [()]
    if len(view.shape) > 2:
        chosen = cut(view.shape[-3], 6, firsts[-3])
        leading = [(*firsts[:-3], p) for p in chosen if p is not None]
    return [Plane(view, name, indices, firsts, limit) for indices in leading]
