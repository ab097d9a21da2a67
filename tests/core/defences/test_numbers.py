"""Defences of numbers: the misfit alarm, trimming, EM with poison, the verified randomiser."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy import stats
from support import budget
from support.cases import experiment, results_of

from ldptui.core.attacks.hidden import hide_mean
from ldptui.core.base.arms import ATTACKED_DEFENDED, CLEAN, CLEAN_DEFENDED
from ldptui.core.base.errors import ScenarioError
from ldptui.core.cell import Cell
from ldptui.core.defences.defence_kinds import OF_NUMBERS
from ldptui.core.defences.number_defences import Misfit, PoisonComponent, TalliedReports, Trim
from ldptui.core.law.distributions import chi_square, fit_distribution
from ldptui.core.law.mechanism import is_a
from ldptui.core.law.numeric_protocol import NumericProtocol, heard_mean
from ldptui.core.protocols import KINDS
from ldptui.core.protocols.binned import HM, PM, SW
from ldptui.core.protocols.sr import SR
from ldptui.core.theory import expected_metrics

TELLING = [kind for kind, spec in KINDS.items() if is_a(spec.mechanism, NumericProtocol)]
PARTS, USERS = 16, 200_000
HELD = np.diff(stats.beta.cdf(np.linspace(0, 1, PARTS + 1), 2, 5))
POPULATION = {"kind": "beta", "items": PARTS, "users": USERS, "a": 2.0, "b": 5.0}


def cell_of(defence: dict[str, Any], task: str = "mean", kind: str = "pm", **changes: Any) -> Cell:
    attack = {"kind": "mga", "share": 0.02, "targets": {"items": [PARTS - 1]}}
    protocol = {"kind": kind, "epsilon": 1.0} | ({"bins": 32} if kind not in ("sr", "oue") else {})
    chosen = {"task": {"kind": task}, "trials": 40, **changes}
    chosen["defence"] = [defence, *chosen.pop("more", ())]
    (cell,) = experiment(POPULATION, protocol, chosen.pop("attack", attack), **chosen).cells
    return cell


def run_of(cell: Cell) -> Any:
    return results_of(
        replace(experiment(trials=cell.trials), cells=(replace(cell, index=0),))
    ).cells[0]


# The misfit alarm.


@pytest.mark.parametrize("protocol", [SW(PARTS, 1.0, 32), PM(PARTS, 2.0, 32), HM(PARTS, 1.0, 32)])
def test_honest_reports_alarm_no_more_often_than_is_promised(protocol: Any, seed: int) -> None:
    """Whatever users hold: a point, all numbers alike, a bell; 0.05 was asked for."""
    rng, step = np.random.default_rng(seed), Misfit(0.05)
    point = np.zeros(PARTS)
    point[PARTS // 2] = 1
    alarms, trials = 0, 100
    for held in (point, np.full(PARTS, 1 / PARTS), HELD):
        tallies = rng.multinomial(USERS, protocol.table @ held, size=trials).astype(float)
        found = step.left(TalliedReports(protocol, tallies))
        assert found.tallies is tallies
        assert found.alarm is not None
        alarms += int(found.alarm.sum())
    assert alarms <= stats.binom.ppf(1 - 1e-9, 3 * trials, 0.05)
    # At the true law the statistic has its K - 1 degrees: the quantile is neither loose nor tight.
    tallies = rng.multinomial(USERS, protocol.table @ HELD, size=trials).astype(float)
    statistic, free = chi_square(protocol, tallies, np.tile(HELD, (trials, 1)))
    assert budget.mean(statistic, float(free[0]), 2.0 * float(free[0]))
    assert not budget.mean(statistic, float(free[0]) * 0.8, 2.0 * float(free[0]))


def test_reports_of_another_budget_or_of_one_kind_alarm(rng: np.random.Generator) -> None:
    protocol, step = SW(PARTS, 1.0, 32), Misfit(0.01)
    law = protocol.table @ HELD
    other = SW(PARTS, 1.5, 32)
    width = min(other.report_values.size, law.size)
    wrong = np.zeros(law.size)
    wrong[:width] = (other.table @ HELD)[:width]
    poisoned = 0.99 * law + 0.01 * protocol.upper
    for sent in (wrong / wrong.sum(), poisoned):
        tallies = rng.multinomial(USERS, sent, size=5).astype(float)
        alarm = step.left(TalliedReports(protocol, tallies)).alarm
        assert alarm is not None
        assert alarm.all()
    hidden = hide_mean(protocol, 1.0, HELD, 0.05).support(np.arange(1)).rates
    tallies = rng.multinomial(USERS, 0.95 * law + 0.05 * hidden, size=40).astype(float)
    alarm = step.left(TalliedReports(protocol, tallies)).alarm
    assert alarm is not None
    assert alarm.sum() <= stats.binom.ppf(1 - 1e-9, 40, 0.01)


def test_two_reports_fit_anything_and_nothing_is_claimed() -> None:
    protocol = SR(5, 1.0)
    found = Misfit(0.01).left(TalliedReports(protocol, np.array([[0.0, 9.0]])))
    assert found.alarm is None
    made = run_of(cell_of({"kind": "misfit"}, kind="sr")).metrics
    assert np.isnan(made["alarm_rate"]).all()
    assert made["mean_shift_after"] == pytest.approx(made["mean_shift"])


# Trimming.


def test_trimming_is_that_of_sorted_reports(rng: np.random.Generator) -> None:
    protocol = HM(PARTS, 1.0, 32)
    tallies = rng.integers(0, 50, size=(3, protocol.report_values.size)).astype(float)
    left = Trim(0.1).left(TalliedReports(protocol, tallies)).tallies
    for row, kept in zip(tallies, left, strict=True):
        says = np.sort(np.repeat(protocol.report_values, row.astype(int)))
        cut = 0.1 * says.size
        weights = np.clip(np.minimum(np.arange(1, says.size + 1), says.size - cut)
                          - np.maximum(np.arange(says.size), cut), 0, 1)  # fmt: skip
        mean, variance = heard_mean(protocol, kept[None])
        assert mean[0] == pytest.approx(weights @ says / weights.sum())
        squares = weights @ (says - mean[0]) ** 2
        assert variance[0] == pytest.approx(squares / weights.sum())
        assert kept.sum() == pytest.approx(0.8 * says.size)


@pytest.mark.parametrize("kind", TELLING)
def test_the_bias_of_trimming_is_foretold(kind: str) -> None:
    cell = cell_of({"kind": "trim", "trimmed": 0.03}, kind=kind, trials=60)
    expected, made = expected_metrics(cell), run_of(cell).metrics
    for name in ("mean_error_clean_after", "mean_error_after"):
        values, bias = made[name], expected[name]
        assert bias is not None
        variance = float(np.var(values, ddof=1))
        assert budget.mean(values, bias, variance)
        assert not budget.mean(values, bias + 0.03, variance)
    assert abs(expected["mean_error_clean_after"] or 0) > 0.01
    assert made["mean_shift_after"].mean() == pytest.approx(expected["mean_shift_after"], rel=0.02)


# EM with a poison component.


@pytest.mark.parametrize("side", ["high", "low"])
def test_poison_is_told_from_honest_reports(side: str) -> None:
    """At the end of a side all of the fakes are found, and honest reports with them."""
    protocol = PM(PARTS, 1.0, 32)
    law = protocol.table @ (HELD if side == "high" else HELD[::-1])
    poison = protocol.extreme(side == "high")
    step = PoisonComponent(side)  # type: ignore[arg-type]
    shares = []
    for share in (0.0, 0.05, 0.2):
        tallies = 1e6 * ((1 - share) * law + share * poison)[None]
        found = step.left(TalliedReports(protocol, tallies))
        assert (found.tallies <= tallies + 1e-9).all()
        middle = protocol.report_values < 0 if side == "high" else protocol.report_values > 0
        assert found.tallies[0, middle] == pytest.approx(tallies[0, middle])
        assert found.share is not None
        shares.append(float(found.share[0]))
    own = shares[0]
    assert 0 < own < 0.08
    for share, told in zip((0.05, 0.2), shares[1:], strict=True):
        assert told == pytest.approx(share + (1 - share) * own, abs=0.01)


@pytest.mark.parametrize(("task", "kind"), [("mean", "pm"), ("distribution", "sw")])
def test_poison_that_is_dropped_moves_nothing(task: str, kind: str) -> None:
    made = run_of(cell_of({"kind": "em-poison"}, task, kind)).metrics
    assert np.abs(made["mean_shift_after"]).mean() < 0.01
    if task == "mean":
        assert made["mean_shift"].mean() > 0.08
    cost = made["mean_error_clean_after"] - made["mean_error_clean"]
    assert (cost < -0.002).all()
    assert (made["share_estimate"] > 0.02).all()


# The verified randomiser, and all of them on both tasks.


def test_verified_fakes_choose_a_number_alone() -> None:
    cell = cell_of({"kind": "verified-randomiser"}, trials=60)
    expected, made = expected_metrics(cell), run_of(cell).metrics
    shift = cell.share * (1 - cell.population.frequencies @ np.linspace(-1, 1, PARTS))
    assert expected["mean_shift_after"] == pytest.approx(shift)
    assert expected["mean_error_clean_after"] == 0.0
    values = made["mean_shift_after"]
    spread = cell.share**2 * 5.3 / USERS + 5.3 * cell.malicious / (USERS + cell.malicious) ** 2
    assert budget.mean(values, shift, spread)
    assert not budget.mean(values, shift * 2, spread)


@pytest.mark.parametrize("path", ["counts", "reports"])
@pytest.mark.parametrize("task", ["mean", "distribution"])
@pytest.mark.parametrize("kind", [*OF_NUMBERS, "verified-randomiser"])
def test_every_defence_acts_on_both_tasks(kind: str, task: str, path: str) -> None:
    less = {**POPULATION, "users": 3000}
    attack = {"kind": "mga", "share": 0.1, "targets": {"items": [PARTS - 1]}}
    protocol = {"kind": "sw", "epsilon": 1.0, "bins": 64}
    (cell,) = experiment(
        less, protocol, attack, task={"kind": task}, defence=[{"kind": kind}], trials=2,
        simulate={"path": path},
    ).cells  # fmt: skip
    made = run_of(cell)
    assert np.isfinite(made.metrics["mean_shift_after"]).all()
    assert {CLEAN, CLEAN_DEFENDED, ATTACKED_DEFENDED} <= set(made.arms)
    if task == "distribution":
        assert made.arms[ATTACKED_DEFENDED].mean.sum() == pytest.approx(1)
        assert np.isfinite(made.metrics["wasserstein_after"]).all()
    assert np.isfinite(made.metrics["alarm_rate"]).all() == (kind == "misfit")


@pytest.mark.parametrize(
    ("defence", "task", "kind", "words"),
    [
        (
            "trim",
            "distribution",
            "oue",
            'defence.0.kind must not be "trim" with a protocol of items',
        ),
        (
            "em-poison",
            "mean",
            "sr",
            'must not be "em-poison" with SR, whose reports tell no',
        ),
        ("misfit", "frequencies", "oue", 'must not be "misfit" with a protocol of items'),
        ("norm-sub", "mean", "pm", "defence must be left out with task.kind"),
        ("fiad", "distribution", "sw", "defence.0"),
    ],
)
def test_a_defence_without_sense_is_refused(defence: str, task: str, kind: str, words: str) -> None:
    with pytest.raises(ScenarioError, match=re.escape(words)):
        cell_of({"kind": defence}, task, kind)


def test_a_fit_with_poison_is_the_likeliest_mixture(rng: np.random.Generator) -> None:
    """Without kinds that fakes may send it is EM from half the weight, to the same fit."""
    protocol = PM(PARTS, 1.0, 32)
    tallies = rng.multinomial(USERS, protocol.table @ HELD, size=2).astype(float)
    kept = PoisonComponent().left(TalliedReports(protocol, tallies)).tallies
    fits = fit_distribution(protocol, kept, False)
    side = protocol.report_values > 0
    law = protocol.table @ fits.T
    likely = (tallies.T * np.log(law / law.sum(axis=0))).sum(axis=0)
    mixed = kept.T / kept.sum(axis=1)
    assert np.isfinite(likely).all()
    assert (mixed[side].sum(axis=0) < (tallies.T / USERS)[side].sum(axis=0)).all()


@pytest.mark.parametrize("attack", [{"kind": "opa", "mean": 0.5}, {"kind": "point", "number": 0.5}])
def test_fakes_who_choose_no_number_cannot_be_verified(attack: dict[str, Any]) -> None:
    with pytest.raises(ScenarioError, match=r"attack\.kind must not be .*its fakes choose no item"):
        run_of(cell_of({"kind": "verified-randomiser"}, attack={**attack, "share": 0.1}))
