"""im2col: the windows of an image as the columns of a matrix."""

from .draw.grids import Grid, grids_picture
from .draw.sliding_window import SlidingWindow
from .draw.text import count, sized


def columns(
    image, kernel_size, stride=1, padding=0, dilation=1, at=(0, 0), element=None
):
    """Draw im2col: the image, and the matrix whose columns are its windows.

    at: the window to mark, (row, column). element: instead of a window, mark this
    element of the image, (row, column), and all its copies.
    """
    window = SlidingWindow(image, kernel_size, stride, padding, dilation)
    chosen = window.places.index(window.checked(at))
    under = window.under(at)

    def marked(cell, n):
        return n == chosen if element is None else cell == tuple(element)

    cells = {
        (tap, n): ("marked" if marked(cell, n) else "read", window.value(cell), "")
        for n, place in enumerate(window.places)
        for tap, cell in enumerate(window.taps(place))
    }
    matrix = Grid(f"columns: {count(len(window.places), 'window')}", cells)
    said = f"Column {chosen} holds {window.cells(at)}."
    key = [("marked", f"window {chosen}, with the rows of its elements")]
    if element is not None:
        copies = sum(kind == "marked" for kind, *_ in cells.values())
        said = f"Copies of element {tuple(element)}: {copies}."
        key = [("marked", f"element {tuple(element)} and its copies")]
        for cell, (_, value, _) in under.cells.items():
            kind = "read" if window.is_inside(cell) else "free"
            under.cells[cell] = "marked" if marked(cell, 0) else kind, value, ""
    alt = (
        f"An image of {sized(window.image.shape)}, {window.text()}. Its "
        f"{count(len(window.places), 'window')} as columns: {sized(matrix.size)}. "
        f"{said}"
    )
    return grids_picture(window.text(), [[under, matrix]], key + window.key(), alt)
