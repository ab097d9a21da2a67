"""The chances of an observer: closed forms against every report, published numbers, bounds."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from ldptui.core.base.errors import ScenarioError
from ldptui.core.lab.guessing import (
    Guess,
    at_most,
    average_guess,
    guess_between_two,
    guess_by_report,
    guess_item,
    largest_epsilon,
)
from ldptui.core.law.enumeration import every_report
from ldptui.core.law.exchangeable import Exchangeable
from ldptui.core.law.longitudinal import Memoising
from ldptui.core.protocols import PROTOCOLS


def bound(kind: str, items: int, epsilon: float) -> Any:
    return PROTOCOLS[kind](kind=kind, epsilon=epsilon).bind(items)


def chances(guess: Guess) -> list[float]:
    return [guess.before, guess.after, guess.rad, guess.odds]


@pytest.mark.parametrize(
    "kind", [kind for kind in PROTOCOLS if isinstance(bound(kind, 4, 1.0), Exchangeable)]
)
def test_the_closed_forms_are_those_of_every_report(kind: str) -> None:
    rng = np.random.default_rng(0)
    for items in (2, 5):
        for epsilon in (0.5, 1.0, 3.0):
            protocol = bound(kind, items, epsilon)
            law = every_report(protocol)
            if law is None:
                continue
            for prior in (np.full(items, 1 / items), rng.dirichlet(np.ones(items))):
                found = guess_item(protocol, prior)
                assert chances(found) == pytest.approx(
                    chances(guess_by_report(law.probabilities, prior))
                )
                after, odds = at_most(epsilon, prior)
                assert found.after <= after + 1e-12
                assert found.odds <= odds * (1 + 1e-9)
                # A mutant with another budget is told from it.
                other = guess_item(bound(kind, items, epsilon + 0.3), prior)
                assert other.rad != pytest.approx(found.rad)


@pytest.mark.parametrize(
    ("kind", "epsilon", "rad"),
    [
        ("grr", 1.0, 0.01672), ("oue", 1.0, 0.00859), ("olh", 1.0, 0.00901), ("sue", 1.0, 0.00649),
        ("oue", 2.0, 0.0319), ("sue", 4.0, 0.0639), ("olh", 4.0, 0.224), ("oue", 4.0, 0.224),
    ],
)  # fmt: skip
def test_numbers_of_a_hundred_items(kind: str, epsilon: float, rad: float) -> None:
    assert guess_item(bound(kind, 100, epsilon), np.full(100, 0.01)).rad == pytest.approx(
        rad, rel=3e-3
    )


def test_the_simplest_forms() -> None:
    e, d = math.exp(1.0), 20
    prior = 1 / np.arange(1, d + 1)
    prior /= prior.sum()
    grr = guess_item(bound("grr", d, 1.0), prior)
    assert grr.rad == pytest.approx((e - 1) / (e + d - 1) * (1 - (prior**2).sum()))
    oue = guess_item(bound("oue", d, 1.0), np.full(d, 1 / d))
    assert oue.rad == pytest.approx((e - 1) / (2 * d) * (1 - (e / (e + 1)) ** (d - 1)))
    assert oue.rad == pytest.approx(oue.after - oue.before)


def test_reports_that_are_too_many_are_refused() -> None:
    with pytest.raises(ScenarioError, match="too many to go through"):
        guess_item(bound("hr", 3000, 1.0), np.full(3000, 1 / 3000))


@pytest.mark.parametrize("kind", ["ss", "hr"])
def test_the_largest_budget_is_the_lower_end_of_a_jump(kind: str) -> None:
    prior, gain = [(1.0, np.full(64, 1 / 64))], 0.2
    largest = largest_epsilon(lambda epsilon: bound(kind, 64, epsilon), prior, gain)
    assert largest is not None
    for epsilon in np.linspace(largest / 3, largest, 300):
        assert average_guess(bound(kind, 64, epsilon), prior).rad <= gain
    assert average_guess(bound(kind, 64, largest * (1 + 1e-12)), prior).rad > gain
    if kind == "hr":  # it has twice the blocks above ln 32
        assert largest == pytest.approx(math.log(32))


def test_no_budget_is_the_largest_where_all_keep_to_the_gain() -> None:
    prior = [(1.0, np.full(2, 0.5))]
    assert largest_epsilon(lambda epsilon: bound("grr", 2, epsilon), prior, 0.9) is None


@pytest.mark.parametrize(
    "kind", [kind for kind in PROTOCOLS if not isinstance(bound(kind, 3, 1.0), Memoising)]
)
def test_fresh_reports_tell_two_items_apart_as_their_joint_law_does(kind: str) -> None:
    protocol = bound(kind, 3, 1.0)
    law = every_report(protocol)
    assert law is not None
    joint = law.probabilities
    for reports in (1, 2, 3) if joint.size < 100 else (1, 2):
        apart = max(
            np.abs(one - other).sum() / 2 for i, one in enumerate(joint) for other in joint[:i]
        )
        assert guess_between_two(protocol, reports) == pytest.approx((1 + apart) / 2)
        joint = np.array(
            [np.outer(row, one).ravel() for row, one in zip(joint, law.probabilities, strict=True)]
        )


def test_a_kept_answer_has_no_fresh_reports() -> None:
    with pytest.raises(
        ScenarioError, match="must be 1: longitudinal unary encoding keeps its answer"
    ):
        guess_between_two(bound("l-oue", 3, 1.0), 2)
