"""The lab with files and beside the workbench: what it reads, writes, puts into the scenario."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.fake_engine import FakeEngine
from support.lab_screen import DRAFT, answers_of, edit, field, go, lab, problem
from support.waiting import seen, until
from support.workbench_app import own_home, workbench  # noqa: F401
from textual.widgets import Input

from ldptui.app import Workbench
from ldptui.messages import KeyEdited
from ldptui.questions.sheet import AnswerSheet, list_rows
from ldptui.questions.topics import GROUPS, TOPICS
from ldptui.screens.dialogs.paths import PathScreen
from ldptui.screens.lab.lab_screen import LabScreen
from ldptui.screens.lab.page import READ, Page
from ldptui.screens.palette import commands
from ldptui.session import draft as drafts
from ldptui.terminal.settings import Settings
from ldptui.widgets.path_field import PathField
from ldptui.widgets.status import StatusLine


async def test_the_lab_opens_from_the_workbench_and_is_kept() -> None:
    async with workbench() as (screen, engine, pilot):
        await pilot.press("6")
        await until(pilot, lambda: isinstance(pilot.app.screen, LabScreen))
        shown = pilot.app.screen
        assert isinstance(shown, LabScreen)
        own = shown._engine
        assert isinstance(own, FakeEngine)
        await until(pilot, lambda: own.questions)
        # The run of the workbench goes on: the lab has an engine of its own.
        assert own is not engine
        assert not engine.cancelled
        shown.tab = "plan"
        shown.post_message(KeyEdited("lab.plan.alpha", 0.3))
        await until(pilot, lambda: shown.values["alpha"] == 0.3)
        shown._question = None
        pilot.app.pop_screen()
        await until(pilot, lambda: pilot.app.screen is screen)
        await pilot.press("f7")
        await until(pilot, lambda: pilot.app.screen is shown)
        assert shown.values["alpha"] == 0.3
        await screen.shut_down()
        assert own.stopped


async def test_a_table_is_chosen_by_its_path(tmp_path: Path) -> None:
    (tmp_path / "few.csv").write_text("pay,who\n1,a\n30,b\n", encoding="utf-8")
    async with lab() as (screen, engine, pilot):
        assert not screen.check_action("file", ())
        await go(screen, pilot, "sensitivity")
        await pilot.press("ctrl+o")
        dialog = pilot.app.screen
        assert isinstance(dialog, PathScreen)
        path = dialog.query_one(PathField)
        path.text = str(tmp_path / "none.csv")
        path.query_one(Input).focus()
        await pilot.press("enter")
        assert pilot.app.screen is dialog
        path.text = str(tmp_path / "few.csv")
        await pilot.press("enter")
        await until(pilot, lambda: engine.questions[-1].values["file"].endswith("few.csv"))
        await until(pilot, lambda: screen._question is None)
        assert screen.values["column"] == "pay"
        assert not screen.page.problem
        column = field(screen, "column")
        assert column.offered == ("pay", "who")
        column.control.focus()
        await pilot.press("right")  # the next one, as of numbers
        await until(pilot, lambda: screen.values["column"] == "who")
        await edit(screen, pilot, "column", "wage")
        assert "(pay, who)" in problem(screen, "column")
        assert "column must be a column of" in screen.query_one(StatusLine).problem
        await edit(screen, pilot, "column", "who")
        assert "must be numeric, but the column 'who' holds 'a'" in problem(screen, "column")
        await edit(screen, pilot, "column", "pay")
        assert problem(screen, "column") == ""


async def test_a_synthetic_column_is_written_where_it_is_asked_for(tmp_path: Path) -> None:
    async with lab() as (screen, _, pilot):
        await go(screen, pilot, "synthetic")
        await edit(screen, pilot, "rows", 50)
        await pilot.press("ctrl+e")
        path = pilot.app.screen.query_one(PathField)
        path.text = str(tmp_path / "out.csv")
        path.query_one(Input).focus()
        await pilot.press("enter")
        await until(pilot, lambda: answers_of(screen)["synthetic"].words[0].startswith("Wrote"))
        assert len((tmp_path / "out.csv").read_text(encoding="utf-8").splitlines()) == 51
        assert (tmp_path / "out.budget.txt").exists()
        # Nothing is written again by a later question.
        (tmp_path / "out.csv").unlink()
        await edit(screen, pilot, "rows", 60)
        assert not (tmp_path / "out.csv").exists()


async def test_releases_are_added_and_removed() -> None:
    async with lab() as (screen, _, pilot):
        await go(screen, pilot, "ledger")
        start = list(screen.values["entries"])
        await edit(screen, pilot, "entries.1", "census=0.5")
        assert screen.values["entries"] == [*start, "census=0.5"]
        await edit(screen, pilot, "entries.2", "x")
        assert "must be [NAME=]EPSILON" in problem(screen, "entries.2")
        assert field(screen, "entries.3").display
        await edit(screen, pilot, "entries.2", "")
        assert screen.values["entries"] == [*start, "census=0.5"]
        assert not field(screen, "entries.3").display
        assert "2 entries" in answers_of(screen)["ledger"].table.title


@pytest.mark.long
async def test_the_palette_has_every_action_of_the_lab_once() -> None:
    async with workbench() as (_, __, pilot):
        await pilot.press("6")
        await until(pilot, lambda: isinstance(pilot.app.screen, LabScreen))
        found = list(commands(pilot.app, pilot.app.screen))
        titles = [command.title for command in found]
        assert len(titles) == len(set(titles))
        for title in (
            "Stop what is computed, or back to the workbench",
            *GROUPS,
        ):
            assert any(each.startswith(title) for each in titles)
        by_title = {command.title: command for command in found}
        assert "3" in by_title["Design"].help


@pytest.mark.long
async def test_the_lab_can_be_opened_before_there_is_a_draft() -> None:
    app = Workbench(Settings(), None, FakeEngine)  # type: ignore[arg-type]
    async with app.run_test(size=(120, 40)) as pilot:
        app.workbench.draft = None
        app.workbench.action_lab()
        await until(pilot, lambda: isinstance(app.screen, LabScreen))
        shown = app.screen
        assert isinstance(shown, LabScreen)
        fake = shown._engine
        assert isinstance(fake, FakeEngine)
        app.workbench.open_draft(DRAFT)  # as once the first one is loaded, which it may be already
        await until(pilot, lambda: fake.questions)
        assert "quick" in seen(shown).casefold()


@pytest.mark.long
async def test_enter_puts_what_is_proposed_into_the_scenario() -> None:
    app = Workbench(Settings(), None, FakeEngine)  # type: ignore[arg-type]
    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: app.workbench.draft is not None)
        app.workbench.post_message(KeyEdited("sweep.protocol.kind", ["oue", "grr"]))
        await until(pilot, lambda: "sweep" in (app.workbench.draft.document or {}))  # type: ignore[union-attr]
        app.workbench.action_lab()
        await until(pilot, lambda: isinstance(app.screen, LabScreen))
        shown = app.screen
        assert isinstance(shown, LabScreen)
        shown.tab = "design"
        await until(pilot, lambda: shown._question is not None)
        shown._question = None
        table = list_rows("", ("quantity", "value", "formula", "source"), [])
        edits = (("protocol.kind", "ue"), ("protocol.epsilon", 0.7), ("protocol.keep", 0.9))
        shown.page.answer = AnswerSheet(table, edits=edits)
        shown.page.answer_inputs = shown.page.asked
        await pilot.press("enter")
        wanted = {"kind": "ue", "epsilon": 0.7, "keep": 0.9}
        document = dict(app.workbench.draft.document or {})  # type: ignore[union-attr]
        assert document["protocol"] == wanted
        assert "protocol.kind" not in drafts.sweep_of(app.workbench.draft)  # type: ignore[arg-type]
        app.workbench.action_undo()
        document = dict(app.workbench.draft.document or {})  # type: ignore[union-attr]
        assert document["protocol"]["kind"] != "ue"


@pytest.mark.parametrize(
    ("tab", "focused", "typed", "filled"),
    [
        ("conclude", "reports.1", {}, "reports.1"),
        ("conclude", "domain", {}, "domain"),
        ("conclude", "epsilon", {}, "reports.0"),  # it names example data
        ("conclude", "epsilon", {"reports": ("a.csv",)}, "reports.1"),
        ("disclose", "quasi", {}, "file"),
        ("deployment", "", {}, "reports.0"),
    ],
)
def test_the_field_that_a_chosen_file_goes_to(
    tab: str, focused: str, typed: dict[str, object], filled: str
) -> None:
    page = Page(TOPICS[tab], typed)
    expected = f"lab.{tab}.{filled}", *READ[filled.partition(".")[0]]
    assert page.field_to_read(DRAFT, f"lab.{tab}.{focused}") == expected
