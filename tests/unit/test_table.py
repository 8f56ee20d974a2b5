"""Tables as tests: every row is tried, and each that fails is named."""

import pytest
from table import table


def tried(test, **fixtures):
    with pytest.raises(BaseExceptionGroup) as caught:
        test(**fixtures)
    return caught.value


def test_every_row_that_fails_is_named():
    seen = []

    @table("text", ["1", "0", "2", "x", "3"])
    def test(text, device):
        seen.append((text, device))
        assert int(text), "it is zero"

    group = tried(test, device="sim")
    assert seen == [(text, "sim") for text in "102x3"]
    assert str(group).startswith("2 of 5 rows: 0 | x")
    assert [type(one) for one in group.exceptions] == [AssertionError, ValueError]
    assert "it is zero" in str(group.exceptions[0])


@pytest.mark.parametrize("outcome", [pytest.fail, pytest.skip])
def test_a_row_that_fails_or_is_skipped_by_pytest_fails(outcome):
    @table("text", ["a", "b"])
    def test(text):
        if text == "a":
            outcome("why")

    assert "1 of 2 rows: a" in str(tried(test))
    assert "why" in str(tried(test).exceptions[0])


def test_what_ends_a_run_ends_it():
    @table("text", ["a", "b"])
    def test(text):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        test()


@pytest.mark.parametrize("rows", [["a", "a"], []])
def test_a_table_without_rows_or_with_one_twice_is_refused(rows):
    with pytest.raises(AssertionError):
        table("text", rows)


@pytest.mark.parametrize("device", ["cpu", "sim"])
@table("text", ["1", "2"])
def test_pytest_gives_the_fixtures(text, device, tmp_path):
    assert text in "12" and device in ("cpu", "sim") and tmp_path.exists()


def test_a_row_may_have_several_values():
    seen = []

    @table("a, b", [(1, 2), (3, 0)], ids=lambda row: f"{row[0]} by {row[1]}")
    def test(a, b, device):
        seen.append((a, b, device))
        assert b

    assert str(tried(test, device="sim")).startswith("1 of 2 rows: 3 by 0")
    assert seen == [(1, 2, "sim"), (3, 0, "sim")]
