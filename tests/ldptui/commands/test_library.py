"""The commands scenarios and schema."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.commands import TINY, Captured, fail, succeed

from ldptui.commands import cli


def test_the_list_and_the_text_of_scenarios(capsys: Captured) -> None:
    from ldptui import scenarios

    listed = succeed(capsys, "scenarios", "list")
    assert listed == succeed(capsys, "scenarios")
    for name in scenarios.names():
        assert name in listed
    shown = succeed(capsys, "scenarios", "show", "survey")
    assert shown == scenarios.path("survey").read_text(encoding="utf-8")


def test_a_copy_runs_from_where_it_is(
    capsys: Captured, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    succeed(capsys, "scenarios", "copy", "survey")
    assert (tmp_path / "survey.csv").is_file()
    assert "valid: 5 cells, 500 trials" in succeed(capsys, "scenarios", "check", "survey.toml")
    assert "exists already" in fail(capsys, 3, "scenarios", "copy", "survey")
    succeed(capsys, "scenarios", "copy", "survey", "other.toml")  # shares the data file
    succeed(capsys, "scenarios", "copy", "quickstart", "new/folder/mine.toml")
    assert (tmp_path / "new" / "folder" / "mine.toml").is_file()
    succeed(capsys, "scenarios", "copy", "quickstart", "new")
    assert (tmp_path / "new" / "quickstart.toml").is_file()


def test_several_scenarios_are_copied_at_once(
    capsys: Captured, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert fail(capsys, 2, "scenarios", "copy", "burst", "survey", "there") == (
        'PATH must be a folder for several scenarios, got "there"'
    )
    succeed(capsys, "scenarios", "copy", "burst", "survey", "there/")
    assert (tmp_path / "there" / "survey.csv").is_file()
    succeed(capsys, "scenarios", "copy", "quickstart", "planner")
    assert {path.name for path in tmp_path.glob("*.toml")} == {"quickstart.toml", "planner.toml"}


def test_check_lists_every_problem(capsys: Captured, tmp_path: Path) -> None:
    path = tmp_path / "bad.toml"
    path.write_text(TINY.replace("0.1", "2.0").replace("items = 8", "items = 1"), "utf-8")
    assert cli.main(["scenarios", "check", str(path)]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 2
    assert all(line.startswith(f"{path}: ") for line in lines)


def test_the_schema_is_printed_as_json(capsys: Captured) -> None:
    assert json.loads(succeed(capsys, "schema"))["title"] == "ldptui scenario"
