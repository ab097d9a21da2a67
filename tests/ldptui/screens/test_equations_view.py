"""The Equations view: live formulas on top, the whole list below, both filtered by `/`."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path

from support.sheet_app import SheetApp
from textual.widgets import Input, Static

from ldptui.explain.equation_list import equations
from ldptui.screens.workbench.equations_view import EquationsView
from ldptui.session.draft import Draft, draft_of, edit_key
from ldptui.text.format import short
from ldptui.text.prose import wrap_text
from ldptui.widgets.option_list import LineList

SCENARIO = """format = 1
[population]
kind = "zipf"
items = 128
users = 10_000
exponent = 1.0
[protocol]
kind = "{kind}"
epsilon = 1.0
[attack]
kind = "mga"
share = 0.05
targets = {{ items = [40, 70, 100] }}
"""


def draft(kind: str = "oue") -> Draft:
    made = draft_of(SCENARIO.format(kind=kind), Path())
    assert made.problems == ()
    return made


Bench = partial(SheetApp, EquationsView)


def bare(text: str) -> str:
    return "".join(text.split())


async def test_the_list_is_there_without_a_scenario() -> None:
    app = Bench()
    async with app.run_test(size=(80, 20)):
        text = app.view.as_text()
        assert app.view.live == ()
        for equation in equations():
            assert equation.title in text


async def test_everything_of_an_equation_is_in_the_list() -> None:
    app = Bench(draft("olh"))
    async with app.run_test(size=(80, 30)):
        body = bare(app.view.as_text())
        for equation in equations():
            parts = equation.printed, equation.corrected, equation.note, equation.remark
            for part in (*parts, equation.source):
                assert bare(part) in body, (equation.id, part)
        for live in app.view.live:
            for part in (live.title, live.formula, live.result):
                assert bare(part) in body, live


async def test_live_formulas_follow_the_draft() -> None:
    one = draft()
    app = Bench(one)
    async with app.run_test(size=(140, 50)):
        assert f"= {short(1 / (1 + 2.718281828459045), 5)}" in app.view.as_text()
        app.view.draft = edit_key(one, "protocol.epsilon", 2.0)
        assert f"= {short(1 / (1 + 7.38905609893065), 5)}" in app.view.as_text()
        app.view.draft = edit_key(one, "attack.kind", "none")
        assert "Attack:" not in app.view.as_text()


async def test_a_wrong_equation_has_its_mark_its_note_and_its_correction() -> None:
    app = Bench()
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press("slash", *"wrong")
        text = app.view.as_text()
        wrong = [e for e in equations() if e.verdict == "wrong"]
        assert text.count("✗ wrong") == len(wrong) == 5
        assert len(re.findall(r"^  → ", text, re.MULTILINE)) == 5
        assert [e.title in text for e in wrong] == [True] * 5
        assert text.count("✓ ok") == 0


async def test_slash_filters_enter_keeps_it_and_escape_drops_it() -> None:
    app = Bench(draft())
    async with app.run_test(size=(100, 30)) as pilot:
        listed = app.query_one(LineList)
        listed.focus()
        await pilot.press("j", "j", "slash")
        field = app.query_one(Input)
        assert field.has_focus
        await pilot.press(*"padding")
        text = app.view.as_text()
        assert (app.view.marked_row or "").startswith(
            "live-"
        )  # the cursor is on what was found first
        assert "Padding of a crafted report" in text
        assert "Privacy budget" not in text
        count = app.query_one(".filter--count", Static).render()
        assert re.fullmatch(r"\d of \d\d", str(count))
        await pilot.press("enter")
        assert listed.has_focus
        assert field.value == "padding"
        await pilot.press("escape")
        assert field.value == ""
        assert "Privacy budget" in app.view.as_text()
        await pilot.press("slash", *"padding", "escape")
        assert listed.has_focus
        assert field.value == ""


async def test_a_number_finds_its_equation_and_its_live_formula() -> None:
    app = Bench(draft())
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press("slash", *"12", "enter")
        assert app.view.marked_row == "live-0"
        text = app.view.as_text()
        assert "A report supports the own item" in text
        assert "Optimized Unary Encoding (OUE) Probabilities" in text
        assert "Privacy budget" not in text


async def test_nothing_found_says_so() -> None:
    app = Bench(draft())
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press("slash", *"zebra")
        assert "Nothing matches “zebra”; esc takes it back." in app.view.as_text()
        await pilot.press("enter", "j", "k", "enter", "G")
        assert app.view.marked_row is None


async def test_enter_goes_from_a_live_formula_to_its_equation() -> None:
    app = Bench(draft())
    async with app.run_test(size=(100, 30)) as pilot:
        app.query_one(LineList).focus()
        assert app.view.marked_row == "live-0"
        assert app.view.live[0].number == 12
        await pilot.press("enter")
        assert app.view.marked_row == "eq-12"


# ------------------------------------------------------------------ lines


def test_wrapping_keeps_numbers_and_values_together() -> None:
    text = "m = 5 263 of 100 000 users, p = 0.5 − x"
    lines = wrap_text(text, 12)
    assert " ".join(lines) == text
    assert all("263" not in line or "5 263" in line for line in lines)
    assert not [line for line in lines if line.startswith("= 0.5") or line.endswith("−")]
    assert wrap_text("one two", 20, 5) == ["one", "two"]
    assert wrap_text("longword", 20, 5) == ["", "longword"]
