"""Alarms on estimates: ASD against plain loops, the history against the law of its jumps."""

from __future__ import annotations

from dataclasses import replace
from statistics import NormalDist

import numpy as np
import pytest
from support import budget

from ldptui.core.base.sampling import Floats
from ldptui.core.defences import inform_server
from ldptui.core.defences.alarms import ASD, CONFIDENCES, History
from ldptui.core.law.law import Ask
from ldptui.core.law.pure import PureProtocol, Rng, SeedSearch
from ldptui.core.protocols import GRR, OLH, OUE

N, D, TRIALS = 100_000, 60, 4000
NOBODY = np.empty(0, dtype=np.int64)


def estimates(protocol: PureProtocol, fakes: int, trials: int, rng: Rng) -> Floats:
    """Estimates of N users over D items by Zipf, with fakes of MGA at two items."""
    weights = np.arange(1, D + 1) ** -1.0
    histogram = np.broadcast_to(np.round(N * weights / weights.sum()).astype(int), (trials, D))
    counts = protocol.sample_counts(histogram, rng)
    if fakes:
        each = np.full(trials, fakes)
        counts = counts + protocol.find_law(
            Ask("crafted", np.array([40, 45]), SeedSearch(9))
        ).counts(each, rng)
    return protocol.estimates(counts, int(histogram[0].sum()) + fakes).frequencies


@pytest.mark.parametrize("protocol", [OUE(D, 1.0), GRR(D, 2.0), OLH(D, 1.0)])
def test_asd_against_plain_loops(protocol: PureProtocol, rng: Rng) -> None:
    there = inform_server(protocol, N, NOBODY)
    slack, alarms = 0.02, []
    made = estimates(protocol, 4000, 12, rng)
    sigma = (N * protocol.q * (1 - protocol.q)) ** 0.5 / (protocol.p - protocol.q)
    for row in made:
        counts, chosen = row * N, None
        for level in CONFIDENCES.tolist():
            bound = NormalDist().inv_cdf((1 + level) / 2) * sigma
            small = sum(1 for count in counts if count <= bound)
            if chosen is None and small * bound * (1 - level) < slack * N:
                chosen = bound
        assert chosen is not None
        alarms.append(sum(count for count in counts if count > chosen) > N)
    assert ASD(slack).detect_attack(made, there).tolist() == alarms
    assert len(set(alarms)) == 2 or all(alarms) or not any(alarms)


def test_asd_alarms_at_an_attack_and_not_without_one(rng: Rng) -> None:
    protocol = OUE(D, 1.0)
    clean, attacked = (estimates(protocol, fakes, 200, rng) for fakes in (0, 20_000))
    there = inform_server(protocol, N, NOBODY)
    assert ASD().detect_attack(clean, there).mean() < 0.02
    assert ASD().detect_attack(attacked, there).all()


def test_asd_at_the_edges() -> None:
    there = inform_server(OUE(3, 1.0), 100, NOBODY)
    rows = np.array([[-1.0, -1.0, -1.0], [5.0, 5.0, 5.0]])
    assert ASD().detect_attack(rows, there).tolist() == [False, True]


@pytest.mark.parametrize("protocol", [OUE(D, 1.0), OLH(D, 1.0)])
def test_history_alarms_by_chance_at_the_stated_rate(protocol: PureProtocol, rng: Rng) -> None:
    """Estimates of items are independent: 1 - (1 - η/d)^d of the rounds, to normal tails."""
    chance = 0.3
    expected = 1 - (1 - chance / D) ** D
    before, now = (estimates(protocol, 0, TRIALS, rng) for _ in range(2))
    alarmed = History(chance).detect_attack(
        now, replace(inform_server(protocol, N, NOBODY), before=before)
    )
    assert alarmed is not None
    assert budget.proportion(int(alarmed.sum()), TRIALS, expected)
    far = inform_server(
        protocol, round(0.9 * N), NOBODY
    )  # a mutant that takes the noise for larger
    mutant = History(chance).detect_attack(now, replace(far, before=before))
    assert mutant is not None
    assert not budget.proportion(int(mutant.sum()), TRIALS, expected)


def test_history_needs_a_round_before(rng: Rng) -> None:
    protocol = OUE(D, 1.0)
    there, clean = inform_server(protocol, N, NOBODY), estimates(protocol, 0, 50, rng)
    assert History().detect_attack(clean, there) is None
    jumped = History().detect_attack(
        estimates(protocol, 5000, 50, rng), replace(there, before=clean)
    )
    assert jumped is not None
    assert jumped.all()
