"""`ldptui screen`: verdicts on files of reports, suspicious rows, exit codes, bad input."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.commands import Captured, fail, succeed

import ldptui
from ldptui.commands import cli
from ldptui.core.law.pure import SeedSearch
from ldptui.questions import reports_input
from ldptui.terminal import exits

AGREED = ("--protocol", "olh", "--epsilon", "1", "--items", "40")
TARGETS = np.array([3, 8, 11, 15, 19])


@pytest.fixture(scope="module")
def collections(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A clean file of OLH reports, and one with 2 % of MGA on five targets at its end."""
    olh, rng = ldptui.protocol("olh", items=40, epsilon=1.0), np.random.default_rng(5)
    weights = 1 / np.arange(1.0, 41)
    honest = olh.perturb(rng.choice(40, 60_000, p=weights / weights.sum()), rng)
    fakes = olh.craft(TARGETS, 1200, SeedSearch(1000), rng)
    folder = tmp_path_factory.mktemp("reports")
    made = {"clean": [honest], "poisoned": [honest, fakes]}
    for name, batches in made.items():
        ldptui.write_reports(folder / f"{name}.csv", batches, olh)
    return {name: folder / f"{name}.csv" for name in made}


def answer(capsys: Captured, code: int, *arguments: str) -> dict[str, Any]:
    assert cli.main(["screen", *arguments, *AGREED, "--format", "json"]) == code
    document: dict[str, Any] = json.loads(capsys.readouterr().out)
    return document


def test_the_targets_and_their_reports_are_named(
    collections: dict[str, Path], tmp_path: Path, capsys: Captured
) -> None:
    rows = tmp_path / "rows.csv"
    made = answer(
        capsys, exits.ALARM, str(collections["poisoned"]), "--rows-out", str(rows), "--quiet"
    )
    assert made["alarm"] is True
    assert made["items"] == [str(item) for item in TARGETS]
    assert len(made["pairs"]) == 10
    assert all(set(pair["items"]) <= set(made["items"]) for pair in made["pairs"])
    assert min(pair["z"] for pair in made["pairs"]) > 5
    assert {each["kind"] for each in made["screens"]} == {"pairs", "sizes", "seeds"}
    for each in made["screens"]:
        assert {"kind", "alarm", "false_alarm", "power"} <= set(each)
    for each in made["estimates"]:
        assert each["after"] < each["before"] - 0.02
    numbers = rows.read_text("utf-8").splitlines()
    assert numbers[0] == "row"
    named = np.array(numbers[1:], dtype=int)
    assert len(named) == made["dropped"]
    assert (named > 60_000).sum() > 1000
    assert named.min() >= 1


def test_a_clean_collection_passes(collections: dict[str, Path], capsys: Captured) -> None:
    made = answer(capsys, 0, str(collections["clean"]))
    assert (made["alarm"], made["pairs"], made["items"], made["dropped"]) == (False, [], [], 0)


def test_a_protocol_without_a_proved_screen_has_no_verdict(
    tmp_path: Path, capsys: Captured
) -> None:
    path = tmp_path / "r.csv"
    path.write_text("report\n1\n0\n", "utf-8")
    grr = ("screen", str(path), "--protocol", "grr", "--epsilon", "1", "--items", "4")
    assert cli.main(grr) == 5
    assert "No verdict" in capsys.readouterr().out
    assert cli.main([*grr, "--format", "json"]) == 5
    assert json.loads(capsys.readouterr().out)["alarm"] is None


@pytest.mark.parametrize(
    ("written", "more", "words"),
    [
        ("seed,value\n", (), "must be at least one, got none"),
        ("seed,value\n1,9\n", (), r"line 2: the report must have values in [0, 4)"),
        ("seed,value\n1,1\n", ("--rows-out", "r.csv"), "--rows-out must be another file than"),
    ],
)
def test_bad_input_is_one_sentence(
    written: str, more: tuple[str, ...], words: str, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch, capsys: Captured,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    Path("r.csv").write_text(written, "utf-8")
    assert words in fail(capsys, 2, "screen", "r.csv", *AGREED, *more)
    assert Path("r.csv").read_text("utf-8") == written


def test_protocols_without_a_closed_form_are_refused(tmp_path: Path, capsys: Captured) -> None:
    (tmp_path / "in.csv").write_bytes(b"seed,value\n1,1\n")
    cms = ("--protocol", "cms", "--epsilon", "1", "--items", "4")
    assert "closed form" in fail(capsys, 2, "screen", str(tmp_path / "in.csv"), *cms)


def test_estimates_stand_before_and_after_beside_the_verdict(
    collections: dict[str, Path], capsys: Captured
) -> None:
    path, more = (
        str(collections["poisoned"]),
        ("--defend", "pairs,norm-sub", "--quiet", "--trials", "0"),
    )
    made = json.loads(succeed(capsys, "estimate", path, *AGREED, *more, "--format", "json"))
    rows = made["items"]
    assert sum(row["defended"] for row in rows) == pytest.approx(1)
    for item in TARGETS.tolist():
        assert rows[item]["defended"] < rows[item]["frequency"] - 0.02
    printed = succeed(capsys, "estimate", path, *AGREED, *more)
    assert "after pairs, norm-sub" in printed
    plain = json.loads(succeed(capsys, "estimate", path, *AGREED, "--format", "json"))
    assert "defended" not in plain["items"][0]


@pytest.mark.parametrize(
    ("defend", "words"),
    [
        ("nothing", "--defend must be of"), ("ldpguard", "asks every user twice"),
        ("history", "compares two rounds"),
        ("norm-sub,pairs", "--defend must name filters before corrections"),
    ],
)  # fmt: skip
def test_other_defences_are_refused(
    defend: str, words: str, collections: dict[str, Path], capsys: Captured
) -> None:
    arguments = ("estimate", str(collections["clean"]), *AGREED, "--defend", defend)
    assert words in fail(capsys, 2, *arguments)


def test_the_steps_of_a_defence_say_what_they_found_and_what_they_cost(
    collections: dict[str, Path], tmp_path: Path, capsys: Captured
) -> None:
    rows, out = tmp_path / "rows.csv", tmp_path / "out.json"
    path, kinds = str(collections["poisoned"]), "pairs,asd,conditional,floor,norm-sub"
    arguments = (
        "estimate",
        path,
        *AGREED,
        "--trials",
        "2",
        "--defend",
        kinds,
        "--rows-out",
        str(rows),
    )
    succeed(capsys, *arguments, "--format", "json", "--out", str(out))
    steps = {step["kind"]: step for step in json.loads(out.read_text("utf-8"))["defences"]}
    assert ",".join(steps) == kinds
    assert steps["pairs"]["alarm"] is True
    assert steps["norm-sub"]["alarm"] is None
    dropped = np.array(rows.read_text("utf-8").splitlines()[1:], dtype=int)
    assert dropped.size == steps["pairs"]["dropped"]
    assert (dropped > 60_000).sum() > 1000
    assert steps["conditional"]["named"]
    assert 0 <= steps["floor"]["certified"] <= 1200 / 61_200
    for kind, step in steps.items():
        assert step["simulated"]["trials"] == (200 if kind in ("asd", "norm-sub") else 2)
        assert step["simulated"]["users"] == 61_200
    assert steps["norm-sub"]["simulated"]["error"][0] < 0.9
    number, low, high = steps["asd"]["simulated"]["false_alarm"]
    assert 0 <= low <= number / 200 <= high < 1
    printed = succeed(
        capsys, "estimate", path, *AGREED, "--defend", "asd,norm-sub", "--quiet", "--trials", "1"
    )
    assert "asd: alarm " in printed


def test_more_than_can_be_held_is_one_sentence(
    collections: dict[str, Path], monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    path = str(collections["clean"])
    reports_input.screen_collection.cache_clear()
    monkeypatch.setattr("ldptui.core.reports.reading.MAX_HELD", 600_000)
    for arguments in (("screen", path), ("estimate", path, "--defend", "fiad")):
        words = fail(capsys, 2, *arguments, *AGREED)
        assert "needs about" in words
        assert "of memory for" in words
