"""A topic of the lab costs three files: its options, its answer, and its row with its words."""

from __future__ import annotations

import json
import sys
import tomllib
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest
from support.commands import Captured, fail, succeed
from support.lab_tabs import ask

from ldptui.lab.topics import TOPICS, Topic

FILES = {
    "ldptui.lab.questions.odds": """
from __future__ import annotations
from dataclasses import dataclass
from typing import Annotated
from ldptui.lab.options import Blank
from ldptui.lab.questions.shared import LocalBudget, Neighbours

@dataclass(frozen=True, kw_only=True)
class Options:
    epsilon: LocalBudget
    bits: Annotated[int, Blank(steps="ladder")] = 1
    neighbours: Neighbours = "change-one"
""",
    "ldptui.lab.odds": """
from __future__ import annotations
import math
from dataclasses import dataclass
from ldptui.lab.asking import answer_of
from ldptui.lab.asking import row

@dataclass(frozen=True)
class Odds:
    odds: float
    bits: int

def answer(options, ask):
    yield "adding up"
    values = Odds(math.exp(options.epsilon), options.bits)
    rows = [row("odds", values.odds, "e^ε", "W17")]
    return answer_of("Odds", rows, values=values, verdict=["Odds."], notes=["of a bit"])
""",
}
ROW = """
title = "Odds"
question = "How much likelier is a report?"
usage = "odds"
summary = "how much likelier a report is"
about = "The odds."
example = ""
hint = "a hint"

[arguments]
epsilon = ["E", "privacy budget"]
bits = ["K", "bits (1)"]
"""


@pytest.fixture(autouse=True)
def added(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, text in FILES.items():
        path = tmp_path / f"{name.replace('.', '_')}.py"
        path.write_text(text, encoding="utf-8")
        spec = spec_from_file_location(name, path)
        assert spec is not None
        assert spec.loader is not None
        module = module_from_spec(spec)
        monkeypatch.setitem(sys.modules, name, module)
        spec.loader.exec_module(module)
    assert isinstance(TOPICS, dict)
    monkeypatch.setitem(TOPICS, "odds", Topic("odds", **tomllib.loads(ROW)))


def test_it_is_a_command(capsys: Captured) -> None:
    assert "odds                 how much likelier a report is" in succeed(capsys, "--help")
    assert "[--bits K]" in succeed(capsys, "odds", "--help")
    found = json.loads(succeed(capsys, "odds", "--epsilon", "1", "--format", "json"))
    assert found == {"odds": pytest.approx(2.718281828), "bits": 1}
    table = succeed(capsys, "odds", "--epsilon", "1")
    for words in ("Odds", "e^ε", "of a bit", "a hint", "W17: Wang"):
        assert words in table
    assert "--epsilon must be in (0, 20]" in fail(capsys, 2, "odds", "--epsilon", "-1")


def test_it_is_a_tab() -> None:
    assert [option.name for option in TOPICS["odds"].blanks] == ["epsilon", "bits", "neighbours"]
    answer = ask("odds", epsilon=2.0)
    assert answer.words == ("Odds.", "of a bit")
    assert str(answer.table.rows[0][1]).strip() == "7.3891"
