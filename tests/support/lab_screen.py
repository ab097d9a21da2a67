"""The Lab screen alone, with an engine that answers in place."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

from textual.pilot import Pilot
from textual.widgets import Static

from ldptui.messages import KeyEdited
from ldptui.questions.sheet import AnswerSheet
from ldptui.screens.lab.lab_screen import LabScreen
from ldptui.session.draft import draft_of
from ldptui.widgets.field import Field
from support.chart_cases import QUICK
from support.fake_engine import LabEngine
from support.styled_app import StyledApp
from support.waiting import until

DRAFT: Final = draft_of(QUICK, Path())


class Shell(StyledApp):
    def __init__(self, engine: type[LabEngine], charset: str = "braille") -> None:
        super().__init__()
        self.charset = charset
        self.lab = LabScreen(engine)  # type: ignore[arg-type]

    def on_mount(self) -> None:
        self.lab.follow(DRAFT)
        self.install_screen(self.lab, "lab")
        self.push_screen("lab")


@asynccontextmanager
async def lab(
    size: tuple[int, int] = (120, 40),
    engine: type[LabEngine] = LabEngine,
    charset: str = "braille",
) -> AsyncIterator[tuple[LabScreen, LabEngine, Pilot[None]]]:
    """The screen with the answer to a tab that needs no scenario."""
    app = Shell(engine, charset)
    app.lab.tab = "accuracy"
    async with app.run_test(size=size) as pilot:
        fake = app.lab._engine
        assert isinstance(fake, LabEngine)
        await until(pilot, lambda: fake.questions)
        await until(pilot, lambda: fake.held or "accuracy" in answers_of(app.lab))
        yield app.lab, fake, pilot


def answers_of(screen: LabScreen) -> dict[str, AnswerSheet]:
    """The answers that are there, by topic."""
    return {name: page.answer for name, page in screen.pages.items() if page.answer is not None}


def field(screen: LabScreen, name: str) -> Field:
    key = f"lab.{screen.tab}.{name}"
    [found] = [field for field in screen.query(Field) if field.key == key]
    return found


async def show_table(screen: LabScreen, pilot: Pilot[None]) -> None:
    """Go through the views to the one with the table."""
    screen.set_focus(None)
    while not screen.query_one("#lab-table-box").is_on_screen:
        await pilot.press("v")


async def edit(screen: LabScreen, pilot: Pilot[None], name: str, value: object) -> None:
    """Change a value, and wait for what comes of it."""
    engine = screen._engine
    assert isinstance(engine, LabEngine)
    before = len(engine.questions)
    screen.post_message(KeyEdited(f"lab.{screen.tab}.{name}", value))
    await until(pilot, lambda: len(engine.questions) > before)
    await until(pilot, lambda: engine.held or screen._question is None)


async def go(screen: LabScreen, pilot: Pilot[None], tab: str) -> None:
    screen.tab = tab
    await until(pilot, lambda: tab in answers_of(screen) and screen._question is None)


def problem(screen: LabScreen, name: str) -> str:
    """The sentence below a field; empty where its value is right."""
    [line] = field(screen, name).query(".problem").results(Static)
    return str(line.visual) if line.display else ""
