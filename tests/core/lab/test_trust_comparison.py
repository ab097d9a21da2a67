"""Trust models compared: the numbers of each are those of its protocol, its proof and its noise."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.stats import binom
from support import budget

from ldptui.core.base.errors import ScenarioError
from ldptui.core.lab.trust_comparison import TrustCosts, TrustSetting, compare_trust_models
from ldptui.core.law.law import Ask
from ldptui.core.law.loss import DiscreteLoss
from ldptui.core.protocols.curators.aggregate import (
    Aggregate,
    gaussian_delta,
    gaussian_sigma,
)

WEIGHTS = 1 / np.arange(1, 1025)
SETTING = TrustSetting(1.0, 1e-8, 10**6, 1024, 0.01, 10, WEIGHTS / WEIGHTS.sum(), 0.03, 3, 2)

LOCAL = {"grr": 9.756, "sue": 9.702, "oue": 10.6}
"""ε₀ of the shuffled protocols."""


@pytest.fixture(scope="module")
def trust_costs() -> dict[tuple[str, str], TrustCosts]:
    found = compare_trust_models(SETTING, [*LOCAL])
    return {(costs.trust, costs.protocol): costs for costs in found}


@pytest.mark.parametrize(
    ("trust", "protocol", "sd", "one", "ten"),
    [
        ("local", "grr", 1.9e-2, 5.96, 5.91),
        ("local", "oue", 1.9e-3, 0.0316, 0.316),
        ("hidden", "oue", 1.9e-3, 0.0158, 0.0158),
        ("verified", "oue", 1.9e-3, 0.0100, 0.0100),
        ("shuffled", "oue", 9.9e-6, 0.0200, 0.200),
        ("shuffled", "grr", 7.8e-6, 0.0106, 0.0106),
        ("shuffled", "sue", 8.9e-5, 0.0101, 0.101),
        ("aggregated-sumvec", "sumvec", 3.96e-6, 0.0100, 0.100),
        ("aggregated-multihot", "multihot", 1.2e-5, 0.0100, 0.030),
        ("aggregated-histogram", "histogram", 3.96e-6, 0.0100, 0.0100),
        ("curator", "geometric", 2.8e-6, 0.0100, 0.0100),
    ],
)
def test_the_trust_models_of_the_documentation(
    trust_costs: dict[tuple[str, str], TrustCosts],
    trust: str,
    protocol: str,
    sd: float,
    one: float,
    ten: float,
) -> None:
    found = trust_costs[trust, protocol]
    assert found.sd == pytest.approx(sd, rel=0.04)
    assert found.gain_one == pytest.approx(one, rel=0.01)
    assert found.gain == pytest.approx(ten, rel=0.01)


def test_shuffled_reports_have_these_budgets(
    trust_costs: dict[tuple[str, str], TrustCosts],
) -> None:
    for kind, epsilon in LOCAL.items():
        assert trust_costs["shuffled", kind].epsilon == pytest.approx(epsilon, abs=2e-3)


def test_a_gap_is_overturned_by_more_fakes_the_more_is_proved(
    trust_costs: dict[tuple[str, str], TrustCosts],
) -> None:
    shares = {key: costs.overturning_share for key, costs in trust_costs.items()}
    e = math.e
    assert shares["local", "oue"] == pytest.approx(0.03 * (0.5 - 1 / (e + 1)))
    assert shares["hidden", "oue"] == pytest.approx(0.03 * (e - 1) / (e + 1))
    assert shares["verified", "oue"] == shares["curator", "geometric"] == pytest.approx(0.03)
    assert (
        shares["local", "grr"]
        < shares["local", "oue"]
        < shares["hidden", "oue"]
        < shares["shuffled", "grr"]
        < shares["curator", "geometric"]
    )


@pytest.mark.every(7)
@pytest.mark.parametrize("items", [3, 4, 6])
@pytest.mark.parametrize("epsilon", [0.5, 1.0, 3.0])
def test_hidden_fakes_overturn_no_more_than_a_linear_programme(items: int, epsilon: float) -> None:
    """The largest gap between two items that are held alike, over all laws of fakes whose reports,
    with those of the honest, are those of some honest population.
    """
    share, held = 0.05, np.full(items, 0.2 / (items - 2))
    held[:2] = 0.4
    flip = 1 / (math.exp(epsilon) + 1)
    bits = np.array([*product((0, 1), repeat=items)])
    others = np.where(bits, flip, 1 - flip)
    # laws[v, y]: the chance of the report y of a user who holds v; the own bit is a fair coin
    laws = others.prod(axis=1) * 0.5 / others.T
    best = linprog(
        np.eye(items)[0] - np.eye(items)[1], A_ub=-laws.T, b_ub=-(1 - share) * held @ laws,
        A_eq=np.ones((1, items)), b_eq=[1.0],
    )  # fmt: skip
    setting = replace(SETTING, epsilon=epsilon, items=items, share=share, frequencies=held,
                      targets=1, weight=2)  # fmt: skip
    (costs,) = (each for each in compare_trust_models(setting, ["oue"]) if each.trust == "hidden")
    assert -best.fun * costs.overturning_share / share == pytest.approx(setting.gap)


def test_the_noise_of_the_drafts() -> None:
    """draft-wang-ppm-differential-privacy, the table of aggregator noise: σ alone, and of two."""
    for epsilon, one, two in (
        (0.317, 23.3903, 33.0788),
        (0.906, 8.5402, 12.0777),
        (1.528, 5.1904, 7.3403),
    ):
        sigma = gaussian_sigma(epsilon, 1e-9, math.sqrt(2))
        assert sigma == pytest.approx(one, abs=5e-4)
        assert gaussian_delta(epsilon, math.sqrt(2) / sigma) == pytest.approx(1e-9, rel=1e-6)
        assert gaussian_delta(epsilon, math.sqrt(2) / (0.98 * sigma)) > 1.1e-9  # a mutant
        noise = Aggregate(8, epsilon, noise_law="gaussian", slack=1e-9)
        assert math.sqrt(noise.noise_variance) == pytest.approx(two, abs=2e-3)


def test_the_discrete_gaussian_keeps_its_delta() -> None:
    """Enumerated: two bins of a histogram change by one each."""
    for epsilon in (0.317, 0.906, 1.528):
        one = Aggregate(2, epsilon, aggregators=1, noise_law="gaussian", slack=1e-9)
        likely = one._one[1]
        moved = np.zeros_like(likely)
        moved[1:] = likely[:-1]
        first, second = np.outer(likely, moved), np.outer(moved, likely)
        delta = np.maximum(first - math.exp(epsilon) * second, 0).sum()
        assert delta == pytest.approx(1e-9, rel=0.05)


def test_the_sum_of_the_noises_has_its_law(rng: np.random.Generator) -> None:
    for noise_law in ("laplace", "gaussian"):
        made = Aggregate(4, 0.8, noise_law=noise_law, slack=1e-6, aggregators=3)  # type: ignore[arg-type]
        drawn = made.noise((20_000, 4), rng).ravel()
        fourth = float((made._one[0] ** 4) @ made._one[1]) * 3 + 6 * (made.noise_variance / 3) ** 2
        spread = fourth - made.noise_variance**2
        assert budget.mean(drawn.astype(float) ** 2, made.noise_variance, spread)
        assert not budget.mean(drawn.astype(float) ** 2, made.noise_variance * 1.1, spread)
        beyond = float(made.tail(np.zeros(1, dtype=np.int64), 5)[0])
        assert budget.proportion((np.abs(drawn) > 5).sum(), drawn.size, beyond)


@pytest.mark.parametrize(
    ("circuit", "weight", "most"), [("histogram", None, 1), ("multihot", 3, 3), ("sumvec", None, 5)]
)
@pytest.mark.parametrize("name", ["crafted", "random", "avoided", "honest"])
def test_a_fake_adds_what_the_proof_admits(
    circuit: str, weight: int | None, most: int, name: str, rng: np.random.Generator
) -> None:
    made = Aggregate(12, 1.0, circuit=circuit, weight=weight)  # type: ignore[arg-type]
    targets = np.array([1, 4, 6, 9, 11])
    law = made.find_law(Ask(name, targets))  # type: ignore[arg-type]
    told = law.counts(np.full(4_000, 50), rng)[:, 0]
    support = law.support(targets)
    assert support is not None
    assert told.sum(axis=1).max() <= 50 * made.item_limit
    rates = 50 * support.rates
    assert budget.mean(told.astype(float), rates, 50 * support.variances + 1e-12)
    on_targets = told[:, targets].sum(axis=1).astype(float)
    assert budget.mean(on_targets, rates[targets].sum(), 50 * support.variance + 1e-12)
    assert not budget.mean(on_targets + 1, rates[targets].sum(), 50 * support.variance + 1e-12)
    if name == "crafted":
        assert support.rates[targets].sum() == pytest.approx(most)


@pytest.mark.parametrize(
    ("keys", "rule"),
    [
        ({"circuit": "multihot"}, "weight must be in"),
        ({"circuit": "multihot", "weight": 13}, "weight must be in"),
        ({"circuit": "sumvec", "weight": 2}, "weight must be left out"),
        ({"noise_law": "gaussian"}, "delta is required"),
    ],
)
def test_a_circuit_that_cannot_be(keys: dict[str, object], rule: str) -> None:
    with pytest.raises(ScenarioError, match=rule):
        Aggregate(12, 1.0, **keys)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("local", "printed", "exact", "ones"), [(6.5, 0.906, 0.6452, 11), (7.0, 1.528, 0.8638, 9)]
)
def test_noise_of_clients_under_a_sum(
    local: float, printed: float, exact: float, ones: int
) -> None:
    """The draft's table of client noise is loose: two sums of flipped bits, a client replaced."""
    flip, users = 1 / (math.exp(local) + 1), 10**5
    low, high = binom.ppf(1e-16, users, flip), binom.isf(1e-16, users, flip)
    sums = np.arange(low - 2, high + 3)
    without, with_one = binom.pmf(sums, users - 1, flip), binom.pmf(sums - 1, users - 1, flip)
    held, spared = (1 - flip) * with_one + flip * without, flip * with_one + (1 - flip) * without
    loss = DiscreteLoss.between(held, spared).then(DiscreteLoss.between(spared, held))
    assert loss.delta(exact + 1e-4) < 1e-9 < loss.delta(exact - 1e-4)
    assert loss.delta(printed) < 1e-12
    assert binom.isf(1e-6, 1023, flip) + 1 == ones
