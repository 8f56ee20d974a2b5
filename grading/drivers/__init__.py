"""Programs that call an answer when a plain call isn't enough.

A driver runs in the answer's process. It makes modules, graphs, or files there, and
returns plain values. It doesn't know which values are correct.

Whoever controls that process can send any reply. So the check draws the numbers, names,
sizes, and orders that decide, a driver replies with values instead of flags, and the
functions that an answer calls by message belong to the check. test_forged.py in
tests/system holds every exercise to this. But some facts are known only to the process,
so an answer that is otherwise correct can still forge them:

- what stays in memory, and how much a call takes (`apply`, `backward`,
  `linear_regression`, `train_step`, `evaluate`, `bias_gelu_autograd`, and lists of
  elements in lab 03);
- what is recorded, if no gradient shows it (`batch_norm`, `train_step`);
- how often, and when, something is compared, read, or iterated over
  (`topological_order`, `train_step`, `train_mnist`);
- whether the same object is returned, or a tuple of one (`apply`), whether an argument
  has changed, and whether a result shares memory with an earlier one, if no later value
  shows it.

Imports kernels, isolation.
"""

# ruff: noqa: F401
from . import candidates, cpp_extensions, graphs, modules, programs, sizes, training
from .registry import SCENES, played
