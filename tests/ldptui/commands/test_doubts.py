"""Reasons to doubt reach who asked: documents, tables, captions, exit codes, Python."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from support.commands import Captured, succeed

import ldptui
from ldptui.commands import cli
from ldptui.session import exporting
from ldptui.terminal import exits

SCENARIO = """\
format = 1
trials = 2
[population]
kind = "zipf"
items = 40
users = 3_000_000
exponent = 1.0
[protocol]
kind = "dbitflip"
epsilon = 1.0
"""
DOUBT = "on the counts path items are drawn one by one; a report has the bits of just D"


@pytest.fixture
def scenario(tmp_path: Path) -> str:
    path = tmp_path / "a.toml"
    path.write_text(SCENARIO)
    return str(path)


def test_a_warning_of_a_run_is_in_every_format(scenario: str, capsys: Captured) -> None:
    asked = ("run", scenario, "--no-store", "--quiet")
    assert json.loads(succeed(capsys, *asked, "--format", "json"))["warnings"] == [DOUBT]
    for form in ("table", "md", "latex"):
        assert cli.main([*asked, "--format", form]) == exits.DONE
        said = capsys.readouterr()
        assert f"warning: {DOUBT}" in " ".join(said.out.split()), form
        assert said.err == f"warning: {DOUBT}\n", "--quiet silences progress, not this"
    certain = SCENARIO.replace('"dbitflip"', '"oue"')
    Path(scenario).write_text(certain)
    assert "warnings" not in json.loads(succeed(capsys, *asked, "--format", "json"))


def test_a_warning_of_a_run_reaches_python_and_captions(scenario: str) -> None:
    with pytest.warns(ldptui.LdpWarning, match="on the counts path items are drawn one by one"):
        results = ldptui.run(scenario)
    assert results.warnings == (DOUBT,)
    assert DOUBT in repr(results).replace("\n", " ")
    words = exporting.caption("t", 0, 2, results.digest, "2.4.6", results.warnings)
    assert words.endswith(f" · warning: {DOUBT}")


def write_reports(path: Path, kind: str, fit: bool) -> None:
    """Reports of 20,000 users; where they do not fit, of another epsilon or another hash."""
    made = ldptui.protocol(kind, 4, epsilon=1.0 if fit or kind == "olh" else 3.0)
    reports = made.perturb(np.full(20_000, 3), np.random.default_rng(1))
    if kind == "olh" and not fit:
        reports["seed"] += 1
    ldptui.write_reports(path, [reports], made)


@pytest.mark.parametrize(
    ("kind", "cause"),
    [
        ("oue", "the clients used another epsilon"),
        ("olh", "the clients used another hash, another"),
    ],
)
def test_reports_that_do_not_fit_are_told_by_each_who_reads_them(
    kind: str, cause: str, tmp_path: Path, capsys: Captured
) -> None:
    path, fitting = tmp_path / "r.csv", tmp_path / "f.csv"
    write_reports(path, kind, fit=False)
    write_reports(fitting, kind, fit=True)
    agreed = ("--protocol", kind, "--epsilon", "1", "--items", "4")
    assert cli.main(["estimate", str(path), *agreed]) == exits.DONE
    assert cause in " ".join(capsys.readouterr().out.split())
    assert cli.main(["estimate", str(path), *agreed, "--strict"]) == exits.MISFIT
    assert cli.main(["estimate", str(fitting), *agreed, "--strict"]) == exits.DONE
    capsys.readouterr()
    cli.main(["screen", str(path), *agreed, "--trials", "0"])
    assert cause in " ".join(capsys.readouterr().out.split())
    cli.main(["screen", str(path), *agreed, "--trials", "0", "--format", "json"])
    said = capsys.readouterr()
    assert cause in json.loads(said.out)["misfit"]
    assert cause in said.err
    cli.main(["screen", str(fitting), *agreed, "--trials", "0", "--format", "json"])
    assert json.loads(capsys.readouterr().out)["misfit"] is None


def test_no_verdict_is_no_false() -> None:
    made = ldptui.protocol("grr", 4, epsilon=1.0)
    found = ldptui.screen(np.array([0, 3, 1], np.uint32), made, trials=0)
    assert found.verdict.startswith("no verdict")
    assert found.alarm is None
    assert found.document()["alarm"] is None


def test_a_misspelt_number_of_items_is_told() -> None:
    with pytest.raises(ldptui.ScenarioError) as refused:
        ldptui.protocol("olh", item=64, epsilon=1.0)
    assert str(refused.value) == "protocol.item is not a known key (did you mean items?)"
