"""A stranger's file does not steer a terminal, whichever command shows it."""

from __future__ import annotations

import csv
import io
import re
import sys
from pathlib import Path

import pytest

from ldptui.commands import cli

STEERING = "\x00\x07\x08\x0b\x0c\x1b\x7f\x85\x90\x9b\u200e\u202a\u202e\u2028\u2029\u2066\ufeff"
"""Control characters of both sets, separators, marks of direction, a mark of byte order."""

LABELS = [f"{number}{char}[2Jx" for number, char in enumerate(STEERING) if char != "\x00"]
LABELS += ["a\rb", "a\nb", "\x1b[1mbold", "=1+1", "-x", "é"]

SCENARIO = """\
format = 1
title = "T\\u001b[2J\\u202e\\u2028x\\ny"
trials = 2
[population]
kind = "csv"
path = "hostile.csv"
column = "a"
[protocol]
kind = "grr"
epsilon = 4.0
[attack]
kind = "mga"
share = 0.1
targets = { pick = "least-frequent", count = 3 }
"""

COMMANDS = (
    "scenarios check {scenario}",
    "run {scenario} --quiet",
    "run {scenario} --format json --frequencies",
    "run {scenario} --format csv",
    "run {scenario} --set population.column=\x1b[2J",
    "runs",
    "runs --format csv",
    "runs --format json",
    "runs show 1",
    "runs show 1 --format json",
    "compare 1 2",
    "replay 1",
    "choose {scenario} --trials 2",
    "choose {scenario} --trials 2 --format json",
    "price {scenario}",
    "sensitivity {table} --column a",
    "sensitivity {table} --column number --bounds 0,5",
    "synthetic {scenario} --out {folder}/made.csv",
    "disclose {table} --quasi a --sensitive number",
    "disclose {table} --quasi a --sensitive number --format json",
)


class Terminal(io.TextIOWrapper):
    """A stream that says that it is a terminal, and keeps what it is told."""

    def __init__(self) -> None:
        super().__init__(io.BytesIO(), encoding="utf-8", write_through=True)

    def isatty(self) -> bool:
        return True

    def told(self) -> str:
        held = self.buffer
        assert isinstance(held, io.BytesIO)
        return held.getvalue().decode()


def test_no_command_lets_data_steer_the_terminal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table, scenario = tmp_path / "hostile.csv", tmp_path / "hostile.toml"
    with table.open("w", encoding="utf-8", newline="") as file:
        rows = ([label, number] for number, label in enumerate([*LABELS * 20, *LABELS[:5] * 40]))
        csv.writer(file).writerows([["a", "number"], *rows])
    scenario.write_text(SCENARIO, encoding="utf-8")
    steered, shown = [], set()
    for command in COMMANDS:
        out, err = Terminal(), Terminal()
        monkeypatch.setattr(sys, "stdout", out)
        monkeypatch.setattr(sys, "stderr", err)
        words = [
            word.format(scenario=scenario, table=table, folder=tmp_path)
            for word in command.split(" ")
        ]
        code = cli.main(words)
        assert code in (0, 1, 2, 3), (command, err.told())
        written = re.sub(r"\x1b\[[012]m", "", out.told()) + re.sub(r"\r|\x1b\[K", "", err.told())
        bad = {char for char in written if not char.isprintable() and char != "\n"}
        steered += [(command, bad)] * bool(bad)
        if code == 0 and "[2J" in written:
            shown.add(command)
    assert steered == []
    assert len(shown) >= 5  # commands that show no label would show nothing of this
