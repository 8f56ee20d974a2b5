"""test_col2im: a test for the adjoint of im2col."""

from grading.checking.candidates import TestCheck
from minigrad.exercises.own_tests import test_col2im
from minigrad.kernels.convolution import col2im

check = TestCheck(
    test_col2im,
    of=col2im,
    rejects={
        "first_tap": "a kernel that does the first tap alone",
        "overwritten": "a kernel that overwrites where windows overlap",
        "flipped": "a kernel whose taps are turned round",
        "taps_swapped": "a kernel in which kh and kw have changed places",
        "sizes_swapped": "a kernel in which H and W have changed places",
        "places_swapped": "a kernel in which OH and OW have changed places",
        "window_swapped": "a kernel in which KH and KW have changed places",
        "outside": "a kernel that does not ask what lies outside of the image",
        "race": "a kernel that adds without atomics",
        "order": "a kernel that takes columns to be window by window",
        "first_plane": "a kernel that adds all to the first plane",
        "no_stride": "a kernel without the stride",
        "no_padding": "a kernel without the padding",
        "padding_added": "a kernel that adds the padding",
        "no_dilation": "a kernel without the dilation",
        "row_wraps": "a kernel that goes on in the next row at the edge",
        "first_left_out": "a kernel that leaves out row 0",
        "not_divided": "a kernel that takes places between two windows",
        "no_window": "a kernel that takes windows that are not there",
        "not_zeroed": "a kernel whose sums begin with anything",
    },
    not_tested="second ways of a mistake: they are much like the first",
)
