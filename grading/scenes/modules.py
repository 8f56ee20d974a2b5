"""Scenes of chapter 09: what an answer does to modules, gradients and optimisers."""

import numpy as np

import minigrad
from minigrad import Tensor, nn
from minigrad.autograd import no_grad
from minigrad.exercises.registry import kind

from ..wire import NotPlain
from .registry import scene


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
    the same, "hidden": names of buffers, "modules": {name: spec or None}, "is": a
    number}. Equal numbers are the same object; a spec with "is" alone is the module of
    that number.
    """
    known = {} if known is None else known
    if "is" in spec and ("module", spec["is"]) in known:
        return known["module", spec["is"]], known
    module = library.nn.Module()
    known["module", spec.get("is", len(known) + 1000)] = module
    for name, number in spec.get("parameters", {}).items():
        if number is not None and number not in known:
            known[number] = library.nn.Parameter(library.tensor([float(number)]))
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
    found = [n for n, x in known.items() if x is value and isinstance(n, int)]
    return found[0] if found else -1


@scene
def named_parameters(hole, spec, options):
    """Lists the parameters: [(name, number), ...]."""
    module, known = grown(minigrad, spec)
    pairs = [*hole(module, **options)]
    for pair in pairs:
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise NotPlain(f"pairs (name, parameter) are wanted, not {kind(pair)}")
    return [(name, None if x is None else numbered(x, known)) for name, x in pairs]


@scene
def state_dict(hole, spec, options):
    """Saves: [(name, number, "same", "detached", "copied" or "attached"), ...]."""
    module, known = grown(minigrad, spec)
    found = hole(module, **options)
    if not isinstance(found, dict):
        raise NotPlain(f"a dict is wanted, not {kind(found)}")
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
def train(hole, spec, flags, mode):
    """Sets the mode: {number of module: training}, and what was returned."""
    module, known = grown(minigrad, spec)
    modules = {n[1]: m for n, m in known.items() if isinstance(n, tuple)}
    for number, flag in flags.items():
        modules[number].training = flag
    result = hole(module, mode)
    returned = "self" if result is module else kind(result)
    return {n: modules[n].training for n in flags} | {"returned": returned}


# ------------------------------------------------- layers


@scene
def tensors(hole, args, options):
    """Calls it with tensors for the arrays: the array of the result."""
    given = {name: tensor_of(value) for name, value in options.items()}
    return array_of(hole(*map(tensor_of, args), **given))


@scene(changes=("running_mean", "running_var"))
def batch_norm(hole, x, mean, var, options):
    """Normalises: y, and the running mean and variance afterwards."""
    mean, var = tensor_of(mean), tensor_of(var)
    options = {name: tensor_of(value) for name, value in options.items()}
    y = array_of(hole(tensor_of(x), mean, var, **options))
    kept = [None if t is None else array_of(t) for t in (mean, var)]
    return {"y": y, "running_mean": kept[0], "running_var": kept[1]}


@scene(changes=("tensor",))
def kaiming(hole, shape, seed, options):
    """Fills a weight: its numbers, and whether the tensor itself came back."""
    minigrad.manual_seed(seed)
    weight = minigrad.zeros(tuple(shape))
    result = hole(weight, **options)
    returned = "the tensor" if result is weight else kind(result)
    return {"values": array_of(weight), "returned": returned}


@scene
def dropout(hole, x, seed, options):
    """Drops: the result of two calls."""
    minigrad.manual_seed(seed)
    return [array_of(hole(tensor_of(x), **options)) for _ in range(2)]


# ------------------------------------------------- optimisers


def stepped(param, grads, step):
    """The parameter after each step(param, grad, number), and what else changed."""
    param, steps, changed = tensor_of(param), [], ""
    for number, grad in enumerate(grads, 1):
        g = tensor_of(grad)
        with no_grad():
            kept = step(param, g, number)
        if not np.array_equal(g.numpy(), grad):
            changed = "the gradient was changed"
        if kept is g:
            changed = "the buffer is the gradient itself"
        steps.append(np.array(param.numpy()))
    return {"steps": np.stack(steps), "changed": changed}


@scene(changes=("param", "buffer"))
def sgd(hole, param, grads, options):
    """Steps with these gradients: the parameter after each, and what else changed."""
    buffer = None

    def step(param, g, number):
        nonlocal buffer
        buffer = hole(param, g, buffer, **options)
        return buffer

    return stepped(param, grads, step)


@scene(changes=("param", "exp_avg", "exp_avg_sq"))
def adam(hole, param, grads, options):
    """The same of a rule with two averages."""
    averages = [minigrad.tensor(0 * param) for _ in range(2)]

    def step(param, g, number):
        hole(param, g, *averages, number, **options)

    kept = stepped(param, grads, step)
    return kept | {"averages": np.stack([a.numpy() for a in averages])}


@scene(changes=("parameters",))
def clip(hole, grads, lazy, options):
    """Clips: the norm that is returned, and the gradients afterwards."""
    params = [
        nn.Parameter(minigrad.tensor(np.zeros(1 if g is None else g.shape)))
        for g in grads
    ]
    for p, g in zip(params, grads, strict=True):
        p.grad = tensor_of(g)
    before = [p.grad for p in params]
    norm = hole((p for p in params) if lazy else params, **options)
    return {
        "norm": float(array_of(norm)),
        "grads": [None if p.grad is None else array_of(p.grad) for p in params],
        "in place": all(p.grad is g for p, g in zip(params, before, strict=True)),
    }


@scene
def training(hole, x, y, weight, bias, lr, momentum, epochs):
    """Trains a line: the losses, and weight and bias at the end."""
    model = nn.Linear(x.shape[1], y.shape[1]).double()
    put(minigrad, model.weight, weight)
    put(minigrad, model.bias, bias)
    optimizer = minigrad.optim.SGD(model.parameters(), lr=lr, momentum=momentum)
    loss_fn, x, y = nn.MSELoss(), tensor_of(x), tensor_of(y)
    losses = hole(model, loss_fn, optimizer, x, y, epochs)
    if isinstance(losses, list) and any(isinstance(n, Tensor) for n in losses):
        raise NotPlain("the losses are to be numbers, loss.item(), and not tensors")
    return {
        "losses": losses,
        "weight": array_of(model.weight),
        "bias": array_of(model.bias),
    }
