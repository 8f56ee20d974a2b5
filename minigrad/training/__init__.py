"""The training loop: of a line, and of a network that can be stopped and goes on."""

import time
from pathlib import Path

from ..check import check
from ..exercises.registry import exercise
from ..random import default_generator
from ..suggest import Suggesting
from . import checkpoint

STATE = {"model", "optimizer", "train", "random", "losses", "results", "seconds"}


@exercise(points=2, stars=1, minutes=15)
def linear_regression(model, loss_fn, optimizer, x, y, epochs):
    """Train a model on all of the data at once, `epochs` times, and return the losses.

    In each epoch, including the first, reset all gradients, compute the loss and its
    gradients, and make a step. You may compute the loss before you reset them.

    model, loss_fn: model(x) is the prediction, and loss_fn(prediction, y) is the loss,
        a tensor without dimensions.
    optimizer: it has the model's parameters.
    epochs: the number of steps, which may be 0. Make all of them, even if the loss
        doesn't change, grows, or becomes NaN.

    Returns a list of Python numbers, each epoch's loss before its step. No graph of an
    earlier epoch may be kept.
    """


@exercise(points=2, stars=1, minutes=10)
def train_step(model, optimizer, images, labels):
    """Train a classifier on one batch, and return the loss from before the step.

    model: model(images) returns (N, classes), logarithms of probabilities. Call it
        once, leave each of its layers in the mode it's in, and set no attributes on it.
    optimizer: it has the model's parameters.
    images, labels: the batch. labels has shape (N,) and dtype int64.

    The loss is nll_loss, averaged over the batch. The step must use only this loss's
    gradients, whatever the parameters' .grad held before the call.

    Returns the loss as a tensor without dimensions and without a graph. The function
    must not turn a tensor into a number or a bool.
    """


@exercise(points=3, stars=2, minutes=20)
def evaluate(model, loader):
    """Return a classifier's loss and accuracy on a dataset, as two Python numbers.

    model: as for train_step. All its layers are in the same mode as the model, and no
        two outputs of an image are equal.
    loader: an iterable of batches, each a tuple of images and labels. It isn't empty,
        and its last batch may be smaller. With drop_last, the loader leaves some items
        out, and only the items that it returns count.

    The loss is the mean of nll_loss over all items. The accuracy is the share of items,
    from 0 to 1, whose largest output is the one at their label.

    While the model runs, it isn't in training mode and nothing is recorded for
    gradients. Afterwards, the model's mode and the recording of gradients must be as
    they were before the call, unless there was an error. Iterate
    over the loader once, and keep at most the outputs of one batch.
    """


@exercise(points=3, stars=2, minutes=20)
def train_mnist(training, epochs):
    """Train until `epochs` epochs are done, and return training.results.

    training: a Training. Its `model` is in training mode, and must be in every step and
        at the end.
    epochs: an int >= 0.

    An epoch iterates over training.train once. It calls train_step with each batch, one
    after the other, and training.stepped(loss) after each step, with what train_step
    returned. Then it evaluates the model on training.test and calls
    training.evaluated(loss, accuracy).

    A stopped run continues. len(training.results) epochs are done, which may already be
    `epochs` or more. If training.train.epoch is one more than that, the steps of an
    epoch are done and only its evaluation is missing. (If `epochs` epochs are already
    done, this evaluation is optional.) In the middle of an epoch, training.train
    returns the remaining batches.
    """


class Training(Suggesting):
    """A model, its optimizer, its data, and what's been measured so far.

    model, optimizer: as train_step takes them. train, test: DataLoaders. path: where
    the state is saved, after every `every` steps and each evaluation. If that file
    exists, the training run continues from it. watch: is called with the Training after
    each step and each evaluation.

    losses: of each step, tensors without dimensions. results: (loss, accuracy) on
    `test`, after each epoch. seconds: of training and evaluating, all in all.
    """

    def __init__(self, model, optimizer, train, test, path=None, every=500,
                 watch=lambda training: None):  # fmt: skip
        if not hasattr(train, "keep_place"):
            raise TypeError(f"train is a DataLoader, not {type(train).__name__}")
        if not isinstance(every, int) or every < 1:
            raise ValueError(f"every is a number of steps, at least 1, not {every!r}")
        self.model, self.optimizer, self.train, self.test = (
            model, optimizer, train, test,
        )  # fmt: skip
        self.path, self.every, self.watch = path and Path(path), every, watch
        self.losses, self.results, self.seconds = [], [], 0.0
        if self.path and self.path.exists():
            state = checkpoint.load(self.path)
            check(isinstance(state, dict) and set(state) >= STATE,
                  lambda: f"{self.path} is no checkpoint of a Training: choose another "
                  "path, or move that file away", ValueError)  # fmt: skip
            self.load_state_dict(state)
        self.began = time.perf_counter()

    def stepped(self, loss):
        """Note the loss of a step; save the state if it is time."""
        self.losses.append(loss)
        self.train.keep_place()  # a stopped training goes on after this step
        if self.path and len(self.losses) % self.every == 0:
            self.save()
        self.watch(self)

    def evaluated(self, loss, accuracy):
        """Note how the model did after an epoch; save the state."""
        self.results.append((float(loss), float(accuracy)))
        self.note_time()
        if self.path:
            self.save()
        self.watch(self)

    def save(self):
        """Write the state to the file."""
        checkpoint.save(self.state_dict(), self.path)

    def state_dict(self):
        """All that decides how the training goes on, and what has come of it."""
        self.note_time()
        self.losses = [float(loss) for loss in self.losses]
        return {
            "model": self.model.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "train": self.train.state_dict(),
            "random": list(default_generator.get_state()),
            "losses": self.losses,
            "results": self.results,
            "seconds": self.seconds,
        }

    def note_time(self):
        """Add what has passed to `seconds`."""
        now = time.perf_counter()
        self.seconds, self.began = self.seconds + now - self.began, now

    def load_state_dict(self, state):
        """Go on where another one stood."""
        self.model.load_state_dict(state["model"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.train.load_state_dict(state["train"])
        default_generator.set_state(tuple(state["random"]))
        self.losses, self.seconds = state["losses"], state["seconds"]
        self.results = [tuple(result) for result in state["results"]]
