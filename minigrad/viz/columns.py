"""im2col: the windows of an image as the columns of a matrix."""

from .draw.grids import Grid, grids_picture
from .draw.sliding_window import SlidingWindow
from .draw.text import count, sized


def columns(image, kernel_size, stride=1, padding=0, dilation=1, at=(0, 0)):
    """Draw im2col: the image, and the matrix whose columns are its windows."""
    window = SlidingWindow(image, kernel_size, stride, padding, dilation)
    chosen = window.places.index(window.checked(at))
    cells = {
        (tap, n): ("marked" if n == chosen else "read", window.value(cell), "")
        for n, place in enumerate(window.places)
        for tap, cell in enumerate(window.taps(place))
    }
    matrix = Grid(f"columns: {count(len(window.places), 'window')}", cells)
    alt = (
        f"An image of {sized(window.image.shape)}, {window.text()}. Its "
        f"{count(len(window.places), 'window')} as columns: {sized(matrix.size)}. "
        f"Column {chosen} holds {window.cells(at)}."
    )
    key = [("marked", f"window {chosen}; beneath: the row of the matrix")]
    return grids_picture(
        window.text(), [[window.under(at), matrix]], key + window.key(), alt
    )
