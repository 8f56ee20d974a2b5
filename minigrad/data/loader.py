"""DataLoader: a data set in batches, shuffled anew in each epoch."""

from collections import deque

import numpy as np

from ..creation import tensor
from ..dispatch import tensor_for
from ..exercises.registry import exercise
from ..layout import row_spec
from ..random import default_generator, philox
from ..storage import Storage, gpu
from ..suggest import Suggesting
from ..tensor import Tensor


class Dataset:
    """What a DataLoader takes: something with len() and dataset[i]."""

    def __getitem__(self, index):
        raise NotImplementedError(f"{type(self).__name__} has no __getitem__")

    def __len__(self):
        raise NotImplementedError(f"{type(self).__name__} has no __len__")


class TensorDataset(Dataset):
    """Tensors on "cpu" with the same first dimension; item i is the i-th of each."""

    def __init__(self, *tensors):
        for number, x in enumerate(tensors, 1):
            tensor_for("TensorDataset", f"tensor {number}", x)
        if not tensors:
            raise ValueError("TensorDataset() takes tensors, one at least")
        sizes = {len(x) for x in tensors}
        if len(sizes) != 1:
            raise ValueError(
                f"the tensors of a data set have the same first dimension, not "
                f"{[len(x) for x in tensors]}"
            )
        self.tensors = tensors

    def __len__(self):
        return len(self.tensors[0])

    def __getitem__(self, index):
        return tuple(x[index] for x in self.tensors)

    def __getitems__(self, indices):
        return tuple(x.numpy()[indices] for x in self.tensors)


class DataLoader(Suggesting):
    """Iterate over a data set in batches: tuples of tensors, the batch first.

    dataset: it has `len()` and items that are tuples of arrays, tensors or numbers. If
    it has `__getitems__(indices)`, that is called for whole batches, and returns a list
    of items, or a tuple of NumPy arrays that hold them all. If it has
    `__transform_batch__(*tensors)`, that is applied to each batch, on the batch's
    device. Other attributes, such as `transform`, belong to the data set alone.
    shuffle: a new order in each epoch, decided by `seed` and the epoch's number
    alone. seed: an int, at least 0; by default drawn from the generator that
    `minigrad.manual_seed` sets. drop_last: leave out a last batch that is smaller.
    device: where the batches go; on "cuda" the next `prefetch` ones are copied, from
    pinned memory, while this one is used.

    Each iteration begins with the first batch, but for the next one after
    load_state_dict() or keep_place(): that gives what was left of the epoch.
    """

    def __init__(self, dataset, batch_size=1, shuffle=False, drop_last=False, *,
                 seed=None, device="cpu", prefetch=2):  # fmt: skip
        if not is_whole(batch_size, 1):
            raise ValueError(
                f"batch_size should be a positive integer value, but got {batch_size!r}"
            )
        if not is_whole(prefetch, 1):
            raise ValueError(
                f"prefetch is a whole number, at least 1, not {prefetch!r}"
            )
        check_dataset(dataset)
        if shuffle not in (True, False, None):
            raise ValueError(f"shuffle is True or False, not {shuffle!r}")
        if drop_last not in (True, False):
            raise ValueError(
                f"drop_last should be a boolean value, but got drop_last={drop_last!r}"
            )
        self.dataset, self.batch_size = dataset, int(batch_size)
        self.shuffle, self.drop_last = shuffle, drop_last
        self.device, self.prefetch = device, int(prefetch)
        if seed is not None and not is_whole(seed, 0):
            raise ValueError(f"seed is a whole number, at least 0, not {seed!r}")
        if seed is None:
            seed = int(
                philox(default_generator.seed, [default_generator.take(1)])[0, 0]
            )
        if device == "cuda":
            gpu()  # says what is missing
        self.seed, self.epoch, self.batch = int(seed), 0, 0
        self.begin = 0  # the batch that the next iteration begins with

    def __len__(self):
        """How many batches an epoch has."""
        whole, rest = divmod(len(self.dataset), self.batch_size)
        return whole + (rest > 0 and not self.drop_last)

    def __iter__(self):
        """The batches of an epoch, or what is left of it."""
        first, self.begin = self.begin, 0
        arrays = map(self.arrays, self.indices()[first:])
        moved = pinned(arrays, self.prefetch) if self.device == "cuda" else (
            tuple(tensor(a, device=self.device) for a in batch) for batch in arrays
        )  # fmt: skip
        transform = getattr(self.dataset, "__transform_batch__", lambda *batch: batch)
        for number, batch in enumerate(moved, first + 1):
            self.batch = number
            if number == len(self):
                self.epoch, self.batch, self.begin = self.epoch + 1, 0, 0
            yield transform(*batch)

    def indices(self):
        """The indices of each batch of this epoch, as a list of NumPy arrays."""
        order, size = self.order(), self.batch_size
        end = len(self) * size  # with drop_last, a smaller last batch is left out
        return [order[start : start + size] for start in range(0, end, size)]

    @exercise(points=2, stars=1, minutes=10, level="good to know")
    def order(self):
        """Return the order of the items in this epoch, as a NumPy array of indices.

        It has one dimension and len(self.dataset) integers. Without self.shuffle, they
        are 0, 1, 2, and so on. With it, they're in a random order, in which any item
        can be anywhere and neighbors seldom stay neighbors.

        That order must depend only on self.seed and self.epoch, two ints from 0 to
        2 ** 32 - 1. The same pair always gives the same order, in another run of Python
        too. With at least 18 items, different pairs must give different orders. (For
        random orders, a collision is very unlikely.) With fewer items, they may
        collide.

        Each call returns a new array and leaves the loader as it is. It must not draw
        from generators that others share, such as NumPy's global one, or seed them.
        """

    def arrays(self, indices):
        """The items of a batch, put together as NumPy arrays."""
        if hasattr(self.dataset, "__getitems__"):
            items = self.dataset.__getitems__(indices)
            if isinstance(items, tuple):
                return items
        else:
            items = [self.dataset[int(i)] for i in indices]
        several = tuple | list
        items = [item if isinstance(item, several) else (item,) for item in items]
        if len({*map(len, items)}) > 1:
            raise RuntimeError(
                "each element in list of batch should be of equal size, but the items "
                f"{list(map(int, indices))} have {list(map(len, items))} parts"
            )
        return tuple(stacked(column, indices) for column in zip(*items, strict=True))

    def keep_place(self):
        """Let the next iteration go on after the batch that was given last."""
        self.begin = self.batch

    def state_dict(self):
        """Where the loader stands: the seed, the epoch, the batches it has given."""
        return {
            "seed": self.seed, "epoch": self.epoch, "batch": self.batch,
            "batch_size": self.batch_size, "items": len(self.dataset),
        }  # fmt: skip

    def load_state_dict(self, state):
        """Go on where a loader of the same data set and batch size stood."""
        own = self.state_dict()
        for name in "seed", "epoch", "batch":
            if not isinstance(state, dict) or not is_whole(state.get(name), 0):
                raise ValueError(
                    f"the state of a DataLoader is what state_dict() returned: a dict "
                    f"with a whole number {name!r}, not {state!r:.60}"
                )
        for name in "batch_size", "items":
            if state.get(name, own[name]) != own[name]:
                raise ValueError(
                    f"this DataLoader has {name}={own[name]}, but the one whose state "
                    f"this is had {name}={state[name]}: they do not go on alike"
                )
        self.seed, self.epoch, self.batch = (
            int(state[name]) for name in ("seed", "epoch", "batch")
        )
        self.keep_place()


def is_whole(number, least):
    """Is it a whole number, `least` or more, and no bool?"""
    if isinstance(number, bool | np.bool_):
        return False
    return isinstance(number, int | np.integer) and number >= least


def check_dataset(dataset):
    """TypeError unless there are len(dataset) and dataset[i]."""
    for name, words in ("__len__", "len()"), ("__getitem__", "items by their number"):
        if not hasattr(dataset, name):
            raise TypeError(
                f"a data set has len() and items by their number, but this "
                f"{type(dataset).__name__} has no {words}"
            )


def stacked(column, indices):
    """One part of the items of a batch, as an array."""
    arrays = [plain(x) for x in column]
    for number, array in enumerate(arrays):
        if array.shape != arrays[0].shape:
            raise RuntimeError(
                "stack expects each tensor to be equal size, but got "
                f"{list(arrays[0].shape)} at entry 0 and {list(array.shape)} at entry "
                f"{number}: these are the items {indices[0]} and {indices[number]}"
            )
    return np.stack(arrays)


def plain(x):
    """A number, an array or a tensor as a NumPy array; floats as float32."""
    array = np.asarray(x.numpy() if isinstance(x, Tensor) else x)
    return array.astype(np.float32) if isinstance(x, float) else array


def pinned(batches, prefetch):
    """Batches of NumPy arrays as tensors on the GPU, `prefetch` of them on their way.

    A copy from pinned memory runs beside the kernels, in a stream of its own. A buffer
    is filled again when its copy has ended; an event tells.
    """
    import cupyx

    cupy = gpu()
    stream, buffers, waiting = cupy.cuda.Stream(non_blocking=True), [], deque()

    def send(arrays, number):
        place = number % (prefetch + 1)
        if place == len(buffers):
            buffers.append([{}, cupy.cuda.Event(disable_timing=True)])
        memory, copied = buffers[place]
        copied.synchronize()
        given = cupy.cuda.get_current_stream().record()
        stream.wait_event(given)  # the new arrays' memory may still be in use there
        out = []
        for i, array in enumerate(arrays):
            if memory.get(i) is None or memory[i].shape != array.shape:
                memory[i] = cupyx.empty_pinned(array.shape, array.dtype)
            memory[i][...] = array
            data = cupy.empty(array.size, array.dtype)
            data.set(memory[i].reshape(-1), stream)
            out.append(
                Tensor._from_spec(
                    Storage(data, "cuda"), row_spec(array.dtype, "cuda", array.shape)
                )
            )
        copied.record(stream)
        waiting.append((tuple(out), copied))

    for number, arrays in enumerate(batches):
        send(arrays, number)
        if len(waiting) > prefetch:
            yield arrived(waiting.popleft())
    while waiting:
        yield arrived(waiting.popleft())


def arrived(sent):
    """A batch that was sent, once the current stream waits for its copy."""
    batch, copied = sent
    gpu().cuda.get_current_stream().wait_event(copied)
    return batch
