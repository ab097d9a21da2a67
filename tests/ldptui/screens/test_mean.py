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
    "Metrics": ("over the privacy budget ε", "MGA"),
    "Map": ("Mean, attacked", "mga", "input"),
    "One report": ("A genuine user", "t = ", "takes it for the number", "A fake user: MGA"),
    "Grid": ("All metrics over the privacy budget ε",),
    "Table": ("Mean, attacked", "closed form"),
    "Equations": ("c = (e^ε + 1) / (e^ε − 1)", "2.164"),
}


def names(text: str) -> list[str]:
    return [words for _, words in tabs_of(draft_of(text, Path()))]


def test_the_tabs_are_those_that_a_mean_has() -> None:
    assert names(SWEPT) == [*READ]
    assert names(MEAN) == [name for name in READ if name != "Map"]
    assert first_tab(draft_of(MEAN, Path()).scenario) == "success"


PANES = {
    "Protocol": ("● SR",),
    "Parameters": ("range from", "range to"),
    "Attack": ("‹ mga ›", "+ a server's defence"),
}
STEERED = MEAN.replace('"mga", share = 0.05, targets = { items = [100] }',
                       '"opa", share = 0.05, mean = 43.0')  # fmt: skip


async def test_tabs_and_panes_show_a_mean_and_say_nothing_of_frequencies() -> None:
    """No other protocol is compared, and an attack without targets has none."""
    tabs = {f"tab {'Success' if tab == 'Metrics' else tab}": words for tab, words in READ.items()}
    panes = {f"pane {pane}": words for pane, words in PANES.items()}
    steered = {"pane Protocol": ("● SR",), "pane Attack": ("‹ opa ›",)}
    app = Workbench(Settings(), None, Working)
    async with app.run_test(size=(130, 40)) as pilot:
        await until(pilot, lambda: app.workbench.draft is not None)
        for text, views in ((SWEPT, tabs), (MEAN, panes), (STEERED, steered)):
            app.workbench.open_draft(draft_of(text, Path()))
            await settled(app, pilot)
            for view, words in views.items():
                await show(view, app, pilot)
                shown = seen(app)
                assert [each for each in words if each not in shown] == [], view
                unsaid = ("f_T",) if text is STEERED else ()
                assert [each for each in unsaid if each in shown] == [], view


def test_a_protocol_of_numbers_without_the_task_is_refused_in_a_sentence() -> None:
    draft = draft_of(MEAN.replace('task = { kind = "mean", low = 0.0, high = 100.0 }', ""), Path())
    (problem,) = draft.problems
    assert problem.key == "protocol.kind"
    assert 'SR, which tells the mean of numbers (task.kind = "mean")' in problem.message
