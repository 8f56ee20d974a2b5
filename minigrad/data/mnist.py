"""MNIST: 70,000 handwritten digits of 28 x 28, by LeCun, Cortes and Burges."""

import contextlib
from pathlib import Path

from ..dtypes import float32
from ..ops.pointwise import mul, sub
from .files import Damaged, DataMissing, File, cache, places, unpacked
from .idx import read_idx
from .loader import Dataset

FILES = {  # (train?, what): the file
    (True, "images"): File(
        "train-images-idx3-ubyte.gz",
        "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db",
        9_912_422,
    ),
    (True, "labels"): File(
        "train-labels-idx1-ubyte.gz",
        "65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5",
        28_881,
    ),
    (False, "images"): File(
        "t10k-images-idx3-ubyte.gz",
        "0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7",
        1_648_877,
    ),
    (False, "labels"): File(
        "t10k-labels-idx1-ubyte.gz",
        "ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2",
        4_542,
    ),
}
MIRRORS = (
    "https://storage.googleapis.com/cvdf-datasets/mnist/",
    "https://ossci-datasets.s3.amazonaws.com/mnist/",
)
MEAN, STD = 0.1307, 0.3081  # of the training images' pixels, from 0 to 1


class MNIST(Dataset):
    """The digits: `images`, uint8 of shape (N, 28, 28), and `labels`, uint8 (N,).

    root: a folder with the four files. Without it, or where they are not there, they
    are looked for in the folder MINIGRAD_DATA, then in the user's cache, to which they
    are downloaded if need be. train: the 60,000 for training, or the 10,000 for
    testing. download=False: never ask the network. Every file's checksum is compared; a
    damaged one is named and fetched anew.

    An item is (image, label): a float32 tensor (1, 28, 28) with mean 0 and variance 1
    over the training images, and an int64 number. Raises DataMissing.
    """

    def __init__(self, root=None, train=True, download=True):
        if train not in (True, False):
            raise ValueError(f"train is True or False, not {train!r}")
        self.train = bool(train)
        self.images = read_idx(data_of(FILES[self.train, "images"], root, download))
        self.labels = read_idx(data_of(FILES[self.train, "labels"], root, download))

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, index):
        from ..creation import tensor

        image, label = self.images[index], self.labels[index]
        return (*self.__transform_batch__(tensor(image), tensor(label).long()),)

    def __getitems__(self, indices):
        """The images and labels at many places, as they lie in the files."""
        return self.images[indices], self.labels[indices]

    @staticmethod
    def __transform_batch__(images, labels):
        """Images (..., 28, 28) as floats (..., 1, 28, 28), labels as int64."""
        scaled = mul(sub(images.to(float32), 255 * MEAN), 1 / (255 * STD))
        return scaled.unsqueeze(-3), labels.long()

    def __repr__(self):
        which = "training" if self.train else "test"
        return f"MNIST({len(self):,} {which} images of 28 x 28)"


def data_of(file, root=None, download=True):
    """The unpacked bytes of a file of MNIST, from wherever it can be had."""
    damage = []
    for folder in places("mnist", root):
        try:
            data = unpacked(file, folder, FILES.values())
        except Damaged as error:
            damage.append(str(error))
            continue
        if data is not None:
            return data
    if not download:
        raise DataMissing(missing(file, damage, "download=False", root))
    for sentence in damage:
        print(f"{sentence}: fetching it again.", flush=True)
    from .download import fetched  # it takes long to import

    try:
        return fetched(file, cache() / "mnist", MIRRORS, bar)
    except OSError as error:
        raise DataMissing(missing(file, damage, str(error), root)) from None


def missing(file, damage, why, root=None):
    """What to say where a file cannot be had."""
    names = ", ".join(f.name for f in FILES.values())
    state = "; ".join(damage) or f"{file.name} of MNIST is not {nowhere(root)}"
    reasons = "\n".join(f"  {line}" for line in why.splitlines())
    return f"""{state}, and it was not downloaded:
{reasons}
Three ways to get MNIST (four files, 11 MB):
  1. With a network, minigrad.data.MNIST() downloads them to {cache() / "mnist"}.
  2. Copy {names}
     from another computer into that folder.
  3. Set the environment variable MINIGRAD_DATA to a folder that has them.
Without it: minigrad.data.digits() returns 1,797 other digits, of 8 x 8 pixels."""


def nowhere(root):
    """Where a file was not found, in words."""
    if root is None:
        return "on this computer"
    place = Path(root).expanduser()
    if not place.exists():
        return f"on this computer (there is no folder {root})"
    remark = "" if place.is_dir() else " (a file, no folder)"
    return f"in {root}{remark}, nor elsewhere on this computer"


@contextlib.contextmanager
def bar(name, size):
    """A progress bar, where rich is installed, else a line at the beginning."""
    try:
        from rich.console import Console
        from rich.progress import DownloadColumn, Progress, TimeRemainingColumn
    except ImportError:
        print(f"downloading {name}, {size / 1e6:.1f} MB", flush=True)
        yield lambda count: None
        return
    columns = (*Progress.get_default_columns()[:2], DownloadColumn())
    with Progress(*columns, TimeRemainingColumn(), console=Console()) as progress:
        task = progress.add_task(name, total=size)
        yield lambda count: progress.advance(task, count)
