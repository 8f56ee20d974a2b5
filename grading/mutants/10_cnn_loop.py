"""Chapter 10, train_mnist: wrong answers, and right ones."""

from grading.specimens import mutant, right
from minigrad import functional
from minigrad.autograd import no_grad
from minigrad.training import evaluate, train_mnist, train_step


def epoch_of(training, loader=None):
    for images, labels in training.train if loader is None else loader:
        loss = train_step(training.model, training.optimizer, images, labels)
        training.stepped(loss)


def missing(training):
    """Are the steps of the next epoch still to be made?"""
    return training.train.epoch == len(training.results)


def test(training, loader=None):
    training.evaluated(*evaluate(training.model, loader or training.test))


@mutant(train_mnist, "one_more")
def _(training, epochs):
    while len(training.results) <= epochs:
        if missing(training):
            epoch_of(training)
        test(training)
    return training.results


@mutant(train_mnist, "one_less")
def _(training, epochs):
    while len(training.results) < epochs - 1:
        if missing(training):
            epoch_of(training)
        test(training)
    return training.results


@mutant(train_mnist, "at_end")
def _(training, epochs):
    while training.train.epoch < epochs:
        epoch_of(training)
    if len(training.results) < epochs:
        test(training)
    return training.results


@mutant(train_mnist, "every_step")
def _(training, epochs):
    while training.train.epoch < epochs:
        for images, labels in training.train:
            loss = train_step(training.model, training.optimizer, images, labels)
            training.stepped(loss)
            test(training)
    return training.results


@mutant(train_mnist, "never_evaluated")
def _(training, epochs):
    while training.train.epoch < epochs:
        epoch_of(training)
        evaluate(training.model, training.test)
    return training.results


@mutant(train_mnist, "never_stepped")
def _(training, epochs):
    while len(training.results) < epochs:
        if missing(training):
            for images, labels in training.train:
                train_step(training.model, training.optimizer, images, labels)
        test(training)
    return training.results


@mutant(train_mnist, "on_train")
def _(training, epochs):
    while len(training.results) < epochs:
        epoch_of(training)
        test(training, training.train)
    return training.results


@mutant(train_mnist, "trains_on_test")
def _(training, epochs):
    while len(training.results) < epochs:
        epoch_of(training, training.test)
        test(training)
    return training.results


@mutant(train_mnist, "cached")
def _(training, epochs):
    batches = list(training.train)
    while len(training.results) < epochs:
        epoch_of(training, batches)
        test(training)
    return training.results


@mutant(train_mnist, "from_zero")
def _(training, epochs):
    for _ in range(epochs):
        if missing(training):
            epoch_of(training)
        test(training)
    return training.results


@mutant(train_mnist, "trains_again")
def _(training, epochs):
    while len(training.results) < epochs:
        epoch_of(training)
        test(training)
    return training.results


@mutant(train_mnist, "trains_again", "a range from where it stood")
def _(training, epochs):
    for _ in range(len(training.results), epochs):
        epoch_of(training)
        test(training)
    return training.results


@mutant(train_mnist, "left_in_eval")
def _(training, epochs):
    while len(training.results) < epochs:
        if missing(training):
            epoch_of(training)
        training.model.eval()
        test(training)
    return training.results


@mutant(train_mnist, "gathered")
def _(training, epochs):
    while len(training.results) < epochs:
        if missing(training):
            epoch_of(training, list(training.train))
        test(training)
    return training.results


@mutant(train_mnist, "not_returned")
def _(training, epochs):
    while len(training.results) < epochs:
        if missing(training):
            epoch_of(training)
        test(training)


@right(train_mnist, "counted by a range")
def _(training, epochs):
    for epoch in range(len(training.results), epochs):
        if training.train.epoch <= epoch:
            epoch_of(training)
        test(training)
    return training.results


@right(train_mnist, "what is missing first")
def _(training, epochs):
    if training.train.epoch > len(training.results):
        training.evaluated(*evaluate(training.model, training.test))
    while len(training.results) < epochs:
        training.model.train()
        epoch_of(training)
        loss, accuracy = evaluate(training.model, training.test)
        training.evaluated(loss, accuracy)
    return training.results


@right(train_mnist, "all by hand")
def _(training, epochs):
    model, optimizer = training.model, training.optimizer
    while len(training.results) < epochs:
        if missing(training):
            for batch in training.train:
                optimizer.zero_grad()
                loss = functional.nll_loss(model(batch[0]), batch[1])
                loss.backward()
                optimizer.step()
                training.stepped(loss.item())
        loss = count = n = 0
        model.eval()
        with no_grad():
            for x, t in training.test:
                y = model(x)
                loss += functional.nll_loss(y, t).item() * len(t)
                count += int((y.argmax(1) == t).sum().item())
                n += len(t)
        model.train()
        training.evaluated(loss / n, count / n)
    return training.results
