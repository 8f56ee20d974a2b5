"""The digits that come with the package, and checkpoints in the format safetensors."""

import json
import sys

import numpy as np
import pytest
from answers import filled  # noqa: F401

import minigrad
from minigrad import nn
from minigrad.data.digits import FILE
from minigrad.dtypes import DTYPES

torch = pytest.importorskip("torch", reason="not run: checkpoints (needs torch)")
package = pytest.importorskip(
    "safetensors.torch", reason="not run: checkpoints (needs safetensors)"
)


def test_the_digits_are_all_there():
    images, labels = minigrad.data.digits()
    assert images.shape == (1797, 8, 8) and labels.shape == (1797,)
    assert images.dtype == minigrad.float32 and labels.dtype == minigrad.int64
    assert images.min().item() == 0 and images.max().item() == 1
    counts = np.bincount(labels.numpy())
    assert counts.tolist() == [178, 182, 177, 183, 181, 182, 181, 179, 174, 180]
    assert FILE.stat().st_size < 100_000


def test_the_two_parts_are_the_whole_and_alike():
    images, labels = minigrad.data.digits()
    parts = [minigrad.data.digits(train) for train in (True, False)]
    assert [len(p[1]) for p in parts] == [1437, 360]
    for whole, number in ((images, 0), (labels, 1)):
        together = np.concatenate([part[number].numpy() for part in parts])
        np.testing.assert_array_equal(together, whole.numpy())
    for _, part in parts:
        share = np.bincount(part.numpy()) / len(part)
        assert share.min() > 0.09 and share.max() < 0.11


def test_the_first_digits_look_like_digits():
    images, labels = minigrad.data.digits(train=True)
    assert labels[:10].tolist() == [*range(10)]
    zero = images[0].numpy()
    assert zero[3:5, 3:5].sum() == 0 and zero.sum() > 15  # a ring


def test_the_digits_may_lie_on_a_device_and_be_written_to():
    images, _ = minigrad.data.digits(True, "sim")
    assert images.device == "sim"
    images.zero_()
    assert minigrad.data.digits(True)[0].max().item() == 1


# ---------------------------------------------------------------- safetensors


def of_each_dtype():
    return {
        d.name: minigrad.tensor([[0, 1, 2], [3, 5, 100]]).to(d)[:, 1:] for d in DTYPES
    } | {"number": minigrad.tensor(2.5), "nothing": minigrad.zeros(0, 3)}


def test_a_file_goes_there_and_back(tmp_path):
    saved = of_each_dtype()
    minigrad.save_file(saved, tmp_path / "a.safetensors", {"made by": "minigrad"})
    for device in ("cpu", "sim"):
        loaded = minigrad.load_file(tmp_path / "a.safetensors", device)
        assert set(loaded) == set(saved)
        for name, value in loaded.items():
            assert (value.device, value.dtype) == (device, saved[name].dtype)
            assert value.shape == saved[name].shape
            assert value.tolist() == saved[name].tolist()


def test_pytorch_reads_and_writes_the_same(tmp_path):
    saved, path = of_each_dtype(), tmp_path / "a.safetensors"
    minigrad.save_file(saved, path)
    loaded = package.load_file(path)
    assert set(loaded) == set(saved)
    for name, value in loaded.items():
        assert value.tolist() == saved[name].tolist()
        assert str(value.dtype) == f"torch.{saved[name].dtype.name}"
    package.save_file(loaded, path, {"format": "pt"})
    for name, value in minigrad.load_file(path).items():
        assert value.tolist() == saved[name].tolist()
        assert value.dtype == saved[name].dtype


def network(lib):
    return lib.nn.Sequential(
        lib.nn.Conv2d(1, 4, 3, padding=1),
        lib.nn.BatchNorm2d(4),
        lib.nn.ReLU(),
        lib.nn.Flatten(),
        lib.nn.Linear(4 * 64, 10),
    )


def test_checkpoints_go_from_pytorch_to_minigrad_and_back(tmp_path):
    ours, theirs, path = network(minigrad), network(torch), tmp_path / "net.safetensors"
    package.save_file(theirs.state_dict(), path)
    keys = ours.load_state_dict(minigrad.load_file(path))
    assert keys.missing_keys == keys.unexpected_keys == []
    nn.init.normal_(ours[4].weight)
    minigrad.save_file(ours.state_dict(), path)
    theirs.load_state_dict(package.load_file(path))
    for name, value in theirs.state_dict().items():
        assert ours.state_dict()[name].tolist() == value.tolist()


def whole(header, data=b""):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + data


ENTRY = {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "header too small"),
        (b"123", "header too small"),
        ((10**15).to_bytes(8, "little"), "header too large"),
        (whole(b"not json"), "invalid JSON in header"),
        (whole([1]), "invalid JSON in header"),
        (whole(b"[" * 100_000), "invalid JSON in header"),
        (whole({"a": {"dtype": "F32"}}), "missing field `shape`"),
        (whole({"a": {**ENTRY, "dtype": "F7"}}, bytes(8)), "unknown variant `F7`"),
        (whole({"a": {**ENTRY, "shape": [-2]}}, bytes(8)), "integer `-2`"),
        (whole({"a": {**ENTRY, "shape": [2.0]}}, bytes(8)), "floating point `2.0`"),
        (whole({"a": {**ENTRY, "shape": [3]}}, bytes(8)), "invalid shape"),
        (whole({"a": ENTRY, "b": ENTRY}, bytes(8)), "invalid offset for tensor"),
        (whole({"a": ENTRY}, bytes(4)), "file not fully covered"),
        (whole({"a": ENTRY}, bytes(9)), "file not fully covered"),
    ],
)
def test_a_damaged_file_says_so(tmp_path, content, words):
    path = tmp_path / "bad.safetensors"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=f"bad.safetensors is no .*{words}"):
        minigrad.load_file(path)


def test_a_type_that_minigrad_has_not_is_named(tmp_path):
    path = tmp_path / "a"
    path.write_bytes(whole({"x": {**ENTRY, "dtype": "U64", "shape": [1]}}, bytes(8)))
    with pytest.raises(ValueError, match="a: x is of the type U64; minigrad has F16,"):
        minigrad.load_file(path)


def test_what_is_loaded_can_be_written_to(tmp_path):
    minigrad.save_file({"x": minigrad.ones(2)}, tmp_path / "a")
    x = minigrad.load_file(tmp_path / "a")["x"]
    x[0] = 3
    assert x.tolist() == [3, 1]


def test_metadata_are_kept(tmp_path):
    minigrad.save_file({"x": minigrad.ones(2)}, tmp_path / "a", {"epoch": "3"})
    with package.safe_open(tmp_path / "a", "pt") as file:
        assert file.metadata() == {"epoch": "3"}


def test_without_the_library_the_error_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "safetensors", None)
    for call in minigrad.load_file, lambda path: minigrad.save_file({}, path):
        with pytest.raises(ImportError, match="not installed: pip install safetensors"):
            call(tmp_path / "a")


def test_only_tensors_are_saved(tmp_path):
    with pytest.raises(TypeError, match="'a' is no tensor, but a float"):
        minigrad.save_file({"a": 1.0}, tmp_path / "a")
