"""Answers of indices by other algorithms."""

import numpy as np

from minigrad.data import DataLoader
from tools.audit.specimens import answer


@answer(DataLoader.indices, right="split by NumPy")
def _(self):
    order, size = self.order(), self.batch_size
    batches = np.split(order, range(size, len(order), size)) if len(order) else []
    if self.drop_last and batches and len(batches[-1]) < size:
        batches.pop()
    return batches


@answer(DataLoader.indices, right="item by item")
def _(self):
    batches = []
    for n, item in enumerate(self.order()):
        if n % self.batch_size == 0:
            batches.append([])
        batches[-1].append(item)
    if self.drop_last and batches and len(batches[-1]) < self.batch_size:
        batches.pop()
    return [np.array(batch) for batch in batches]


@answer(DataLoader.indices, right="a matrix, and what is over")
def _(self):
    order = self.order()
    whole = len(order) - len(order) % self.batch_size
    found = [*order[:whole].reshape(-1, self.batch_size)]
    return found if self.drop_last or whole == len(order) else [*found, order[whole:]]
