"""ldptui guess: its names, priors of tables, what is known beside, and refusals."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.commands import Captured, fail, succeed
from support.lab_tabs import ask

ASKED = ("guess", "--protocol", "oue", "--epsilon", "1", "--items")


def told(capsys: Captured, *more: str) -> dict[str, Any]:
    made: dict[str, Any] = json.loads(succeed(capsys, *ASKED, *more, "--format", "json"))
    return made


def test_the_names_that_scripts_rely_on(capsys: Captured) -> None:
    found = told(capsys, "100")
    assert {"before", "after", "rad", "odds"} <= found.keys()
    assert found["before"] == pytest.approx(0.01)
    assert found["rad"] == pytest.approx(found["after"] - found["before"])
    assert found["odds"] == pytest.approx(2.718281828 / 99)


def test_every_quantity_has_a_source() -> None:
    answer = ask("guess", protocol="oue", epsilon=1.0, items=8, gain=0.05)
    assert all(row[3] for row in answer.table.rows)
    cited = {str(row[3]).split()[0] for row in answer.table.rows}
    assert {line.split(":")[0] for line in answer.sources} == cited


def test_every_quantity_is_explained_beneath_the_table(capsys: Captured) -> None:
    printed = succeed(capsys, *ASKED, "16", "--answers", "3")
    for words in (
        "RAD: reconstruction advantage, the most", "worst odds: of a user's item against",
        "named: the chance that", "D = 3 answers about correlated things, each with ε: the most",
    ):  # fmt: skip
        assert words in printed


def test_the_largest_budget_keeps_the_gain(capsys: Captured) -> None:
    budget = told(capsys, "100", "--gain", "0.05")["largest_epsilon"]
    again = ("guess", "--protocol", "oue", "--epsilon", str(budget), "--items", "100")
    assert json.loads(succeed(capsys, *again, "--format", "json"))["rad"] == pytest.approx(0.05)
    assert told(capsys, "2", "--gain", "0.9").get("largest_epsilon") is None
    alone = ("guess", "--protocol", "oue", "--items", "100")
    values = json.loads(succeed(capsys, *alone, "--gain", "0.05", "--format", "json"))
    assert values["epsilon"] == values["largest_epsilon"] == budget
    assert values["rad"] == pytest.approx(0.05)
    assert fail(capsys, 2, *alone) == "--epsilon is required"
    line = fail(capsys, 2, *alone[:3], "--items", "2", "--gain", "0.9")
    assert line == "--epsilon is required: no ε reaches the gain 0.9"


def test_a_table_of_users_and_what_is_known_of_them(tmp_path: Path, capsys: Captured) -> None:
    table = tmp_path / "people.csv"
    table.write_text("fruit,city\n" + "a,x\n" * 6 + "b,y\n" * 3 + "c,y\n")
    users = ("3", "--prior", str(table), "--column", "fruit")
    alone = told(capsys, *users)
    assert (alone["before"], alone["groups"]) == (pytest.approx(0.6), 1)
    beside = told(capsys, *users, "--given", "city")
    assert (beside["before"], beside["groups"]) == (pytest.approx(0.9), 2)
    published = tmp_path / "items.csv"
    published.write_text("item,frequency\na,0.6\nb,0.3\nc,0.1\n")
    assert told(capsys, "3", "--prior", str(published)) == pytest.approx(alone)


def test_answers_add_up(capsys: Captured) -> None:
    one, three = told(capsys, "50"), told(capsys, "50", "--answers", "3")
    assert three["odds_answers"] == pytest.approx(one["odds_answers"] * 2.718281828**2)
    assert one["after"] <= one["after_answers"] < three["after_answers"] < 1


def test_what_cannot_be_is_one_sentence(tmp_path: Path, capsys: Captured) -> None:
    table = tmp_path / "items.csv"
    table.write_text("item,frequency\na,0.6\nb,0.3\nc,-0.1\n")
    prior = ("--prior", str(table))
    assert "at least 0, not all 0" in fail(capsys, 2, *ASKED, "3", *prior)
    assert "goes with a table" in fail(capsys, 2, *ASKED, "3", "--given", "x")
    table.write_text("item\na\nb\nc\n")
    assert "must be at least 3" in fail(capsys, 2, *ASKED, "2", *prior)
    assert "must be one of" in fail(capsys, 2, "guess", "--protocol", "rappor", "--epsilon", "1",
                                    "--items", "4")  # fmt: skip
