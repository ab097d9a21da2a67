"""A task of another kind: nothing outside `core.task` takes estimates for frequencies of items."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest
from support.cases import experiment

from ldptui import core
from ldptui.core.base.arms import ATTACKED, CLEAN
from ldptui.core.base.work import Work
from ldptui.core.cell import Task
from ldptui.core.export import to_json
from ldptui.core.metrics import METRICS, Conclusion, FrequencyConclusion, empty_measures
from ldptui.core.metrics.results import CellResults, Moments
from ldptui.core.running.runner import run
from ldptui.core.store import begin, cell_keys, open_store
from ldptui.core.task import Frequencies
from ldptui.core.view.estimated import frequencies


@dataclass(frozen=True)
class Depth(Task):
    """Some numbers of each trial that are no frequencies."""

    numbers: int = 3
    kind: str = "frequencies"
    concludes: ClassVar[type[Conclusion]] = FrequencyConclusion  # whose metrics it fills

    def block(self, cell: core.Cell, work: Work) -> CellResults:
        metrics = empty_measures(work.trials)
        metrics["gain"] = work.number
        moments = Moments.of(np.full((work.trials, self.numbers), float(work.number)))
        marks = np.arange(work.trials, dtype=np.uint64)
        return CellResults(metrics, marks, {CLEAN: moments, ATTACKED: moments})

    def expected_metrics(self, cell: core.Cell) -> dict[str, float | None]:
        return dict.fromkeys(METRICS)

    def size(self, cell: core.Cell) -> int:
        return self.numbers


@pytest.fixture
def asked() -> core.Experiment:
    zipf = {"kind": "zipf", "items": 8, "users": 500, "exponent": 1.0}
    made = experiment(zipf, {"kind": "oue", "epsilon": 1.0}, {"kind": "none"}, trials=40)
    return replace(made, cells=tuple(replace(cell, task=Depth()) for cell in made.cells))


def test_it_runs_and_is_kept_and_written_without_frequencies(
    asked: core.Experiment, tmp_path: Path
) -> None:
    with open_store(tmp_path / "runs.sqlite3") as store:
        memory = begin(store, asked, "test")
        *_, last = run(asked, memory=memory)
        memory.finish(last.results)
        known = begin(store, asked, "test").find(asked.cells[0], 1, 20)
    measured = last.results.cells[0]
    assert measured.metrics["gain"].mean() == 0.5
    assert measured.arms[ATTACKED].mean.tolist() == [0.5] * 3
    assert known is not None
    assert known.arms[CLEAN].mean.tolist() == [1.0] * 3
    (written,) = json.loads(to_json(last.results, {}, frequencies=True))["cells"]
    assert written["metrics"]["gain"]["mean"] == 0.5
    assert written["frequencies"] is None
    assert frequencies(asked.cells[0], measured, {}) is None


def test_the_address_of_a_cell_names_its_task(asked: core.Experiment) -> None:
    tasks = Frequencies(), Depth(), Depth(4)
    keys = {cell_keys([replace(asked.cells[0], task=task)])[0] for task in tasks}
    assert len(keys) == 3  # and stores of old versions hold that of frequencies to its own
