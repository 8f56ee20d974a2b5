"""What each exercise demands: a file for an exercise, or for a few that are alike.

Imports checking, drivers, kernels, isolation, grading.exercise.
"""
