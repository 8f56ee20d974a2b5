"""Holes and answers: what a hole is, how an answer fills it, where it comes from."""
