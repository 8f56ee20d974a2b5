"""Processes for answers: one runs a student's, another the reference solutions.

This package decides which process may talk to which. No solution's code enters a
student's process.

Imports checking, drivers, kernels, isolation.
"""
