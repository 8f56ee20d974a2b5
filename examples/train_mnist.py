"""Train a convolutional network on MNIST, on your own kernels.

    python train_mnist.py --epochs 3 --device cuda

Ctrl-C or a power cut costs little: with --checkpoint the same command goes on from the
last checkpoint, and ends with the numbers that it would have had.
"""

import argparse
import importlib.util
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(p) for p in (HERE, HERE.parent) if (p / "minigrad").is_dir()]

import minigrad  # noqa: E402
from minigrad import data, models, optim, training  # noqa: E402


def main():
    options = arguments()
    minigrad.answers_from("labs")  # your kernels
    device = options.device or ("cuda" if minigrad.gpu_available() else "cpu")
    minigrad.manual_seed(options.seed)
    try:
        train, test = (data.MNIST(options.data, train=kind) for kind in (True, False))
    except data.DataMissing as error:
        sys.exit(str(error))
    train = part(train, options.images)
    model = models.ConvNet().to(device)
    batches = data.DataLoader(
        train, options.batch_size, shuffle=True, seed=options.seed, device=device
    )
    show = Show(len(batches), options.epochs)
    try:
        run = training.Training(
            model,
            optim.Adam(model.parameters(), lr=options.lr, capturable=options.jit),
            batches,
            data.DataLoader(test, 1000, device=device),
            options.checkpoint,
            watch=show,
        )
    except ValueError as error:  # a checkpoint of other batches
        sys.exit(f"{options.checkpoint}: {error}")
    print(
        f"{sum(p.numel() for p in model.parameters()):,} parameters on {device}, seed "
        f"{batches.seed}; {len(train):,} images, {len(batches):,} steps an epoch"
    )
    show.results = len(run.results)
    if run.losses:
        print(f"going on after step {len(run.losses):,}, from {options.checkpoint}")
    try:
        with show:
            (train_jitted if options.jit else training.train_mnist)(run, options.epochs)
    except KeyboardInterrupt:
        kept = f": the same command goes on from {options.checkpoint}"
        sys.exit("\nstopped" + (kept if options.checkpoint else ""))
    loss, accuracy = run.results[-1]
    print(
        f"{accuracy:.2%} of the test images are right, loss {loss:.4f}; seed "
        f"{batches.seed}, {device}, {run.seconds:.0f} s"
    )


def train_jitted(run, epochs):
    """training.train_mnist, with minigrad.jit for the steps on whole batches."""

    def step(images, labels):
        return training.train_step(run.model, run.optimizer, images, labels)

    fast = minigrad.jit(step, mode="reduce-overhead")
    while len(run.results) < epochs:
        if run.train.epoch == len(run.results):
            for images, labels in run.train:
                whole = len(labels) == run.train.batch_size
                loss = (fast if whole else step)(images, labels)
                run.stepped(loss.clone())  # the next replay writes over it
        run.evaluated(*training.evaluate(run.model, run.test))


def arguments():
    parser = argparse.ArgumentParser(
        description="Train a convolutional network on MNIST, on your own kernels.",
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    add = parser.add_argument
    add("--epochs", type=positive(int), default=3, help="how often to see all images")
    add("--batch-size", type=positive(int), default=64, help="images in a step")
    add("--lr", type=positive(float), default=1e-3, help="Adam's learning rate")
    add("--seed", type=int, default=0, help="of the first weights and the orders")
    add("--device", choices=["cpu", "cuda", "sim"], help="cuda where there is one")
    add("--data", metavar="DIR", help="the folder with MNIST's four files")
    add("--images", type=positive(int), help="train on the first so many images only")
    add("--jit", action="store_true", help="trace the step, and replay it as one graph")
    add("--checkpoint", metavar="FILE", help="save the state here, and go on from it")
    return parser.parse_args()


def positive(kind):
    """A parser of numbers above 0."""

    def parse(text):
        value = kind(text)
        if not 0 < value < float("inf"):
            raise ValueError
        return value

    parse.__name__ = f"{kind.__name__} above 0"
    return parse


def part(dataset, count):
    """The first images of a data set."""
    if count:
        dataset.images = dataset.images[:count]
        dataset.labels = dataset.labels[:count]
    return dataset


class Show:
    """What is seen of a training: a bar in a terminal, else a line now and then."""

    def __init__(self, steps, epochs):
        self.steps, self.epochs, self.results, self.bar = steps, epochs, 0, None
        if sys.stdout.isatty() and importlib.util.find_spec("rich"):
            from rich import progress

            columns = progress.Progress.get_default_columns()
            self.bar = progress.Progress(*columns, progress.TimeElapsedColumn())
            self.task = self.bar.add_task("training", total=steps * epochs)

    def __call__(self, run):
        step = len(run.losses)
        if len(run.results) > self.results:
            self.results = len(run.results)
            loss, accuracy = run.results[-1]
            self.say(f"epoch {self.results}: loss {loss:.4f}, accuracy {accuracy:.2%} "
                     "on the test images")  # fmt: skip
        elif step % (20 if self.bar else 100) == 0:
            loss = f"loss {float(run.losses[-1]):.4f}"
            if self.bar:
                self.bar.update(self.task, completed=step, description=loss)
            else:
                self.say(f"step {step:,} of {self.steps * self.epochs:,}: {loss}")

    def say(self, line):
        self.bar.print(line) if self.bar else print(line, flush=True)

    def __enter__(self):
        if self.bar:
            self.bar.start()
        return self

    def __exit__(self, *_):
        if self.bar:
            self.bar.stop()


if __name__ == "__main__":
    main()
