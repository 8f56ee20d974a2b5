"""Answers judged in processes of their own: a student's, and the references'.

Who may talk to whom is decided here. No solution's code enters a student's process.

Imports checking, drivers, kernels, isolation.
"""
