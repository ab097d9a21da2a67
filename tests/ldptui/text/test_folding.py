"""Tables and sentences in the width of a terminal."""

from __future__ import annotations

import pytest

from ldptui.text.folding import fold_text
from ldptui.text.table import layout
from ldptui.text.table.layout import plain_table

HEADS = ["name", "alpha beta", "c", "a longer head"]
ROWS = [["x", "1", "2 3", "words of a cell that go on"], ["yy", "10", "", "short"]]
SENTENCE = "a sentence that is rather long, and has to be broken somewhere"


def test_what_fits_stays_as_it_is() -> None:
    text = f"{SENTENCE}\n\n{plain_table(HEADS, ROWS)}\n  end\n"
    assert fold_text(text, 70) == text
    assert fold_text(place := "/a/long/path/that/is/one/word", 20) == place
    assert fold_text("of all users n = 100 000", 20).splitlines() == [
        "of all users",
        "  n = 100 000",
    ]
    styled = f"\x1b[1m{'x' * 69}\x1b[0m"
    assert fold_text(styled, 70) == styled


def test_a_wide_table_goes_on_below_with_its_first_column() -> None:
    assert fold_text(plain_table(HEADS, ROWS), 30).splitlines() == [
        "name  alpha beta  c",
        "─────────────────────",
        "x     1           2 3",
        "yy    10",
        "",
        "name  a longer head",
        "──────────────────────────────",
        "x     words of a cell that go",
        "      on",
        "yy    short",
    ]


def test_as_many_columns_are_repeated_as_name_the_rows() -> None:
    table = plain_table(["a", "b", "c", "d"], [["x", "1", "v" * 9, "1"], ["x", "2", "", "2" * 9]])
    assert [line.split() for line in fold_text(table, 16).splitlines()[5:]] == [
        ["a", "b", "d"],
        ["─" * 15],
        ["x", "1", "1"],
        ["x", "2", "2" * 9],
    ]


@pytest.mark.parametrize("width", [20, 24, 33, 40, 59])
def test_nothing_is_wider_and_nothing_is_lost(width: int) -> None:
    text = f"{SENTENCE}\n\n{plain_table(HEADS, ROWS)}"
    shown = fold_text(text, width)
    assert max(map(len, shown.splitlines())) <= width
    words = [word for word in shown.split() if "─" not in word]
    assert {*words} == {*text.split()} - {word for word in text.split() if "─" in word}
    assert len(words) >= len([word for word in text.split() if "─" not in word])


def test_a_cell_of_a_long_table_is_measured_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    """Once for its column and once for its blank: 10,000 kept runs are listed at once."""
    measured = []
    monkeypatch.setattr(layout, "room_of", lambda words: measured.append(words) or len(words))
    plain_table(["a", "b"], [["x", "y"]] * 500)
    assert len(measured) <= 2 * 2 * 501
