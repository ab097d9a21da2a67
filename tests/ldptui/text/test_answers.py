"""The answer to a goal: a number, or the two numbers that a search has found it between."""

from __future__ import annotations

from pathlib import Path

from support.commands import TINY, Captured, succeed

GOAL = '[simulate]\ntop_k = 2\n[goal]\nmetric = "{metric}"\nat_least = {level}\n'


def test_a_search_shows_both_ends(tmp_path: Path, capsys: Captured) -> None:
    path = tmp_path / "goal.toml"
    text = TINY.replace("share = 0.1\n", "") + GOAL.format(metric="targets_in_top_k", level=2)
    path.write_text(text, encoding="utf-8")
    row, note = _answer(succeed(capsys, "run", str(path), "--quiet", "--no-store"))
    low, high = (int(word) for word in (row[0], row[2]))
    assert row[1] == "…"
    assert low < high
    assert row[3] == "≤"
    assert row[-1] == "search"
    assert note == "a search is 95 % sure of both ends; the trials have the upper one"


def test_a_closed_form_shows_its_number(tmp_path: Path, capsys: Captured) -> None:
    path = tmp_path / "goal.toml"
    text = TINY.replace("share = 0.1\n", "") + GOAL.format(metric="gain", level=0.5)
    path.write_text(text, encoding="utf-8")
    row, note = _answer(succeed(capsys, "run", str(path), "--quiet", "--no-store"))
    assert row[0].isdigit()
    assert row[-2:] == ["closed", "form"]
    assert note == ""


def _answer(printed: str) -> tuple[list[str], str]:
    """The words of the first row of the table of answers, and the line below it."""
    lines = printed.splitlines()
    at = next(at for at, line in enumerate(lines) if line.startswith("fake users that it takes"))
    return lines[at + 3].split(), lines[at + 4]
