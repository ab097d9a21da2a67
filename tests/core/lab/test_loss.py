"""Privacy loss against enumerated laws; the check on mutants; the audit on broken samplers."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy import stats
from support.audits import audited
from support.cases import CASES, EXTREMES, bind, changed

from ldptui.core.base.errors import ScenarioError
from ldptui.core.lab.audit import check
from ldptui.core.lab.privacy_loss import Exponential, exponential_loss, loss_of
from ldptui.core.law.enumeration import ReportLaw, every_report
from ldptui.core.law.loss import DiscreteLoss
from ldptui.core.law.pure import PlacedItems
from ldptui.core.protocols import BLH, GRR, OLH, OUE, SUE, Rappor
from ldptui.core.protocols.curators import Geometric, Laplace, Stability
from ldptui.core.protocols.curators.laplace_geometric import LaplaceLoss
from ldptui.core.protocols.rappor import BitNoise

Rng = np.random.Generator

RAPPOR = Rappor(6, 8, 2, 4, BitNoise(0.5, 0.5, 0.75))
LAWS = [*(bind(case) for case in [*CASES, *EXTREMES] if case.hash_range != 2**20), RAPPOR]
GEOMETRIC = [Geometric(2, 1.0), Geometric(2, 0.3, "add-remove")]


def epsilon_of(mechanism: Any) -> float:
    """The loss of the worst report: of THE less than what its noise is made for."""
    if isinstance(mechanism, Rappor):
        return mechanism.noise.epsilon_one(mechanism.hashes)
    return float(getattr(mechanism, "real_epsilon", mechanism.epsilon))


def law(mechanism: Any) -> ReportLaw:
    found = every_report(mechanism)
    assert found is not None
    return found


# Enumeration.


@pytest.mark.parametrize("mechanism", [*LAWS, *GEOMETRIC], ids=repr)
def test_every_ratio_is_within_e_to_epsilon_and_one_reaches_it(mechanism: Any) -> None:
    found = check(law(mechanism), epsilon_of(mechanism))
    assert found.holds
    assert found.tight
    ratio = found.first_probability / found.second_probability
    assert math.log(ratio) == pytest.approx(epsilon_of(mechanism))
    assert not check(law(mechanism), epsilon_of(mechanism) * 0.999).holds


def test_the_worst_report_is_named() -> None:
    found = check(law(GRR(4, 1.0)), 1.0)
    assert (found.first, found.second, found.report) == ("item 0", "item 1", "item 0")
    found = check(law(OUE(3, 1.0)), 1.0)
    assert (found.first, found.second) == ("item 2", "item 0")
    assert found.report == "bits 001"
    found = check(law(OLH(3, 1.0)), 1.0)
    assert found.report.startswith("hash function (")


def test_a_report_that_one_input_never_sends() -> None:
    chances = np.array([[0.5, 0.5, 0.0], [0.5, 0.4, 0.1]])
    found = check(ReportLaw(chances, str, "abc".__getitem__), 1.0)
    assert found.epsilon == math.inf
    assert (found.first, found.second, found.report) == ("1", "0", "c")
    assert not found.holds
    with pytest.raises(ScenarioError, match="add up to 1"):
        check(ReportLaw(chances[:, :2], str, str), 1.0)


# The law of the loss.


def same_loss(loss: Any, values: Any, chances: Any) -> bool:
    """Maximum, mean and the tail in the middle of every gap."""
    other = DiscreteLoss.of(values, chances)
    places = [-30.0, *(other.values[1:] + other.values[:-1]) / 2, 30.0]
    return bool(
        np.isclose(loss.maximum, other.maximum)
        and np.isclose(loss.mean, other.mean)
        and np.allclose([loss.tail(t) for t in places], [other.tail(t) for t in places])
    )


@pytest.mark.parametrize("mechanism", [*LAWS[:-1], *GEOMETRIC], ids=repr)
def test_closed_forms_are_the_enumerated_loss(mechanism: Any) -> None:
    apart = -1 if isinstance(mechanism, PlacedItems) else 1  # of HR in another block
    first, second = law(mechanism).probabilities[[0, apart]]
    losses = np.log(first / second)
    assert same_loss(loss_of(mechanism), losses, first)
    assert loss_of(mechanism).maximum == pytest.approx(epsilon_of(mechanism))
    assert not same_loss(loss_of(mechanism), losses * 1.01, first)


@pytest.mark.parametrize("epsilon", [0.1, 0.3, 0.5, 1.0, 4.0, 20.0])
@pytest.mark.parametrize("constructor", [GRR, SUE, OUE, BLH])
def test_no_loss_exceeds_epsilon_by_rounding(constructor: Any, epsilon: float) -> None:
    loss = loss_of(constructor(10, epsilon))
    assert loss.tail(epsilon) == 0 < loss.tail(epsilon * (1 - 1e-9))


@pytest.mark.parametrize("epsilon", [0.2, 1.0, 6.0])
def test_the_loss_of_laplace_noise_by_quadrature(epsilon: float) -> None:
    edges = np.linspace(-40 / epsilon, 40 / epsilon + 1, 400_001)
    noise = (edges[1:] + edges[:-1]) / 2
    weight = np.diff(stats.laplace.cdf(edges, scale=1 / epsilon))
    losses = epsilon * (np.abs(noise - 1) - np.abs(noise))
    loss = LaplaceLoss(epsilon)
    assert loss.mean == pytest.approx(weight @ losses, rel=1e-5)
    assert LaplaceLoss(2 * epsilon, 2).mean == pytest.approx(2 * loss.mean)
    for t in np.linspace(-1.2 * epsilon, 1.2 * epsilon, 25):
        assert loss.tail(t) == pytest.approx(weight @ (losses > t), abs=1e-4)
    for loss in (LaplaceLoss(epsilon), LaplaceLoss(epsilon, 2)):
        assert loss.maximum == epsilon
        assert loss.tail(epsilon) == 0 < loss.tail(epsilon - 1e-9)
        assert loss.tail(-epsilon - 1e-9) == 1 > loss.tail(-epsilon)


@pytest.mark.parametrize("neighbours", ["change-one", "add-remove"])
def test_the_stability_mechanism_gives_a_lone_user_away_with_delta(neighbours: Any) -> None:
    mechanism = Stability(2, 1.0, neighbours, delta=1e-3)
    loss: Any = loss_of(mechanism)
    assert loss.maximum == math.inf
    assert loss.mean == math.inf
    assert loss.tail(100.0) == pytest.approx(1e-3 / 4)
    assert loss.delta(1.0) == pytest.approx(1e-3 / 4)


@pytest.mark.parametrize("held", [[5, 4, 0], [1, 0, 0], [40, 40, 40]])
def test_the_exponential_mechanism_is_private(held: list[int]) -> None:
    counts, mechanism = np.array(held), Exponential(1.5)
    worst = max(
        exponential_loss(mechanism, counts, a, b).maximum
        for a in range(3)
        for b in range(3)
        if a != b and held[a]
    )
    assert 0 < worst <= 1.5 + 1e-12
    with pytest.raises(ScenarioError, match="held"):
        exponential_loss(mechanism, np.array([1, 0]), 1, 0)


def test_delta_and_composition_of_randomised_response() -> None:
    """Kairouz, Oh, Viswanath 2015, theorem 3.3, of k equal ε."""
    epsilon, k = 0.3, 9
    e = math.exp(epsilon)
    one = DiscreteLoss.between(np.array([e, 1]) / (1 + e), np.array([1, e]) / (1 + e))
    whole = one.times(k)
    assert whole.values.size == k + 1
    assert whole.maximum == pytest.approx(k * epsilon)
    assert whole.mean == pytest.approx(k * one.mean)
    for i in range(k // 2 + 1):
        delta = (
            sum(
                math.comb(k, j)
                * (math.exp((k - j) * epsilon) - math.exp((k - 2 * i + j) * epsilon))
                for j in range(i)
            )
            / (1 + e) ** k
        )
        assert whole.delta((k - 2 * i) * epsilon) == pytest.approx(delta)


# The audit.


ONE_COHORT = Rappor(6, 8, 2, 1, BitNoise(0.5, 0.5, 0.75))
AUDITED = [*(bind(case) for case in CASES), ONE_COHORT, OUE(300, 1.0), OLH(300, 2.0)]


@pytest.mark.every(6)
@pytest.mark.parametrize("protocol", AUDITED, ids=repr)
def test_a_correct_protocol_passes_and_most_of_its_budget_is_found(protocol: Any) -> None:
    epsilon, d = epsilon_of(protocol), protocol.domain_size
    found = audited(protocol, d, epsilon, digits=False)
    assert not found.is_broken
    assert (0.25 if protocol is ONE_COHORT else 0.6) * epsilon < found.epsilon_low
    assert audited(protocol, d, 0.25 * epsilon, digits=False).is_broken


def test_a_leak_beside_a_correct_report_is_found() -> None:
    """A bit tells one user in ten whether their item is the first."""
    protocol = OUE(40, 1.0)

    def perturb(self: Any, values: Any, rng: Rng) -> Any:
        mark = (values == 0) & (rng.random(values.size) < 0.1)
        return np.column_stack([protocol.perturb(values, rng), mark.astype(np.uint8)])

    found = audited(changed(protocol, perturb=perturb), 40, 1.0, looked=None)
    assert found.is_broken
    assert found.items[0] == 0
    assert found.hits[1] == 0


class Tables:
    """A central mechanism, whose items are places among tables."""

    def __init__(self, mechanism: Any, *tables: list[int]) -> None:
        self.mechanism, self.tables = mechanism, np.array(tables)

    def perturb(self, values: Any, rng: Rng) -> Any:
        return self.mechanism.sample(self.tables[values], rng)


@pytest.mark.parametrize(
    "mechanism", [Laplace(2, 1.0), Geometric(2, 1.0), Stability(2, 1.0, delta=0.1)]
)
def test_central_mechanisms_on_neighbouring_tables(mechanism: Any) -> None:
    options: Any = {"delta": mechanism.delta, "digits": False, "watched": np.arange(2)}
    tables = [3, 4], [4, 3]
    assert not audited(Tables(mechanism, *tables), 2, 1.0, **options).is_broken
    less = replace(mechanism, epsilon=2.5)
    if not isinstance(mechanism, Stability):  # withheld either way
        assert audited(Tables(less, *tables), 2, 1.0, **options).is_broken


def test_a_forgotten_threshold_needs_more_delta() -> None:
    options: Any = {"delta": 0.01, "digits": False, "watched": np.arange(2)}
    for threshold, is_broken in ((Stability(2, 1.0, delta=0.01).threshold, False), (3.0, True)):
        mutant = changed(Stability(2, 1.0, delta=0.01), threshold=threshold)
        found = audited(Tables(mutant, [0, 9], [1, 8]), 2, 1.0, **options)
        assert found.is_broken == is_broken
