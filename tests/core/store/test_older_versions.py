"""A store that an older version wrote: every run is there, replays, and can be exported.

store-3.sqlite3 was written by ldptui 0.1.0 with NumPy 2.4.6, when version 3 of the store was the
newest, and is never written again. store-3.json says what its runs measured, as that version's
`ldptui runs show` told. Run 8 has the first trials of run 1, run 10 was removed, run 11 was killed.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from support.commands import Captured, fail, succeed

from ldptui.core.store import open_store
from ldptui.terminal import exits

HERE = Path(__file__).parent
TOLD: dict[str, Any] = json.loads((HERE / "store-3.json").read_text("utf-8"))
RUNS = [run["run"] for run in TOLD["runs"]]


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the old store, which the commands use."""
    path = Path(shutil.copy(HERE / "store-3.sqlite3", tmp_path / "old.sqlite3"))
    monkeypatch.setenv("LDPTUI_STORE", str(path))
    return path


def told(run: int) -> dict[str, Any]:
    return TOLD["runs"][RUNS.index(run)]


def shown(capsys: Captured, run: int) -> dict[str, Any]:
    text = succeed(capsys, "runs", "show", str(run), "--format", "json", "--frequencies")
    return json.loads(text)


def leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Every value of nested dicts and lists, by its place."""
    if isinstance(value, dict | list):
        parts = value.items() if isinstance(value, dict) else enumerate(value)
        for key, part in parts:
            yield from leaves(part, f"{path}/{key}")
    else:
        yield path, value


def assert_as_told(shown: Any, told: Any) -> None:
    """All that was told is there, numbers to the last bits; there may be more by now."""
    there = dict(leaves(shown))
    for place, value in leaves(told):
        wanted = pytest.approx(value, rel=1e-12, abs=1e-15) if type(value) is float else value
        assert there[place] == wanted, place


def assert_measured(results: dict[str, Any], run: int) -> None:
    """A run has the measures that the older version wrote down."""
    assert results["digest"] == told(run)["digest"]
    assert len(results["cells"]) == len(told(run)["cells"])
    for cell, known in zip(results["cells"], told(run)["cells"], strict=True):
        facts = {key: value for key, value in known.items() if key not in ("means", "attacked")}
        assert_as_told(cell, {**facts, "rounds": [{} for _ in facts.pop("rounds", [])]})
        assert_as_told(_means(cell["metrics"]), known["means"])
        assert_as_told(cell["frequencies"]["attacked"], known["attacked"])
        for number, means in enumerate(known.get("rounds", [])):
            assert_as_told(_means(cell["rounds"][number]["metrics"]), means)


def _means(metrics: dict[str, Any]) -> dict[str, float | None]:
    return {name: estimate["mean"] for name, estimate in metrics.items()}


def test_every_run_is_listed(store: Path, capsys: Captured) -> None:
    listed = {run["run"]: run for run in json.loads(succeed(capsys, "runs", "--format", "json"))}
    assert sorted(listed) == RUNS
    for number, run in listed.items():
        known = {
            key: value for key, value in told(number).items() if key not in ("cells", "digest")
        }
        assert_as_told(run, known)
        assert run["digest"] == (told(number)["digest"] if run["status"] == "done" else "")
    gone = json.loads(succeed(capsys, "runs", "--removed", "--format", "json"))
    assert [run["run"] for run in gone] == TOLD["removed"]
    assert "GRR, the share" in succeed(capsys, "runs", "--format", "csv")


@pytest.mark.parametrize("run", RUNS)
def test_a_run_keeps_its_measures(run: int, store: Path, capsys: Captured) -> None:
    assert_measured(shown(capsys, run), run)


def test_no_cell_is_lost_and_the_old_file_stays(store: Path, capsys: Captured) -> None:
    """Cells that runs share stay shared, others apart."""
    before = store.read_bytes()
    succeed(capsys, "runs", "list")
    assert store.with_name("old.sqlite3.old").read_bytes() == before
    assert sorted(path.name for path in store.parent.iterdir()) == [
        "old.sqlite3", "old.sqlite3.old",
    ]  # fmt: skip
    with open_store(store) as opened:
        cells = {run.id: [cell.key for cell in opened.cells(run.id)] for run in opened.runs()}
        gone = [cell.key for run in opened.runs(removed=True) for cell in opened.cells(run.id)]
    assert len({key for keys in cells.values() for key in keys} | {*gone}) == TOLD["cell_keys"]
    assert cells[1] == cells[8]


def test_a_store_that_is_in_use_is_not_carried_over(store: Path, capsys: Captured) -> None:
    with closing(sqlite3.connect(store)) as db:
        db.execute("BEGIN")
        db.execute("SELECT count(*) FROM runs").fetchone()
        told = fail(capsys, exits.NO_FILE, "runs", "tag", "1", "x")
    assert str(store) in told
    succeed(capsys, "runs", "tag", "1", "x")


def test_a_wrong_number_is_noticed(store: Path, capsys: Captured) -> None:
    with closing(sqlite3.connect(store)) as db:
        db.execute("UPDATE trials SET gain = gain + 1e-6 WHERE trial = 1")
        db.commit()
    for run in RUNS:
        with pytest.raises(AssertionError):
            assert_measured(shown(capsys, run), run)
