"""Central mechanisms: closed forms against quadrature, enumeration and simulation."""

from __future__ import annotations

import math
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support import budget

from ldptui.core.base.errors import ScenarioError
from ldptui.core.lab.locality import central_mse, local_success
from ldptui.core.lab.privacy_loss import Exponential
from ldptui.core.population import Zipf
from ldptui.core.protocols import GRR, OUE
from ldptui.core.protocols.curators import Curator, Geometric, Laplace, Stability
from ldptui.core.protocols.curators import accuracy as acc

Rng = np.random.Generator
TRIALS = 200_000

CURATORS: list[Any] = [
    Laplace(5, 0.5),
    Laplace(5, 2.0, "add-remove"),
    Geometric(5, 0.5),
    Geometric(5, 2.0, "add-remove"),
    Stability(5, 0.5, delta=1e-3),
    Stability(5, 2.0, "add-remove", delta=1e-2),
]
every_curator = pytest.mark.parametrize("curator", CURATORS, ids=repr)

HISTOGRAM = np.array([0, 1, 9, 30, 1000])


def drawn(curator: Curator, rng: Rng) -> Any:
    return curator.sample(np.broadcast_to(HISTOGRAM, (TRIALS, HISTOGRAM.size)), rng)


# Errors.


def errors_agree(claims: Any, samples: Any) -> budget.Verdict:
    """The fractions of trials off by more than a, for several a, of each bin."""
    off = np.abs(samples - HISTOGRAM)
    verdict = budget.Verdict(1.0, "")
    for a in (0.0, 0.5, 1.0, 3.5, 10.0, 40.0):
        verdict &= budget.proportion((off > a).sum(axis=0), TRIALS, claims.tail(HISTOGRAM, a))
    return verdict


@pytest.mark.every(5)
@every_curator
def test_tails_are_those_of_the_samples(curator: Any, rng: Rng) -> None:
    samples = drawn(curator, rng)
    assert samples.shape == (TRIALS, 5)
    assert errors_agree(curator, samples)
    wrong = type(curator)(**{**vars(curator), "epsilon": curator.epsilon * 1.05})
    assert not errors_agree(wrong, samples)


def law_of(curator: Any, count: int) -> tuple[Any, Any]:
    """Errors and their probabilities of one bin, on a fine grid or by whole numbers."""
    if isinstance(curator, Geometric):
        noise = np.arange(-4000, 4001)
        return noise.astype(float), curator.probability(noise)
    s = curator.scale
    edges = np.linspace(-60 * s, 60 * s, 2_400_001)
    middle = (edges[1:] + edges[:-1]) / 2
    weight = np.exp(-np.abs(middle) / s) / (2 * s) * (edges[1] - edges[0])
    if isinstance(curator, Stability):
        if count == 0:
            return np.zeros(1), np.ones(1)
        released = middle + count > curator.threshold
        return np.where(released, middle, -count), weight
    return middle, weight


@pytest.mark.every(6)
@every_curator
def test_moments_of_the_error_by_summation(curator: Any) -> None:
    for at, count in enumerate(HISTOGRAM.tolist()):
        error, chance = law_of(curator, count)
        assert chance.sum() == pytest.approx(1, abs=1e-6)
        close = {"rel": 1e-4, "abs": 1e-5}
        assert curator.bias(HISTOGRAM)[at] == pytest.approx(chance @ error, **close)
        second, fourth = chance @ error**2, chance @ error**4
        assert curator.squared_error(HISTOGRAM)[at] == pytest.approx(second, **close)
        if hasattr(curator, "error_spread"):
            spread = curator.error_spread(HISTOGRAM)[at]
            assert spread == pytest.approx(fourth - second**2, rel=1e-3, abs=1e-4)


def test_the_noise_of_each_neighbourhood() -> None:
    assert Laplace(4, 0.5).scale == 2 * Laplace(4, 0.5, "add-remove").scale == 4
    assert Geometric(4, 0.5).ratio == pytest.approx(math.exp(-0.25))
    assert Stability(4, 0.5, delta=1e-6).threshold == pytest.approx(4 * math.log(2e6) + 1)
    assert Stability(4, 0.5, delta=1e-6).lone_release == pytest.approx(1e-6 / 4)


# Accuracy and budget.


@every_curator
@pytest.mark.parametrize("alpha", [0.3, 0.05, 1e-4])
@pytest.mark.parametrize("bins", [1, 5])
def test_accuracy_holds_for_every_count(curator: Any, alpha: float, bins: int) -> None:
    counts = np.arange(400)
    a = curator.accuracy(alpha, bins)
    worst = float(curator.tail(counts, a).max())
    together = 1 - (1 - worst) ** bins
    assert together <= alpha * (1 + 1e-9)
    if isinstance(curator, Laplace):
        assert together == pytest.approx(alpha)
    if isinstance(curator, Geometric) and a > 0:
        assert 1 - (1 - float(curator.tail(counts, a - 1).max())) ** bins > alpha


@pytest.mark.parametrize("neighbours", ["change-one", "add-remove"])
@pytest.mark.parametrize("bins", [1, 50])
def test_both_directions_agree(neighbours: Any, bins: int) -> None:
    for epsilon in (0.01, 0.5, 3.0):
        a = acc.laplace_accuracy(epsilon, 0.05, bins, neighbours)
        assert acc.laplace_epsilon(a, 0.05, bins, neighbours) == pytest.approx(epsilon)
        a = acc.stability_accuracy(epsilon, 0.05, 1e-6, bins, neighbours)
        assert acc.stability_epsilon(a, 0.05, 1e-6, bins, neighbours) == pytest.approx(epsilon)
        # Whole numbers: the least ε of that accuracy, which is this one or a smaller one.
        a = acc.geometric_accuracy(epsilon, 0.05, bins, neighbours)
        least = acc.geometric_epsilon(a, 0.05, bins, neighbours)
        assert least <= epsilon * (1 + 1e-12)
        assert acc.geometric_accuracy(least, 0.05, bins, neighbours) == a
        assert acc.geometric_accuracy(least * (1 - 1e-6), 0.05, bins, neighbours) == a + 1


@pytest.mark.parametrize("a", [0, 1, 10**3, 10**6, 10**9, 5 * 10**9])
def test_the_least_epsilon_of_a_whole_accuracy(a: int) -> None:
    least = acc.geometric_epsilon(a, 0.05)
    assert acc.geometric_accuracy(least, 0.05) == a
    assert acc.geometric_accuracy(least * (1 - 2 / max(a, 100)), 0.05) > a


# The exponential mechanism.


def test_exponential_chooses_by_its_law(rng: Rng) -> None:
    mechanism, held = Exponential(0.5), np.array([4, 9, 9, 2, 0])
    seen = np.bincount(mechanism.sample(np.broadcast_to(held, (TRIALS, 5)), rng), minlength=5)
    assert budget.law(seen, mechanism.probabilities(held))
    assert not budget.law(seen, Exponential(0.52).probabilities(held))
    assert mechanism.success(held) == pytest.approx(mechanism.probabilities(held)[1:3].sum())
    assert budget.proportion(seen[1:3].sum(), TRIALS, mechanism.success(held))


def test_local_arg_max_beside_it(rng: Rng) -> None:
    held = np.array([600, 500, 400])
    wins = local_success(OUE(3, 1.0), held, 20_000, rng)
    assert 0.5 < wins / 20_000 < Exponential(1.0).success(held)
    # Two items: the arg-max of randomised response is right if most reports are.
    pair, p = np.array([7, 4]), GRR(2, 1.0).p
    ones = np.convolve(_binomial(7, p), _binomial(4, 1 - p))
    exact = ones[6:].sum()
    wins = local_success(GRR(2, 1.0), pair, TRIALS, rng)
    assert budget.proportion(wins, TRIALS, exact)
    assert not budget.proportion(wins, TRIALS, exact + 0.01)


def _binomial(n: int, p: float) -> Any:
    return np.array([math.comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1)])


# Refusals.


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Laplace(1, 1.0), "domain_size must be"),
        (lambda: Geometric(5, math.nan), "epsilon must be"),
        (lambda: acc.stability_epsilon(1.0, 0.05, 1e-6), "accuracy must be greater than 1"),
        (lambda: acc.laplace_epsilon(0.0, 0.05), "accuracy must be greater than 0"),
        (lambda: acc.laplace_accuracy(1.0, 1.0), "alpha must be"),
        (lambda: acc.laplace_accuracy(1.0, 0.05, 0), "bins must be"),
        (lambda: Exponential(0.0), "epsilon must be"),
    ],
)
def test_bad_parameters_are_one_sentence(make: Any, words: str) -> None:
    with pytest.raises(ScenarioError, match=words) as caught:
        make()
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 10.0])
@pytest.mark.parametrize("make", [Laplace, Geometric, partial(Stability, delta=1e-6)])
def test_the_error_follows_from_the_distinct_counts(make: Any, epsilon: float) -> None:
    """A mean over a million items needs a few hundred terms."""
    population = Zipf(5000, 100_000, 1.1).bind(0, Path())
    curator = make(5000, epsilon)
    whole = float(curator.squared_error(population.histogram).mean()) / population.users**2
    assert central_mse(curator, *population.distinct) == pytest.approx(whole, rel=1e-12)
    assert central_mse(curator, population.histogram) == whole
