"""What the checks of chapter 10 share: the small network, in PyTorch."""

import contextlib

import numpy as np
import torch

from .scene_check import numbers


@contextlib.contextmanager
def one_thread():
    """PyTorch on one thread: for small tensors more only wait for each other."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def weights_of(random, inputs=6, hidden=5, classes=4):
    """Weights and biases of two linear layers."""
    shapes = (hidden, inputs), (hidden,), (classes, hidden), (classes,)
    return [numbers(random, *shape, scale=0.7) for shape in shapes]


def data_of(random, n, inputs=6, classes=4):
    """Images, rows of numbers, and labels."""
    labels = np.array([random.randrange(classes) for _ in range(n)])
    return numbers(random, n, inputs), labels


def network(weights, norm=False):
    """The network of grading/scenes/learning.py."""
    (hidden, inputs), (classes, _) = weights[0].shape, weights[2].shape
    between = [torch.nn.BatchNorm1d(hidden)] if norm else []
    first, last = torch.nn.Linear(inputs, hidden), torch.nn.Linear(hidden, classes)
    layers = [first, *between, torch.nn.Tanh(), last, torch.nn.LogSoftmax(1)]
    model = torch.nn.Sequential(*layers).double()
    own = *first.parameters(), *last.parameters()
    with torch.no_grad():
        for tensor, array in zip(own, weights, strict=True):
            tensor.copy_(torch.tensor(array))
    return model


def state_of(model):
    return {name: x.detach().numpy().copy() for name, x in model.state_dict().items()}
