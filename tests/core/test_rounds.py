"""Campaigns outside the core: JSON and CSV with rounds, the worker's lines, what the app gets."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.cases import expecting
from support.told import told

from ldptui import core
from ldptui.core.base.arms import ATTACKED, UNDEFENDED
from ldptui.core.export import to_csv, to_json
from ldptui.core.metrics import metrics_of
from ldptui.core.running.runner import RunResults
from ldptui.core.theory import (
    estimate_variances,
    expected_estimate,
    expected_metrics,
    privacy_spent,
)
from ldptui.core.theory.campaign import entry_of, rounds_of
from ldptui.core.view.round_view import rounds_shown
from ldptui.explain.example_users import fake_report
from ldptui.explain.formula_list import cell_formulas
from ldptui.text.table import results_table

ROUNDS = 5


def document(**more: Any) -> dict[str, Any]:
    return {
        "format": 1,
        "trials": 30,
        "population": {"kind": "zipf", "items": 12, "users": 2000, "exponent": 1.0},
        "protocol": {"kind": "oue", "epsilon": 2.0},
        "attack": {"kind": "mga", "share": 0.1, "targets": {"items": [9, 11]}},
        "simulate": {"top_k": 3},
        "campaign": {"rounds": ROUNDS, "churn": 0.1},
        **more,
    }


def results(**more: Any) -> RunResults:
    experiment = core.compile(core.Scenario(document(**more), "test", Path()))
    *_, last = core.run(experiment)
    return last.results


WORK = results()
(CELL,), (MEASURED,) = WORK.experiment.cells, WORK.cells


def test_json_has_the_rounds() -> None:
    (cell,) = json.loads(to_json(WORK, {}, frequencies=True))["cells"]
    assert cell["users"] == ROUNDS * 2000
    assert cell["malicious"] == sum(entry["malicious"] for entry in cell["rounds"])
    assert [entry["round"] for entry in cell["rounds"]] == list(range(ROUNDS))
    assert [entry["epsilon_spent"] for entry in cell["rounds"]] == [2.0, 4.0, 6.0, 8.0, 10.0]
    assert MEASURED.rounds is not None
    for number, one in enumerate(cell["rounds"]):
        assert list(one["metrics"]) == metrics_of(UNDEFENDED)
        column = MEASURED.rounds.metrics["gain"][:, number]
        gain = one["metrics"]["gain"]
        assert gain["mean"] == pytest.approx(column.mean())
        assert gain["standard_error"] == pytest.approx(column.std(ddof=1) / np.sqrt(30))
        assert gain["theory"] == expected_metrics(CELL.rounds[number])["gain"]
        found = one["frequencies"]
        assert found["attacked"] == MEASURED.rounds.arms[ATTACKED].mean[number].tolist()
        assert found["true"] == CELL.rounds[number].population.frequencies.tolist()
    plain = json.loads(to_json(WORK, {}))["cells"][0]
    assert "frequencies" not in plain["rounds"][0]
    assert plain["entry_round"] == {
        "reached": entry_of(CELL, MEASURED).reached,
        "mean": entry_of(CELL, MEASURED).mean,
        "standard_error": entry_of(CELL, MEASURED).standard_error,
    }


def test_csv_has_a_column_of_rounds() -> None:
    rows = list(csv.DictReader(io.StringIO(to_csv(WORK))))
    assert list(rows[0])[:3] == ["cell", "trial", "round"]
    assert len(rows) == 30 * (1 + ROUNDS)
    assert [row["round"] for row in rows[: ROUNDS + 1]] == ["", *map(str, range(ROUNDS))]
    pooled = [row for row in rows if row["round"] == ""]
    gains = [float(row["gain"]) for row in pooled]
    assert gains == MEASURED.metrics["gain"].tolist()
    assert MEASURED.rounds is not None
    third = [float(row["mse"]) for row in rows if row["round"] == "3"]
    assert third == MEASURED.rounds.metrics["mse"][:, 3].tolist()
    entries = MEASURED.rounds.entries(2)
    assert [row["entry_round"] for row in pooled] == [
        "" if np.isnan(entry) else str(int(entry)) for entry in entries
    ]
    assert {row["entry_round"] for row in rows if row["round"]} == {""}
    assert [row["epsilon_spent"] for row in rows[1 : ROUNDS + 1]] == ["2.0", "4.0", "6.0", "8.0",
                                                                     "10.0"]  # fmt: skip
    assert {row["malicious"] for row in rows if row["round"]} == {"222"}
    assert {row["malicious"] for row in pooled} == {str(222 * ROUNDS)}


def test_the_entry_round_of_targets_that_never_come_in() -> None:
    weak = results(attack={"kind": "mga", "share": 0.0, "targets": {"items": [9, 11]}})
    entry = entry_of(weak.experiment.cells[0], weak.cells[0])
    assert (entry.reached, entry.mean, entry.standard_error) == (0, None, None)
    none = results(attack={"kind": "none"})
    assert entry_of(none.experiment.cells[0], none.cells[0]).reached == 0
    assert "entry_round" in to_csv(none)
    assert json.loads(to_json(none, {}))["cells"][0]["rounds"][0]["metrics"]["gain"] == {
        "mean": None,
        "standard_error": None,
        "theory": None,
        "z": None,
    }


def test_equal_rounds_have_their_closed_forms_once(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[int] = []

    def counted(one: core.Cell) -> dict[str, float | None]:
        calls.append(one.round)
        return expected_metrics(one)

    expecting(monkeypatch, counted)
    same = results(campaign={"rounds": 40})
    assert len(rounds_of(same.experiment.cells[0], same.cells[0])) == 40
    assert calls == [0]


def test_the_table_shows_some_rounds() -> None:
    written = results_table(results(campaign={"rounds": 60}), 80)
    assert "R = 60 rounds" in written
    assert "a user spends ε = 120 over all rounds" in written
    block = written.split("ε spent")[1].split("\n\n")[0].splitlines()[2:]
    rounds = [int(line.split()[0]) for line in block]
    assert len(rounds) == 12
    assert (rounds[0], rounds[-1]) == (0, 59)
    assert max(map(len, written.splitlines())) <= 80
    assert "all targets are in the top 3 from round" in written


# The worker's lines.


def test_the_worker_tells_of_the_rounds() -> None:
    snapshot, _ = told(document(), full=True)
    assert snapshot.status == "done"
    found = snapshot.rounds
    assert found is not None
    assert MEASURED.rounds is not None
    assert len(found) == ROUNDS
    assert found.spent == tuple(privacy_spent(CELL))
    assert found.targets == (9, 11)
    for name in metrics_of(UNDEFENDED):
        expected = [measures.metrics[name] for measures in rounds_of(CELL, MEASURED)]
        assert [estimate.mean for estimate in found.metrics[name]] == [
            estimate.mean for estimate in expected
        ]
        assert [estimate.theory for estimate in found.metrics[name]] == [
            estimate.theory for estimate in expected
        ]
    means = MEASURED.rounds.arms[ATTACKED].mean
    assert found.attacked_means == tuple(map(tuple, means[:, [9, 11]].tolist()))
    assert found.errors is not None
    std = MEASURED.rounds.arms[ATTACKED].std
    assert std is not None
    assert found.errors[2][1] == pytest.approx(std[2, 11] / np.sqrt(30))
    estimate = expected_estimate(CELL.rounds[1])
    assert estimate is not None
    assert found.expected[1] == tuple(estimate[[9, 11]].tolist())
    order = np.argsort(-means[4]).tolist()
    assert found.rank[4] == (order.index(9) + 1, order.index(11) + 1)
    entry = entry_of(CELL, MEASURED)
    assert (found.entered, found.entry, found.trials) == (entry.reached, entry.mean, 30)


def test_the_frequencies_of_every_round_are_there_to_scrub_through() -> None:
    snapshot, news = told(document(), full=True)
    assert list(snapshot.round_frequencies) == list(range(ROUNDS))
    assert MEASURED.rounds is not None
    for number, collection in enumerate(CELL.rounds):
        found = snapshot.round_frequencies[number]
        assert found.trials == 30
        assert found.true == tuple(collection.population.frequencies.tolist())
        assert found.attacked_estimates.mean == tuple(
            MEASURED.rounds.arms[ATTACKED].mean[number].tolist()
        )
        assert found.targets == (9, 11)
        variances = estimate_variances(collection)
        assert variances is not None
        assert found.attacked_estimates.sigma == pytest.approx(np.sqrt(variances[1]))
    # A frame is one round; of the first block, and of the last one where that comes later.
    sent = [len(each.snapshot.round_frequencies) for each in news if each.snapshot is not None]
    assert max(sent) == 1
    assert sum(sent) in (ROUNDS, 2 * ROUNDS)


def test_only_some_of_many_rounds_are_sent() -> None:
    large = document(
        population={"kind": "uniform", "items": 4000, "users": 10}, campaign={"rounds": 1000}
    )
    (cell,) = core.compile(core.Scenario(large, "test", Path())).cells
    sent = rounds_shown(cell, 4096)
    assert len(sent) * 4000 <= 1 << 18
    assert sent[0] == 0
    assert len(rounds_shown(CELL, 4096)) == ROUNDS


PHASES = {
    "targets": {"items": [9, 11]},
    "phase": [
        {"rounds": 2, "share": 0.05, "mix": [{"kind": "ria", "weight": 1}]},
        {
            "rounds": 3,
            "share": {"from": 0.1, "to": 0.2},
            "mix": [{"kind": "mga", "weight": 1}, {"kind": "ria", "weight": 1}],
        },
    ],
}


def test_one_report_and_the_equations_are_of_the_most_attacked_round() -> None:
    scenario = core.Scenario(document(attack=PHASES), "test", Path())
    (cell,) = core.compile(scenario).cells
    peak = cell.peak
    assert peak.round == 4
    assert (cell.first.round, peak.peak, peak.first) == (0, peak, peak)
    titles = {fake_report(peak, np.random.default_rng(seed)).title for seed in range(20)}
    assert len(titles) == 2
    found = {formula.title: formula.value for formula in cell_formulas(peak)}
    assert found["Fake users"] == peak.malicious == 500
