"""Numbers of real users: `ldptui perturb` and `estimate` with a range, and their Python API."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from support import budget
from support.commands import Captured, fail, noted, succeed
from support.lab_tabs import ask

import ldptui
from ldptui.commands.common_options import Opening
from ldptui.commands.reports_opening import read_opening
from ldptui.core.base.errors import ScenarioError
from ldptui.core.law.mechanism import is_a
from ldptui.core.law.numeric_protocol import NumericProtocol
from ldptui.core.protocols import KINDS
from ldptui.core.reports import numbers

TELLING = [kind for kind, spec in KINDS.items() if is_a(spec.mechanism, NumericProtocol)]
RANGE = ("--low", "0", "--high", "100", "--epsilon", "1")
AGES = "id,age\n1,17\n2,40.5\n3,90\n4,100\n"


def ages(count: int = 60_000) -> NDArray[np.float64]:
    return np.asarray(np.rint(100 * np.random.default_rng(3).beta(2, 5, count)))


@pytest.mark.parametrize("kind", TELLING)
def test_the_mean_is_within_its_noise(kind: str, seed: int) -> None:
    protocol: Any = ldptui.protocol(kind, low=0, high=100, epsilon=1.0)
    held, rng = ages(), np.random.default_rng(seed)
    found = ldptui.estimate(ldptui.perturb(held, protocol, rng), protocol)
    places, users = np.unique(held / 50 - 1, return_counts=True)
    noise = protocol.size**2 - places**2 if kind == "sr" else protocol.spread_at(places)
    variance = 2500 * float(noise @ users) / held.size**2
    own = held.var() / held.size  # the interval has the users' own spread in it
    assert found.std == pytest.approx(np.sqrt(variance + own), rel=0.02)
    assert budget.mean([found.mean], held.mean(), variance)
    assert not budget.mean([found.mean], held.mean() + 10 * found.std, variance)


def test_the_interval_holds_whatever_a_share_of_fakes_says() -> None:
    """Nine hundred honest users of a thousand, and fakes who all say as much as one can."""
    protocol: Any = ldptui.protocol("pm", low=0, high=100, epsilon=1.0)
    held, rng = ages(90_000), np.random.default_rng(0)
    honest = ldptui.perturb(held, protocol, rng)
    top = np.full(10_000, protocol.report_values.size - 1, dtype=honest.dtype)
    sent = np.concatenate([honest, top])
    plain = ldptui.estimate(sent, protocol)
    robust = ldptui.estimate(sent, protocol, share=0.1)
    assert plain.low > held.mean() + 10
    assert robust.low <= held.mean() <= robust.high
    assert robust.low == pytest.approx(held.mean(), abs=5 * plain.std)  # the end is reached
    none = ldptui.estimate(honest, protocol, share=0.0)
    assert (none.low, none.high) == pytest.approx(
        tuple(vars(ldptui.estimate(honest, protocol))[end] for end in ("low", "high"))
    )


def test_a_distribution_is_found_and_fits() -> None:
    protocol = ldptui.protocol("sw", low=0, high=100, epsilon=2.0)
    held, rng = ages(), np.random.default_rng(1)
    sent = ldptui.perturb(held, protocol, rng)
    found = ldptui.estimate(sent, protocol, parts=20, fit="em")
    assert found.distribution is not None
    truth = np.histogram(held, 20, (0, 100))[0] / held.size
    assert np.abs(np.cumsum(found.distribution - truth)).max() < 0.03
    assert found.alarm is None
    point = np.concatenate([sent, np.full(3000, sent.max(), dtype=sent.dtype)])
    with pytest.warns(ldptui.LdpWarning, match="fit no distribution"):
        assert ldptui.estimate(point, protocol, parts=20, fit="em").alarm is not None
    assert "20 standard" not in repr(found)


def test_reports_are_drawn_by_random_numbers_that_nobody_foresees(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[object] = []
    kept = numbers.generator
    monkeypatch.setattr(numbers, "generator", lambda rng: asked.append(rng) or kept(rng))
    protocol = ldptui.protocol("pm", low=0, high=1, epsilon=1.0)
    first, second = (ldptui.perturb(np.full(64, 0.5), protocol) for _ in range(2))
    assert asked == [None, None]
    assert not np.array_equal(first, second)


@pytest.mark.parametrize("kind", TELLING)
def test_from_a_file_to_a_mean(kind: str, tmp_path: Path, capsys: Captured) -> None:
    data, out = tmp_path / "ages.csv", tmp_path / "reports.jsonl"
    data.write_text(AGES)
    agreed = (*RANGE, "--protocol", kind)
    made = ("perturb", str(data), "--column", "age", *agreed, "--out", str(out), "--force")
    assert "4 reports" in noted(capsys, *made)
    counts = str(tmp_path / "day.counts")
    estimate = ("estimate", str(out), *agreed, "--format", "json", "--quiet", "--counts-out")
    found = json.loads(succeed(capsys, *estimate, counts))
    protocol = ldptui.protocol(kind, low=0, high=100, epsilon=1.0)
    again = ldptui.estimate(ldptui.read_counts(counts, protocol), protocol)
    assert found == again.document()
    assert found["reports"] == 4
    seeded = (*made, "--for-tests", "--seed", "5")
    noted(capsys, *seeded)
    first = out.read_text()
    noted(capsys, *seeded)
    assert out.read_text() == first
    other = ("--low", "0", "--high", "50", "--epsilon", "1", "--protocol", kind)
    assert "must be of reports with range [0.0, 50.0]" in fail(
        capsys, 2, "estimate", counts, *other
    )


def test_numbers_outside_are_refused_with_their_row(tmp_path: Path, capsys: Captured) -> None:
    data, out = tmp_path / "ages.csv", str(tmp_path / "r.csv")
    agreed = ("--column", "age", *RANGE, "--protocol", "pm", "--out", out)
    for wrong, shown in (("101", '"101"'), ("", ": a missing value?"), ("nan", '"nan"')):
        data.write_text(f"{AGES}5,{wrong}\n")
        said = fail(capsys, 2, "perturb", str(data), *agreed)
        rule = "line 6: age must be a number in [0, 100] (--clip takes the nearer end)"
        assert rule in said
        assert said.endswith(shown)
    data.write_text(f"{AGES}5,101\n")
    assert "1 number outside" in noted(capsys, "perturb", str(data), *agreed, "--clip")
    data.write_text(f"{AGES}5,inf\n")
    assert "line 6" in fail(capsys, 2, "perturb", str(data), *agreed, "--clip", "--force")
    protocol = ldptui.protocol("pm", low=0, high=100, epsilon=1.0)
    for held, row in (([1, 100.5], 1), ([float("nan")], 0)):
        with pytest.raises(ScenarioError, match=f"row {row} must be a number in"):
            ldptui.perturb(held, protocol)
    assert ldptui.perturb([1e9], protocol, clip=True).shape == (1,)


WRONG = [
    (("--low", "0", "--protocol", "pm"), "--high is required with low"),
    (("--high", "0", "--items", "4", "--protocol", "pm"), "--high goes with low"),
    (("--low", "1", "--high", "1", "--protocol", "pm"), "--high must be above low, got 1.0"),
    (("--low", "nan", "--high", "1", "--protocol", "pm"), "--low must be finite, got nan"),
    (("--low=-1e308", "--high", "1e308", "--protocol", "pm"), "must be from -1e100 to 1e100"),
    (("--low", "0", "--high", "1", "--protocol", "grr"), "--low must be left out for GRR"),
    (("--low", "0", "--high", "1", "--protocol", "sw", "--top", "3"), "--top is of frequencies"),
    (("--items", "4", "--protocol", "grr", "--parts", "3"), "--parts goes with low"),
    (("--low", "0", "--high", "1", "--protocol", "sw", "--set", "bins=4"), "must be at least 6"),
]


@pytest.mark.parametrize(("options", "rule"), WRONG)
def test_what_makes_no_sense_is_one_sentence(
    options: tuple[str, ...], rule: str, tmp_path: Path, capsys: Captured
) -> None:
    path = tmp_path / "r.csv"
    path.write_text("report\n1\n")
    assert rule in fail(capsys, 2, "estimate", str(path), "--epsilon", "1", *options)


def test_reports_that_tell_no_distribution(tmp_path: Path, capsys: Captured) -> None:
    path = tmp_path / "r.csv"
    path.write_text("report\n1\n")
    said = fail(capsys, 2, "estimate", str(path), *RANGE, "--protocol", "sr", "--parts", "4")
    assert said.endswith("--parts must be left out for SR, whose reports tell no distribution")
    wide = ("--protocol", "sw", "--epsilon", "20", "--low", "0", "--high", "1")
    assert "a window of SW is" in fail(capsys, 2, "estimate", str(path), *wide)


@pytest.mark.parametrize("kind", ["sr", "sw"])
def test_files_of_numbers_are_opened_in_the_workbench(kind: str, tmp_path: Path) -> None:
    protocol: Any = ldptui.protocol(kind, low=0, high=100, epsilon=1.0)
    sent = ldptui.perturb(ages(), protocol, np.random.default_rng(5))
    ldptui.write_reports(tmp_path / "sent.csv", [sent], protocol)
    found = ldptui.estimate(sent, protocol, parts=8 if kind == "sw" else None)
    files = read_opening(Opening(
        places=(str(tmp_path / "sent.csv"),), protocol=kind, epsilon=1.0, low=0.0, high=100.0
    ))  # fmt: skip
    step = ask("estimate", **files, parts=8)
    rows = dict(row[:2] for row in step.table.rows)
    assert rows["mean"] == found.mean
    assert rows["high end"] == found.high
    assert len(rows) - 4 == len(step.figures) * 8 == len(found.parts())
    for row in found.parts():
        assert rows[f"{row['low']:g} … {row['high']:g}"] == row["share"]


def test_a_range_that_is_wrong_is_refused_where_files_are_opened(capsys: Captured) -> None:
    for words, sentence in {
        ("pm", "--low", "0"): "--high is required with --low",
        ("pm",): "--items is required, or --domain, or --low and --high of numbers",
    }.items():
        assert fail(capsys, 2, "x.csv", "--epsilon", "1", "--protocol", *words) == sentence
