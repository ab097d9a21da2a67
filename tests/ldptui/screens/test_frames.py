"""The work that a key costs, as counts: times depend on the machine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from support.waiting import until
from support.workbench_app import finished, own_home, workbench
from textual._styles_cache import StylesCache
from textual.css.stylesheet import Stylesheet
from textual.screen import Screen
from textual.strip import Strip
from textual.widgets import Static

from ldptui.messages import KeyEdited
from ldptui.screens.workbench.screen import WorkbenchScreen
from ldptui.widgets.form import FormPane
from ldptui.widgets.plot import ChartView

__all__ = ["own_home"]


class Counts:
    """Layouts of the screen, widgets styled, lines of widgets drawn."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.layouts = self.styled = self.lines = 0
        for name, owner, method in (
            ("layouts", Screen, "_refresh_layout"),
            ("styled", Stylesheet, "apply"),
            ("lines", StylesCache, "render_line"),
        ):
            monkeypatch.setattr(owner, method, self._counted(name, getattr(owner, method)))

    def _counted(self, name: str, method: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*args: Any, **options: Any) -> Any:
            setattr(self, name, getattr(self, name) + 1)
            return method(*args, **options)

        return counted

    def restart(self) -> None:
        self.layouts = self.styled = self.lines = 0


async def test_a_pane_unfolds_in_one_layout_and_draws_its_border_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    counts, frames = Counts(monkeypatch), list[bool]()
    draw = Screen._compositor_refresh

    def noted(screen: WorkbenchScreen) -> None:
        frames.append(any(isinstance(each, FormPane) for each in screen._dirty_widgets))
        draw(screen)

    monkeypatch.setattr(Screen, "_compositor_refresh", noted)
    async with workbench((120, 40)) as (screen, engine, pilot):
        await until(pilot, lambda: engine.active is not None)
        finished(engine)  # its news would be laid out between the keys
        await until(pilot, lambda: "done" in str(screen.query_one("#details", Static).render()))
        await pilot.press("f3", "f4")  # what a pane holds is styled and drawn once
        for key, pane in (("f3", 2), ("f4", 3)):
            counts.restart()
            frames.clear()
            await pilot.press(key)
            assert screen.pane == pane
            assert sum(frames) <= 2  # others may have news meanwhile
            assert counts.layouts <= 3
            assert counts.styled <= 12  # both panes and their children, both fields
        # At once, before there is a frame: the next key is for the field there.
        screen.action_pane(2)
        assert screen.focused in screen.query_one("#pane-2").query("*")


async def test_an_edit_is_simulated_while_it_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another process computes: what it is asked for goes out before the charts are drawn."""
    async with workbench((200, 60)) as (screen, engine, pilot):  # closed forms stand there
        await until(pilot, lambda: screen.focused is not None)
        finished(engine)
        await pilot.pause()
        asked, at_draws = len(engine.requests), list[int]()
        draw = ChartView._draw

        def noted(view: ChartView, *args: Any) -> list[Strip]:
            at_draws.append(len(engine.requests))
            return draw(view, *args)

        monkeypatch.setattr(ChartView, "_draw", noted)
        screen.post_message(KeyEdited("protocol.epsilon", 2.0))
        await until(pilot, lambda: at_draws)
        assert min(at_draws) == asked + 1
