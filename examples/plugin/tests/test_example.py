"""Each of them alone, and all together in a scenario."""

from pathlib import Path

import ldptui_example.attack
import numpy as np
import pytest
from ldptui_example.defence import floor
from ldptui_example.metric import kendall_tau
from ldptui_example.points import pgr
from ldptui_example.population import steps
from ldptui_example.protocol import pairs

import ldptui

SCENARIO = Path(__file__).parents[1] / "scenario.toml"


def test_every_fake_supports_one_target() -> None:
    oue, rng = ldptui.protocol("oue", 16, epsilon=1.0), np.random.default_rng(0)
    attack = ldptui_example.attack.Spread(each=1)
    reports = attack.reports(oue, ldptui.View(np.array([3, 5, 7])), 100, rng)
    counts = oue.support_counts(oue.validate_reports(reports, 100))
    assert 100 in counts[[3, 5, 7]]


def test_a_wrong_option_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 1, got 0"):
        ldptui_example.attack.Spread(each=0)


def test_nothing_is_below_the_floor() -> None:
    assert floor(np.array([[-0.5, 0.5]]), None, least=0.1).tolist() == [[0.1, 0.5]]


def test_they_run_where_they_are_allowed() -> None:
    with pytest.raises(ldptui.ScenarioError, match="needs the attack 'spread'"):
        ldptui.run(SCENARIO)
    results = ldptui.run(
        SCENARIO, allow_attacks=["spread", "floor", "pairs", "steps", "kendall_tau"]
    )
    assert results.error == ""
    one, three = (results.estimate("gain", cell).mean for cell in (0, 1))
    assert three > one > 0
    clean = results.estimate("kendall_tau_clean")
    assert -1 <= clean.mean <= 1
    assert clean.standard_error > 0


def test_the_protocol_estimates_what_users_hold() -> None:
    protocol, rng = pairs(5, 2.0), np.random.default_rng(0)
    held = np.repeat([0, 1, 4], [6000, 3000, 1000])
    found = ldptui.estimate(protocol.perturb(held, rng), protocol, confidence=1 - 1e-9)
    truth = [0.6, 0.3, 0.0, 0.0, 0.1]
    assert ((found.low < truth) & (truth < found.high)).all()


def test_the_geometry_is_that_of_the_paper() -> None:
    """PGR's p and q, from the numbers of points and of hyperplanes: 31 points mod 5."""
    e, protocol = np.e, pgr(20, 1.0)
    one, two, every = 6, 1, 31
    weight = (e - 1) * one + every
    assert protocol.messages == every
    assert protocol.p == pytest.approx(e * one / weight)
    assert protocol.q == pytest.approx(((e - 1) * two + one) / weight)
    assert not protocol.warnings


def test_steps_are_as_wide_as_they_should_be() -> None:
    assert steps(5, width=2).tolist() == [1, 1, 1 / 2, 1 / 2, 1 / 3]


@pytest.mark.parametrize(
    ("estimate", "most", "tau"),
    [
        ([0.4, 0.3, 0.2, 0.1], 0, 1),
        ([0.1, 0.2, 0.3, 0.4], 0, -1),
        ([0.4, 0.2, 0.3, 0.1], 0, 4 / 6),  # one of six pairs the wrong way round
        ([0.4, 0.3, 0.3, 0.1], 0, 5 / 30**0.5),  # one pair tied
        ([0.1, 0.2, 0.3, 0.4], 1, 0),
    ],
)
def test_the_order_of_estimates_is_compared(estimate: list[float], most: int, tau: float) -> None:
    truth = np.array([0.4, 0.3, 0.2, 0.1])
    facts = ldptui.Facts(truth, truth, np.array([3]), 100, 5, 2)
    assert kendall_tau(np.array(estimate), facts, most=most) == pytest.approx(tau)
