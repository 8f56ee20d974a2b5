"""Scenes of chapter 10: what an answer does to files, loaders, models and trainings."""

import builtins
import contextlib
import functools
import random as python_random
import sys
import weakref

import numpy as np

import minigrad
from minigrad import Tensor, nn, optim
from minigrad.data import DataLoader, TensorDataset
from minigrad.exercises.registry import kind
from minigrad.random import default_generator
from minigrad.training import Training

from ..isolation.codec import NotPlain
from .guards import replaced
from .registry import driver, scene, wanted


def tensor_of(value):
    """A tensor of an array; any other value as it is."""
    return minigrad.tensor(value) if isinstance(value, np.ndarray) else value


def array_of(value, what="the result"):
    """The array of a tensor. NotPlain for anything else."""
    if not isinstance(value, Tensor):
        raise NotPlain(f"{what} must be a tensor, not {kind(value)}")
    return np.array(value.detach().numpy())


def put(library, tensor, array):
    with library.no_grad():
        tensor.copy_(library.tensor(array))


@scene
def idx(exercise, data):
    """Reads a file's bytes: an array."""
    return wanted(exercise(data), np.ndarray, "a NumPy array")


# ------------------------------------------------- loaders


SHARED = [  # generators of random numbers that all programs share: get and set
    (np.random.get_state, np.random.set_state),
    (python_random.getstate, python_random.setstate),
    (default_generator.get_state, default_generator.set_state),
]


@driver
def epoch_orders(library, answer, n, shuffle, seed, another, stirs):
    """The orders of some epochs, of one loader and of others.

    stirs: seeds of the generators that all share, before each; and what is drawn next.
    """
    first = loader_of(n, shuffle, seed)
    asked = [(first, 0), (first, 1), (first, 2), (first, 0)]
    asked += [(loader_of(n, shuffle, seed), 2), (loader_of(n, shuffle, another), 0)]
    asked.append((loader_of(n, shuffle, seed), 1))  # as in another run of Python
    orders, drawn, states = [], [], [get() for get, _ in SHARED]
    try:
        for number, (loader, epoch) in enumerate(asked):
            loader.epoch = epoch
            for stir in np.random.seed, python_random.seed, minigrad.manual_seed:
                stir(stirs[number])
            with another_run() if number == 6 else contextlib.nullcontext():
                orders.append(indices_of(answer(loader), "The order"))
            drawn.append([np.random.random(), python_random.random()])
            drawn[-1] += default_generator.get_state()
    finally:
        for (_, restore), state in zip(SHARED, states, strict=True):
            restore(state)
    return {"orders": orders, "drawn": drawn}


@driver
def many_orders(library, answer, n, pairs):
    """The orders of loaders with these seeds, in these epochs."""
    orders = []
    for seed, epoch in pairs:
        loader = loader_of(n, True, seed)
        loader.epoch = epoch
        orders.append(indices_of(answer(loader), "The order"))
    return orders


@driver
def changed_loader(library, answer, attributes):
    """The orders of one loader whose attributes change: its own, a new one's, its own.

    attributes: n, shuffle, seed, and epoch, one after the other. Whoever has an order
    may write to it: it is theirs.
    """
    loader, orders = loader_of(*attributes[0][:3]), []
    for n, shuffle, seed, epoch in attributes:
        new = loader_of(n, shuffle, seed)
        vars(loader).update(dataset=range(n), shuffle=shuffle, seed=seed, epoch=epoch)
        new.epoch = epoch
        three = []
        for asked in loader, new, loader:
            order = answer(asked)
            three.append(indices_of(order, "The order"))
            if order.flags.writeable:
                order[:] = 0
        orders.append(three)
    return orders


@contextlib.contextmanager
def another_run():
    """Let hash() and id() be what they might be in another run of Python."""
    of_numbers, place = builtins.hash, builtins.id

    def other(x):
        parts = x if isinstance(x, tuple) else [x]
        same = all(isinstance(part, int | float) for part in parts)
        return of_numbers(x) if same else of_numbers((x, "another run"))

    builtins.hash, builtins.id = other, lambda x: place(x) + 2**20
    try:
        yield
    finally:
        builtins.hash, builtins.id = of_numbers, place


def loader_of(n, shuffle, seed):
    return DataLoader(range(n), 4, shuffle, seed=seed)


def indices_of(array, what):
    """A list of the indices in an array. NotPlain for anything else."""
    if not isinstance(array, np.ndarray):
        raise NotPlain(f"{what} must be a NumPy array of indices, not {kind(array)}.")
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise NotPlain(
            f"{what} must be an array of integers with one dimension, not of "
            f"{array.dtype}, shape {array.shape}."
        )
    return array.tolist()


# ------------------------------------------------- models


@contextlib.contextmanager
def waits_noted(calls):
    """Note where an answer turns a tensor into numbers: a GPU would wait there."""
    names = "item", "tolist", "numpy", "__bool__", "__int__", "__float__"

    def noting(method):
        @functools.wraps(method)
        def noted(self, *args):
            caller = sys._getframe(1).f_globals.get("__name__", "")
            if not caller.startswith("minigrad."):
                calls.append(method.__name__)
            return method(self, *args)

        return noted

    with contextlib.ExitStack() as stack:
        for name in names:
            method = noting(getattr(Tensor, name))
            stack.enter_context(replaced(Tensor, name, method))
        yield


class Watched(nn.Module):
    """A model that notes, at each call, its mode and whether it is recorded.

    doubles: is its output another where it is?
    """

    def __init__(self, model, doubles=False):
        super().__init__()
        self.doubles = doubles
        self.model, self.modes, self.recorded = model, [], []
        self.outputs, self.most = [], 0

    def forward(self, x):
        self.most = max(self.most, sum(y() is not None for y in self.outputs))
        y = self.model(x)
        y = y * 2 if self.doubles and y.requires_grad else y
        self.outputs.append(weakref.ref(y))
        self.modes.append(self.training)
        self.recorded.append(y.requires_grad)
        return y


def network(library, weights, norm=False):
    """Two linear layers, perhaps with a batch norm between, in double.

    library: minigrad or torch.
    """
    (hidden, inputs), (classes, _) = weights[0].shape, weights[2].shape
    nn = library.nn
    between = [nn.BatchNorm1d(hidden)] if norm else []
    first, last = nn.Linear(inputs, hidden), nn.Linear(hidden, classes)
    layers = [first, *between, nn.Tanh(), last, nn.LogSoftmax(1)]
    model = nn.Sequential(*layers).double()
    own = *first.parameters(), *last.parameters()
    for tensor, array in zip(own, weights, strict=True):
        put(library, tensor, array)
    return model


def state_of(model):
    return {name: x.detach().numpy().copy() for name, x in model.state_dict().items()}


class Once:
    """A loader that counts how often it is gone through.

    changes: does it give others, and more, after the first time?
    """

    def __init__(self, loader, changes):
        self.loader, self.changes, self.runs = loader, changes, 0

    def __getattr__(self, name):
        return getattr(self.loader, name)

    def __len__(self):
        return len(self.loader)

    def __iter__(self):
        self.runs += 1
        times = 2 if self.changes and self.runs > 1 else 1
        return ((x * times, labels) for x, labels in self.loader for _ in range(times))


@scene
def train_steps(exercise, weights, norm, training, lr, momentum, held, batches, look):
    """Steps by SGD: the losses, what they are, and the model afterwards.

    norm: None, or the mode of a batch norm. held: what gradients from before are, None
    where there are none.
    """
    model = Watched(network(minigrad, weights, norm is not None)).train(training)
    if norm is not None:
        model.model[1].train(norm)
    optimizer = optim.SGD(model.parameters(), lr, momentum)
    for parameter in model.parameters() if held is not None else ():
        parameter.grad = minigrad.full_like(parameter, held)
    losses, graphs, attributes, calls = [], [], {*vars(model)}, []
    modes = [m.training for m in model.modules()]
    for images, labels in batches:
        with waits_noted(calls):
            loss = exercise(model, optimizer, tensor_of(images), tensor_of(labels))
        if isinstance(loss, int | float | np.number):
            raise NotPlain(
                "The loss must be a tensor, not a number, because .item() waits until "
                "every kernel of the step has run. Return loss.detach()."
            )
        if array_of(loss, "the loss").shape:
            raise NotPlain(
                f"the loss must have no dimensions, but has shape {loss.shape}"
            )
        losses.append(float(array_of(loss)))
        graphs.append(bool(loss.requires_grad))
    shown = {
        "losses": losses,
        "weights": state_of(model.model),
        "the losses have a graph": any(graphs),
        "the losses' dtype": str(loss.dtype),
        "a tensor is turned into a number": bool(calls),
        "the model has something new": {*vars(model)} != attributes,
        "the model is in training at each call": sorted(set(model.modes)),
        "the model is in training afterwards": model.training,
        "every layer keeps its mode": modes == [m.training for m in model.modules()],
        "calls of the model": len(model.modes),
    }
    return {key: shown[key] for key in look}


@scene
def evaluation(
    exercise, weights, norm, training, data, size, look, recording, drop_last
):
    """Evaluates: loss and accuracy, how the model was used, and how it is left."""
    doubles = "what the model does is recorded" in look
    model = Watched(network(minigrad, weights, norm), doubles).train(training)
    dataset = TensorDataset(*map(tensor_of, data))
    loader = DataLoader(dataset, size, drop_last=drop_last, seed=0)
    once = Once(loader, "runs through the loader" in look)
    with minigrad.set_grad_enabled(recording):
        result = exercise(model, once)
        recorded = minigrad.is_grad_enabled()
    if not isinstance(result, tuple) or len(result) != 2:
        raise NotPlain(f"A tuple (loss, accuracy) is wanted, not {kind(result)}.")
    for name, value in zip(("loss", "accuracy"), result, strict=True):
        if not isinstance(value, int | float | np.number):
            raise NotPlain(f"the {name} must be a number, not {kind(value)}")
    shown = {
        "loss": float(result[0]),
        "accuracy": float(result[1]),
        "the model is in training at each call": sorted(set(model.modes)),
        "the model is in training afterwards": model.training,
        "weights and statistics": state_of(model.model),
        "what the model does is recorded": any(model.recorded),
        "runs through the loader": once.runs,
        "more than two outputs are in memory": model.most > 2,
        "recording is on afterwards": recorded,
    }
    return {key: shown[key] for key in look}


# ------------------------------------------------- trainings


class Noted(nn.Module):
    """A model that notes which items it was given last, of which data set."""

    def __init__(self, model, log, **sets):
        super().__init__()
        self.model, self.log, self.sets = model, log, sets

    def forward(self, x):
        name, items = self.shown(x.detach().numpy())
        self.log["last"] = f"{name}: {items}" if name != "train" else items
        self.log["set"] = name
        return self.model(x)

    def shown(self, rows):
        for name, images in self.sets.items():
            same = (rows[:, None] == images[None]).all(2)
            if same.any(1).all():
                return name, " ".join(str(i) for i in same.argmax(1))
        return "something else", ""


class Logged(Training):
    """A Training that notes the order of things."""

    def __init__(self, log, *args):
        super().__init__(*args)
        self.log = log

    def stepped(self, loss):
        self.log["work"].append(f"step on {self.log['last']}")
        self.log["places"].append((self.train.epoch, self.train.batch))
        self.log["modes"].append(self.model.training)
        super().stepped(loss)

    def evaluated(self, loss, accuracy):
        self.log["work"].append(f"evaluated on {self.log['set']}")
        if len(self.log["work"]) > 1000:
            raise RuntimeError("more than a thousand steps and evaluations: endless?")
        super().evaluated(loss, accuracy)


@scene
def training_run(
    exercise, data, orders, epochs, results, epoch, batch, weights, norm, lr, size, look
):
    """Trains by train_mnist: what was done in which order, and what came of it.

    data: images and labels to train with, and to test with. orders: of each epoch.
    results, epoch, batch: what a stopped training has done.
    """
    log = {"work": [], "places": [], "modes": [], "last": "", "set": "nothing"}
    images, labels, *test = map(tensor_of, data)
    train = DataLoader(TensorDataset(images, labels), size, seed=0)
    train.order = lambda: np.array(orders[train.epoch % len(orders)], np.int64)
    train.load_state_dict({**train.state_dict(), "epoch": epoch, "batch": batch})
    test = DataLoader(TensorDataset(*test), 3, seed=0)
    model = Noted(network(minigrad, weights, norm), log, train=data[0], test=data[2])
    optimizer = optim.SGD(model.parameters(), lr=lr)
    training = Logged(log, model, optimizer, train, test)
    training.results = [tuple(result) for result in results]
    returned, results = exercise(training, epochs), [*training.results]
    training.results.append((0.0, float(epochs)))  # a copy does not have it
    shown = {
        "work": log["work"],
        "returned": returned if isinstance(returned, list) else kind(returned),
        "losses": [number_of(loss) for loss in training.losses],
        "what training.stepped gets": [kind(loss) for loss in training.losses],
        "results": results,
        "weights": state_of(model.model),
        "in training at each step": log["modes"],
        "in training afterwards": model.training,
        "epoch and batch that the loader stands at, after each step": log["places"],
    }
    tested = any(line.startswith("step on test") for line in log["work"])
    return {
        "a step is made with training.test": tested,
        "the model is evaluated on training.train": "evaluated on train" in log["work"],
        **{key: shown[key] for key in look},
    }


def number_of(loss):
    return float(loss.item() if isinstance(loss, Tensor) else loss)
