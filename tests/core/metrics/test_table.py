"""Metrics against their definitions, by hand and by plain loops."""

import numpy as np
import pytest

from ldptui.core.base.arms import ATTACKED, ATTACKED_DEFENDED, CLEAN, CLEAN_DEFENDED
from ldptui.core.base.sampling import Floats
from ldptui.core.law.pure import Estimates, Items
from ldptui.core.metrics import METRICS, FrequencyConclusion, Measures, measure, plain
from ldptui.core.metrics.conclusions.hitters import HitterAnswer, HitterConclusion
from ldptui.core.metrics.ranking import Leaders

RANKS = ("topk_recall", "ndcg", "rank_error")
RANKING = [f"{name}{end}" for name in RANKS for end in ("", "_clean")]
TRUTH = np.array([0.5, 0.3, 0.2, 0.0])
BEFORE = np.array([[0.4, 0.3, 0.25, 0.05], [0.5, 0.35, 0.1, 0.05]])
AFTER = np.array([[0.3, 0.2, 0.25, 0.25], [0.4, 0.3, 0.0, 0.3]])


def measures(before: Floats, after: Floats, truth: Floats, targets: Items, k: int) -> Measures:
    """The measures of estimates before and after an attack."""
    estimates = {CLEAN: Estimates(before), ATTACKED: Estimates(after)}
    return measure(FrequencyConclusion(estimates, truth, Leaders.of(truth, k), targets))


def measured(targets: list[int], top_k: int = 2) -> dict[str, list[float]]:
    rows = measures(BEFORE, AFTER, TRUTH, np.array(targets, dtype=np.int64), top_k)
    assert rows.shape == (2,)
    return {name: rows[name].tolist() for name in METRICS}


def test_metrics_by_hand() -> None:
    found = measured([1, 3])
    assert found["gain"] == pytest.approx([0.1, 0.2])
    assert found["normalised_gain"] == pytest.approx([0.4 / 0.3, 0.5 / 0.3])
    assert found["target_frequency"] == pytest.approx([0.45, 0.6])
    assert found["target_frequency_clean"] == pytest.approx([0.35, 0.4])
    assert found["mse"] == pytest.approx([(0.04 + 0.01 + 0.0025 + 0.0625) / 4, 0.14 / 4])
    assert found["mse_clean"] == pytest.approx([(0.01 + 0.0025 + 0.0025) / 4, 0.015 / 4])
    assert found["l1_error"] == pytest.approx([0.2 + 0.1 + 0.05 + 0.25, 0.1 + 0.2 + 0.3])
    assert found["max_error"] == pytest.approx([0.25, 0.3])
    assert found["targets_in_top_k"] == [0, 1]


def test_undefined_metrics_are_not_numbers() -> None:
    nobody = measured([3])
    assert np.isnan(nobody["normalised_gain"]).all()
    assert nobody["gain"] == pytest.approx([0.2, 0.25])
    none = measured([])
    defined = {name for name, values in none.items() if not np.isnan(values).any()}
    assert defined == {"mse", "mse_clean", "l1_error", "max_error", *RANKING}


def test_the_metrics_of_the_contract_keep_their_names_and_order() -> None:
    assert list(METRICS)[:9] == [
        "gain",
        "normalised_gain",
        "target_frequency",
        "target_frequency_clean",
        "mse",
        "mse_clean",
        "l1_error",
        "max_error",
        "targets_in_top_k",
    ]


def test_metrics_against_plain_loops(rng: np.random.Generator) -> None:
    d, trials = 30, 7
    truth = rng.dirichlet(np.ones(d))
    clean, attacked = rng.normal(truth, 0.05, (2, trials, d))
    targets = rng.permutation(d)[:6]
    rows = plain(measures(clean, attacked, truth, targets, 5))
    for row, before, after in zip(rows, clean.tolist(), attacked.tolist(), strict=True):
        error = [after[v] - truth[v] for v in range(d)]
        gain = sum(after[t] - before[t] for t in targets)
        held = sum(truth[t] for t in targets)
        top = sorted(range(d), key=lambda v: (-after[v], v))[:5]
        assert row[:9] == pytest.approx(
            [
                gain,
                (gain + held) / held,
                sum(after[t] for t in targets),
                sum(before[t] for t in targets),
                sum(e * e for e in error) / d,
                sum((before[v] - truth[v]) ** 2 for v in range(d)) / d,
                sum(abs(e) for e in error),
                max(abs(e) for e in error),
                sum(t in top for t in targets),
            ]
        )


def test_a_top_larger_than_the_domain() -> None:
    assert measured([1, 3], top_k=99)["targets_in_top_k"] == [2, 2]


def test_all_estimates_below_zero() -> None:
    low = -np.ones((1, 4))
    rows = measures(low, low - [[0, 0, 0, 1]], TRUTH, np.array([0, 3]), 1)
    found = {name: rows[name][0] for name in METRICS}
    assert found["gain"] == -1
    assert found["targets_in_top_k"] == 1
    assert np.isfinite(plain(rows)[:, :9]).all()


def test_defended_metrics_by_hand() -> None:
    defended = np.array([[0.35, 0.25, 0.2, 0.2], [0.4, 0.3, 0.0, 0.3]])
    clean = np.array([[0.5, 0.25, 0.2, 0.05], [0.5, 0.35, 0.1, 0.05]])
    arms = {CLEAN: BEFORE, ATTACKED: AFTER, CLEAN_DEFENDED: clean, ATTACKED_DEFENDED: defended}
    made = {arm: Estimates(frequencies) for arm, frequencies in arms.items()}
    found = measure(FrequencyConclusion(made, TRUTH, Leaders.of(TRUTH, 2), np.array([1, 3])))
    assert found["gain_after"] == pytest.approx([0.15, 0.2])
    assert found["recovered"] == pytest.approx([1 - 0.15 / 0.1, 0.0])
    assert found["target_frequency_after"] == pytest.approx([0.45, 0.6])
    assert found["targets_in_top_k_after"].tolist() == [1, 1]
    errors = [(0.0025 + 0 + 0.0025) / 4, 0.015 / 4]
    assert found["mse_clean_after"] == pytest.approx(errors)
    assert found["collateral"] == pytest.approx(errors - found["mse_clean"])


def test_no_share_of_no_gain_is_removed() -> None:
    arms = (CLEAN, ATTACKED, CLEAN_DEFENDED, ATTACKED_DEFENDED)
    made = {arm: Estimates(BEFORE) for arm in arms}
    found = measure(FrequencyConclusion(made, TRUTH, Leaders.of(TRUTH, 2), np.array([1])))
    assert np.isnan(found["recovered"]).all()
    assert found["collateral"].tolist() == [0, 0]


def test_rankings_by_hand() -> None:
    found = measured([1, 3])
    assert found["topk_recall"] == [0.5, 1]  # {0, 1} in truth; {0, 2} and {0, 1}
    assert found["topk_recall_clean"] == [1, 1]


def test_answers_of_heavy_hitters_by_hand() -> None:
    """Items 0 and 1 are the hitters, 3 is the target; three are named, one is lost on the way."""
    survived = np.array([[[1, 1, 1, 1], [1, 0, 1, 1]]], dtype=np.bool_)
    answer = HitterAnswer(survived, np.zeros((1, 4)), 3)
    made = HitterConclusion({CLEAN: answer}, np.array([3]), np.array([0, 1]))
    assert made.precision(CLEAN).tolist() == [1 / 3]
    assert made.recall(CLEAN).tolist() == [1 / 2]
    assert made.f1(CLEAN).tolist() == pytest.approx([2 / (3 + 2)])
    assert made.ncr(CLEAN).tolist() == pytest.approx([2 / 3])
    assert made.targets_in_top_k(CLEAN).tolist() == [1]
    assert made.hitter_levels(CLEAN).tolist() == [1.5]
