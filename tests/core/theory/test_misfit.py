"""Reports that are read by another protocol than made them, noticed by estimates that cannot be."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.stats import binom, norm
from support import budget

import ldptui
from ldptui.core.law.mechanism import LocalMechanism, is_a
from ldptui.core.law.pure import PureProtocol, Supporting, Total
from ldptui.core.protocols import KINDS
from ldptui.core.theory import misfit, target_sum_variance
from ldptui.core.theory.misfit import CHANCE, FAR, LEAST_REPORTS, ROUNDING

FALSE = 4e-3
TRUTH = np.array([0.5, 0.3, 0.2, 0.0, 0.0])


def local(kind: str, epsilon: float = 1.0) -> Any:
    return ldptui.protocol(kind, TRUTH.size, epsilon=epsilon)


UNBIASED = [
    kind
    for kind, spec in KINDS.items()
    if is_a(spec.mechanism, LocalMechanism) and is_a(spec.mechanism, PureProtocol)
]


def supports_independently(protocol: Any) -> bool:
    every = protocol.domain_size, 1.0
    return isinstance(protocol, PureProtocol) and protocol.total_variance(
        Total(*every)
    ) == pytest.approx(Supporting.total_variance(protocol, Total(*every)))


def counts(protocol: Any, users: int, trials: int) -> Any:
    histogram = np.broadcast_to((TRUTH * users).astype(np.int64), (trials, TRUTH.size))
    return protocol.sample_counts(histogram, np.random.default_rng(1))


@pytest.mark.parametrize("kind", UNBIASED)
def test_the_sum_of_all_estimates_spreads_as_its_closed_form_says(kind: str) -> None:
    protocol, users = local(kind), 1000
    sums = protocol.estimates(counts(protocol, users, 400), users).frequencies.sum(axis=1)
    every = np.arange(TRUTH.size)
    variance = target_sum_variance(protocol, every, TRUTH, users) / users
    fixed = variance < ROUNDING
    variance = 0.0 if fixed else variance
    assert budget.mean(sums, 1.0, variance)
    assert budget.spread(sums, 1.0, variance)
    assert not budget.spread(sums, 1.0, 2 * variance + fixed)


@pytest.mark.parametrize("kind", UNBIASED)
def test_half_the_epsilon_is_noticed_and_the_right_one_is_not(kind: str) -> None:
    protocol, other, users = local(kind), local(kind, 0.5), 10**9
    drawn = counts(protocol, users, 20)
    right, wrong = (each.estimates(drawn, users).frequencies for each in (protocol, other))
    assert not any(misfit(protocol, users, each) for each in right)
    if not np.array_equal(right, wrong):  # as those of SHE are, which are means
        assert all(misfit(other, users, each) for each in wrong)
    assert misfit(other, LEAST_REPORTS - 1, wrong[0]) is None


@pytest.mark.parametrize(
    ("kind", "estimates", "item"),
    [("grr", [-0.1, 1.5, 0.1, -0.3, -0.2], 1), ("grr", [0.5, 0.3, 0.2, -0.5, 0.5], 3),
     ("oue", [0.3] * 5, None), ("oue", [0.0] * 5, None)],
)  # fmt: skip
def test_a_misfit_says_how_far_off_the_farthest_is(
    kind: str, estimates: list[float], item: int | None
) -> None:
    """In standard errors of a report with p and q, of one item or of the bits of all five."""
    protocol, users = local(kind), 10**4
    own, other = (chance * (1 - chance) for chance in (protocol.p, protocol.q))
    value = sum(estimates) if item is None else estimates[item]
    bound = 1.0 if item is None else float(value > 1)
    noise = own + 4 * other if item is None else own if bound else other
    error = (noise / users) ** 0.5 / (protocol.p - protocol.q)
    found = misfit(protocol, users, np.array(estimates))
    assert found is not None
    assert (found.item, found.value, found.bound) == (item, pytest.approx(value), bound)
    assert found.errors == pytest.approx(abs(value - bound) / error)


def false_alarms(kind: str, items: int, epsilon: float, far: float) -> float:
    """The probability that the sum is so far off by chance: over every number of ones."""
    protocol, users = ldptui.protocol(kind, items, epsilon=epsilon), LEAST_REPORTS
    p, q, others = protocol.p, protocol.q, users * (items - 1)
    law = np.convolve(
        binom.pmf(range(users + 1), users, p), binom.pmf(range(others + 1), others, q)
    )
    sums = (np.arange(law.size) / users - items * q) / (p - q)
    error = (protocol.total_variance(Total(items, 1.0)) / users) ** 0.5
    return float(law[np.abs(sums - 1) > far * error].sum())


def test_a_false_alarm_is_as_rare_as_it_says() -> None:
    settings = [
        (kind, items, epsilon)
        for kind in filter(lambda kind: supports_independently(local(kind)), UNBIASED)
        for items in (2, 3, 8)
        for epsilon in (0.1, 1.0, 4.0, 8.0, 12.0)
    ]
    assert settings
    assert max(false_alarms(*setting, FAR) for setting in settings) < FALSE
    assert max(false_alarms(*setting, FAR / 2) for setting in settings) > FALSE


@pytest.mark.parametrize("rate", [1e-6, 1e-3, 0.1, 0.5])
def test_an_item_of_nobody_seldom_seems_to_be_less(rate: float) -> None:
    """And one of everybody more: the same law, with the misses for the hits."""
    error = (LEAST_REPORTS * rate * (1 - rate)) ** 0.5
    assert binom.cdf(LEAST_REPORTS * rate - FAR * error, LEAST_REPORTS, rate) < FALSE / 50


@pytest.mark.parametrize("errors", [3.9, 4.1])
def test_it_begins_at_four_standard_errors(errors: float) -> None:
    """Of an item of nobody; the other estimates fit, and add up to 1."""
    protocol, users = local("oue"), 10**6
    off = errors * (protocol.q * (1 - protocol.q) / users) ** 0.5 / (protocol.p - protocol.q)
    found = misfit(protocol, users, np.array([0.5, 0.3, 0.2 + off, 0.0, -off]))
    assert (found is not None) == (errors > FAR)
    assert found is None or found.chance == pytest.approx(7 * norm.sf(errors))


def test_of_many_items_what_noise_does_often_is_no_misfit() -> None:
    """The largest of d estimates of nobody: at 4 of 10^4 items, a fifth of the collections."""
    users = 10**6
    for items, told in ((300, True), (10**4, False)):
        oue = ldptui.protocol("oue", items, epsilon=1.0)
        off = 4.05 * (oue.q * (1 - oue.q) / users) ** 0.5 / (oue.p - oue.q)
        estimates = np.r_[1 + off, np.zeros(items - 2), -off]
        estimates[0] = 1.0
        assert ((items + 2) * norm.sf(4.05) < CHANCE) == told
        assert (misfit(oue, users, estimates) is not None) == told
