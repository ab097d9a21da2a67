"""The workbench with a scenario of numbers: each tab shows the mean, or is not there."""

from __future__ import annotations

from pathlib import Path

from support.views import Working, settled, show
from support.waiting import seen, until
from support.workbench_app import own_home  # noqa: F401

from ldptui.app import Workbench
from ldptui.screens.workbench.charts.tabs import first_tab, tabs_of
from ldptui.session.draft import draft_of
from ldptui.terminal.settings import Settings

MEAN = """format = 1
title = "Ages"
trials = 4
population = { kind = "normal", items = 101, users = 10_000, mean = 40, std = 15 }
protocol = { kind = "sr", epsilon = 1.0 }
attack = { kind = "mga", share = 0.05, targets = { items = [100] } }
task = { kind = "mean", low = 0.0, high = 100.0 }
"""
SWEPT = MEAN + '[sweep]\n"protocol.epsilon" = [0.5, 1.0]\n"attack.kind" = ["mga", "input"]\n'

READ = {
    "Metrics": ("shift of the mean over", "MGA"),
    "Map": ("Mean, attacked", "mga", "input"),
    "One report": ("A genuine user", "t = ", "takes it for the number", "A fake user: MGA"),
    "Table": ("Mean, attacked", "closed form"),
    "Equations": ("c = (e^ε + 1) / (e^ε − 1)", "2.164"),
}


def names(text: str) -> list[str]:
    return [words for _, words in tabs_of(draft_of(text, Path()))]


def test_the_tabs_are_those_that_a_mean_has() -> None:
    assert names(SWEPT) == [*READ]
    assert names(MEAN) == [name for name in READ if name != "Map"]
    assert first_tab(draft_of(MEAN, Path()).scenario) == "success"


async def test_every_tab_shows_the_mean() -> None:
    app = Workbench(Settings(), None, Working)
    async with app.run_test(size=(130, 40)) as pilot:
        screen = app.workbench
        await until(pilot, lambda: screen.draft is not None)
        screen.open_draft(draft_of(SWEPT, Path()))
        await settled(app, pilot)
        for tab, words in READ.items():
            await show(f"tab {'Success' if tab == 'Metrics' else tab}", app, pilot)
            shown = seen(app)
            assert [each for each in words if each not in shown] == [], tab


async def test_every_pane_says_what_holds_of_numbers() -> None:
    app = Workbench(Settings(), None, Working)
    async with app.run_test(size=(130, 40)) as pilot:
        screen = app.workbench
        await until(pilot, lambda: screen.draft is not None)
        screen.open_draft(draft_of(MEAN, Path()))
        await settled(app, pilot)
        for pane, words in {
            "Protocol": ("● SR", "c = 2.164", "least MSE of the mean, ε = 1"),
            "Parameters": ("range from", "range to"),
            "Attack": ("‹ mga ›", "m = 526"),
            "Defences": ("+ add a step",),
            "Runs": ("SR ε=1, MGA β=0.05",),
        }.items():
            await show(f"pane {pane}", app, pilot)
            shown = seen(app)
            assert [each for each in words if each not in shown] == [], pane


async def test_nothing_is_said_of_frequencies() -> None:
    """No other protocol is compared, and an attack without targets has none."""
    app = Workbench(Settings(), None, Working)
    steered = MEAN.replace('"mga", share = 0.05, targets = { items = [100] }',
                           '"opa", share = 0.05, mean = 43.0')  # fmt: skip
    async with app.run_test(size=(130, 40)) as pilot:
        screen = app.workbench
        await until(pilot, lambda: screen.draft is not None)
        screen.open_draft(draft_of(steered, Path()))
        await settled(app, pilot)
        await show("pane Protocol", app, pilot)
        assert "● SR" in seen(app)
        assert "least MSE at" not in seen(app)
        await show("pane Attack", app, pilot)
        assert "m = 526 fakes" in seen(app)
        assert "f_T" not in seen(app)


def test_a_protocol_of_numbers_without_the_task_is_refused_in_a_sentence() -> None:
    draft = draft_of(MEAN.replace('task = { kind = "mean", low = 0.0, high = 100.0 }', ""), Path())
    (problem,) = draft.problems
    assert problem.key == "protocol.kind"
    assert 'SR, which tells the mean of numbers (task.kind = "mean")' in problem.message
