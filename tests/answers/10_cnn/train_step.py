"""Answers of train_step by other algorithms."""

import minigrad
from minigrad import functional
from minigrad.training import train_step
from tools.audit.specimens import answer


@answer(train_step, right="by a closure")
def _(model, optimizer, images, labels):
    def closure():
        model.zero_grad()
        loss = functional.nll_loss(model(images), labels)
        loss.backward()
        return loss

    return optimizer.step(closure).detach()


@answer(train_step, right="the loss written out")
def _(model, optimizer, images, labels):
    loss = -model(images).gather(1, labels.unsqueeze(1)).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    with minigrad.no_grad():
        return loss * 1
