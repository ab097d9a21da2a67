"""A muted step stays in the scenario, and everything is as it is without it."""

from __future__ import annotations

from typing import Any

import pytest
from support import defences
from support.cases import attack, experiment

from ldptui import core
from ldptui.core.base.arms import UNDEFENDED
from ldptui.core.base.errors import ScenarioError
from ldptui.core.defences import DEFENCES
from ldptui.core.defences.defence_kinds import OF_NUMBERS
from ldptui.core.store.cell_address import addresses


def work(*steps: dict[str, Any], **more: Any) -> core.Experiment:
    users = {"kind": "zipf", "items": 8, "users": 300, "exponent": 1.0}
    protocol, table = {"kind": "oue", "epsilon": 1.0}, attack("mga", 0.05, [3, 6])
    return experiment(users, protocol, table, trials=2, defence=[*steps], **more)


@pytest.mark.parametrize("kind", DEFENCES)
def test_a_muted_step_of_any_kind_does_not_act(kind: str) -> None:
    (without,) = work().cells
    (muted,) = work({**defences.table(kind), "muted": True}).cells
    assert muted.defences == ()
    assert muted.arms == UNDEFENDED
    assert muted.path == without.path == "counts"
    assert addresses(muted, "") == addresses(without, "")
    assert muted.parameters["defence.0.muted"] is True


@pytest.mark.parametrize("kind", [kind for kind in DEFENCES if kind not in OF_NUMBERS])
def test_the_words_of_muting_change_no_number(kind: str) -> None:
    rounds = {"campaign": {"rounds": 2}} if DEFENCES[kind].compares_rounds else {}
    silent, spoken = (
        work({**defences.table(kind), **more}, **rounds).cells[0] for more in ({}, {"muted": False})
    )
    assert addresses(silent, "") == addresses(spoken, "")
    assert repr(silent.defences) == repr(spoken.defences)
    assert "defence.0.muted" not in silent.parameters


def test_a_muted_step_is_refused_nothing_but_its_own_values() -> None:
    """It may stand where it makes no sense, and a filter leaves the counts path."""
    work({"kind": "norm-sub"}, {"kind": "fiad", "muted": True}, simulate={"path": "counts"})
    work({"kind": "history", "muted": True})
    work({"kind": "fiad"}, {"kind": "ldpguard", "muted": True})
    with pytest.raises(ScenarioError, match=r"defence.0.chance must be in \(0, 1\), got 2"):
        work({"kind": "fiad", "chance": 2.0, "muted": True})
    with pytest.raises(ScenarioError, match=r"where there is no \[\[defence\]\]"):
        experiment(
            {"kind": "zipf", "items": 8, "users": 300, "exponent": 1.0},
            {"kind": "oue", "epsilon": 1.0},
            {"kind": "mga", "targets": {"items": [3]}},
            defence=[{"kind": "norm-sub", "muted": True}],
            goal={"metric": "gain_after", "at_least": 0.1},
        )
