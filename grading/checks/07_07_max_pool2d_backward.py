"""And back, by the indices: scatter_add is the oracle."""

import numpy as np
import torch

from grading.checking import checks
from grading.kernels import Fault, KernelCheck, Launch
from grading.mistakes import Mistake, mistakes, right
from minigrad.kernels.convolution import max_pool2d_backward

from .tiles import exact


@checks(max_pool2d_backward)
class MaxPool2dBackward(KernelCheck):
    def cases(self, random):
        for planes, size, places in (1, 12, 4), (2, 30, 9):
            at = [random.sample(range(size), places) for _ in range(planes)]
            yield "each to its place", self.of(random, at, size)
        at = [[random.randrange(50) for _ in range(100)] for _ in range(400)]
        yield "several in one place", self.of(random, at, 50)
        for planes, size, places in (1, 6, 40), (3, 10, 25), (2, 7, 70):
            at = [
                [random.randrange(size) for _ in range(places)] for _ in range(planes)
            ]
            yield "several in one place", self.of(random, at, size)
        yield "one element for all", self.of(random, [[5] * 100, [0] * 100], 64)

    def of(self, random, at, size):
        indices = np.array(at, np.int32)
        planes, places = indices.shape
        dy, dx = exact(random, planes, places), np.zeros((planes, size), np.float32)
        args = dy, indices, dx, *np.int32([planes, size, places])
        size = (64, 96, 1024)[places % 3]
        return Launch(max(dy.size, dx.size) // size + 2, size, args)

    def expected(self, launch, dy, indices, dx, *sizes):
        dx = torch.zeros(dx.shape, dtype=torch.float64)
        indices = torch.from_numpy(indices).long()
        return dx.scatter_add(1, indices, torch.from_numpy(dy).double())


ADD = "atomicAdd(&dx[i / places * size + indices[i]], dy[i]);"
mistakes(
    max_pool2d_backward,
    overwritten=Mistake(
        "where several windows found the same element, one gradient overwrites "
        "another: they are added",
        f"{ADD} -> dx[i / places * size + indices[i]] = dy[i];",
    ),
    first_plane=Mistake(
        "all gradients go to the first plane: plane p begins at p * size",
        "i / places * size + ->",
    ),
    not_atomic=Mistake(
        "threads that add to the same element at once lose sums: dx[...] += reads, "
        "adds and writes, and another thread comes between. Use atomicAdd",
        f"{ADD} -> dx[i / places * size + indices[i]] += dy[i];",
    ),
    outside=Mistake(
        "a thread goes outside of an array: threads past the end do nothing",
        Fault("out-of-bounds"),
        "if (i >= planes * places) return; ->",
    ),
)

right(
    max_pool2d_backward,
    "a gather",
    """
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= planes * size) return;
    int plane = i / size, own = i % size;
    float sum = 0.0f;
    for (int p = plane * places; p < (plane + 1) * places; p++)
        if (indices[p] == own) sum += dy[p];
    dx[i] = sum;
    """,
)
