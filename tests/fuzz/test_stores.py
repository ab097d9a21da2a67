"""A store with a field changed by a stranger: one sentence, and the other runs are listed."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.commands import TINY, Captured, succeed
from support.tampering import change

from ldptui.commands import cli

ROWS = [
    ("runs", "title", b"\xff"),
    ("runs", "started", "x"),
    ("runs", "done", "x"),
    ("runs", "total", b"\xff"),
    ("runs", "scenario", "x"),
    ("runs", "scenario", "[]"),
    ("runs", "metrics", "null"),
    ("run_blocks", "number", "x"),
    ("run_blocks", "trials", b"\xff"),
    ("trials", "gain", "x"),
    ("trials", "fingerprint", "x"),
    ("blocks", "clean_mean", "x"),
    ("blocks", "detected", b"\xff"),
]


@pytest.mark.parametrize(("table", "column", "value"), ROWS)
def test_a_changed_row_costs_one_sentence(
    table: str, column: str, value: object, tmp_path: Path, capsys: Captured
) -> None:
    store, scenario = str(tmp_path / "a.sqlite3"), tmp_path / "my.toml"
    scenario.write_text(TINY, encoding="utf-8")
    for seed in "12":
        succeed(capsys, "run", str(scenario), "--quiet", "--seed", seed, "--store", store)
    change(Path(store), table, column, value)
    listed = succeed(capsys, "runs", "--store", store)
    assert any(line.startswith("1 ") for line in listed.splitlines())
    for command in ("runs show 2", f"runs export 2 --out {tmp_path}/o", "compare 1 2", "replay 2"):
        assert cli.main([*command.split(" "), "--store", store]) == 3, command
        (sentence,) = capsys.readouterr().err.splitlines()
        assert "is damaged" in sentence
