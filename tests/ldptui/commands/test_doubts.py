"""Reasons to doubt reach who asked: documents, tables, captions, exit codes, Python."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from support.commands import Captured, succeed

import ldptui
from ldptui.commands import cli
from ldptui.core.protocols.exact import WARNING
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
kind = "cms"
epsilon = 1.0
"""
DOUBT = "on the counts path items are drawn one by one; reports let them share a bucket"


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
    certain = SCENARIO.replace('"cms"', '"oue"')
    Path(scenario).write_text(certain)
    assert "warnings" not in json.loads(succeed(capsys, *asked, "--format", "json"))


def test_a_warning_of_a_run_reaches_python_and_captions(scenario: str) -> None:
    with pytest.warns(ldptui.LdpWarning, match="on the counts path items are drawn one by one"):
        results = ldptui.run(scenario)
    assert results.warnings == (DOUBT,)
    assert DOUBT in repr(results).replace("\n", " ")
    words = exporting.caption("t", 0, 2, results.digest, "2.4.6", results.warnings)
    assert words.endswith(f" · warning: {DOUBT}")


OWN = """\
import math, numpy as np
from ldptui.core.protocols import TableProtocol

def twice(items, epsilon):
    e = math.exp(2 * epsilon)
    law = np.full((items, items), 1 / (e + items - 1))
    np.fill_diagonal(law, e / (e + items - 1))
    return TableProtocol(items, epsilon, law, np.eye(items, dtype=bool))
"""
PROTOCOL = """\
format = 1
trials = 3
population = { kind = "zipf", items = 6, users = 2000, exponent = 1.0 }
protocol = { kind = "plugin", name = "twice", epsilon = 1.0 }
attack = { kind = "mga", share = 0.05, targets = { items = [2] } }
sweep = { "attack.share" = [0.01, 0.05] }
"""
OVERSPENT = "its reports tell up to ε = 2, more than it says"


def test_a_protocol_in_python_goes_by_its_name_with_what_there_is_to_doubt(
    tmp_path: Path, capsys: Captured
) -> None:
    own, asked, store = tmp_path / "own.py", tmp_path / "a.toml", str(tmp_path / "s.db")
    own.write_text(OWN)
    asked.write_text(PROTOCOL)
    code, kept = ("--attack-file", str(own)), ("--store", store)
    printed = succeed(capsys, "run", str(asked), *code, *kept)
    assert "protocol    twice, ε = 1" in printed
    assert f"warning: {OVERSPENT}" in printed
    assert json.loads(succeed(capsys, "runs", *kept, "--format", "json"))[0]["protocols"] == [
        "twice"
    ]
    for more, line in ((code, "MGA on twice"), ((), "simulated")):  # without it no closed form
        out = tmp_path / f"{len(more)}.txt"
        succeed(capsys, "plot", "last", "--out", str(out), *more, *kept)
        drawn = out.read_text()
        assert line in drawn
        assert ("closed form" in drawn) == bool(more)
        assert f"warning: {OVERSPENT}" in drawn.replace("\n", " ")


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
    cli.main(["screen", str(path), *agreed])
    assert cause in " ".join(capsys.readouterr().out.split())
    cli.main(["screen", str(path), *agreed, "--format", "json"])
    said = capsys.readouterr()
    assert cause in json.loads(said.out)["misfit"]
    assert cause in said.err
    cli.main(["screen", str(fitting), *agreed, "--format", "json"])
    assert json.loads(capsys.readouterr().out)["misfit"] is None


@pytest.mark.parametrize("command", ["estimate", "screen", "conclude --share=0.1"])
def test_reports_for_tests_are_told_in_every_format(
    command: str, tmp_path: Path, capsys: Captured
) -> None:
    path, made = tmp_path / "r.csv", ldptui.protocol("grr", 4, epsilon=1.0)
    reports = made.perturb(np.arange(400) % 4, np.random.default_rng(1))
    ldptui.write_reports(path, [reports], made, for_tests=1)
    doubt = f"{path} has reports for tests (for_tests), which protected nobody"
    asked = (
        *command.split(),
        str(path),
        "--protocol",
        "grr",
        "--epsilon",
        "1",
        "--items",
        "4",
        "--quiet",
    )
    for form in ("table", "json"):
        cli.main([*asked, "--format", form])
        said = capsys.readouterr()
        assert said.err == f"ldptui: {doubt}\n"
        assert json.loads(said.out)["warnings"] == [doubt] if form == "json" else doubt in said.out
    with pytest.warns(ldptui.LdpWarning, match="which protected nobody"):
        list(ldptui.read_reports(path, made))


def test_reports_without_noise_are_told_on_pages_and_in_figures(
    tmp_path: Path, capsys: Captured
) -> None:
    """In tables and LaTeX as every warning of a run is."""
    asked, drawn = tmp_path / "a.toml", tmp_path / "a.txt"
    asked.write_text(SCENARIO.replace('"cms"\nepsilon = 1.0', '"exact"'))
    assert f"% warning: {WARNING}" in succeed(
        capsys, "run", str(asked), "--no-store", "--quiet", "--format", "latex"
    )
    store = ("--store", str(tmp_path / "s.db"))
    succeed(capsys, "plot", str(asked), *store, "--quiet", "--out", str(drawn))
    assert f"warning: {WARNING}" in drawn.read_text().replace("\n", " ")
    path = tmp_path / "r.csv"
    path.write_text("report\n" + "0\n1\n3\n" * 9)
    for command in ("estimate", "screen", "conclude --share=0.1"):
        for end in ("md", "html"):
            page = tmp_path / f"{command[:4]}.{end}"
            read = (*command.split(), str(path), "--protocol", "exact", "--items", "4", "--quiet")
            cli.main([*read, "--page", str(page)])
            assert WARNING.partition(":")[0] in page.read_text(), page.name


def test_a_run_that_another_numpy_drew_says_so(
    scenario: str, tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path(scenario).write_text(SCENARIO.replace('"cms"', '"oue"'))
    store, out = ("--store", str(tmp_path / "s.db")), tmp_path / "o.json"
    monkeypatch.setattr("numpy.__version__", "2.4.6")
    assert cli.main(["run", scenario, *store, "--quiet"]) == exits.DONE
    monkeypatch.setattr("numpy.__version__", "2.5.1")
    assert cli.main(["runs", "export", "1", *store, "--out", str(out)]) == exits.DONE
    doubt = "drawn by NumPy 2.4.6, here it is 2.5.1: from 2.5 on NumPy draws large binomials"
    assert json.loads(out.read_text())["warnings"][0].startswith(doubt)


def test_a_misspelt_number_of_items_is_told() -> None:
    with pytest.raises(ldptui.ScenarioError) as refused:
        ldptui.protocol("olh", item=64, epsilon=1.0)
    assert str(refused.value) == "protocol.item is not a known key (did you mean items?)"
