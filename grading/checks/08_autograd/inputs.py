"""What the checks of gradients share: numbers that are drawn, and PyTorch's vjp."""

import numpy as np
import torch


def drawn(random, *shape):
    """Numbers of two decimals, none of them near 0 and no two alike."""
    steps = [n for n in range(-200, 200) if abs(n) > 15]
    chosen = np.array(random.sample(steps, int(np.prod(shape))), np.float64) / 100
    return chosen.reshape(shape)


def vjp(function, dy, *inputs):
    """The gradients of function(*inputs), which have gradients of their own."""
    return torch.autograd.functional.vjp(function, inputs, dy, create_graph=True)[1]
