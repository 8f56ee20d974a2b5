"""Pictures of windows: each shows the cells that PyTorch's operators read."""

import numpy as np
import pytest
import torch
from pictures import texts

from minigrad import viz

pytestmark = pytest.mark.slow
IMAGE = np.arange(1.0, 31).reshape(5, 6)
HOW = [{}, {"stride": 2}, {"padding": 1}, {"dilation": 2, "padding": (2, 1)}]


def unfolded(kernel_size, **how):
    x = torch.from_numpy(IMAGE)[None, None]
    return torch.nn.functional.unfold(x, kernel_size, **how)[0]


@pytest.mark.parametrize("how", HOW, ids=str)
def test_a_window_reads_what_unfold_copies(how):
    columns = unfolded((3, 2), **how)
    for n in 0, columns.shape[1] - 1:
        high = torch.conv2d(torch.zeros(1, 1, 5, 6), torch.zeros(1, 1, 3, 2), **how)
        at = divmod(n, high.shape[3])
        read = ", ".join(f"{v:.3g}" for v in columns[:, n].tolist())
        assert f"reads {read}." in viz.windows(IMAGE, (3, 2), at=at, **how).alt
        assert (
            f"Column {n} holds {read}." in viz.columns(IMAGE, (3, 2), at=at, **how).alt
        )


def test_columns_draws_the_whole_matrix():
    said = texts(viz.columns(IMAGE, 3))
    for value in range(1, 31):
        times = int((unfolded(3) == value).sum())
        assert said[str(value)] >= times + 1  # and once in the image


def test_columns_marks_all_copies_of_an_element():
    for element in (0, 0), (1, 1), (2, 3):
        copies = int((unfolded(3) == IMAGE[element]).sum())
        alt = viz.columns(IMAGE, 3, element=element).alt
        assert alt.endswith(f"Copies of element {element}: {copies}.")


def test_overlaps_is_the_fold_of_ones():
    folded = torch.nn.functional.fold(torch.ones(1, 9, 12), (5, 6), 3)[0, 0]
    rows = "; ".join(" ".join(f"{v:.0f}" for v in row) for row in folded.tolist())
    assert viz.overlaps((5, 6), 3).alt.endswith(rows)


def test_pooling_marks_the_first_of_equal_ones():
    image = np.array([[1.0, 5, 2], [5, 3, 4], [0, 6, 6]])
    alt = viz.pooling(image, 2, stride=1).alt
    x = torch.from_numpy(image)[None, None]
    _, indices = torch.nn.functional.max_pool2d(x, 2, 1, return_indices=True)
    for n, index in enumerate(indices.flatten().tolist()):
        assert (
            f"Window {n} takes {image.flat[index]:.3g} from {divmod(index, 3)}." in alt
        )


def test_a_halo_is_read_as_often_as_its_windows_say():
    assert "8 x 8 elements, 324 times" in viz.halo(6, 3).alt


def test_what_cannot_be_drawn_says_why():
    with pytest.raises(ValueError, match=r"choose one, such as x\[0, 0\]"):
        viz.windows(np.zeros((1, 1, 4, 4)), 3)
    with pytest.raises(ValueError, match="a window of 9 x 9 does not fit"):
        viz.windows(IMAGE, 9)
    with pytest.raises(IndexError, match=r"3 x 4 elements; at=\(3, 0\) is not one"):
        viz.windows(IMAGE, 3, at=(3, 0))
