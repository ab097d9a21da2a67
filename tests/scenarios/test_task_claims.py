"""The claims of bundled scenarios about heavy hitters and about the mean of numbers."""

from __future__ import annotations

import math

import numpy as np
import pytest
from support.claims import bundled, measured, series, theory

from ldptui.core.theory import expected_metrics


@pytest.mark.long
def test_the_targets_of_cao_get_into_the_answer_of_pem() -> None:
    keys = "attack.kind", "population.exponent", "attack.share"
    experiment = bundled("hitters-beta", trials=40)
    named = measured(experiment, "targets_in_top_k", *keys)
    for exponent in (1.0, 1.3):
        half, whole = (named["mga", exponent, share] for share in (0.005, 0.01))
        assert half == pytest.approx(3.9, abs=0.6)
        assert whole == pytest.approx(9.3, abs=0.5)
        assert min(named["mga", exponent, share] for share in (0.02, 0.05)) > 9.9
        assert named["ria", exponent, 0.05] < 1.3
    clean = measured(experiment, "hitter_recall_clean", *keys)
    assert [*clean.values()] == pytest.approx([0.61] * len(clean), abs=0.03)


def test_a_larger_k_and_fewer_targets_help_the_attacker() -> None:
    named = measured(bundled("hitters-k-r"), "targets_in_top_k", "attack.targets.count", "task.k")
    assert series(named, 1) == [1, 1, 1]
    assert series(named, 10) == pytest.approx([2.5, 9.2, 9.95], abs=0.6)
    assert series(named, 20) == pytest.approx([1.9, 8.5, 17.2], abs=1)


def test_fewer_groups_find_more_and_name_more_targets() -> None:
    keys, experiment = ("protocol.epsilon", "task.groups"), bundled("hitters-groups")
    named = measured(experiment, "targets_in_top_k", *keys)
    clean = measured(experiment, "hitter_recall_clean", *keys)
    assert (clean[1.0, 3], clean[1.0, 10]) == pytest.approx((0.755, 0.61), abs=0.03)
    assert (named[1.0, 3], named[1.0, 10]) == pytest.approx((10, 9.2), abs=0.6)
    assert (clean[0.5, 10], clean[2.0, 10]) == pytest.approx((0.44, 0.79), abs=0.03)
    assert (named[0.5, 10], named[2.0, 10]) == pytest.approx((9.5, 7.8), abs=0.6)


def test_words_are_found_out_of_all_strings() -> None:
    experiment = bundled("hitters-words", trials=40)
    named = measured(experiment, "targets_in_top_k", "attack.share")
    clean = measured(experiment, "hitter_recall_clean", "attack.share")
    assert [*clean.values()] == pytest.approx([0.94] * 3, abs=0.02)
    assert named[0.001,] < 0.06
    assert named[0.01,] == pytest.approx(0.91, abs=0.15)
    assert named[0.05,] > 1.97


def test_crafted_reports_move_a_mean_by_what_a_report_says_and_lies_by_the_range() -> None:
    keys = "attack.kind", "protocol.epsilon"
    shifts = theory("mean-of-numbers", "mean_shift", *keys)
    (cell,) = bundled("mean-of-numbers", protocol__epsilon=1.0, attack__kind="mga", sweep={}).cells
    ages = np.arange(101) / 50 - 1
    mean_age = float(cell.population.frequencies @ ages)
    for (kind, epsilon), shift in shifts.items():
        assert isinstance(epsilon, float)
        says = (math.exp(epsilon) + 1) / (math.exp(epsilon) - 1) if kind == "mga" else 1.0
        assert shift == pytest.approx(cell.share * (says - mean_age) * 50)
    assert shifts["mga", 1.0] == pytest.approx(5.9, abs=0.05)
    assert shifts["input", 1.0] == pytest.approx(3.0, abs=0.05)
    assert len({round(shift, 9) for (kind, _), shift in shifts.items() if kind == "input"}) == 1
    noise = theory("mean-of-numbers", "mean_squared_error_clean", *keys)["mga", 1.0]
    assert math.sqrt(noise) == pytest.approx(0.0034, abs=1e-4)


@pytest.mark.long
def test_the_shifts_of_a_mean_are_measured() -> None:
    made = bundled("mean-of-numbers")
    keys = "attack.kind", "protocol.epsilon"
    expected = theory("mean-of-numbers", "mean_shift", *keys)
    for key, shift in measured(made, "mean_shift", *keys).items():
        assert shift == pytest.approx(expected[key], rel=1e-3)


def test_where_two_protocols_of_numbers_cross() -> None:
    keys = "protocol.kind", "protocol.epsilon", "population.mean"
    errors = theory("numbers-protocols", "mean_squared_error_clean", *keys)
    at = {key: 1e6 * error for key, error in errors.items()}
    assert [at["pm", 1.0, where] for where in (100.0, 50.0)] == pytest.approx([5.22, 3.68], 0.01)
    assert [at["sr", 1.0, where] for where in (100.0, 50.0)] == pytest.approx([3.68, 4.68], 0.01)
    for epsilon in (1.0, 1.29, 2.0):
        assert at["hm", epsilon, 50.0] == pytest.approx(at["hm", epsilon, 100.0], 0.01)
    assert at["hm", 1.0, 50.0] == pytest.approx(4.29, 0.01)
    assert at["pm", 1.29, 100.0] == pytest.approx(at["sr", 1.29, 50.0], 1e-3)
    assert at["pm", 1.0, 100.0] > at["sr", 1.0, 50.0]
    assert at["pm", 2.0, 100.0] < at["sr", 2.0, 50.0]


@pytest.mark.long
def test_the_largest_report_is_a_weak_attack_on_a_smoothed_fit() -> None:
    keys = "attack.kind", "task.fit"
    made = bundled("numbers-square-wave", trials=2)
    shifts, misfits = measured(made, "mean_shift", *keys), measured(made, "misfit", *keys)
    for kind, shift in {"mga": 0.005, "input": 0.05, "top": 0.12, "hidden": 0.12}.items():
        assert shifts[kind, "ems"] == pytest.approx(shift, abs=0.005)
        assert 0.06 < shifts[kind, "em"] < 0.16
    assert misfits["mga", "em"] > 10_000
    assert misfits["top", "em"] == pytest.approx(8, abs=4)
    assert max(misfits["input", "em"], misfits["hidden", "em"]) < 3


@pytest.mark.long
def test_a_mean_is_held_in_a_hidden_attack() -> None:
    keys = "protocol.kind", "attack.share"
    shifts = theory("numbers-hidden", "mean_shift", *keys)
    for (kind, share), shift in shifts.items():
        assert isinstance(share, float)
        assert shift / share == pytest.approx({"pm": 3.0, "sr": 2.6}[str(kind)], abs=0.05)
    made = bundled("numbers-hidden", trials=5, sweep={"attack.share": [0.05]})
    assert [*measured(made, "alarm_rate", "protocol.kind").values()] == [0]
    assert min(measured(made, "robust_coverage", "protocol.kind").values()) >= 0.8


def test_a_survey_of_ages_is_made_older_by_few() -> None:
    cells = bundled("numbers-ages").cells
    answers = {
        (cell.parameters["attack.kind"], cell.parameters["protocol.kind"]): cell.malicious
        for cell in cells
    }
    assert answers == {
        ("input", "sr"): 47, ("input", "hm"): 47, ("mga", "sr"): 24, ("mga", "hm"): 18,
    }  # fmt: skip
    for cell in cells:
        noise = expected_metrics(cell)["mean_squared_error_clean"]
        assert noise is not None
        assert math.sqrt(noise) == pytest.approx(1.7, abs=0.05)
