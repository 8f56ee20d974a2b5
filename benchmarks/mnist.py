"""Training the network of chapter 10 on MNIST, beside PyTorch.

    python benchmarks/mnist.py [--write] [--device cpu|cuda] [--epochs N]

The same network, float32 without TF32, Adam. minigrad twice: with the kernels that the
labs wrote where there is one ("answered"), and with the library's best ("fastest"). On
"cuda" PyTorch twice: eager, and the whole step captured in a CUDA graph.

A step is the fastest of 30 samples (of 6 on the CPU, where one of 1024 takes seconds),
on a batch that lies on the device; the contestants take turns. Peak memory is that of
four steps of 1024: most bytes in use, and bytes taken from the device; PyTorch counts
its own, CuPy's pool minigrad's; on the CPU it is not measured. An epoch is 60,000
images in batches of 64, shuffled, through minigrad's DataLoader; for PyTorch by
indexing tensors that lie on the device. Right is which share of the 10,000 test images.
--epochs 0 leaves the epochs out; without MNIST they are left out, too.
"""

import contextlib
import math
import sys
import time
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numpy as np
import torch
import torch.nn.functional as F

import minigrad
from benchmarks import common
from minigrad import data, models, optim, training

PAGE = common.HOME / "docs" / "benchmarks" / "mnist.md"
SIZES, TURNS = (64, 1024), 3
HEAD = [
    "", *(f"step of {size} us" for size in SIZES), "peak MB in use", "MB taken",
    "epoch s", "% right after each epoch",
]  # fmt: skip


class Ours:
    """minigrad, with one choice among the rungs of its ladders."""

    def __init__(self, rungs, device):
        self.name, self.device = f"minigrad, rungs {rungs}", device
        self.chosen = lambda: minigrad.rungs(rungs)

    def new(self):
        minigrad.manual_seed(0)
        model = models.ConvNet().to(self.device)
        return model, optim.Adam(model.parameters(), lr=1e-3)

    def step(self, images, labels):
        """A training step on a batch, to be made again and again."""
        batch = [minigrad.tensor(a, device=self.device) for a in (images, labels)]
        new = self.new()
        return lambda: training.train_step(*new, *batch)

    def peak(self, run):
        """What `run` has in use at most, and has taken from the device; in bytes."""
        import cupy

        pool = cupy.get_default_memory_pool()
        pool.free_all_blocks()
        before, used = pool.used_bytes(), []

        class Watch(cupy.cuda.MemoryHook):
            name = "Watch"

            def malloc_postprocess(self, **_):
                used.append(pool.used_bytes())

        with Watch():
            run()
        return max(used) - before, pool.total_bytes()

    def epochs(self, count, sets):
        """Seconds of an epoch with its test, and the accuracy after each."""
        loaders = (
            data.DataLoader(sets[0], 64, shuffle=True, seed=0, device=self.device),
            data.DataLoader(sets[1], 1000, device=self.device),
        )
        run = training.Training(*self.new(), *loaders)
        training.train_mnist(run, count)
        return run.seconds / count, [accuracy for _, accuracy in run.results]


class Theirs:
    """PyTorch, perhaps with its step in a CUDA graph."""

    chosen = contextlib.nullcontext

    def __init__(self, graph, device):
        self.name = "PyTorch, " + ("CUDA graph" if graph else "eager")
        self.graph, self.device = graph, device

    def step(self, images, labels):
        return self.trained(images, labels)[1]

    def trained(self, images, labels):
        """A model, and a step on a batch that can be written over."""
        torch.manual_seed(0)
        model = TorchNet().to(self.device)
        optimizer = torch.optim.Adam(model.parameters(), capturable=self.graph)
        batch = [torch.as_tensor(a).to(self.device) for a in (images, labels)]

        def run(images=batch[0], labels=batch[1]):
            optimizer.zero_grad()
            loss = F.nll_loss(model(images), labels)
            loss.backward()
            optimizer.step()
            return loss.detach()

        if not self.graph:
            return model, run
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):  # cuDNN and Adam's state are made ready
            for _ in range(3):
                run()
        torch.cuda.current_stream().wait_stream(side)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            loss = run()

        def replay(*new):
            for old, given in zip(batch, new, strict=False):
                old.copy_(given)
            graph.replay()
            return loss

        return model, replay

    def peak(self, run):
        torch.cuda.empty_cache()
        torch.cuda.reset_peak_memory_stats()
        before = torch.cuda.memory_allocated()
        run()
        torch.cuda.synchronize()
        most = torch.cuda.max_memory_allocated() - before
        return most, torch.cuda.max_memory_reserved()

    def epochs(self, count, sets):
        (images, labels), test = ([t.to(self.device) for t in whole(s)] for s in sets)
        model, step = self.trained(images[:64], labels[:64])
        began, found = time.perf_counter(), []
        for _ in range(count):
            order = torch.randperm(len(images), device=self.device)
            for some in order.split(64):
                if len(some) == 64 or not self.graph:  # a graph has one size
                    step(images[some], labels[some])
            with torch.no_grad():
                shown = torch.cat([model(x).argmax(1) for x in test[0].split(1000)])
            found.append((shown == test[1]).float().mean().item())
        return (time.perf_counter() - began) / count, found


class TorchNet(torch.nn.Module):
    """The network of chapter 10, of PyTorch's modules."""

    def __init__(self):
        super().__init__()
        self.conv1 = torch.nn.Conv2d(1, 32, 3, padding=1)
        self.conv2 = torch.nn.Conv2d(32, 64, 3, padding=1)
        self.fc1 = torch.nn.Linear(64 * 7 * 7, 128)
        self.fc2 = torch.nn.Linear(128, 10)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv1(x)), 2)
        x = F.max_pool2d(F.relu(self.conv2(x)), 2)
        return F.log_softmax(self.fc2(F.relu(self.fc1(x.flatten(1)))), 1)


def whole(dataset):
    """All images and labels of an MNIST as PyTorch's tensors."""
    arrays = map(minigrad.tensor, (dataset.images, dataset.labels))
    return [torch.from_numpy(t.numpy()) for t in dataset.transform(*arrays)]


def batch(size):
    random = np.random.default_rng(0)
    images = random.standard_normal((size, 1, 28, 28)).astype(np.float32)
    return images, random.integers(0, 10, size)


def steps(every, device):
    """{contestant's name: seconds of a step of each of SIZES}."""
    how = {"repeat": 10} if device == "cuda" else {"repeat": 2, "warmup": 1}
    found = {one.name: [math.inf] * len(SIZES) for one in every}
    for i, size in enumerate(SIZES):
        ready = [(one, one.step(*batch(size))) for one in every]
        for one, step in ready * TURNS:
            with one.chosen():  # once for all samples: what was planned is forgotten
                [best] = common.fastest({one.name: step}, device, rounds=1, **how)
            found[one.name][i] = min(found[one.name][i], best)
    return found


def peak(one, device):
    """The cells of a contestant's memory; it is not measured on the CPU."""
    if device != "cuda":
        return ["–", "–"]

    def few():
        step = one.step(*batch(SIZES[-1]))
        for _ in range(4):
            step()

    with one.chosen():
        return [f"{size / 1e6:.1f}" for size in one.peak(few)]


def trained(one, epochs, sets):
    """The cells of a contestant's epochs."""
    if not sets:
        return ["–", "–"]
    with one.chosen():
        seconds, found = one.epochs(epochs, sets)
    return [f"{seconds:.1f}", ", ".join(f"{100 * share:.2f}" for share in found)]


def contestants(device):
    yield from (Ours(rungs, device) for rungs in ("answered", "fastest"))
    yield Theirs(False, device)
    if device == "cuda":
        yield Theirs(True, device)


def table(device, epochs, sets):
    """The rows of the table, its head first."""
    yield HEAD
    every = list(contestants(device))
    memory = [peak(one, device) for one in every]
    times = steps(every, device)
    for one, taken in zip(every, memory, strict=True):
        cells = [f"{seconds * 1e6:.0f}" for seconds in times[one.name]]
        yield [one.name, *cells, *taken, *trained(one, epochs, sets)]


def mnist():
    """Training and test set; [] with a word where they are missing."""
    try:
        return [data.MNIST(train=train, download=False) for train in (True, False)]
    except data.DataMissing as error:
        print(f"no epochs: {error}", file=sys.stderr)
        return []


def main():
    parser = common.parser(__doc__, PAGE)
    parser.add_argument("--device", default="cpu", choices=["cpu", "cuda"])
    parser.add_argument("--epochs", type=int, default=3, metavar="N")
    given = parser.parse_args()
    torch.backends.cudnn.allow_tf32 = False
    minigrad.answers_from("solutions")
    sets = mnist() if given.epochs else []
    rows = []
    for row in table(given.device, given.epochs, sets):
        rows.append(row)
        print(" | ".join(row), file=sys.stderr, flush=True)
    text = f"{common.machine()}, PyTorch {torch.__version__} with "
    text += f"{torch.get_num_threads()} threads; seed 0, {given.epochs} epochs"
    text += f"\n\n{common.markdown(rows)}"
    print(text)
    if given.write:
        common.write(PAGE, text, f"mnist on {given.device}")


if __name__ == "__main__":
    main()
