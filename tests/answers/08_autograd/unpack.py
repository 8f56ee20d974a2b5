"""Answers of unpack by other algorithms."""

from minigrad.autograd.graph import modified, unpack
from tools.audit.specimens import answer


@answer(unpack, right="the good case first")
def _(x, version, name):
    if x.storage.version == version:
        return x
    raise RuntimeError(modified(x, version, name))
