"""Rows of a table by their numbers."""

from ..promotion import INTEGERS
from .elementwise import eq, where
from .shape import index_select


def embedding(input, weight, padding_idx=None):
    """weight[i], a row, for each i of `input`: (*) of ints to (*, embedding_dim).

    padding_idx: the row of this number gets no gradient.
    """
    if input.dtype not in INTEGERS:
        raise RuntimeError(
            f"Expected tensor for argument #1 'indices' to have scalar type Long, but "
            f"got {input.dtype} instead: input.long() makes a copy of that type"
        )
    index = input.reshape(-1)
    rows = index_select(weight, 0, index)
    if padding_idx is not None:
        row = padding_idx % weight.shape[0]
        rows = where(eq(index, row).unsqueeze(1), rows.detach(), rows)
    return rows.reshape(*input.shape, weight.shape[1])
