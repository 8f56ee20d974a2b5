"""Chapter 10, train_step and evaluate: wrong answers, and right ones."""

import minigrad
from grading.specimens import mutant, right
from minigrad import functional
from minigrad.autograd import no_grad
from minigrad.training import evaluate, train_step

# ------------------------------------------------------------ train_step


@mutant(train_step, "no_zero_grad")
def _(model, optimizer, images, labels):
    loss = functional.nll_loss(model(images), labels)
    loss.backward()
    optimizer.step()
    return loss.detach()


@mutant(train_step, "no_step")
def _(model, optimizer, images, labels):
    optimizer.zero_grad()
    loss = functional.nll_loss(model(images), labels)
    loss.backward()
    return loss.detach()


@mutant(train_step, "no_step", "zeroed between backward and step")
def _(model, optimizer, images, labels):
    loss = functional.nll_loss(model(images), labels)
    loss.backward()
    optimizer.zero_grad()
    optimizer.step()
    return loss.detach()


@mutant(train_step, "no_step", "the model does the loss under no_grad")
def _(model, optimizer, images, labels):
    optimizer.zero_grad()
    loss = functional.nll_loss(model(images).detach(), labels)
    optimizer.step()
    return loss


@mutant(train_step, "step_first")
def _(model, optimizer, images, labels):
    loss = functional.nll_loss(model(images), labels)
    optimizer.step()
    loss.backward()
    return loss.detach()


@mutant(train_step, "sum_of_all")
def _(model, optimizer, images, labels):
    optimizer.zero_grad()
    loss = functional.nll_loss(model(images), labels, reduction="sum")
    loss.backward()
    optimizer.step()
    return loss.detach()


@mutant(train_step, "sum_told")
def _(model, optimizer, images, labels):
    optimizer.zero_grad()
    loss = functional.nll_loss(model(images), labels)
    loss.backward()
    optimizer.step()
    return loss.detach() * len(labels)


@mutant(train_step, "after")
def _(model, optimizer, images, labels):
    optimizer.zero_grad()
    functional.nll_loss(model(images), labels).backward()
    optimizer.step()
    with no_grad():
        return functional.nll_loss(model(images), labels)


@mutant(train_step, "with_graph")
def _(model, optimizer, images, labels):
    optimizer.zero_grad()
    loss = functional.nll_loss(model(images), labels)
    loss.backward()
    optimizer.step()
    return loss


@mutant(train_step, "type", "a Python number")
def _(model, optimizer, images, labels):
    optimizer.zero_grad()
    loss = functional.nll_loss(model(images), labels)
    loss.backward()
    optimizer.step()
    return loss.item()


@mutant(train_step, "type", "a loss for each image")
def _(model, optimizer, images, labels):
    optimizer.zero_grad()
    losses = functional.nll_loss(model(images), labels, reduction="none")
    losses.mean().backward()
    optimizer.step()
    return losses.detach()


@mutant(train_step, "type", "nothing is returned")
def _(model, optimizer, images, labels):
    optimizer.zero_grad()
    functional.nll_loss(model(images), labels).backward()
    optimizer.step()


@mutant(train_step, "sets_train")
def _(model, optimizer, images, labels):
    model.train()
    optimizer.zero_grad()
    loss = functional.nll_loss(model(images), labels)
    loss.backward()
    optimizer.step()
    return loss.detach()


@mutant(train_step, "sets_eval")
def _(model, optimizer, images, labels):
    model.eval()
    optimizer.zero_grad()
    loss = functional.nll_loss(model(images), labels)
    loss.backward()
    optimizer.step()
    return loss.detach()


@right(train_step, "cross_entropy, for the softmax of a softmax's logarithm is itself")
def _(model, optimizer, images, labels):
    loss = functional.cross_entropy(model(images), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.detach()


@right(train_step, "zero_grad at the end")
def _(model, optimizer, images, labels):
    loss = functional.nll_loss(model(images), labels)
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    return loss.detach()


@right(train_step, "by a closure")
def _(model, optimizer, images, labels):
    def closure():
        model.zero_grad()
        loss = functional.nll_loss(model(images), labels)
        loss.backward()
        return loss

    return optimizer.step(closure).detach()


@right(train_step, "by hand: the mean of what is picked")
def _(model, optimizer, images, labels):
    optimizer.zero_grad()
    picked = functional.one_hot(labels, 4) * model(images)
    loss = -picked.sum(1).mean()
    loss.backward()
    optimizer.step()
    with no_grad():
        return loss.clone()


# ------------------------------------------------------------ evaluate


def measured(model, loader, reduction="sum", dim=1):
    """[(loss, how many are right, how many there are)] of the batches."""
    found = []
    for images, labels in loader:
        output = model(images)
        loss = functional.nll_loss(output, labels, reduction=reduction).item()
        right_ones = (output.argmax(dim) == labels).sum().item()
        found.append((loss, right_ones, len(labels)))
    return found


def careful(model, loader, **how):
    """The same in eval mode, without a graph, and the mode as it was."""
    before = model.training
    model.eval()
    with no_grad():
        found = measured(model, loader, **how)
    model.train(before)
    return found


def mean(found):
    losses, rights, counts = map(sum, zip(*found, strict=True))
    return losses / counts, rights / counts


@mutant(evaluate, "mean_of_means")
def _(model, loader):
    found = careful(model, loader, reduction="mean")
    losses = [loss for loss, _, _ in found]
    shares = [n / count for _, n, count in found]
    return sum(losses) / len(found), sum(shares) / len(found)


@mutant(evaluate, "loss_of_means")
def _(model, loader):
    found = careful(model, loader, reduction="mean")
    return sum(loss for loss, _, _ in found) / len(found), mean(found)[1]


@mutant(evaluate, "means_by_items")
def _(model, loader):
    return mean(careful(model, loader, reduction="mean"))


@mutant(evaluate, "by_batches")
def _(model, loader):
    found = careful(model, loader)
    losses, rights, _ = map(sum, zip(*found, strict=True))
    return losses / len(loader), rights / len(loader)


@mutant(evaluate, "share_by_batches")
def _(model, loader):
    found = careful(model, loader)
    return mean(found)[0], sum(n for _, n, _ in found) / len(loader)


@mutant(evaluate, "not_divided")
def _(model, loader):
    found = careful(model, loader)
    return sum(loss for loss, _, _ in found), mean(found)[1]


@mutant(evaluate, "count")
def _(model, loader):
    found = careful(model, loader)
    return mean(found)[0], sum(n for _, n, _ in found)


@mutant(evaluate, "percent")
def _(model, loader):
    loss, accuracy = mean(careful(model, loader))
    return loss, 100 * accuracy


@mutant(evaluate, "over_images")
def _(model, loader):
    return mean(careful(model, loader, dim=0))


@mutant(evaluate, "last_batch")
def _(model, loader):
    return mean(careful(model, loader)[-1:])


@mutant(evaluate, "last_share", "the count begins anew in each batch")
def _(model, loader):
    found = careful(model, loader)
    return mean(found)[0], mean(found[-1:])[1]


@mutant(evaluate, "swapped")
def _(model, loader):
    loss, accuracy = mean(careful(model, loader))
    return accuracy, loss


@mutant(evaluate, "stays_training")
def _(model, loader):
    with no_grad():
        return mean(measured(model, loader))


@mutant(evaluate, "leaves_eval")
def _(model, loader):
    model.eval()
    with no_grad():
        return mean(measured(model, loader))


@mutant(evaluate, "leaves_training")
def _(model, loader):
    model.eval()
    with no_grad():
        result = mean(measured(model, loader))
    model.train()
    return result


@mutant(evaluate, "records")
def _(model, loader):
    before = model.training
    result = mean(measured(model.eval(), loader))
    model.train(before)
    return result


@mutant(evaluate, "left_off")
def _(model, loader):
    before = model.training
    minigrad.set_grad_enabled(False)
    result = mean(measured(model.eval(), loader))
    model.train(before)
    return result


@mutant(evaluate, "type", "tensors are returned")
def _(model, loader):
    loss, accuracy = mean(careful(model, loader))
    return minigrad.tensor(loss), minigrad.tensor(accuracy)


@mutant(evaluate, "type", "the loss alone")
def _(model, loader):
    return mean(careful(model, loader))[0]


@right(evaluate, "sums, divided at the end")
def _(model, loader):
    return mean(careful(model, loader))


@right(evaluate, "by the size of the data set, as in PyTorch's tutorials")
def _(model, loader):
    before, loss, count = model.training, 0, 0
    model.eval()
    with no_grad():
        for images, labels in loader:
            output = model(images)
            loss += functional.nll_loss(output, labels).item() * len(images)
            count += (output.argmax(dim=1) == labels).float().sum().item()
    if before:
        model.train()
    return loss / len(loader.dataset), count / len(loader.dataset)


@right(evaluate, "all outputs in one")
def _(model, loader):
    before = model.training
    try:
        model.train(False)
        with minigrad.no_grad():
            pairs = [(model(x), t) for x, t in loader]
        output = minigrad.cat([y for y, _ in pairs])
        labels = minigrad.cat([t for _, t in pairs])
        right_ones = output.argmax(1) == labels
        loss = functional.nll_loss(output, labels)
        return float(loss), right_ones.float().mean().item()
    finally:
        model.train(before)
