"""Chapter 09, clip_grad_norm_ and the loop: wrong answers, and right ones."""

import math

import minigrad
from grading.specimens import mutant, right
from minigrad.nn.utils import clip_grad_norm_, gradients_of
from minigrad.training import linear_regression

# ------------------------------------------------------------ clip_grad_norm_


def norm_of(gradients, p, root=True, mean=False):
    if not gradients:
        return minigrad.tensor(0.0)
    if p == math.inf:
        return minigrad.stack([g.abs().max() for g in gradients]).max()
    total = minigrad.stack([(g.abs() ** p).sum() for g in gradients]).sum()
    total = total / sum(g.numel() for g in gradients) if mean else total
    return total ** (1 / p) if root else total


def scale(gradients, norm, most, always=False):
    factor = most / (norm.item() + 1e-6)
    for g in gradients:
        g.mul_(factor if always else min(factor, 1.0))
    return norm


@mutant(clip_grad_norm_, "each_alone")
def _(parameters, max_norm, norm_type=2.0, error_if_nonfinite=False):
    gradients = gradients_of(parameters)
    norm = norm_of(gradients, norm_type)
    for g in gradients:
        scale([g], norm_of([g], norm_type), max_norm)
    return norm


@mutant(clip_grad_norm_, "always")
def _(parameters, max_norm, norm_type=2.0, error_if_nonfinite=False):
    gradients = gradients_of(parameters)
    return scale(gradients, norm_of(gradients, norm_type), max_norm, always=True)


@mutant(clip_grad_norm_, "no_root")
def _(parameters, max_norm, norm_type=2.0, error_if_nonfinite=False):
    gradients = gradients_of(parameters)
    return scale(gradients, norm_of(gradients, norm_type, root=False), max_norm)


@mutant(clip_grad_norm_, "norm_after")
def _(parameters, max_norm, norm_type=2.0, error_if_nonfinite=False):
    gradients = gradients_of(parameters)
    scale(gradients, norm_of(gradients, norm_type), max_norm)
    return norm_of(gradients, norm_type)


@mutant(clip_grad_norm_, "always_two")
def _(parameters, max_norm, norm_type=2.0, error_if_nonfinite=False):
    gradients = gradients_of(parameters)
    return scale(gradients, norm_of(gradients, 2.0), max_norm)


@mutant(clip_grad_norm_, "root_mean")
def _(parameters, max_norm, norm_type=2.0, error_if_nonfinite=False):
    gradients = gradients_of(parameters)
    return scale(gradients, norm_of(gradients, norm_type, mean=True), max_norm)


@mutant(clip_grad_norm_, "not_changed", "a generator is gone through twice")
def _(parameters, max_norm, norm_type=2.0, error_if_nonfinite=False):
    norm = norm_of([p.grad for p in parameters if p.grad is not None], norm_type)
    return scale([p.grad for p in parameters if p.grad is not None], norm, max_norm)


@mutant(clip_grad_norm_, "not_changed", "a new tensor, and nobody has it")
def _(parameters, max_norm, norm_type=2.0, error_if_nonfinite=False):
    gradients = gradients_of(parameters)
    norm = norm_of(gradients, norm_type)
    for g in gradients:
        g = g * min(max_norm / (norm.item() + 1e-6), 1.0)
    return norm


@mutant(clip_grad_norm_, "not_in_place")
def _(parameters, max_norm, norm_type=2.0, error_if_nonfinite=False):
    parameters = [p for p in parameters if p.grad is not None]
    norm = norm_of([p.grad for p in parameters], norm_type)
    for p in parameters:
        p.grad = p.grad * min(max_norm / (norm.item() + 1e-6), 1.0)
    return norm


@mutant(clip_grad_norm_, "by_value")
def _(parameters, max_norm, norm_type=2.0, error_if_nonfinite=False):
    gradients = gradients_of(parameters)
    norm = norm_of(gradients, norm_type)
    for g in gradients:
        g.clamp_(-max_norm, max_norm)
    return norm


@mutant(clip_grad_norm_, "type", "a number")
def _(parameters, max_norm, norm_type=2.0, error_if_nonfinite=False):
    gradients = gradients_of(parameters)
    return scale(gradients, norm_of(gradients, norm_type), max_norm).item()


@mutant(clip_grad_norm_, "raised", "None has no square")
def _(parameters, max_norm, norm_type=2.0, error_if_nonfinite=False):
    gradients = [p.grad for p in parameters]
    return scale(gradients, norm_of(gradients, norm_type), max_norm)


@right(clip_grad_norm_, "by numbers")
def _(parameters, max_norm, norm_type=2.0, error_if_nonfinite=False):
    gradients = gradients_of(parameters)
    return scale(gradients, norm_of(gradients, norm_type), max_norm)


@right(clip_grad_norm_, "the norm of norms")
def _(parameters, max_norm, norm_type=2.0, error_if_nonfinite=False):
    gradients = [p.grad for p in list(parameters) if p.grad is not None]
    if len(gradients) == 0:
        return minigrad.tensor(0.0)
    if norm_type == float("inf"):
        total = minigrad.stack([g.abs().max() for g in gradients]).max()
    else:
        each = [(g.abs() ** norm_type).sum() ** (1 / norm_type) for g in gradients]
        total = (minigrad.stack(each) ** norm_type).sum() ** (1 / norm_type)
    factor = max_norm / (total + 1e-6)
    if factor.item() < 1:
        for g in gradients:
            g *= factor
    return total


@right(clip_grad_norm_, "one long vector")
def _(parameters, max_norm, norm_type=2.0, error_if_nonfinite=False):
    gradients = gradients_of(parameters)
    if not gradients:
        return minigrad.tensor(0.0)
    flat = minigrad.cat([g.reshape(-1) for g in gradients]).abs()
    if norm_type == math.inf:
        norm = flat.max()
    else:
        norm = (flat**norm_type).sum() ** (1 / norm_type)
    for g in gradients:
        g.copy_(g * (max_norm / (norm + 1e-6)).clamp(max=1))
    return norm


# ------------------------------------------------------------ linear_regression


@mutant(linear_regression, "no_zero_grad")
def _(model, loss_fn, optimizer, x, y, epochs):
    losses = []
    for _ in range(epochs):
        loss = loss_fn(model(x), y)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


@mutant(linear_regression, "no_zero_grad", "once before the loop")
def _(model, loss_fn, optimizer, x, y, epochs):
    losses = []
    optimizer.zero_grad()
    for _ in range(epochs):
        loss = loss_fn(model(x), y)
        losses.append(loss.item())
        loss.backward()
        optimizer.step()
    return losses


@mutant(linear_regression, "no_step", "zeroed too late")
def _(model, loss_fn, optimizer, x, y, epochs):
    losses = []
    for _ in range(epochs):
        loss = loss_fn(model(x), y)
        loss.backward()
        optimizer.zero_grad()
        optimizer.step()
        losses.append(loss.item())
    return losses


@mutant(linear_regression, "no_step")
def _(model, loss_fn, optimizer, x, y, epochs):
    losses = []
    for _ in range(epochs):
        optimizer.zero_grad()
        loss = loss_fn(model(x), y)
        loss.backward()
        losses.append(loss.item())
    return losses


@mutant(linear_regression, "step_first")
def _(model, loss_fn, optimizer, x, y, epochs):
    losses = []
    for _ in range(epochs):
        loss = loss_fn(model(x), y)
        optimizer.step()
        loss.backward()
        losses.append(loss.item())
    return losses


@mutant(linear_regression, "once", "return in the loop")
def _(model, loss_fn, optimizer, x, y, epochs):
    losses = []
    for _ in range(epochs):
        optimizer.zero_grad()
        loss = loss_fn(model(x), y)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
        return losses
    return losses


@mutant(linear_regression, "one_more")
def _(model, loss_fn, optimizer, x, y, epochs):
    losses = []
    for _ in range(epochs + 1):
        optimizer.zero_grad()
        loss = loss_fn(model(x), y)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


@mutant(linear_regression, "one_less")
def _(model, loss_fn, optimizer, x, y, epochs):
    losses = []
    for _ in range(1, epochs):
        optimizer.zero_grad()
        loss = loss_fn(model(x), y)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


@mutant(linear_regression, "after")
def _(model, loss_fn, optimizer, x, y, epochs):
    losses = []
    for _ in range(epochs):
        optimizer.zero_grad()
        loss_fn(model(x), y).backward()
        optimizer.step()
        losses.append(loss_fn(model(x), y).item())
    return losses


@mutant(linear_regression, "last_alone")
def _(model, loss_fn, optimizer, x, y, epochs):
    last = []
    for _ in range(epochs):
        optimizer.zero_grad()
        loss = loss_fn(model(x), y)
        loss.backward()
        optimizer.step()
        last = [loss.item()]
    return last


@mutant(linear_regression, "type", "tensors are returned")
def _(model, loss_fn, optimizer, x, y, epochs):
    losses = []
    for _ in range(epochs):
        optimizer.zero_grad()
        loss = loss_fn(model(x), y)
        loss.backward()
        optimizer.step()
        losses.append(loss)
    return losses


@right(linear_regression, "zero_grad at the end")
def _(model, loss_fn, optimizer, x, y, epochs):
    losses = []
    for _ in range(epochs):
        loss = loss_fn(model(x), y)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        losses.append(float(loss))
    return losses


@right(linear_regression, "the model's zero_grad")
def _(model, loss_fn, optimizer, x, y, epochs):
    def step():
        model.zero_grad()
        loss = loss_fn(model(x), y)
        loss.backward()
        optimizer.step()
        return loss.item()

    return [step() for _ in range(epochs)]


@right(linear_regression, "by a closure")
def _(model, loss_fn, optimizer, x, y, epochs):
    def closure():
        optimizer.zero_grad()
        loss = loss_fn(model(x), y)
        loss.backward()
        return loss

    losses = []
    while len(losses) < epochs:
        losses.append(optimizer.step(closure).item())
    return losses
