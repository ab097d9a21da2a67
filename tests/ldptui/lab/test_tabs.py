"""The tabs of the lab: every number against a closed form, every bad input its sentence."""

from __future__ import annotations

import math
from inspect import signature
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest
from support.lab_tabs import ask

from ldptui.charts.draw import draw
from ldptui.charts.figures.table import ChartTable
from ldptui.charts.rows import DARK, Look
from ldptui.charts.series import Bars, Plot
from ldptui.core.base.errors import LdpError, ScenarioError
from ldptui.core.protocols import KINDS
from ldptui.core.scenario import default_of, names_of, rule_of
from ldptui.questions import load_question
from ldptui.questions.field_help import answer_words, lab_field_help, notions
from ldptui.questions.sheet import AnswerSheet
from ldptui.questions.topics import TOPICS, starting
from ldptui.session.draft import draft_of
from ldptui.widgets.field import read


def refused(tab: str, folder: Path = Path(), **values: Any) -> tuple[str, str]:
    """The field that is wrong, and the sentence below it."""
    with pytest.raises(ScenarioError) as caught:
        ask(tab, folder=folder, **values)
    return caught.value.key, caught.value.rule


def number(answer: AnswerSheet, quantity: str, column: int = 1) -> float:
    [row] = [row for row in answer.table.rows if row[0] == quantity]
    return float(str(row[column]))


def series(answer: AnswerSheet, label: str, chart: int = 0) -> tuple[np.ndarray, np.ndarray]:
    plot = answer.charts[chart]
    assert isinstance(plot, Plot)
    [found] = [series for series in plot.series if series.label == label and series.legend]
    return np.asarray(found.x, dtype=float), np.asarray(found.y, dtype=float)


# All of them.


FEW: Final = {
    "audit": {"samples": 1000},
    "choose": {"trials": 10},
    "deployment": {"items": 8, "users": 1000, "targets": 1},
}
"""What makes the answers of these quick."""


@pytest.mark.parametrize(
    ("tab", "few"),
    [*((tab, FEW.get(tab, {})) for tab in TOPICS),
     *(pytest.param(tab, {}, marks=pytest.mark.long) for tab in FEW)],
)  # fmt: skip
def test_every_tab_answers_what_it_starts_with(tab: str, few: dict[str, int]) -> None:
    answer = ask(tab, **few)
    assert answer.table.rows
    assert_fits(answer.table)
    assert answer.words
    assert 1 <= len(answer.charts) <= 2
    for chart in answer.charts:
        rows = draw(chart, Look(76, 18, DARK))
        assert not any("nan" in row.text.split() for row in rows)
    for figure in answer.figures:  # every chart has a cursor, whose places are on it
        chart, numbers = figure.chart, figure.numbers
        assert numbers.rows
        places = [row[1] for row in numbers.rows]
        if isinstance(chart, Bars):
            assert places == [bar.label for bar in chart.bars]
        else:
            assert isinstance(chart, Plot)
            xs = np.concatenate([np.asarray(line.x, dtype=float) for line in chart.series])
            assert xs.min() <= min(places) <= max(places) <= xs.max()  # type: ignore[type-var]
            assert places == sorted(places)  # type: ignore[type-var]
    for words in (*answer.words, *answer.sources):
        assert "nan" not in words.split()
        assert "None" not in words


def test_the_table_of_many_rows_fits_beside_the_form() -> None:
    assert_fits(ask("synthetic", rows=1_000_000).table)


def assert_fits(table: ChartTable) -> None:
    """A table has the room beside its form at 120 columns, without scrolling to the side."""
    widths = [
        max(
            len(column.name) + 2,
            *(len(column.text(row[at])) for row in table.rows),
        )
        for at, column in enumerate(table.columns)
    ]
    assert sum(widths) + 2 * (len(widths) - 1) <= 74, widths


@pytest.mark.parametrize("tab", TOPICS)
def test_every_field_and_notion_has_its_words(tab: str) -> None:
    for option in TOPICS[tab].blanks:
        found = lab_field_help(option.name)
        assert found is not None, option.name
        assert found.label
        assert found.allowed or rule_of(found.key)
        assert found.meaning.endswith(".")
        assert option.blank is not None
        if not option.blank.bare:
            assert len(found.title) <= 21, found.title
    assert answer_words(tab).endswith(".")
    assert notions(tab)
    for notion in notions(tab):
        assert notion.formula
        assert notion.source
        assert notion.text.endswith(".")
        assert all(len(line) <= 76 for line in notion.formula.split("\n"))


@pytest.mark.every(6)
@pytest.mark.parametrize("tab", TOPICS)
def test_what_is_typed_is_never_more_than_one_sentence(tab: str) -> None:
    """Whatever a field holds: an answer, or one line that says what is wrong with it."""
    for option in TOPICS[tab].blanks:
        if option.type == "rows" or option.fields:
            continue
        few = FEW.get(tab, {})
        for typed in ("", "x", "-1", "0", "1e99", "0.5", "\x00"):
            number = option.type in ("integer", "number")
            value = read(typed, option.type) if number else typed  # type: ignore[arg-type]
            values = {**few, option.name: value}
            sentence = ""
            try:
                ask(tab, **values)
            except LdpError as error:
                sentence = str(error)
            assert "\n" not in sentence
            assert len(sentence) < 400


def test_a_question_without_a_scenario_says_so() -> None:
    with pytest.raises(ScenarioError, match="no population"):
        ask("price", document=None)


# Loss.


def test_the_law_of_randomised_response_by_hand() -> None:
    answer = ask("check", protocol="grr", epsilon=1.0, items=4)
    law = answer.charts[1]
    assert isinstance(law, Bars)
    e = math.e
    expected = {"1": e / (e + 3), "0": 2 / (e + 3), "-1": 1 / (e + 3)}
    assert {bar.label: bar.value for bar in law.bars} == pytest.approx(expected)


def test_every_kind_is_checked_with_its_own_dials() -> None:
    """Each key of a kind is a field, with its default where the scenario has no value."""
    own = signature(load_question("check").function).parameters
    dialled = {option.name for option in TOPICS["check"].options} - own.keys()
    for kind in KINDS:
        draft = draft_of(f'protocol = {{ kind = "{kind}" }}', Path())
        values = starting("check", draft, {"protocol": kind})
        shown = {
            option.name: option for option in TOPICS["check"].blanks if option.is_shown(values)
        }
        names = dialled & set(names_of("protocol", kind))
        assert names == dialled & shown.keys()
        for name in names:
            usual = default_of(f"protocol.{name}", kind)
            words = dict(shown[name].fields)
            assert words.get(values[name], values[name]) == usual or usual is None, (kind, name)


def test_a_dial_decides_what_is_checked() -> None:
    wide = ask("check", protocol="lh", epsilon=1.0, items=4, hash_range="5")
    law = wide.charts[1]
    assert isinstance(law, Bars)
    e = math.e
    expected = {"1": e / (e + 4), "-1": 1 / (e + 4), "0": 3 / (e + 4)}
    apart = {label: chance * 4 / 5 for label, chance in expected.items()}
    apart["0"] += 1 / 5  # both items in one bucket
    assert {bar.label: bar.value for bar in law.bars} == pytest.approx(apart)
    assert refused("check", protocol="lh", items=4, hash_range="1")[0] == "hash_range"
    assert refused("check", protocol="ue", items=4, keep="much")[0] == "keep"
    assert refused("check", protocol="loloha", items=4, epsilon_infinity="1")[0] == "epsilon"


def test_a_mechanism_in_python_that_breaks_its_promise_is_caught(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "import numpy as np\n"
        "class Loud:\n"
        "    def __init__(self, items, epsilon): self.items = items\n"
        "    def perturb(self, values, rng):\n"
        "        lie = rng.random(values.size) < 0.1\n"
        "        return np.where(lie, rng.integers(0, self.items, values.size), values)\n",
        encoding="utf-8",
    )
    answer = ask("check", folder=tmp_path, protocol="plugin", plugin="mine.py:Loud", samples=20_000)
    assert answer.words[0].startswith("BROKEN")
    assert refused("check", protocol="plugin", plugin="mine.py")[0] == "plugin"
    with pytest.raises(LdpError, match="cannot be read"):
        ask("check", folder=tmp_path, protocol="plugin", plugin="other.py:Loud")


# Budget.


def test_the_ledger_adds_up() -> None:
    answer = ask("ledger", entries=["daily=0.1x30", "", "census=0.5"], people=2, delta=1e-5)
    assert number(answer, "total, sequential") == pytest.approx(2 * 3.5)
    assert number(answer, "total, exact") < number(answer, "total, improved") <= 7.0
    x, y = series(answer, "sequential, Σ ε")
    assert x[0] == 1
    assert x[-1] == 31
    assert y[0] == pytest.approx(0.2)
    assert y[-1] == pytest.approx(7.0)
    _, exact = series(answer, "exact (KOV 3.3)")
    assert (exact <= y + 1e-9).all()
    assert (np.diff(exact) >= -1e-9).all()
    alone = ask("ledger", entries=[], rappor="0.5, 0.5, 0.75, 2", rounds=1000)
    limit = 4 * math.log(0.75 / 0.25)
    assert number(alone, "for ever, memoised") == pytest.approx(limit, rel=1e-4)
    assert len(alone.charts) == 1


def test_the_rounds_of_a_campaign_are_entries() -> None:
    text = (
        'format = 1\n[population]\nkind = "zipf"\nitems = 8\nusers = 1000\nexponent = 1.0\n'
        '[protocol]\nkind = "oue"\nepsilon = 0.5\n[campaign]\nrounds = 7\n'
    )
    values = starting("ledger", draft_of(text, Path()))
    assert values["entries"] == ("oue=0.5x7",)


def test_a_release_that_is_none_is_named_by_its_row() -> None:
    key, sentence = refused("ledger", entries=["daily=0.1x30", "census"])
    assert key == "entries.1"
    assert "NAME=" in sentence
    key, sentence = refused("ledger", entries=["a=-1"])
    assert (key, sentence) == ("entries.0", "epsilon must be at least 0, got -1.0")
    assert refused("ledger", entries=[], rappor="")[0] == "entries.0"


# Disclosure.


def test_the_relation_of_the_issue_and_what_restores_it(tmp_path: Path) -> None:
    """Users 1-4 with {a,b}, {b,c}, {c}, {c}; then a for user 3 as well."""
    answer = ask("disclose", what="relation")
    said = "No attribute privacy (φ∘ψ ≠ Id): whoever is seen with a also has b."
    assert answer.words[:2] == (said, "Giving a to user 3 as well restores it.")
    rows = "user,attribute\n1,a\n1,b\n2,b\n2,c\n3,c\n3,a\n4,c\n"
    (tmp_path / "mended.csv").write_text(rows, encoding="utf-8")
    mended = ask("disclose", folder=tmp_path, what="relation", file="mended.csv")
    assert mended.words[0].startswith("Attribute privacy: no set of observed attributes")
    assert not any("whoever" in words for words in mended.words)


def test_a_field_shows_the_fault_of_its_table(tmp_path: Path) -> None:
    (tmp_path / "empty.csv").write_text("zip,ill\n", encoding="utf-8")
    ids = "\n".join(map(str, range(100_001)))
    (tmp_path / "ids.csv").write_text(f"id\n{ids}\n", encoding="utf-8")
    (tmp_path / "short.csv").write_text("zip,ill\n1,flu\n2\n", encoding="utf-8")
    (tmp_path / "bytes.csv").write_bytes(b"zip,ill\n\xff,1\n")
    for name, words in (("empty.csv", "at least one row"), ("short.csv", "row 2 has 1 cells"),
                        ("bytes.csv", "UTF-8")):  # fmt: skip
        key, sentence = refused("disclose", tmp_path, file=name, quasi="zip", sensitive="ill")
        assert key == "file"
        assert words in sentence
    key, sentence = refused("disclose", tmp_path, file="ids.csv", quasi="id", sensitive="")
    assert key == "quasi"
    assert "it names people rather than groups" in sentence
    assert refused("disclose", quasi="")[0] == "quasi"
    assert refused("disclose", quasi="agee")[0] == "quasi"
    assert refused("disclose", sensitive="age")[0] == "sensitive"
    assert refused("disclose", what="relation", relation="who, what")[0] == "relation"


# Synthetic.


def test_a_synthetic_column_is_written_with_its_budget(tmp_path: Path) -> None:
    path = tmp_path / "out.csv"
    answer = ask("synthetic", rows=1000, path=str(path), column="colour", seed=4)
    assert answer.words[0].startswith(f"Wrote {path}")
    lines = path.read_text(encoding="utf-8").splitlines()
    assert lines[0] == "colour"
    assert len(lines) == 1001
    about = (tmp_path / "out.budget.txt").read_text(encoding="utf-8")
    assert "epsilon = 1" in about
    # What is written is what was shown: the draws before the order of the rows are the same.
    shown = ask("synthetic", rows=1000, column="colour", seed=4)
    assert shown.table.rows == answer.table.rows
