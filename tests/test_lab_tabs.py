"""The tabs of the lab: every number against a closed form, every bad input its sentence."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import budget
import numpy as np
import pytest

from core.errors import LdpError, ScenarioError
from ldptui.chart import DARK, draw
from ldptui.help import lab_field_help, notions
from ldptui.lab import tabs
from ldptui.lab.answer import Answer, decoded, encoded
from ldptui.lab.forms import FORMS, TABS, Tab, starting
from ldptui.series import Bars, Plot
from ldptui.widgets.field import read

DOCUMENT = {
    "format": 1,
    "population": {"kind": "zipf", "items": 50, "users": 10_000, "exponent": 1.0},
    "protocol": {"kind": "oue", "epsilon": 1.0},
}


def steps_of(
    tab: Tab, document: Any = DOCUMENT, folder: Path = Path(), **values: Any
) -> tabs.Steps:
    known = {entry.name for entry in FORMS[tab]}
    assert set(values) <= known
    return tabs.steps(
        {
            "tab": tab,
            "values": starting(tab, None) | values,
            "document": document,
            "folder": folder,
        }
    )


def ask(tab: Tab, document: Any = DOCUMENT, folder: Path = Path(), **values: Any) -> Answer:
    """The answer, as the screen gets it."""
    steps = steps_of(tab, document, folder, **values)
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return decoded(json.loads(json.dumps(encoded(end.value), allow_nan=False)))


def refused(tab: Tab, folder: Path = Path(), **values: Any) -> tuple[str, str]:
    """The field that is wrong, and the sentence below it."""
    with pytest.raises(ScenarioError) as caught:
        ask(tab, folder=folder, **values)
    return caught.value.key, caught.value.rule


def number(answer: Answer, quantity: str, column: int = 1) -> float:
    [row] = [row for row in answer.table.rows if row[0] == quantity]
    return float(str(row[column]))


def series(answer: Answer, label: str, chart: int = 0) -> tuple[np.ndarray, np.ndarray]:
    plot = answer.charts[chart]
    assert isinstance(plot, Plot)
    [found] = [one for one in plot.series if one.label == label and one.legend]
    return np.asarray(found.x, dtype=float), np.asarray(found.y, dtype=float)


# All of them.


@pytest.mark.parametrize("tab", TABS)
def test_every_tab_answers_what_it_starts_with(tab: Tab) -> None:
    answer = ask(tab)
    assert answer.table.rows
    assert answer.words
    assert 1 <= len(answer.charts) <= 2
    for chart in answer.charts:
        rows = draw(chart, 76, 18, DARK)
        assert not any("nan" in row.text.split() for row in rows)
    for words in (*answer.words, *answer.sources):
        assert "nan" not in words.split()
        assert "None" not in words


@pytest.mark.parametrize("tab", TABS)
def test_the_table_fits_beside_the_form(tab: Tab) -> None:
    """At 120 columns, without scrolling to the side."""
    table = ask(tab).table
    widths = [
        max(
            len(column.name) + 2,
            *(len(column.text(row[at])) for row in table.rows),
        )
        for at, column in enumerate(table.columns)
    ]
    assert sum(widths) + 2 * (len(widths) - 1) <= 74, widths


@pytest.mark.parametrize("tab", TABS)
def test_every_field_and_notion_has_its_words(tab: Tab) -> None:
    for entry in FORMS[tab]:
        found = lab_field_help(entry.name)
        assert found is not None, entry.name
        assert found.label
        assert found.allowed
        assert found.meaning.endswith(".")
        if not entry.bare:
            assert len(found.title) <= 21, found.title
    assert notions(tab)
    for notion in notions(tab):
        assert notion.formula
        assert notion.source
        assert notion.text.endswith(".")
        assert all(len(line) <= 76 for line in notion.formula.split("\n"))


@pytest.mark.parametrize("tab", TABS)
def test_what_is_typed_is_never_more_than_one_sentence(tab: Tab) -> None:
    """Whatever a field holds: an answer, or one line that says what is wrong with it."""
    for entry in FORMS[tab]:
        if entry.type == "rows":
            continue
        few = {"trials": 10} if tab == "choosing" else {}
        for typed in ("", "x", "-1", "0", "1e99", "0.5", "\x00"):
            value = typed if entry.type == "text" else read(typed, entry.type)
            values = {**few, entry.name: value} if entry.options is None else few
            sentence = ""
            try:
                ask(tab, **values)
            except LdpError as error:
                sentence = str(error)
            assert "\n" not in sentence
            assert len(sentence) < 400


def test_a_question_without_a_scenario_says_so() -> None:
    with pytest.raises(ScenarioError, match="no population"):
        ask("histograms", document=None)


# Histograms.


def test_the_accuracy_is_that_of_psi() -> None:
    """Golden facts of PSI's histogram statistic; and their inverse, with the + 1 kept."""
    answer = ask("histograms", epsilon=0.5, alpha=0.05, delta=1e-6)
    assert number(answer, "laplace, one bin") == pytest.approx(2 / 0.5 * math.log(20), rel=1e-4)
    assert number(answer, "laplace, one bin") == pytest.approx(11.983, abs=1e-3)
    assert number(answer, "laplace, all 50 bins") == pytest.approx(27.53, abs=5e-3)
    assert number(answer, "stability, one bin") == pytest.approx(71.018, abs=1e-3)
    back = ask("histograms", goal="accuracy", accuracy=71.018, alpha=0.05, delta=1e-6)
    assert number(back, "stability, one bin") == pytest.approx(0.5, abs=1e-4)
    near = ask("histograms", epsilon=0.5, neighbours="add-remove")
    assert number(near, "laplace, one bin") == pytest.approx(5.9915, abs=1e-4)


@pytest.mark.parametrize("kind", ["laplace", "geometric", "stability"])
def test_the_drawn_histogram_is_off_as_often_as_said(kind: str) -> None:
    answer = ask("histograms", mechanism=kind, alpha=0.2, seed=3)
    missed = number(answer, "off by more in any bin")
    if kind == "laplace":
        assert budget.proportion(missed, 400, 0.2)
        assert not budget.proportion(missed, 400, 0.5)
    else:  # at most α
        assert missed <= 0.2 * 400 + 6 * math.sqrt(400 * 0.16)
    x, y = series(answer, "true")
    assert x.size == 50
    assert y.sum() == 10_000


def test_delta_of_0_for_the_stability_mechanism_is_refused_with_the_reason() -> None:
    key, sentence = refused("histograms", delta=0, mechanism="stability")
    assert key == "delta"
    assert "greater than 0 for the stability mechanism" in sentence


# Loss.


@pytest.mark.parametrize("kind", ["grr", "sue", "oue", "blh", "olh", "laplace", "geometric"])
def test_the_largest_loss_is_epsilon(kind: str) -> None:
    answer = ask("loss", mechanism=kind, epsilon=1.5, items=4)
    assert number(answer, "largest loss") == pytest.approx(1.5, rel=1e-4)
    _, tail = series(answer, "Pr[L > t]")
    assert tail[0] == 1
    assert tail[-1] == 0
    assert (np.diff(tail) <= 1e-12).all()
    law = answer.charts[1]
    assert isinstance(law, Bars)
    assert sum(bar.value for bar in law.bars) == pytest.approx(1)
    # E[e^-L] = 1: what one input makes likelier the other makes less likely.
    if kind != "laplace":
        assert answer.words[0].startswith("Proved")


def test_the_law_of_randomised_response_by_hand() -> None:
    answer = ask("loss", mechanism="grr", epsilon=1.0, items=4)
    law = answer.charts[1]
    assert isinstance(law, Bars)
    e = math.e
    expected = {"L = 1": e / (e + 3), "L = 0": 2 / (e + 3), "L = -1": 1 / (e + 3)}
    assert {bar.label: bar.value for bar in law.bars} == pytest.approx(expected)


def test_an_audit_finds_the_budget_and_names_the_event() -> None:
    answer = ask("loss", mechanism="grr", epsilon=1.0, items=4, audit="yes", samples=100_000)
    assert 0.9 < number(answer, "ε at least") <= 1.0
    assert any(words.startswith("worst event") for words in answer.words)


def test_a_mechanism_of_ones_own_that_breaks_its_promise_is_caught(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "import numpy as np\n"
        "class Loud:\n"
        "    def __init__(self, items, epsilon): self.items = items\n"
        "    def perturb(self, values, rng):\n"
        "        lie = rng.random(values.size) < 0.1\n"
        "        return np.where(lie, rng.integers(0, self.items, values.size), values)\n",
        encoding="utf-8",
    )
    answer = ask("loss", folder=tmp_path, mechanism="plugin", plugin="mine.py:Loud", samples=20_000)
    assert answer.words[0].startswith("BROKEN")
    assert refused("loss", mechanism="plugin", plugin="mine.py")[0] == "plugin"
    with pytest.raises(LdpError, match="cannot be read"):
        ask("loss", folder=tmp_path, mechanism="plugin", plugin="other.py:Loud")
