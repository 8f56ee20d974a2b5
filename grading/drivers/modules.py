"""Scenes of chapter 09: what an answer does to modules, gradients and optimizers."""

import functools
import weakref

import numpy as np

import minigrad
from minigrad import Tensor, nn
from minigrad.autograd import no_grad
from minigrad.exercises.registry import kind

from ..isolation.codec import NotPlain
from . import scenarios
from .graphs import Minigrad
from .registry import scene, wanted


def tensor_of(value):
    """A tensor of an array; any other value as it is."""
    return minigrad.tensor(value) if isinstance(value, np.ndarray) else value


def array_of(value, what="the result"):
    """The array of a tensor. NotPlain for anything else."""
    if not isinstance(value, Tensor):
        raise NotPlain(f"{what} is to be a tensor, not {kind(value)}")
    return np.array(value.detach().numpy())


def put(library, tensor, array):
    with library.no_grad():
        tensor.copy_(library.tensor(array))


# ------------------------------------------------- trees of modules


def grown(library, spec, known=None):
    """The module of a spec, and every tensor in it by its number.

    library: minigrad or torch. spec: {"parameters": {name: number or None}, "buffers":
    the same, "hidden": names of buffers, "frozen": of parameters, "modules": {name:
    spec or None}, "is": a number}. Equal numbers are the same object, 1 and 1.5 are two
    of equal value; a spec with "is" alone is the module of that number.
    """
    known = {} if known is None else known
    if "is" in spec and ("module", spec["is"]) in known:
        return known["module", spec["is"]], known
    module = library.nn.Module()
    known["module", spec.get("is", len(known) + 1000)] = module
    for name, number in spec.get("parameters", {}).items():
        if number is not None and number not in known:
            value = library.tensor([float(int(number))])
            asks = name not in spec.get("frozen", ())
            known[number] = library.nn.Parameter(value, requires_grad=asks)
        module.register_parameter(name, known.get(number))
    for name, number in spec.get("buffers", {}).items():
        if number is not None:
            known[number] = library.tensor([float(number)])
        shown = name not in spec.get("hidden", ())
        module.register_buffer(name, known.get(number), persistent=shown)
    for name, below in spec.get("modules", {}).items():
        made = grown(library, below, known)[0] if below is not None else None
        module.add_module(name, made)
    return module, known


def numbered(value, known):
    """The number of a tensor of a tree: -1 for one that is not there."""
    found = [n for n, x in known.items() if x is value and isinstance(n, int | float)]
    return found[0] if found else -1


@scene
def named_parameters(exercise, spec, options, late=None):
    """Lists the parameters: [(name, number), ...]; once more, if one comes late."""
    module, known = grown(minigrad, spec)
    pairs = [*(exercise if late is None else exercise._exercise)(module, **options)]
    if late is not None:
        known[late] = nn.Parameter(minigrad.tensor([float(late)]))
        module.register_parameter("late", known[late])
        pairs = [*exercise(module, **options)]
    for pair in pairs:
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise NotPlain(f"pairs (name, parameter) are wanted, not {kind(pair)}")
    return [(name, None if x is None else numbered(x, known)) for name, x in pairs]


@scene
def state_dict(exercise, spec, options):
    """Saves: [(name, number, "same", "detached", "copied" or "attached"), ...]."""
    module, known = grown(minigrad, spec)
    found = wanted(exercise(module, **options), dict, "a dict")
    return [(name, *held(name, x, known)) for name, x in found.items()]


def held(name, x, known):
    """The number of what a tensor holds, and how."""
    if x is None:
        return -1, "None"
    number = int(array_of(x, f"what stands under {name!r}")[0])
    own = known.get(number)
    if own is x:
        return number, "same"
    if own is None or own.storage is not x.storage:
        return number, "copied"
    return number, "attached" if x.requires_grad else "detached"


@scene
def train(exercise, spec, of, flags, mode):
    """Sets the mode of one: {number of module: training}, and what was returned."""
    module, known = grown(minigrad, spec)
    modules = {n[1]: m for n, m in known.items() if isinstance(n, tuple)}
    for number, flag in flags.items():
        modules[number].training = flag
    result = exercise(modules[of], mode)
    found = [n for n, module in modules.items() if module is result]
    returned = found[0] if found else kind(result)
    return {n: modules[n].training for n in flags} | {"returned": returned}


# ------------------------------------------------- layers


@scene
def tensors(exercise, args, options):
    """Calls it with tensors for the arrays; what scenarios.differentiated says."""
    call = functools.partial(exercise, **options)
    return scenarios.differentiated(Minigrad, call, *map(tensor_of, args))


@scene(changes=("running_mean", "running_var"))
def batch_norm(exercise, x, mean, var, options):
    """Normalizes; what scenarios.normalized says."""
    return scenarios.normalized(Minigrad, exercise, x, mean, var, options)


def after_each(seeds):
    """Seed the random numbers with each of these in turn; None goes on without."""
    for seed in seeds:
        if seed is not None:
            minigrad.manual_seed(seed)
        yield


@scene(changes=("tensor",))
def kaiming(exercise, shape, seeds, options):
    """Fills a weight after each seed, each time what was returned: its numbers."""
    weight, drawn = nn.Parameter(minigrad.zeros(tuple(shape))), []
    result = weight
    for _ in after_each(seeds):
        result = exercise(result, **options)
        drawn.append(array_of(weight))
    returned = "the tensor" if result is weight else kind(result)
    return {"drawn": drawn, "returned": returned}


@scene
def dropout(exercise, x, dy, seeds, options):
    """Drops after each seed: the results, and the gradient through the last."""
    x, drawn = tensor_of(x).requires_grad_(), []
    for _ in after_each(seeds):
        y = exercise(x, **options)
        drawn.append(array_of(y))
    if y.requires_grad and y is not x:
        y.backward(minigrad.tensor(dy))
        dy = None if x.grad is None else array_of(x.grad)
    elif y is not x:
        dy = None
    return {"results": drawn, "gradient": dy}


# ------------------------------------------------- optimizers


def stepped(param, grads, which, step):
    """The parameter after each step(param, grad, number), and what else changed.

    which: of the gradients is each step's; it's the same tensor where one comes again.
    """
    param, steps, changed = tensor_of(param), [], ""
    known = [tensor_of(grad) for grad in grads]
    for number, n in enumerate(which, 1):
        g, grad = known[n], grads[n]
        with no_grad():
            kept = step(param, g, number)
        if not np.array_equal(g.numpy(), grad):
            changed = "the gradient was changed"
        if isinstance(kept, Tensor) and kept.storage is g.storage:
            changed = "the buffer is the gradient itself"
        steps.append(np.array(param.numpy()))
    return {"steps": np.stack(steps), "changed": changed}


@scene(changes=("param", "buffer"))
def sgd(exercise, param, grads, which, options, buffer=None):
    """Steps with these gradients: the parameter after each, and what else changed."""
    buffer = None if buffer is None else tensor_of(buffer)

    def step(param, g, number):
        nonlocal buffer
        buffer = exercise(param, g, buffer, **options)
        return buffer

    kept = stepped(param, grads, which, step)
    return kept | {"buffer": None if buffer is None else array_of(buffer, "the buffer")}


@scene(changes=("param", "exp_avg", "exp_avg_sq"))
def adam(exercise, param, grads, which, options):
    """The same of a rule with two averages."""
    averages = [minigrad.tensor(0 * param) for _ in range(2)]

    def step(param, g, number):
        exercise(param, g, *averages, number, **options)

    kept = stepped(param, grads, which, step)
    return kept | {"averages": np.stack([a.numpy() for a in averages])}


@scene(changes=("parameters",))
def clip(exercise, grads, lazy, options):
    """Clips: the norm that is returned, and the gradients afterwards."""
    params = [
        nn.Parameter(minigrad.tensor(np.zeros(1) if g is None else np.zeros_like(g)))
        for g in grads
    ]
    for p, g in zip(params, grads, strict=True):
        p.grad = tensor_of(g)
    before = [p.grad for p in params]
    kinds = {"a list": params, "a generator": (p for p in params),
             "a tensor": params[0]}  # fmt: skip
    try:
        norm = exercise(kinds[lazy], **options)
    except RuntimeError:
        pairs = [(array_of(g), a) for g, a in zip(before, grads, strict=True)
                 if g is not None]  # fmt: skip
        if not all(np.array_equal(g, a, equal_nan=True) for g, a in pairs):
            raise NotPlain("gradients have changed before the error") from None
        raise
    if array_of(norm, "the norm").shape:
        raise NotPlain(f"the norm has no dimensions, not shape {norm.shape}")
    empty = all(g is None for g in grads)
    return {
        "norm": float(array_of(norm)),
        "dtype of the norm": str(norm.dtype) if empty else "",
        "grads": [None if p.grad is None else array_of(p.grad) for p in params],
        "the tensors that were the grads": [
            g if g is None else array_of(g) for g in before
        ],
    }


@scene
def training(exercise, x, y, weight, bias, lr, momentum, epochs, held=1.0):
    """Trains a line: the losses, and weight and bias at the end.

    held: times the parameters, the gradients from before.
    """
    model = nn.Linear(x.shape[1], y.shape[1]).double()
    put(minigrad, model.weight, weight)
    put(minigrad, model.bias, bias)
    for p in model.parameters():
        p.grad = p.detach() * held
    optimizer = minigrad.optim.SGD(model.parameters(), lr=lr, momentum=momentum)
    loss_fn, x, y = Loss(), tensor_of(x), tensor_of(y)
    losses = exercise(model, loss_fn, optimizer, x, y, epochs)
    if isinstance(losses, list) and any(isinstance(n, Tensor) for n in losses):
        raise NotPlain("the losses are to be numbers, loss.item(), and not tensors")
    return {
        "losses": losses,
        "more than two losses are in memory": loss_fn.most > 2,
        "weight": array_of(model.weight),
        "bias": array_of(model.bias),
    }


class Loss:
    """A loss, which notes how many of those before it are still in memory."""

    def __init__(self):
        self.made, self.most = [], 0

    def __call__(self, prediction, y):
        self.most = max(self.most, sum(loss() is not None for loss in self.made))
        loss = scenarios.lopsided(prediction, y)
        self.made = [*self.made[-5:], weakref.ref(loss)]
        return loss
