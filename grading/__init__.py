"""What checks an answer: in a lab (`check`), in a class (`python -m grading`)."""

from .packages import advice

try:
    from .checking.lab import check, show_check, show_solution
    from .checking.trying import trying
    from .checking.verdict import Verdict
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(advice(error) or error, name=error.name) from None

__all__ = ["Verdict", "check", "show_check", "show_solution", "trying"]
