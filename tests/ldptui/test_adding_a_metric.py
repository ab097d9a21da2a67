"""A metric costs a row of ldptui.core.metrics, and its words: everything else reads the table."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from support.cases import experiment

from ldptui.catalogue import metric_words
from ldptui.commands.column_dictionary import columns, dictionary
from ldptui.core.base.arms import ATTACKED
from ldptui.core.export import to_csv, to_json
from ldptui.core.metrics import METRICS, FrequencyConclusion, Metric
from ldptui.core.running.runner import RunResults, run
from ldptui.core.store import Store, begin, open_store
from ldptui.core.store.recording import read_recording, write_recording
from ldptui.core.store.run_replay import replay
from ldptui.engine.measured import CellsSoFar
from ldptui.text.table import results_table

NAME = "smallest_estimate"
ROW = Metric(
    NAME,
    lambda o: o.estimates[ATTACKED].frequencies.min(axis=1),
    (ATTACKED,),
    of=(FrequencyConclusion,),
)
WORK = {"trials": 25, "campaign": {"rounds": 2}}


@pytest.fixture
def added(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setitem(METRICS, NAME, ROW)
    return


def recorded(store: Store) -> RunResults:
    work = experiment(**WORK)
    memory = begin(store, work)
    *_, last = run(work, memory=memory)
    memory.finish(last.results)
    assert memory.failure == ""
    return last.results


@pytest.mark.usefixtures("added")
def test_a_new_metric_is_in_every_output() -> None:
    with open_store(None) as store:
        results = recorded(store)
        there = store.results(1)
        assert replay(store, 1).difference == ""
    (cell,) = results.cells
    values = cell.metrics[NAME]
    assert np.isfinite(values).all()
    assert np.array_equal(there.cells[0].metrics[NAME], values)
    assert "smallest estimate" in results_table(results)
    document = json.loads(to_json(results, {}))["cells"][0]
    assert document["metrics"][NAME]["mean"] == pytest.approx(values.mean())
    assert NAME in document["rounds"][1]["metrics"]
    rows = [row for row in csv.DictReader(io.StringIO(to_csv(results))) if not row["round"]]
    assert [float(row[NAME]) for row in rows] == values.tolist()
    found = columns(results)
    pooled = [value for value, number in zip(found[NAME], found["round"], strict=True)
              if number is None]  # fmt: skip
    assert pooled == values.tolist()
    assert (NAME, "number", "smallest estimate") in dictionary()
    assert metric_words(NAME).name == "smallest estimate"
    cells = CellsSoFar(results.experiment, [0])
    cells.update(results.cells)
    cells.reckon()
    assert NAME in cells.news()[0].metrics


@pytest.mark.usefixtures("added")
def test_a_new_metric_has_columns_in_the_table_of_a_sweep() -> None:
    *_, last = run(experiment(trials=4, sweep={"protocol.epsilon": [1.0, 2.0]}))
    table = results_table(last.results, 400)
    assert "smallest estimate" in table
    assert "collateral" not in table  # where it is asked for alone


@pytest.mark.usefixtures("added")
def test_a_new_metric_is_in_recordings(tmp_path: Path) -> None:
    with open_store(None) as store, open_store(None) as other:
        results = recorded(store)
        write_recording(store, 1, tmp_path / "run.ldptui")
        number, known = read_recording(other, tmp_path / "run.ldptui")
        assert not known
        assert other.run(number).metrics[-1] == NAME
        read = other.results(number).cells[0]
        assert np.array_equal(read.metrics[NAME], results.cells[0].metrics[NAME])
        assert read.rounds is not None
        assert np.isfinite(read.rounds.metrics[NAME]).all()


def test_stored_runs_stay_known_when_a_metric_comes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_store(tmp_path / "store") as store:
        before = recorded(store)
    monkeypatch.setitem(METRICS, NAME, ROW)
    with open_store(tmp_path / "store") as store:
        work = experiment(**WORK)
        memory = begin(store, work)
        *_, last = run(work, memory=memory)
        assert memory.reused == before.trials
        assert last.results.digest == before.digest
        (cell,) = last.results.cells
        assert np.isnan(cell.metrics[NAME]).all()  # nobody measured it
        assert cell.estimate(NAME).mean is None
        assert cell.estimate("mse") == before.cells[0].estimate("mse")
        assert replay(store, 1).difference == ""
        fresh = begin(store, work, fresh=True)
        *_, last = run(work, memory=fresh)
        assert np.isfinite(last.results.cells[0].metrics[NAME]).all()
