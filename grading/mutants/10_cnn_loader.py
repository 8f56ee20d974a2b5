"""Chapter 10, DataLoader's order and indices: wrong answers, and right ones."""

import itertools
import random

import numpy as np

import minigrad
from grading.specimens import mutant, right
from minigrad.data import DataLoader

# ------------------------------------------------------------ order


def by(self, *seeds):
    """A permutation by a generator of its own, if one is asked for."""
    n = len(self.dataset)
    return np.random.default_rng(seeds).permutation(n) if self.shuffle else np.arange(n)


@mutant(DataLoader.order, "same_order")
def _(self):
    return by(self, self.seed)


@mutant(DataLoader.order, "ignores_seed")
def _(self):
    return by(self, self.epoch)


@mutant(DataLoader.order, "one_for_all")
def _(self):
    return by(self, 0)


@mutant(DataLoader.order, "not_reproducible", "NumPy's shared generator")
def _(self):
    n = len(self.dataset)
    return np.random.permutation(n) if self.shuffle else np.arange(n)


@mutant(DataLoader.order, "not_reproducible", "minigrad's shared generator")
def _(self):
    n = len(self.dataset)
    return minigrad.randperm(n).numpy() if self.shuffle else np.arange(n)


@mutant(DataLoader.order, "depends_on_calls", "a generator from nowhere")
def _(self):
    n = len(self.dataset)
    return np.random.default_rng().permutation(n) if self.shuffle else np.arange(n)


@mutant(DataLoader.order, "depends_on_calls", "a generator that is kept")
def _(self):
    if not hasattr(self, "generator"):
        self.generator = np.random.default_rng(self.seed)
    n = len(self.dataset)
    return self.generator.permutation(n) if self.shuffle else np.arange(n)


@mutant(DataLoader.order, "global_state")
def _(self):
    n = len(self.dataset)
    if not self.shuffle:
        return np.arange(n)
    np.random.seed((self.seed + 1000 * self.epoch) % 2**32)
    return np.random.permutation(n)


@mutant(DataLoader.order, "global_state", "minigrad's is seeded")
def _(self):
    n = len(self.dataset)
    if not self.shuffle:
        return np.arange(n)
    minigrad.manual_seed(self.seed + 1000 * self.epoch)
    return minigrad.randperm(n).numpy()


@mutant(DataLoader.order, "with_replacement")
def _(self):
    n = len(self.dataset)
    if not self.shuffle or n < 2:
        return np.arange(n)
    return np.random.default_rng([self.seed, self.epoch]).integers(0, n, n)


@mutant(DataLoader.order, "with_replacement", "the last item never comes")
def _(self):
    n = len(self.dataset)
    if not self.shuffle or n < 2:
        return np.arange(n)
    return np.random.default_rng([self.seed, self.epoch]).permutation(n - 1)


@mutant(DataLoader.order, "moved_along")
def _(self):
    n = len(self.dataset)
    if not self.shuffle or n < 2:
        return np.arange(n)
    shift = int(np.random.default_rng([self.seed, self.epoch]).integers(1, n))
    return np.roll(np.arange(n), shift + self.epoch)


@mutant(DataLoader.order, "always_shuffled")
def _(self):
    n = len(self.dataset)
    return np.random.default_rng([self.seed, self.epoch]).permutation(n)


@mutant(DataLoader.order, "never_shuffled", "shuffle returns None, and works in place")
def _(self):
    order = np.arange(len(self.dataset))
    if self.shuffle:
        np.random.default_rng([self.seed, self.epoch]).shuffle(order.copy())
    return order


@mutant(DataLoader.order, "type", "shuffle's own result")
def _(self):
    order = np.arange(len(self.dataset))
    generator = np.random.default_rng([self.seed, self.epoch])
    return generator.shuffle(order) if self.shuffle else order


@mutant(DataLoader.order, "type", "a list")
def _(self):
    order = list(range(len(self.dataset)))
    if self.shuffle:
        random.Random(f"{self.seed} {self.epoch}").shuffle(order)
    return order


@mutant(DataLoader.order, "type", "floats")
def _(self):
    n = len(self.dataset)
    return by(self, self.seed, self.epoch) / max(n, 1)


@right(DataLoader.order, "seed and epoch added")
def _(self):
    return by(self, self.seed + self.epoch)


@right(DataLoader.order, "shuffled in place")
def _(self):
    order = np.arange(len(self.dataset))
    if self.shuffle:
        np.random.default_rng((self.seed, self.epoch)).shuffle(order)
    return order


@right(DataLoader.order, "by Python's generator")
def _(self):
    order = list(range(len(self.dataset)))
    if self.shuffle:
        random.Random(f"{self.seed} {self.epoch}").shuffle(order)
    return np.array(order, int)


@right(DataLoader.order, "sorted by random numbers")
def _(self):
    n = len(self.dataset)
    generator = np.random.RandomState([self.seed, self.epoch])
    return np.argsort(generator.rand(n)) if self.shuffle else np.arange(n)


# ------------------------------------------------------------ indices


def cut(order, size):
    return [order[i : i + size] for i in range(0, len(order), size)]


@mutant(DataLoader.indices, "loses_last")
def _(self):
    order, size = self.order(), self.batch_size
    return [order[i * size : (i + 1) * size] for i in range(len(order) // size)]


@mutant(DataLoader.indices, "keeps_last")
def _(self):
    return cut(self.order(), self.batch_size)


@mutant(DataLoader.indices, "drops_full")
def _(self):
    batches = cut(self.order(), self.batch_size)
    return batches[:-1] if self.drop_last else batches


@mutant(DataLoader.indices, "ignores_order")
def _(self):
    batches = cut(np.arange(len(self.dataset)), self.batch_size)
    return [b for b in batches if len(b) == self.batch_size or not self.drop_last]


@mutant(DataLoader.indices, "equal_shares")
def _(self):
    order = self.order()
    if self.drop_last:
        order = order[: len(order) // self.batch_size * self.batch_size]
    return np.array_split(order, -(-len(order) // self.batch_size)) if len(order) else (
        []
    )  # fmt: skip


@mutant(DataLoader.indices, "empty_last")
def _(self):
    order, size = self.order(), self.batch_size
    whole = len(order) // size
    batches = [order[i * size : (i + 1) * size] for i in range(whole)]
    return batches if self.drop_last else [*batches, order[whole * size :]]


@mutant(DataLoader.indices, "filled_up")
def _(self):
    order, size = self.order(), self.batch_size
    batches = cut(order, size)
    if self.drop_last:
        return [b for b in batches if len(b) == size]
    return [np.concatenate([b, order[: size - len(b)]]) for b in batches]


@mutant(DataLoader.indices, "size_as_count")
def _(self):
    order = self.order()
    size = max(1, len(order) // self.batch_size)
    return [b for b in cut(order, size) if len(b) == size or not self.drop_last]


@mutant(DataLoader.indices, "type", "one array of two dimensions")
def _(self):
    order, size = self.order(), self.batch_size
    return order[: len(order) // size * size].reshape(-1, size)


@mutant(DataLoader.indices, "type", "a generator")
def _(self):
    batches = cut(self.order(), self.batch_size)
    return (b for b in batches if len(b) == self.batch_size or not self.drop_last)


@mutant(DataLoader.indices, "raised", "order is not called")
def _(self):
    return cut(self.order, self.batch_size)


@right(DataLoader.indices, "small ones are left out at the end")
def _(self):
    batches = cut(self.order(), self.batch_size)
    return [b for b in batches if len(b) == self.batch_size or not self.drop_last]


@right(DataLoader.indices, "as many as len(self)")
def _(self):
    order, size = self.order(), self.batch_size
    return [order[size * i : size * i + size] for i in range(len(self))]


@right(DataLoader.indices, "split by NumPy")
def _(self):
    order, size = self.order(), self.batch_size
    batches = np.split(order, range(size, len(order), size)) if len(order) else []
    if self.drop_last and batches and len(batches[-1]) < size:
        batches.pop()
    return batches


@right(DataLoader.indices, "item by item")
def _(self):
    items, batches = iter(self.order().tolist()), []
    while batch := list(itertools.islice(items, self.batch_size)):
        if len(batch) == self.batch_size or not self.drop_last:
            batches.append(np.array(batch))
    return batches
