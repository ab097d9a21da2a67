"""The contract of a protocol, for every one that a scenario can name.

Reports are compared with the enumerated law of one report, counts with the joint law of the counts
of several: that is everything there is to know about them. Larger runs check the moments.
"""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from support import budget
from support.budget import Verdict
from support.cases import (
    CASES,
    EXTREMES,
    bind,
    changed,
    of_kind,
    one_percent_more,
    outcome_counts_of,
    subset_counts_of,
)
from support.report_laws import Case, Moments, Poisoned, counts_law

from core.capabilities import places
from core.errors import ScenarioError
from core.kernels.hashing import buckets
from core.protocols import BLH, GRR, OLH, OUE, PROTOCOLS, SUE, LocalHashing, Unary
from core.protocols.hashing import fewest_law, hash_range_for, matched_law, search
from core.protocols.unary import IndependentBits
from core.pure import PureProtocol, Scoring, SeedSearch, estimate, item_variance
from core.support import Support
from core.theory import item_variances, target_sum_variance

Rng = np.random.Generator

every_case = pytest.mark.parametrize("case", CASES, ids=str)
every_extreme = pytest.mark.parametrize("case", EXTREMES, ids=str)

REPORTS = 120_000
"""Reports of each item: 0.01 more of p is 15 deviations over five items."""


def test_every_protocol_of_a_scenario_is_tested() -> None:
    assert {case.kind for case in CASES} == set(PROTOCOLS)
    assert {case.kind for case in EXTREMES} == set(PROTOCOLS)


# p and q by counting, both ways.


def spreads(case: Case) -> Any:
    """[own item, item]: the variance of what a report says of each item."""
    return [Moments.of(case.honest(item)).covariance.diagonal() for item in range(case.domain_size)]


def reports_show_p_and_q(case: Case, protocol: PureProtocol, rng: Rng) -> Verdict:
    """The rates at which the own item and each other item are supported, over all items."""
    d, n = case.domain_size, REPORTS
    values = np.repeat(np.arange(d), n)
    supports = protocol.supports(protocol.perturb(values, rng))
    rates = np.full((d, d), case.q) + (case.p - case.q) * np.eye(d)
    if supports.dtype != np.bool_:  # against items as well
        said = supports.reshape(d, n, d).swapaxes(0, 1)
        own = said.diagonal(axis1=1, axis2=2).ravel()
        together = budget.mean(own, case.p, np.diag(spreads(case)).mean())
        return budget.mean(said, rates, spreads(case)) & together
    hits = supports.reshape(d, n, d).sum(axis=1)
    together = budget.proportion(np.trace(hits), d * n, case.p)
    return budget.proportion(hits, n, rates) & together


@every_case
def test_reports_show_p_and_q(case: Case, rng: Rng) -> None:
    assert reports_show_p_and_q(case, bind(case), rng)
    assert not reports_show_p_and_q(case, one_percent_more(case), rng)


@every_case
def test_reports_show_a_wrong_q(case: Case, rng: Rng) -> None:
    if case.code is not None:  # the same code for another budget
        mutant = bind(replace(case, epsilon=case.epsilon * 0.8))
    elif case.subset_size is not None:  # what is not p is spread over the other items
        mutant = changed(bind(case), p=case.p - 0.06)
    elif case.hash_range is None:
        mutant = changed(bind(case), q=case.q + 0.015)
    else:
        mutant = changed(bind(case), hash_range=case.hash_range + 1)
    assert not reports_show_p_and_q(case, mutant, rng)


@pytest.mark.every(2)
@every_extreme
def test_reports_show_p_and_q_at_the_edges(case: Case, rng: Rng) -> None:
    assert reports_show_p_and_q(case, bind(case), rng)


def counts_show_p_and_q(case: Case, protocol: PureProtocol, rng: Rng) -> Verdict:
    """A billion users that all hold one item."""
    n = 10**9
    histogram = n * np.eye(case.domain_size, dtype=np.int64)
    rates = np.full((case.domain_size,) * 2, case.q)
    np.fill_diagonal(rates, case.p)
    counts = protocol.sample_counts(histogram, rng)
    if case.code is not None and case.code.signed:
        return budget.mean(counts[None], n * rates, n * np.array(spreads(case)))
    return budget.proportion(counts, n, rates)


@pytest.mark.parametrize("case", [*CASES, *EXTREMES], ids=str)
def test_counts_show_p_and_q(case: Case, rng: Rng) -> None:
    assert counts_show_p_and_q(case, bind(case), rng)


@every_case
def test_counts_show_a_wrong_p(case: Case, rng: Rng) -> None:
    assert not counts_show_p_and_q(case, one_percent_more(case), rng)
    assert not counts_show_p_and_q(case, bind(replace(case, epsilon=1.01)), rng)


# The joint law of one report.


def honest_reports_follow_their_law(case: Case, protocol: PureProtocol, rng: Rng) -> Verdict:
    """The subsets of the items that the reports of each item support."""
    d = case.domain_size
    seen, law = [], []
    for item in range(d):
        reports = protocol.perturb(np.full(REPORTS, item), rng)
        seen.append(subset_counts_of(protocol.supports(reports)))
        law.append(case.honest(item) / d)
    return budget.law(np.concatenate(seen), np.concatenate(law))


@every_case
def test_honest_reports_follow_their_law(case: Case, rng: Rng) -> None:
    assert honest_reports_follow_their_law(case, bind(case), rng)


@every_case
def test_honest_reports_that_share_their_noise(case: Case, rng: Rng) -> None:
    """Every bit right, but all drawn from one number, or all hashed by one function."""
    true = bind(case)

    def perturb(self: Any, values: Any, rng: Rng) -> Any:
        if isinstance(true, LocalHashing):
            reports = true.perturb(values, rng)
            reports["seed"] = 7
            return reports
        if isinstance(true, IndependentBits):
            one = rng.random((values.size, 1))
            rate = np.where(values[:, None] == np.arange(case.domain_size), case.p, case.q)
            return np.packbits(one < rate, axis=1)
        if case.code is not None:  # only the first message that agrees
            reports = true.perturb(values, rng)
            first = (case.code.supports > 0).argmax(axis=0).astype(np.uint32)[values]
            return np.where(rng.random(values.size) < case.p, first, reports)
        kept, d = rng.random(values.size) < case.p, case.domain_size
        if case.subset_size is not None:  # neighbours, not any others
            sets = np.arange(case.subset_size) + np.where(kept, 0, 1)[:, None] + values[:, None]
            bits = np.zeros((values.size, d), dtype=np.uint8)
            np.put_along_axis(bits, sets % d, 1, axis=1)
            return np.packbits(bits, axis=1)
        return np.where(kept, values, (values + 1) % d)

    assert not honest_reports_follow_their_law(case, changed(true, perturb=perturb), rng)


@pytest.mark.parametrize("case", [c for c in CASES if c.hash_range], ids=str)
def test_hashing_reports_another_bucket_uniformly(case: Case, rng: Rng) -> None:
    """The distance from the own bucket to the one sent; the seed is uniform."""
    protocol, g = bind(case), case.hash_range
    assert g is not None
    assert isinstance(protocol, LocalHashing)
    values = rng.integers(0, case.domain_size, size=500_000)
    reports = protocol.perturb(values, rng)
    own = buckets(values, reports["seed"].copy(), g).astype(int)
    apart = (reports["value"].astype(int) - own) % g
    law = np.full(g, (1 - case.p) / (g - 1))
    law[0] = case.p
    assert budget.law(np.bincount(apart, minlength=g), law)
    assert not budget.law(np.bincount(apart, minlength=g), np.roll(law, 1))
    top_bits = np.bincount(reports["seed"] >> np.uint32(24), minlength=256)
    assert budget.law(top_bits, np.full(256, 1 / 256))
    assert np.unique(reports["seed"]).size > 499_900  # one fresh seed each


@every_case
def test_random_reports_follow_their_law(case: Case, rng: Rng) -> None:
    protocol = bind(case)
    seen = subset_counts_of(protocol.supports(protocol.random_reports(REPORTS, rng)))
    assert budget.law(seen, case.random())
    assert not budget.law(seen, case.honest(0))


@pytest.mark.parametrize("kind", ["sue", "oue"])
@pytest.mark.parametrize("d", [8, 9, 11])
def test_unary_reports_of_more_than_one_byte(kind: str, d: int, rng: Rng) -> None:
    """The law over all items, and nothing in the bits after the last one."""
    case = Case(kind, d, 1.0)
    protocol = bind(case)
    for reports, law in (
        (protocol.random_reports(REPORTS, rng), case.random()),
        (protocol.perturb(np.full(REPORTS, d - 1), rng), case.honest(d - 1)),
    ):
        assert budget.law(subset_counts_of(protocol.supports(reports)), law)
        assert not budget.law(subset_counts_of(protocol.supports(reports)), case.honest(0))
        assert np.unpackbits(reports, axis=1)[:, d:].sum() == 0


# The counts path against the joint law of the counts of a few users.


HELD = [0, 0, 2]
TRIALS = 40_000


def small(case: Case) -> Case:
    """Three items: 64 outcomes of three users."""
    sets = case.subset_size if case.subset_size is None else min(case.subset_size, 2)
    return replace(case, domain_size=3, subset_size=sets)


def outcomes_of(case: Case, counts: Any, users: int) -> Any:
    return outcome_counts_of(counts, users, signed=case.code is not None and case.code.signed)


def honest_counts_follow_their_law(case: Case, protocol: PureProtocol, rng: Rng) -> Verdict:
    histogram = np.bincount(HELD, minlength=case.domain_size)
    drawn = protocol.sample_counts(np.broadcast_to(histogram, (TRIALS, case.domain_size)), rng)
    law = counts_law([case.honest(item) for item in HELD])
    return budget.law(outcomes_of(case, drawn, len(HELD)), law)


@every_case
def test_honest_counts_follow_their_joint_law(case: Case, rng: Rng) -> None:
    assert honest_counts_follow_their_law(small(case), bind(small(case)), rng)


@every_case
def test_honest_counts_with_right_means_but_wrong_dependence(case: Case, rng: Rng) -> None:
    case = small(case)

    def sample_counts(self: Any, histogram: Any, rng: Rng) -> Any:
        others = histogram.sum(axis=-1, keepdims=True) - histogram
        if case.one_item:  # items drawn on their own
            return rng.binomial(histogram, case.p) + rng.binomial(others, case.q)
        # The same others for every item.
        noise = rng.binomial(others[:, :1], case.q)
        return rng.binomial(histogram, case.p) + np.minimum(noise, others)

    mutant = changed(bind(case), sample_counts=sample_counts)
    assert not honest_counts_follow_their_law(case, mutant, rng)


@every_case
def test_random_counts_follow_their_joint_law(case: Case, rng: Rng) -> None:
    case = small(case)
    drawn = bind(case).random_counts(np.full(TRIALS, 3), rng)
    outcomes = outcomes_of(case, drawn, 3)
    assert budget.law(outcomes, counts_law([case.random()] * 3))
    assert not budget.law(outcomes, counts_law([case.random()] * 2 + [case.honest(0)]))


# Crafted reports. Few seeds, so that the search often fails and its law shows.


CRAFTED = [
    (case, targets, scoring)
    for case in CASES
    for targets in ([3], [3, 0, 4], [0, 1, 2, 3, 4])
    for scoring in (("anchor", "bucket") if case.hash_range else ("anchor",))
]
every_craft = pytest.mark.parametrize(("case", "targets", "scoring"), CRAFTED, ids=str)
SEEDS = 3


@pytest.mark.every(2)
@every_craft
def test_crafted_reports_follow_their_law(
    case: Case, targets: list[int], scoring: Any, rng: Rng
) -> None:
    protocol = bind(case)
    reports = protocol.craft(np.array(targets), REPORTS, SeedSearch(SEEDS, scoring), rng)
    seen = subset_counts_of(protocol.supports(reports))
    assert budget.law(seen, case.crafted(targets, SEEDS, scoring))
    if case.searches and len(targets) > 1:  # one seed fewer
        assert not budget.law(seen, case.crafted(targets, SEEDS - 1, scoring))
    if len(targets) == 3:
        assert not budget.law(seen, case.crafted([3, 1, 2], SEEDS, scoring))


@pytest.mark.every(2)
@every_craft
def test_crafted_counts_follow_their_joint_law(
    case: Case, targets: list[int], scoring: Any, rng: Rng
) -> None:
    """Two fakes, the joint law of all five counts: of the matched targets, and of the padding."""
    protocol, search = bind(case), SeedSearch(SEEDS, scoring)
    drawn = protocol.craft_counts(np.array(targets), np.full(TRIALS // 2, 2), search, rng)
    outcomes = outcomes_of(case, drawn, 2)
    law = case.crafted(targets, SEEDS, scoring)
    assert budget.law(outcomes, counts_law([law, law]))
    if case.searches and len(targets) > 1:
        fewer = case.crafted(targets, SEEDS - 1, scoring)
        assert not budget.law(outcomes, counts_law([fewer, fewer]))


@pytest.mark.parametrize("kind", ["sue", "oue"])
@pytest.mark.parametrize("d", [11, 12])
def test_padding_off_by_one(kind: str, d: int, rng: Rng) -> None:
    """More than eight items: packed into two bytes."""
    case, targets = Case(kind, d, 1.0), [d - 1, 2]
    law = case.crafted(targets, 1, "anchor")
    true = bind(case)
    assert isinstance(true, Unary)
    ones = math.floor(case.p + (d - 1) * case.q)
    assert true.padding(2) == ones - 2 > 0
    for wrong in (0, 1, -1):
        protocol = changed(true, padding=lambda self, r, wrong=wrong: ones - r + wrong)
        search = SeedSearch()
        reports = protocol.craft(np.array(targets), 100_000, search, rng)
        supports = protocol.supports(reports)
        assert (supports.sum(axis=1) == ones + wrong).all()
        assert bool(budget.law(subset_counts_of(supports), law)) == (wrong == 0)
        counts = protocol.craft_counts(np.array(targets), np.full(2000, 50), search, rng)
        moments = 50 * Moments.of(law)
        verdict = budget.moments(counts, moments.mean, moments.covariance)
        assert bool(verdict) == (wrong == 0)


def test_no_padding_where_the_targets_are_more_than_the_expected_ones(rng: Rng) -> None:
    protocol = OUE(6, 3.0)  # 1/2 + 5/21 ones expected
    assert protocol.padding(1) == protocol.padding(4) == 0
    reports = protocol.craft(np.array([5, 0, 1, 2]), 100, SeedSearch(), rng)
    assert protocol.support_counts(reports).tolist() == [100, 100, 100, 0, 0, 100]
    counts = protocol.craft_counts(np.array([5, 0, 1, 2]), np.array([100]), SeedSearch(), rng)
    assert counts.tolist() == [[100, 100, 100, 0, 0, 100]]


# Support counts.


@pytest.mark.usefixtures("loops")
@pytest.mark.parametrize("case", [*CASES, *EXTREMES], ids=str)
def test_support_counts_add_up_what_reports_support(case: Case, rng: Rng) -> None:
    protocol = bind(case)
    for n in (0, 1, 255, 256, 1000):
        values = rng.integers(0, case.domain_size, size=n)
        for reports in (protocol.perturb(values, rng), protocol.random_reports(n, rng)):
            counts = protocol.support_counts(reports)
            assert counts.dtype == np.int64
            assert counts.tolist() == protocol.supports(reports).sum(axis=0).tolist()


@pytest.mark.parametrize("d", [7, 8, 9, 300])
@pytest.mark.parametrize("kind", PROTOCOLS)
def test_support_counts_of_larger_domains(kind: str, d: int, rng: Rng) -> None:
    protocol = bind(of_kind(kind, d, 1.0))
    reports = protocol.perturb(rng.integers(0, d, size=9000), rng)
    supports = protocol.supports(reports)
    assert supports.shape == (9000, d)
    assert supports.dtype in (np.bool_, np.int8)
    assert protocol.support_counts(reports).tolist() == supports.sum(axis=0).tolist()


# Counts path and reports path at a few hundred users: means, variances, covariances.


HISTOGRAM = np.array([400, 60, 30, 10, 0])
ROUNDS = 1500


def genuine(case: Case) -> Moments:
    return Poisoned(case, HISTOGRAM.tolist(), case.random(), 0, []).clean


def by_reports(protocol: PureProtocol, rng: Rng) -> Any:
    values = np.tile(np.repeat(np.arange(5), HISTOGRAM), ROUNDS)
    supports = protocol.supports(protocol.perturb(values, rng))
    return supports.reshape(ROUNDS, -1, 5).sum(axis=1)


def by_counts(protocol: PureProtocol, rng: Rng) -> Any:
    return protocol.sample_counts(np.broadcast_to(HISTOGRAM, (ROUNDS, 5)), rng)


both_paths = pytest.mark.parametrize("draw", [by_reports, by_counts])


@pytest.mark.every(2)
@both_paths
@every_case
def test_both_paths_have_the_moments_of_the_law(
    case: Case, draw: Callable[[PureProtocol, Rng], Any], rng: Rng
) -> None:
    counts, expected = draw(bind(case), rng), genuine(case)
    assert budget.moments(counts, expected.mean, expected.covariance)
    counts = draw(one_percent_more(case), rng)
    assert not budget.moments(counts, expected.mean, expected.covariance)


@both_paths
@every_case
def test_estimates_are_unbiased_and_have_the_variance_of_theory(
    case: Case, draw: Callable[[PureProtocol, Rng], Any], rng: Rng
) -> None:
    protocol, truth = bind(case), HISTOGRAM / HISTOGRAM.sum()
    estimates = estimate(draw(protocol, rng), 500, protocol)
    variance = item_variances(protocol, 500, truth)
    assert budget.mean(estimates, truth, variance)  # of the item that nobody holds, too
    assert budget.spread(estimates, truth, variance)
    assert not budget.mean(estimates, truth + 0.03, variance)
    assert not budget.spread(estimates, truth, 1.5 * variance)


@every_case
def test_item_variance_is_that_of_the_law(case: Case) -> None:
    protocol, truth = bind(case), HISTOGRAM / 500
    gap = 500 * (case.p - case.q)
    exact = np.diag(genuine(case).covariance) / gap**2
    assert item_variances(protocol, 500, truth) == pytest.approx(exact, rel=1e-9)
    if case.code is None or not case.code.signed:
        assert item_variance(protocol, 500, truth) == pytest.approx(exact, rel=1e-9)
    if abs(case.p + case.q - 1) > 1e-9:  # else the term with f vanishes
        assert item_variance(protocol, 500) != pytest.approx(exact, rel=1e-3)


@pytest.mark.parametrize("case", [c for c in CASES if c.hash_range], ids=str)
def test_seeds_that_are_the_same_in_every_trial(case: Case, rng: Rng) -> None:
    """Seeds numbered by user are fine in one trial; their error never averages out."""
    protocol = bind(case)
    assert isinstance(protocol, LocalHashing)
    expected = genuine(case)
    counts = np.empty((2 * ROUNDS, 5))
    values = np.repeat(np.arange(5), HISTOGRAM)
    seeds = np.arange(values.size, dtype=np.uint32)
    hashed = buckets(np.arange(5), seeds[:, None], protocol.hash_range).astype(int)
    own = hashed[np.arange(values.size), values]
    for row in range(len(counts)):
        moved = (own + rng.integers(1, protocol.hash_range, size=own.size)) % protocol.hash_range
        sent = np.where(rng.random(own.size) < protocol.p, own, moved)
        counts[row] = (hashed == sent[:, None]).sum(axis=0)
    assert not budget.moments(counts, expected.mean, expected.covariance)


def test_grr_estimates_add_up_to_one(rng: Rng) -> None:
    protocol = GRR(1024, 0.1)
    histogram = np.zeros((3, 1024), dtype=np.int64)
    histogram[:, 5] = 1000
    crafted = protocol.craft_counts(np.array([7, 8]), np.full(3, 100), SeedSearch(), rng)
    counts = protocol.sample_counts(histogram, rng)
    assert estimate(counts, 1000, protocol).sum(axis=1) == pytest.approx(1)
    assert estimate(counts + crafted, 1100, protocol).sum(axis=1) == pytest.approx(1)


@pytest.mark.parametrize("kind", PROTOCOLS)
def test_never_reported_items_of_a_large_domain(kind: str, rng: Rng) -> None:
    """Few users, many items: every one of 999 empty items is estimated 0 on average."""
    protocol = bind(of_kind(kind, 1000, 1.0))
    histogram = np.zeros((500, 1000), dtype=np.int64)
    histogram[:, 3] = 300
    truth = histogram[0] / 300
    estimates = estimate(protocol.sample_counts(histogram, rng), 300, protocol)
    variance = item_variances(protocol, 300, truth)
    assert budget.mean(estimates, truth, variance)
    # Every user's noise that misses one item, as when items are counted from 1.
    assert not budget.mean(np.roll(estimates, 1, axis=1), truth, variance)


# The support of one report, towards r targets.


def supported(law: Any, targets: list[int]) -> tuple[float, float, float]:
    """Rate of a target (their mean), of another item (or 0), variance of the targets' number."""
    moments = Moments.of(law)
    rates = moments.mean
    others = np.delete(rates, targets)
    variance = moments.covariance[np.ix_(targets, targets)].sum()
    return float(rates[targets].mean()), float(others.mean() if others.size else 0), variance


def same(claimed: Support, law: Any, targets: list[int]) -> bool:
    target, other, variance = supported(law, targets)
    found = [target, other, variance]
    everything = len(targets) == len(Moments.of(law).mean)
    given = [claimed.target, 0 if everything else claimed.other, claimed.variance]
    return bool(np.allclose(given, found, rtol=1e-9, atol=1e-12))


@every_craft
def test_supports_of_theory_are_those_of_the_law(
    case: Case, targets: list[int], scoring: Any
) -> None:
    protocol, r, search = bind(case), len(targets), SeedSearch(SEEDS, scoring)
    if places(protocol):  # towards the first items; towards others see tests/core/attacks
        targets = list(range(r))
    crafted = protocol.crafted_support(r, search)
    assert same(protocol.honest_support(r), case.held(targets), targets)
    assert same(protocol.random_support(r), case.random(), targets)
    assert same(crafted, case.crafted(targets, SEEDS, scoring), targets)
    assert not same(replace(crafted, target=crafted.target - 0.01), case.random(), targets)


@pytest.mark.parametrize("targets", [[1], [1, 4, 2], [0, 1, 2, 3, 4]], ids=str)
@every_case
def test_target_sum_variance_is_that_of_the_law(case: Case, targets: list[int]) -> None:
    protocol = bind(case)
    covariance = genuine(case).covariance[np.ix_(targets, targets)]
    exact = covariance.sum() / (500 * (case.p - case.q)) ** 2
    truth = HISTOGRAM / 500
    claimed = target_sum_variance(protocol, np.array(targets), truth, 500) / 500
    assert claimed == pytest.approx(exact, rel=1e-9, abs=1e-12)


# The law of the best of K seeds.


@pytest.mark.parametrize("scoring", ["anchor", "bucket"])
@pytest.mark.parametrize("seeds", [1, 2, 30, 1000])
@pytest.mark.parametrize(("r", "g"), [(1, 2), (2, 2), (5, 2), (6, 3), (5, 4), (7, 4), (3, 20)])
def test_matched_law_against_enumeration(r: int, g: int, seeds: int, scoring: Any) -> None:
    from support.report_laws import matched_law as enumerated

    exact = enumerated(r, g, seeds, scoring)
    law = matched_law(r, g, SeedSearch(seeds, scoring))
    assert law == pytest.approx(exact, rel=1e-9, abs=1e-12)
    if r > 1 and not exact[-1] > 0.999:
        assert law != pytest.approx(enumerated(r, g, seeds + 1, scoring), abs=1e-9)


@pytest.mark.parametrize(("r", "g"), [(60, 2), (100, 4), (80, 21), (40, 1000)])
def test_the_laws_of_many_targets_are_those_of_few(
    r: int, g: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Convolved, and as a Fourier sum; added up, and by ratios of neighbours."""

    def laws() -> list[NDArray[np.float64]]:
        matched_law.cache_clear()
        fewest_law.cache_clear()
        searches = [SeedSearch(k, s) for k in (1, 50) for s in ("anchor", "bucket")]  # type: ignore[arg-type]
        return [matched_law(r, g, search) for search in searches] + [fewest_law(r, g, 50)]

    convolved = laws()
    monkeypatch.setattr(search, "MANY_TERMS", 2)
    monkeypatch.setattr(search, "MANY_BALLS", 2)
    for known, found in zip(convolved, laws(), strict=True):
        assert found == pytest.approx(known, rel=0, abs=1e-11)
    matched_law.cache_clear()
    fewest_law.cache_clear()


def test_the_fullest_and_the_emptiest_of_buckets_of_many_targets(rng: Rng) -> None:
    r, g = 1000, 4
    loads = rng.multinomial(r, np.full(g, 1 / g), size=20_000)
    fullest = np.bincount(loads.max(axis=1), minlength=r + 1)
    assert budget.law(fullest, matched_law(r, g, SeedSearch(1, "bucket")))
    assert not budget.law(fullest, matched_law(r, g, SeedSearch(2, "bucket")))
    emptiest = np.bincount(loads.min(axis=1), minlength=r + 1)
    assert budget.law(emptiest, fewest_law(r, g, 1))
    assert not budget.law(emptiest, fewest_law(r, g, 2))


@pytest.mark.parametrize("scoring", ["anchor", "bucket"])
@pytest.mark.parametrize(("r", "g"), [(512, 4), (10, 2**20), (1, 2**20), (100, 300)])
def test_matched_law_of_large_ranges(r: int, g: int, scoring: Any) -> None:
    law = matched_law(r, g, SeedSearch(1000, scoring))
    assert law.shape == (r + 1,)
    assert (law >= 0).all()
    assert law.sum() == pytest.approx(1)
    expected = float(law @ np.arange(r + 1))
    assert max(1, r / g) <= expected <= r
    with pytest.raises(ValueError, match="read-only"):
        law[0] = 1


def test_matched_law_of_two_targets_and_many_buckets() -> None:
    # One seed puts both together with probability 1/g: a thousand do with 1 - (1 - 1/g)^1000.
    scorings: tuple[Scoring, ...] = ("anchor", "bucket")
    for scoring in scorings:
        law = matched_law(2, 2**20, SeedSearch(1000, scoring))
        assert law[2] == pytest.approx(-math.expm1(1000 * math.log1p(-(2.0**-20))), rel=1e-9)


def test_searching_seeds_finds_what_the_law_says(rng: Rng) -> None:
    """The published effort: 1,000 seeds, ten targets, g = 4."""
    protocol, targets = OLH(64, 1.0), np.arange(3, 63, 6)
    scorings: tuple[Scoring, ...] = ("anchor", "bucket")
    for scoring in scorings:
        search = SeedSearch(1000, scoring)
        reports = protocol.craft(targets, 1500, search, rng)
        matched = protocol.supports(reports)[:, targets].sum(axis=1)
        law = matched_law(10, 4, search)
        assert budget.law(np.bincount(matched, minlength=11), law)
        assert not budget.law(
            np.bincount(matched, minlength=11), matched_law(10, 4, replace(search, seeds=500))
        )


# Parameters.


@pytest.mark.parametrize("make", [GRR, SUE, OUE, BLH, OLH])
@pytest.mark.parametrize(("d", "epsilon"), [(1, 1.0), (0, 1.0), (2, 0.0), (2, -1.0), (2, 20.1)])
def test_parameters_out_of_range_are_refused(
    make: Callable[[int, float], PureProtocol], d: int, epsilon: float
) -> None:
    with pytest.raises(ScenarioError, match="must be"):
        make(d, epsilon)


@pytest.mark.parametrize("kind", PROTOCOLS)
def test_a_budget_too_small_for_doubles_is_refused_in_words(kind: str) -> None:
    with pytest.raises(ScenarioError, match="epsilon"):
        bind(of_kind(kind, 10, 1e-300))


@pytest.mark.parametrize(
    ("rule", "expected"),
    [("nearest", [2, 3, 4, 8, 21]), ("ceil", [3, 3, 4, 9, 22]), ("floor", [2, 2, 3, 8, 21])],
)
def test_hash_range_rules(rule: Any, expected: list[int]) -> None:
    assert [hash_range_for(epsilon, rule) for epsilon in (0.1, 0.5, 1, 2, 3)] == expected
    assert hash_range_for(1.0, 7) == 7
