"""ldptui conclude: its numbers against their formulas, every place of reports, and refusals."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.commands import Captured, fail, succeed

import ldptui
from ldptui.core.law.law import Ask

NAMES = ["apple", "pear", "fig", "plum", "kiwi", "lime", "date", "nut"]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder with 20,000 reports of OUE, 3 % of MGA on two rare items, and the domain."""
    (tmp_path / "domain.txt").write_text("\n".join(NAMES))
    write(tmp_path, [0.4, 0.2, 0.1, 0.1, 0.1, 0.08, 0.01, 0.01], targets=[6, 7], fakes=600)
    return tmp_path


def write(place: Path, frequencies: Sequence[float], targets: Sequence[int], fakes: int) -> None:
    """20,000 reports of OUE, some of them MGA's on these targets."""
    oue, rng = ldptui.protocol("oue", items=8, epsilon=1.0), np.random.default_rng(7)
    honest = oue.perturb(rng.choice(8, 20_000 - fakes, p=frequencies), rng)
    crafted = oue.find_law(Ask("crafted", np.array(targets)))
    reports = np.concatenate([honest, crafted.reports(fakes, rng)])  # type: ignore[attr-defined]
    ldptui.write_reports(place / "reports.csv", [reports], oue)


def arguments(place: Path, *more: str) -> tuple[str, ...]:
    domain = str(place / "domain.txt")
    return (
        "conclude", str(place / "reports.csv"), "--protocol", "oue", "--epsilon", "1",
        "--domain", domain, *more,
    )  # fmt: skip


def told(capsys: Captured, *argv: str) -> dict[str, Any]:
    made: dict[str, Any] = json.loads(succeed(capsys, *argv, "--format", "json"))
    return made


def test_a_share_below_what_is_proved_is_told(place: Path, capsys: Captured) -> None:
    write(place, [1 / 8] * 8, targets=range(2, 8), fakes=6000)
    assert told(capsys, *arguments(place, "--share", "0.05"))["fakes"]["at_least"] > 0.05
    words = "of the reports are fake, more than the 5 % assumed: with up to 5 %, item"
    assert words in succeed(capsys, *arguments(place, "--share", "0.05"))
    assert words not in succeed(capsys, *arguments(place, "--share", "0.4"))


def test_counts_estimates_and_python_agree_with_reports(place: Path, capsys: Captured) -> None:
    share = ("--share", "0.02", "--claim", "apple > pear")
    whole = told(capsys, *arguments(place, *share))
    counts = place / "all.counts"
    estimated = ("estimate", *arguments(place)[1:], "--format", "csv")
    table = succeed(capsys, *estimated, "--counts-out", str(counts))
    (place / "published.csv").write_text(table)
    again = told(capsys, "conclude", str(counts), *arguments(place, *share)[2:])
    assert again["items"] == whole["items"]
    assert again["fakes"]["at_least"] <= whole["fakes"]["at_least"]
    from_table = told(
        capsys, "conclude", "--estimates", str(place / "published.csv"), "--users", "20000",
        "--label", "label", "--protocol", "oue", "--epsilon", "1", *share,
    )  # fmt: skip
    for one, other in zip(from_table["items"], whole["items"], strict=True):
        assert one == pytest.approx(other)
    assert from_table["claims"][0] == pytest.approx(whole["claims"][0])
    oue = ldptui.protocol("oue", items=8, epsilon=1.0)
    made = ldptui.conclude(
        str(place / "reports.csv"), oue, share=0.02, claims=["apple > pear"], labels=NAMES
    )
    assert made.document() == whole
    assert list(made.to_frame()["item"]) == NAMES


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (("--share", "1"), "--share must be in [0, 1), got 1"),
        (("--share", "0.1", "--claim", "apple >> pear"), "--claim must compare once"),
        (("--share", "0.1", "--confidence", "1"), "--confidence must be in (0, 1), got 1"),
        (("--share", "0.1", "--protocol", "she"), "--protocol must not be SHE, whose reports are"),
        (("--share", "0.1", "--protocol", "pm"), "ldptui estimate --low --high --share has the"),
        (("--share", "0.1", "--trust", "none"), "--trust must be one of local, verified"),
        (("--share", "0.1", "--trust", "curator"), "--protocol must be left out with the trust"),
        (("--share", "0.1", "--trust", "verified", "--sharp"), "--sharp must be left out"),
        (("--share", "0.1", "--users", "9"), "--users goes with estimates"),
        (("--share", "0.1", "--estimates", "x.csv"), "--estimates takes the place of reports"),
    ],
)
def test_what_cannot_be_is_one_sentence(
    place: Path, capsys: Captured, more: tuple[str, ...], words: str
) -> None:
    assert words in fail(capsys, 2, *arguments(place, *more))


def test_tables_that_tell_no_estimates_are_refused(tmp_path: Path, capsys: Captured) -> None:
    table = tmp_path / "t.csv"
    asked = ("conclude", "--estimates", str(table), "--protocol", "oue", "--epsilon", "1",
             "--share", "0.1")  # fmt: skip
    table.write_text("item,frequency\na,0.5\nb,0.5\n")
    assert "--users is required" in fail(capsys, 2, *asked)
    assert "--users must be in [1, 10^15], got 0" in fail(capsys, 2, *asked, "--users", "0")
    assert "--items must be left out" in fail(capsys, 2, *asked, "--users", "9", "--items", "3")
    table.write_text("item,frequency\na,0.5\na,0.5\n")
    assert "--label must name each item once" in fail(capsys, 2, *asked, "--users", "9")
    table.write_text("item,count\na,0.5\nb,0.5\n")
    assert "frequency" in fail(capsys, 2, *asked, "--users", "9")
    (tmp_path / "no.csv").write_text("report\n")
    empty = ("conclude", str(tmp_path / "no.csv"), "--protocol", "oue", "--epsilon", "1",
             "--items", "4", "--share", "0.1")  # fmt: skip
    assert "at least one" in fail(capsys, 2, *empty)


@pytest.mark.parametrize(
    ("trust", "admitted"),
    [("curator", 1), ("aggregated-histogram", 1), ("aggregated-multihot", 2), ("verified", 1),
     ("aggregated-sumvec", 2)],
)  # fmt: skip
def test_sums_are_concluded_by_what_their_proof_admits(
    trust: str, admitted: int, tmp_path: Path, capsys: Captured
) -> None:
    table = tmp_path / "t.csv"
    table.write_text("item,frequency\napple,0.5\npear,0.3\nfig,0.2\n")
    proved = ("--protocol", "oue") if trust == "verified" else ("--weight", "2")
    found = told(
        capsys, "conclude", "--estimates", str(table), "--users", "1000000000000", "--epsilon", "1",
        "--trust", trust, *proved, "--share", "0.1", "--claim", "apple + pear > 0.7",
    )  # fmt: skip
    assert [row["low"] for row in found["items"]] == pytest.approx(
        [(f - 0.1) / 0.9 for f in (0.5, 0.3, 0.2)], abs=1e-5
    )
    assert [row["high"] for row in found["items"]] == pytest.approx(
        [f / 0.9 for f in (0.5, 0.3, 0.2)], abs=1e-5
    )
    assert found["claims"][0]["overturning_share"] == pytest.approx(0.1 / (admitted - 0.7))
    library = ldptui.conclude(
        np.array([0.5, 0.3, 0.2]), ldptui.protocol("oue", items=3, epsilon=1.0), share=0.1,
        trust=trust, users=10**12, weight=2,
    )  # fmt: skip
    assert library.low.tolist() == [row["low"] for row in found["items"]]


def test_sums_are_a_table(capsys: Captured) -> None:
    asked = ("conclude", "x.csv", "--epsilon", "1", "--share", "0.1", "--trust", "curator")
    assert "--estimates is required with the trust curator" in fail(capsys, 2, *asked)
    oue = ldptui.protocol("oue", items=3, epsilon=1.0)
    with pytest.raises(ldptui.ScenarioError, match="3 published frequencies"):
        ldptui.conclude(np.zeros(2), oue, share=0.1, users=9)
    with pytest.raises(ldptui.ScenarioError, match="users is required with the trust curator"):
        ldptui.conclude(np.zeros(3), oue, share=0.1, trust="curator")
