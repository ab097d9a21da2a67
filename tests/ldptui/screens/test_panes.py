"""The panes of the workbench: their keys, their focus, their sizes, and the words of the keys."""

from __future__ import annotations

import pytest
from support.waiting import seen, until
from support.workbench_app import finished, own_home, workbench  # noqa: F401
from textual.binding import Binding
from textual.widgets import Input

from ldptui.app import Workbench
from ldptui.screens.workbench.runs_pane import RunsPane
from ldptui.screens.workbench.title import NAMES
from ldptui.session.run_list import RunList


@pytest.mark.every(4)
@pytest.mark.parametrize("key", ["3", "alt+3", "f4", "pound_sign"])
async def test_panes_have_keys(key: str) -> None:
    async with workbench((80, 24)) as (screen, _, pilot):
        assert screen.pane == 4
        await pilot.press(key)
        await until(pilot, lambda: screen.pane == 3)

        shown = [number for number in NAMES if screen.query_one(f"#pane-{number}").region]
        assert shown == [3]


async def test_pane_keys_work_from_a_text_field_and_digits_are_typed_there() -> None:
    async with workbench() as (screen, _, pilot):
        await pilot.press("2", "tab", "enter", "end", "4")

        assert screen.pane == 2
        assert screen.draft is not None
        assert "1284" in screen.draft.text
        await pilot.press("alt+4")
        await until(pilot, lambda: screen.pane == 4)


@pytest.mark.every(3)
@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 60)])
async def test_every_pane_is_reachable_at_every_size(size: tuple[int, int]) -> None:
    async with workbench(size) as (screen, _, pilot):
        for number in NAMES:
            await pilot.press(f"f{number + 1}")
            pane = screen.query_one(f"#pane-{number}")

            assert pane.region.width >= 40
            assert pane.region.height >= 5
            assert pane in getattr(screen.focused, "ancestors_with_self", ())


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_the_list_of_runs_keeps_the_focus_while_it_is_empty(size: tuple[int, int]) -> None:
    async with workbench(size) as (screen, _, pilot):
        await pilot.press("f6")
        runs, run_list = screen.query_one(RunsPane), screen.run_list
        assert runs in getattr(screen.focused, "ancestors_with_self", ())
        runs.run_list = RunList()
        await pilot.pause()
        assert "no run yet" in seen(screen.app).lower()
        runs.run_list = run_list
        await pilot.pause()
        assert runs in getattr(screen.focused, "ancestors_with_self", ())


@pytest.mark.long
async def test_a_terminal_that_is_too_small_says_what_it_needs() -> None:
    async with workbench((80, 24)) as (screen, engine, pilot):
        await pilot.resize_terminal(50, 12)
        message = screen.query_one("#too-small")
        await until(pilot, lambda: bool(message.region))

        assert message.region.width == 50
        assert "60 × 18" in str(message.render())
        # Nothing is done to what cannot be seen; quitting is no such thing.
        count, pane = len(engine.requests), screen.pane
        await pilot.press("ctrl+r", "2", "5", "ctrl+o", "ctrl+p", "ctrl+l")
        assert (len(engine.requests), screen.pane, screen.app.screen) == (count, pane, screen)
        await pilot.resize_terminal(120, 40)
        await until(pilot, lambda: not message.region)


async def test_every_binding_has_an_id() -> None:
    async with workbench() as (screen, _, _pilot):
        nodes = [screen.app, screen, *screen.query("*")]
        own = [node for node in nodes if type(node).__module__.startswith("ldptui")]
        missing = [
            (type(node).__name__, binding)
            for node in own
            for binding in type(node).__dict__.get("BINDINGS", ())
            if not getattr(binding, "id", None) and binding not in Input.BINDINGS
        ]
        assert missing == []


@pytest.mark.every(6)
@pytest.mark.parametrize("pane", NAMES)
async def test_help_calls_two_things_by_two_names(pane: int) -> None:
    async with workbench() as (screen, engine, pilot):
        finished(engine)
        await pilot.press(str(pane))
        called: dict[tuple[object, str], set[str]] = {}
        for active in screen.active_bindings.values():
            if active.binding.id is not None:
                name = (active.node, active.binding.description)
                called.setdefault(name, set()).add(active.binding.action)
        assert [item for item in called.items() if len(item[1]) > 1] == []


async def test_keys_are_spelled_out_in_ascii() -> None:
    async with workbench() as (screen, _, _pilot):
        app = screen.app
        assert isinstance(app, Workbench)
        left, quit_ = Binding("left", "", ""), Binding("ctrl+q", "", "")
        assert [app.get_key_display(key) for key in (left, quit_)] == ["←", "^q"]
        app.charset = "ascii"
        assert [app.get_key_display(key) for key in (left, quit_)] == ["left", "^q"]
