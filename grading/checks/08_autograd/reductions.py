"""Shapes and dims for the gradients of reductions."""

SHAPES = [((2, 3), (1,)), ((2, 3, 4), (0, 2)), ((2, 3, 4), (1,))]
SMALL = "no dimensions, or no elements"
SMALLEST = [((), ()), ((0, 3), (1,)), ((2, 3, 0), (0, 1))]
