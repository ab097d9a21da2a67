"""RAPPOR in scenario files, in runs without a screen, in `ldptui theory` and in the output."""

from __future__ import annotations

import csv
import io
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.cases import attack, cell, experiment, results_of
from support.claims import bundled
from support.kinds import CAO_ATTACKS

from ldptui import core
from ldptui.commands import cli
from ldptui.core.base.arms import CLEAN
from ldptui.core.base.errors import ScenarioError
from ldptui.core.export import to_csv, to_json
from ldptui.core.metrics import plain
from ldptui.core.protocols import SUE, Rappor, Unary
from ldptui.core.running.runner import Results
from ldptui.core.scenario import schema

Captured = pytest.CaptureFixture[str]

POPULATION = [3000, 2000, 1500, 900, 500, 100, 0, 0]


def rappor(**others: Any) -> dict[str, Any]:
    return {"kind": "rappor", "bits": 32, "cohorts": 8, **others}


def document_of(results: Results, frequencies: bool = False) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(to_json(results, {}, frequencies))
    return found


def scenario(protocol: str, rest: str = "") -> core.Scenario:
    text = 'format = 1\n[population]\nkind = "uniform"\nitems = 20\nusers = 1000\n'
    return core.parse(f'{text}[protocol]\nkind = "rappor"\n{protocol}\n{rest}', "my.toml")


# Keys.


def test_the_defaults_are_those_of_the_reference_client() -> None:
    (point,) = scenario("").points()
    assert point.parameters["protocol.form"] == "full"
    wanted = {"bits": 16, "hashes": 2, "cohorts": 64, "f": 0.5, "p": 0.5, "q": 0.75}
    assert {key: point.parameters[f"protocol.{key}"] for key in wanted} == wanted


def test_a_form_lists_only_its_own_fields() -> None:
    def keys(text: str) -> set[str]:
        (point,) = scenario(text).points()
        return {
            key.removeprefix("protocol.")
            for key in point.parameters
            if key.startswith("protocol.") and point.parameters[key] is not None
        }

    noise, filters = {"p", "q"}, {"bits", "hashes", "cohorts", "alpha", "adjust"}
    assert keys("") == {"kind", "form", "f", *noise, *filters}
    assert keys('form = "one-time"') == {"kind", "form", "f", *filters}
    assert keys('form = "basic"') == {"kind", "form", "f", *noise}
    assert keys('form = "basic-one-time"\nbits = 8\np = 0.1') == {"kind", "form", "f"}
    assert keys("epsilon = 1") == {"kind", "form", "epsilon", *noise, *filters}


def test_epsilon_is_that_of_one_report() -> None:
    for form, p, q in (("full", 0.2, 0.9), ("one-time", 0, 1), ("basic", 0.2, 0.9)):
        one = cell(POPULATION, rappor(form=form, epsilon=1.5, p=0.2, q=0.9))
        assert (one.protocol.noise.p, one.protocol.noise.q) == (p, q)
        assert one.protocol.noise.epsilon_one(one.protocol.hashes) == pytest.approx(1.5)


@pytest.mark.parametrize(
    ("written", "sentence"),
    [
        ("f = 1.0", "my.toml: protocol.f must be less than 1, got 1: a permanent bit"),
        ("f = 0\np = 0", "my.toml: protocol.f must be greater than 0 where p = 0, got 0"),
        ("q = 0.5", "my.toml: protocol.q must exceed p = 0.5, got 0.5"),
        ("f = 0.5\nepsilon = 1", "my.toml: protocol.f must be left out where epsilon is given"),
        ("epsilon = 4", "my.toml: protocol.epsilon must be at most 2.19722"),
        ("bits = 300", "my.toml: protocol.bits must be in [2, 256], got 300"),
        ("bits = 16.0", "my.toml: protocol.bits must be an integer"),
        ('form = "complete"', 'my.toml: protocol.form must be "full", "one-time", "basic"'),
        ("hash = 2", "my.toml: protocol.hash is not a known key (did you mean hashes?)"),
        ('adjust = "none"', "my.toml: protocol.adjust must be"),
    ],
)
def test_a_bad_value_is_one_line(written: str, sentence: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        scenario(written)
    assert str(caught.value).startswith(sentence)
    assert "\n" not in str(caught.value)


def test_f_without_permanent_noise_is_allowed() -> None:
    (cell,) = core.compile(scenario("f = 0")).cells
    assert cell.protocol.noise.f == 0


def test_too_many_filters_are_refused_unless_limits_are_lifted() -> None:
    big = {"kind": "zipf", "items": 2**17, "users": 100, "exponent": 1.0}
    with pytest.raises(ScenarioError, match=r"protocol.cohorts times items must be at most 2\^22"):
        experiment(big, rappor(cohorts=64))
    experiment(big, rappor(form="basic"))


def test_too_many_bits_of_all_cohorts_are_refused_unless_limits_are_lifted() -> None:
    table = rappor(bits=32, cohorts=2**16)
    with pytest.raises(ScenarioError) as caught:
        experiment([3, 2], table)
    assert "protocol.cohorts times bits must be at most 2^20, got 2 097 152" in str(caught.value)
    assert experiment([3, 2], rappor(bits=16, cohorts=2**16)).cells


def test_other_protocols_and_rappor_in_one_sweep() -> None:
    """Each takes the keys that it knows; epsilon means ε₁."""
    kinds = 'epsilon = 1\nbits = 32\n[sweep]\n"protocol.kind" = ["oue", "rappor", "olh"]'
    cells = core.compile(scenario(kinds)).cells
    assert [type(cell.protocol).__name__ for cell in cells] == ["Unary", "Rappor", "LocalHashing"]
    assert "protocol.bits" not in cells[0].parameters
    assert cells[1].parameters["protocol.bits"] == 32
    assert cells[1].protocol.noise.epsilon_one(2) == pytest.approx(1)
    assert "p_star" not in cells[0].protocol.facts()


def test_the_schema_knows_every_key() -> None:
    described = json.dumps(schema())
    for key in ("RapporSpec", '"form"', '"basic-one-time"', '"cohorts"', '"cohort"', '"adjust"'):
        assert key in described


def test_labels_are_hashed(tmp_path: Path) -> None:
    (tmp_path / "words.csv").write_text("word,n\nalpha,900\nbeta,100\ngamma,0\n")
    population = '[population]\nkind = "csv"\npath = "words.csv"\ncolumn = "word"\ncount = "n"\n'
    text = f'format = 1\n{population}[protocol]\nkind = "rappor"\n'
    (one,) = core.compile(core.parse(text, "my.toml", tmp_path)).cells
    assert isinstance(one.protocol, Rappor)
    assert one.protocol.labels == ("alpha", "beta", "gamma")
    by_index = cell([900, 100, 0], {"kind": "rappor"})
    assert isinstance(by_index.protocol, Rappor)
    assert not np.array_equal(by_index.protocol.table, one.protocol.table)


# Drawing.


def test_basic_one_time_draws_what_sue_draws() -> None:
    """The same protocol: the same digest, and every number the same."""
    crafted = attack("mga", 0.1, [6, 1])
    for path in ("counts", "reports"):
        runs = [
            results_of(experiment(POPULATION, protocol, crafted, simulate={"path": path}, trials=3))
            for protocol in (
                {"kind": "sue", "epsilon": 1.3},
                rappor(form="basic-one-time", epsilon=1.3),
            )
        ]
        assert runs[0].digest == runs[1].digest
        first, second = (plain(run.cells[0].metrics) for run in runs)
        assert np.array_equal(first, second, equal_nan=True)
    one = cell(POPULATION, rappor(form="basic-one-time", epsilon=1.3))
    assert repr(one.protocol) == repr(SUE(8, 1.3))


def test_tests_and_labels_do_not_change_what_is_drawn() -> None:
    """Cells that differ in how they are decoded share their reports."""
    sweep = {"protocol.adjust": ["bonferroni", "benjamini-hochberg"], "protocol.alpha": [0.01, 0.2]}
    results = results_of(experiment(POPULATION, rappor(), None, sweep=sweep, trials=5))
    marks = [cell.fingerprints.tolist() for cell in results.cells]
    assert all(mark == marks[0] for mark in marks)
    found = [cell.estimate("detected").mean for cell in results.cells]
    assert found[0] <= found[1] <= found[3]  # type: ignore[operator]
    assert found[0] <= found[2] <= found[3]  # type: ignore[operator]


def test_a_cohort_changes_the_fakes_and_not_the_users() -> None:
    sweep = {"attack.cohort": [0.0, 0.5, 1.0]}
    cells = experiment(POPULATION, rappor(), attack("mga", 0.2, [6]), sweep=sweep).cells
    assert len({cell.malicious_address for cell in cells}) == 3
    assert len({cell.genuine_address for cell in cells}) == 1
    without = cell(POPULATION, rappor(), attack("mga", 0.2, [6]))
    assert "attack.cohort" not in without.parameters
    assert "cohort=" not in without.malicious_address


@pytest.mark.long
def test_workers_draw_the_same_numbers() -> None:
    crafted = attack("mga", 0.1, [6], cohort=0.5)
    sweep = {"protocol.form": ["full", "one-time", "basic"]}
    work = experiment(POPULATION, rappor(), crafted, sweep=sweep, trials=25)
    alone, two = results_of(work), results_of(work, workers=2)
    assert alone.digest == two.digest
    for one, other in zip(alone.cells, two.cells, strict=True):
        assert (one.detected is None) == (other.detected is None)
        if one.detected is not None and other.detected is not None:
            assert one.detected.tolist() == other.detected.tolist()


@pytest.mark.every(6)
@pytest.mark.parametrize("kind", CAO_ATTACKS)
@pytest.mark.parametrize("form", ["full", "one-time"])
def test_counts_and_reports_agree_on_every_metric(form: str, kind: str) -> None:
    """40 trials of either path: their means differ by their errors, not more."""
    crafted = attack(kind, 0.1, [6, 1], cohort=0.3)
    found = []
    for path in ("counts", "reports"):
        work = experiment(
            POPULATION, rappor(form=form), crafted, trials=40, simulate={"path": path}
        )
        found.append(results_of(work).cells[0])
    for name in ("gain", "target_frequency_clean", "mse", "mse_clean", "detected"):
        one, other = (each.estimate(name) for each in found)
        assert one.mean is not None
        assert other.mean is not None
        error = math.hypot(one.standard_error or 0, other.standard_error or 0)
        assert abs(one.mean - other.mean) <= 8 * error, name


def test_a_run_counts_what_it_detects() -> None:
    results = results_of(experiment(POPULATION, rappor(form="one-time", f=0.1), None, trials=20))
    measured = results.cells[0]
    assert measured.detected is not None
    assert measured.detected[:3].tolist() == [20, 20, 20]
    assert measured.detected.sum() == pytest.approx(20 * measured.estimate("detected").mean)  # type: ignore[operator]
    wrong = measured.detected[6:].sum() / 20
    assert measured.estimate("false_detected").mean == pytest.approx(wrong)
    assert wrong <= 0.5
    # Fakes make an absent item appear.
    fakes = attack("mga", 0.1, [7])
    attacked = results_of(experiment(POPULATION, rappor(form="one-time", f=0.1), fakes)).cells[0]
    assert attacked.estimate("false_detected").mean >= 1  # type: ignore[operator]


def test_a_billion_users_take_no_longer() -> None:
    big = [10**8 * n for n in (4, 3, 2, 1)]
    results = results_of(experiment(big, rappor(), attack("mga", 0.1, [3]), trials=20))
    assert results.complete
    assert results.cells[0].estimate("mse_clean").mean < 1e-6  # type: ignore[operator]


# Output.


def test_json_of_every_form() -> None:
    sweep = {"protocol.form": ["full", "one-time", "basic", "basic-one-time"]}
    work = experiment(POPULATION, rappor(), attack("mga", 0.1, [6, 1]), sweep=sweep, trials=2)
    found = document_of(results_of(work), frequencies=True)
    for one in found["cells"]:
        assert one["parameters"]["protocol.kind"] == "rappor"
        assert one["p"] is None
        assert one["q"] is None
        assert one["hash_range"] is None
        assert 0 < one["p_star"] < one["q_star"] < 1
        assert 0 < one["epsilon_one"] <= one["epsilon_infinity"] + 1e-12
        assert one["f"] == 0.5
        assert one["warnings"] == []
        full = "basic" not in one["parameters"]["protocol.form"]
        for name in ("detected", "false_detected"):
            assert (one["metrics"][name]["mean"] is not None) == full
        assert (one["bit_support_gain"] is not None) == full
        assert ("detected" in one["frequencies"]) == full
        assert one["metrics"]["gain"]["theory"] is not None
        assert len(one["frequencies"]["attacked"]) == 8
    full = found["cells"][0]
    assert (full["p_star"], full["q_star"]) == (0.5625, 0.6875)
    assert full["epsilon_one"] == pytest.approx(1.0743, abs=1e-4)
    assert full["epsilon_infinity"] == pytest.approx(math.log(81))
    assert all(0 <= share <= 1 for share in full["frequencies"]["detected"])


def test_an_unbounded_epsilon_is_null() -> None:
    results = results_of(experiment(POPULATION, rappor(f=0.0), None, trials=2))
    (one,) = document_of(results)["cells"]
    assert one["epsilon_infinity"] is None
    assert one["epsilon_one"] == pytest.approx(2 * math.log(3))


def test_other_protocols_have_the_metrics_as_null_and_no_other_keys() -> None:
    (one,) = document_of(results_of(experiment(POPULATION, trials=2)))["cells"]
    assert set(one["metrics"]["detected"].values()) == {None}
    assert one["p"] is not None
    assert not one.keys() & {"p_star", "q_star", "epsilon_one", "warnings", "f"}
    (row,) = csv.DictReader(io.StringIO(to_csv(results_of(experiment(POPULATION, trials=1)))))
    assert row["detected"] == row["false_detected"] == ""


def test_csv_has_a_column_for_each_parameter() -> None:
    sweep = {"protocol.form": ["full", "basic"]}
    results = results_of(experiment(POPULATION, rappor(), None, sweep=sweep, trials=2))
    rows = list(csv.DictReader(io.StringIO(to_csv(results))))
    assert [row["protocol.bits"] for row in rows] == ["32", "32", "", ""]
    assert [row["protocol.f"] for row in rows] == ["0.5"] * 4
    assert [row["detected"] != "" for row in rows] == [True, True, False, False]


@pytest.mark.parametrize(
    ("protocol", "population", "words"),
    [
        (rappor(bits=2, cohorts=1, hashes=1), POPULATION, "set the same bits as another one"),
        (rappor(bits=4, cohorts=2), [5] * 40, "more than 0.8·k·m"),
        (rappor(cohorts=64), [3, 2], "cohorts without a user"),
    ],
    ids=["same bits", "too many", "too few users"],
)
def test_doubtful_decoding_warns_and_gives_numbers(
    protocol: dict[str, Any], population: list[int], words: str
) -> None:
    fakes = attack("mga", 0.2, [1])
    (one,) = document_of(results_of(experiment(population, protocol, fakes, trials=3)), True)[
        "cells"
    ]
    assert any(words in warning for warning in one["warnings"])
    for name in ("gain", "mse", "mse_clean", "detected", "false_detected"):
        assert one["metrics"][name]["mean"] is not None
    assert (one["metrics"]["gain"]["theory"] is None) == ("without a user" not in words)


# The command.


def succeed(capsys: Captured, *arguments: str) -> str:
    assert cli.main(list(arguments)) == 0
    return capsys.readouterr().out


def test_theory_json_is_that_of_the_contract(capsys: Captured) -> None:
    given = ("theory", "rappor", "--items", "200", "--format", "json")
    found = json.loads(succeed(capsys, *given, "--users", "1000000", "--bits", "128"))
    assert found["p"] is None
    assert found["q"] is None
    assert found["epsilon_one"] == pytest.approx(1.074285864)
    assert found["epsilon_infinity"] == pytest.approx(4.394449155)
    assert (found["p_star"], found["q_star"]) == (0.5625, 0.6875)
    assert found["count_std"] == pytest.approx(math.sqrt(1e6 * 0.24609375 / 2) / 0.125)
    assert found["frequency_std"] == pytest.approx(found["count_std"] / 1e6)
    assert found["variance_per_user"] == pytest.approx(found["count_std"] ** 2 / 1e6)
    assert json.loads(succeed(capsys, *given))["count_std"] is None
    unbounded = json.loads(succeed(capsys, *given, "--f", "0"))
    assert unbounded["epsilon_infinity"] is None


def test_theory_of_the_basic_form_is_that_of_unary_encoding(capsys: Captured) -> None:
    options = ("--items", "64", "--users", "10000", "--share", "0.05", "--targets", "3",
               "--target-frequency", "0.1", "--epsilon", "1", "--format", "json")  # fmt: skip
    sue = json.loads(succeed(capsys, "theory", "sue", *options))
    own = json.loads(succeed(capsys, "theory", "rappor", "--form", "basic-one-time", *options))
    for key in ("gain", "gain_std"):
        assert own[key] == pytest.approx(sue[key])
    for key in ("variance_per_user", "frequency_std", "recommended"):
        assert own[key] == pytest.approx(sue[key])
    assert (own["q_star"], own["p_star"]) == pytest.approx((sue["p"], sue["q"]))


def test_the_theory_table_says_whose_p_and_q_these_are(capsys: Captured) -> None:
    given = ("--items", "200", "--users", "1000000", "--share", "0.05", "--targets", "1",
             "--target-frequency", "0.01")  # fmt: skip
    for form in ("full", "one-time", "basic", "basic-one-time"):
        text = succeed(capsys, "theory", "rappor", "--form", form, *given)
        assert max(map(len, text.splitlines())) <= 80
        for word in ("the reverse of Wang's", "ε₁", "ε∞", "count std", "RAP lemma 1", "MGA"):
            assert word in text
    assert "unbounded" in succeed(capsys, "theory", "rappor", "--items", "9", "--f", "0")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("rappor", "--items", "9", "--f", "1"), "--f must be less than 1, got 1"),
        (("rappor", "--items", "9", "--q", "0.4"), "--q must exceed p = 0.5, got 0.4"),
        (("rappor", "--items", "9", "--f", "0", "--p", "0"), "--f must be greater than 0"),
        (("rappor", "--items", "9", "--bits", "1"), "--bits must be in [2, 256], got 1"),
        (("rappor", "--items", "9", "--epsilon", "9"), "--epsilon must be at most"),
        (("rappor", "--items", "9", "--epsilon", "0"), "--epsilon must be in (0, 20], got 0"),
        (("oue", "--items", "9"), "--epsilon is required"),
        (("oue", "--items", "9", "--epsilon", "1", "--f", "0.5"), "--f is an option of rappor"),
    ],
)
def test_theory_refuses_in_one_line(
    capsys: Captured, arguments: tuple[str, ...], sentence: str
) -> None:
    assert cli.main(["theory", *arguments]) == 2
    error = capsys.readouterr().err
    assert error.startswith(sentence)
    assert error.count("\n") == 1


def test_a_run_prints_detections_and_warnings(capsys: Captured, tmp_path: Path) -> None:
    path = tmp_path / "my.toml"
    path.write_text(
        'format = 1\ntrials = 2\n[population]\nkind = "uniform"\nitems = 40\nusers = 1000\n'
        '[protocol]\nkind = "rappor"\nbits = 4\ncohorts = 2\n'
    )
    assert cli.main(["run", str(path)]) == 0
    shown = capsys.readouterr()
    assert shown.err.count("warning: 40 candidates are more than 0.8·k·m") == 1
    for word in ("RAPPOR", "k = 4", "m = 2", "p* = 0.5625", "ε∞ = 4.394", "detected items"):
        assert word in shown.out
    assert cli.main(["run", str(path), "--quiet"]) == 0
    assert capsys.readouterr().err == ""


# Bundled scenarios.


def test_a_normal_distribution_shows_more_with_more_users() -> None:
    """Each ten times the users, a tenth of the squared error."""
    results = results_of(bundled("rappor-normal"))
    assert [cell.users for cell in results.experiment.cells] == [10**4, 10**5, 10**6]
    errors = [cell.estimate("mse").mean for cell in results.cells]
    for one, measured in zip(results.experiment.cells, errors, strict=True):
        assert isinstance(one.protocol, Unary)
        assert one.protocol.epsilon == pytest.approx(math.log(3))
        # 4 / N: p*(1-p*) / (q* - p*)² is 4.
        assert measured == pytest.approx(4 / one.users, rel=0.25)
    truth = results.experiment.cells[2].population.frequencies
    shape = results.cells[2].arms[CLEAN]
    assert shape is not None
    assert np.corrcoef(shape.mean, truth)[0, 1] > 0.99


def test_the_strings_of_the_paper() -> None:
    results = results_of(bundled("rappor-strings"))
    for one, measured in zip(results.experiment.cells, results.cells, strict=True):
        assert one.users == 10**6
        assert np.count_nonzero(one.population.histogram) == 100
        assert one.population.domain_size == 200
        protocol = one.protocol
        assert isinstance(protocol, Rappor)
        assert (protocol.bits, protocol.hashes, protocol.cohorts) == (128, 2, 16)
        found, wrong = (measured.estimate(name) for name in ("detected", "false_detected"))
        assert found.mean is not None
        assert wrong.mean is not None
        assert 25 < found.mean < 50
        assert wrong.mean < 0.2 if protocol.adjust == "bonferroni" else wrong.mean < 4
    first, second = (cell.estimate("detected").mean for cell in results.cells)
    assert second > first  # type: ignore[operator]


def test_one_fake_in_a_hundred_makes_absent_strings_appear() -> None:
    results = results_of(bundled("rappor-attack", attack__share=0.01, trials=5))
    wrong = {
        (one.parameters["attack.kind"], one.parameters["attack.cohort"]): measured.estimate(
            "false_detected"
        ).mean
        for one, measured in zip(results.experiment.cells, results.cells, strict=True)
    }
    assert wrong["mga", 0.0] >= 3  # type: ignore[operator]
    assert wrong["mga", 1.0] > wrong["mga", 0.0] + 2  # type: ignore[operator]
    assert wrong["rpa", 0.0] < 1  # type: ignore[operator]
    assert wrong["ria", 0.0] < 1  # type: ignore[operator]
