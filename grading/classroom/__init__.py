"""A class: labs released, submissions taken in and graded, feedback, grades.

nbgrader keeps the gradebook; what it lacks is here.

Imports processes, notebooks, checking, kernels, isolation.
"""
