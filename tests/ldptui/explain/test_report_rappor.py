"""The life of a RAPPOR report: what is shown is what the protocol and the attack have drawn."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from support.cases import attack, cell
from support.kinds import CAO_ATTACKS

from ldptui.core.cell import Cell
from ldptui.core.protocols import Rappor
from ldptui.explain.example_users import fake_report, genuine_report
from ldptui.explain.family_explanation import reports_of
from ldptui.explain.report_values import ReportHistory, StepBits

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


def steps(life: ReportHistory) -> dict[str, Any]:
    return {step.name: step for step in life.steps}


def cells_of(life: ReportHistory, name: str) -> dict[str, Any]:
    cells = steps(life)[name].cells
    assert isinstance(cells, StepBits)
    return dict(cells.rows)


def opened(one: Cell, life: ReportHistory) -> tuple[int, Any]:
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
    (first, *_) = (each.name for each in life.steps if each.outcomes)
    assert (cells_of(life, first)["true"] == true).all()
    assert f"cohort {cohort}" in steps(life)["Encoding"].text
    assert (steps(life)["Report"].bits == sent).all()
    noise = one.protocol.noise
    if not noise.is_memoised:
        (noisy,) = (name for name in steps(life) if "noise" in name or name == "Perturbation")
        assert (cells_of(life, noisy)["sent"] == sent).all()
        chances = [outcome.probability for outcome in steps(life)[noisy].outcomes]
        assert chances == [noise.q_star, noise.p_star]
        return
    kept = cells_of(life, "Kept noise")["kept"]
    own, other = steps(life)["Kept noise"].outcomes
    assert (own.probability, other.probability) == (1 - noise.f / 2, noise.f / 2)
    assert other.outcome == f"{int(kept[~true].sum())} of {int((~true).sum())}"
    if noise.p > 0:
        rows = cells_of(life, "Fresh noise")
        assert (rows["kept"] == kept).all()
        assert (rows["sent"] == sent).all()
        assert [c.probability for c in steps(life)["Fresh noise"].outcomes] == [0.75, 0.5]
    else:
        assert (kept == sent).all()  # the kept bits are sent
        assert "Fresh noise" not in steps(life)


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
    aimed = one.protocol.target_bits(one.targets)[claimed]
    if fakes == "mga":
        assert sent[aimed].all()
        assert (cells_of(life, "Crafting")["sent"] == sent).all()
        assert life.targets.tolist() == [2, 4]
    elif fakes == "ria":
        assert life.item in (2, 4)
        assert (cells_of(life, "Perturbation")["sent"] == sent).all()
    else:
        assert (cells_of(life, "Crafting")["sent"] == sent).all()


def test_too_many_filters_are_not_hashed_for_one_report() -> None:
    assert "too many items" in str(reports_of(bound(cohorts=2**14)))
    assert not isinstance(reports_of(bound(cohorts=2**13)), str)
