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


# Budget.


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


@pytest.mark.parametrize(
    ("content", "fault"),
    [(b"", "is empty: it must have a header"), (b"hello\0b\n\x89", "is not text: is it a table?")],
)
def test_a_file_without_a_table_is_blamed_for_it(
    content: bytes, fault: str, tmp_path: Path
) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(content)
    assert refused("disclose", file=str(path), quasi="age") == ("file", f"{path} {fault}")


def test_the_relation_of_the_issue_and_what_restores_it(tmp_path: Path) -> None:
    """Users 1-4 with {a,b}, {b,c}, {c}, {c}; then a for user 3 as well."""
    answer = ask("disclose", what="relation")
    said = (
        "2 of 4 people can be identified by all they have; no attribute privacy (φ∘ψ ≠ Id): "
        "whoever is seen with a also has b."
    )
    assert answer.words[:2] == (said, "Giving a to user 3 as well restores it.")
    rows = "user,attribute\n1,a\n1,b\n2,b\n2,c\n3,c\n3,a\n4,c\n"
    (tmp_path / "mended.csv").write_text(rows, encoding="utf-8")
    mended = ask("disclose", folder=tmp_path, what="relation", file="mended.csv")
    assert "; attribute privacy: nothing seen implies more" in mended.words[0]
    [chart] = answer.figures
    assert [(bar.label, bar.value) for bar in chart.chart.bars if bar.target] == [
        ("1: a, b", 1),
        ("2: b, c", 1),
    ]
    assert not any("whoever" in words for words in mended.words)
