"""One test for all rows of a table, since starting a test takes longer than most rows.

    @on_devices
    @table("text", split(UNARY))
    def test_unary(text, device): ...

    @table("block, mask", [*itertools.product(SHAPES, MASKS)])
    def test_divergence(block, mask): ...

Every row is tried. The failure names each one that failed, and has all tracebacks.
"""

import functools
import inspect
from collections import Counter

import pytest


def table(names, rows, ids=str):
    """Call a test with each row as its arguments `names`; the others are fixtures."""
    names, rows = names.split(", "), list(rows)
    words = [*map(ids, rows)]

    def decorate(test):
        @functools.wraps(test)
        def run(**fixtures):
            errors = {}
            for word, row in zip(words, rows, strict=True):
                values = [row] if len(names) == 1 else row
                try:
                    test(**dict(zip(names, values, strict=True)), **fixtures)
                except (Exception, pytest.fail.Exception) as error:
                    errors[word] = error
                except pytest.skip.Exception as skipped:  # would hide what comes next
                    errors[word] = AssertionError(f"a row cannot be skipped: {skipped}")
            if errors:
                count = f"{len(errors)} of {len(rows)} rows"
                raise BaseExceptionGroup(
                    f"{count}: {' | '.join(errors)}", [*errors.values()]
                )

        parameters = inspect.signature(test).parameters
        fixtures = [p for p in parameters.values() if p.name not in names]
        run.__signature__ = inspect.Signature(fixtures)
        return run

    twice = [word for word, count in Counter(words).items() if count > 1]
    assert rows and not twice, f"a table has rows, and each once, but not {twice}"
    return decorate
