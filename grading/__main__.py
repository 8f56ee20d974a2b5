"""`python -m grading`: the instructor's command line."""

from .cli import main

main()
