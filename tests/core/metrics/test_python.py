"""Metrics in Python: asked for by name, run where that is allowed, and carried like the others."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.cases import alike, attack, experiment, results_of
from support.stores import change_block, change_run

from ldptui import core
from ldptui.commands.column_dictionary import COLUMNS
from ldptui.core.base.errors import ScenarioError
from ldptui.core.export import to_json
from ldptui.core.metrics import (
    METRICS,
    empty_measures,
    join_measures,
    measures_from_columns,
    names_of,
    plain,
)
from ldptui.core.metrics.python_metric import KEPT, TAKEN
from ldptui.core.metrics.results import CellResults
from ldptui.core.plugins import CodePermission, permit_code, published_names
from ldptui.core.scenario import sweepable_keys
from ldptui.core.store import begin, cell_keys, open_store, resume
from ldptui.core.store.recording import read_recording, write_recording

CODE = """
import numpy as np
from dataclasses import dataclass

def error(frequencies, facts):
    return ((frequencies - facts.truth) ** 2).sum() / facts.truth.size

def moved(frequencies, facts, *, times=1.0):
    return times * (frequencies - facts.clean)[facts.targets].sum()

@dataclass(frozen=True)
class Told:
    of: str = "users"

    def measure(self, frequencies, facts):
        return getattr(facts, self.of)

def broken(frequencies, facts):
    raise ValueError("no good")

def several(frequencies, facts):
    return frequencies

def words(frequencies, facts):
    return "many"

def undefined(frequencies, facts):
    return np.float64("nan")

def drifts(frequencies, facts, seen=[]):
    seen.append(0)
    return len(seen)

def writes(frequencies, facts):
    facts.truth[0] = 1
    return 0.0
"""

PAIRS = {"error": "mse", "error_clean": "mse_clean",
         "error_after": "mse_after", "error_clean_after": "mse_clean_after",
         "moved": "gain", "moved_after": "gain_after"}  # fmt: skip
"""The columns of `error` and `moved`, and the built-in metrics that they are."""


def work(*metrics: str | dict[str, Any], **more: Any) -> core.Experiment:
    named = [{"name": metric} if isinstance(metric, str) else metric for metric in metrics]
    settings: dict[str, Any] = {
        "trials": 3, "defence": [{"kind": "norm-sub"}], "metric": named, **more,
    }  # fmt: skip
    users = {"kind": "zipf", "items": 12, "users": 900, "exponent": 1.0}
    protocol, table = {"kind": "oue", "epsilon": 1.0}, attack("mga", 0.1, [3, 6, 9])
    return experiment(users, protocol, table, **settings)


@pytest.fixture
def allowed(tmp_path: Path) -> CodePermission:
    path = tmp_path / "mine.py"
    path.write_text(CODE)
    return CodePermission(files=(path,))


def check_pairs(found: core.RunResults) -> None:
    for cell in found.cells:
        parts = [cell.metrics, *([] if cell.rounds is None else [cell.rounds.metrics])]
        for part in parts:
            assert all(np.allclose(part[mine], part[built], rtol=1e-14, atol=1e-18)
                       for mine, built in PAIRS.items())  # fmt: skip


@pytest.mark.parametrize("rounds", [None, 2])
def test_a_metric_rewritten_is_the_built_in_one(
    allowed: CodePermission, rounds: int | None
) -> None:
    more = {} if rounds is None else {"campaign": {"rounds": rounds}}
    made = permit_code(work("error", "moved", **more), allowed)
    found, plain = results_of(made), results_of(work(**more))
    check_pairs(found)
    assert found.digest == plain.digest
    assert all(
        alike(found.cells[0].metrics[name], plain.cells[0].metrics[name]) for name in METRICS
    )
    assert (found.cells[0].metrics["moved_clean"] == 0).all()
    assert made.cells[0].path == "counts"
    ends = ("", "_clean", "_after", "_clean_after")
    assert made.cells[0].metrics[-8:] == [
        f"{name}{end}" for name in ("error", "moved") for end in ends
    ]


def test_the_facts_are_those_of_the_cell(allowed: CodePermission) -> None:
    swept = work(
        {"name": "Told", "options": {"of": "users"}},
        sweep={"metric.options.of": ["users", "malicious", "top_k"]}, simulate={"top_k": 5},
    )  # fmt: skip
    assert swept.cells[1].parameters["metric.0.options.of"] == "malicious"
    values = [cell.estimate("Told").mean for cell in results_of(permit_code(swept, allowed)).cells]
    assert values == [900, 100, 5]


def test_without_an_attack_there_are_the_same_columns(allowed: CodePermission) -> None:
    made = experiment(metric=[{"name": "error"}], trials=2)
    assert made.cells[0].metrics[-2:] == ["error", "error_clean"]
    (cell,) = results_of(permit_code(made, allowed)).cells
    assert alike(cell.metrics["error"], cell.metrics["mse_clean"])
    assert alike(cell.metrics["error_clean"], cell.metrics["error"])


# Kept, shared, replayed.


def kept(store: Any, made: core.Experiment) -> core.RunResults:
    memory = begin(store, made)
    results = results_of(made, memory=memory)
    memory.finish(results)
    assert memory.failure == ""
    return results


def test_other_code_is_another_cell_with_the_same_draws(
    allowed: CodePermission, tmp_path: Path
) -> None:
    (tmp_path / "later.py").write_text(CODE + "\n# edited\n")
    later = CodePermission(files=(tmp_path / "later.py",))
    asked, none = work("error"), work()
    cells = [*permit_code(asked, allowed).cells, *permit_code(asked, later).cells, *none.cells]
    assert len(set(cell_keys(cells))) == 3
    with open_store(None) as store:
        first = kept(store, permit_code(asked, allowed))
        memory = begin(store, permit_code(asked, later))
        second = results_of(permit_code(asked, later), memory=memory)
        assert (memory.reused, second.digest) == (0, first.digest)
        change_run(store, 1, status="partial")
        with pytest.raises(core.FileError, match="the code of metric 'error' is not that of"):
            resume(store, 1, experiment=permit_code(asked, later))


def test_a_strangers_recording_brings_no_column_of_its_own(
    allowed: CodePermission, tmp_path: Path
) -> None:
    def other_name(block: CellResults) -> CellResults:
        names = [name.replace("error_after", "stranger") for name in names_of(block.metrics)]
        return replace(block, metrics=measures_from_columns(names, plain(block.metrics)))

    path = tmp_path / "run.ldptui"
    with open_store(None) as store, open_store(None) as other:
        kept(store, permit_code(work("error"), allowed))
        for come in store.arrivals(1):
            change_block(store, 1, come.position, come.number, other_name)
        metrics = store.run(1).metrics
        change_run(store, 1, metrics=[name.replace("error_after", "stranger") for name in metrics])
        write_recording(store, 1, path)
        number, _ = read_recording(other, path)
        assert "stranger" not in other.run(number).metrics
        (cell,) = other.results(number).cells
        assert "stranger" not in cell.metrics.dtype.names
        assert json.loads(to_json(other.results(number), {}))["cells"][0]["metrics"][
            "error_after"
        ]["mean"] is None  # fmt: skip


def test_measures_of_other_columns_are_joined() -> None:
    parts = [empty_measures(2, others=["mine"]), empty_measures(1)]
    parts[0]["mine"] = 3.0
    assert join_measures(parts)["mine"].tolist()[:2] == [3.0, 3.0]
    assert np.isnan(join_measures(parts)["mine"][2])


# Refused.


def test_nothing_runs_that_is_not_allowed() -> None:
    made = work("error")
    with pytest.raises(ScenarioError) as error:
        permit_code(made, CodePermission())
    assert str(error.value) == (
        "test: metric.0.name needs the metric 'error', Python code that is not allowed "
        "yet: --code FILE allows that of a file, --allow NAME that of an installed package"
    )
    with pytest.raises(ScenarioError, match="must be the metric of an installed package"):
        permit_code(made, CodePermission(names=("error",)))
    assert "error" not in published_names("metric")
    assert results_of(made).error == "metric 'error' is somebody's code and not allowed"


@pytest.mark.parametrize(
    ("metric", "sentence"),
    [
        ("broken", "metric 'broken' raised ValueError: no good (mine.py, line 19)"),
        ("several", "metric 'several' must return a finite number, got float64[12]"),
        ("words", "metric 'words' must return a finite number, got str (mine.py, line 24)"),
        ("undefined", "metric 'undefined' must return a finite number, got nan"),
        ("writes", "metric 'writes' raised ValueError: assignment destination is read-only"),
        ("drifts", "metric 'drifts' must make one number of the same estimate, got 1.0 and 4.0"),
        ({"name": "moved", "options": {"no": 1}}, "metric 'moved' raised TypeError: "),
    ],
)
def test_whatever_it_does_wrong_fails_its_cell_in_one_sentence(
    metric: Any, sentence: str, allowed: CodePermission
) -> None:
    results = results_of(permit_code(work(metric), allowed))
    assert results.error.startswith(sentence)
    assert "\n" not in results.error
    document = json.loads(to_json(results, {}))["cells"][0]
    assert document["metrics"]["mse"]["mean"] is None
    assert document["error"] == results.error


@pytest.mark.parametrize(
    ("metrics", "sentence"),
    [
        (["gain"], 'metric.0.name must not be the name of a built-in metric, got "gain"'),
        (["trials"], 'metric.0.name must not be the name of another column of results, got "tr'),
        (["my_z"], "metric.0.name must not end in _clean, _after, _standard_error, _theory, _z, "),
        (["a-b"], "metric.0.name must begin with a letter and have at most 60 letters, digits"),
        ([" "], "metric.0.name must be the name of a metric"),
        (["a", "a"], 'metric.1.name must differ from the names of other metrics, got "a"'),
        ([{}], "metric.0.name is required"),
        ([{"name": "a", "nme": 1}], "metric.0.nme is not a known key (did you mean name?)"),
        ([{"name": "a", "options": 3}], "metric.0.options must be a table, got 3"),
    ],
)
def test_names_and_tables_are_checked(metrics: list[Any], sentence: str) -> None:
    with pytest.raises(ScenarioError) as error:
        work(*metrics)
    assert str(error.value).startswith(f"test: {sentence}")


def test_every_other_column_is_taken() -> None:
    """What a CSV file has besides metrics and dotted keys cannot be the name of a metric."""
    keys = {key for key in sweepable_keys() if "." not in key}
    plain = {name for name in {*COLUMNS, *keys} if "." not in name}
    assert {name for name in plain if not name.endswith(KEPT)} <= set(TAKEN)


def test_heavy_hitters_have_no_estimate_to_measure() -> None:
    task = {"kind": "heavy-hitters", "k": 2, "bits": 6, "groups": 2, "method": "pem"}
    with pytest.raises(ScenarioError, match="metric must be left out with task"):
        experiment(task=task, metric=[{"name": "a"}])


def test_a_goal_is_searched_for_without_its_code(allowed: CodePermission) -> None:
    users = {"kind": "zipf", "items": 6, "users": 200, "exponent": 1.0}
    goal = {"metric": "gain_after", "at_least": 0.2}
    table = {"kind": "mga", "targets": {"items": [4]}}
    more: dict[str, Any] = {"trials": 2, "defence": [{"kind": "norm-sub"}], "goal": goal}
    oue = {"kind": "oue", "epsilon": 1.0}
    plain = experiment(users, oue, table, **more)
    made = experiment(users, oue, table, metric=[{"name": "error"}], **more)
    assert made.cells[0].answer == plain.cells[0].answer
    assert made.cells[0].answer is not None
    assert made.cells[0].answer.by == "search"
    found = results_of(permit_code(made, allowed))
    assert found.error == ""
    assert np.isfinite(found.cells[0].metrics["error_after"]).all()
