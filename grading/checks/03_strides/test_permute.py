"""test_permute: a test for permute."""

from grading.checking.candidates import TestCheck
from minigrad import Tensor
from minigrad.exercises.own_tests import test_permute

check = TestCheck(
    test_permute,
    of=Tensor.permute,
    rejects={
        "strides_only": "a permute that leaves the shape as it was",
        "shape_only": "a permute that leaves the strides as they were",
        "inverse": "a permute in the inverse order",
        "reverse": "a permute that only turns the order round",
        "fresh_strides": "a permute with the strides of a new tensor",
        "row_major": "a permute that takes every tensor for row-major",
        "offset_lost": "a permute that forgets the offset",
        "copies": "a permute that copies",
        "copies 2": "a permute that copies if the order changes",
        "negative": "a permute that does not know negative dims",
        "one_tuple": "a permute that does not take a tuple",
    },
    accepts={
        "other_errors": "that raises ValueError for invalid dims",
        "other_errors 2": "that raises IndexError for invalid dims",
    },
    not_tested="which errors a permute raises: the contract says not to test them",
)
