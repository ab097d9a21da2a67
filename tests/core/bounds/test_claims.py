"""The overturning share against a programme over all reports, its test, and such attacks."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog
from support import budget
from support.kinds import ONE_OF_EACH

from ldptui.core.base.sampling import Floats
from ldptui.core.bounds.claims import (
    Claim,
    Sum,
    above,
    in_top,
    independent,
    overturning_share,
    report_noise,
)
from ldptui.core.bounds.robust import Ballot, ballot_of
from ldptui.core.protocols import PROTOCOLS

FREE = [kind for kind in PROTOCOLS if not hasattr(PROTOCOLS[kind].mechanism, "messages")]
"""The protocols whose reports are not few messages, which say of some items what they have to."""

ONE_EACH = [kind for kind in ONE_OF_EACH if kind in FREE]


def bound(kind: str, items: int = 4, epsilon: float = 1.0) -> Any:
    return PROTOCOLS[kind](kind=kind, epsilon=epsilon).bind(items)


def total(*weights: float, above: float = 0.0) -> Sum:
    some = [at for at, weight in enumerate(weights) if weight]
    return Sum(np.array(some), np.array([weights[at] for at in some]), above)


def votes(ballot: Ballot, items: int) -> Floats:
    """float64[k, d]: what every report says that the ballot allows."""
    most = items if ballot.votes is None else ballot.votes
    every = itertools.product((ballot.low, ballot.high), repeat=items)
    return np.array([row for row in every if sum(x == ballot.high for x in row) <= most])


def least_share(claimed: Sum, means: Floats, ballot: Ballot) -> float:
    """The least share of fakes with which some honest means let the sum be at its level.

    Honest reports say u, times their share, and fakes Σ z y over the reports y: means = u + Σ z y.
    The share Σ z is least; Σ w u may be at most the level times 1 − Σ z.
    """
    every = votes(ballot, means.size)
    weights = np.zeros(means.size)
    weights[claimed.items] = claimed.weights
    level = ballot.q * weights.sum() + (ballot.p - ballot.q) * claimed.above
    answer = linprog(
        np.ones(len(every)),
        A_ub=(level - every @ weights)[None, :],
        b_ub=[level - weights @ means],
        bounds=(0, None),
        method="highs",
    )
    assert answer.success
    return float(answer.fun)


CLAIMS = {
    "a > b": total(1, -1),
    "a + b > c + d": total(1, 1, -1, -1),
    "a > 0.02": total(1, above=0.02),
    "a + b > 0.3": total(1, 1, above=0.3),
    "b < 0.5": total(0, -1, above=-0.5),
    "2 a > b": total(2, -1),
}


@pytest.mark.every(7)
@pytest.mark.parametrize("claimed", CLAIMS.values(), ids=CLAIMS)
@pytest.mark.parametrize("kind", FREE)
def test_the_overturning_share_is_that_of_a_programme(kind: str, claimed: Sum) -> None:
    protocol = bound(kind)
    ballot = ballot_of(protocol)
    means = ballot.means(np.array([0.5, 0.3, 0.15, 0.05]))
    found = overturning_share(above(claimed), means, ballot, report_noise(protocol, 10**8))
    least = least_share(claimed, means, ballot)
    assert found.share == pytest.approx(least, abs=1e-9)
    assert 0 < found.low < found.share
    assert found.low == pytest.approx(least, abs=1e-3)


def test_the_closed_forms_of_the_three_simplest_claims() -> None:
    oue = bound("oue", 5)
    ballot, f = ballot_of(oue), np.array([0.4, 0.3, 0.2, 0.1, 0.0])
    means, noise = ballot.means(f), report_noise(oue, 10**6)

    def share(claim: Claim) -> float:
        return overturning_share(claim, means, ballot, noise).share

    gap = oue.p - oue.q
    assert share(above(total(1, -1))) == pytest.approx(gap * 0.1)
    assert share(above(total(1, above=0.1))) == pytest.approx(gap * 0.3 / (1 - oue.q - gap * 0.1))
    # The second item is among the 3 largest as long as it is above the third of the others.
    assert share(in_top(1, 3)) == pytest.approx(gap * 0.2)
    assert share(in_top(4, 3)) == 0.0
    assert share(above(total(0, 1, -1, above=0.2))) == 0.0
    assert share(above(total(1, above=1.5))) == 0.0


def test_one_vote_and_free_bits_of_an_aggregated_histogram() -> None:
    means, noise = np.array([0.5, 0.3, 0.2]), independent(np.full(3, 1e-6))
    both = above(total(1, 1, above=0.5))
    one = overturning_share(both, means, Ballot(votes=1), noise).share
    free = overturning_share(both, means, Ballot(), noise).share
    assert (one, free) == (pytest.approx(0.3 / 0.5), pytest.approx(0.3 / 1.5))
    drawn = overturning_share(above(total(1, -1)), means, Ballot(votes=1), noise)
    assert drawn.low == pytest.approx(0.2 - 1.6448536269514722 * np.sqrt(2) * 1e-6)


@pytest.mark.every(3)
@pytest.mark.parametrize("kind", ONE_EACH)
def test_the_lower_bound_is_too_large_in_one_of_twenty_runs(kind: str) -> None:
    """At the worst truth, the items equal: 300 runs; without the noise it is half of them."""
    protocol, users, runs = bound(kind, 4), 4000, 300
    ballot, rng = ballot_of(protocol), np.random.default_rng(1)
    histogram = np.tile([1600, 1600, 400, 400], (runs, 1))
    fakes = np.array([200, 0, 0, 0])  # all of them for the first item: a share of 1/21
    means = (protocol.sample_counts(histogram, rng) + fakes) / (users + 200)
    claim, noise = above(total(1, -1)), report_noise(protocol, users + 200)
    found = [overturning_share(claim, row, ballot, noise) for row in means]
    too_large = sum(each.low > 200 / 4200 for each in found)
    assert too_large <= runs * 0.05 or budget.proportion(too_large, runs, 0.05)
    without = sum(each.share > 200 / 4200 for each in found)  # a mutant without the noise
    assert not budget.proportion(without, runs, 0.05)


@pytest.mark.parametrize("kind", ONE_EACH)
def test_an_attack_of_that_share_flips_the_claim_and_one_of_nine_tenths_does_not(
    kind: str,
) -> None:
    """The fakes all say for b what one report can say, and nothing of a; 100 runs of each."""
    protocol: Any = bound(kind, 4, 2.0)
    ballot, rng, users = ballot_of(protocol), np.random.default_rng(2), 400_000
    histogram = np.tile((np.array([0.4, 0.31, 0.2, 0.09]) * users).astype(int), (100, 1))
    honest = protocol.sample_counts(histogram, rng)
    claim, noise = above(total(1, -1)), report_noise(protocol, users)
    beta = overturning_share(claim, ballot.means(histogram[0] / users), ballot, noise).share
    said = np.array([0, 1, 0, 0])
    flipped = {}
    for part in (0.9, 1.0):
        fakes = round(part * beta * users / (1 - part * beta))
        means = (honest + fakes * said) / (users + fakes)
        flipped[part] = int((means[:, 0] <= means[:, 1]).sum())
    assert flipped[0.9] <= 1
    assert flipped[1.0] >= 50
    # The other way around: from what such fakes leave, an honest population of the opposite claim.
    fakes = round(beta * users)
    opposite = np.tile([users // 2 - fakes, users // 2 - fakes, fakes, fakes], (100, 1))
    seen = (protocol.sample_counts(opposite, rng) + fakes * np.array([1, 0, 0, 0])) / (
        users + fakes
    )
    mean_share = np.mean([overturning_share(claim, row, ballot, noise).share for row in seen])
    assert mean_share == pytest.approx(fakes / (users + fakes), rel=0.05)
