"""The marks of bars: the truth and the ends of an error bar, true to half a cell."""

from __future__ import annotations

import math

import numpy as np
import pytest

from ldptui.charts.draw.bar_cells import MARKS, BarScale, bar_cells
from ldptui.charts.rows import ANSI_DARK, DARK, Charset, Look, Palette
from ldptui.charts.series import Bar

SCALE = BarScale(zero=12, cells=40, per_cell=0.1)
HALVES = {"─": (0, 1), "╶": (1,), "╴": (0,), "⡷": (0,), "⢾": (1,)}
"""The halves of its cell that a character covers; of a mark the one with the full column."""


def place(value: float) -> float:
    """The place of a value, in halves of a cell from the left; the zero line has a cell."""
    return 2 * (SCALE.zero + (value > 0) + value / SCALE.per_cell)


def drawn(bar: Bar, palette: Palette, charset: Charset = "braille") -> str:
    return "".join(
        text for text, _ in bar_cells(bar, SCALE, Look(0, 0, palette), MARKS[charset], ())
    )


@pytest.mark.parametrize("palette", [DARK, ANSI_DARK], ids=["colours", "none"])
def test_the_true_mark_stands_in_the_half_cell_of_its_value(palette: Palette) -> None:
    """Its full column of dots is at most half a dot from the value; a sign is up to a whole one."""
    rng = np.random.default_rng(0)
    signs = []
    for value, true in rng.uniform(-1.0, 2.5, (60, 2)):
        row = drawn(Bar("a", float(value), true=float(true)), palette)
        column = next(at for at, char in enumerate(row) if char in "⡷⢾")
        half = 2 * column + HALVES[row[column]][0]
        assert abs(half + 0.5 - place(float(true))) <= 0.5 + 1e-9
        signs.append(abs(2 * column + 1 - place(float(true))))
    assert max(signs) > 0.9


@pytest.mark.parametrize("charset", ["braille"])
def test_error_bars_end_in_the_half_cells_of_their_ends(charset: Charset) -> None:
    """Those that stand beside their bar, so that all of them is seen."""
    for error in np.random.default_rng(1).uniform(0.3, 0.7, 40):
        row = drawn(Bar("a", 0.01, error=float(error)), ANSI_DARK, charset)
        halves = [2 * at + half for at, char in enumerate(row) for half in HALVES.get(char, ())]
        assert abs(halves[0] + 0.5 - place(0.01 - float(error))) <= 0.5 + 1e-9
        assert abs(halves[-1] + 0.5 - place(0.01 + float(error))) <= 0.5 + 1e-9


def test_a_mark_is_a_diamond_where_the_next_cell_is_empty() -> None:
    assert "⢾⠆" in drawn(Bar("a", 0.5, true=1.58), DARK)
    assert "⠰⡷" in drawn(Bar("a", 0.5, true=1.52), DARK)
    assert "█⡷" in drawn(Bar("a", 0.5, true=0.52), DARK)  # it leaves the bar whole


def test_a_value_at_the_zero_line_and_those_at_the_ends_have_a_place() -> None:
    assert SCALE.place(0.0) == (12, 0)
    assert SCALE.place(1e-12) == (12, 1)
    assert SCALE.place(2.7) == (39, 1)
    assert SCALE.place(-1.2) == (0, 0)
    assert SCALE.place(math.nextafter(2.7, 3)) == (39, 1)
