"""Programs that call an answer where a plain call doesn't do.

A driver runs in the process of the answer: it makes modules, graphs, or files there,
and returns plain values. It doesn't know what is right.

Whoever controls that process can reply what they like. So a check draws what decides
(numbers, names, sizes, and orders), a driver replies with values, not with flags, and
what an answer calls by message belongs to the check. tests/system/test_forged.py holds
every exercise to this. What only the process itself can know stays forgeable, for an
answer that is right but for it:

- what stays in memory, and how much a call takes (08.1, 08.5, 09.16, 10.4, 10.5, 11.6,
  and lists of elements in lab 03);
- what is recorded, where no gradient shows it (09.6, 10.4);
- how often, and when, something is compared, read, or gone through (08.4, 10.4, 10.6);
- whether an object itself is returned, whether an argument has changed, and whether a
  result lies in the memory of an earlier one, where no later value shows it.

Imports kernels, isolation.
"""

# ruff: noqa: F401
from . import candidates, cpp_extensions, graphs, modules, programs, sizes, training
from .registry import SCENES, played
