"""Rows of a table by their numbers."""

from ..promotion import INTEGERS
from .base import expect
from .elementwise import eq, where
from .shape import index_select


def embedding(input, weight, padding_idx=None):
    """weight[i], a row, for each i of `input`: (*) of ints to (*, embedding_dim).

    padding_idx: the row of this number gets no gradient.
    """
    try:
        found, rank = input.storage.dtype, len(weight._layout[0])
    except AttributeError:
        expect("embedding", {"input": input, "weight": weight})
        raise
    if rank != 2:
        raise RuntimeError(f"'weight' must be 2-D, not of shape {list(weight.shape)}")
    if padding_idx is not None and not -len(weight) <= padding_idx < len(weight):
        raise AssertionError("Padding_idx must be within num_embeddings")
    if found not in INTEGERS:
        raise RuntimeError(
            f"Expected tensor for argument #1 'indices' to have scalar type Long, but "
            f"got {found} instead: input.long() makes a copy of that type"
        )
    index = input.reshape(-1)
    rows = index_select(weight, 0, index)
    if padding_idx is not None:
        row = padding_idx % weight.shape[0]
        rows = where(eq(index, row).unsqueeze(1), rows.detach(), rows)
    return rows.reshape(*input.shape, weight.shape[1])
