"""What files of `mutants` call that are not yet in `checks`: see mistakes.py."""

from .mistakes import _specimen, right

__all__ = ["mutant", "right"]


def mutant(hole, cause, title=None):
    """Say that the function below is a wrong answer; the check must say `cause`."""

    def keep(answer):
        _specimen(hole, answer, cause, title or cause)
        return answer

    return keep
