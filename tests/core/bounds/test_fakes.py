"""The floor on the fakes: its rates by enumeration, its exact test, and never too many."""

from __future__ import annotations

from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from scipy.special import comb
from scipy.stats import binom
from support import budget
from support.cases import CASES, bind
from support.kinds import ONE_OF_EACH
from support.report_laws import Case

from ldptui.core.bounds import fakes as floors
from ldptui.core.bounds.fakes import (
    ItemChain,
    floor_of,
    floor_of_counts,
    floors_of_ordered,
    honest_rates,
    least_fakes,
    log_chances,
    most_fakes,
    tail_at_least,
)
from ldptui.core.law.together import tells_together
from ldptui.core.protocols import KINDS, PROTOCOLS


def bound(kind: str, items: int, epsilon: float = 1.0) -> Any:
    return KINDS[kind](kind=kind, epsilon=epsilon).bind(items)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_rates_are_those_of_the_report_laws(case: Case) -> None:
    """All of S and none of S, of the worst item: exact, but 1 where nothing is claimed."""
    protocol, d = bind(case), case.domain_size
    law = np.array([case.honest(item) for item in range(d)])
    base = 3 if law.shape[1] == 3**d else 2
    digits = np.arange(base**d)[:, None] // base ** np.arange(d) % base
    every, none = honest_rates(protocol, d - 1)
    known = case.one_item or tells_together(protocol)
    for size in range(1, d):
        sets = [list(chosen) for chosen in combinations(range(d), size)]
        all_of = max((law @ (digits[:, some] == 1).all(axis=1)).max() for some in sets)
        none_of = max((law @ (digits[:, some] != 1).all(axis=1)).max() for some in sets)
        if known or (size == 1 and base == 2):
            assert every[size - 1] == pytest.approx(all_of, abs=1e-12)
            assert none[size - 1] == pytest.approx(none_of, abs=1e-12)
        else:
            assert (every[size - 1], none[size - 1]) == (1.0, 1.0)


def test_the_most_fakes_are_the_largest_of_all_sets(monkeypatch: pytest.MonkeyPatch) -> None:
    rng, reports = np.random.default_rng(0), 2000
    rate = np.concatenate([[0.0, 1.0], rng.uniform(0.001, 0.999, 30)])
    chance = -rng.uniform(3, 60, rate.size)
    seen = rng.binomial(reports, np.clip(rate + rng.uniform(0, 0.2, (200, 1)), 0, 1))
    every = least_fakes(seen, reports, rate, chance).max(axis=1)
    assert (most_fakes(seen, reports, rate, chance) == every).all()
    assert (every > 0).any()
    # The guess alone is too few in some rows.
    monkeypatch.setattr(floors, "tail_at_least", lambda seen, reports, rate: rate * 0 + seen)
    assert not (most_fakes(seen, reports, rate, chance) >= every).all()


def test_the_least_fakes_are_those_that_the_exact_test_allows() -> None:
    rng = np.random.default_rng(0)
    for _ in range(60):
        reports, rate = int(rng.integers(5, 60)), float(rng.uniform(0, 1))
        seen, chance = int(rng.integers(0, reports + 1)), float(10 ** -rng.uniform(0.5, 6))
        allowed = [
            m for m in range(seen + 1)
            if binom.sf(seen - m - 1, reports - m, rate) >= chance
        ]  # fmt: skip
        found = least_fakes(np.array(seen), reports, np.array(rate), np.array(np.log(chance)))
        assert int(found) == min(allowed)
    assert int(least_fakes(np.array(7), 20, np.array(1.0), np.array(-5.0))) == 0


@pytest.mark.parametrize("reports", [10**3, 10**6, 10**10])
def test_the_least_fakes_are_where_the_chance_is_crossed(reports: int) -> None:
    """By SciPy's survival function on both sides of the answer, far out in the tails too."""
    rng = np.random.default_rng(7)
    rate, chance = rng.uniform(1e-4, 0.999, 300), -rng.uniform(2, 600, 300)
    excess = rng.uniform(0, 60, 300) * np.sqrt(reports * rate * (1 - rate))
    seen = np.minimum(reports * rate + excess, reports).astype(np.int64)
    found = least_fakes(seen, reports, rate, chance)
    likely, less = (
        binom.logsf(seen - m - 1, reports - m, rate) for m in (found, np.maximum(found - 1, 0))
    )
    assert (likely >= chance - 1e-6).all()
    assert (less < chance + 1e-6)[found > 0].all()
    assert (found > 0).sum() > 50


def test_all_sets_of_all_sizes_are_paid_for() -> None:
    chances = np.exp(log_chances(12, 12, 0.95))
    assert 2 * (chances * comb(12, np.arange(1, 13))).sum() == pytest.approx(0.05)


def test_the_best_set_of_a_small_domain_proves_too_much_in_few_runs() -> None:
    """Every set of 6 items is tried in 400 honest runs with 2 % of fakes; a mutant is told."""
    oue, rng, users, fakes, runs = bound("oue", 6, 2.0), np.random.default_rng(3), 490, 10, 400
    seen = np.empty((runs, 2, 4), dtype=np.int64)
    for run in range(runs):
        bits = oue.supports(oue.perturb(rng.choice(3, users), rng))
        bits = np.concatenate([bits, np.tile([1, 1, 1, 0, 0, 0], (fakes, 1)).astype(bool)])
        for size in range(1, 5):
            sets = np.array([*combinations(range(6), size)])
            held = bits[:, sets].sum(axis=2)
            # Of sets of one size the most frequent one proves most.
            seen[run, :, size - 1] = [(held == n).sum(axis=0).max() for n in (size, 0)]
    rates = np.array(honest_rates(oue, 4))
    paid = least_fakes(seen, users + fakes, rates, log_chances(6, 4, 0.95))
    unpaid = least_fakes(seen, users + fakes, rates, np.full(4, np.log(0.05)))
    wrong = [int((least.max(axis=(1, 2)) > fakes).sum()) for least in (paid, unpaid)]
    assert wrong[0] <= 0.05 * runs
    assert not budget.proportion(wrong[1], runs, 0.05)


def test_a_chain_proves_nearly_all_of_mga_and_names_its_set() -> None:
    """5 % of MGA on 10 of 128 items: expected counts of 10^5 reports, ε = 1."""
    oue, reports, fakes = bound("oue", 128), 100_000, 5000
    every, _ = honest_rates(oue, 16)
    seen = fakes + np.rint((reports - fakes) * every[:10]).astype(np.int64)
    found = floor_of(oue, (ItemChain(np.arange(10), seen, every=True),), reports, 16, 0.95)
    assert 0.049 < found.share <= 0.05
    assert found.items.tolist() == list(range(10))
    assert found.seen == seen[-1]


@pytest.mark.parametrize("kind", [kind for kind in ONE_OF_EACH if kind in PROTOCOLS])
@pytest.mark.parametrize("users", [10**4, 10**6, 10**12])
def test_floors_of_a_block_are_those_of_each_trial(kind: str, users: int) -> None:
    """Of honest users and beside fakes who name one item of 100, trial by trial."""
    protocol, rng = bound(kind, 100), np.random.default_rng(6)
    held = rng.multinomial(users, np.full(100, 0.01), size=6)
    counts, fakes = protocol.sample_counts(held, rng), users
    counts[3:, 7] += fakes
    for part, sent in ((counts[:3], 0), (counts[3:], fakes), (counts, fakes)):
        estimates = protocol.estimates(np.sort(part, axis=1), users + sent).frequencies
        found = floors_of_ordered(protocol, estimates, users + sent)
        alone = [floor_of_counts(protocol, row, users + sent).fakes for row in part]
        assert found.tolist() == alone
        assert (found <= sent).all()
        # Reports that speak against items prove nothing; of all others fakes are half here.
        assert (found[-1] > 0) == (sent > 0 and protocol.least_support == 0)


@pytest.mark.parametrize("kind", [kind for kind in ONE_OF_EACH if kind in PROTOCOLS])
def test_counts_alone_prove_nothing_of_honest_users(kind: str) -> None:
    protocol, rng, users = bound(kind, 64), np.random.default_rng(4), 20_000
    held = 1 / np.arange(1, 65)
    histogram = rng.multinomial(users, held / held.sum(), size=100)
    proved = [
        floor_of_counts(protocol, counts, users).fakes > 0
        for counts in protocol.sample_counts(histogram, rng)
    ]
    assert sum(proved) <= 5


def test_items_that_nobody_reports_prove_fakes_of_one_vote() -> None:
    """5 % of MGA against GRR: fewer rare items come than honest noise alone sends."""
    grr, rng, users, fakes = bound("grr", 128), np.random.default_rng(5), 95_000, 5000
    held = 1 / np.arange(1, 129) ** 1.5
    counts = grr.sample_counts(rng.multinomial(users, held / held.sum())[None], rng)[0]
    counts[:3] += [1666, 1667, 1667]
    found = floor_of_counts(grr, counts, users + fakes)
    assert 0.02 < found.share <= 0.05
    assert not found.every
    assert found.items.size > 20


def test_the_tail_without_scipy_is_a_lower_bound_and_a_close_one() -> None:
    """So that single trials whose counts are ordinary prove nothing without SciPy."""
    rates = (1e-6, 0.05, 0.27, 0.999)
    for reports, rate in product((1, 5, 100, 9500, 10**6, 10**9), rates):
        spread = np.sqrt(reports * rate * (1 - rate))
        near = np.floor(reports * rate + spread * np.linspace(0, 8, 40)) + 1
        seen = np.unique(np.minimum(near, reports)).astype(np.int64)
        seen = seen[seen > reports * rate]
        exact = binom.sf(seen - 1, reports, rate)
        told = tail_at_least(seen, reports, np.full(seen.shape, rate))
        assert (told <= exact * (1 + 1e-9)).all()
        usual = (seen < reports * rate + 5 * spread) & (spread > 50)
        assert (told[usual] > 0.15 * exact[usual]).all()
    assert not (7 * told <= exact).all()
