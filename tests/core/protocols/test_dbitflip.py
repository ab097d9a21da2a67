"""dBitFlip and dBitFlipPM: their weights, counts and kept bits against every report."""

import itertools
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from support import budget
from support.cases import cell

from ldptui.core.base.errors import ScenarioError
from ldptui.core.law.law import Ask
from ldptui.core.law.moments import Collection
from ldptui.core.law.pure import SeedSearch, Total
from ldptui.core.protocols import KINDS
from ldptui.core.protocols.dbitflip import BitFlips, KeptBitFlips

Rng = np.random.Generator

CASES = [BitFlips(5, 1.0, 3), BitFlips(5, 1.0, 3, "server"), BitFlips(5, 1.0, 1), BitFlips(5, 1, 5)]
every_case = pytest.mark.parametrize("flips", CASES, ids=lambda f: f"{f.sampled}-{f.chooser}")
HISTOGRAM = np.array([300, 200, 100, 0, 50])
LAWS = ("honest", "random", "unperturbed", "crafted", "avoided")


def keep(flips: BitFlips) -> float:
    """p, from the paper: e^(ε/2) / (e^(ε/2) + 1)."""
    return math.exp(flips.epsilon / 2) / (math.exp(flips.epsilon / 2) + 1)


def reports(flips: BitFlips, law: str, targets: list[int]) -> list[tuple[float, Any, Any]]:
    """(probability, items, bits) of every report of a law, from the paper."""
    d, size, p, found = flips.domain_size, flips.sampled, keep(flips), []
    subsets = list(itertools.combinations(range(d), size))
    inside = min(len(targets), size)
    for items in subsets:
        chance = 1 / len(subsets)
        if law in ("crafted", "avoided") and flips.chooser == "client":
            if len(set(items) & set(targets)) != inside:
                continue
            others = math.comb(d - len(targets), size - inside)
            chance = 1 / (math.comb(len(targets), inside) * others)
        for bits in itertools.product([0, 1], repeat=size):
            laws = []
            for own in targets:
                rates = [p if item == own else 1 - p for item in items]
                if law == "random":
                    rates = [0.5] * size
                if law == "unperturbed":
                    rates = [float(item == own) for item in items]
                if law in ("crafted", "avoided"):
                    aim = float(law == "crafted")
                    rates = [aim if item in targets else 1 - p for item in items]
                laws.append(math.prod(r if b else 1 - r for r, b in zip(rates, bits, strict=True)))
            found.append((chance * float(np.mean(laws)), items, bits))
    return found


def weights(flips: BitFlips, law: str, targets: list[int]) -> tuple[Any, Any]:
    """Mean [d] and covariance [d, d] of what one report adds to the estimates."""
    d, p = flips.domain_size, keep(flips)
    mean, square = np.zeros(d), np.zeros((d, d))
    for chance, items, bits in reports(flips, law, targets):
        added = np.zeros(d)
        added[list(items)] = (np.array(bits) - (1 - p)) / (2 * p - 1) * d / flips.sampled
        mean += chance * added
        square += chance * np.outer(added, added)
    return mean, np.round(square - np.outer(mean, mean), 12) + 0.0


@pytest.mark.every(7)
@pytest.mark.parametrize("targets", [[0], [0, 1], [0, 1, 2, 3], [0, 1, 2, 3, 4]], ids=str)
@pytest.mark.parametrize("law", LAWS)
@every_case
def test_what_a_report_adds(flips: BitFlips, law: str, targets: list[int], rng: Rng) -> None:
    """Means, variances and the variance of any sum, against every report; and drawn."""
    mean, covariance = weights(flips, law, targets)
    r, search, aims = len(targets), SeedSearch(), np.array(targets)
    claimed = {
        "honest": lambda: flips.find_support("honest", r),
        "random": lambda: flips.find_support("random", r),
        "unperturbed": lambda: flips.find_support("unperturbed", r),
        "crafted": lambda: flips.find_support("crafted", r, search),
        "avoided": lambda: flips.find_support("avoided", r, search),
    }[law]()
    for counted in ([0], [1, 4], [0, 1, 2], targets):
        found = claimed.by_item(5, aims, np.array(counted))
        assert found.rates == pytest.approx(mean, abs=1e-9)
        assert found.variances == pytest.approx(covariance.diagonal(), abs=1e-9)
        total = covariance[np.ix_(counted, counted)].sum()
        assert found.variance == pytest.approx(total, abs=1e-9)
        if law == "honest":
            held = np.isin(np.arange(5), targets) / r
            other = flips.held_support(held, np.array(counted))
            assert other.variance == pytest.approx(total, abs=1e-9)
            assert other.variances == pytest.approx(covariance.diagonal(), abs=1e-9)
    n = 4000
    drawn = {
        "honest": lambda: flips.perturb(rng.choice(aims, n), rng),
        "random": lambda: flips.random_reports(n, rng),
        "unperturbed": lambda: flips.unperturbed(rng.choice(aims, n), rng),
        "crafted": lambda: flips.craft(aims, n, search, rng),
        "avoided": lambda: flips.avoid(aims, n, search, rng),
    }[law]()
    assert flips.validate_reports(drawn, n) is drawn
    bits = np.unpackbits(drawn, axis=2, count=5)
    added = (bits[:, 1] - flips.rates[1] * bits[:, 0]) / (flips.part * (2 * keep(flips) - 1))
    assert budget.mean(added, mean, covariance.diagonal())
    assert not budget.mean(added + 0.6, mean, covariance.diagonal())
    law_of_counts = flips.find_law(Ask(law, aims)).counts  # type: ignore[arg-type, union-attr]
    summed = flips.estimates(law_of_counts(np.full(2000, 9), rng), 9).frequencies
    assert budget.moments(summed, mean, covariance / 9)
    counts = flips.support_counts(drawn)
    assert flips.estimates(counts[None], n).frequencies[0] == pytest.approx(added.mean(axis=0))


@every_case
def test_estimates_have_the_moments_of_theory(flips: BitFlips, rng: Rng) -> None:
    """They are unbiased and uncorrelated, with the variance of theory."""
    truth, n = HISTOGRAM / 650, 650
    covariance = sum(
        int(users) * weights(flips, "honest", [item])[1] for item, users in enumerate(HISTOGRAM)
    )
    exact = covariance / n**2
    claimed, _ = flips.variances(Collection(HISTOGRAM))  # type: ignore[misc]
    assert claimed == pytest.approx(exact.diagonal())
    assert exact - np.diag(exact.diagonal()) == pytest.approx(0, abs=1e-12)
    assert flips.total_variance(Total(2, 0.3)) == pytest.approx(
        2 * flips.noise + 0.3 * (5 / flips.sampled - 1)
    )
    values = np.tile(np.repeat(np.arange(5), HISTOGRAM), 300)
    bits = np.unpackbits(flips.perturb(values, rng), axis=2, count=5).reshape(300, n, 2, 5)
    made = flips.estimates(bits.sum(axis=1, dtype=np.int64), n).frequencies
    assert budget.moments(made, truth, exact)
    drawn = flips.sample_counts(np.tile(HISTOGRAM, (3000, 1)), rng)
    assert (drawn[:, 0].sum(axis=1) == n * flips.sampled).all()
    assert budget.moments(flips.estimates(drawn, n).frequencies, truth, exact)
    assert not budget.moments(made, truth, 2.5 * exact)


@every_case
def test_reports_differ_by_epsilon_at_most(flips: BitFlips) -> None:
    """By ε/2 where a report has one bit; the closed form of the loss is that of the law."""
    law = flips.enumerate_reports()
    assert law is not None
    listed = [[chance for chance, _, _ in reports(flips, "honest", [item])] for item in range(5)]
    assert np.sort(law.probabilities) == pytest.approx(np.sort(np.array(listed)))
    ratio = np.log(law.probabilities[:, None] / law.probabilities[None]).max()
    assert ratio == pytest.approx(flips.real_epsilon)
    loss = flips.privacy_loss()
    assert loss.maximum == pytest.approx(flips.real_epsilon)
    exact = law.probabilities[0] @ np.log(law.probabilities[0] / law.probabilities[1])
    assert loss.mean == pytest.approx(exact)
    assert loss.probabilities.sum() == pytest.approx(1)


def test_kept_bits_are_the_same_in_every_round(rng: Rng) -> None:
    flips = KeptBitFlips(5, 1.0, 3)
    reports = [flips.memoised_reports(np.arange(5), np.random.default_rng(3), rng) for _ in "ab"]
    assert (reports[0] == reports[1]).all()
    assert flips.epsilon_of_rounds(100) == flips.epsilon_infinity == 1.0
    assert flips.epsilon_lifetime == 4.0  # of three items and of all others


@pytest.mark.parametrize("kind", ["dbitflip-pm", "she"])
def test_every_collection_takes_the_reports_path(kind: str) -> None:
    table = {"kind": kind, "epsilon": 1.0}
    large = cell({"kind": "uniform", "items": 1024, "users": 10**6}, table)
    assert (large.path, large.warnings) == ("reports", ())
    with pytest.raises(ScenarioError, match=r'path must be "reports" or "auto", as no'):
        cell([600, 50], table, simulate={"path": "counts"})
    if kind == "dbitflip-pm":
        with pytest.raises(ScenarioError, match="where users of DBITFLIP-PM come and go"):
            cell([600, 50], table, campaign={"rounds": 2, "churn": 0.1})


def test_more_bits_than_items_are_refused(rng: Rng) -> None:
    with pytest.raises(ScenarioError, match="sampled must be at most the number of items, 5, got"):
        KINDS["dbitflip"](kind="dbitflip", epsilon=1.0, sampled=6).bind(5)
    assert KINDS["dbitflip"](kind="dbitflip", epsilon=1.0).bind(5).sampled == 3
    flips = CASES[0]
    made = flips.perturb(np.arange(5), rng)
    with pytest.raises(ValueError, match="must have bits of 2 items, got one of 3"):
        replace(flips, sampled=2).validate_reports(made, 5)
    made[0, 1] = ~made[0, 0] & 0xF8
    with pytest.raises(ValueError, match="no ones of items without a bit"):
        flips.validate_reports(made, 5)
