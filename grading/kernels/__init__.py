"""CUDA C kernels and C++: built, launched in the simulator or on a GPU, and watched.

How a launch runs, and what is observed, belongs here. What is correct doesn't.

Imports isolation.
"""
