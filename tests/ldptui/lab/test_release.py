"""The commands `sensitivity`, `choose` and `synthetic`: numbers, files, errors."""

from __future__ import annotations

import csv
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support import budget
from support.commands import Captured, fail, succeed
from support.lab_tabs import ask

from ldptui.charts.series import Plot
from ldptui.core.lab.loss import Exponential
from ldptui.core.population import Population
from ldptui.core.protocols import GRR, KINDS
from ldptui.lab.choose import Choices, central, chart, with_local
from ldptui.lab.mechanisms import DRAWN
from ldptui.lab.questions.curators import ChooseOptions

PAYS = [507 if i == 7 else i % 100 for i in range(400)]
PAY = "name,pay,zero\n" + "".join(f"p{i},{pay},0\n" for i, pay in enumerate(PAYS))
SCENARIO = """
format = 1
[population]
kind = "counts"
counts = [600, 300, 90, 10]
[protocol]
kind = "{kind}"
epsilon = 1.0
"""


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("pay.csv").write_text(PAY, encoding="utf-8")
    for kind in KINDS:
        written = SCENARIO.format(kind=kind)
        if kind == "rappor":
            written = written.replace("epsilon = 1.0", "f = 0.5\nform = 'basic-one-time'")
        Path(f"{kind}.toml").write_text(written, encoding="utf-8")


def values(capsys: Captured, *arguments: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(succeed(capsys, *arguments, "--format", "json"))
    return found


# sensitivity


def test_what_one_person_changes(capsys: Captured) -> None:
    found = values(capsys, "sensitivity", "pay.csv", "--column", "pay", "--epsilon", "0.5")
    assert (found["rows"], found["minimum"], found["maximum"]) == (400, 0, 507)
    queries = found["queries"]
    assert {name: one["sensitivity"] for name, one in queries.items()} == {
        "count": 0, "sum": None, "mean": None, "histogram": 2,
    }  # fmt: skip
    assert [name for name, one in queries.items() if one["unbounded"]] == ["sum", "mean"]
    more = ("--bounds=-10,600", "--neighbours", "add-remove", "--query", "sum,mean")
    queries = values(capsys, "sensitivity", "pay.csv", "--column", "pay", *more)["queries"]
    assert {name: one["sensitivity"] for name, one in queries.items()} == {"sum": 600, "mean": 305}
    assert queries["sum"]["noise_std"] == pytest.approx(math.sqrt(2) * 600)
    text = succeed(capsys, "sensitivity", "pay.csv", "--column", "pay")
    for words in ("sum: sensitivity", "unbounded", "no bounds are known", "clip", "DR: Dwork"):
        assert words in text


def test_the_trade_off_of_clipping(capsys: Captured) -> None:
    arguments = ("sensitivity", "pay.csv", "--column", "pay", "--nonnegative")
    found = values(capsys, *arguments)
    tried = found["clipping"]
    pay = np.array(PAYS, dtype=float)
    assert tried["sum"] == pay.sum()
    for at in (0, 10, 30, 40):
        bound = tried["bound"][at]
        bias = np.clip(pay, 0, bound).sum() - pay.sum()
        assert tried["bias"][at] == pytest.approx(bias, abs=1e-6)
        assert tried["noise"][at] == pytest.approx(math.sqrt(2) * bound)
        assert tried["error"][at] == pytest.approx(math.hypot(bias, tried["noise"][at]))
    assert tried["best"]["error"] <= min(tried["error"])
    assert tried["bound"][0] < tried["best"]["bound"] < 507  # the one outlier is clipped
    plot = ask("sensitivity", file=str(Path("pay.csv").absolute()), column="pay").charts[0]
    assert isinstance(plot, Plot)
    assert [series.label for series in plot.series[:3]] == ["|bias|", "noise", "error"]
    assert plot.x.log
    assert plot.y.log
    # Where negative numbers are possible, twice the width has to be hidden.
    both = values(capsys, *arguments[:-1])["clipping"]
    assert both["noise"] == pytest.approx([2 * noise for noise in tried["noise"]])
    known = values(capsys, *arguments[:-1], "--bounds", "0,600")["clipping"]
    assert known["noise"] == tried["noise"]  # bounds from 0 on say the same


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--column", "name"), "--column must be numeric, but the column 'name' holds 'p0'"),
        (("--column", "nix"), '--column must be a column of pay.csv (name, pay, zero), got "nix"'),
        (("--column", "pay", "--bounds", "5,1"), "--bounds must be finite and ascending"),
        (("--column", "pay", "--bounds", "5"), "--bounds must be 2 numbers"),
        (("--column", "pay", "--query", "max"), "--query must be some of count, sum, mean"),
        (("--column", "pay", "--epsilon", "0"), "--epsilon must be in"),
    ],
)
def test_a_bad_column_is_one_sentence(
    arguments: tuple[str, ...], words: str, capsys: Captured
) -> None:
    assert words in fail(capsys, 2, "sensitivity", "pay.csv", *arguments)


def test_bounds_that_the_file_refutes_are_named(capsys: Captured) -> None:
    """PAYS has 507 once, everybody else is below 100."""
    arguments = ("sensitivity", "pay.csv", "--column", "pay", "--nonnegative", "--bounds")
    text = succeed(capsys, *arguments, "0,100")
    assert "refutes what is known beforehand: 1 of 400 numbers is not in [0, 100]" in text
    assert "the farthest is 507" in text
    assert "refutes" not in succeed(capsys, *arguments, "0,507")
    Path("pay.csv").write_text("pay\n3\n-2\n", encoding="utf-8")
    text = succeed(capsys, "sensitivity", "pay.csv", "--column", "pay", "--nonnegative")
    assert "1 of 2 numbers is not at least 0, the farthest is -2" in text
    assert "refutes" not in succeed(capsys, "sensitivity", "pay.csv", "--column", "pay")


def test_words_have_a_count_and_zeros_are_not_clipped(capsys: Captured) -> None:
    words = ("--column", "name", "--query", "count,histogram")
    found = values(capsys, "sensitivity", "pay.csv", *words)
    assert found["clipping"] is None
    assert found["values"] == 400
    assert values(capsys, "sensitivity", "pay.csv", "--column", "zero")["clipping"] is None
    assert "cannot be read" in fail(capsys, 3, "sensitivity", "none.csv", "--column", "a")


# choose


def population(counts: list[int]) -> Population:
    held = np.array(counts)
    return Population(held, None, "test", held / held.sum())


def choices(held: Population, epsilon: float, trials: int, rng: np.random.Generator) -> Choices:
    known = central(held, epsilon, trials, rng, ChooseOptions(scenario=""))
    return with_local(known, held, int(rng.integers(2**63)))


@pytest.mark.long
def test_the_right_answer_exactly_and_simulated(rng: np.random.Generator) -> None:
    found = choices(population([30, 28, 28, 2]), 0.2, 40_000, rng)
    exact = found.exponential.exact
    weights = np.exp(0.1 * np.array([30, 28, 28, 2]))
    assert exact == pytest.approx(weights[0] / weights.sum())
    hits = round(found.exponential.simulated * 40_000)
    assert budget.proportion(hits, 40_000, exact)
    assert not budget.proportion(hits, 40_000, exact + 0.02)
    assert (found.best, found.lead, found.items) == ("0", 2, 4)
    line = np.interp(0.2, found.over.epsilon, found.over.exponential)
    assert line == pytest.approx(exact, abs=0.01)


def test_local_arg_max_of_two_items_by_enumeration(rng: np.random.Generator) -> None:
    """Randomised response of 7 and 4 users: right if most reports name the first item."""
    found = choices(population([7, 4]), 1.0, 40_000, rng).local["grr"]
    assert found is not None
    p = GRR(2, 1.0).p
    ones = np.convolve(*[
        [math.comb(n, k) * q**k * (1 - q) ** (n - k) for k in range(n + 1)]
        for n, q in ((7, p), (4, 1 - p))
    ])  # fmt: skip
    hits = round(found.simulated * 40_000)
    assert budget.proportion(hits, 40_000, ones[6:].sum())
    assert not budget.proportion(hits, 40_000, ones[6:].sum() + 0.02)


def test_the_chart_and_the_command(capsys: Captured) -> None:
    found = values(capsys, "choose", "oue.toml", "--epsilon", "0.02", "--trials", "200")
    assert (found["scenario"], found["epsilon"], found["trials"]) == ("oue.toml", 0.02, 200)
    held = np.array([600, 300, 90, 10])
    assert found["exponential"]["exact"] == pytest.approx(Exponential(0.02).success(held))
    assert found == values(capsys, "choose", "oue.toml", "--epsilon", "0.02", "--trials", "200")
    plot = chart(choices(population(held.tolist()), 0.02, 200, np.random.default_rng(0)), held)
    assert [series.label for series in plot.series] == [
        "exponential",
        *map(str.upper, DRAWN),
    ]
    assert [series.style for series in plot.series] == ["line", *["points"] * len(DRAWN)]
    text = succeed(capsys, "choose", "oue.toml", "--trials", "50")
    assert "the right answer is 0, 300 users ahead" in text
    assert "--trials must be in" in fail(capsys, 2, "choose", "oue.toml", "--trials", "0")


# synthetic


@pytest.mark.parametrize(
    ("name", "epsilon", "delta", "source"),
    [
        ("oue", 1.0, 0.0, "the estimates of OUE (1000 users)"),
        ("geometric", 1.0, 0.0, "a histogram of the geometric mechanism (change-one neighbours)"),
        ("stability", 1.0, 1e-6, "a histogram of the stability mechanism"),
        ("rappor", 2 * math.log(3), 0.0, "the estimates of RAPPOR (1000 users)"),
    ],
)
def test_rows_and_their_budget(
    name: str, epsilon: float, delta: float, source: str, capsys: Captured
) -> None:
    arguments = ("synthetic", f"{name}.toml", "--out", "new.csv", "--rows", "500", "--column", "v")
    found = values(capsys, *arguments)
    assert found["epsilon"] == pytest.approx(epsilon)
    assert found["delta"] == delta
    with Path("new.csv").open(newline="", encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    assert header == ["v"]
    assert len(rows) == found["rows"] == 500
    assert {row[0] for row in rows} <= {"0", "1", "2", "3"}
    told = Path("new.budget.txt").read_text(encoding="utf-8")
    assert source in told
    assert f"epsilon = {epsilon:g}" in told
    assert "spent nothing more" in told
    assert ("delta" in told) == bool(delta)
    counts = np.bincount([int(row[0]) for row in rows], minlength=4) / 500
    truth = np.array([0.6, 0.3, 0.09, 0.01])
    assert found["synthetic_error"] == pytest.approx(np.abs(counts - truth).sum() / 2)
    before = Path("new.csv").read_bytes()
    assert values(capsys, *arguments) == found
    assert Path("new.csv").read_bytes() == before


def test_one_round_of_a_campaign_is_released(capsys: Captured) -> None:
    """A user's budget is that of one round, so that the rows must not be of all rounds pooled."""
    text = Path("oue.toml").read_text("utf-8")
    Path("rounds.toml").write_text(f"{text}\n[campaign]\nrounds = 10\n", "utf-8")
    found = values(capsys, "synthetic", "rounds.toml", "--out", "new.csv", "--rows", "9")
    assert "the estimates of OUE (1000 users)" in found["note"]
    assert found["epsilon"] == pytest.approx(1.0)
    for command in (("price",), ("choose", "--trials", "2")):
        once, rounds = (values(capsys, *command, name) for name in ("oue.toml", "rounds.toml"))
        assert {**once, "scenario": ""} == {**rounds, "scenario": ""}


def test_where_nothing_can_be_written(capsys: Captured) -> None:
    Path("folder").mkdir()
    assert "is a folder" in fail(capsys, 3, "synthetic", "oue.toml", "--out", "folder")
    words = fail(capsys, 2, "synthetic", "oue.toml", "--out", "a.csv", "--rows", "0")
    assert "--rows must be in [1, 10^8], got 0" in words
    assert not Path("a.csv").exists()
