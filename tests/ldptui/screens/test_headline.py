"""The sentences over the charts: whole ones, as many as there is room for."""

from __future__ import annotations

import pytest

from ldptui.screens.workbench.charts.headline import _fitting

NAMED = "52 632 fake users (5 %): 44.2 % of the most frequent items are named, without 61.2 %."
BRIEF = NAMED.replace(" (5 %)", "")
MORE = "On average 2 of 2 targets are among the top k."


@pytest.mark.parametrize(
    ("width", "most", "shown"),
    [
        (140, 1, f"{NAMED} {MORE}"),
        (90, 1, NAMED),
        (80, 1, BRIEF),  # it was cut after "named,"
        (60, 1, MORE),
        (80, 2, f"{NAMED} {MORE}"),
        (40, 1, "52 632 fake users (5 %): 44.2 % of the …"),
        (80, 0, ""),
    ],
)
def test_a_sentence_is_whole_where_any_has_room(width: int, most: int, shown: str) -> None:
    assert " ".join(_fitting([NAMED, MORE], width, most)) == shown
    assert _fitting([], width, most) == []
