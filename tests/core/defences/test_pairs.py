"""The pair screen: its law, its false alarms, its power, and what it makes of poisoned reports."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from support import budget
from support.kinds import SEVERAL_ITEMS

from ldptui.core.base.sampling import Floats
from ldptui.core.defences import TrialReports, Verdict
from ldptui.core.defences.itemsets import report_columns
from ldptui.core.defences.pairs import Pairs
from ldptui.core.defences.suspects import least_number
from ldptui.core.law.law import Ask
from ldptui.core.law.pure import Items, Reports, Rng, SeedSearch, Total, item_variance
from ldptui.core.law.together import PairLaw, numbers
from ldptui.core.protocols import KINDS, OLH, OUE, SUE
from ldptui.core.protocols.subset import SubsetSpec
from ldptui.core.theory.defended import pair_probability

TARGETS = np.array([3, 8, 11, 15, 19])
SEARCH = SeedSearch(200)


def bound(kind: str, domain_size: int, epsilon: float = 1.0) -> Any:
    return KINDS[kind](kind=kind, epsilon=epsilon).bind(domain_size)


def ss(domain_size: int, epsilon: float) -> Any:
    return SubsetSpec("ss", epsilon).bind(domain_size)


def screened(protocol: Any, reports: Reports, chance: float = 0.01) -> Verdict:
    return Pairs(chance).sift(TrialReports(protocol, reports, np.random.default_rng(0)))


def excess(protocol: Any, reports: Reports, law: PairLaw | None = None) -> Floats:
    """T of every pair, in one row."""
    bits = protocol.supports(reports).astype(np.int64)
    made = (law or PairLaw.of(protocol)).excess(bits.sum(axis=0), bits.T @ bits, len(bits))
    return made[np.triu_indices(len(made), 1)]


@pytest.mark.parametrize("kind", SEVERAL_ITEMS)
def test_the_pair_law_is_that_of_the_support_laws(kind: str) -> None:
    """P(both) follows from the variance of two items' support as well, told elsewhere."""
    for d in (3, 24):
        protocol = bound(kind, d)
        law, (p, q) = PairLaw.of(protocol), (protocol.p, protocol.q)
        own = (protocol.find_support("honest", 2).variance + (p + q) ** 2 - (p + q)) / 2
        nobody = (p - q) ** 2 * protocol.total_variance(Total(2))
        assert law.own == pytest.approx(own, rel=1e-9)
        assert law.other == pytest.approx((nobody + 4 * q**2 - 2 * q) / 2, rel=1e-9)
        for either, both in ((2 * q, law.other), (p + q, law.own)):
            assert law.moments(either, both)[0] == pytest.approx(0, abs=1e-12)
        for held in (False, True):
            mean = numbers(protocol, 2, held) @ np.arange(3)
            assert mean == pytest.approx(2 * q + held * (p - q), rel=1e-9)


@pytest.mark.every(4)
@pytest.mark.parametrize("kind", SEVERAL_ITEMS)
def test_the_excess_of_honest_reports_has_mean_0_and_this_variance(kind: str, rng: Rng) -> None:
    """Whatever the frequencies are; a law that misses what the own item adds is rejected."""
    protocol, users, runs = bound(kind, 8), 400, 250
    held = np.repeat(np.arange(8), [240, 100, 40, 20, 0, 0, 0, 0])
    law = PairLaw.of(protocol)
    first, second = np.triu_indices(8, 1)
    sizes = np.bincount(held, minlength=8)
    variance = law.variance(users, sizes[first] + sizes[second])
    seen = np.array([excess(protocol, protocol.perturb(held, rng)) for _ in range(runs)])
    assert budget.mean(seen, 0.0, variance)
    assert budget.spread(seen, 0.0, variance)
    assert not budget.spread(seen, 0.0, 2 * np.asarray(variance))
    wrong = PairLaw(law.p, law.q, law.other, law.other)
    reports = [protocol.perturb(held, rng) for _ in range(runs)]
    mutant = np.array([excess(protocol, each, wrong) for each in reports])
    assert not budget.mean(mutant, 0.0, variance)


def alarms(protocol: Any, populations: list[Floats], users: int, runs: int, rng: Rng) -> int:
    """The alarms of the screen among runs of honest reports of each population."""
    raised = 0
    for frequencies in populations:
        for _ in range(runs):
            held = rng.choice(protocol.domain_size, users, p=frequencies)
            raised += bool(screened(protocol, protocol.perturb(held, rng), 0.05).alarm)
    return raised


POPULATIONS = [np.full(12, 1 / 12), np.eye(12)[3], 0.5 ** np.arange(1, 13) / (1 - 0.5**12)]


@pytest.mark.every(3)
@pytest.mark.parametrize("kind", SEVERAL_ITEMS)
def test_honest_reports_alarm_at_the_promised_rate_at_most(kind: str, rng: Rng) -> None:
    for epsilon in (1.0, 4.0):
        raised = alarms(bound(kind, 12, epsilon), POPULATIONS, 500, 10, rng)
        assert raised <= 12, "of 60 at 0.05: one in 10^5 is as unlikely at twice that rate"


def test_a_limit_for_one_pair_alone_would_alarm_too_often(rng: Rng) -> None:
    """The mutant: the chance is promised for all pairs, not for each."""
    protocol, raised = OUE(48, 1.0), 0
    for _ in range(40):
        reports = protocol.perturb(rng.integers(0, 48, 2000), rng)
        bits = protocol.supports(reports).astype(np.int64)
        law, single = PairLaw.of(protocol), bits.sum(axis=0)
        beyond = np.triu(law.excess(single, bits.T @ bits, 2000), 1)
        raised += bool((beyond > law.limits(single, 2000, 0.05, 2)).any())
        assert (beyond <= law.limits(single, 2000, 0.05, 48)).all()
    assert not budget.proportion(raised, 40, 0.05)


def crafted(protocol: Any, law: str, targets: Items) -> Ask:
    return Ask(law, targets, SEARCH, subset=3 if law == "subset" else 0)  # type: ignore[arg-type]


def power(protocol: Any, ask: Ask, held: Floats, users: int, fakes: int) -> float:
    support, r = protocol.find_law(ask).towards(), ask.targets.size
    both = pair_probability(r, support.target, support.variance)
    return Pairs().power(protocol, held, 2 * support.target, both, users, fakes)


SETTINGS = [
    (make, law, fakes)
    for make in (OUE, SUE, OLH, ss)
    for law, share in (("crafted", (0.5, 1.0, 1.5)), ("subset", (2.0, 4.0, 6.0)), ("honest", (3,)))
    for fakes in share
    if not (make is ss and law == "subset")
]


def check_power(make: Any, law: str, part: float, runs: int, rng: Rng, mutant: bool) -> bool:
    """Whether the alarms of runs agree with the closed form; fakes : in parts of 2 √N."""
    protocol, users = make(24, 1.0), 4000
    fakes = round(part * 2 * users**0.5)
    ask = crafted(protocol, law, TARGETS)
    held = np.repeat(np.arange(24), np.bincount(np.arange(users) % 24, minlength=24))
    raised = 0
    for _ in range(runs):
        reports = np.concatenate(
            [protocol.perturb(held, rng), protocol.find_law(ask).reports(fakes, rng)]
        )
        raised += bool(screened(protocol, reports).alarm)
    frequencies = np.full(TARGETS.size, 1 / 24)
    told = power(protocol, ask, frequencies, users, fakes if not mutant else 2 * fakes + 40)
    return bool(budget.proportion(raised, runs, min(max(told, 1e-4), 1 - 1e-4)))


@pytest.mark.every(9)
@pytest.mark.parametrize(("make", "law", "part"), SETTINGS[::2])
def test_the_power_is_that_of_its_closed_form(make: Any, law: str, part: float, rng: Rng) -> None:
    assert check_power(make, law, part, 40, rng, mutant=False)


@pytest.mark.every(3)
@pytest.mark.parametrize("make", [OUE, SUE, OLH, ss])
def test_the_targets_of_mga_are_named_and_the_estimates_mended(make: Any, rng: Rng) -> None:
    protocol, users, fakes, runs = make(24, 1.0), 8000, 400, 30
    held = np.minimum(rng.geometric(0.3, users), 24) - 1
    truth = np.bincount(held, minlength=24) / users
    estimates = []
    for _ in range(runs):
        reports = np.concatenate(
            [protocol.perturb(held, rng), protocol.craft(TARGETS, fakes, SEARCH, rng)]
        )
        verdict = screened(protocol, reports)
        assert verdict.alarm
        assert verdict.kept is not None
        assert verdict.score is not None
        flagged = ~verdict.kept
        assert set(verdict.score.astype(int)) <= set(range(6))
        assert flagged[users:].mean() > 0.5
        full = protocol.supports(reports)[:, TARGETS].all(axis=1)
        assert flagged[full].all()
        removed = verdict.removed if verdict.removed is not None else 0
        left = protocol.support_counts(reports[verdict.kept]) - removed
        number = int(verdict.kept.sum()) - verdict.fewer
        estimates.append((left / number - protocol.q) / (protocol.p - protocol.q))
    if make is OLH:
        return  # fakes of hash functions that match three targets stay
    noise = item_variance(protocol, users, truth)  # dropping honest reports adds less than that
    assert budget.mean(estimates, truth, 2 * noise)
    plain = protocol.estimates(protocol.support_counts(reports)[None], len(reports))
    assert not budget.mean(np.repeat(plain.frequencies, runs, axis=0), truth, 2 * noise)


def test_reports_of_hashing_and_of_subsets_make_the_columns_of_their_bits(rng: Rng) -> None:
    for protocol in (OLH(13, 1.0), ss(13, 1.0)):
        reports = protocol.perturb(rng.integers(0, 13, 700), rng)
        bits = np.unpackbits(report_columns(protocol, reports).view(np.uint8), axis=1)[:, :700]
        assert np.array_equal(bits.T, protocol.supports(reports))


def test_the_blind_spots_are_told(rng: Rng) -> None:
    """Honest reports of targets, and one target, move no pair; GRR and SS with w = 1 have none."""
    protocol, users = OUE(24, 1.0), 8000
    honest = protocol.perturb(rng.integers(0, 24, users), rng)
    inputs = protocol.perturb(rng.choice(TARGETS, 800), rng)
    one = protocol.craft(TARGETS[:1], 400, SEARCH, rng)
    for fakes in (inputs, one):
        assert screened(protocol, np.concatenate([honest, fakes])).alarm is False
    reason = Pairs().reads(KINDS["grr"].mechanism)
    assert reason is not None
    assert "one item" in reason
    single: Any = SubsetSpec("ss", 1.0, 1).bind(24)
    assert power(single, crafted(single, "crafted", TARGETS), np.full(5, 0.1), 4000, 400) == 0


def test_reports_are_dropped_from_the_number_on_that_most_fakes_reach() -> None:
    protocol: Any = OUE(24, 1.0)
    honest = 10_000 * numbers(protocol, 5, held=False)
    fakes = np.zeros(6)
    fakes[5] = 300
    assert least_number(protocol, np.rint(honest + fakes).astype(np.int64)) == 5
    some = np.array([0, 0, 0, 3000, 300, 300])
    assert least_number(protocol, np.rint(honest + some).astype(np.int64)) == 3
