"""A format costs a row of ldptui.commands.result_formats: everything else reads the table."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import tables

from ldptui.commands import cli, result_formats
from ldptui.commands.result_formats import FORMATS, Format, Output
from ldptui.core.export import to_json

NAME, END = "lines", ".lines"


def text(results: Any, versions: Any, output: Output) -> str:
    """The document, a line for each of its keys."""
    document = json.loads(to_json(results, versions, output.frequencies, output.choice))
    return "".join(f"{key}: {json.dumps(value)}\n" for key, value in document.items())


@pytest.fixture(autouse=True)
def added(monkeypatch: pytest.MonkeyPatch) -> None:
    row = Format(NAME, "a line for each key", END, text, frequencies=True)
    monkeypatch.setitem(FORMATS, NAME, row)  # type: ignore[arg-type]


def test_a_new_format_is_printed_written_shown_and_exported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = ("--store", str(tmp_path / "runs.db"))
    out, other = tmp_path / f"out{END}", tmp_path / "other"
    small = ["run", "quickstart", "--trials", "2", "--frequencies", *store]
    assert cli.main([*small, "--format", NAME]) == 0
    printed = capsys.readouterr()
    assert printed.out.startswith("format: 1\n")
    assert "JSON only" not in printed.err
    assert cli.main([*small, "--out", str(out)]) == 0
    assert out.read_text(encoding="utf-8") == printed.out
    last = ("last", *store, "--format", NAME, "--frequencies")
    capsys.readouterr()
    assert cli.main(["runs", "show", *last]) == 0
    shown = capsys.readouterr().out
    assert cli.main(["runs", "export", *last, "--out", str(other)]) == 0
    assert other.read_text(encoding="utf-8") == shown
    assert "\ncells: " in shown
    assert cli.main([*small, "--out", str(out), "--format", "csv"]) == 2
    assert f"--format must be {NAME} for a file that ends in {END}" in capsys.readouterr().err


def test_a_new_format_is_offered_and_explained() -> None:
    from ldptui.commands.shell_completion import script

    assert result_formats.list_formats("run").endswith(f"; {NAME}: a line for each key")
    assert NAME in script("bash")
    for command in ("run", "resume"):
        parser = cli.parser_of(command)
        assert parser is not None
        assert NAME in parser.format_help()
    assert f"| `{NAME}` | `{END}` | a line for each key |" in tables.table("formats")
