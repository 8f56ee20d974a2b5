"""Data sets, and batches of them."""

from .files import DataMissing
from .idx import read_idx
from .loader import DataLoader, TensorDataset
from .mnist import MNIST

__all__ = ["MNIST", "DataLoader", "DataMissing", "TensorDataset", "read_idx"]
