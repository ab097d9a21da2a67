"""The README's first five minutes: its keys pressed, and each number read where it says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from support.views import Working
from support.waiting import seen, until
from support.workbench_app import finished, own_home, workbench
from textual.pilot import Pilot

from ldptui.app import Workbench
from ldptui.terminal.settings import Settings

__all__ = ["own_home"]

README = Path(__file__).parents[3] / "README.md"
SIZES = [(80, 24), *(pytest.param(size, marks=pytest.mark.long) for size in ((120, 30), (120, 40)))]


def steps() -> list[str]:
    """The numbered steps of the section, each in one line."""
    section = README.read_text("utf-8").split("## The first five minutes")[1].split("```")[0]
    return [" ".join(step.split()) for step in re.split(r"^\d\. ", section, flags=re.MULTILINE)[1:]]


def number(step: str, start: str) -> str:
    """The number behind some words of a step."""
    return re.search(re.escape(start) + r"[^\d]*(\d+\.\d+)", step)[1]  # type: ignore[index]


async def reads(pilot: Pilot[None], pattern: str) -> None:
    """Wait until the screen has this text."""
    await until(pilot, lambda: re.search(pattern, seen(pilot.app)) is not None)


@pytest.mark.parametrize("size", SIZES)
async def test_the_first_five_minutes_are_as_the_readme_has_them(size: tuple[int, int]) -> None:
    first, gain, grr, budget, on = steps()
    app = Workbench(Settings(), None, Working)
    async with app.run_test(size=size) as pilot:
        screen = app.workbench
        await reads(pilot, rf"▸ 70.*{number(first, 'each of them at about')}\d+")
        await pilot.press("4", "right")
        at = number(gain, "gain at β = 0.05:")
        await reads(pilot, rf"gain is {at}, as the closed form says")

        def chosen(kind: str) -> bool:
            assert screen.draft is not None
            return screen.draft.document["protocol"]["kind"] == kind

        async def gains(number: str, pane: str) -> None:
            """Read the gain in the sentence over the charts, and go back to a pane."""
            await pilot.press("escape", "4")
            said = re.compile(r"gain is (\d+(?:\.\d+)?)")
            await until(pilot, lambda: f"{float(said.search(seen(app))[1]):.3g}" == number)  # type: ignore[index]
            await pilot.press(pane)

        await pilot.press("1", "k", "k")
        await until(pilot, lambda: chosen("grr"))
        await gains(number(grr, "The gain follows:"), "1")
        await pilot.press("j", "j")
        await until(pilot, lambda: chosen("oue"))
        await pilot.press("2", "enter")
        while screen._field != "protocol.epsilon":
            await pilot.press("tab")
            await pilot.pause()
        await pilot.press("2")
        assert screen.draft is not None
        await until(pilot, lambda: screen.draft.document["protocol"]["epsilon"] == 2)  # type: ignore[union-attr]
        await gains(number(budget, "less gain:"), "2")
        await pilot.press("escape", "4")
        named = ["Error", "Trials", "One report", "Grid", "Table", "Equations"]
        assert all(name.lower() in on for name in named)
        titles = dict(screen.charts.tabs())
        for title in named:
            await pilot.press("right")
            await until(pilot, lambda title=title: titles[screen.charts.tab] == title)  # type: ignore[misc]
        await pilot.press("6")
        await reads(pilot, "privacy lab")
        await pilot.press("escape", "escape", "question_mark")
        await until(pilot, lambda: type(app.screen).__name__ == "HelpScreen")


async def test_nothing_plays_by_itself() -> None:
    """Once the preview is there, nothing comes again and again but the look for other runs."""
    async with workbench() as (screen, engine, pilot):
        finished(engine)
        await pilot.press("4")
        nodes = (pilot.app, *screen.walk_children(with_self=True))
        timers = (timer for node in nodes for timer in node._timers if timer._repeat is None)
        ours = [each._callback for each in timers if each._callback.__module__.startswith("ldptui")]
        assert ours == [screen._kept.watch]
        assert screen.replay_bar.replay is None


async def test_the_first_screen_has_at_most_180_words_and_numbers() -> None:
    """Blanks, frames and middle dots part them; a sign alone, as of a bar, is none."""
    app = Workbench(Settings(), None, Working)
    async with app.run_test(size=(120, 40)) as pilot:
        await reads(pilot, "preview done")
        shown = re.split(r"[\s·\u2500-\u257f]+", seen(app))
        assert sum(any(map(str.isalnum, each)) for each in shown) <= 180
