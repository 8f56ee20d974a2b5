"""Answers of result_type by other algorithms."""

from minigrad.dtypes import kind, of_number, promote_types, result_type
from tools.audit.specimens import answer


@answer(result_type, right="the members of the highest kind in the first group alone")
def _(*operands):
    ranks = {}
    for x in operands:
        is_tensor = hasattr(x, "storage")
        dtype = x.dtype if is_tensor else of_number(x)
        rank = -kind(dtype), (0 if x.ndim else 1) if is_tensor else 2
        ranks[rank] = promote_types(ranks.get(rank, dtype), dtype)
    return ranks[min(ranks)]
