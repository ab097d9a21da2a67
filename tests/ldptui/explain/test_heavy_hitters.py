"""The formulas of heavy hitters with their numbers, and how the users are asked in a line."""

from __future__ import annotations

from typing import Any

import pytest
from rich.cells import cell_len
from support.formulas import recomputed
from support.hitters import GRR, hitters_cell

from ldptui.core import Cell
from ldptui.explain.family_explanation import find_task_explanation
from ldptui.explain.formula_list import cell_formulas

ZIPF = {"kind": "zipf", "items": 100, "users": 200_000, "exponent": 1.3}
MGA = {"kind": "mga", "share": 0.01, "targets": {"pick": "random", "count": 4}}
MIX = {"share": 0.01, "targets": {"pick": "random", "count": 4},
       "mix": [{"kind": "ria", "weight": 1}, {"kind": "rpa", "weight": 2}]}  # fmt: skip
SETTINGS: dict[str, tuple[Any, ...]] = {
    "clean": ({"k": 5, "bits": 12, "groups": 4},),
    "attacked": ({"k": 5, "bits": 64, "extension": 5}, MGA),
    "mixed": ({"k": 5, "bits": 12, "groups": 12}, MIX, GRR),
}


@pytest.fixture(scope="module", params=SETTINGS)
def cell(request: pytest.FixtureRequest) -> Cell:
    return hitters_cell(ZIPF, *SETTINGS[request.param])


def test_every_number_can_be_computed_again(cell: Cell) -> None:
    checked = 0
    rows = cell_formulas(cell)
    for row in rows:
        assert cell_len(row.substituted_text) <= 100, row
        assert cell_len(row.formula) <= 76, row
        assert cell_len(row.part) <= 76, row
        assert row.result not in ("", "–"), row
        result = recomputed(row.substituted_text)
        # A list of numbers cut short says no product.
        if result is not None and "…" not in row.substituted_text:
            assert result == pytest.approx(row.value, rel=0.02, abs=5e-4), row
            checked += 1
    assert checked >= 3
    titles = [row.title for row in rows]
    assert len(set(titles)) == len(titles)


def test_the_users_of_a_group_in_a_line() -> None:
    explanation = find_task_explanation("heavy-hitters")
    assert explanation is not None
    lines = {
        (4, 12, 4): "4 groups of 50 000 users: 5 to 12 bits, 2 or 3 a level",
        (8, 10, 1): "1 group of 200 000 users: 10 bits",
        (8, 5, 4): "4 groups of 50 000 users: 4 to 5 bits, 0 or 1 a level",
    }
    for (k, bits, groups), line in lines.items():
        small = ZIPF | {"items": 20}
        cell = hitters_cell(small, {"k": k, "bits": bits, "groups": groups})
        assert explanation.remark(cell) == line
        setting = explanation.setting(cell)
        assert (setting.users, setting.protocol.domain_size) == (200_000 // groups, 2**bits)


def test_there_may_be_more_groups_than_users() -> None:
    cell = hitters_cell(
        [1, 0], {"k": 1, "bits": 9, "groups": 10}, MGA | {"targets": {"items": [1]}}
    )
    assert all(row.result not in ("", "–") for row in cell_formulas(cell))
