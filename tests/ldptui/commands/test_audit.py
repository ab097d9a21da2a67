"""`ldptui audit`: clients of every sort, their verdicts as JSON and as a table, and exit codes."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from support.commands import Captured, fail

import ldptui
from ldptui.commands import cli
from ldptui.terminal import exits

AGREED = ("--epsilon", "1", "--items", "6")
SMALL = (*AGREED, "--samples", "20000")

GRR = """\
import random
import sys

for line in sys.stdin:
    item = int(line)
    other = random.randrange(5)
    print(item if random.random() < {p} else other + (other >= item))
"""


def client(folder: Path, p: float) -> str:
    """A command that runs a client of GRR for six items."""
    path = folder / f"client{p}.py"
    path.write_text(GRR.replace("{p}", str(p)))
    return shlex.join([sys.executable, "-S", str(path)])


def audited(capsys: Captured, code: int, *words: str) -> Any:
    assert cli.main(["audit", *words, "--format", "json"]) == code
    document = json.loads(capsys.readouterr().out)
    for each in document["clients"]:
        assert isinstance(each["epsilon_low"], float)
    assert any(each["is_broken"] for each in document["clients"]) == (code != exits.DONE)
    return document["clients"]


class Spends:
    """GRR with another ε than it promises."""

    def __init__(self, epsilon: float) -> None:
        self.perturb = ldptui.protocol("grr", 6, epsilon=epsilon).perturb


def test_objects_files_and_programs_stand_side_by_side(tmp_path: Path) -> None:
    items = np.arange(20_000) % 6
    rows = zip(items, Spends(1.0).perturb(items, np.random.default_rng(0)), strict=True)
    pairs = tmp_path / "pairs.csv"
    pairs.write_text("item,report\n" + "".join(f"{v},{r}\n" for v, r in rows))
    found = ldptui.audit(
        "grr", Spends(1.0), Spends(2.0), pairs, kind="grr", epsilon=1.0, items=6, samples=20_000,
        command=("cat",),
    )  # fmt: skip
    assert [each.is_broken for each in found.clients] == [False, False, True, False, True]
    assert [each.conforms for each in found.clients] == [True, True, False, True, False]
    assert [each.client for each in found.clients] == ["grr", "Spends", "Spends", str(pairs), "cat"]
    (bars,) = (each.chart for each in found.figures())
    assert [(bar.value, bar.true, bar.target) for bar in bars.bars] == [
        (each.epsilon_low, 1.0, each.is_broken) for each in found.clients
    ]


@pytest.mark.parametrize(
    ("answer", "rule"),
    [
        (lambda values: 1 / 0, "raised ZeroDivisionError"),
        (lambda values: values[1:], "must return an array of"),
        (lambda values: [None] * len(values), "must return an array of"),
        (lambda values: values + 9, "its reports must be"),
    ],
)
def test_a_client_that_does_not_work_is_one_sentence(answer: Any, rule: str) -> None:
    wrong = SimpleNamespace(perturb=lambda values, _: answer(values))
    with pytest.raises(ldptui.RunError, match=rule):
        ldptui.audit(wrong, kind="grr", epsilon=1.0, items=4, samples=4000)


def test_a_command_is_audited_with_a_format_and_without(capsys: Captured, tmp_path: Path) -> None:
    kept, spent = client(tmp_path, 0.3522), client(tmp_path, 0.6)
    words = ("--command", kept, "--command", spent)
    for more, conforms in ((("--as", "grr"), [True, False]), ((), [None, None])):
        found = audited(capsys, exits.ALARM, *words, *more, *SMALL)
        assert [each["client"] for each in found] == [kept, spent]
        assert [each["is_broken"] for each in found] == [False, True]
        assert [each["conforms"] for each in found] == conforms
        assert found[1]["epsilon_low"] > 1


def test_pairs_of_a_file_are_audited(capsys: Captured, tmp_path: Path) -> None:
    grr = ldptui.protocol("grr", 6, epsilon=1.0)
    olh: Any = ldptui.protocol("lh", 6, epsilon=3.0, hash_range=4)
    items, rng = np.arange(20_000) % 6, np.random.default_rng(0)
    path = tmp_path / "pairs.csv"
    rows = zip(items, grr.perturb(items, rng), strict=True)
    path.write_text("item,report\n" + "".join(f"{v},{r}\n" for v, r in rows))
    for more in ((), ("--as", "grr")):
        found = audited(capsys, exits.DONE, str(path), *more, *AGREED)
        assert not found[0]["is_broken"]
        assert found[0]["samples"] == 20_000
    reports = olh.perturb(items, rng)
    path.write_text("seed,item,value\n" + "".join(
        f"{r['seed']},{v},{r['value']}\n" for v, r in zip(items, reports, strict=True)
    ))  # fmt: skip
    found = audited(capsys, exits.ALARM, str(path), "--as", "olh", *AGREED)
    assert found[0]["conforms"] is False


def test_a_page_says_what_was_found(capsys: Captured, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    words = ("--command", client(tmp_path, 0.6), "--as", "grr", *SMALL, "--page", str(page))
    assert cli.main(["audit", *words]) == exits.ALARM
    shown, text = capsys.readouterr().out, page.read_text()
    for said in (shown, text):
        assert "BROKEN: reports do not keep" in said
        assert "are NOT those of the protocol that it claims to follow" in said
    assert "## How to ask again" in text


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (AGREED, "CLIENT must be named"),
        (("grr", *AGREED, "--samples", "10"), "--samples must be in [1000, 10^8], got 10"),
        (("none.csv", *AGREED), "none.csv"),
        (("none.py:Client", *AGREED), "none.py"),
        (("--command", "cat", "--as", "gr", *AGREED), "--as must be one of"),
        (("laplace", *AGREED), "trusted curator"),
        (("--command", "no-such", *AGREED), "must be a program that can be started"),
        (("--command", "'", *AGREED), "--command must be a program and its arguments"),
        (("grr", *AGREED, "--set", "hash_range=3"), "hash_range is not a known key"),
    ],
)
def test_wrong_words_are_refused(words: tuple[str, ...], sentence: str, capsys: Captured) -> None:
    assert cli.main(["audit", *words, "--format", "json"]) in (exits.USAGE, exits.NO_FILE)
    assert sentence in capsys.readouterr().err


def test_files_that_are_none_are_one_sentence(capsys: Captured, tmp_path: Path) -> None:
    path = tmp_path / "pairs.csv"
    path.write_text("item,report\n0,1\n1,1\n")
    assert "has too few reports" in fail(capsys, exits.FAILED, "audit", str(path), *AGREED)
    for rows, sentence in (
        ("item,report\n7,1\n", 'item must be a whole number in [0, 6), got "7"'),
        ("item,report\n1\n", "row 1 has 1 cells"),
        ("item,report\n", "must hold at least one row"),
        ("user,report\n1,2\n", "a table of item and report"),
    ):
        path.write_text(rows)
        assert sentence in fail(capsys, exits.USAGE, "audit", str(path), *AGREED)
