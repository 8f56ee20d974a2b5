"""What checks an answer: in a lab (`check`), in a class (`python -m grading`)."""

from .checking.lab import check, show_check
from .checking.trying import trying
from .checking.verdict import Verdict

__all__ = ["Verdict", "check", "show_check", "trying"]
