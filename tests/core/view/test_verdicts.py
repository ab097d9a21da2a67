"""The verdict on each report of one trial."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from support.cases import attack, experiment

from ldptui.core.base.flags import area_under
from ldptui.core.cell import Cell
from ldptui.core.collection.sifting import detection
from ldptui.core.theory import gains_elsewhere
from ldptui.core.view.redrawn import CORNERS, LEVELS, levels, verdicts


def cell_with(kind: str, **more: Any) -> Cell:
    users = {"kind": "zipf", "items": 12, "users": 1500, "exponent": 1.0}
    table = more.pop("table", attack("mga", 0.1, [3, 5, 8, 10]))
    protocol = {"kind": "oue", "epsilon": 1.0}
    (cell,) = experiment(users, protocol, table, defence=[{"kind": kind}], **more).cells
    return cell


def test_the_columns_are_those_of_the_first_trial() -> None:
    cell = cell_with("fiad")
    view, seen = verdicts(cell), detection(cell)
    assert view is not None
    assert seen.score is not None
    assert (sum(view.genuine), sum(view.fakes)) == (cell.users, cell.malicious)
    for score, right, fake in zip(view.scores, view.genuine, view.fakes, strict=True):
        assert right == ((seen.score == score) & ~seen.fakes).sum()
        assert fake == ((seen.score == score) & seen.fakes).sum()
    assert view.area == area_under(seen.score, seen.fakes)
    assert np.trapezoid(view.caught, view.wrong) == pytest.approx(view.area)
    assert view.flagged == (
        (~seen.kept[~seen.fakes]).mean(),
        (~seen.kept[seen.fakes]).mean(),
    )


def test_without_fakes_there_is_a_distribution_and_no_curve() -> None:
    view = verdicts(cell_with("fiad", table={"kind": "none"}))
    assert view is not None
    assert (view.area, view.wrong, view.flagged) == (None, (), None)
    assert sum(view.genuine) == 1500


@pytest.mark.parametrize("kind", ["diffstats", "norm-sub"])
def test_a_defence_without_a_score_has_none(kind: str) -> None:
    assert verdicts(cell_with(kind)) is None


def test_very_many_scores_come_in_equal_steps(rng: np.random.Generator) -> None:
    few, place = levels(np.array([2.0, 0.0, 2.0, 7.0]))
    assert (few.tolist(), place.tolist()) == ([0, 2, 7], [1, 0, 1, 2])
    score = rng.random(5000)
    middles, place = levels(score)
    assert middles.size == LEVELS < CORNERS
    assert np.abs(middles[place] - score).max() <= (score.max() - score.min()) / LEVELS / 2 + 1e-12


def test_gains_elsewhere_are_those_of_tasks_that_measure_a_gain() -> None:
    """Hitters are named, and no sentence tells a gain that was not measured."""
    hitters = {"kind": "heavy-hitters", "k": 2, "bits": 4, "groups": 2}
    assert gains_elsewhere(cell_with("fiad"), ["olh"]).keys() == {"oue", "olh"}
    (named,) = experiment(
        {"kind": "zipf", "items": 16, "users": 1500, "exponent": 1.0},
        {"kind": "oue", "epsilon": 1.0}, attack("mga", 0.1, [3, 5]), task=hitters,
    ).cells  # fmt: skip
    assert gains_elsewhere(named, ["olh"]) == {}
