"""`--metrics`, `--rows` and `--columns`: in every format, on new and on kept runs."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import pytest

from ldptui.commands import cli

SWEPT = ("--set", "sweep.protocol.kind=['grr','oue']", "--set", "sweep.attack.share=[0.1,0.2]")
TURNED = ("--metrics", "gain,mse", "--rows", "attack.share", "--columns", "protocol.kind")


@pytest.fixture
def ran(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> tuple[str, ...]:
    """The words of `ldptui run` for a small sweep, which is kept."""
    words = ("run", "quickstart", *SWEPT, "--trials", "2", "--quiet",
             "--store", str(tmp_path / "runs.db"))  # fmt: skip
    assert cli.main([*words]) == 0
    capsys.readouterr()
    return words


@pytest.mark.parametrize("form", ["table", "md", "latex", "csv", "csv-cells", "json"])
def test_a_kept_run_is_shown_as_the_new_one(
    form: str, ran: tuple[str, ...], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert cli.main([*ran, *TURNED, "--format", form]) == 0
    new = capsys.readouterr().out
    kept = ["runs", "show", "last", *ran[-2:], *TURNED, "--format", form]
    assert cli.main(kept) == 0
    shown = capsys.readouterr().out
    assert new.rstrip("\n") in shown if form == "table" else new == shown
    assert len(re.findall(r"oue", new)) >= 1
    if form != "table":
        out = tmp_path / "exported"
        export = ["runs", "export", "last", *ran[-2:], *TURNED, "--format", form, "--out", str(out)]
        assert cli.main(export) == 0
        assert out.read_text(encoding="utf-8") == new


def test_the_table_has_a_row_for_each_value_and_keeps_the_width(
    ran: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main([*ran, *TURNED]) == 0
    shown = capsys.readouterr().out
    assert max(map(len, shown.splitlines())) <= 80
    assert re.search(r"share +grr +oue", shown)
    assert re.search(r"^ +0\.1 .*±.*±", shown, re.MULTILINE)
    assert "z = " not in shown
    assert cli.main([*ran, *TURNED[:4]]) == 2
    assert "protocol.kind is in neither" in capsys.readouterr().err


def test_the_metrics_of_one_cell(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["run", "quickstart", "--set", "attack.share=0.1", "--no-store", "--quiet"]
    assert cli.main([*words, "--metrics", "mse,gain", "--trials", "2e1"]) == 0
    rows = capsys.readouterr().out.split("─\n")[1].split("\n\n")[0].splitlines()
    assert [row.split("  ")[0] for row in rows] == ["mean squared error, attacked", "gain"]
    assert cli.main([*words, "--metrics", "mse", "--format", "json"]) == 0
    assert [*json.loads(capsys.readouterr().out)["cells"][0]["metrics"]] == ["mse"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--metrics", "gain,"), 'must be names with commas between them, got "gain,"'),
        (("--metrics", "speed"), "--metrics must be metrics of this run"),
        (("--metrics", "gian"), "(did you mean gain?)"),
        (("--trials", "1.5"), '--trials: must be a whole number below 1e30, got "1.5"'),
        (("--trials", "1e99999"), "--trials: must be a whole number below 1e30"),
        (("--wrap", "3"), "--wrap must be at least 20, got 3"),
        (("--columns", "attack.kind"), "--columns must be swept keys (attack.share, "),
    ],
)
def test_what_cannot_be_shown_is_refused_before_anything_is_simulated(
    words: tuple[str, ...],
    said: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("ldptui.commands.run_progress.measure", None)
    assert cli.main(["run", "quickstart", *SWEPT, "--no-store", "--quiet", *words]) == 2
    assert said in capsys.readouterr().err
    assert not [*tmp_path.iterdir()]


def test_a_table_in_parquet_is_the_one_in_csv(ran: tuple[str, ...], tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    made, written = tmp_path / "table.parquet", tmp_path / "table.csv"
    for out in (made, written):
        words = ["runs", "export", "last", *ran[-2:], *TURNED, "--out", str(out)]
        assert cli.main(words) == 0
    table = parquet.read_table(made)
    head, *rows = csv.reader(written.read_text(encoding="utf-8").splitlines())
    assert table.column_names == head
    assert [[str(value) for value in row.values()] for row in table.to_pylist()] == rows
    meaning = table.schema.field("oue gain").metadata[b"description"].decode()
    assert meaning == "sum over the targets of attacked − clean estimate, for oue"


def test_a_recording_has_no_table(
    ran: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["runs", "export", "last", *ran[-2:], *TURNED, "--out", str(tmp_path / "x.ldptui")]
    assert cli.main([*words, "--format", "recording"]) == 2
    assert "--rows must be left out: a recording file has every trial" in capsys.readouterr().err


@pytest.mark.parametrize("form", ["csv", "csv-cells"])
def test_the_dictionary_explains_the_columns_of_the_table(
    form: str, ran: tuple[str, ...], tmp_path: Path
) -> None:
    out, words = tmp_path / "table.csv", tmp_path / "columns.csv"
    export = ["runs", "export", "last", *ran[-2:], *TURNED, "--format", form]
    assert cli.main([*export, "--out", str(out), "--dictionary", str(words)]) == 0
    header = out.read_text(encoding="utf-8").splitlines()[0].split(",")
    rows = list(csv.reader(words.read_text(encoding="utf-8").splitlines()))[1:]
    assert [name for name, _, _ in rows] == header
    assert not [meaning for _, _, meaning in rows if "the scenario's key" in meaning]
    assert [meaning for name, _, meaning in rows if name == "oue gain"] == [
        "sum over the targets of attacked − clean estimate, for oue"
    ]
