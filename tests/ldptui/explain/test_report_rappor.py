"""The life of a RAPPOR report: what is shown is what the protocol and the attack have drawn."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from support.cases import attack, cell
from support.kinds import CAO_ATTACKS

from ldptui.core.cell import Cell
from ldptui.core.protocols import Rappor
from ldptui.explain.report import Cells, Life
from ldptui.explain.story import reports_of
from ldptui.explain.users import fake_report, genuine_report

Rng = np.random.Generator
FORMS: list[dict[str, Any]] = [
    {"f": 0.5},
    {"f": 0.0},
    {"form": "one-time", "f": 0.4},
]
FAKES = CAO_ATTACKS


def bound(fakes: str | None = "mga", cohort: float | None = None, **more: Any) -> Cell:
    table = {"kind": "rappor", "bits": 32, "hashes": 2, "cohorts": 4, **more}
    own = {} if cohort is None else {"cohort": cohort}
    aimed = None if fakes is None else attack(fakes, 0.2, [2, 4], **own)
    return cell([500, 300, 150, 50, 0], table, aimed)


def steps(life: Life) -> dict[str, Any]:
    return {step.name: step for step in life.steps}


def cells_of(life: Life, name: str) -> dict[str, Any]:
    cells = steps(life)[name].cells
    assert isinstance(cells, Cells)
    return dict(cells.rows)


def opened(one: Cell, life: Life) -> tuple[int, Any]:
    assert isinstance(one.protocol, Rappor)
    return int(life.report["cohort"][0]), one.protocol.unpack(life.report)[0]


@pytest.mark.parametrize("form", FORMS, ids=str)
@pytest.mark.parametrize("item", range(5))
def test_every_bit_from_the_filter_to_the_report(form: dict[str, Any], item: int, rng: Rng) -> None:
    one = bound(**form)
    assert not isinstance(reports_of(one), str)
    life = genuine_report(one, item, rng)
    assert isinstance(one.protocol, Rappor)
    cohort, sent = opened(one, life)
    true = one.protocol.encode(np.array([item]), np.array([cohort]))[0]
    assert (cells_of(life, "Bloom filter")["true"] == true).all()
    last = true
    if one.protocol.noise.memoised:
        last = cells_of(life, "Kept noise")["kept"]
        chances = steps(life)["Kept noise"].chances
        assert [c.probability for c in chances] == [
            1 - one.protocol.noise.f / 2,
            one.protocol.noise.f / 2,
        ]
        assert chances[0].outcome == f"{int(last[true].sum())} of {int(true.sum())}"
        assert chances[1].outcome == f"{int(last[~true].sum())} of {int((~true).sum())}"
    if one.protocol.noise.p > 0:
        rows = cells_of(life, "Fresh noise")
        assert (rows["kept"] == last).all()
        assert (rows["sent"] == sent).all()
        assert [c.probability for c in steps(life)["Fresh noise"].chances] == [0.75, 0.5]
    else:
        assert (last == sent).all()  # the kept bits are sent
        assert "none" in steps(life)["Fresh noise"].text
    assert (steps(life)["Report"].bits == sent).all()
    assert f"cohort {cohort}" in steps(life)["Hashing"].text


def test_a_client_keeps_its_permanent_bits_and_cohort() -> None:
    """Another report of one client: the same kept bits, fresh noise of its own."""
    one = bound(f=0.5)
    lives = [
        genuine_report(one, 1, np.random.default_rng(number), np.random.default_rng(99))
        for number in range(5)
    ]
    assert len({opened(one, life)[0] for life in lives}) == 1
    kept = {cells_of(life, "Kept noise")["kept"].tobytes() for life in lives}
    assert len(kept) == 1
    assert len({opened(one, life)[1].tobytes() for life in lives}) == 5


@pytest.mark.parametrize("fakes", FAKES)
@pytest.mark.parametrize("cohort", [None, 1.0])
def test_fakes(fakes: str, cohort: float | None, rng: Rng) -> None:
    one = bound(fakes, cohort)
    assert isinstance(one.protocol, Rappor)
    life = fake_report(one, rng)
    claimed, sent = opened(one, life)
    if cohort == 1.0:
        assert claimed == 0
    aimed = one.protocol.aimed(one.targets)[claimed]
    if fakes == "mga":
        assert sent[aimed].all()
        assert (cells_of(life, "Padding")["before"] == aimed).all()
        assert (cells_of(life, "Padding")["after"] == sent).all()
        assert life.targets.tolist() == [2, 4]
    elif fakes == "ria":
        assert life.item in (2, 4)
        assert (cells_of(life, "Fresh noise")["sent"] == sent).all()
    else:
        assert (cells_of(life, "Drawing")["drawn"] == sent).all()


def test_too_many_filters_are_not_hashed_for_one_report() -> None:
    assert "too many items" in str(reports_of(bound(cohorts=2**14)))
    assert not isinstance(reports_of(bound(cohorts=2**13)), str)
