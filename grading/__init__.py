"""What checks an answer: in a lab (`check`), in a class (`python -m grading`)."""

from .lab import check, show_check
from .trial import trying
from .verdict import Verdict

__all__ = ["Verdict", "check", "show_check", "trying"]
