"""Closed forms against the enumerated laws: equal to rounding, nothing is drawn."""

import math
from typing import Any

import numpy as np
import pytest
from support.cases import (
    CASES,
    EXTREMES,
    attack,
    bind,
    cell,
    deviation_of,
    support_towards,
)
from support.count_laws import Poisoned
from support.report_laws import Case

from ldptui.core.law.pure import PlacedItems, SeedSearch, item_variance
from ldptui.core.metrics import METRICS
from ldptui.core.theory import (
    attacked_variance,
    count_variance,
    epsilon_of_direct,
    epsilon_of_unary,
    exact_border,
    expected_estimate,
    expected_metrics,
    expected_mse,
    fake_support,
    frequency_std,
    gain,
    item_shift,
    least_error,
    recommended_protocol,
    safer_domain_size,
)
from ldptui.core.theory.closed_forms import CLOSED_FORMS

HISTOGRAM = [500, 300, 150, 50, 0]
SEEDS = 3
ATTACKS = [
    (case, kind, scoring)
    for case in [*CASES, *(case for case in EXTREMES if (case.hash_range or 2) < 10)]
    for kind, scoring in (
        ("rpa", "anchor"),
        ("ria", "anchor"),
        ("mga", "anchor"),
        *([("mga", "bucket")] if case.hash_range else []),
    )
]
every_attack = pytest.mark.parametrize(("case", "kind", "scoring"), ATTACKS, ids=str)


def expected(case: Case, kind: str, scoring: Any, targets: list[int], share: float) -> Any:
    histogram = HISTOGRAM[: case.domain_size]
    effort = {"seeds": SEEDS, "scoring": scoring} if kind == "mga" else {}
    one = cell(histogram, case, attack(kind, share, targets, **effort))
    fake = {
        "rpa": lambda: case.random(),
        "ria": lambda: case.held(targets),
        "mga": lambda: case.crafted(targets, SEEDS, scoring),
    }[kind]()
    assert one.attack is not None
    support = support_towards(one)
    return one, support, Poisoned(case, histogram, fake, one.malicious, targets)


def test_each_closed_form_is_of_a_metric_of_its_conclusion() -> None:
    for conclusion, forms in CLOSED_FORMS.items():
        assert {name for name in forms if not METRICS[name].told_by(conclusion)} == set()


@pytest.mark.every(25)
@pytest.mark.parametrize("share", [0.0, 0.1, 0.4])
@every_attack
def test_gain_its_deviation_and_the_error(
    case: Case, kind: str, scoring: Any, share: float
) -> None:
    for targets in ([1], [0, 1], list(range(case.domain_size))):
        one, support, law = expected(case, kind, scoring, targets, share)
        r, held = len(targets), one.target_frequency
        assert one.share == pytest.approx(one.malicious / (law.users + one.malicious))
        assert held == pytest.approx(law.truth[targets].sum())
        value, variance = law.gain
        scale = 1e-9 / (case.p - case.q)
        assert gain(one.protocol, support, r, one.share, held) == pytest.approx(value, abs=scale)
        deviation = deviation_of(one, support)
        assert deviation == pytest.approx(math.sqrt(max(variance, 0)), rel=1e-6, abs=1e-7)
        assert expected_mse(one) == pytest.approx(law.squared_error(law.after)[0], rel=1e-9)

        assert expected_estimate(one) == pytest.approx(law.after.mean, rel=1e-9, abs=scale)
        variances = np.diag(law.after.covariance)
        assert attacked_variance(one) == pytest.approx(variances, rel=1e-9, abs=1e-15)

        metrics = expected_metrics(one)
        assert metrics["gain"] == pytest.approx(value, abs=scale)
        assert metrics["target_frequency"] == pytest.approx(held + value, abs=scale)
        assert metrics["target_frequency_clean"] == pytest.approx(held)
        assert metrics["mse_clean"] == pytest.approx(law.squared_error(law.before)[0], rel=1e-9)
        assert metrics["normalised_gain"] == pytest.approx(value / held + 1, abs=scale / held)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_every_item_shifts_by_the_one_formula(case: Case) -> None:
    one, support, law = expected(case, "mga", "anchor", [1, 3], 0.4)
    shift = law.after.mean - law.before.mean
    for item in range(case.domain_size):
        rate = support.target if item in (1, 3) else support.other
        if isinstance(one.protocol, PlacedItems):
            rate = float(fake_support(one).rates[item])  # type: ignore[union-attr]
        claimed = item_shift(one.protocol, rate, one.share, law.truth[item])
        assert claimed == pytest.approx(shift[item])
        assert item_shift(one.protocol, rate + 0.01, one.share, law.truth[item]) != pytest.approx(
            shift[item]
        )


def test_without_an_attack() -> None:
    one = cell(HISTOGRAM, Case("oue", 5, 1.0))
    metrics = expected_metrics(one)
    law = Poisoned(Case("oue", 5, 1.0), HISTOGRAM, np.eye(32)[0], 0, [])
    assert metrics["mse"] == metrics["mse_clean"] == pytest.approx(law.squared_error(law.before)[0])
    assert expected_estimate(one) == pytest.approx(law.before.mean)
    assert attacked_variance(one) == pytest.approx(np.diag(law.before.covariance))
    others = {name for name, value in metrics.items() if value is None}
    assert others == set(metrics) - {"mse", "mse_clean"}


def test_targets_that_nobody_holds_have_no_normalised_gain() -> None:
    one = cell(HISTOGRAM, Case("oue", 5, 1.0), attack("mga", 0.1, [4]))
    assert expected_metrics(one)["normalised_gain"] is None
    assert expected_metrics(one)["gain"] is not None


E = math.e


@pytest.mark.parametrize(
    ("case", "expected"),
    [
        (Case("grr", 100, 1.0), (98 + E) / (E - 1) ** 2),
        (Case("sue", 100, 1.0), E**0.5 / (E**0.5 - 1) ** 2),
        (Case("oue", 100, 1.0), 4 * E / (E - 1) ** 2),
        (Case("blh", 100, 1.0, 2), ((E + 1) / (E - 1)) ** 2),
        (Case("olh", 100, 1.0, 4), (E + 3) ** 2 / ((E - 1) ** 2 * 3)),
        (Case("olh", 100, 1.0, 9), (E + 8) ** 2 / ((E - 1) ** 2 * 8)),
    ],
    ids=str,
)
def test_approximate_variance(case: Case, expected: float) -> None:
    protocol = bind(case)
    assert count_variance(protocol) == pytest.approx(expected, rel=1e-12)
    assert frequency_std(protocol, 10_000) == pytest.approx(math.sqrt(expected / 10_000), rel=1e-12)


@pytest.mark.parametrize("epsilon", [0.1, 0.5, 1.0, 2.0, 4.0])
def test_the_recommended_protocol_has_the_least_variance(epsilon: float) -> None:
    for d in range(2, 200):
        grr, oue = (count_variance(bind(Case(kind, d, epsilon))) for kind in ("grr", "oue"))
        assert recommended_protocol(d, epsilon) == ("grr" if grr < oue else "oue")


@pytest.mark.parametrize("epsilon", [0.1, 0.5, 1.0, 2.0, 4.0])
def test_the_least_error_is_that_of_the_mean_over_all_items(epsilon: float) -> None:
    differ = 0
    for d in range(2, 200):
        grr, oue = (
            item_variance(bind(Case(kind, d, epsilon)), 1, 1 / d) for kind in ("grr", "oue")
        )
        assert least_error(d, epsilon) == ("grr" if grr < oue else "oue")
        differ += least_error(d, epsilon) != recommended_protocol(d, epsilon)
    assert differ == sum(exact_border(epsilon) <= d < 3 * math.exp(epsilon) + 2 for d in range(200))


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 2.0])
@pytest.mark.parametrize("r", [1, 2, 10])
def test_the_domain_beyond_which_grr_gains_more(epsilon: float, r: int) -> None:
    limit = safer_domain_size(r, epsilon)
    assert limit == pytest.approx((2 * r - 1) * (math.exp(epsilon) - 1) + 3 * r)
    search = SeedSearch()
    for d in range(max(2, r), 3 * r + math.ceil(limit)):
        grr, oue = bind(Case("grr", d, epsilon)), bind(Case("oue", d, epsilon))
        gains = [
            gain(protocol, protocol.find_support("crafted", r, search), r, 0.05, 0.01)
            for protocol in (grr, oue)
        ]
        assert (gains[0] > gains[1]) == (d > limit)


@pytest.mark.parametrize("case", [*CASES, *EXTREMES], ids=str)
def test_epsilon_from_p_and_q(case: Case) -> None:
    p, q, g = case.p, case.q, case.hash_range
    if case.code is not None:
        found = epsilon_of_direct(case.code.chances.max(), case.code.chances.min())
    elif g is not None:
        found = epsilon_of_direct(p, (1 - p) / (g - 1))
    elif case.subset_size is not None:  # each of the sets with the item, and without it
        d, w = case.domain_size, case.subset_size
        found = epsilon_of_direct(p / math.comb(d - 1, w - 1), (1 - p) / math.comb(d - 1, w))
    else:
        found = (epsilon_of_direct if case.one_item else epsilon_of_unary)(p, q)
    assert found == pytest.approx(case.real_epsilon, rel=1e-6)
