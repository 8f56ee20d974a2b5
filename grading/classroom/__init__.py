"""A class: releasing labs, taking submissions in, grading, feedback, grades."""
