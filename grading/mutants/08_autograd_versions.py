"""Chapter 08, sum_to_size and version counters: wrong answers, and right ones."""

from grading.specimens import mutant, right
from minigrad.autograd.adjoints import sum_to_size
from minigrad.autograd.graph import modified, next_version, unpack


def checked(x, shape):
    """(dimensions in front, those of size 1); RuntimeError as it should be."""
    extra = x.ndim - len(shape)
    if extra < 0 or any(
        n not in (1, m) for n, m in zip(shape, x.shape[extra:], strict=True)
    ):
        raise RuntimeError("no such broadcasting")
    ones = [extra + d for d, n in enumerate(shape) if n == 1 != x.shape[extra + d]]
    return list(range(extra)), ones


@mutant(sum_to_size, "ones_lost")
def _(x, shape):
    front, ones = checked(x, shape)
    return x.sum(front + ones) if front + ones else x


@mutant(sum_to_size, "front_stays")
def _(x, shape):
    front, ones = checked(x, shape)
    return x.sum(front + ones, keepdim=True) if front + ones else x


@mutant(sum_to_size, "ones_not_added")
def _(x, shape):
    front, _ = checked(x, shape)
    return x.sum(front) if front else x


@mutant(sum_to_size, "mean")
def _(x, shape):
    front, ones = checked(x, shape)
    return x.mean(front + ones, keepdim=True).view(shape) if front + ones else x


@mutant(sum_to_size, "first")
def _(x, shape):
    front, _ = checked(x, shape)
    return x[(*[0] * len(front), *[slice(0, n) for n in shape])]


@mutant(sum_to_size, "from_the_left")
def _(x, shape):
    checked(x, shape)
    sizes = (*shape, *[1] * (x.ndim - len(shape)))
    dims = [d for d, n in enumerate(sizes) if n == 1 != x.shape[d]]
    return (x.sum(dims, keepdim=True) if dims else x).reshape(shape)


@mutant(sum_to_size, "no_error")
def _(x, shape):
    front = list(range(x.ndim - len(shape)))
    x = x.sum(front) if front else x
    ones = [d for d, n in enumerate(shape) if n == 1 and x.shape[d] != 1]
    return x.sum(ones, keepdim=True) if ones else x


@right(sum_to_size, "in two steps")
def _(x, shape):
    front, ones = checked(x, shape)
    x = x.sum(ones, keepdim=True) if ones else x
    return x.sum(front) if front else x


@right(sum_to_size, "one dimension after the other")
def _(x, shape):
    checked(x, shape)
    while x.ndim > len(shape):
        x = x.sum(0)
    for d, n in enumerate(shape):
        if n == 1 and x.shape[d] > 1:
            x = x.sum(d, keepdim=True)
    return x


@right(sum_to_size, "by view at the end")
def _(x, shape):
    front, ones = checked(x, shape)
    dims = front + ones
    return x.sum(dims).view(*shape) if dims and shape else x.sum() if dims else x


# ------------------------------------------------- next_version


@mutant(next_version, "set_to_one")
def _(x):
    x.storage.version = 1
    return x


@mutant(next_version, "unchanged")
def _(x):
    return x


@mutant(next_version, "unchanged", "a copy of the number")
def _(x):
    version = x.storage.version
    version += 1
    return x


@mutant(next_version, "twice")
def _(x):
    x.storage.version += 2
    return x


@mutant(next_version, "not_returned")
def _(x):
    x.storage.version += 1


@mutant(next_version, "not_returned", "the version")
def _(x):
    x.storage.version += 1
    return x.storage.version


@mutant(next_version, "raised", "of the tensor")
def _(x):
    x.version += 1
    return x


@right(next_version, "written out")
def _(x):
    x.storage.version = x.storage.version + 1
    return x


@right(next_version, "in steps")
def _(x):
    storage = x.storage
    storage.version += 1
    return x


@right(next_version, "by setattr")
def _(x):
    setattr(x.storage, "version", 1 + x.storage.version)  # noqa: B010
    return x


# ------------------------------------------------- unpack


@mutant(unpack, "silent")
def _(x, version, name):
    return x


@mutant(unpack, "silent", "the error is not raised")
def _(x, version, name):
    if x.storage.version != version:
        RuntimeError(modified(x, version, name))
    return x


@mutant(unpack, "always")
def _(x, version, name):
    raise RuntimeError(modified(x, version, name))


@mutant(unpack, "any_change")
def _(x, version, name):
    if x.storage.version > 0:
        raise RuntimeError(modified(x, version, name))
    return x


@mutant(unpack, "other_message")
def _(x, version, name):
    if x.storage.version != version:
        raise RuntimeError("changed")
    return x


@mutant(unpack, "not_itself")
def _(x, version, name):
    if x.storage.version != version:
        raise RuntimeError(modified(x, version, name))


@mutant(unpack, "not_itself", "a copy")
def _(x, version, name):
    if x.storage.version != version:
        raise RuntimeError(modified(x, version, name))
    return x.clone()


@mutant(unpack, "raised", "asserts")
def _(x, version, name):
    assert x.storage.version == version, modified(x, version, name)
    return x


@right(unpack, "the good case first")
def _(x, version, name):
    if x.storage.version == version:
        return x
    raise RuntimeError(modified(x, version, name))


@right(unpack, "versions only grow")
def _(x, version, name):
    if x.storage.version > version:
        raise RuntimeError(modified(x, version, name))
    return x


@right(unpack, "by PyTorch's name")
def _(x, version, name):
    if x._version - version:
        raise RuntimeError(modified(x, version, name))
    return x
