"""Train a convolutional network on MNIST, on your own kernels.

    python train_mnist.py --epochs 3 --device cuda --picture learned.png

Ctrl-C or a power cut costs little: with --checkpoint the same command goes on from the
last checkpoint, and ends with the numbers that it would have had.
"""

import argparse
import importlib.util
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(p) for p in (HERE, HERE.parent) if (p / "minigrad").is_dir()]

import minigrad  # noqa: E402
from minigrad import data, models, optim, training, viz  # noqa: E402


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
    show = Show(len(batches), options)
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
    if options.picture:
        draw(run, test, options.picture)
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


def draw(run, test, path):
    """Save what the network has learned, as a picture."""
    run.model.eval()
    with minigrad.no_grad():
        logs = minigrad.cat([run.model(images) for images, _ in run.test])
    weight = run.model.conv1.weight
    viz.learned(weight, test.images, test.labels.astype(int), logs).save(path)
    print(f"what it has learned: {path}")


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
    add(
        "--picture",
        metavar="FILE",
        type=picture,
        help="what it has learned, .svg, .png",
    )
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


def picture(path):
    """A path that a picture can be saved at."""
    if Path(path).suffix.lower() not in (".svg", ".png"):
        raise argparse.ArgumentTypeError(f"{path} ends neither in .svg nor in .png")
    return path


def part(dataset, count):
    """The first images of a data set."""
    if count:
        dataset.images = dataset.images[:count]
        dataset.labels = dataset.labels[:count]
    return dataset


class Show:
    """What is seen of a training: a bar in a terminal, else a line now and then."""

    def __init__(self, steps, options):
        self.steps, self.epochs, self.size = steps, options.epochs, options.batch_size
        self.results, self.bar, self.begin, self.known = 0, None, None, 0.0
        if sys.stdout.isatty() and importlib.util.find_spec("rich"):
            from rich import progress

            left = progress.TimeRemainingColumn(elapsed_when_finished=True)
            words = progress.TextColumn("{task.description}")
            columns = words, progress.BarColumn(), progress.TaskProgressColumn(), left
            self.bar = progress.Progress(*columns)
            self.task = self.bar.add_task("training", total=steps * self.epochs)

    def __call__(self, run):
        step, now = len(run.losses), time.perf_counter()
        self.begin = self.begin or (step, now)  # the first step has compiled kernels
        if len(run.results) > self.results:
            self.results = len(run.results)
            loss, accuracy = run.results[-1]
            self.say(f"epoch {self.results}: loss {loss:.4f}, accuracy {accuracy:.2%} "
                     "on the test images")  # fmt: skip
        elif now - self.known > (0.2 if self.bar else 10) or step == 1:
            self.known = now
            self.progress(step, float(run.losses[-1]))

    def progress(self, step, loss):
        """Where the training stands; reading the loss has waited for the GPU."""
        done, seconds = step - self.begin[0], time.perf_counter() - self.begin[1]
        epoch, inside = divmod(step - 1, self.steps)
        words = f"epoch {epoch + 1} of {self.epochs}: loss {loss:.4f}"
        if done:
            words += f", {done * self.size / seconds:,.0f} images/s"
        if self.bar:
            self.bar.update(self.task, completed=step, description=words)
            return
        left = (self.steps * self.epochs - step) * seconds / done if done else None
        more = f", {left:.0f} s left" if done else ""
        self.say(f"step {inside + 1:,} of {self.steps:,}, {words}{more}")

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
