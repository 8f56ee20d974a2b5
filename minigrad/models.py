"""The network of chapter 10."""

from . import nn
from .nn import functional as f


class ConvNet(nn.Module):
    """Digits of 28 x 28: two convolutions, two linear layers, 421,642 parameters.

    The input is (N, 1, 28, 28), the output (N, 10): the logarithms of the
    probabilities of the ten digits.
    """

    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 32, 3, padding=1)
        self.conv2 = nn.Conv2d(32, 64, 3, padding=1)
        self.fc1 = nn.Linear(64 * 7 * 7, 128)
        self.fc2 = nn.Linear(128, 10)

    def forward(self, x):  # (N, 1, 28, 28)
        x = f.max_pool2d(f.relu(self.conv1(x)), 2)  # (N, 32, 14, 14)
        x = f.max_pool2d(f.relu(self.conv2(x)), 2)  # (N, 64, 7, 7)
        x = f.relu(self.fc1(x.flatten(1)))  # (N, 128)
        return f.log_softmax(self.fc2(x), 1)  # (N, 10)
