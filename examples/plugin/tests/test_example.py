"""The attack and the defence alone, and together in a scenario."""

from pathlib import Path

import ldptui_example.attack
import numpy as np
import pytest
from ldptui_example.defence import floor

import ldptui

SCENARIO = Path(__file__).parents[1] / "scenario.toml"


def test_every_fake_supports_one_target() -> None:
    oue, rng = ldptui.protocol("oue", 16, epsilon=1.0), np.random.default_rng(0)
    attack = ldptui_example.attack.Spread(each=1)
    reports = attack.reports(oue, ldptui.View(np.array([3, 5, 7])), 100, rng)
    counts = oue.support_counts(oue.received(reports, 100))
    assert 100 in counts[[3, 5, 7]]


def test_a_wrong_option_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 1, got 0"):
        ldptui_example.attack.Spread(each=0)


def test_nothing_is_below_the_floor() -> None:
    assert floor(np.array([[-0.5, 0.5]]), None, least=0.1).tolist() == [[0.1, 0.5]]


def test_they_run_where_they_are_allowed() -> None:
    with pytest.raises(ldptui.ScenarioError, match="--allow-attack spread lets it run"):
        ldptui.run(SCENARIO)
    results = ldptui.run(SCENARIO, allow_attacks=["spread", "floor"])
    assert results.error == ""
    one, three = (results.estimate("gain", cell).mean for cell in (0, 1))
    assert three > one > 0
