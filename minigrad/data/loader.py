"""DataLoader: a data set in batches, shuffled anew in each epoch."""

from collections import deque

import numpy as np

from ..factories import tensor
from ..layouts import row_major
from ..random import default_generator, philox
from ..slots.exercise import exercise
from ..storage import Storage, gpu
from ..tensor import Tensor


class TensorDataset:
    """Tensors on "cpu" with the same first dimension; item i is the i-th of each."""

    def __init__(self, *tensors):
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


class DataLoader:
    """Iterate over a data set in batches: tuples of tensors, the batch first.

    dataset: it has `len()` and items that are tuples of arrays, tensors or numbers. If
    it has `__getitems__(indices)`, that is asked for whole batches, as NumPy arrays; if
    it has `transform(*tensors)`, that is applied to each batch, on the batch's device.
    shuffle: another order in each epoch, decided by `seed` and the epoch's number
    alone. seed: an int, at least 0; by default drawn from the generator that
    `minigrad.manual_seed` sets. drop_last: leave out a last batch that is smaller.
    device: where the batches go; on "cuda" the next `prefetch` ones are copied, from
    pinned memory, while this one is used.

    state_dict() and load_state_dict() go on in the midst of an epoch.
    """

    def __init__(self, dataset, batch_size=1, shuffle=False, drop_last=False, *,
                 seed=None, device="cpu", prefetch=2):  # fmt: skip
        if batch_size < 1 or batch_size != int(batch_size):
            raise ValueError(
                f"batch_size should be a positive integer value, but got {batch_size}"
            )
        if prefetch < 1:
            raise ValueError(f"prefetch is at least 1, not {prefetch}")
        self.dataset, self.batch_size = dataset, int(batch_size)
        self.shuffle, self.drop_last = shuffle, drop_last
        self.device, self.prefetch = device, prefetch
        if seed is not None and (seed < 0 or seed != int(seed)):
            raise ValueError(f"seed is a whole number, at least 0, not {seed}")
        if seed is None:
            seed = int(
                philox(default_generator.seed, [default_generator.take(1)])[0, 0]
            )
        self.seed, self.epoch, self.batch = int(seed), 0, 0

    def __len__(self):
        """How many batches an epoch has."""
        whole, rest = divmod(len(self.dataset), self.batch_size)
        return whole + (rest > 0 and not self.drop_last)

    def __iter__(self):
        """The batches of an epoch, or what is left of the one that was loaded."""
        first = self.batch
        arrays = map(self.arrays, self.indices()[first:])
        moved = pinned(arrays, self.prefetch) if self.device == "cuda" else (
            tuple(tensor(a, device=self.device) for a in batch) for batch in arrays
        )  # fmt: skip
        transform = getattr(self.dataset, "transform", lambda *batch: batch)
        for number, batch in enumerate(moved, first + 1):
            self.batch = number
            if number == len(self):
                self.epoch, self.batch = self.epoch + 1, 0
            yield transform(*batch)

    @exercise("10.3", points=2, stars=1, minutes=10)
    def indices(self):
        """Which items each batch of this epoch has: a list of arrays.

        Every array has batch_size indices, in the order that self.order() says. A last
        one may have fewer; with self.drop_last it is left out.
        """

    @exercise("10.2", points=2, stars=1, minutes=10)
    def order(self):
        """In which order the items come in this epoch: an array of len(self.dataset).

        Without self.shuffle as they lie. Else a random order, which the int self.seed
        and the epoch's number self.epoch decide alone: the same two give the same order
        in every run, another epoch another order.
        """

    def arrays(self, indices):
        """The items of a batch, put together as NumPy arrays."""
        if hasattr(self.dataset, "__getitems__"):
            return self.dataset.__getitems__(indices)
        items = [self.dataset[int(i)] for i in indices]
        items = [item if isinstance(item, tuple) else (item,) for item in items]
        return tuple(
            np.stack([plain(x) for x in column]) for column in zip(*items, strict=True)
        )

    def state_dict(self):
        """Where the loader stands: the seed, the epoch, the batches it has given."""
        return {"seed": self.seed, "epoch": self.epoch, "batch": self.batch}

    def load_state_dict(self, state):
        """Go on where a loader of the same data set and batch size stood."""
        self.seed, self.epoch, self.batch = (
            int(state[name]) for name in ("seed", "epoch", "batch")
        )


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
                Tensor(Storage(data, "cuda", array.dtype), *row_major(array.shape))
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
