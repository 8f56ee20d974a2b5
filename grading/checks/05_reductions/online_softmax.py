"""online_softmax: softmax of rows, in two passes."""

from minigrad.kernels.reductions import online_softmax

from .softmaxes import softmax_check

check = softmax_check(online_softmax, rounds=2)
