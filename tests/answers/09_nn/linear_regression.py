"""Answers of linear_regression by other algorithms."""

from minigrad.training import linear_regression
from tools.audit.specimens import answer


@answer(linear_regression, right="by a closure")
def _(model, loss_fn, optimizer, x, y, epochs):
    def closure():
        optimizer.zero_grad()
        loss = loss_fn(model(x), y)
        loss.backward()
        return loss

    return [optimizer.step(closure).item() for _ in range(epochs)]


@answer(linear_regression, right="numbers at the end")
def _(model, loss_fn, optimizer, x, y, epochs):
    losses = []
    while len(losses) < epochs:
        loss = loss_fn(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())
    return [float(loss) for loss in losses]


@answer(linear_regression, right="an epoch is a function")
def _(model, loss_fn, optimizer, x, y, epochs):
    def epoch(_):
        for p in model.parameters():
            p.grad = None
        loss = loss_fn(model(x), y)
        loss.backward()
        before = loss.item()
        optimizer.step()
        return before

    return [*map(epoch, range(epochs))]
