"""An index that chooses no element: an IndexError on every device, and nothing lost."""

import numpy as np
import pytest
from answers import filled  # noqa: F401
from both import on_devices

import minigrad
from minigrad import faults
from minigrad import functional as F  # noqa: N812

pytestmark = pytest.mark.usefixtures("filled")


def choices(device):
    x = minigrad.arange(12.0).view(3, 4).to(device)
    far = minigrad.tensor([[0, 7]]).to(device)
    below = minigrad.tensor([[-2, 1]]).to(device)
    yield lambda: x.gather(1, far), "index 7 .* size 4"
    yield lambda: x.gather(1, below), "index -2 .* size 4"
    yield lambda: x[[0, 1], [1, 5]], "index 5 .* size 4"
    yield lambda: x[far[0]], "index 7 .* size 3"
    yield lambda: x.index_select(0, far[0]), "index 7 .* size 3"
    yield lambda: F.embedding(far, x), "index 7 .* size 3"


@on_devices
@pytest.mark.parametrize("number", range(6))
def test_an_index_out_of_bounds(number, device):
    call, match = [*choices(device)][number]
    with pytest.raises(IndexError, match=match):
        call().tolist()
    assert minigrad.arange(3.0).to(device).sum().item() == 3  # the device goes on


@on_devices
def test_writing_out_of_bounds(device):
    x = minigrad.zeros(3, 4).to(device)
    with pytest.raises(IndexError, match="index 5 .* size 3"):
        x[[1, 5]] = minigrad.ones(2, 4).to(device)
        x.tolist()
    assert x[2].tolist() == [0] * 4


@on_devices
@pytest.mark.parametrize("target", [4, -1])
@pytest.mark.parametrize("reduction", ["mean", "none"])
def test_a_target_out_of_bounds(target, reduction, device):
    x = minigrad.zeros(3, 4).to(device).requires_grad_()
    t = minigrad.tensor([0, target, 1]).to(device)
    with pytest.raises(IndexError, match=f"Target {target} is out of bounds"):
        loss = F.cross_entropy(x, t, reduction=reduction)
        loss.sum().item()
    good = minigrad.tensor([0, 3, 1]).to(device)
    assert F.cross_entropy(x, good).item() == pytest.approx(np.log(4), 1e-5)


@on_devices
def test_a_mistake_is_reported_once(device):
    x = minigrad.zeros(3).to(device)
    with pytest.raises(IndexError):
        x.gather(0, minigrad.tensor([3]).to(device)).tolist()
    faults.check(device)
    minigrad.synchronize()


def test_a_gpu_says_that_it_may_have_been_an_earlier_line(monkeypatch):
    note = np.array([faults.BAD_TARGET, 12, 10])
    monkeypatch.setitem(faults._notes, "cuda", note)
    with pytest.raises(IndexError, match="Target 12 .* 10 classes; .* earlier line"):
        faults.check("cuda")
    assert not note.any()
    faults.check("cuda")
