"""What a first user does with the keyboard, as it was tried: no key edits what one did not mean."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from support.fake_engine import FakeEngine
from support.lab_tabs import ask
from support.waiting import seen, until
from support.workbench_app import own_home, status, workbench
from textual.pilot import Pilot

from ldptui import scenarios
from ldptui.app import Workbench
from ldptui.questions.topics import TOPICS
from ldptui.screens.lab.commands import RELATIONS
from ldptui.screens.lab.lab_screen import LabScreen
from ldptui.screens.lab.page import Page
from ldptui.screens.palette import commands
from ldptui.screens.workbench.file_actions import open_path
from ldptui.screens.workbench.screen import WorkbenchScreen
from ldptui.terminal.settings import Settings

__all__ = ["own_home"]


def value(screen: WorkbenchScreen, table: str, key: str) -> object:
    assert screen.draft is not None
    assert screen.draft.document is not None
    return screen.draft.document[table][key]


@pytest.mark.every(2)
@pytest.mark.parametrize(("key", "panes"), [("tab", [1, 2, 3, 4, 5]), ("shift+tab", [3, 2, 1])])
async def test_tab_goes_through_all_panes_in_order(key: str, panes: list[int]) -> None:
    async with workbench() as (screen, _, pilot):
        await pilot.press(str(panes[0]))
        seen, stops = [panes[0]], Counter[int]()
        while len(seen) < len(panes):
            await pilot.press(key)
            stops[screen.pane] += 1
            if screen.pane != seen[-1]:
                seen.append(screen.pane)
        assert seen == panes
        assert stops[2] > 5  # through its rows


async def typed_into_items(pilot: Pilot[None], text: str) -> None:
    await pilot.press("2", "home", "up", "up", "up", "down", "enter", *text)


async def test_what_is_half_typed_is_no_problem_yet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ldptui.screens.workbench.draft_screen.REST_S", 1e6)
    async with workbench() as (screen, _, pilot):
        await typed_into_items(pilot, "4")
        assert screen.draft is not None
        assert screen.draft.problems
        assert "does not exist" not in status(screen)
        await pilot.press("9", "0", "enter")
        assert screen.draft.problems == ()


@pytest.mark.parametrize("name", TOPICS)
def test_only_a_field_of_files_has_example_data(name: str) -> None:
    """A number of reports, or a file that is not chosen yet, is none."""
    page = Page(TOPICS[name])
    for value in (7, None, [""], ["nowhere.csv", ""]):
        page.typed = {"reports": value, "file": value}
        assert page.examples(None) == ()


async def test_a_coin_for_each_answer_opens_on_one_report() -> None:
    async with workbench(path=scenarios.path("randomised-response")) as (screen, *_):
        assert screen.charts.tab == "report"
        assert screen.draft is not None
        assert screen.draft.cell is not None
        assert screen.draft.cell.first.population.domain_size == 2


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_a_table_opens_on_the_choice_of_its_column(
    size: tuple[int, int], tmp_path: Path
) -> None:
    (tmp_path / "people.csv").write_text("person,sex,age\na,f,3\nb,m,4\n", encoding="utf-8")
    app = Workbench(Settings(), tmp_path / "people.csv", FakeEngine)
    async with app.run_test(size=size) as pilot:
        screen = app.workbench
        await until(pilot, lambda: "column of the table" in status(screen))
        assert screen.pane == 2
        await pilot.press("right", "right", "right")
        await until(pilot, lambda: value(screen, "population", "column") == "age")
        await until(pilot, lambda: bool(screen.draft and not screen.draft.problems))
        screen.action_pane(1)
        open_path(screen, tmp_path / "people.csv")
        await until(pilot, lambda: "column of the table" in status(screen))
        assert screen.pane == 2


@pytest.mark.parametrize(("name", "private"), [("the relation R", False), ("R′, R repaired", True)])
async def test_attribute_privacy_is_found_by_its_words(name: str, private: bool) -> None:
    async with workbench() as (screen, _, pilot):
        await pilot.press("ctrl+p", *"attribute")
        await until(pilot, lambda: name in seen(pilot.app))
        found = {each.title: each for each in commands(pilot.app, screen)}
        pilot.app.pop_screen()
        await until(pilot, lambda: pilot.app.screen is screen)
        found[f"Lab: Attribute privacy of {name}"].callback()
        await until(pilot, lambda: isinstance(pilot.app.screen, LabScreen))
        lab = pilot.app.screen
        assert isinstance(lab, LabScreen)
        await until(pilot, lambda: lab.values.get("file") == RELATIONS[name])
        assert lab.values["what"] == "relation"
    verdict = ask("disclose", what="relation", file=RELATIONS[name]).verdict[0]
    assert ("; attribute privacy:" in verdict) == private


async def test_the_key_of_ones_deployment_is_a_hint_until_it_was_used() -> None:
    for is_hint in (True, False):
        async with workbench() as (screen, _, pilot):
            assert ("My deployment" in screen.hints.render().plain) == is_hint
            await pilot.press("M")
            await until(pilot, lambda: isinstance(pilot.app.screen, LabScreen))
            assert "My deployment" not in screen.hints.render().plain
