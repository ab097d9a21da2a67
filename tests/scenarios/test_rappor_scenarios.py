"""RAPPOR in scenario files, in runs without a screen, in `ldptui theory` and in the output."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.cases import attack, cell, experiment, results_of
from support.claims import bundled

from ldptui import core
from ldptui.core.base.errors import ScenarioError
from ldptui.core.protocols import Rappor

POPULATION = [3000, 2000, 1500, 900, 500, 100, 0, 0]


def rappor(**others: Any) -> dict[str, Any]:
    return {"kind": "rappor", "bits": 32, "cohorts": 8, **others}


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


# Bundled scenarios.


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
