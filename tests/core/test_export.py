"""JSON and CSV as the contract gives them: every key and column, null where undefined."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.cases import attack, experiment

from ldptui.core.base.arms import UNDEFENDED
from ldptui.core.experiment import compile
from ldptui.core.export import results_cells_csv, to_csv, to_json
from ldptui.core.metrics import metrics_of
from ldptui.core.running.runner import RunResults, run
from ldptui.core.scenario import parse

SCENARIO = """\
format = 1
title = "Näme"
trials = 3

[population]
kind = "uniform"
items = 8
users = 500

[protocol]
kind = "olh"
epsilon = 1.0

[attack]
kind = "mga"
share = 0.1
targets = { items = [1, 2] }

[sweep]
"attack.kind" = ["none", "mga"]
"protocol.epsilon" = [1.0, 2.0]
"""

HAVE_THEORY = (
    "gain",
    "normalised_gain",
    "target_frequency",
    "target_frequency_clean",
    "mse",
    "mse_clean",
)
ROBUST = ("robust_low", "robust_high")  # a campaign does not measure these
VERSIONS = {"ldptui": "0.0", "numpy": "0.0"}


def results(text: str = SCENARIO, folder: Path = Path()) -> RunResults:
    *_, last = run(compile(parse(text, folder=folder)))
    return last.results


def exported(frequencies: bool = False, text: str = SCENARIO) -> dict[str, Any]:
    def refuse(constant: str) -> None:
        raise AssertionError(f"{constant} is not JSON")

    written = to_json(results(text), VERSIONS, frequencies)
    document: dict[str, Any] = json.loads(written, parse_constant=refuse)
    return document


def test_json_has_the_keys_of_the_contract_in_order() -> None:
    document = exported()
    assert list(document) == [
        "format",
        "ldptui",
        "numpy",
        "status",
        "digest",
        "scenario",
        "cells",
    ]
    assert document["format"] == 1
    assert document["status"] == "done"
    assert document["digest"].startswith("xxh3:")
    assert len(document["digest"]) == len("xxh3:") + 32
    assert document["scenario"] == parse(SCENARIO).document
    for index, cell in enumerate(document["cells"]):
        assert list(cell) == [
            "index",
            "parameters",
            "path",
            "users",
            "malicious",
            "domain_size",
            "p",
            "q",
            "hash_range",
            "trials",
            "metrics",
        ]
        assert cell["index"] == index
        assert list(cell["metrics"]) == metrics_of(UNDEFENDED)
        for summary in cell["metrics"].values():
            assert list(summary) == ["mean", "standard_error", "theory", "z"]


def test_parameters_are_flat_with_defaults_and_only_what_the_kind_knows() -> None:
    none, mga = exported()["cells"][0], exported()["cells"][2]
    assert none["parameters"] == {
        "seed": 0,
        "trials": 3,
        "population.kind": "uniform",
        "population.items": 8,
        "population.users": 500,
        "protocol.kind": "olh",
        "protocol.epsilon": 1.0,
        "protocol.hash_range": "nearest",
        "attack.kind": "none",
        "simulate.path": "auto",
        "simulate.top_k": 20,
    }
    assert mga["parameters"]["attack.targets.items"] == [1, 2]
    assert mga["parameters"]["attack.seeds"] == 1000
    assert mga["hash_range"] == 4
    assert mga["malicious"] == round(500 * 0.1 / 0.9)


def test_frequencies_have_their_means_and_deviations() -> None:
    document = exported(frequencies=True)
    for cell in document["cells"]:
        found = cell["frequencies"]
        assert list(found) == ["items", "true", "clean", "attacked", "clean_std", "attacked_std"]
        assert found["items"] is None
        for name in ("true", "clean", "attacked", "clean_std", "attacked_std"):
            assert len(found[name]) == 8
        assert sum(found["true"]) == pytest.approx(1)
    none, mga = document["cells"][0]["frequencies"], document["cells"][2]["frequencies"]
    assert none["clean"] == none["attacked"]
    gained = sum(mga["attacked"][item] - mga["clean"][item] for item in (1, 2))
    assert gained == pytest.approx(document["cells"][2]["metrics"]["gain"]["mean"])
    error = np.mean((np.array(none["clean"]) - none["true"]) ** 2)
    assert error <= document["cells"][0]["metrics"]["mse_clean"]["mean"]


def test_csv_has_one_row_for_each_trial_and_a_column_for_each_scalar_and_metric() -> None:
    text = to_csv(results())
    assert "#" not in text
    rows = list(csv.DictReader(io.StringIO(text)))
    assert list(rows[0]) == [
        "cell",
        "trial",
        "population.kind",
        "population.items",
        "population.users",
        "protocol.kind",
        "protocol.epsilon",
        "protocol.hash_range",
        "attack.kind",
        "seed",
        "trials",
        "simulate.path",
        "simulate.top_k",
        "attack.share",
        "attack.seeds",
        "attack.scoring",
        *metrics_of(UNDEFENDED),
        *(f"{name}_theory" for name in (*HAVE_THEORY, *ROBUST)),
    ]
    assert [(row["cell"], row["trial"]) for row in rows] == [
        (str(cell), str(trial)) for cell in range(4) for trial in range(3)
    ]
    assert rows[0]["gain"] == ""
    assert rows[0]["attack.share"] == ""
    assert float(rows[6]["attack.share"]) == 0.1
    assert not any(value in ("nan", "None") for row in rows for value in row.values())


CAMPAIGN = SCENARIO.replace("[attack]", "[campaign]\nrounds = 2\n\n[attack]")


@pytest.mark.parametrize("text", [SCENARIO, CAMPAIGN])
def test_csv_has_the_closed_forms_of_the_summaries(text: str) -> None:
    found = results(text)
    cells = json.loads(to_json(found, VERSIONS))["cells"]
    for row in csv.DictReader(io.StringIO(to_csv(found))):
        cell = cells[int(row["cell"])]
        measured = cell["rounds"][int(row["round"])] if row.get("round") else cell
        for name in HAVE_THEORY:
            theory = measured["metrics"][name]["theory"]
            assert row[f"{name}_theory"] == ("" if theory is None else repr(theory))


def test_a_partial_run_says_so_and_exports_its_trials() -> None:
    steps = run(compile(parse(SCENARIO.replace("trials = 3", "trials = 45"))))
    first = next(steps).results
    steps.close()
    document = json.loads(to_json(first, VERSIONS, frequencies=True))
    assert document["status"] == "partial"
    for cell in document["cells"]:
        assert cell["trials"] == 0
        assert cell["metrics"]["mse"]["mean"] is None
        assert cell["frequencies"]["clean"] is None
        assert len(cell["frequencies"]["true"]) == 8
    assert len(to_csv(first).splitlines()) == 1


def test_csv_by_cell_holds_what_the_json_document_does() -> None:
    found = results()
    rows = list(csv.DictReader(io.StringIO(results_cells_csv(found))))
    cells = json.loads(to_json(found, VERSIONS))["cells"]
    assert [row["cell"] for row in rows] == ["0", "1", "2", "3"]
    for row, cell in zip(rows, cells, strict=True):
        assert row["trials_done"] == str(cell["trials"])
        for name, summary in cell["metrics"].items():
            for end, part in (("", "mean"), ("_standard_error", "standard_error"),
                              ("_theory", "theory")):  # fmt: skip
                written = row[f"{name}{end}"]
                assert (float(written) if written else None) == summary[part]
    assert "part" not in rows[0]
    assert "round" not in rows[0]


def test_csv_by_cell_has_the_rounds_of_a_campaign_and_the_answer_to_a_goal() -> None:
    campaign = results(SCENARIO.partition("[sweep]")[0] + "[campaign]\nrounds = 2\n")
    rows = list(csv.DictReader(io.StringIO(results_cells_csv(campaign))))
    assert [row["round"] for row in rows] == ["", "0", "1"]
    (cell,) = json.loads(to_json(campaign, VERSIONS))["cells"]
    assert [float(row["epsilon_spent"]) for row in rows] == [2.0, 1.0, 2.0]
    assert rows[0]["entry_round_reached"] == str(cell["entry_round"]["reached"])
    assert float(rows[2]["gain"]) == cell["rounds"][1]["metrics"]["gain"]["mean"]
    goal = SCENARIO.partition("[sweep]")[0].replace("share = 0.1\n", "")
    asked = results(goal + '[goal]\nmetric = "gain"\nat_least = 0.1\n')
    (row,) = csv.DictReader(io.StringIO(results_cells_csv(asked)))
    assert row["answer.by"] == "closed form"
    assert int(row["answer.malicious"]) > 0


def test_lists_that_are_swept_have_a_column() -> None:
    sweep = {"attack.targets.items": [[0], [1, 2]]}
    *_, last = run(experiment([30, 20, 10], None, attack("mga", 0.1, [0]), trials=2, sweep=sweep))
    for rows in (to_csv(last.results), results_cells_csv(last.results)):
        table = list(csv.DictReader(io.StringIO(rows)))
        assert {row["attack.targets.items"] for row in table} == {"[0]", "[1, 2]"}
        assert "population.counts" not in table[0]  # the same in every cell
