"""What one element of a convolution's result reads of an image."""

from .draw.grids import grids_picture
from .draw.sliding_window import SlidingWindow
from .draw.text import sized


def windows(image, kernel_size, stride=1, padding=0, dilation=1, at=(0, 0)):
    """Draw what one element of a convolution's result reads.

    image: a matrix. kernel_size and the others: an int or a pair, as in conv2d. at: the
    element of the result, (row, column), or a list of such, which gives a drawing for
    each. In each box of the window, the small number counts the taps.
    """
    window = SlidingWindow(image, kernel_size, stride, padding, dilation)
    places = at if isinstance(at, list) else [at]
    grids = [[window.under(place), window.result(place)] for place in places]
    alt = f"An image of {sized(window.image.shape)}, {window.text()}. " + " ".join(
        f"Element {place} of the result reads {window.cells(place)}."
        for place in places
    )
    key = [("marked", "the window, with the number of each tap")]
    return grids_picture(window.text(), grids, key + window.key(), alt)
