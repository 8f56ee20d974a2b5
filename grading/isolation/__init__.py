"""What keeps students' code apart from this machine and from the grader.

This package has the box (sandbox.py), its locks, the processes in it, and the messages
that cross its border: plain values as bytes, which are examined. Files that students
hand in are also read in the box. Change a rule only with an attack that shows why it
must change (tests/system/test_attacks*.py).

Imports nothing of grading.
"""
