"""Metrics in Python from the command line: run where allowed, then read without their code."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from support.commands import TINY, Captured, fail, succeed

from ldptui.terminal import exits

CODE = """
def biggest(frequencies, facts, *, times=1.0):
    return times * frequencies.max()
"""
SCENARIO = f"""{TINY}
[[metric]]
name = "biggest"
[sweep]
"protocol.epsilon" = [1.0, 2.0]
"attack.share" = [0.05, 0.1]
"""


@pytest.mark.usefixtures("threads")
def test_a_metric_is_run_once_and_read_by_every_command(
    tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text(CODE)
    Path("mine.toml").write_text(SCENARIO, encoding="utf-8")
    told = fail(capsys, exits.USAGE, "run", "mine.toml")
    assert "needs the metric 'biggest', Python code that is not allowed yet" in told
    printed = succeed(capsys, "run", "mine.toml", "--code", "mine.py", "--trials", "2")
    assert "biggest" in printed
    assert "before" in printed
    # The code is not needed any more.
    rows = list(csv.DictReader(succeed(capsys, "compare", "last", "last", "--metric", "biggest",
                                       "--format", "csv").splitlines()))  # fmt: skip
    assert [row["metric"] for row in rows] == ["biggest"] * 4
    assert {float(row["difference"]) for row in rows} == {0.0}
    assert "must be one of gain, " in fail(
        capsys, exits.USAGE, "compare", "last", "last", "--metric", "bigger"
    )
    for chart in ("success", "map"):
        succeed(capsys, "plot", "last", "--chart", chart, "--metric", "biggest", "--out", "a.txt")
        assert Path("a.txt").read_text("utf-8").startswith("Biggest")
    succeed(capsys, "runs", "export", "last", "--format", "json", "--out", "a.json",
            "--dictionary", "words.csv")  # fmt: skip
    (cell, *_) = json.loads(Path("a.json").read_text("utf-8"))["cells"]
    assert cell["metrics"]["biggest"]["standard_error"] > 0
    words = Path("words.csv").read_text("utf-8").splitlines()
    meanings = dict(row[::2] for row in csv.reader(words))
    assert meanings["biggest_clean"] == "biggest, clean, measured by code in Python"
