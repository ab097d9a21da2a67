"""The solved attack: filters find nothing of it, and it is refused where it makes no sense."""

from __future__ import annotations

from typing import Any

import pytest
from support.cases import cell

from ldptui.core.attacks import Hiding, SolvedGain, Solving
from ldptui.core.base.errors import ScenarioError
from ldptui.core.cell import Cell
from ldptui.core.law.law import Ask, Lack
from ldptui.core.protocols import PROTOCOLS, family_of

USERS = [4000, 1000, 700, 500, 300, *[150] * 7]
TARGETS = [1, 2, 3, 11]
"""The users of most of them are among the first."""


def attacked(seed: int, kind: str, *defences: str, **attack: Any) -> Cell:
    table = {"kind": kind, "share": 0.1, "targets": {"items": TARGETS}, **attack}
    steps = [{"kind": name} for name in defences]
    return cell(USERS, None, table, seed=seed, trials=1, defence=steps)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_fiad_finds_nothing(seed: int) -> None:
    solved = attacked(seed, "solved", "fiad")
    assert solved.target_frequency > 0.2
    measured = solved.block(0, 1).metrics
    assert measured["alarm_rate"].item() == 0
    assert measured["gain_after"].item() == measured["gain"].item() > 0.5
    # The same gain without a thought of FIAD is found.
    caught = attacked(seed, "mga", "fiad").block(0, 1).metrics
    assert caught["alarm_rate"].item() == 1


def test_a_looser_constraint_gains_more() -> None:
    def gained(*constraints: str, **more: Any) -> float:
        one = attacked(0, "solved", constraints=list(constraints), **more)
        support = one.fakes[0].strategy.item_support(one.pure, one.targets, one.targets)
        assert support is not None
        return float(support.rates[one.targets].sum())

    assert gained("fiad", "size") <= gained("fiad") < gained() == len(TARGETS)
    assert gained("fiad", slack=6.0) < gained("fiad")
    assert gained("fiad", chance=0.001) > gained("fiad")
    # Perfectly hidden is the least of all.
    assert gained("hidden") < gained("fiad", "size")
    assert isinstance(attacked(0, "solved", constraints=["hidden"]).fakes[0].strategy, Hiding)


def test_it_takes_free_bits_and_constraints_that_can_be_kept() -> None:
    targets = {"items": [0, 1]}
    bound = {kind: PROTOCOLS[kind](kind, 1.0).bind(9) for kind in PROTOCOLS}
    without = [kind for kind in bound if isinstance(bound[kind].law_of(Ask("solved")), Lack)]
    assert {family_of(kind) for kind in without} > {"direct", "hashing", "subset"}
    for kind in without:
        with pytest.raises(ScenarioError, match=r'attack\.kind must not be "solved" against'):
            cell(None, {"kind": kind, "epsilon": 1.0}, {"kind": "solved", "share": 0.1,
                 "targets": targets})  # fmt: skip
    with pytest.raises(ScenarioError, match=r'attack\.constraints must leave out "fiad": honest'):
        attacked(0, "solved", slack=8.0, min_support=0.0, chance=0.9)
    with pytest.raises(
        ScenarioError, match=r'attack\.constraints must be a list of "fiad" or "size"'
    ):
        attacked(0, "solved", constraints=["fiat"])
    with pytest.raises(ScenarioError, match=r"attack.slack must be in \[0, 8\]"):
        attacked(0, "solved", slack=9.0)


def test_each_round_is_solved_for_its_own_fakes() -> None:
    one = attacked(0, "solved")
    solving = one.fakes[0].strategy
    assert isinstance(solving, Solving)
    assert isinstance(solving.attack, SolvedGain)
    assert solving.count == one.malicious
