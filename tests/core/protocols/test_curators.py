"""A trusted curator as one more protocol of a scenario: trials against closed forms, refusals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from support import budget
from support.cases import attack, cell, counts, metrics
from support.kinds import CAO_ATTACKS

from ldptui.core.base.errors import ScenarioError
from ldptui.core.protocols import CENTRAL
from ldptui.core.protocols.curators import Curator, Laplace, Stability
from ldptui.core.theory import (
    attacked_variance,
    estimate_variances,
    expected_metrics,
    gain,
    gain_std,
)

HELD = [400, 90, 12, 3, 1, 0]
TARGETS = [3, 5]
SHARE = 0.05

every_kind = pytest.mark.parametrize("kind", CENTRAL)
every_attack = pytest.mark.parametrize("name", CAO_ATTACKS)


def table(kind: str, epsilon: float = 1.0, **more: Any) -> dict[str, Any]:
    delta = {"delta": 0.01} if kind == "stability" else {}
    return {"kind": kind, "epsilon": epsilon, **delta, **more}


def poisoned(kind: str, name: str, share: float = SHARE) -> Any:
    return cell(list(HELD), table(kind), attack(name, share, TARGETS))


@every_kind
def test_a_release_is_that_of_the_mechanism(kind: str, rng: np.random.Generator) -> None:
    one = cell(list(HELD), table(kind))
    curator = one.protocol
    assert isinstance(curator, Curator)
    clean, attacked = counts(one)
    assert clean.shape == (20, 2, 6)
    assert attacked is clean
    assert (clean[:, 0] == HELD).all()
    estimates = curator.estimates(clean, one.users).frequencies
    assert estimates == pytest.approx(
        curator.release(np.array(HELD), clean[:, 1]) / one.users, abs=0
    )
    moments = curator.moments(np.array(HELD))
    assert moments is not None
    mean, variance = moments
    samples = curator.sample(np.broadcast_to(HELD, (100_000, 6)), rng)
    held = [at for at, count in enumerate(HELD) if count or kind != "stability"]
    assert budget.mean(samples[:, held], mean[held], variance[held])
    assert not budget.mean(samples[:, held], mean[held] + 0.3, variance[held])


@every_kind
@every_attack
def test_a_fake_user_adds_one_count(kind: str, name: str) -> None:
    one = poisoned(kind, name)
    clean, attacked = counts(one)
    added = attacked - clean
    assert (added[:, 1] == 0).all()  # the noise is drawn once
    assert (added[:, 0].sum(axis=1) == one.malicious).all()
    assert (added[:, 0] >= 0).all()
    if name != "rpa":
        assert (added[:, 0, TARGETS].sum(axis=1) == one.malicious).all()


@pytest.mark.every(9)
@every_kind
@every_attack
def test_measured_metrics_agree_with_theory(kind: str, name: str) -> None:
    one = poisoned(kind, name)
    expected, measured = expected_metrics(one), metrics(one, 500)
    for metric in ("gain", "target_frequency", "target_frequency_clean", "mse", "mse_clean"):
        claim, values = expected[metric], measured(metric)
        assert claim is not None
        # Means of 10,000 trials: heavy tails are worn off, so that the sample's own variance does.
        variance = values.var(ddof=1)
        assert budget.mean(values, claim, variance), metric
        assert not budget.mean(values, claim + 8 * np.sqrt(variance / values.size), variance)


@pytest.mark.every(5)
@pytest.mark.parametrize("kind", ["laplace", "geometric"])
@pytest.mark.parametrize(("name", "supported"), [("rpa", 2 / 6), ("ria", 1.0), ("mga", 1.0)])
def test_the_gain_is_the_share_of_what_is_missing(kind: str, name: str, supported: float) -> None:
    """G = β (S - f_T), from the one formula with p = 1 and q = 0."""
    one = poisoned(kind, name)
    held = sum(HELD[target] for target in TARGETS) / sum(HELD)
    claim = one.share * (supported - held)
    assert expected_metrics(one)["gain"] == pytest.approx(claim)
    assert one.attack is not None
    assert isinstance(one.protocol, Curator)
    support = one.attack.support(one.protocol, 2)
    assert gain(one.protocol, support, 2, one.share, held) == pytest.approx(claim)
    values = metrics(one, 100)("gain")
    spread = gain_std(one.protocol, support, 2, one.users, one.malicious, held)
    assert budget.spread(values[:, None], np.array([claim]), np.array([spread**2]))
    assert not budget.spread(values[:, None], np.array([claim]), np.array([1.3 * spread**2]))


@pytest.mark.parametrize("kind", ["laplace", "geometric"])
def test_variances_of_each_item(kind: str) -> None:
    """Those of the noise, and of how many of m fakes tell the item, over the square of n + m."""
    one = poisoned(kind, "ria", 0.2)
    found = estimate_variances(one)
    assert found is not None
    assert isinstance(one.protocol, Curator)
    noise = one.protocol.squared_error(np.array(HELD))
    fakes = one.malicious * np.array([0, 0, 0, 0.25, 0, 0.25])
    assert found[0] == pytest.approx(noise / one.users**2)
    assert found[1] == pytest.approx((noise + fakes) / (one.users + one.malicious) ** 2)


def test_a_sum_over_the_fakes_is_exact_by_enumeration() -> None:
    """A few fakes, each outcome with its own law of the release."""
    curator, fakes, rate = Stability(2, 1.0, delta=0.2), 7, 0.3
    held = np.array([0, 4])
    found = curator.moments(held, [(fakes, np.full(2, rate))])
    assert found is not None
    from math import comb

    law = [comb(fakes, k) * rate**k * (1 - rate) ** (fakes - k) for k in range(fakes + 1)]
    grown = held + np.arange(fakes + 1)[:, None]
    first = law @ (grown + curator.bias(grown))
    second = law @ (curator.squared_error(grown) + 2 * grown * curator.bias(grown) + grown**2)
    assert found[0] == pytest.approx(first)
    assert found[1] == pytest.approx(second - first**2)


def test_two_kinds_of_fakes_by_enumeration() -> None:
    """The number of each kind is fixed: a convolution, not a binomial of the mean rate."""
    curator, held = Stability(2, 1.0, delta=0.2), np.array([1, 3])
    kinds = [(3, np.array([0.9, 0.2])), (4, np.array([0.1, 0.2]))]
    found = curator.moments(held, kinds)
    assert found is not None
    for item in (0, 1):
        law = np.ones(1)
        for count, rates in kinds:
            for _ in range(count):
                law = np.convolve(law, [1 - rates[item], rates[item]])
        grown = held[item] + np.arange(8)
        first = law @ (grown + curator.bias(grown))
        second = law @ (curator.squared_error(grown) + 2 * grown * curator.bias(grown) + grown**2)
        assert found[0][item] == pytest.approx(first)
        assert found[1][item] == pytest.approx(second - first**2)
    plain = Laplace(2, 1.0).moments(held, kinds)
    assert plain is not None
    assert plain[0] == pytest.approx([1 + 2.7 + 0.4, 3 + 0.6 + 0.8])
    assert plain[1] == pytest.approx(8 + np.array([7 * 0.09, 7 * 0.16]))


def test_far_above_the_threshold_stability_is_laplace() -> None:
    held = np.array([10**6, 10**9])
    rates = np.full(2, 0.5)
    found = Stability(2, 1.0, delta=1e-6).moments(held, [(10**7, rates)])
    plain = Laplace(2, 1.0).moments(held, [(10**7, rates)])
    assert found is not None
    assert plain is not None
    assert np.array(found) == pytest.approx(np.array(plain))
    # Where the sum has too many terms, there is no theory rather than a wrong one.
    assert Stability(2, 1e-9, delta=1e-6).moments(held, [(10**13, rates / 100)]) is None


@pytest.mark.parametrize(
    ("protocol", "words"),
    [
        (table("stability") | {"delta": 0}, "delta must be greater than 0 for the stability"),
        (table("stability") | {"delta": 1.5}, r"delta must be in \(0, 1\)"),
        (table("laplace") | {"delta": 0.1}, "delta"),
        (table("laplace") | {"epsilon": 0}, "epsilon must be"),
        (table("geometric") | {"epsilon": 1e-12}, "epsilon must be"),
        (table("laplace") | {"neighbours": "nearby"}, "change-one"),
    ],
)
def test_bad_parameters_are_one_sentence(protocol: dict[str, Any], words: str) -> None:
    with pytest.raises(ScenarioError, match=words) as caught:
        cell(list(HELD), protocol)
    assert "\n" not in str(caught.value)
    assert "protocol" in str(caught.value)


def test_pure_formulas_do_not_pretend_to_hold() -> None:
    with pytest.raises(TypeError):
        attacked_variance(cell(list(HELD), table("laplace")))
