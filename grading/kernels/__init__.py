"""Kernels and C++: built, launched in the simulator or on a GPU, and watched.

How a launch is run, and what is seen of it, belongs here; what is right doesn't.

Imports isolation.
"""
