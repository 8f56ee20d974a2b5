"""Handwritten digits that come with the package: 1797 images of 8 x 8.

E. Alpaydin and C. Kaynak: Optical Recognition of Handwritten Digits (1998), UCI Machine
Learning Repository, https://doi.org/10.24432/C50P49, CC BY 4.0. These are the 1797
images of its test file, in the file's order, as scikit-learn ships them; changed in
form only, into one compressed array of whole numbers.
"""

import functools
from pathlib import Path

import numpy as np

from ..creation import tensor
from ..dtypes import float32, int64

FILE = Path(__file__).with_name("digits.npz")
TRAINING = 1437  # images; the other 360, a fifth, are for testing


def digits(train=None, device="cpu"):
    """Images and labels of handwritten digits.

    train: True for the first 1437 images of the file, False for the last 360, None for
    all 1797. There are about as many of each digit in both parts.

    Returns (images, labels): float32 of shape (N, 8, 8), ink from 0 (none) to 1, and
    int64 of shape (N,), each 0 to 9. For a convolution: images.unsqueeze(1).
    """
    images, labels = arrays()
    part = {None: slice(None), True: slice(TRAINING), False: slice(TRAINING, None)}
    if train not in part:
        raise ValueError(f"train is True, False or None, not {train!r}")
    chosen = part[train]
    ink = images[chosen].astype(np.float32) / 16
    return tensor(ink, float32, device), tensor(labels[chosen], int64, device)


@functools.cache
def arrays():
    """The file's arrays: ink from 0 to 16, and labels."""
    with np.load(FILE) as file:
        return file["images"], file["labels"]
