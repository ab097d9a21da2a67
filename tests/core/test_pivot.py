"""Tables over rows and columns of swept keys: each number is that of its cell."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from typing import Any

import pytest
from support.cases import attack, experiment

from ldptui.core.base.errors import ScenarioError
from ldptui.core.export import (
    TableChoice,
    check_choice,
    metric_rows,
    pivot,
    results_cells_csv,
    to_csv,
    to_json,
)
from ldptui.core.running.runner import RunResults, run

SWEEP = {
    "protocol.kind": ["oue", "grr"],
    "attack.share": [0.2, 0.0, 0.1],
    "attack.targets.items": [[1], [2, 3]],
}
TURNED = TableChoice(("gain", "mse"), ("attack.share", "attack.targets.items"), ("protocol.kind",))
VERSIONS = {"ldptui": "0", "numpy": "0"}


def measured() -> RunResults:
    population = {"kind": "zipf", "items": 6, "users": 300, "exponent": 1.0}
    work = experiment(population, {"kind": "oue", "epsilon": 1.0}, attack=attack("mga", 0.1, [1]),
                      sweep=SWEEP, trials=3)  # fmt: skip
    *_, last = run(work)
    return last.results


RESULTS = measured()


def test_every_number_is_that_of_its_cell() -> None:
    made = pivot(RESULTS, check_choice(RESULTS.experiment, TURNED))
    by_cell = {(row["cell"], row["metric"]): row for row in metric_rows(RESULTS)}
    seen = 0
    for number, cell in enumerate(RESULTS.experiment.cells):
        at = cell.parameters
        row = made.rows.index((at["attack.share"], tuple(at["attack.targets.items"])))
        for metric in TURNED.metrics:
            estimate = made.column(metric, (at["protocol.kind"],))[row]
            wanted = by_cell[number, metric]
            assert (estimate.mean, estimate.theory) == (wanted["mean"], wanted["theory"])
            assert estimate.standard_error == wanted["standard_error"]
            seen += 1
    assert seen == 2 * len(RESULTS.experiment.cells) == 24


def test_rows_and_columns_stand_as_they_are_swept() -> None:
    made = pivot(RESULTS, check_choice(RESULTS.experiment, TURNED))
    assert made.rows == tuple(
        (share, items) for share in (0.2, 0.0, 0.1) for items in ((1,), (2, 3))
    )
    assert made.columns == (("oue",), ("grr",))
    other = TableChoice((), ("attack.targets.items", "attack.share"), ("protocol.kind",))
    is_pivot = pivot(RESULTS, check_choice(RESULTS.experiment, other))
    assert is_pivot.rows[:3] == (((1,), 0.2), ((1,), 0.0), ((1,), 0.1))
    assert [*is_pivot.estimates] == ["gain"]  # the first that has a closed form


def test_a_cell_without_trials_is_an_empty_place() -> None:
    first = RESULTS.cells[0]
    none = replace(first, metrics=first.metrics[:0], fingerprints=first.fingerprints[:0])
    partial = replace(RESULTS, cells=(none, *RESULTS.cells[1:]))
    empty, *others = pivot(partial, TURNED).column("gain", ("oue",))
    assert empty.mean is None
    assert all(each.mean is not None for each in others)
    record = pivot(partial, TURNED).records()[0]
    assert record["oue gain"] is None
    assert record["grr gain"] is not None


@pytest.mark.parametrize("write", [to_csv, results_cells_csv])
def test_a_line_of_csv_is_a_row(write: Any) -> None:
    rows = list(csv.DictReader(io.StringIO(write(RESULTS, TURNED))))
    records = pivot(RESULTS, TURNED).records()
    assert len(rows) == len(records) == 6
    for row, record in zip(rows, records, strict=True):
        assert [*row] == [*record]
        assert float(row["grr mse"]) == record["grr mse"]
        assert json.loads(row["attack.targets.items"]) == [*record["attack.targets.items"]]


def test_json_has_the_chosen_metrics_and_the_table() -> None:
    document = json.loads(to_json(RESULTS, VERSIONS, choice=TURNED))
    assert {*document["cells"][0]["metrics"]} == {*TURNED.metrics}
    assert document["table"][0]["oue gain"] == pivot(RESULTS, TURNED).records()[0]["oue gain"]
    assert "table" not in json.loads(to_json(RESULTS, VERSIONS, choice=TableChoice(("gain",))))


def test_a_row_for_each_trial_has_the_chosen_metrics_alone() -> None:
    whole = list(csv.DictReader(io.StringIO(to_csv(RESULTS))))
    chosen = list(csv.DictReader(io.StringIO(to_csv(RESULTS, TableChoice(("mse",))))))
    assert [row["mse"] for row in chosen] == [row["mse"] for row in whole]
    assert {*whole[0]} - {*chosen[0]} >= {"gain", "gain_theory", "l1_error"}


@pytest.mark.parametrize(
    ("choice", "key", "words"),
    [
        (TableChoice(("gian",)), "metrics", 'must be metrics of this run (gain, .*), got "gian"'),
        (TableChoice((), ("attack.kind",)), "rows",
         "must be swept keys (protocol.kind, attack.share"),
        (TableChoice((), ("attack.share",), ("attack.share",)), "rows", "must name a key once"),
        (TableChoice((), ("attack.share",)), "columns",
         "several values: protocol.kind is in neither"),
    ],
)  # fmt: skip
def test_what_a_run_has_not_is_refused(choice: TableChoice, key: str, words: str) -> None:
    with pytest.raises(ScenarioError) as refused:
        check_choice(RESULTS.experiment, choice)
    assert refused.value.key == key
    for part in words.split(".*"):
        assert part in refused.value.rule
