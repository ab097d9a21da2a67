"""Runs that are compared, exported, and read as a game."""

from __future__ import annotations

import csv
import io
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.cases import results_of
from support.commands import TINY, TWENTY, Captured, fail, noted, succeed

from ldptui import core
from ldptui.catalogue import key_words
from ldptui.commands import column_dictionary as tables_of_trials
from ldptui.core.export import to_csv
from ldptui.core.metrics import METRICS
from ldptui.core.scenario import parse
from ldptui.core.store import open_store
from ldptui.text.format import short


def test_runs_that_share_their_streams_are_compared_in_pairs(
    tiny: str, kept: Path, capsys: Captured
) -> None:
    succeed(capsys, "run", tiny)
    succeed(capsys, "run", tiny, "--set", "attack.kind=ria")
    succeed(capsys, "run", tiny, "--seed", "9", "--trials", "40")
    with open_store(kept) as there:
        gains = [there.measured_cells(run)[0].metrics["gain"] for run in (1, 2, 3)]

    def compared(a: str, b: str) -> dict[str, Any]:
        found = json.loads(succeed(capsys, "compare", a, b, "--metric", "gain", "--format", "json"))
        (only,) = found["differences"]
        return {**only, "changed": found["changed"]}

    paired = compared("1", "2")
    apart = gains[1] - gains[0]
    assert paired["paired"] is True
    assert paired["changed"] == "mga → ria"
    assert paired["difference"] == pytest.approx(apart.mean(), rel=1e-12)
    assert paired["standard_error"] == pytest.approx(apart.std(ddof=1) / 20**0.5, rel=1e-12)
    assert paired["z"] == pytest.approx(paired["difference"] / paired["standard_error"])
    other = compared("1", "3")
    assert other["paired"] is False
    assert other["difference"] == pytest.approx(gains[2].mean() - gains[0].mean(), rel=1e-12)
    error = (gains[0].var(ddof=1) / 20 + gains[2].var(ddof=1) / 40) ** 0.5
    assert other["standard_error"] == pytest.approx(error, rel=1e-12)
    same = compared("1", "1")
    assert (same["difference"], same["standard_error"], same["z"]) == (0, 0, None)
    words = "the same, to the last digit: 1 mean of each"
    assert words in succeed(capsys, "compare", "1", "1", "--metric", "gain")
    table = succeed(capsys, "compare", "1", "2")
    assert "paired: both drew" in table
    assert "changed: mga → ria" in table
    assert "independent:" in succeed(capsys, "compare", "1", "3")


def test_sweeps_are_compared_where_they_meet(tiny: str, tmp_path: Path, capsys: Captured) -> None:
    for shares in ("[0.1, 0.2, 0.3]", "[0.3, 0.2, 0.4]"):
        path = tmp_path / "sweep.toml"
        path.write_text(f'{TWENTY}\n[sweep]\n"attack.share" = {shares}\n', encoding="utf-8")
        succeed(capsys, "run", str(path))
    found = list(
        csv.DictReader(io.StringIO(succeed(capsys, "compare", "1", "2", "--format", "csv")))
    )
    pairs = {(row["cell_a"], row["cell_b"], row["attack.share"]) for row in found}
    assert pairs == {("1", "1", "0.2"), ("2", "0", "0.3")}
    assert all(float(row["difference"]) == 0 for row in found)
    succeed(capsys, "run", tiny)
    assert "it is not clear which belong together" in fail(capsys, 2, "compare", "1", "3")


def test_the_dictionary_knows_every_metric(capsys: Captured) -> None:
    rows = json.loads(succeed(capsys, "runs", "dictionary", "--format", "json"))
    meanings = {row["column"]: row["meaning"] for row in rows}
    for name in METRICS:
        assert not meanings[name].startswith("the scenario's key")
    assert meanings["protocol.epsilon"].endswith(key_words("protocol.epsilon").meaning)
    assert "standard output" not in succeed(capsys, "runs", "dictionary")


def test_a_name_that_promises_another_format_is_refused(
    tiny: str, tmp_path: Path, capsys: Captured
) -> None:
    succeed(capsys, "run", tiny)
    refused = (("run", tiny), ("x.ldptui", "x.ldprun", "x.xlsx")), (
        ("runs", "export", "last"), ("x.xlsx", "x.PDF", "x.txt")
    )  # fmt: skip
    for command, names in refused:
        for name in names:
            line = fail(capsys, 2, *command, "--out", str(tmp_path / name))
            assert line.startswith("--out must end in what is written, .md, .tex, .csv")
    assert not [*tmp_path.glob("x.*")]
    succeed(capsys, "runs", "export", "last", "--out", str(tmp_path / "x.ldptui"))
    succeed(capsys, "run", tiny, "--out", str(tmp_path / "x.xlsx"), "--format", "table")


def test_parquet_without_pyarrow_says_what_is_missing(
    tiny: str, tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    succeed(capsys, "run", tiny)
    for name in ("pyarrow", "pyarrow.parquet"):  # another test may have imported them
        monkeypatch.setitem(sys.modules, name, None)
    out = tmp_path / "out.parquet"
    for command in (("runs", "export", "last"), ("run", tiny)):
        line = fail(capsys, 2, *command, "--out", str(out))
        assert "Parquet needs pyarrow" in line
    assert not out.exists()


def test_parquet_holds_a_row_for_every_trial(
    tiny: str, tmp_path: Path, kept: Path, capsys: Captured
) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    succeed(capsys, "run", tiny)
    out = tmp_path / "out.parquet"
    noted(capsys, "runs", "export", "last", "--out", str(out))
    made = parquet.read_table(out)
    with open_store(kept) as there:
        measured = there.measured_cells(1)[0]
    np.testing.assert_array_equal(made["gain"].to_numpy(), measured.metrics["gain"])
    assert made.schema.field("gain").metadata[b"description"].startswith(b"sum over the targets")
    succeed(capsys, "run", tiny, "--out", str(tmp_path / "run.parquet"), "--quiet")
    assert parquet.read_table(tmp_path / "run.parquet").equals(made)


@pytest.mark.parametrize(
    "table", ["[campaign]\nrounds = 2\n", '[sweep]\n"attack.share" = [0.1, 0.2]\n']
)
def test_parquet_has_the_columns_and_rows_of_csv(table: str) -> None:
    results = results_of(core.compile(parse(TWENTY + table)))
    made = tables_of_trials.columns(results)
    assert [len(mark) for mark in made.pop("fingerprint")] == [16] * len(made["cell"])
    names, *rows = csv.reader(io.StringIO(to_csv(results)))
    assert [*made] == names
    for values, texts in zip(made.values(), zip(*rows, strict=True), strict=True):
        assert ["" if value is None else str(value) for value in values] == [*texts]


def test_a_run_of_attacks_and_defences_is_a_game(tmp_path: Path, capsys: Captured) -> None:
    path = tmp_path / "game.toml"
    path.write_text(
        'format = 1\ntrials = 2\n[population]\nkind = "zipf"\nitems = 8\nusers = 500\n'
        "exponent = 1.0\n"
        '[protocol]\nkind = "oue"\nepsilon = 1.0\n[attack]\nshare = 0.2\n'
        'targets = { pick = "random", count = 2 }\n[[defence]]\n[sweep]\n'
        '"attack.kind" = ["mga", "ria"]\n"defence.0.kind" = ["none", "norm-sub"]\n'
    )
    succeed(capsys, "run", str(path), "--quiet")
    game = json.loads(succeed(capsys, "game", "last", "--format", "json"))
    matrix = np.array(game["matrix"])
    assert game["metric"] == "gain_after"
    assert game["attacks"] == ["mga", "ria"]
    assert (np.array(game["attack_mixture"]) @ matrix).min() == pytest.approx(game["value"])
    assert (matrix @ np.array(game["defence_mixture"])).max() == pytest.approx(game["value"])
    assert f"value {short(game['value'])}" in succeed(capsys, "game", "last")
    assert "--metric must be one of" in fail(capsys, 2, "game", "last", "--metric", "luck")
    path.write_text(TINY)
    succeed(capsys, "run", str(path), "--quiet")
    assert "RUN must sweep a key of [attack]" in fail(capsys, 2, "game", "last")
