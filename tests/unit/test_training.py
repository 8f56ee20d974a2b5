"""Trainings: beside PyTorch's, stopped anywhere, and kept in files."""

import math
import re
import runpy
import sys

import numpy as np
import pytest
from answers import filled  # noqa: F401

import minigrad
from minigrad import course, data, dtypes, nn, optim, safetensors, training
from minigrad.models import ConvNet
from minigrad.training import checkpoint

torch = pytest.importorskip("torch", reason="not run: trainings (need torch)")


# ------------------------------------------------- files


def test_a_state_comes_back(tmp_path):
    state = {
        "model": {"a.weight": minigrad.arange(6).view(2, 3), "b/c": minigrad.ones(0)},
        "optimizer": {"state": {0: {"step": 3, "m": minigrad.ones(2)}, 10: {}}},
        "numbers": [1, 2.5, -math.inf, 0.1 + 0.2, 2**70, True, None, "ü/\n"],
        "empty": [{}, [], ""],
    }
    path = tmp_path / "new folder" / "state.safetensors"
    checkpoint.save(state, path)
    got = checkpoint.load(path)
    assert got["numbers"] == state["numbers"] and got["empty"] == state["empty"]
    assert got["optimizer"]["state"].keys() == {0, 10}
    assert got["model"]["a.weight"].tolist() == [[0, 1, 2], [3, 4, 5]]
    assert got["model"]["b/c"].shape == (0,)
    assert [p.name for p in path.parent.iterdir()] == [path.name]


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float64", "int64", "bool_"])
def test_every_dtype_comes_back(tmp_path, dtype):
    x = minigrad.tensor([0, 1, 1], dtype=getattr(dtypes, dtype))
    checkpoint.save([x], tmp_path / "x")
    [got] = checkpoint.load(tmp_path / "x")
    assert got.dtype == x.dtype and got.tolist() == x.tolist()


def test_what_cannot_be_saved_leaves_the_file_as_it_was(tmp_path):
    path = tmp_path / "x"
    checkpoint.save({"a": 1}, path)
    with pytest.raises(TypeError, match="^b/0 is a object: a checkpoint holds"):
        checkpoint.save({"b": [object()]}, path)
    with pytest.raises(TypeError, match="^the state is a Linear: .* state_dict.."):
        checkpoint.save(nn.Linear(1, 1), path)
    assert checkpoint.load(path) == {"a": 1} and len(list(tmp_path.iterdir())) == 1


def test_a_write_that_fails_leaves_the_file_as_it_was(tmp_path, monkeypatch):
    path = tmp_path / "x"
    checkpoint.save({"a": 1}, path)

    def full(tensors, filename):
        with open(filename, "w") as file:
            file.write("half")
        raise OSError("No space left on device")

    monkeypatch.setattr(checkpoint, "save_file", full)
    with pytest.raises(OSError, match="No space"):
        checkpoint.save({"a": 2}, path)
    assert checkpoint.load(path) == {"a": 1} and len(list(tmp_path.iterdir())) == 1


def test_files_that_are_no_states(tmp_path):
    path = tmp_path / "x"
    safetensors.save_file({"a": minigrad.ones(2)}, path)
    with pytest.raises(ValueError, match="holds tensors, but no state"):
        checkpoint.load(path)
    checkpoint.save({"a": minigrad.ones(200)}, path)
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(ValueError, match="damaged"):
        checkpoint.load(path)


# ------------------------------------------------- trainings


def new(path=None, every=3, watch=lambda training: None, device="cpu", seed=0):
    """A small training with dropout, batch norm, Adam, and a last batch of 4."""
    minigrad.manual_seed(seed)
    x, labels = data.digits()[:2]
    pairs = data.TensorDataset(minigrad.tensor(x[:100]).float() / 16,
                               minigrad.tensor(labels[:100]).long())  # fmt: skip
    model = nn.Sequential(nn.Flatten(), nn.Linear(64, 16), nn.BatchNorm1d(16),
                          nn.ReLU(), nn.Dropout(0.3), nn.Linear(16, 10),
                          nn.LogSoftmax(1)).to(device)  # fmt: skip
    train = data.DataLoader(pairs, 16, shuffle=True, seed=3, device=device)
    test = data.DataLoader(pairs, 64, device=device)
    optimizer = optim.Adam(model.parameters(), lr=0.01)
    return training.Training(model, optimizer, train, test, path, every, watch)


class Killed(BaseException):
    pass


def kill(at):
    """A function that ends the training when it is called for the `at`-th time."""
    calls = iter(range(at))

    def watch(training):
        if next(calls, None) is None:
            raise Killed

    return watch


@pytest.fixture(scope="module")
def straight(filled):  # noqa: F811
    done = new()
    training.train_mnist(done, 2)
    return done


@pytest.mark.parametrize("stop", range(16))
def test_a_training_that_was_stopped_ends_with_the_same_numbers(
    straight, tmp_path, stop
):
    path = tmp_path / "state"
    with pytest.raises(Killed):  # of 2 epochs with 7 steps and an evaluation each
        training.train_mnist(new(path, watch=kill(stop)), 2)
    for _ in range(2):  # the second time there is nothing to do
        again = new(path, seed=9 if path.exists() else 0)
        assert training.train_mnist(again, 2) == straight.results
        assert len(again.losses) == 14
        assert list(map(float, again.losses)) == list(map(float, straight.losses))
        states = zip(again.model.state_dict().values(),
                     straight.model.state_dict().values(), strict=True)  # fmt: skip
        assert all(np.array_equal(a.numpy(), b.numpy()) for a, b in states)


def test_more_epochs_than_before(straight, tmp_path):
    path = tmp_path / "state"
    training.train_mnist(new(path), 1)
    assert training.train_mnist(new(path), 2) == straight.results
    assert new(path).seconds > 0


def test_what_is_watched(straight):
    seen = []
    done = new(watch=lambda t: seen.append((len(t.losses), len(t.results))))
    training.train_mnist(done, 2)
    assert seen == [*((n, 0) for n in range(1, 8)), (7, 1),
                    *((n, 1) for n in range(8, 15)), (14, 2)]  # fmt: skip
    assert straight.results[1][0] < straight.results[0][0] < math.log(10)


@pytest.mark.slow
@pytest.mark.parametrize("device", ["cpu", "sim", "cuda"])
def test_losses_equal_pytorchs(device):
    """ConvNet, the same weights and batches: 50 steps; 2 small ones in the simulator.

    On "sim" a step of one image takes seconds.
    """
    if device == "cuda" and not minigrad.gpu_available():
        pytest.skip("not run: needs a GPU")
    steps, size = (2, 1) if device == "sim" else (50, 8)
    random = np.random.default_rng(0)
    images = random.standard_normal((steps, size, 1, 28, 28)).astype(np.float32)
    labels = random.integers(0, 10, (steps, size))
    minigrad.manual_seed(1)
    ours, theirs = ConvNet(), TorchNet()
    theirs.load_state_dict(
        {k: torch.from_numpy(v.numpy().copy()) for k, v in ours.state_dict().items()}
    )
    ours.to(device)
    one = optim.SGD(ours.parameters(), lr=0.01, momentum=0.9)
    other = torch.optim.SGD(theirs.parameters(), lr=0.01, momentum=0.9)
    for x, y in zip(images, labels, strict=True):
        batch = (minigrad.tensor(a, device=device) for a in (x, y))
        loss = training.train_step(ours, one, *batch)
        other.zero_grad()
        expected = torch.nn.functional.nll_loss(
            theirs(torch.from_numpy(x)), torch.from_numpy(y)
        )
        expected.backward()
        other.step()
        assert loss.item() == pytest.approx(expected.item(), rel=1e-3)


@pytest.mark.slow
@pytest.mark.parametrize("how", [[], ["--jit"]])
def test_the_example_trains_shows_and_draws(filled, monkeypatch, tmp_path, capsys, how):  # noqa: F811
    def small(root, train):
        random, data = np.random.default_rng(train), object.__new__(mnist)
        count = 96 if train else 32
        data.labels = random.integers(0, 10, count, np.uint8)
        data.images = random.integers(0, 256, (count, 28, 28), np.uint8)
        return data

    mnist = data.MNIST
    monkeypatch.setattr(data, "MNIST", small)
    monkeypatch.setattr(minigrad, "answers_from", lambda *_: None)
    file, path = tmp_path / "learned.svg", course.home() / "examples/train_mnist.py"
    options = ["--epochs", "1", "--batch-size", "32", "--device", "cpu"]
    argv = [str(path), *options, "--picture", str(file), *how]
    monkeypatch.setattr(sys, "argv", argv)
    runpy.run_path(str(path), run_name="__main__")
    shown = capsys.readouterr().out
    assert re.search(r"step 1 of 3, epoch 1 of 1: loss \d\.\d{4}", shown)
    assert re.search(r"epoch 1: loss .*%.* on the test images", shown)
    assert "Of 32 test images" in file.read_text()


class TorchNet(torch.nn.Module):
    """ConvNet, of PyTorch's modules."""

    def __init__(self):
        super().__init__()
        self.conv1 = torch.nn.Conv2d(1, 32, 3, padding=1)
        self.conv2 = torch.nn.Conv2d(32, 64, 3, padding=1)
        self.fc1 = torch.nn.Linear(64 * 7 * 7, 128)
        self.fc2 = torch.nn.Linear(128, 10)

    def forward(self, x):
        F = torch.nn.functional
        x = F.max_pool2d(F.relu(self.conv1(x)), 2)
        x = F.max_pool2d(F.relu(self.conv2(x)), 2)
        return F.log_softmax(self.fc2(F.relu(self.fc1(x.flatten(1)))), 1)


def test_tensors_of_a_state_keep_their_names_apart(tmp_path):
    one, two, three = (minigrad.tensor([n]) for n in (1, 2, 3))
    state = {"state": one, "a/b": two, "a": {"b": three}}
    checkpoint.save(state, tmp_path / "state")
    result = checkpoint.load(tmp_path / "state")
    values = result["state"], result["a/b"], result["a"]["b"]
    assert [v.tolist() for v in values] == [[1], [2], [3]]


def test_what_is_no_training_is_reported(tmp_path):
    checkpoint.save({"model": {}}, tmp_path / "other")
    train = new().train
    for error, words, given in [
        (ValueError, "is no checkpoint of a Training", {"path": tmp_path / "other"}),
        (ValueError, "every is a number of steps, at least 1, not 0", {"every": 0}),
        (TypeError, "train is a DataLoader, not list", {"train": [1]}),
    ]:
        net = nn.Linear(1, 1)
        opt = optim.SGD(net.parameters(), lr=0.1)
        options = {"train": train, "test": train, **given}
        with pytest.raises(error, match=words):
            training.Training(net, opt, **options)


def test_a_file_of_tensors_is_made_of_a_dict(tmp_path):
    with pytest.raises(TypeError, match="as model.state_dict.. is, not Linear"):
        safetensors.save_file(nn.Linear(1, 1), tmp_path / "x")
    assert not [*tmp_path.iterdir()]
