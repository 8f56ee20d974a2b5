"""Data sets: the format, where files are found, what is wrong with them; batches."""

import functools
import gzip
import hashlib
import http.server
import struct
import sys
import threading

import numpy as np
import pytest
from answers import filled  # noqa: F401
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import minigrad
from minigrad import data
from minigrad.data import files, mnist


def idx(array):
    """The bytes of an IDX file."""
    head = bytes([0, 0, 8, array.ndim]) + struct.pack(f">{array.ndim}I", *array.shape)
    return head + array.tobytes()


# ------------------------------------------------- the format


@given(arrays(np.uint8, st.tuples(*[st.integers(0, 4)] * 3)))
def test_an_array_comes_back(array):
    got = data.read_idx(idx(array))
    assert got.dtype == np.uint8 and got.shape == array.shape
    assert np.array_equal(got, array)


@pytest.mark.parametrize(
    "wrong, says",
    [
        (b"", "not an IDX file"),
        (b"PK\x03\x04abcd", "not an IDX file"),
        (b"\0\0\x0d\x01\0\0\0\x01abcd", "type 0x0d"),
        (b"\0\0\x08\x02\0\0\0\x02", "has 8 bytes instead of 12"),
        (b"\0\0\x08\x01\0\0\0\x02a", "has 9 bytes instead of 10"),
        (b"\0\0\x08\x01\0\0\0\x02abc", "has 11 bytes instead of 10"),
    ],
)
def test_other_bytes_are_refused(wrong, says):
    with pytest.raises(ValueError, match=says):
        data.read_idx(wrong)


# ------------------------------------------------- files


@pytest.fixture
def published(tmp_path, monkeypatch):
    """A small MNIST, on a server of this test's; the folder that is served."""
    served, random = tmp_path / "served", np.random.default_rng(0)
    served.mkdir()
    small = {}
    for (train, what), file in mnist.FILES.items():
        n = 50 if train else 20
        size = (n, 28, 28) if what == "images" else (n,)
        content = idx(random.integers(0, 10, size, dtype=np.uint8))
        packed = gzip.compress(content)
        (served / file.name).write_bytes(packed)
        sha256 = hashlib.sha256(content).hexdigest()
        small[train, what] = files.File(file.name, sha256, len(packed))
    monkeypatch.setattr(mnist, "FILES", small)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("MINIGRAD_DATA", raising=False)
    handler = functools.partial(Quiet, directory=served)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}/"
    monkeypatch.setattr(mnist, "MIRRORS", (address + "not-there/", address))
    yield served
    server.shutdown()
    server.server_close()


class Quiet(http.server.SimpleHTTPRequestHandler):
    asked = 0

    def log_message(self, *args):
        type(self).asked += 1


def test_files_are_downloaded_once(published, capsys):
    first = data.MNIST(train=False)
    assert len(first) == 20 and first.images.shape == (20, 28, 28)
    asked = Quiet.asked
    assert np.array_equal(data.MNIST(train=False).images, first.images)
    assert Quiet.asked == asked
    assert "t10k-images" in capsys.readouterr().out
    left = {p.name for p in (files.cache() / "mnist").iterdir()}
    assert left == {f.name for (train, _), f in mnist.FILES.items() if not train}


@pytest.mark.parametrize("where", ["root", "root/mnist", "MINIGRAD_DATA", "unpacked"])
def test_files_are_found(published, where, tmp_path, monkeypatch):
    monkeypatch.setattr(mnist, "MIRRORS", ())
    folder, root = tmp_path / "here", None
    if where == "MINIGRAD_DATA":
        monkeypatch.setenv("MINIGRAD_DATA", str(folder))
    else:
        root = folder
    lies = folder / "mnist" if where == "root/mnist" else folder
    lies.mkdir(parents=True)
    for path in published.iterdir():
        content = path.read_bytes()
        if where == "unpacked":
            (lies / path.stem).write_bytes(gzip.decompress(content))
        else:
            (lies / path.name).write_bytes(content)
    assert len(data.MNIST(root)) == 50


@pytest.mark.slow
@pytest.mark.parametrize(
    "spoil, says",
    [
        (lambda b: b[:-10], "is cut off"),
        (lambda b: b[:40] + b"????" + b[44:], "is damaged|checksum differs"),
        (lambda b: b"<html>not found</html>", "checksum differs"),
        (lambda b: b"", "is empty"),
        (lambda b: gzip.compress(idx(np.ones(50, np.uint8))), "checksum differs"),
    ],
)
def test_a_damaged_file_is_named_and_fetched_again(published, capsys, spoil, says):
    name = "train-labels-idx1-ubyte.gz"
    good, path = data.MNIST(), files.cache() / "mnist" / name
    path.write_bytes(spoil(path.read_bytes()))
    capsys.readouterr()
    assert np.array_equal(data.MNIST().labels, good.labels)
    said = capsys.readouterr().out
    assert str(path) in said and "fetching it again" in said
    with pytest.raises(files.Damaged, match=says):
        files.checked(mnist.FILES[True, "labels"], spoiled(path, spoil))


def spoiled(path, spoil):
    path.write_bytes(spoil(path.read_bytes()))
    return path


def test_a_mirror_with_other_bytes_is_not_believed(published):
    for path in published.iterdir():
        path.write_bytes(path.read_bytes()[:-50])
    with pytest.raises(data.DataMissing, match="is cut off"):
        data.MNIST()
    assert [*(files.cache() / "mnist").iterdir()] == []


def test_without_a_network(published, monkeypatch):
    monkeypatch.setattr(mnist, "MIRRORS", ("http://127.0.0.1:9/",))
    with pytest.raises(data.DataMissing) as caught:
        data.MNIST()
    said = str(caught.value)
    for part in ("127.0.0.1:9", "MINIGRAD_DATA", "train-images", "digits()", "  3. "):
        assert part in said
    with pytest.raises(data.DataMissing, match="download=False"):
        data.MNIST(download=False)


def test_an_item_of_mnist(published):
    digits = data.MNIST(train=False)
    image, label = digits[3]
    assert image.shape == (1, 28, 28) and image.dtype == minigrad.float32
    assert label.item() == digits.labels[3] and label.dtype == minigrad.int64
    expected = (digits.images[3] / 255 - 0.1307) / 0.3081
    assert np.allclose(image.numpy()[0], expected, atol=1e-6)
    batch = next(iter(data.DataLoader(digits, 4)))
    assert batch[0].shape == (4, 1, 28, 28)
    assert np.array_equal(batch[0].numpy()[3], image.numpy())


# ------------------------------------------------- batches


class Squares:
    """A data set of Python numbers, without __getitems__."""

    def __init__(self, n=10):
        self.n = n

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        return i, i * 0.5


def seen(loader):
    return [batch[0].tolist() for batch in loader]


def test_batches_in_order():
    assert seen(data.DataLoader(Squares(), 4)) == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9]]
    assert seen(data.DataLoader(Squares(), 4, drop_last=True)) == [
        [0, 1, 2, 3], [4, 5, 6, 7]
    ]  # fmt: skip
    whole, half = next(iter(data.DataLoader(Squares(), 3)))
    assert whole.dtype == minigrad.int64 and half.dtype == minigrad.float32
    assert half.tolist() == [0, 0.5, 1]


@given(st.integers(0, 40), st.integers(1, 12), st.booleans(), st.integers(0, 2**40))
def test_an_epoch_is_a_permutation(n, size, drop_last, seed):
    loader = data.DataLoader(Squares(n), size, True, drop_last, seed=seed)
    epochs = [sum(seen(loader), []) for _ in range(2)]
    for epoch in epochs:
        assert len(set(epoch)) == len(epoch) == (n - n % size if drop_last else n)
    assert len(loader) == len(seen(loader))


def test_orders():
    def epochs(seed):
        loader = data.DataLoader(Squares(100), 100, True, seed=seed)
        return [seen(loader)[0] for _ in range(3)]

    assert epochs(1) == epochs(1)
    different = {tuple(order) for seed in (1, 2) for order in epochs(seed)}
    assert len(different) == 6
    minigrad.manual_seed(5)
    first = data.DataLoader(Squares(), shuffle=True).seed
    second = data.DataLoader(Squares(), shuffle=True).seed
    minigrad.manual_seed(5)
    assert data.DataLoader(Squares(), shuffle=True).seed == first != second


@pytest.mark.parametrize("stop", range(8))
def test_a_loader_goes_on_where_it_stood(stop):
    def new():
        return data.DataLoader(Squares(10), 3, True, seed=4)

    def forever(loader):
        while True:
            yield from seen_one_by_one(loader)

    straight = forever(new())
    expected = [next(straight) for _ in range(12)]
    cut = new()
    running = forever(cut)
    got = [next(running) for _ in range(stop)]
    after = new()
    after.load_state_dict(cut.state_dict())
    going = forever(after)
    assert got + [next(going) for _ in range(12 - stop)] == expected


def seen_one_by_one(loader):
    for batch in loader:
        yield batch[0].tolist()


def test_tensors_as_a_data_set():
    x, y = minigrad.arange(12).view(6, 2), minigrad.arange(6)
    pairs = data.TensorDataset(x, y)
    assert [pairs[2][0].tolist(), pairs[2][1].item()] == [[4, 5], 2]
    assert seen(data.DataLoader(pairs, 4)) == [
        [[0, 1], [2, 3], [4, 5], [6, 7]], [[8, 9], [10, 11]]
    ]  # fmt: skip
    with pytest.raises(ValueError, match=r"\[6, 5\]"):
        data.TensorDataset(x, y[:5])


@pytest.mark.parametrize("size", [0, -1, 2.5])
def test_a_wrong_batch_size(size):
    with pytest.raises(ValueError, match=f"got {size}"):
        data.DataLoader(Squares(), size)


@pytest.mark.parametrize("seed", [-1, 0.5])
def test_a_wrong_seed(seed):
    with pytest.raises(ValueError, match=f"at least 0, not {seed}"):
        data.DataLoader(Squares(), seed=seed)


@pytest.mark.parametrize("device", ["sim", "cuda"])
def test_batches_on_a_device(device):
    if device == "cuda" and not minigrad.gpu_available():
        pytest.skip("not run: needs a GPU")
    loader = data.DataLoader(Squares(500), 7, True, seed=1, device=device)
    on_cpu = data.DataLoader(Squares(500), 7, True, seed=1)
    for here, there in zip(on_cpu, loader, strict=True):
        assert there[0].device == device
        assert [x.tolist() for x in there] == [x.tolist() for x in here]


def ten(**options):
    return data.DataLoader(data.TensorDataset(minigrad.arange(10)), 4, **options)


def items(loader):
    return [batch.tolist() for (batch,) in loader]


def test_each_iteration_begins_anew():
    loader, whole = ten(), [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9]]
    assert next(iter(loader))[0].tolist() == next(iter(loader))[0].tolist() == whole[0]
    assert [items(loader) for _ in loader] == [whole] * 3  # within another one
    for _ in loader:
        break
    assert items(loader) == whole
    for _ in loader:
        loader.keep_place()
        break
    assert items(loader) == whole[1:]
    assert items(loader) == whole


def test_a_state_is_of_batches_of_one_size():
    state = ten().state_dict() | {"batch_size": 8}
    with pytest.raises(ValueError, match="batch_size=4, but the one .* batch_size=8"):
        ten().load_state_dict(state)


@pytest.mark.skipif(minigrad.gpu_available(), reason="not run: no GPU (there is one)")
def test_a_loader_for_a_gpu_says_that_there_is_none(monkeypatch):
    monkeypatch.setitem(sys.modules, "cupy", None)
    with pytest.raises(RuntimeError, match="needs an NVIDIA GPU and CuPy"):
        ten(device="cuda")
