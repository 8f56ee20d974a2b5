"""Training the network of chapter 10 on MNIST, beside PyTorch.

    python benchmarks/mnist.py [--write] [--device cpu|cuda] [--epochs N]
                               [--seeds N]

The same networks, float32 without TF32, Adam: the convolutional one of chapter 10, and
one of two linear layers, 784-30-10. minigrad twice as it is: with the kernels that the
labs wrote where there is one ("answered"), and with the library's best ("fastest");
and twice by minigrad.jit: its kernels launched one by one, and as a CUDA graph. PyTorch
eager, and on "cuda" with the whole step captured in a CUDA graph.

A step is the fastest of 30 samples (of 6 on the CPU, where one of 1024 takes seconds),
on a batch that lies on the device; the contestants take turns. Peak memory is that of
four steps of 1024: most bytes in use, and bytes taken from the device; PyTorch counts
its own, a hook of CuPy's pools minigrad's; on the CPU it is not measured. An epoch is
60,000 images in batches of 64, shuffled, through minigrad's DataLoader; with a jit, and
for PyTorch, by indexing tensors that lie on the device. Right is which share of the
10,000 test images after the last epoch, for each seed of the first values and order.
--epochs 0 leaves the epochs out; without MNIST they are left out, too. --profile writes
which kernels the step of 64 images launches, how long each takes when it is launched a
hundred times, and what part of the memory's speed that is; on "cuda" alone.
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
from minigrad import data, models, nn, optim, plan_cache, testing, training
from minigrad.cuda import Recorder

PAGE = common.HOME / "docs" / "benchmarks" / "mnist.md"
SIZES, TURNS = (64, 1024), 3
SMALL = 32  # the batch of the small network
HEAD = [
    "", *(f"step of {size} us" for size in SIZES), f"784-30-10, {SMALL} us",
    "peak MB in use", "MB taken", "epoch s", "% right, by seed", "mean",
]  # fmt: skip


class Ours:
    """minigrad, with one choice among the variants of its kernels."""

    seed = 0

    def __init__(self, variants, device):
        self.name, self.device = f"minigrad, {variants}", device
        self.chosen = lambda: minigrad.kernel_variant(variants)

    def new(self, small=False):
        minigrad.manual_seed(self.seed)
        model = small_net(nn) if small else models.ConvNet()
        model = model.to(self.device)
        return model, optim.Adam(model.parameters(), lr=1e-3)

    def step(self, images, labels, small=False):
        """A training step on a batch, to be made again and again."""
        batch = [minigrad.tensor(a, device=self.device) for a in (images, labels)]
        new = self.new(small)
        return lambda: training.train_step(*new, *batch)

    def peak(self, run):
        """What `run` has in use at most, and has taken from the device; in bytes.

        Of all pools: a CUDA graph has one of its own.
        """
        import cupy

        cupy.get_default_memory_pool().free_all_blocks()
        now, most, taken = 0, 0, 0

        class Watch(cupy.cuda.MemoryHook):
            name = "Watch"

            def malloc_postprocess(self, *, mem_size, **_):
                nonlocal now, most
                now, most = now + mem_size, max(most, now + mem_size)

            def free_postprocess(self, *, mem_size, **_):
                nonlocal now
                now -= mem_size

            def alloc_postprocess(self, *, mem_size, **_):
                nonlocal taken
                taken += mem_size

        with Watch():
            run()
        return most, taken

    def epochs(self, count, sets):
        """Seconds of an epoch with its test, and the accuracy after the last."""
        loaders = (
            data.DataLoader(
                sets[0], 64, shuffle=True, seed=self.seed, device=self.device
            ),
            data.DataLoader(sets[1], 1000, device=self.device),
        )
        run = training.Training(*self.new(), *loaders)
        training.train_mnist(run, count)
        return run.seconds / count, run.results[-1][1]


class Jitted(Ours):
    """minigrad.jit, perhaps with its kernels as one CUDA graph."""

    def __init__(self, mode, device):
        super().__init__("fastest", device)
        self.name = "minigrad.jit" + (" with a CUDA graph" if mode else "")
        self.mode = mode

    def new(self, small=False):
        model, _ = super().new(small)
        return model, optim.Adam(model.parameters(), lr=1e-3, capturable=True)

    def step(self, images, labels, small=False):
        batch = [minigrad.tensor(a, device=self.device) for a in (images, labels)]
        step = self.jitted(*self.new(small))
        for _ in range(4):  # Adam's state is made, traced, captured
            step(*batch)
        return lambda: step(*batch)

    def jitted(self, model, optimizer):
        def step(images, labels):
            return training.train_step(model, optimizer, images, labels)

        return minigrad.jit(step, mode=self.mode)

    def epochs(self, count, sets):
        (images, labels), test = (
            [t.to(self.device) for t in tensors_of(s)] for s in sets
        )
        model, optimizer = self.new()

        def step(some):
            how = images[some], labels[some]
            return training.train_step(model, optimizer, *how)

        step = minigrad.jit(step, mode=self.mode)
        score = minigrad.jit(lambda x: model(x).argmax(1), mode=self.mode)
        began = time.perf_counter()
        for _ in range(count):
            order = minigrad.randperm(len(images), device=self.device)
            for i in range(0, len(images) - 63, 64):  # a graph has one size
                step(order[i : i + 64])
            with minigrad.no_grad():
                shown = [score(test[0][i : i + 1000]).clone()
                         for i in range(0, len(test[0]), 1000)]  # fmt: skip
            right = minigrad.cat(shown) == test[1]
            share = right.float().mean().item()
        return (time.perf_counter() - began) / count, share


class Theirs:
    """PyTorch, perhaps with its step in a CUDA graph."""

    chosen, seed = contextlib.nullcontext, 0

    def __init__(self, graph, device):
        self.name = "PyTorch, " + ("CUDA graph" if graph else "eager")
        self.graph, self.device = graph, device

    def step(self, images, labels, small=False):
        return self.trained(images, labels, small)[1]

    def trained(self, images, labels, small=False):
        """A model, and a step on a batch that can be written over."""
        torch.manual_seed(self.seed)
        model = (small_net(torch.nn) if small else TorchNet()).to(self.device)
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
        began = time.perf_counter()
        for _ in range(count):
            order = torch.randperm(len(images), device=self.device)
            for some in order.split(64):
                if len(some) == 64 or not self.graph:  # a graph has one size
                    step(images[some], labels[some])
            with torch.no_grad():
                shown = torch.cat([model(x).argmax(1) for x in test[0].split(1000)])
            share = (shown == test[1]).float().mean().item()
        return (time.perf_counter() - began) / count, share


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


def small_net(nn):
    """The small network, of minigrad's modules or of PyTorch's."""
    layers = nn.Linear(784, 30), nn.ReLU(), nn.Linear(30, 10), nn.LogSoftmax(1)
    return nn.Sequential(nn.Flatten(), *layers)


def whole(dataset):
    """All images and labels of an MNIST as PyTorch's tensors."""
    return [torch.from_numpy(t.numpy()) for t in tensors_of(dataset)]


def tensors_of(dataset):
    """The same as minigrad's."""
    arrays = map(minigrad.tensor, (dataset.images, dataset.labels))
    return dataset.__transform_batch__(*arrays)


def batch(size):
    random = np.random.default_rng(0)
    images = random.standard_normal((size, 1, 28, 28)).astype(np.float32)
    return images, random.integers(0, 10, size)


def steps(every, device):
    """{contestant's name: seconds of a step of each of SIZES}."""
    how = {"repeat": 10} if device == "cuda" else {"repeat": 2, "warmup": 1}
    works = [(size, False) for size in SIZES] + [(SMALL, True)]
    fastest = {one.name: [math.inf] * len(works) for one in every}
    for i, (size, small) in enumerate(works):
        ready = [(one, ready_step(one, size, small)) for one in every]
        for one, step in ready * TURNS:
            with one.chosen():  # once for all samples: what was planned is forgotten
                [best] = common.fastest({one.name: step}, device, rounds=1, **how)
            fastest[one.name][i] = min(fastest[one.name][i], best)
    return fastest


def ready_step(one, size, small):
    with one.chosen():
        return one.step(*batch(size), small)


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


def trained(one, epochs, seeds, sets):
    """The cells of a contestant's epochs."""
    if not sets:
        return ["–"] * 3
    seconds, accuracies = [], []
    for one.seed in range(seeds):
        with one.chosen():
            taken, share = one.epochs(epochs, sets)
        seconds.append(taken)
        accuracies.append(100 * share)
    shares = ", ".join(f"{share:.2f}" for share in accuracies)
    return [f"{min(seconds):.2f}", shares, f"{sum(accuracies) / seeds:.2f}"]


def contestants(device):
    yield from (Ours(variants, device) for variants in ("answered", "fastest"))
    yield from (Jitted(mode, device) for mode in (None, "reduce-overhead"))
    yield Theirs(False, device)
    if device == "cuda":
        yield Theirs(True, device)


def table(device, epochs, seeds, sets):
    """The rows of the table, its head first."""
    yield HEAD
    every = list(contestants(device))
    memory = [peak(one, device) for one in every]
    times = steps(every, device)
    for one, taken in zip(every, memory, strict=True):
        cells = [f"{seconds * 1e6:.0f}" for seconds in times[one.name]]
        yield [one.name, *cells, *taken, *trained(one, epochs, seeds, sets)]


def in_a_row(launch, args, count=100):
    """The seconds of a launch, of so many one after the other."""
    import cupy

    graph, stream = None, cupy.cuda.Stream(non_blocking=True)
    with stream:
        stream.begin_capture()
        for _ in range(count):
            launch.kernel.run(launch.grid, launch.block, args)
        graph = stream.end_capture()
        times = []
        for _ in range(4):
            start, stop = cupy.cuda.Event(), cupy.cuda.Event()
            start.record(stream), graph.launch(stream), stop.record(stream)
            stop.synchronize()
            times.append(cupy.cuda.get_elapsed_time(start, stop))
    return min(times) / 1000 / count


def profile(size):
    """The rows of the table of a step's kernels, the longest first."""
    one = Jitted(None, "cuda")
    with minigrad.kernel_variant("fastest"):
        images, labels = (minigrad.tensor(a, device="cuda") for a in batch(size))
        step = one.jitted(*one.new())
        for _ in range(3):
            step(images, labels)
        recorder = Recorder()
        with recorder, plan_cache.disabled(recorder):
            step.program.run([images, labels])
        rate, total = testing.ceilings("cuda").bandwidth, 0
        rows = []
        for launch, args in recorder.launches:
            seconds, moved = in_a_row(launch, args), launch.nbytes
            total += seconds
            grid = " x ".join(map(str, launch.grid))
            share = moved / rate / seconds
            rows.append((seconds, [launch.operator, launch.kernel.name[:60], grid,
                                   f"{seconds * 1e6:.1f}", f"{moved / 1e6:.2f}",
                                   f"{100 * share:.0f} %"]))  # fmt: skip
    yield ["operator", "kernel", "grid", "us", "MB", "of the memory's speed"]
    yield from (row for _, row in sorted(rows, key=lambda r: -r[0]))
    yield [f"{len(rows)} launches", "", "", f"{total * 1e6:.0f}", "", ""]


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
    parser.add_argument("--seeds", type=int, default=3, metavar="N")
    parser.add_argument("--profile", action="store_true")
    given = parser.parse_args()
    torch.backends.cudnn.allow_tf32 = False
    minigrad.answers_from("solutions")
    if given.profile:
        text = common.machine()
        for size in SIZES:
            launches = common.markdown([*profile(size)])
            text += f"\n\nA step of {size} images:\n\n{launches}"
        print(text)
        if given.write:
            common.write(PAGE, text, "a step's kernels on cuda")
        return
    sets = mnist() if given.epochs else []
    rows = []
    for row in table(given.device, given.epochs, given.seeds, sets):
        rows.append(row)
        print(" | ".join(row), file=sys.stderr, flush=True)
    text = f"{common.machine()}, PyTorch {torch.__version__} with "
    text += f"{torch.get_num_threads()} threads; {given.epochs} epochs"
    text += f"\n\n{common.markdown(rows)}"
    print(text)
    if given.write:
        common.write(PAGE, text, f"mnist on {given.device}")


if __name__ == "__main__":
    main()
