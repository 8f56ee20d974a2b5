"""Drivers of chapter 09: modules, layers, random numbers, and optimizers."""

import functools
import weakref

import numpy as np

from minigrad import Tensor
from minigrad.exercises.registry import kind

from ..isolation.codec import NotPlain
from . import scenarios
from .registry import driver, wanted

# ------------------------------------------------- trees of modules


def grown(library, spec, known=None):
    """The module of a spec, and every tensor in it by its number.

    spec: {"parameters": {name: number or None}, "buffers": the same, "hidden": names of
    buffers, "frozen": of parameters, "modules": {name: spec or None}, "is": a number}.
    Equal numbers are the same object, 1 and 1.5 are two of equal value; a spec with
    "is" alone is the module of that number.
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
        if number is not None and number not in known:
            known[number] = library.tensor([float(number)])
        shown = name not in spec.get("hidden", ())
        module.register_buffer(name, known.get(number), persistent=shown)
    for name, below in spec.get("modules", {}).items():
        child = grown(library, below, known)[0] if below is not None else None
        module.add_module(name, child)
    return module, known


@driver
def named_parameters(library, answer, spec, late=None, **options):
    """Lists the parameters: [(name, number), ...]; once more, if one comes late.

    -1 is the number of a tensor that is not in the module.
    """
    module, known = grown(library, spec)
    if late is not None:
        _ = [*getattr(answer, "_exercise", answer)(module, **options)]
        known[late] = library.nn.Parameter(library.tensor([float(late)]))
        module.register_parameter("late", known[late])
    listed = []
    for pair in answer(module, **options):
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise NotPlain(f"pairs (name, parameter) are wanted, not {kind(pair)}")
        name, x = pair
        own = [n for n, tensor in known.items() if tensor is x]
        listed.append((name, None if x is None else (own or [-1])[0]))
    return listed


@driver
def state_dict(library, answer, spec, **options):
    """Saves: [(name, number, "same", "detached", "copied" or "attached"), ...]."""
    module, known = grown(library, spec)
    saved = wanted(answer(module, **options), dict, "a dict")
    return [(name, *held(library, x, known)) for name, x in saved.items()]


def held(library, x, known):
    """The number of what a tensor holds, and how."""
    if x is None:
        return -1, "None"
    number = int(library.array(x)[0])
    own = known.get(number)
    if own is x:
        return number, "same"
    if own is None or not shares(library, own, x):
        return number, "copied"
    return number, "attached" if x.requires_grad else "detached"


def shares(library, x, other):
    """Does a change of x change the other tensor?"""
    before = library.array(other)
    with library.no_grad():
        values = x.clone()
        x.add_(1)
        changed = not np.array_equal(library.array(other), before)
        x.copy_(values)
    return changed


# ------------------------------------------------- layers


@driver(changes=("running_mean", "running_var"))
def batch_norm(library, answer, x, mean, var, weight=None, bias=None, **options):
    """What differentiated says, and the running statistics afterwards."""

    def call(x, weight, bias):
        return answer(x, mean, var, weight, bias, **options)

    facts = scenarios.differentiated(library, call, x, weight, bias)
    both = {} if mean is None else {"running_mean": mean, "running_var": var}
    recorded = any(t.requires_grad for t in both.values())
    facts["the running statistics are recorded"] = recorded
    return facts | {name: library.array(t) for name, t in both.items()}


@driver
def zeros(library, answer, seeds, n, **options):
    """How many of n numbers become 0, after each seed."""
    x = library.tensor(np.ones(n))
    drawn = (answer(x, **options) for _ in after_each(library, seeds))
    return [int((library.array(y) == 0).sum()) for y in drawn]


def apart(library, x):
    """The same numbers, column by column, and others between them."""
    a = library.array(x)
    memory = library.of(np.stack([a.T, a.T], -1))
    return memory.permute(*reversed(range(a.ndim)), a.ndim)[..., 0]


def placed(library, memory, *tensors):
    """These tensors, where `memory` says: "row by row", as they are, or "apart"."""
    if memory == "row by row":
        return tensors
    return [x if x is None else apart(library, x) for x in tensors]


def after_each(library, seeds):
    """Seed the random numbers with each of these in turn; None goes on without."""
    for seed in seeds:
        if seed is not None:
            library.manual_seed(seed)
        yield


@driver(changes=("tensor",))
def kaiming(library, answer, tensor, seeds, memory="row by row", **options):
    """Fills a weight after each seed, each time what was returned: its numbers."""
    (tensor,) = placed(library, memory, tensor)
    result = weight = library.nn.Parameter(tensor)
    drawn = []
    for _ in after_each(library, seeds):
        if result is None:
            break
        result = answer(result, **options)
        drawn.append(library.array(weight))
    returned = "the tensor" if result is weight else kind(result)
    return {"drawn": drawn, "returned": returned}


@driver
def dropout(library, answer, x, seeds, **options):
    """What differentiated says after each seed."""
    call = functools.partial(answer, **options)
    return [
        scenarios.differentiated(library, call, x.clone())
        for _ in after_each(library, seeds)
    ]


# ------------------------------------------------- optimizers


def stepped(library, param, grads, order, step):
    """{"after step 1": the parameter, ...}. step(param, grad, number) changes it.

    order: which of the gradients is each step's; it's the same tensor where one comes
    again.
    """
    shown = {}
    for number, n in enumerate(order, 1):
        with library.no_grad():
            step(param, grads[n], number)
        shown[f"after step {number}"] = library.array(param)
    return shown


@driver(changes=("param", "buffer"))
def sgd(library, answer, param, buffer, *grads, order, memory="row by row", **options):
    """Steps with these gradients: the parameter after each, and what the buffer is."""
    same = False
    param, buffer, *grads = placed(library, memory, param, buffer, *grads)

    def step(param, grad, number):
        nonlocal buffer, same
        buffer = answer(param, grad, buffer, **options)
        same = same or buffer is not None and shares(library, grad, buffer)

    shown = stepped(library, param, grads, order, step)
    last = None if buffer is None else library.array(buffer)
    return {"the buffer is the gradient itself": same, **shown, "buffer": last}


@driver(changes=("param", "exp_avg", "exp_avg_sq"))
def adam(library, answer, param, *grads, order, memory="row by row", **options):
    """The same of a rule with two averages."""
    param, first, second, *grads = placed(
        library, memory, param, param * 0, param * 0, *grads
    )
    averages = {"exp_avg": first, "exp_avg_sq": second}

    def step(param, grad, number):
        answer(param, grad, *averages.values(), number, **options)

    shown = stepped(library, param, grads, order, step)
    return shown | {name: library.array(a) for name, a in averages.items()}


@driver(changes=("parameters",))
def clip(library, answer, *grads, passed, memory="row by row", **options):
    """Clips: the norm that is returned, and the gradients afterwards."""
    grads = placed(library, memory, *grads)
    params = [library.tensor(0) if g is None else g * 0 for g in grads]
    params = [*map(library.nn.Parameter, params)]
    for p, g in zip(params, grads, strict=True):
        p.grad = g
    before = scenarios.gradients(library, *params)
    kinds = {"a list": params, "a generator": (p for p in params),
             "a tuple": tuple(params), "a tensor": params[0]}  # fmt: skip
    try:
        norm = answer(kinds[passed], **options)
    except RuntimeError:
        pairs = zip(scenarios.gradients(library, *params), before, strict=True)
        if not all(g is a or np.array_equal(g, a, equal_nan=True) for g, a in pairs):
            raise NotPlain(
                "The gradients have already changed when the error is raised. Look at "
                "the norm before you scale them."
            ) from None
        raise
    return {
        "norm": library.array(norm).tolist(),
        "dtype of the norm": str(norm.dtype).removeprefix("torch."),
        "grads": scenarios.gradients(library, *params),
        "the tensors that were the grads": [
            g if g is None else library.array(g) for g in grads
        ],
    }


@driver
def training(library, answer, x, y, weight, bias, lr, momentum, epochs, held=1.0):
    """Trains a line: the losses, and weight and bias at the end.

    held: times the parameters, the gradients from before; None: there are none.
    """
    model = library.nn.Linear(x.shape[1], y.shape[1]).double()
    with library.no_grad():
        model.weight.copy_(weight)
        model.bias.copy_(bias)
    for p in model.parameters():
        p.grad = None if held is None else p.detach() * held
    optimizer = library.optim.SGD(model.parameters(), lr=lr, momentum=momentum)
    loss_fn = Loss()
    losses = answer(model, loss_fn, optimizer, x, y, epochs)
    wanted(losses, list, "a list of the losses")
    if any(isinstance(n, Tensor) for n in losses):
        raise NotPlain("The losses must be numbers, loss.item(), and not tensors.")
    return {
        "losses": losses,
        "more than two losses are in memory": loss_fn.most > 2,
        "weight": library.array(model.weight),
        "bias": library.array(model.bias),
    }


class Loss:
    """A loss, which notes how many of those before it are still in memory."""

    def __init__(self):
        self.earlier, self.most = [], 0

    def __call__(self, prediction, y):
        alive = sum(loss() is not None for loss in self.earlier)
        self.most = max(self.most, alive)
        error = prediction - y  # plus a term, for it matters which one is y
        loss = (error * error).mean() + (prediction * 0.1).mean()
        self.earlier = [*self.earlier[-5:], weakref.ref(loss)]
        return loss
