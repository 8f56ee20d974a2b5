"""Mistakes with data sets, loaders and the files of MNIST: each is explained."""

from pathlib import Path

import numpy as np
import pytest
from answers import filled  # noqa: F401
from table import table
from test_data import published  # noqa: F401

import minigrad
from minigrad import data
from minigrad.data import mnist


class Items:
    """A data set of the items of a list."""

    def __init__(self, *items):
        self.items = items

    def __len__(self):
        return len(self.items)

    def __getitem__(self, index):
        return self.items[index]


class Unending:
    def __getitem__(self, index):
        return (index,)


def loader(**options):
    return data.DataLoader(Items(*range(6)), **{"batch_size": 2, **options})


# what is written | error | words of its message
MISTAKES = """
loader(batch_size="a")     | ValueError | batch_size should be a positive .* got 'a'
loader(batch_size=True)    | ValueError | positive integer value, but got True
loader(batch_size=None)    | ValueError | positive integer value, but got None
loader(batch_size=2.0)     | ValueError | positive integer value, but got 2.0
loader(batch_size=[2])     | ValueError | positive integer value
loader(shuffle="yes")      | ValueError | shuffle is True or False, not 'yes'
loader(drop_last="no")     | ValueError | drop_last should be a boolean value.*'no'
loader(prefetch="x")       | ValueError | prefetch is a whole number, at least 1, not 'x'
loader(prefetch=0)         | ValueError | prefetch .* not 0
loader(prefetch=2.5)       | ValueError | prefetch .* not 2.5
loader(seed="a")           | ValueError | seed is a whole number, at least 0, not 'a'
loader(seed=True)          | ValueError | seed is a whole number.* not True
loader().load_state_dict({})                   | ValueError | whole number 'seed'
loader().load_state_dict("here.safetensors")   | ValueError | what state_dict.. returned
loader().load_state_dict({"seed": 1, "epoch": 0, "batch": -1}) | ValueError | 'batch'
data.DataLoader(Unending())    | TypeError | this Unending has no len
data.DataLoader({1, 2})        | TypeError | this set has no items by their number
data.DataLoader(3)             | TypeError | this int has no len
list(data.DataLoader(Items((1, 2), (3,)), 2))   | RuntimeError | items .0, 1. have .2, 1.
list(data.DataLoader(Items(ones(2), ones(3)), 2)) | RuntimeError | got .2. at .* .3. at entry 1
list(data.DataLoader(Items((ones(2), 1), (2, 1)), 2)) | RuntimeError | items 0 and 1
data.TensorDataset()           | ValueError | takes tensors, one at least
data.TensorDataset([1, 2])     | TypeError | 'tensor 1' must be Tensor, not list
data.TensorDataset(ones(2), np.ones(2)) | TypeError | 'tensor 2' .* not ndarray: minigrad.ten
data.TensorDataset(ones(2), ones(3))    | ValueError | same first dimension, not .2, 3.
data.MNIST(train=None)         | ValueError | train is True or False, not None
data.MNIST(train="test")       | ValueError | train is True or False, not 'test'
data.MNIST(3)                  | TypeError | root is the path of a folder, not 3
data.digits("x")               | ValueError | train is True, False or None, not 'x'
"""  # noqa: E501
NAMES = {"data": data, "Items": Items, "Unending": Unending, "loader": loader,
         "ones": minigrad.ones, "np": np}  # fmt: skip


@table("line", MISTAKES.strip().split("\n"))
def test_a_mistake_is_reported(line):
    text, error, words = map(str.strip, line.split(" | "))
    with pytest.raises(Exception, match=words) as caught:
        eval(text, NAMES)
    assert caught.type.__name__ == error


def test_a_list_is_an_item_of_several_parts():
    torch = pytest.importorskip("torch", reason="not run: loaders (need torch)")
    for loader in data.DataLoader, torch.utils.data.DataLoader:
        (batch,) = loader(Items([1, 2], [3, 4]), 2)
        assert [part.tolist() for part in batch] == [[1, 3], [2, 4]]


def test_loaders_beside_and_inside_each_other():
    one, other = loader(), loader(shuffle=True, seed=0)
    pairs = [(a[0].tolist(), b[0].tolist()) for a, b in zip(one, other, strict=True)]
    assert [a for a, _ in pairs] == [[0, 1], [2, 3], [4, 5]]
    assert sorted(sum((b for _, b in pairs), [])) == [*range(6)]
    nested = [(a[0].tolist(), b[0].tolist()) for a in one for b in one]
    assert nested == [([i, i + 1], [j, j + 1]) for i in (0, 2, 4) for j in (0, 2, 4)]


# ------------------------------------------------- the files of MNIST


@pytest.fixture
def folder(published, monkeypatch):  # noqa: F811
    """A folder with the four files, and no network."""
    monkeypatch.setattr(mnist, "MIRRORS", ())
    return published


def refusal(root, **options):
    with pytest.raises(data.DataMissing, match="Three ways to get MNIST") as caught:
        data.MNIST(root, **options)
    return str(caught.value).split(", and it was")[0]


def named(train, what):
    return mnist.FILES[train, what].name


def test_a_root_that_is_no_folder(folder, tmp_path):
    file = tmp_path / "file"
    file.write_text("x")
    assert f"is not in {file} (a file, no folder), nor elsewhere" in refusal(file)
    assert f"(there is no folder {tmp_path / 'no'})" in refusal(tmp_path / "no")
    (folder / named(True, "labels")).unlink()
    assert refusal(folder) == (
        f"{named(True, 'labels')} of MNIST is not in {folder}, nor elsewhere on this "
        "computer"
    )
    assert len(data.MNIST(folder, train=False)) > 0


def test_files_that_were_swapped(folder):
    images, labels = (folder / named(True, what) for what in ("images", "labels"))
    content = images.read_bytes()
    images.write_bytes(labels.read_bytes())
    labels.write_bytes(content)
    said = refusal(folder)
    assert said == f"{images} is {labels.name}, under another name"


def test_files_without_bytes_or_leave_to_read(folder, monkeypatch):
    images = folder / named(True, "images")

    def locked(path):
        raise PermissionError(13, "Permission denied")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "read_bytes", locked)
        assert refusal(folder) == f"{images} cannot be read (Permission denied)"
        patch.setattr(Path, "is_file", locked)
        assert f"{folder} cannot be read (Permission denied)" in refusal(folder)
    images.write_bytes(b"")
    assert refusal(folder) == f"{images} is empty"


def test_a_dataset_of_ones_own():
    class Squares(data.Dataset):
        def __len__(self):
            return 3

        def __getitem__(self, i):
            return minigrad.tensor([i * i]), i

    batches = list(data.DataLoader(Squares(), batch_size=2))
    assert [b.tolist() for b in batches[0]] == [[[0], [1]], [0, 1]]
    assert [b.tolist() for b in batches[1]] == [[[4]], [2]]


@pytest.mark.parametrize("transform", [None, lambda x: x / 10])
@pytest.mark.parametrize("batched", [False, True])
def test_a_dataset_keeps_its_transform_to_itself(transform, batched):
    class Images(data.Dataset):
        def __init__(self):
            self.x, self.transform = np.arange(1, 7, dtype=np.float32), transform

        def __len__(self):
            return 6

        def __getitem__(self, i):
            return self.transform(self.x[i]) if self.transform else self.x[i]

    class Batched(Images):  # as PyTorch's own data sets have it: a list of items
        def __getitems__(self, indices):
            return [self[i] for i in indices]

    (x,) = next(iter(data.DataLoader((Batched if batched else Images)(), 3)))
    scale = 10 if transform else 1
    assert np.allclose(x.numpy(), np.array([1, 2, 3]) / scale)


def test_a_dataset_that_lacks_a_method_names_it():
    class Half(data.Dataset):
        def __len__(self):
            return 3

    with pytest.raises(NotImplementedError, match="Dataset has no __len__"):
        len(data.Dataset())
    with pytest.raises(NotImplementedError, match="Half has no __getitem__"):
        next(iter(data.DataLoader(Half())))
    assert isinstance(data.TensorDataset(minigrad.ones(1)), data.Dataset)
