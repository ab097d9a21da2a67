"""Numbers and values in messages."""

from __future__ import annotations

import math

import numpy as np
import pytest

from ldptui.core.base.errors import FileError, format_number, format_value, got
from ldptui.text import format as fmt


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [
        (0, None, "0"),
        (1024, None, "1024"),
        (10_000, None, "10 000"),
        (-(2**63), None, "-9 223 372 036 854 775 808"),
        (0.05, None, "0.05"),
        (1e-7, None, "1e-7"),
        (1e20, None, "1e20"),
        (2.0, None, "2"),
        (1.0000001, None, "1.0000001"),  # which six digits would make a 1
        (1 / 3, 4, "0.3333"),
        (math.inf, None, "inf"),
    ],
)
def test_numbers(value: float, digits: int | None, text: str) -> None:
    assert format_number(value, digits) == text


def test_whole_numbers_look_as_in_tables() -> None:
    for number in (0, 9_999, 10_000, 123_456_789, -54_321):
        assert format_number(number) == fmt.count(number)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("a", 'got "a"'),
        ("", "it is empty"),
        (None, "got nothing"),
        (True, "got true"),
        (2.0, "got 2.0"),  # no integer
        (1e9, "got 1e9"),
        (np.int64(20_000), "got 20 000"),
        (math.nan, "got nan"),
        ([1, 2.5, ""], 'got [1, 2.5, ""]'),
        ({"a": 1}, 'got {"a": 1}'),
    ],
)
def test_values_that_broke_a_rule(value: object, text: str) -> None:
    assert got(value) == text


def test_values_are_never_long_nor_break_a_line() -> None:
    assert format_value("x" * 100) == f'"{"x" * 56}…'
    assert format_value("a\nb\x7f") == '"a\\nb?"'
    assert format_value(10**5000) == "a value that is too large"
    assert len(format_value(10**400)) == 58


def test_a_file_whose_name_holds_a_line_end_is_one_line() -> None:
    assert str(FileError("a\nb\u2028c cannot be read")) == "a?b?c cannot be read"
