"""What a classifier of digits has learned: its filters, and what it gets wrong."""

import numpy as np

from .draw.picture import Picture, style

WORST = 12  # images of the worst mistakes


def learned(weight, images, truth, logs):
    """Draw the first layer's filters, the confusion matrix and the worst mistakes.

    weight: (filters, 1, height, width), a convolution's. images: (N, height, width).
    truth: (N,), the right classes. logs: (N, classes), the logarithms of the
    probabilities that the network gives. Tensors of any device, or arrays.
    """
    weight, images, truth, logs = map(array, (weight, images, truth, logs))
    answers = logs.argmax(1)
    confused = np.zeros((logs.shape[1],) * 2, int)
    np.add.at(confused, (truth, answers), 1)
    wrong = np.flatnonzero(answers != truth)
    worst = wrong[np.argsort(logs[wrong, truth[wrong]], kind="stable")][:WORST]
    with style():
        from matplotlib.figure import Figure

        figure = Figure(figsize=(9, 6), layout="constrained")
        above, below = figure.subfigures(2, 1, height_ratios=(4.1, 2))
        left, right = above.subfigures(1, 2)
        filters(left, weight[:, 0])
        matrix(right, confused)
        mistakes(below, images[worst], truth[worst], answers[worst], logs[worst])
    return Picture(figure, alt_of(weight, confused, truth[worst], answers[worst]), True)


def array(x):
    x = x.detach().cpu() if hasattr(x, "detach") else x
    return np.asarray(x.numpy() if hasattr(x, "numpy") else x)


def filters(figure, weights):
    """Blue: positive weights; red: negative ones; the same scale for all."""
    figure.suptitle(f"the {len(weights)} filters of the first layer", fontsize=10)
    most = abs(weights).max()
    columns = int(np.ceil(len(weights) ** 0.5 * 1.4))
    axes = figure.subplots(-(-len(weights) // columns), columns, squeeze=False)
    for ax in axes.flat:
        ax.axis("off")
    for ax, weight in zip(axes.flat, weights, strict=False):
        ax.imshow(weight, cmap="RdBu", vmin=-most, vmax=most)


def matrix(figure, confused):
    """Row: the digit; column: what it was read as. Red: mistakes."""
    right = confused.trace() / max(1, confused.sum())
    title = f"{confused.sum():,} test images, {right:.2%} right"
    figure.suptitle(title, fontsize=10)
    ax, wrong = figure.subplots(), np.where(np.eye(len(confused)), 0, confused)
    ax.imshow(wrong, cmap="Reds", vmin=0, vmax=max(1, wrong.max()))
    for (row, column), count in np.ndenumerate(confused):
        dark = row != column and 2 * count > wrong.max()
        look = {"ha": "center", "va": "center", "color": "white" if dark else "black"}
        ax.text(column, row, count or "", fontsize=7, **look)
    ax.set_xticks(range(len(confused)))
    ax.set_yticks(range(len(confused)))
    ax.set_xlabel("read as")
    ax.set_ylabel("digit")


def mistakes(figure, images, truth, answers, logs):
    """The images whose right class was given the smallest probability."""
    title = "the worst mistakes: digit, what it was read as, and how sure"
    figure.suptitle(title if len(images) else "no mistake", fontsize=10)
    if not len(images):
        return
    axes = figure.subplots(2, -(-len(images) // 2), squeeze=False)
    for ax in axes.flat:
        ax.axis("off")
    shown = zip(axes.flat, images, truth, answers, logs, strict=False)
    for ax, image, digit, answer, log in shown:
        ax.imshow(image, cmap="gray_r")
        ax.set_title(f"{digit} as {answer}, {np.exp(log.max()):.0%}", fontsize=8)


def alt_of(weight, confused, truth, answers):
    right = confused.trace() / max(1, confused.sum())
    words = f"The {len(weight)} filters of the first layer. Of {confused.sum():,} test "
    words += f"images {right:.2%} are right."
    wrong = np.where(np.eye(len(confused)), 0, confused)
    if wrong.any():
        row, column = np.unravel_index(wrong.argmax(), wrong.shape)
        words += f" Most often {row} is read as {column}: {wrong.max()} times."
        pairs = ", ".join(f"{t} as {a}" for t, a in zip(truth, answers, strict=True))
        words += f" The worst mistakes: {pairs}."
    return words
