"""One test for all rows of a table, since starting a test takes longer than most rows.

    @on_devices
    @table("text", split(UNARY))
    def test_unary(text, device): ...

Every row is tried. The failure names each one that failed, and has all tracebacks.
"""

import functools
import inspect
from collections import Counter

import pytest


def table(name, rows):
    """Call a test with each row as its argument `name`; the others are fixtures."""

    def decorate(test):
        @functools.wraps(test)
        def run(**fixtures):
            errors = {}
            for row in rows:
                try:
                    test(**{name: row}, **fixtures)
                except (Exception, pytest.fail.Exception) as error:
                    errors[row] = error
                except pytest.skip.Exception as skipped:  # would hide what comes next
                    errors[row] = AssertionError(f"a row cannot be skipped: {skipped}")
            if errors:
                words = f"{len(errors)} of {len(rows)} rows: {' | '.join(errors)}"
                raise BaseExceptionGroup(words, [*errors.values()])

        parameters = inspect.signature(test).parameters
        fixtures = [p for p in parameters.values() if p.name != name]
        run.__signature__ = inspect.Signature(fixtures)
        return run

    twice = [row for row, count in Counter(rows).items() if count > 1]
    assert rows and not twice, f"a table has rows, and each once, but not {twice}"
    return decorate
