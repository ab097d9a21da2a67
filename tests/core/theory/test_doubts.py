"""No z, but the reason, where the spread of trials is no measure of their mean."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import chi2
from support.kinds import task_of

from ldptui.core.attacks import ATTACKS
from ldptui.core.base.errors import ScenarioError
from ldptui.core.base.summary import Doubt
from ldptui.core.cell import Cell
from ldptui.core.experiment import compile
from ldptui.core.metrics.results import CellResults, Moments, estimate_of
from ldptui.core.protocols import KINDS
from ldptui.core.running.runner import run
from ldptui.core.scenario import Scenario, parse
from ldptui.core.theory import compare_with_theory, doubts, expected_metrics, normal_score
from ldptui.core.theory.closed_forms import CHI_SQUARES

SCENARIO = """\
format = 1
trials = {trials}
[population]
kind = "zipf"
items = {items}
users = {users}
exponent = 1.0
[protocol]
kind = "{kind}"
epsilon = {epsilon}
"""
ATTACK = '[attack]\nkind = "{kind}"\nshare = 0.1\ntargets = {{ pick = "random", count = {r} }}\n'


def measured(text: str) -> tuple[Cell, CellResults]:
    experiment = compile(parse(text, "my.toml"))
    *_, progress = run(experiment)
    return experiment.cells[0], progress.results.cells[0]


@pytest.mark.every(3)
@pytest.mark.parametrize(
    ("kind", "epsilon", "items", "users", "r", "metric", "doubt"),
    [
        ("grr", 1.0, 16, 2000, 16, "gain", "rounding"),
        ("geometric", 20.0, 16, 2000, 16, "gain", "rounding"),
        ("grr", 20.0, 16, 200, 2, "gain", "rare"),
        ("grr", 20.0, 16, 200, 2, "mse_clean", "rare"),
        ("grr", 1.0, 2**17, 20, 0, "mse", "rare"),
        ("stability", 1e-6, 16, 2000, 0, "mse", "rare"),
        ("stability", 17.0, 16, 30, 0, "mse_clean", "rare"),
        ("grr", 1.0, 16, 2000, 2, "gain", None),
        ("grr", 1.0, 16, 2000, 16, "mse", None),
        ("geometric", 1.0, 16, 2000, 2, "mse_clean", None),
    ],
)
def test_a_z_that_says_nothing_gives_the_reason(
    kind: str, epsilon: float, items: int, users: int, r: int, metric: str, doubt: Doubt | None
) -> None:
    text = SCENARIO.format(trials=20, items=items, users=users, kind=kind, epsilon=epsilon)
    cell, results = measured(text + ATTACK.format(kind="mga", r=r) * bool(r))
    theory = expected_metrics(cell)
    raw = results.estimate(metric, theory[metric])
    estimate = compare_with_theory(cell, results, metric, theory)
    exact = replace(raw, mean=0.0, standard_error=0.0) if doubt == "rounding" else raw
    assert estimate == replace(exact, doubt=doubt)
    assert (estimate.z is None) == (doubt is not None)
    wrong = compare_with_theory(cell, results, metric, {metric: 2 * (theory[metric] or 1.0)})
    # A wrong closed form is still found: by its z, or beside a mean that is exact.
    if doubt == "rounding":
        assert (wrong.doubt, wrong.standard_error) == (None, 0.0)
    else:
        assert doubt == "rare" or abs(wrong.z or 0.0) > 4


@pytest.mark.parametrize("trials", [5, 6, 10, 20, 40, 1000])
def test_a_spread_that_is_far_below_what_is_expected(trials: int) -> None:
    """It has the probability 10^-5 for normal measures, or less where trials are few."""
    quantile = chi2.ppf(1e-5, trials - 1) / (trials - 1)
    assert quantile * 0.6 < doubts._far_below(trials) ** 2 < quantile * 1.01 or trials < 10
    assert chi2.cdf(doubts._far_below(trials) ** 2 * (trials - 1), trials - 1) < 2e-5


@pytest.mark.every(11)
@pytest.mark.parametrize("kind", KINDS)
def test_what_cancels_is_zero(kind: str) -> None:
    """The closed forms of all metrics, where all items are targets."""
    for attack in ATTACKS:
        text = SCENARIO.format(trials=1, items=8, users=100, kind=kind, epsilon=1.0)
        try:
            made = parse(text + ATTACK.format(kind=attack, r=8), "my.toml")
            (cell,) = compile(Scenario(made.document | task_of(kind))).cells
        except ScenarioError:  # of an attack that needs more, or that the protocol refuses
            continue
        for value in expected_metrics(cell).values():
            assert value is None or abs(value) > 1e-13 or str(value) == "0.0"
            assert value is None or math.isfinite(value)


def test_the_normal_score_has_the_tail_of_students_t() -> None:
    # Two trials: Cauchy's law, whose tail beyond z is 1/2 - arctan(z)/π.
    for z in (0.5, 71.0, -71.0, 1e6):
        cauchy = 0.5 - math.atan(abs(z)) / math.pi
        score = normal_score(z, 2)
        assert math.erfc(score / math.sqrt(2)) / 2 == pytest.approx(cauchy, rel=1e-6)
    assert normal_score(71.0, 2) == pytest.approx(2.613, abs=0.001)
    assert normal_score(3.0, 10**9) == pytest.approx(3.0, abs=1e-6)  # of many trials, normal
    assert math.isfinite(normal_score(1e5, 10**6))


@pytest.mark.parametrize(("epsilon", "r"), [(20.0, 2), (1.0, 16), (1.0, 2)])
def test_a_normalised_gain_has_the_doubt_of_the_gain(epsilon: float, r: int) -> None:
    text = SCENARIO.format(trials=20, items=16, users=200, kind="grr", epsilon=epsilon)
    cell, results = measured(text + ATTACK.format(kind="mga", r=r))
    theory = expected_metrics(cell)
    gain, normalised = (
        compare_with_theory(cell, results, name, theory) for name in ("gain", "normalised_gain")
    )
    assert normalised.doubt == gain.doubt


@pytest.mark.parametrize("share", [1e-4, 0.05])
def test_no_metric_shows_a_spread_of_rounding(share: float) -> None:
    """GRR and `norm` again, attacked: no gain is removed, and the last bits say nothing of it."""
    text = SCENARIO.format(trials=20, items=16, users=20_000, kind="grr", epsilon=1.0)
    attack = ATTACK.replace("0.1", str(share)).format(kind="mga", r=2)
    cell, results = measured(f'{text}{attack}[[defence]]\nkind = "norm"\n')
    theory = expected_metrics(cell)
    for name in cell.metrics:
        for closed in (dict.fromkeys(theory), theory):
            error = compare_with_theory(cell, results, name, closed).standard_error
            assert error is None or error == 0 or error > 1e-12, name
    assert np.ptp(results.metrics["recovered"]) > 0
    removed = compare_with_theory(cell, results, "recovered", theory | {"recovered": None})
    assert (removed.mean, removed.standard_error, removed.z) == (0.0, 0.0, None)


@pytest.mark.parametrize("value", [0.9, -3.356e-4, 0.0, 1e300])
def test_equal_trials_have_their_value_and_no_error(value: float) -> None:
    """The sum of 20 times 0.9 is not 18: a standard error of it is rounding, and so is its z."""
    estimate = estimate_of(np.full(20, value), 0.0)
    assert (estimate.mean, estimate.standard_error, estimate.z) == (value, 0.0, None)


@pytest.mark.parametrize("value", [0.9, -3.356e-4])
def test_trials_that_differ_by_rounding_have_no_error(value: float) -> None:
    """A last bit that differs now and then is no spread: z was -2.7e16."""
    trials = np.full(20, value)
    trials[::3] = np.nextafter(value, 1)
    estimate = estimate_of(trials, 0.0)
    assert estimate.mean == pytest.approx(value, rel=1e-15)
    assert (estimate.standard_error, estimate.z) == (0.0, None)
    assert Moments.of(trials[:, None]).std == 0


ONE_NUMBER = """\
format = 1
trials = {trials}
[population]
kind = "normal"
items = 101
users = 2000
mean = 40.0
std = 10.0
[task]
kind = "mean"
[protocol]
kind = "pm"
epsilon = 1.0
"""
FEW = """\
format = 1
trials = 20
[population]
kind = "zipf"
items = 16
users = {users}
exponent = 1.0
[protocol]
kind = "oue"
epsilon = {epsilon}
[attack]
kind = "mga"
share = 0.01
targets = {{ items = [{target}] }}
"""


@pytest.mark.parametrize(
    ("text", "metric", "doubt"),
    [
        (ONE_NUMBER.format(trials=5), "mean_squared_error_clean", "skewed"),
        (ONE_NUMBER.format(trials=CHI_SQUARES), "mean_squared_error_clean", None),
        (FEW.format(users=133, epsilon=4.0, target=15), "robust_low", "skewed"),
        (FEW.format(users=10**6, epsilon=1.0, target=15), "robust_low", None),
        (FEW.format(users=10**6, epsilon=1.0, target=15), "mse", None),
    ],
)
def test_z_is_approximate_where_measures_are_skewed(
    text: str, metric: str, doubt: Doubt | None
) -> None:
    cell, results = measured(text)
    estimate = compare_with_theory(cell, results, metric, expected_metrics(cell))
    assert estimate.doubt == doubt
    assert estimate.z is not None
