"""The picture of what a classifier has learned."""

import numpy as np
import pytest

from minigrad import viz

torch = pytest.importorskip("torch", reason="not run: a picture (needs torch)")


def test_filters_confusions_and_the_worst_mistakes():
    random = np.random.default_rng(0)
    truth = np.arange(20) % 10
    answers = np.where(np.arange(20) < 3, 9, truth)  # 0, 1 and 2 are read as 9
    logs = np.full((20, 10), -9.0)
    logs[np.arange(20), answers] = -0.1
    logs[1, 1] = -30  # the worst
    images = random.integers(0, 256, (20, 28, 28))
    weight = torch.rand(6, 1, 3, 3, requires_grad=True)
    picture = viz.learned(weight, images, truth, torch.tensor(logs))
    assert repr(picture) == (
        "The 6 filters of the first layer. Of 20 test images 85.00% are right. Most "
        "often 0 is read as 9: 1 times. The worst mistakes: 1 as 9, 0 as 9, 2 as 9."
    )
    texts = [t.get_text() for t in picture.figure.findobj(match=has_text)]
    assert "1 as 9, 90%" in texts and "20 test images, 85.00% right" in texts
    assert picture.svg().count("<svg") == 1


def has_text(artist):
    return hasattr(artist, "get_text")


def test_without_a_mistake():
    logs = np.log(np.full((2, 2), 0.1) + 0.8 * np.eye(2))
    picture = viz.learned(np.ones((1, 1, 3, 3)), np.zeros((2, 4, 4)), [0, 1], logs)
    assert "Of 2 test images 100.00% are right." in repr(picture)
    with pytest.raises(ValueError, match="svg or .png"):
        picture.save("learned.jpg")
