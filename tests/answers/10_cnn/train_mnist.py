"""Answers of train_mnist by other algorithms."""

from minigrad.training import evaluate, train_mnist, train_step
from tools.audit.specimens import answer


def epoch_of(training):
    for images, labels in training.train:
        loss = train_step(training.model, training.optimizer, images, labels)
        training.stepped(loss)


@answer(train_mnist, right="what is missing first")
def _(training, epochs):
    if training.train.epoch > len(training.results):
        training.evaluated(*evaluate(training.model, training.test))
    while len(training.results) < epochs:
        training.model.train()
        epoch_of(training)
        loss, accuracy = evaluate(training.model, training.test)
        training.evaluated(loss, accuracy)
    return training.results


@answer(train_mnist, right="epoch by epoch")
def _(training, epochs):
    for done in range(len(training.results), epochs):
        if training.train.epoch <= done:
            for batch in training.train:
                loss = train_step(training.model, training.optimizer, *batch)
                training.stepped(loss)
        training.evaluated(*evaluate(training.model, training.test))
    return training.results


@answer(train_mnist, right="without end, until all is done")
def _(training, epochs):
    while True:
        if training.train.epoch == len(training.results) < epochs:
            epoch_of(training)
        if len(training.results) >= epochs:
            return training.results
        loss, accuracy = evaluate(training.model, training.test)
        training.evaluated(loss, accuracy)
