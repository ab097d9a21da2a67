"""The table that run prints: rows, measured beside expected, digits, ASCII."""

from __future__ import annotations

import io
import math
import sys
from statistics import NormalDist

import numpy as np
import pytest
from support.commands import TINY, Captured, succeed

from ldptui.commands import cli
from ldptui.core.experiment import compile
from ldptui.core.running.runner import run
from ldptui.core.scenario import parse
from ldptui.core.theory import expected_metrics
from ldptui.text import table


def rows_of(text: str) -> list[list[str]]:
    return [line.split() for line in text.splitlines()]


@pytest.mark.parametrize("width", [60, 80, 120, 200])
def test_the_table_of_a_sweep_fits_and_names_everything(width: int) -> None:
    scenario = parse(TINY + '[sweep]\n"protocol.kind" = ["grr", "olh"]\n"attack.share" = [0, 0.1]')
    *_, last = run(compile(scenario))
    text = table.results_table(last.results, width)
    assert max(map(len, text.splitlines())) <= width
    for word in ("Tiny", "GRR, OLH", "d = 8 items", "n = 500 users", "r = 2 listed targets: 1, 2",
                 "protocol", "share", "gain", "theory", "z", "±", "seed 0", "counts path",
                 "4 trials", last.results.digest, "mean squared error"):  # fmt: skip
        assert word in text, word
    rows = [row for row in rows_of(text) if row[:1] in (["grr"], ["olh"])]
    blocks = len(rows) // 4
    assert [row[:2] for row in rows] == [
        ["grr", "0"], ["grr", "0.1"], ["olh", "0"], ["olh", "0.1"]
    ] * blocks  # fmt: skip
    assert (blocks == 1) == (width == 200)


def test_measured_theory_and_z_stand_in_one_row() -> None:
    *_, last = run(compile(parse(TINY)))
    text = table.results_table(last.results, 80)
    (row,) = [row for row in rows_of(text) if row[:1] == ["gain"]]
    value, _, error, theory, z = row[1:]
    estimate = last.results.cells[0].estimate("gain")
    assert estimate.mean is not None
    assert estimate.standard_error is not None
    assert float(value) == pytest.approx(estimate.mean, abs=float(error) / 10)
    assert float(error) == pytest.approx(estimate.standard_error, rel=0.05)
    assert len(error.lstrip("0.")) == 2  # two digits of uncertainty
    assert (float(value) - float(theory)) / float(error) == pytest.approx(float(z), abs=0.2)


def test_the_largest_z_of_few_trials_is_a_normal_score() -> None:
    *_, last = run(compile(parse(TINY.replace("trials = 4", "trials = 2"))))
    text = table.results_table(last.results, 80)
    cell, measured = last.results.experiment.cells[0], last.results.cells[0]
    expected = expected_metrics(cell)
    scores = []
    for metric in cell.metrics:
        z = measured.estimate(metric, expected[metric]).z
        if z is None:
            continue
        scores.append(-NormalDist().inv_cdf(0.5 - math.atan(abs(z)) / math.pi))
    assert (
        f"largest |z| of those shown ({len(scores)}), as a normal score: {max(scores):.1f}\n"
        in text
    )


def test_the_version_of_numpy_stands_beside_the_digest() -> None:
    *_, last = run(compile(parse(TINY)))
    digest = last.results.digest
    assert f"digest {digest}, random numbers of NumPy {np.__version__}" in table.results_table(
        last.results
    )
    assert f"{digest}, random numbers of NumPy 1.2.3" in table.results_table(
        last.results, numpy="1.2.3"
    )


def test_points_are_aligned_and_uncertainties_have_two_digits() -> None:
    axis = '[sweep]\n"population.users" = [100, 10_000, 1_000_000, 100_000_000]'
    *_, last = run(compile(parse(TINY + axis)))
    lines = table.results_table(last.results, 80).splitlines()
    start = next(k for k, line in enumerate(lines) if "gain" in line) + 3
    rows = lines[start : start + 4]
    assert len({row.index("±") for row in rows}) == 1
    assert len({row.index(".") for row in rows}) == 1
    for row in rows:
        error = row.split("±")[1].split()[0]
        assert len(error.lstrip("0.")) == 2


def test_a_percent_sign_is_no_part_of_the_number_before_it() -> None:
    """`3 %` stood as far left as 300."""
    assert table.align_words(["126", "2.83 %", "3 %", "1e-6"]) == (
        "126     ", "  2.83 %", "  3 %   ", "  1e-6  ",
    )  # fmt: skip


def test_one_trial_has_no_uncertainty_and_no_attack_no_gain() -> None:
    text = TINY.replace("trials = 4", "trials = 1")
    *_, last = run(compile(parse(text)))
    shown = table.results_table(last.results, 80)
    assert "±" not in shown.partition("mean ±")[0]
    text = TINY.replace('kind = "mga"', 'kind = "none"')
    *_, last = run(compile(parse(text)))
    shown = table.results_table(last.results, 80)
    assert "gain" not in shown
    assert "attack      none" in shown


def test_labels_name_the_targets(capsys: Captured) -> None:
    text = succeed(capsys, "run", "survey", "--trials", "2")
    assert "gout, tinnitus" in text
    assert "column condition" in text


def test_a_table_for_a_poor_terminal_is_ascii(tiny: str, monkeypatch: pytest.MonkeyPatch) -> None:
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="ascii"))
    assert cli.main(["run", tiny]) == 0
    assert "+-" in raw.getvalue().decode("ascii")
