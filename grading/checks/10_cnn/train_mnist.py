"""train_mnist: the order of things, and what comes of them."""

import torch

from grading.checking.pairwise import pairwise
from grading.drivers.training import state_of, training_run
from grading.exercise import Check, Limits, close, drive
from minigrad.training import train_mnist

from .network import data_of, evaluated, network, one_thread, step, weights_of

NEVER = (
    "a step is made with training.test",
    "the model is evaluated on training.train",
)
PLACES = "epoch and batch that the loader stands at, after each step"
STEPPED = "what training.stepped gets"
MODES, AFTER = "in training at each step", "in training afterwards"


def run(random, epochs, *look, results=0, norm=False, n=7, **place):
    data = [*data_of(random, n), *data_of(random, 5)]
    orders = [random.sample(range(n), n) for _ in range(4)]
    before = [(2.0 - i / 2, 0.25 * i) for i in range(results)]
    how = {"epoch": 0, "batch": 0, "lr": 0.1, "size": 3, "norm": norm, **place}
    how |= {"data": data, "orders": orders, "results": before}
    return drive(
        training_run, epochs=epochs, look=look, weights=weights_of(random), **how
    )


def cases(random):
    for epochs in 2, 0:
        yield "the epochs", run(random, epochs, "work", "returned")
    yield "as PyTorch trains", run(random, 2, "losses", STEPPED, "results", "weights")
    yield "mode and place", run(random, 2, MODES, AFTER)
    yield "mode and place", run(random, 2, PLACES)
    yield "mode and place", run(random, 2, "losses", "weights", norm=True, n=8)
    for row in pairwise(
        random, more=(-1, 0, 1, 2), results=(0, 1, 2), steps=(0, 1, 2), n=(3, 4)
    ):
        steps = row.pop("steps")  # of an epoch, which has two
        row |= {"epoch": row["results"] + steps // 2, "batch": steps % 2, "size": 2}
        epochs = max(row["results"] + row.pop("more"), 0)
        if epochs <= row["results"] < row["epoch"]:
            continue  # whether that evaluation is made is open
        yield "a training goes on", run(random, epochs, "work", "returned", **row)


@one_thread()
def reference(
    data, orders, epochs, look, results, epoch, batch, weights, norm, lr, size
):
    model = network(weights, norm)
    optimizer = torch.optim.SGD(model.parameters(), lr)
    images, labels, *test = map(torch.tensor, data)
    results, work, places, losses = [*results], [], [], []
    while len(results) < epochs:
        if epoch == len(results):
            batches = torch.tensor(orders[epoch % len(orders)]).split(size)
            for number, items in enumerate(batches[batch:], batch + 1):
                model.train()
                losses.append(step(model, optimizer, images[items], labels[items]))
                last = number == len(batches)
                work.append(f"step on {' '.join(map(str, items.tolist()))}")
                places.append((epoch + 1, 0) if last else (epoch, number))
            epoch, batch = epoch + 1, 0
        results.append(evaluated(model, *test))
        work.append("evaluated on test")
    facts = {"work": work, "returned": [*results, (0.0, float(epochs))],
             "losses": losses, "results": results, "weights": state_of(model),
             STEPPED: ["a Tensor"] * len(losses),
             AFTER: True, MODES: [True] * len(losses), PLACES: places}  # fmt: skip
    return dict.fromkeys(NEVER, False) | {fact: facts[fact] for fact in look}


def describe(exercise, case):
    how = case.options
    return (
        f"train_mnist(training, {how['epochs']}); training: {len(how['orders'][0])} "
        f"items in batches of {how['size']}, {len(how['results'])} results, "
        f"train.epoch {how['epoch']}, train.batch {how['batch']}"
    )


check = Check(
    train_mnist,
    cases=cases,
    reference=reference,
    compare=close(1e-5, 1e-8),
    describe=describe,
    limits=Limits(seconds=2),
    not_tested="a model in eval mode: the contract speaks of one in training; and an "
    "evaluation that is missing where `epochs` have been evaluated",
)
