"""The Equations view: live formulas on top, the whole list below, both filtered by `/`."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path

import pytest
from rich.cells import cell_len
from support.sheet_app import SheetApp
from textual.widgets import Input, Static

from ldptui.charts.rows import clean
from ldptui.explain.equations import equations
from ldptui.screens.workbench.equations import EquationsView
from ldptui.session.draft import Draft, draft_of, edited
from ldptui.text.format import short
from ldptui.text.prose import narrowed, wrapped

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


@pytest.mark.parametrize("width", [74, 76, 80, 140, 200])
async def test_everything_is_legible_at_the_usual_widths(width: int) -> None:
    app = Bench(draft("olh"))
    async with app.run_test(size=(width, 30)):
        text = app.view.as_text()
        assert max(map(cell_len, text.split("\n"))) <= width - 1  # the scroll bar
        body = bare(text.replace("▌", ""))
        for equation in equations():
            for formula in (equation.printed, equation.corrected):
                for line in formula.strip("\n").split("\n"):
                    for part in re.split("  +", line.strip()):
                        assert bare(part) in body, (equation.id, line)
            assert bare(equation.note) in body
            assert bare(equation.remark) in body
            assert bare(equation.source) in body
        for live in app.view.live:
            for part in (live.title, live.formula, live.result):
                assert bare(part) in body, live


@pytest.mark.parametrize("width", [30, 44])
async def test_nothing_runs_over_in_a_narrow_pane(width: int) -> None:
    app = Bench(draft())
    async with app.run_test(size=(width, 15)):
        assert max(map(cell_len, app.view.as_text().split("\n"))) <= width - 1


async def test_ascii_has_a_spelling_for_everything() -> None:
    app = Bench(draft("olh"), charset="ascii")
    async with app.run_test(size=(100, 30)):
        text = app.view.as_text()
        assert text.isascii()
        assert "?" not in text


async def test_live_formulas_follow_the_draft() -> None:
    one = draft()
    app = Bench(one)
    async with app.run_test(size=(140, 50)):
        assert f"= {short(1 / (1 + 2.718281828459045), 5)}" in app.view.as_text()
        app.view.draft = edited(one, "protocol.epsilon", 2.0)
        assert f"= {short(1 / (1 + 7.38905609893065), 5)}" in app.view.as_text()
        app.view.draft = edited(one, "attack.kind", "none")
        assert "Attack:" not in app.view.as_text()


async def test_a_wrong_equation_has_its_mark_its_note_and_its_correction() -> None:
    app = Bench()
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press("slash", *"wrong")
        text = app.view.as_text()
        wrong = [e for e in equations() if e.verdict == "wrong"]
        assert text.count("✗ wrong") == len(wrong) == 5
        assert len(re.findall(r"^[▌ ] {3}→ ", text, re.MULTILINE)) == 5
        assert [e.title in text for e in wrong] == [True] * 5
        assert text.count("✓ ok") == 0


async def test_slash_filters_enter_keeps_it_and_escape_drops_it() -> None:
    app = Bench(draft())
    async with app.run_test(size=(100, 30)) as pilot:
        app.sheet.focus()
        await pilot.press("j", "j")
        assert app.view.selected is not None
        await pilot.press("slash")
        field = app.query_one(Input)
        assert field.has_focus
        await pilot.press(*"padding")
        assert field.value == "padding"
        text = app.view.as_text()
        assert app.view.selected is not None
        assert app.view.selected.start < 3  # the cursor is on what was found first
        assert "Padding of a crafted report" in text
        assert "Privacy budget" not in text
        count = app.query_one(".filter--count", Static).render()
        assert re.fullmatch(r"\d of \d\d", str(count))
        await pilot.press("enter")
        assert app.sheet.has_focus
        assert field.value == "padding"
        await pilot.press("escape")
        assert field.value == ""
        assert "Privacy budget" in app.view.as_text()
        await pilot.press("slash", *"padding", "escape")
        assert app.sheet.has_focus
        assert field.value == ""


async def test_a_number_finds_its_equation_and_its_live_formula() -> None:
    app = Bench(draft())
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press("slash", *"12", "enter")
        assert app.sheet.has_focus
        entry = app.view.selected
        assert entry is not None
        assert (entry.number, entry.id) == (12, None)
        text = app.view.as_text()
        assert "A report supports the own item" in text
        assert "Optimized Unary Encoding (OUE) Probabilities" in text
        assert "Privacy budget" not in text


async def test_nothing_found_says_so() -> None:
    app = Bench(draft())
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press("slash", *"zebra")
        assert "Nothing matches “zebra”." in app.view.as_text()
        await pilot.press("enter", "j", "k", "enter", "G")
        assert app.view.selected is None


async def test_enter_goes_from_a_live_formula_to_its_equation_and_shows_latex() -> None:
    app = Bench(draft())
    async with app.run_test(size=(100, 30)) as pilot:
        app.sheet.focus()
        first = app.view.selected
        assert first is not None
        assert (first.number, first.id) == (12, None)
        await pilot.press("enter")
        entry = app.view.selected
        assert entry is not None
        assert entry.id == "eq-12"
        top = app.sheet.scroll_offset.y
        assert top < entry.start < top + 30
        assert "LaTeX" not in app.view.as_text()
        await pilot.press("enter")
        assert r"LaTeX: \Pr(y_i = 1)" in app.view.as_text()
        await pilot.press("enter")
        assert "LaTeX" not in app.view.as_text()


async def test_the_cursor_stays_in_sight() -> None:
    app = Bench(draft())
    async with app.run_test(size=(80, 20)) as pilot:
        app.sheet.focus()
        for _ in range(40):
            await pilot.press("j")
            entry = app.view.selected
            assert entry is not None
            assert app.sheet.scroll_offset.y <= entry.start < app.sheet.scroll_offset.y + 19
        await pilot.press("G")
        assert app.view.selected is not None
        assert app.view.selected.id == "slide-4"
        await pilot.press("j")
        assert app.view.selected.id == "slide-4"
        await pilot.press("g")
        assert app.view.selected.start < 3
        assert app.sheet.scroll_offset.y == 0


# ------------------------------------------------------------------ lines


def test_wrapping_keeps_numbers_and_values_together() -> None:
    text = "m = 5 263 of 100 000 users, p = 0.5 − x"
    lines = wrapped(text, 12)
    assert " ".join(lines) == text
    assert all("263" not in line or "5 263" in line for line in lines)
    assert not [line for line in lines if line.startswith("= 0.5") or line.endswith("−")]
    assert wrapped("one two", 20, 5) == ["one", "two"]
    assert wrapped("longword", 20, 5) == ["", "longword"]


def test_narrowing_closes_gaps_before_anything_is_cut() -> None:
    table = ["a        b", "cc       dd"]
    assert narrowed(table, 20) == table
    assert narrowed(table, 8) == ["a     b", "cc    dd"]
    assert narrowed(table, 3) == ["a", "cc", "b", "dd"]
    assert narrowed(["aaaaaaa      b", "c"], 10) == ["aaaaaaa  b", "c"]
    assert narrowed(["aaaaaaa      bbb", "c"], 8) == ["aaaaaaa", "c", "bbb"]
    assert narrowed(["one two three", "c"], 8) == ["one two", "three", "c"]


def test_control_characters_never_get_through() -> None:
    assert clean("a\x1b[31m\tb\n", "braille") == "a[31m b "
