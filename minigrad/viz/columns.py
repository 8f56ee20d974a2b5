"""im2col: the windows of an image as the columns of a matrix."""

from .draw.grids import Grid, grids_picture
from .draw.sliding_window import SlidingWindow
from .draw.text import count, sized


def columns(image, kernel_size, stride=1, padding=0, dilation=1, at=(0, 0)):
    """Draw im2col: the image, and the matrix whose columns are its windows."""
    sweep = SlidingWindow(image, kernel_size, stride, padding, dilation)
    chosen = sweep.places.index(sweep.checked(at))
    cells = {
        (tap, n): ("marked" if n == chosen else "read", sweep.value(cell), "")
        for n, place in enumerate(sweep.places)
        for tap, cell in enumerate(sweep.taps(place))
    }
    matrix = Grid(f"columns: {count(len(sweep.places), 'window')}", cells)
    alt = (
        f"An image of {sized(sweep.image.shape)}, {sweep.words()}. Its "
        f"{count(len(sweep.places), 'window')} as columns: {sized(matrix.size)}. "
        f"Column {chosen} holds {sweep.cells(at)}."
    )
    key = [("marked", f"window {chosen}; beneath: the row of the matrix")]
    return grids_picture(
        sweep.words(), [[sweep.under(at), matrix]], key + sweep.key(), alt
    )
