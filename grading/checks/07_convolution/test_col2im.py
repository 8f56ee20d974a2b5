"""test_col2im: a test for the adjoint of im2col."""

from grading.checking.candidates import TestCheck
from minigrad.exercises.own_tests import test_col2im
from minigrad.kernels.convolution import col2im

check = TestCheck(
    test_col2im,
    of=col2im,
    rejects={
        "first_tap": "a kernel that adds only the first tap",
        "overwritten": "a kernel that overwrites where windows overlap",
        "flipped": "a kernel that flips the window",
        "taps_swapped": "a kernel that swaps kh and kw",
        "sizes_swapped": "a kernel that swaps H and W",
        "places_swapped": "a kernel that swaps OH and OW",
        "window_swapped": "a kernel that swaps KH and KW",
        "outside": "a kernel that doesn't check what's outside the image",
        "race": "a kernel that adds without atomics",
        "order": "a kernel that takes each window to be stored in one piece",
        "first_plane": "a kernel that adds everything to the first plane",
        "no_stride": "a kernel without the stride",
        "no_padding": "a kernel without the padding",
        "padding_added": "a kernel that adds the padding",
        "no_dilation": "a kernel without the dilation",
        "row_wraps": "a kernel that continues in a neighboring row at the edge",
        "first_left_out": "a kernel that leaves out row 0",
        "not_divided": "a kernel that uses windows between two others",
        "no_window": "a kernel that uses windows that don't exist",
        "unknown": "a kernel whose x is too large by 2 percent",
        "not_zeroed": "a kernel whose sums don't start with 0",
    },
    not_tested="second forms of a mistake, which are much like the first",
)
