"""Forward and backward of operators, and a training step, beside PyTorch.

    python benchmarks/autograd.py [--write] [--device cpu|sim|cuda]

Each row is one expression of tensors with few elements: what is left of the time is
overhead, of recording the operator and of walking back. "without" is the same where no
gradient is required. The last row is a whole training step of a small network: two
Linear, 784-30-10, each with a Sigmoid, a batch of 32, MSELoss and SGD.
"""

import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numpy as np

import minigrad
from benchmarks import common
from benchmarks.operators import f, torch_or_none

PAGE = common.HOME / "docs" / "benchmarks" / "autograd.md"
SIDE = 8
LABELS = "without", "recorded", "+ backward"

EXPRESSIONS = [
    ("x + y", lambda m, x, y: x + y),
    ("x * y", lambda m, x, y: x * y),
    ("2 * x", lambda m, x, y: 2 * x),
    ("x / y", lambda m, x, y: x / y),
    ("x ** 2", lambda m, x, y: x**2),
    ("x + y[0]", lambda m, x, y: x + y[0]),
    ("x.exp()", lambda m, x, y: x.exp()),
    ("x.relu()", lambda m, x, y: x.relu()),
    ("x.sigmoid()", lambda m, x, y: x.sigmoid()),
    ("gelu(x)", lambda m, x, y: f(m).gelu(x)),
    ("x.sum()", lambda m, x, y: x.sum()),
    ("x.mean(1)", lambda m, x, y: x.mean(1)),
    ("x.amax(1)", lambda m, x, y: x.amax(1)),
    ("x.softmax(1)", lambda m, x, y: x.softmax(1)),
    ("layer_norm(x)", lambda m, x, y: f(m).layer_norm(x, x.shape[1:])),
    ("x @ y", lambda m, x, y: x @ y),
    ("x.T", lambda m, x, y: x.T),
    ("x[1:]", lambda m, x, y: x[1:]),
    ("x.view(-1)", lambda m, x, y: x.view(-1)),
    ("cat([x, y])", lambda m, x, y: m.cat([x, y])),
]


def numbers(*shape):
    return np.random.default_rng(0).normal(size=shape).astype(np.float32)


class Runs:
    """One library on one device: what is timed."""

    def __init__(self, m, device):
        self.m, self.device = m, device

    def tensor(self, array, asked=False):
        x = self.m.tensor(array, device=self.device)
        return x.requires_grad_() if asked else x

    def of(self, expression):
        """What is timed: without gradients, recorded, recorded with its backward."""
        m, plain = self.m, [self.tensor(numbers(SIDE, SIDE)) for _ in range(2)]
        asked = [self.tensor(numbers(SIDE, SIDE), True) for _ in range(2)]
        dy = self.tensor(np.ones(tuple(expression(m, *plain).shape), np.float32))

        def both():
            m.autograd.grad(expression(m, *asked), asked, dy, allow_unused=True)

        runs = lambda: expression(m, *plain), lambda: expression(m, *asked), both
        return dict(zip(LABELS, runs, strict=True))

    def step(self):
        """A training step, to be timed."""
        nn, at = self.m.nn, self.tensor
        images, wanted = at(abs(numbers(32, 784))), at(np.eye(10, dtype=np.float32)[
            np.arange(32) % 10])  # fmt: skip
        model = nn.Sequential(
            nn.Linear(784, 30), nn.Sigmoid(), nn.Linear(30, 10), nn.Sigmoid()
        ).to(self.device)
        loss, sgd = nn.MSELoss(), self.m.optim.SGD(model.parameters(), lr=0.1)

        def run():
            sgd.zero_grad()
            loss(model(images), wanted).backward()
            sgd.step()

        return run


def table(device, expressions=EXPRESSIONS):
    """Rows of texts."""
    torch = torch_or_none()
    libraries = [Runs(minigrad, device)]
    head = ["expression", *(f"{label} us" for label in LABELS)]
    if torch:
        libraries.append(Runs(torch, "cuda" if device == "cuda" else "cpu"))
        head += [*(f"PyTorch: {label} us" for label in LABELS), "of PyTorch"]
    rows = [head]
    for name, expression in expressions:
        rows.append(row(name, [lib.of(expression) for lib in libraries], device))
    steps = [{"+ backward": lib.step()} for lib in libraries]
    return [*rows, row("training step", steps, device)]


def row(name, timed, device):
    """The cells of a line; what is timed, of each library, takes turns."""
    runs = {(i, label): run for i, of in enumerate(timed) for label, run in of.items()}
    times = dict(zip(runs, common.fastest(runs, device), strict=True))
    places = [(i, label) for i in range(len(timed)) for label in LABELS]
    cells = [f"{times[p] * 1e6:.1f}" if p in times else "" for p in places]
    ratio = [f"{times[0, LABELS[2]] / times[1, LABELS[2]]:.2f}"] if timed[1:] else []
    return [name, *cells, *ratio]


def main():
    parser = common.parser(__doc__, PAGE)
    parser.add_argument("--device", default="cpu", choices=["cpu", "sim", "cuda"])
    given = parser.parse_args()
    minigrad.answers_from("solutions")
    if (torch := torch_or_none()) and given.device != "cuda":
        torch.set_num_threads(1)
    rows = table(given.device)
    text = f"{common.machine()}, PyTorch with one thread\n\n{common.markdown(rows)}"
    print(text)
    if given.write:
        common.write(PAGE, text, f"autograd on {given.device}")


if __name__ == "__main__":
    main()
