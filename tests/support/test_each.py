"""A claim about many things fails with those of which it is wrong."""

from __future__ import annotations

import pytest

from support.each import each


def test_all_that_are_wrong_are_named() -> None:
    def small(number: int, least: int = 0) -> None:
        assert least <= number < 3, f"{number} is large"

    each([0, (1, 1), 2], small)
    with pytest.raises(AssertionError) as caught:
        each([1, 5, (7, 7)], small)
    wrong = str(caught.value)
    assert "5: 5 is large" in wrong
    assert "(7, 7): 7 is large" in wrong
    assert "1: " not in wrong
