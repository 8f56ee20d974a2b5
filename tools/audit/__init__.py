"""Whether the checks are right: wrong answers by machine, and listed ones, judged."""
