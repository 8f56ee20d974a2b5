"""What each exercise requires: one file per exercise, or one for a few similar ones.

Imports checking, drivers, kernels, isolation, grading.exercise.
"""
