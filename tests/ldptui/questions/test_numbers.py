"""The numbers of questions beside closed forms, enumerations and what was written."""

from __future__ import annotations

import csv
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support import budget

import ldptui
from ldptui.core.base.errors import FileError, ScenarioError
from ldptui.core.experiment import compile
from ldptui.core.lab.locality import central_mse, grow_histogram, local_mse
from ldptui.core.protocols import GRR, KINDS, NUMBERS, OUE
from ldptui.core.protocols.curators import Laplace, Stability
from ldptui.core.scenario import load, parse
from ldptui.core.theory import expected_metrics
from ldptui.questions.mechanisms import CURATORS, LOCAL
from ldptui.questions.price_question import PriceAnswer
from ldptui.session.scenario_file import locate

COUNTS = """
format = 1
[population]
kind = "counts"
counts = {counts}
[protocol]
kind = "{kind}"
epsilon = {epsilon}
"""
HELD = np.array([4000, 900, 90, 9, 1])
PAYS = np.array([507.0 if i == 7 else i % 100 for i in range(400)])


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"p{i},{pay:g},0\n" for i, pay in enumerate(PAYS))
    Path("pay.csv").write_text(f"name,pay,zero\n{rows}", encoding="utf-8")


def scenario(counts: Any = (600, 300, 90, 10), kind: str = "oue", epsilon: float = 1.0) -> str:
    text = COUNTS.format(counts=[*map(int, counts)], kind=kind, epsilon=epsilon)
    if kind == "rappor":
        text = text.replace("epsilon = 1.0", "f = 0.5\nform = 'basic-one-time'")
    Path(f"{kind}.toml").write_text(text, encoding="utf-8")
    return f"{kind}.toml"


# guess


def test_the_largest_budget_keeps_the_gain() -> None:
    found = ldptui.guess(protocol="oue", items=100, gain=0.05)
    assert found.epsilon == found.largest_epsilon
    assert found.rad == pytest.approx(0.05)
    assert found.before == pytest.approx(0.01)
    assert found.rad == pytest.approx(found.after - found.before)
    assert ldptui.guess(items=2, epsilon=1.0, gain=0.9).largest_epsilon is None
    one = ldptui.guess(items=100, epsilon=1.0)
    assert one.odds == pytest.approx(math.e / 99)
    three = ldptui.guess(items=100, epsilon=1.0, answers=3)
    assert three.odds_answers == pytest.approx(one.odds_answers * math.e**2)
    assert one.after <= one.after_answers < three.after_answers < 1
    afresh = ldptui.guess(protocol="grr", items=2, epsilon=1.0, fresh=3)
    p = math.e / (math.e + 1)  # the majority of three coins
    assert afresh.between_two == pytest.approx(p**3 + 3 * p**2 * (1 - p))
    assert "right in 82.2 % of cases" in " ".join(afresh.sentences)


def test_what_is_known_of_users_beforehand() -> None:
    Path("users.csv").write_text("fruit,city\n" + "a,x\n" * 6 + "b,y\n" * 3 + "c,y\n")
    Path("items.csv").write_text("item,frequency\na,0.6\nb,0.3\nc,0.1\n")
    asked: Any = {"protocol": "oue", "epsilon": 1.0, "items": 3}
    alone = ldptui.guess(prior="users.csv", column="fruit", **asked)
    assert (alone.before, alone.groups) == (pytest.approx(0.6), 1)
    beside = ldptui.guess(prior="users.csv", column="fruit", given="city", **asked)
    assert (beside.before, beside.groups) == (pytest.approx(0.9), 2)
    published = ldptui.guess(prior="items.csv", **asked)
    assert published.after == pytest.approx(alone.after)
    with pytest.raises(ScenarioError, match="goes with a table of users"):
        ldptui.guess(given="city", **asked)
    with pytest.raises(ScenarioError, match="must be at least 3, the items of the table"):
        ldptui.guess(prior="items.csv", **{**asked, "items": 2})
    Path("items.csv").write_text("item,frequency\na,0.6\nb,0.3\nc,-0.1\n")
    with pytest.raises(ScenarioError, match="at least 0, not all 0"):
        ldptui.guess(prior="items.csv", **asked)


# accuracy and price


def test_the_accuracy_is_that_of_psi() -> None:
    """Golden facts of PSI's histogram statistic; and their inverse, with the + 1 kept."""
    found = ldptui.accuracy(epsilon=0.5).mechanisms
    assert found["laplace"].accuracy == pytest.approx(2 / 0.5 * math.log(20))
    assert found["laplace"].accuracy == pytest.approx(11.98292909)
    assert found["stability"].accuracy == pytest.approx(71.01756005)
    back = ldptui.accuracy(accuracy=found["stability"].accuracy)
    assert back.mechanisms["stability"].epsilon == pytest.approx(0.5)
    assert ldptui.accuracy(epsilon=0.5, bins=50).mechanisms["laplace"].accuracy == pytest.approx(
        27.5309, rel=1e-5
    )


@pytest.fixture
def priced() -> PriceAnswer:
    return ldptui.price(scenario(HELD))


def test_prices_are_those_of_cells_and_formulas(priced: PriceAnswer) -> None:
    document = Path("oue.toml").read_text("utf-8").partition('kind = "oue"\n')
    sweep = (
        f'{document[0]}{document[2]}[sweep]\n"protocol.kind" = {json.dumps([*LOCAL, *CURATORS])}\n'
    )
    for cell in compile(parse(sweep)).cells:
        claim = expected_metrics(cell)["mse_clean"]
        assert claim is not None
        kind = cell.parameters["protocol.kind"]
        assert priced.errors[kind] == pytest.approx(math.sqrt(claim)), kind
    for name, curator in (
        ("laplace", Laplace(5, 1.0)),
        ("stability", Stability(5, 1.0, delta=1e-6)),
    ):
        cost = priced.price["oue"][name]
        assert cost is not None
        assert local_mse(OUE(5, 1.0), grow_histogram(HELD, cost.users)) == pytest.approx(
            central_mse(curator, HELD)
        )
    even = priced.break_even["oue"]
    assert even is not None
    assert central_mse(Laplace(5, 1.0), grow_histogram(HELD, even)) == pytest.approx(
        local_mse(OUE(5, 1.0), grow_histogram(HELD, even))
    )
    # 1/n of the price in the numbers of users: ten times the users, ten times the price.
    more = ldptui.price("oue.toml", users=50_000).price["oue"]["laplace"]
    assert more.factor == pytest.approx(10 * priced.price["oue"]["laplace"].factor)


def test_a_protocol_that_this_budget_does_not_allow_has_no_price() -> None:
    found = ldptui.price(scenario(HELD), epsilon=18.0)
    assert found.errors["olh"] is None
    assert found.price["olh"] == dict.fromkeys(CURATORS)
    assert found.break_even["olh"] is None


def test_the_price_of_a_mean() -> None:
    """By the protocols of numbers: √(c²/n) of SR at 0, and the noise of a curator's sum."""
    found = ldptui.price("numbers-ages", users=5000, epsilon=1.0)
    assert set(found.price) == set(NUMBERS)
    (cell,) = compile(load(locate("numbers-ages"))).cells[:1]
    protocol: Any = cell.protocol
    half = (protocol.high - protocol.low) / 2
    truth = cell.population.frequencies @ protocol.values**2
    c = (math.e + 1) / (math.e - 1)
    assert found.errors["sr"] == pytest.approx(half * math.sqrt((c**2 - truth) / 5000), rel=1e-4)
    assert found.errors["laplace"] == pytest.approx(half * math.sqrt(8) / 5000)
    cost = found.price["sr"]["laplace"]
    assert cost is not None
    assert cost.factor == pytest.approx(5000 * (c**2 - truth) / 8, rel=1e-3)


# choose


@pytest.mark.long
def test_choices_are_right_at_the_stated_rates() -> None:
    found = ldptui.choose(scenario([30, 28, 28, 2]), epsilon=0.2, trials=40_000)
    weights = np.exp(0.1 * np.array([30, 28, 28, 2]))
    exact = found.exponential.exact
    assert exact == pytest.approx(weights[0] / weights.sum())
    hits = round(found.exponential.simulated * 40_000)
    assert budget.proportion(hits, 40_000, exact)
    assert not budget.proportion(hits, 40_000, exact + 0.02)
    assert (found.best, found.lead, found.items) == ("0", 2, 4)
    # Randomised response of 7 and 4 users is right if most reports name the first item.
    two = ldptui.choose(scenario([7, 4]), epsilon=1.0, trials=40_000).local["grr"]
    assert two is not None
    p = GRR(2, 1.0).p
    ones = np.convolve(*[
        [math.comb(n, k) * q**k * (1 - q) ** (n - k) for k in range(n + 1)]
        for n, q in ((7, p), (4, 1 - p))
    ])  # fmt: skip
    assert budget.proportion(round(two.simulated * 40_000), 40_000, ones[6:].sum())
    assert not budget.proportion(round(two.simulated * 40_000), 40_000, ones[6:].sum() + 0.02)


def test_the_needed_budget_of_the_exponential_mechanism() -> None:
    found = ldptui.choose(scenario([10, 7, 7]), epsilon=0.5, trials=20)
    assert found.needed is not None
    assert 1 / (1 + 2 * math.exp(-1.5 * found.needed)) == pytest.approx(0.95, abs=1e-4)
    assert found == ldptui.choose("oue.toml", epsilon=0.5, trials=20)


# sensitivity


def test_what_one_person_changes() -> None:
    found = ldptui.sensitivity("pay.csv", column="pay", epsilon=0.5)
    assert (found.rows, found.minimum, found.maximum) == (400, 0, 507)
    assert {name: width.sensitivity for name, width in found.queries.items()} == {
        "count": 0, "sum": math.inf, "mean": math.inf, "histogram": 2,
    }  # fmt: skip
    near: Any = "add-remove"
    bounded = ldptui.sensitivity(
        "pay.csv", column="pay", bounds=(-10, 600), neighbours=near, query=("sum", "mean")
    ).queries
    assert (bounded["sum"].sensitivity, bounded["mean"].sensitivity) == (600, 305)
    assert bounded["sum"].noise_std == pytest.approx(math.sqrt(2) * 600)
    words = ldptui.sensitivity("pay.csv", column="name", query=("count", "histogram"))
    assert (words.clipping, words.values) == (None, 400)
    assert ldptui.sensitivity("pay.csv", column="zero").clipping is None
    with pytest.raises(FileError):
        ldptui.sensitivity("none.csv", column="a")


def test_the_trade_off_of_clipping() -> None:
    known = ldptui.sensitivity("pay.csv", column="pay", nonnegative=True, clip=50.0)
    tried, chosen = known.clipping, known.clipped
    assert tried is not None
    assert chosen is not None
    for each in (chosen, tried.best):
        bias = np.clip(PAYS, 0, each.bound).sum() - PAYS.sum()
        assert each.bias == pytest.approx(bias, abs=1e-6)
        assert each.noise == pytest.approx(math.sqrt(2) * each.bound)
        assert each.error == pytest.approx(math.hypot(bias, each.noise))
    assert tried.best.error <= chosen.error
    assert 0 < tried.best.bound < 507  # the one outlier is clipped
    both = ldptui.sensitivity("pay.csv", column="pay", clip=50.0).clipped
    assert both is not None  # where numbers may be negative, twice the width has to be hidden
    assert both.noise == pytest.approx(2 * chosen.noise)


def test_bounds_that_the_file_refutes_are_named() -> None:
    """PAYS has 507 once, everybody else is below 100."""

    def refuted(**options: Any) -> str:
        return ldptui.sensitivity("pay.csv", column="pay", **options).refuted

    assert "1 of 400 numbers is not in [0, 100], the farthest is 507" in refuted(bounds=(0, 100))
    assert refuted(bounds=(0, 507)) == ""
    Path("pay.csv").write_text("pay\n3\n-2\n", encoding="utf-8")
    assert "1 of 2 numbers is not at least 0, the farthest is -2" in refuted(nonnegative=True)
    assert refuted() == ""


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
def test_rows_and_their_budget(name: str, epsilon: float, delta: float, source: str) -> None:
    assert name in KINDS
    options: Any = {"out": "new.csv", "rows": 500, "column": "v"}
    found = ldptui.synthetic(scenario(kind=name), **options)
    assert (found.epsilon, found.delta) == (pytest.approx(epsilon), delta)
    with Path("new.csv").open(newline="", encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    assert header == ["v"]
    assert len(rows) == found.rows == 500
    note = Path("new.budget.txt").read_text(encoding="utf-8")
    for words in (source, f"epsilon = {epsilon:g}", "spent nothing more"):
        assert words in note
    assert ("delta" in note) == bool(delta)
    counts = np.bincount([int(row[0]) for row in rows], minlength=4) / 500
    truth = np.array([0.6, 0.3, 0.09, 0.01])
    assert found.synthetic_error == pytest.approx(np.abs(counts - truth).sum() / 2)
    before = Path("new.csv").read_bytes()
    ldptui.synthetic(f"{name}.toml", **options)
    assert Path("new.csv").read_bytes() == before


def test_one_round_of_a_campaign_is_released() -> None:
    """A user's budget is that of one round, so that the rows must not be of all rounds pooled."""
    text = Path(scenario()).read_text("utf-8")
    Path("rounds.toml").write_text(f"{text}\n[campaign]\nrounds = 10\n", "utf-8")
    found = ldptui.synthetic("rounds.toml", rows=9)
    assert "the estimates of OUE (1000 users)" in found.note
    assert found.epsilon == pytest.approx(1.0)
    once, rounds = ldptui.price("oue.toml"), ldptui.price("rounds.toml")
    assert once.errors == rounds.errors
    Path("folder").mkdir()
    with pytest.raises(FileError, match="is a folder"):
        ldptui.synthetic("oue.toml", out="folder")


@pytest.mark.parametrize(
    ("entries", "said"),
    [
        (["0.1x3"], "at most 57.4 % sure"),
        (["10"], "ε = 10 promises nothing"),
        (["1x120"], "promises nothing"),
    ],
)
def test_a_total_is_said_as_what_a_guess_becomes(entries: list[str], said: str) -> None:
    answer = ldptui.ledger(*entries)
    assert said in " ".join(answer.sentences)
    kept = [note for note in answer.notes if "kept answers" in note]
    assert bool(kept) == ("x" in entries[0])
    least = min(spent.epsilon for spent in answer.spent.values())
    sure = 1 / (1 + np.exp(-least))
    assert ("at most" in " ".join(answer.sentences)) == (sure < 0.9991)


def test_what_a_table_gives_away_begins_with_its_verdict() -> None:
    found = ldptui.disclose("pay.csv", quasi=("name", "zero"))
    assert found.unique_columns == ["name"]
    verdict, least, left_out, unique, missing = found.sentences
    assert verdict == "400 of 400 people can be identified by name and zero (k = 1)."
    assert left_out.endswith(": left out, neither known to others nor sensitive.")
    assert least == "k-anonymity: k = 1, the rows of the smallest class."
    assert missing.startswith("l-diversity, t-closeness and attribute privacy are those of")
    assert unique == "name is unique: no two rows agree on it."
