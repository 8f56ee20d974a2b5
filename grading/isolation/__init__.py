"""What keeps students' code apart from this machine, and from the grader.

The sandbox and its locks, processes in it, and the messages that pass: bytes of plain
values, which are examined. Files that students hand in are read here, too, in the box.
Change a rule only with an attack that shows why (tests/system/test_attacks*.py).

Imports nothing of grading.
"""
