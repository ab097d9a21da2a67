"""Which panes are on the screen at which size, and how much room each has."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.fake_engine import FakeEngine
from support.waiting import seen, until
from support.workbench_app import own_home, workbench
from textual.screen import Screen
from textual.widget import Widget

from ldptui import scenarios
from ldptui.app import Workbench
from ldptui.screens.workbench.charts.tabs import fitting
from ldptui.screens.workbench.parameters_pane import ParametersPane
from ldptui.screens.workbench.screen import WorkbenchScreen
from ldptui.screens.workbench.title import NAMES
from ldptui.session.draft import open_draft
from ldptui.terminal.settings import Settings
from ldptui.widgets.field import ChoiceControl
from ldptui.widgets.form import FormLine

__all__ = ["own_home"]

SCENARIO = """format = 1
title = "Eight items"
trials = 20

[population]
kind = "counts"
counts = [3679, 1840, 1226, 920, 736, 613, 526, 460]

[protocol]
kind = "grr"
epsilon = 1.0

[attack]
kind = "mga"
share = 0.05
targets = { items = [2, 5] }
"""


@pytest.mark.long
async def test_the_left_column_folds_what_is_not_used_and_a_low_screen_shows_one_pane(
    tmp_path: Path,
) -> None:
    path = tmp_path / "eight.toml"
    path.write_text(f'{SCENARIO}\n[sweep]\n"attack.share" = [0.01, 0.02]\n')
    app = Workbench(Settings(), path, FakeEngine)
    async with app.run_test(size=(120, 40)) as pilot:
        screen = app.workbench

        def pane(number: int) -> Widget:
            return screen.query_one(f"#pane-{number}")

        await until(pilot, lambda: "── 2 Parameters · counts  ε 1  ↔ β" in seen(app))
        await pilot.press("2")
        await until(pilot, lambda: "── 3 Attack · mga" in seen(app))
        # Nothing of the parameters is below a fold: the sweep is seen.
        assert "2 × 20 trials" in seen(app)
        await pilot.click(offset=(10, pane(3).region.y))
        assert (screen.pane, pane(3).region.height > 16, pane(2).region.height) == (3, True, 1)
        # Enter zooms what it does not edit or open, and the footer has the way there and back.
        for number, way in ((4, "enter"), (1, "z")):  # in pane 1 enter lists all protocols
            await pilot.press(str(number), way)
            assert pane(number).region.width == 120
            await until(pilot, lambda: seen(app).splitlines()[-1].startswith(" esc Back"))
            await pilot.press("escape")
            assert pane(number).region.width < 120
        await pilot.resize_terminal(99, 30)
        await pilot.press("f5")
        await until(pilot, lambda: pane(4).region.size == (99, 27))
        assert "1 Protocol  2 Parameters  3 Attack  4 Charts" in seen(app).splitlines()[0]


TABS = (
    ("frequencies", "Frequencies"), ("gain", "Gain"), ("error", "Error"), ("map", "Map"),
    ("trials", "Trials"), ("detection", "Detection"), ("report", "One report"),
    ("table", "Table"), ("equations", "Equations"),
)  # fmt: skip


def test_no_tab_is_cut_off_in_a_narrow_pane() -> None:
    assert fitting(TABS, 128) == TABS
    narrow = [words for _, words in fitting(TABS, 60)]
    assert sum(len(words) + 1 for words in narrow) <= 61
    assert narrow[0] == "Freq"
    assert narrow[-1] == "Eqs"


def test_many_swept_keys_are_counted_where_their_names_have_no_room() -> None:
    pane = ParametersPane()
    pane.draft = open_draft(scenarios.path("cao-gain-beta"))
    assert pane.setting.startswith("zipf  ε 1  ↔ 3 keys  ")


@pytest.mark.every(2)
@pytest.mark.parametrize(("size", "panes"), [((80, 24), {4}), ((120, 40), {1, 4, 5})])
async def test_the_first_frame_is_laid_out_as_all_others(
    size: tuple[int, int], panes: set[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    frames = list[str]()
    display = Workbench._display

    def kept(app: Workbench, screen: Screen[Any], renderable: Any) -> None:
        if renderable is not None and screen.is_current and isinstance(screen, WorkbenchScreen):
            frames.append(seen(app))
        display(app, screen, renderable)

    monkeypatch.setattr(Workbench, "_display", kept)
    async with workbench(size):
        assert {number for number in NAMES if f"─ {number} {NAMES[number]} ─" in frames[0]} == panes
        assert ("2 Parameters" in frames[0]) == (panes == {4})  # the tabs of the panes
        assert frames[0].count("loading") <= 1


async def test_tab_stops_at_fields_and_not_at_their_pane() -> None:
    """The pane shows no sign of the focus: a key that goes to it seems to do nothing."""
    async with workbench((80, 24)) as (screen, _, pilot):
        await until(pilot, lambda: screen.draft is not None)
        await pilot.press("2", "shift+tab")
        assert isinstance(screen.focused, FormLine)
        await pilot.press("tab")
        assert isinstance(screen.focused, ChoiceControl)
