"""The One report view: two users side by side, drawn from the real steps, moved by keys."""

from __future__ import annotations

import dataclasses
from functools import partial
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import get_args

import numpy as np
import pytest
from msgspec import structs
from rich.cells import cell_len
from support.kinds import CAO_ATTACKS
from support.sheet_app import SheetApp
from support.waiting import until

from ldptui.charts.rows import DARK, Charset, Look
from ldptui.core.protocols import CENTRAL, PROTOCOLS
from ldptui.screens.workbench.report_view import ReportView
from ldptui.session.draft import Draft, draft_of, edit_key
from ldptui.widgets.words import text_of

SCENARIO = """format = 1
[population]
kind = "zipf"
items = {d}
users = 10_000
exponent = 1.0
[protocol]
kind = "{kind}"
epsilon = 1.0
"""
ATTACK = """[attack]
kind = "{fakes}"
share = 0.05
targets = {{ pick = "random", count = {r} }}
"""
KINDS = tuple(PROTOCOLS)


def draft(kind: str = "oue", fakes: str | None = "mga", d: int = 128, r: int = 3) -> Draft:
    text = SCENARIO.format(kind=kind, d=d)
    made = draft_of(text + (ATTACK.format(fakes=fakes, r=r) if fakes else ""), Path())
    assert made.problems == ()
    return made


Bench = partial(SheetApp, ReportView)


def lines(app: SheetApp[ReportView]) -> list[str]:
    return app.view.as_text().rstrip("\n").split("\n")


async def test_empty_until_there_is_a_scenario() -> None:
    app = Bench()
    async with app.run_test(size=(80, 20)) as pilot:
        assert "no valid scenario yet" in app.view.as_text()
        for key in ("n", "w", "i", "I", "j"):
            await pilot.press(key)
        assert app.view.histories is None


@pytest.mark.parametrize("size", [(80, 20), (71, 30), (80, 40)])
async def test_two_columns_where_there_is_room(size: tuple[int, int]) -> None:
    app = Bench(draft())
    async with app.run_test(size=size):
        rows = lines(app)
        assert rows[0].startswith("A genuine user")
        assert "│ A fake user: MGA" in rows[0]
        bar = rows[0].index("│")
        assert {row[bar] for row in rows} == {"│"}
        left, right = (
            {at: row[place] for at, row in enumerate(rows) if row[place : place + 1].isdecimal()}
            for place in (0, bar + 2)
        )
        assert [*left.values()] == [*right.values()] == ["1", "2", "3", "4", "5", "6"]
        assert (left == right) == (size[1] >= 40)  # where there is room, at one height


async def test_one_above_the_other_where_there_is_not() -> None:
    app = Bench(draft())
    async with app.run_test(size=(44, 15)) as pilot:
        rows = lines(app)
        fake = next(at for at, row in enumerate(rows) if row.startswith("A fake user"))
        assert fake > 15
        assert sum(row.startswith("3 ") for row in rows) == 2
        sheet = app.sheet
        sheet.focus()
        await pilot.press("j", "j", "k")
        assert sheet.scroll_offset.y == 1


@pytest.mark.every(15)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("fakes", [*CAO_ATTACKS, None])
def test_nothing_is_too_wide_and_ascii_is_ascii(kind: str, fakes: str | None) -> None:
    for d, r in ((2, 1), (128, 3), (3000, 90)):
        view = ReportView()
        view.draft = draft(kind, fakes, d, r)
        for width, charset in product((43, 69, 75, 139, 199), get_args(Charset)):
            made = text_of(view.drawing(Look(width, 29, DARK, charset)), width, charset)
            assert max(map(cell_len, made.splitlines())) <= width
            assert "?" not in made
            assert charset != "ascii" or made.isascii()


async def test_keys_draw_a_new_report_a_new_user_a_new_value() -> None:
    app = Bench(draft())
    async with app.run_test(size=(120, 40)) as pilot:
        app.sheet.focus()
        first = app.view.histories
        assert first is not None
        assert first[1] is not None
        shown = app.view.as_text()

        await pilot.press("n")
        second = app.view.histories
        assert second is not None
        assert second[1] is not None
        assert second[0].item == first[0].item
        assert second[0].report.tobytes() != first[0].report.tobytes()
        assert second[1].report.tobytes() != first[1].report.tobytes()
        assert app.view.as_text() != shown

        await pilot.press("i")
        third = app.view.histories
        assert third is not None
        assert third[1] is not None
        assert third[0].item == (first[0].item or 0) + 1
        assert third[1].report.tobytes() == second[1].report.tobytes()
        changed = set(third[0].supports) ^ set(second[0].supports)
        assert changed <= {third[0].item, second[0].item}  # the draws of the other bits stay
        await pilot.press("I")
        back = app.view.histories
        assert back is not None
        assert back[0].report.tobytes() == second[0].report.tobytes()

        items = set()
        for _ in range(12):
            await pilot.press("w")
            now = app.view.histories
            assert now is not None
            items.add(now[0].item)
        assert len(items) > 3


async def test_nothing_is_computed_while_it_is_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    one = draft()
    app = Bench(one)
    async with app.run_test(size=(120, 40)) as pilot:
        drawn = []
        draw = app.view._draw
        monkeypatch.setattr(app.view, "_draw", lambda cell: (drawn.append(cell), draw(cell))[1])
        app.view.display = False
        await pilot.pause()
        app.view.draft = edit_key(one, "protocol.kind", "grr")
        await pilot.pause()
        assert drawn == []
        app.view.display = True
        await pilot.pause()
        assert len(drawn) == 1


async def test_a_protocol_without_known_steps_says_so() -> None:
    one = draft()
    assert one.cell is not None
    other = dataclasses.replace(one.cell, protocol=SimpleNamespace(family="made up"))  # type: ignore[arg-type]
    app = Bench(structs.replace(one, cell=other))
    async with app.run_test(size=(120, 40)) as pilot:
        assert "not told for this kind" in app.view.as_text()
        await pilot.press("n", "w", "i")


@pytest.mark.parametrize("kind", CENTRAL)
async def test_where_there_is_no_report_no_key_draws_another(kind: str) -> None:
    """A curator gets no reports."""
    app = Bench(draft())
    async with app.run_test(size=(120, 40)) as pilot:
        app.sheet.focus()
        await pilot.pause()
        assert {"n", "w", "i"} <= app.screen.active_bindings.keys()
        app.view.draft = draft(kind)
        await pilot.pause()
        assert "a trusted curator gets no reports" in app.view.as_text()
        assert {"n", "w", "i", "I"}.isdisjoint(app.screen.active_bindings)


async def test_no_attack_says_so() -> None:
    app = Bench(draft(fakes=None))
    async with app.run_test(size=(120, 40)):
        assert "No fake users" in app.view.as_text()
        assert "Weight" not in app.view.as_text()


async def test_an_attack_in_python_is_not_drawn_and_says_why() -> None:
    text = SCENARIO.format(kind="oue", d=16) + ATTACK.format(fakes="plugin", r=3)
    made = draft_of(text + "[attack.options]\nx = 1\n", Path())
    assert [problem.key for problem in made.problems] == ["attack.name"]
    made = edit_key(made, "attack.name", "mine")
    assert made.problems == ()
    app = Bench(made)
    async with app.run_test(size=(120, 40)):
        assert "The attack is Python code." in app.view.as_text()
        assert "Weight" in app.view.as_text()


async def test_all_bits_are_drawn_where_there_is_room() -> None:
    app = Bench(draft(d=300))
    async with app.run_test(size=(140, 50)) as pilot:
        rows = lines(app)
        start = next(at for at, row in enumerate(rows) if row.startswith("4 Report")) + 3
        assert "of 296 others" in "\n".join(rows[:start])
        bar = rows[0].index("│")
        histories = app.view.histories
        assert histories is not None
        for history, part in zip(histories, (slice(0, bar), slice(bar + 1, None)), strict=True):
            assert history is not None
            drawn = "".join(row[part].strip() for row in rows[start : start + 6])
            assert np.flatnonzero([c == "█" for c in drawn[:300]]).tolist() == list(
                history.supports
            )
        await pilot.resize_terminal(140, 24)
        await until(pilot, lambda: app.screen.outer_size == (140, 24))
        rows = lines(app)
        start = next(at for at, row in enumerate(rows) if row.startswith("4 Report"))
        assert rows[start + 3].strip().startswith(("│", "5 Support"))


async def test_the_cells_show_each_flip() -> None:
    app = Bench(draft(d=24, r=2))
    async with app.run_test(size=(200, 40)):
        rows = [row.split(" │ A ")[0] for row in lines(app)]
        histories = app.view.histories
        assert histories is not None
        genuine = histories[0]
        at = max(n for n, row in enumerate(rows) if row.startswith("  changed"))
        labels, before, after, changed = (rows[at - back][16:97] for back in (3, 2, 1, 0))
        columns = [n for n, char in enumerate(after) if char in "█·"][:24]
        assert len(columns) == 24
        for column in columns:
            item = int(labels[max(0, column - 1) : column + 1].strip("│ "))
            assert (after[column] == "█") == (item in genuine.supports)
            assert (before[column] == "█") == (item == genuine.item)
            flip = {("·", "█"): "↑", ("█", "·"): "↓"}.get((before[column], after[column]), " ")
            assert changed[column] == flip
