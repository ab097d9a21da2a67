"""The distribution of numbers: fits, attacks on them, and what is refused."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy import stats
from support.cases import experiment, results_of
from support.kinds import attack_table

from ldptui.core.attacks.hidden import hide_mean
from ldptui.core.base.arms import ATTACKED, CLEAN
from ldptui.core.base.errors import ScenarioError
from ldptui.core.cell import Cell
from ldptui.core.law.distributions import fit_distribution, misfit, table_of
from ldptui.core.metrics.conclusions.number_conclusions import DistributionConclusion
from ldptui.core.protocols import KINDS
from ldptui.core.protocols.binned import PM, SW

PARTS = 64
EDGES = np.linspace(0, 1, PARTS + 1)
HELD = np.diff(stats.beta.cdf(EDGES, 2, 5))
MIDDLES = (2 * np.arange(PARTS) + 1) / PARTS - 1


def sw(epsilon: float = 1.0, bins: int = 64) -> SW:
    return SW(PARTS, epsilon, bins, cells=True)


def expected_counts(protocol: Any, share: float, fakes: Any, users: float = 1e6) -> Any:
    """Counts without noise, of a share of fakes of this law among Beta(2, 5) numbers."""
    return users * ((1 - share) * protocol.table @ HELD + share * fakes)[None]


def cell_of(protocol: dict[str, Any], kind: str | None = None, **top: Any) -> Cell:
    table = None if kind is None else attack_table(kind, 0.1, targets={"items": [15]})
    held = (1000 * np.diff(stats.beta.cdf(np.linspace(0, 1, 17), 2, 5))).round().astype(int)
    task = {"kind": "distribution", "low": 0.0, "high": 100.0, **top.pop("task", {})}
    (only,) = experiment(held.tolist(), protocol, table, task=task, **top).cells
    return only


# The fit.


@pytest.mark.parametrize("protocol", [sw(), sw(2.0, 256), PM(PARTS, 1.0, 128, cells=True)])
def test_the_table_of_few_changes_is_the_table(protocol: Any) -> None:
    rng, dense = np.random.default_rng(1), protocol.table
    given, found = rng.random((PARTS, 3)), rng.random((len(dense), 3))
    table = table_of(protocol)
    assert table.forward(given) == pytest.approx(dense @ given, rel=1e-9)
    assert table.backward(found) == pytest.approx(dense.T @ found, rel=1e-9)


@pytest.mark.parametrize("smooth", [False, True])
def test_the_fit_is_that_of_the_paper_step_by_step(smooth: bool) -> None:
    """EM and EMS written down as loops over dense matrices, with the rules of when to stop."""
    protocol = sw()
    counts = np.random.default_rng(2).multinomial(10**5, protocol.table @ HELD)
    fit, before, change = np.full(PARTS, 1 / PARTS), -np.inf, 1e-3 if smooth else 1e-3 * np.e
    for _ in range(10_000):
        law = protocol.table @ fit
        fit = fit * (protocol.table.T @ (counts / law))
        fit /= fit.sum()
        if smooth:
            around = [fit[:1] @ [2] + fit[1], *(fit[i - 1] + 2 * fit[i] + fit[i + 1]
                      for i in range(1, PARTS - 1)), 2 * fit[-1] + fit[-2]]  # fmt: skip
            weights = np.array([3, *[4] * (PARTS - 2), 3])
            fit = np.array([float(np.sum(value)) for value in around]) / weights
            fit /= fit.sum()
        likely = counts @ np.log(protocol.table @ fit)
        if abs(likely - before) < change:
            break
        before = likely
    (made,) = fit_distribution(protocol, counts[None], smooth)
    assert made == pytest.approx(fit, abs=1e-9)
    assert made.sum() == pytest.approx(1)
    other = fit_distribution(protocol, counts[None], not smooth)[0]
    assert np.abs(other - fit).max() > 1e-4


def test_trials_are_fitted_each_by_itself() -> None:
    protocol = sw()
    counts = np.random.default_rng(3).multinomial(10**5, protocol.table @ HELD, size=3)
    together = fit_distribution(protocol, counts, True)
    for row, fit in zip(counts, together, strict=True):
        assert fit_distribution(protocol, row[None], True)[0] == pytest.approx(fit, abs=1e-12)


@pytest.mark.parametrize(
    ("law", "em", "ems"),
    [("top", 3.04, 2.41), ("lie", 1.38, 1.00), ("end", 1.54, 0.20)],
)
def test_how_far_crafted_reports_move_the_mean_of_a_fit(law: str, em: float, ems: float) -> None:
    """For each share of fakes, at ε = 1, 64 bins, 5 % fakes: the largest report is weak on EMS."""
    protocol = sw()
    laws = {"top": protocol.widest(True), "lie": protocol.table[:, -1], "end": protocol.upper}
    for smooth, shift in ((False, em), (True, ems)):
        fits = [
            fit_distribution(protocol, expected_counts(protocol, share, laws[law]), smooth)[0]
            for share in (0.0, 0.05)
        ]
        assert (fits[1] - fits[0]) @ MIDDLES / 0.05 == pytest.approx(shift, abs=0.1)


def test_only_one_report_shows_in_the_misfit() -> None:
    protocol, rng = sw(), np.random.default_rng(4)
    laws = {"none": protocol.table @ HELD, "end": protocol.upper, "top": protocol.widest(True)}
    hidden = hide_mean(protocol, 1.0, HELD, 0.01).support(np.arange(1)).rates
    found = {}
    for name, law in (*laws.items(), ("hidden", hidden)):
        counts = rng.multinomial(10**6, expected_counts(protocol, 0.01, law, 1.0)[0], size=10)
        found[name] = misfit(protocol, counts, fit_distribution(protocol, counts, False))
    assert found["end"].min() > 100
    assert max(found["none"].max(), found["hidden"].max()) < 4
    assert found["top"].max() < 4


# The task.


def test_metrics_by_plain_loops() -> None:
    truth, numbers = np.array([0.5, 0.25, 0.25]), np.array([1.0, 3.0, 5.0])
    fits = {CLEAN: np.array([[0.4, 0.35, 0.25]]), ATTACKED: np.array([[0.1, 0.2, 0.7]])}
    misfits = {CLEAN: np.zeros(1), ATTACKED: np.ones(1)}
    means = {arm: fit @ numbers for arm, fit in fits.items()}
    made = DistributionConclusion(
        means, float(truth @ numbers), True, fits=fits, misfits=misfits, held=truth, step=2.0
    )
    shift = (0.1 - 0.4) + 3 * (0.2 - 0.35) + 5 * 0.45
    assert made.shift(CLEAN, ATTACKED).tolist() == pytest.approx([shift])
    assert made.errors(CLEAN).tolist() == pytest.approx([0.2])
    assert made.wasserstein(ATTACKED).tolist() == pytest.approx([2 * (0.4 + 0.45)])
    assert made.largest_gap(ATTACKED).tolist() == pytest.approx([0.45])
    assert made.targets.size == 1
    assert not made.has_support
    low, high = np.array([2.4, 1.0, 2.6]), np.array([2.6, 2.4, 9.0])
    held = replace(made, robust=(low, high))  # the mean is 2.5
    assert held.covers_truth[:, 0].tolist() == [True, False, False]


def test_the_second_moment_has_the_spread_inside_a_part() -> None:
    """Numbers are even in their part of width 100/16: its variance is width²/12 = 3.26."""
    cell = cell_of({"kind": "grr", "epsilon": 20.0}, "mga", trials=1)
    made = results_of(replace(experiment(trials=1), cells=(replace(cell, index=0),))).cells[0]
    middles = 6.25 * (np.arange(16) + 0.5)
    squares = cell.population.frequencies @ middles**2
    assert made.metrics["second_moment_clean"] == pytest.approx(squares + 6.25**2 / 12, abs=0.1)


@pytest.mark.parametrize("path", ["counts", "reports"])
@pytest.mark.parametrize("kind", [kind for kind, spec in KINDS.items() if hasattr(spec, "bins")])
def test_a_distribution_is_estimated_by_every_protocol_of_bins(kind: str, path: str) -> None:
    protocol = {"kind": kind, "epsilon": 3.0, "bins": 64}
    cell = cell_of(protocol, "mga", trials=4, simulate={"path": path})
    made = results_of(replace(experiment(trials=4), cells=(replace(cell, index=0),))).cells[0]
    assert (made.metrics["wasserstein_clean"] < 6).all()
    assert (made.metrics["mean_shift"] > 0).all()
    assert set(cell.metrics) >= {"mean_shift", "wasserstein", "ks", "misfit"}
    assert made.arms[CLEAN].mean.sum() == pytest.approx(1)


@pytest.mark.parametrize("kind", ["oue", "olh"])
def test_a_protocol_over_the_parts_is_the_baseline(kind: str) -> None:
    cell = cell_of({"kind": kind, "epsilon": 3.0}, "mga", trials=4)
    made = results_of(replace(experiment(trials=4), cells=(replace(cell, index=0),))).cells[0]
    assert (made.metrics["wasserstein_clean"] < 10).all()
    assert (made.metrics["mean_shift"] > 2).all()
    assert np.isnan(made.metrics["misfit"]).all()


@pytest.mark.parametrize(
    ("protocol", "changes", "words"),
    [
        ({"kind": "sr", "epsilon": 1.0}, {}, "protocol.kind must not be SR, whose reports tell no"),
        ({"kind": "laplace", "epsilon": 1.0}, {}, 'whose reports tell no distribution'),
        ({"kind": "sw", "epsilon": 1.0, "bins": 4}, {}, "protocol.bins must be at least 6, as a"),
        ({"kind": "sw", "epsilon": 20.0}, {}, "protocol.epsilon must be smaller, as a window"),
        ({"kind": "sw", "epsilon": 1.0}, {"task": {"high": 0.0}}, "task.high must be above low"),
        ({"kind": "sw", "epsilon": 1.0}, {"defence": [{"kind": "norm-sub"}]}, "defence must be"),
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_refused(
    protocol: dict[str, Any], changes: dict[str, Any], words: str
) -> None:
    with pytest.raises(ScenarioError, match=re.escape(words)):
        cell_of(protocol, **changes)
