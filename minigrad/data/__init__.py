"""Data sets, and batches of them."""

from .digits import digits
from .files import DataMissing
from .idx import read_idx
from .loader import DataLoader, Dataset, TensorDataset
from .mnist import MNIST

__all__ = [
    "MNIST",
    "DataLoader",
    "DataMissing",
    "Dataset",
    "TensorDataset",
    "digits",
    "read_idx",
]
