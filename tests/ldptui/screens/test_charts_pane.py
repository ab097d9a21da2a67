"""Pane 4 in a small app: tabs, views, axes, what it asks to be simulated, what it shows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from support.chart_cases import scenario, snapshot
from support.charts_pane import (
    NARROW,
    NORMAL,
    QUICK_DRAFT,
    SMALL,
    WIDE,
    chart,
    edited,
    showing,
    shown,
)
from support.waiting import seen

from ldptui import scenarios
from ldptui.catalogue import metric_words
from ldptui.charts.series import Panels
from ldptui.core.scenario import load
from ldptui.screens.workbench.charts.headline import Headline
from ldptui.screens.workbench.charts.tabs import first_tab
from ldptui.session import draft as drafts
from ldptui.session.snapshot import ChartSelection
from ldptui.widgets.choice_bar import ChoiceBar

# --- Empty states


@pytest.mark.long
async def test_nothing_yet() -> None:
    async with showing(draft=None) as (pane, _):
        assert "loading" in seen(pane.app)
        assert pane.as_text().strip() == "loading …"
    async with showing() as (pane, _):
        assert seen(pane.app).count("waiting for the first trials …") == 1
    stopped = replace(snapshot(scenario()), status="cancelled", frequencies=None)
    async with showing(run=stopped) as (pane, _):
        assert seen(pane.app).count("runs the scenario") == 1


async def test_success_without_points_waits_in_the_words_of_the_other_charts() -> None:
    draft = drafts.draft_of(scenarios.path("hitters-beta").read_text(encoding="utf-8"), Path())
    async with showing(draft=draft) as (pane, pilot):
        await pilot.press("right", "right")
        assert pane.tab == "success"
        assert pane.as_text().strip() == "waiting for the first trials …"


async def test_a_failed_run_says_why_in_the_place_of_its_chart() -> None:
    failed = replace(
        snapshot(scenario()), status="failed", error="the worker died", frequencies=None
    )
    async with showing(run=failed) as (pane, _):
        assert "the run failed" in seen(pane.app)
        assert "the worker died" in seen(pane.app)


async def test_a_grid_needs_a_sweep_and_a_table_a_valid_scenario() -> None:
    run = snapshot(scenario())
    async with showing(run=replace(run, cells=run.cells[:1])) as (pane, pilot):
        pane.tab = "grid"
        await pilot.pause()
        assert "a in Parameters (2) sweeps a key" in seen(pane.app)
        pane.draft = edited("protocol.epsilon", 99)
        pane.tab = "table"
        await pilot.pause()
        assert "this scenario is not valid yet" in seen(pane.app)


async def test_no_attack_no_gain() -> None:
    async with showing(draft=edited("attack.kind", "none")) as (pane, pilot):
        pane.tab = "gain"
        await pilot.pause()
        assert "No attack, so no gain" in seen(pane.app)
        assert chart(pane, "gain") is None
        assert pane.selections(pane.draft) == (ChartSelection(),)


# --- Tabs, views, sizes


@pytest.mark.every(2)
@pytest.mark.parametrize(
    ("size", "charts"),
    [
        (NORMAL, ["bars"]),
        ((110, 20), ["bars", "rank"]),
        (NARROW, ["bars"]),
        (SMALL, ["bars"]),
        ((60, 52), ["bars", "rank"]),  # one over the other
        (WIDE, ["bars", "rank", "gain"]),
    ],
)
async def test_frequencies_fit_the_pane(size: tuple[int, int], charts: list[str]) -> None:
    async with showing(size, run=snapshot(scenario())) as (pane, _):
        assert shown(pane) == charts
        for name in charts:
            assert chart(pane, name) is not None
        assert all(len(line) == size[0] for line in seen(pane.app).split("\n"))
        tabs = seen(pane.app).split("\n")[1]
        assert "Freq" in tabs
        if size[0] >= 60:
            assert ("Equations" if size[0] > 62 else "Eqs") in tabs


async def test_an_edit_moves_no_chart() -> None:
    """Until the new result is there the words over the charts keep their rows."""
    async with showing(run=snapshot(scenario())) as (pane, pilot):
        headline, words, places = pane.query_one(Headline), list[bool](), []
        for draft, run in (
            (QUICK_DRAFT, snapshot(scenario())),
            (edited("attack.share", 0.1), snapshot(scenario())),
            (edited("attack.share", 0.1), snapshot(scenario(**{"attack.share": 0.1}))),
        ):
            pane.draft, pane.snapshot = draft, run
            await pilot.pause()
            words.append(headline.has_class("-found"))
            places.append((headline.region, pane.query_one("#frequencies").region))
        assert words == [True, False, True]
        assert places[0][0].height == 2
        assert set(places) == {places[0]}


async def test_view_key_goes_round() -> None:
    async with showing(NARROW, run=snapshot(scenario())) as (pane, pilot):
        views = []
        for _ in range(3):
            views.append(shown(pane))
            await pilot.press("v")
        assert views == [["bars"], ["rank"], ["residuals"]]


@pytest.mark.parametrize(
    ("name", "tab"),
    [
        *(("cao-gain-r", "gain"), ("protocol-choice", "error"), ("hidden-filters", "map")),
        *(
            ("slow-ramp", "timeline"),
            ("hitters-beta", "success"),
            ("rappor-strings", "frequencies"),
            ("rappor-normal", "frequencies"),  # its error has no closed form to vary
        ),
    ],
)
def test_a_scenario_opens_on_what_it_is_about(name: str, tab: str) -> None:
    assert first_tab(load(scenarios.path(name))) == tab


async def test_tabs_by_key_and_by_click() -> None:
    async with showing(run=snapshot(scenario(), "gain", "error")) as (pane, pilot):
        await pilot.press("right")
        assert (pane.tab, shown(pane)) == ("gain", ["gain"])
        await pilot.press("l")
        assert (pane.tab, shown(pane)) == ("error", ["error"])
        await pilot.press("h", "left")
        assert pane.tab == "frequencies"
        bar = pane.query_one("#tabs", ChoiceBar)
        await pilot.click(bar, offset=(seen(pane.app).split("\n")[1].index("Error"), 0))
        assert pane.tab == "error"


async def test_focus_follows_the_tab() -> None:
    async with showing(run=snapshot(scenario(), "gain")) as (pane, pilot):
        await pilot.press("right")
        assert pane.screen.focused is pane.query_one("#gain")
        assert pane.current_chart() is pane.query_one("#gain")


async def test_enter_opens_a_metric_of_the_grid_and_v_goes_back() -> None:
    async with showing(run=snapshot(scenario(), "gain")) as (pane, pilot):
        pane.tab = "grid"
        await pilot.pause()
        small: Panels = chart(pane, "grid")
        await pilot.press("full_stop", "full_stop")
        metric = metric_words(pane._boxes["grid"].at)
        assert [each.title for each in chart(pane, "grid").plots if "▸" in each.title] == [
            f"▸ {metric.name}"
        ]
        await pilot.press("enter")
        assert chart(pane, "grid").title.startswith(f"{metric.title} over the ")
        await pilot.press("v")
        assert [each.title for each in chart(pane, "grid").plots] == [
            each.title for each in small.plots
        ]


# --- Scales and quantities


async def test_a_cursor_reads_every_series_and_its_cell_is_taken() -> None:
    draft = edited("sweep.protocol.kind", ["oue", "olh"])
    draft = drafts.edit_key(draft, "sweep.attack.share", [0.01, 0.05, 0.1])
    made = draft.scenario
    async with showing(draft=draft, run=snapshot(made, "gain")) as (pane, pilot):
        app: Any = pane.app
        pane.tab = "gain"
        await pilot.press("full_stop", "full_stop")
        assert chart(pane, "gain").cursor == 0.05
        lines = seen(app).split("\n")
        head = next(line for line in lines if "β = 0.05" in line)
        assert "closed form" in head
        assert "± error" in head
        for kind in ("OUE", "OLH"):
            measured = next(
                each for each in chart(pane, "gain").series
                if each.label == kind and each.style == "points"
            )  # fmt: skip
            gain = dict(zip(measured.x, measured.y, strict=True))[0.05]
            read = next(line for line in lines if f"{kind}  " in line and f"  {gain:.3f}" in line)
            assert ("▸" in read) == (kind == "OUE")
        await pilot.press("j")
        assert "▸ OLH" in seen(app)
        await pilot.press("enter")
        assert app.proposed == [("protocol.kind", "olh"), ("attack.share", 0.05)]
        await pilot.press("end", "full_stop")  # stays at the end
        assert chart(pane, "gain").cursor == 0.1
        assert "┊" in pane.as_text()
        await pilot.press("home", "comma")
        assert chart(pane, "gain").cursor == 0.01
        assert pane.check_action("cursor", ("play",)) is True
        await pilot.press("backspace")
        assert chart(pane, "gain").cursor is None
        assert "β = 0.01" not in seen(app)
        assert pane.check_action("take", ()) is False
        for column, stop in ((12, 0.01), (36, 0.05), (54, 0.1), (0, 0.1)):  # the axis stays
            await pilot.click("#gain", offset=(column, 8))
            assert chart(pane, "gain").cursor == stop


async def test_log_keys() -> None:
    async with showing() as (pane, pilot):
        await pilot.press("right", "X")
        scales = []
        for _ in range(3):  # above 0 a gain over a logarithmic axis begins with one of its own
            drawn = chart(pane, "gain")
            scales.append((drawn.x.log, drawn.y.log, drawn.y.linear > 0))
            await pilot.press("c")
        assert scales == [(True, True, False), (True, False, True), (True, False, False)]
        await pilot.press("x")  # another variable has a scale of its own
        assert chart(pane, "gain").x.log is False
        await pilot.press("right", "c")
        assert chart(pane, "error").y.log is False


async def test_keys_are_offered_where_they_do_something() -> None:
    async with showing() as (pane, pilot):
        assert pane.check_action("view", ()) is False  # nothing is drawn yet
        assert pane.check_action("axis", ()) is False
        pane.tab = "gain"
        await pilot.pause()
        assert pane.check_action("axis", ()) is True
        assert pane.check_action("view", ()) is True
        pane.draft = edited("attack.kind", "none")  # no curve, so no axes
        assert not pane.check_action("axis", ())
        assert not pane.check_action("option", ("x",))


# --- Table, text, picture


async def test_one_report_and_equations_get_the_draft() -> None:
    async with showing() as (pane, pilot):
        for tab in ("report", "equations"):
            pane.tab = tab  # type: ignore[assignment]
            await pilot.pause()
            sheet: Any = pane.query_one(f"#{tab}")
            assert sheet.draft is QUICK_DRAFT
            changed = edited("protocol.epsilon", 2.0)
            pane.draft = changed
            assert sheet.draft is changed
            pane.draft = QUICK_DRAFT


async def test_texts_say_as_charts_do_what_there_is_to_doubt() -> None:
    run = snapshot(scenario())
    doubted = replace(run, cells=(replace(run.cells[0], warnings=("it protects nobody",)),))
    async with showing(run=doubted) as (pane, pilot):
        for tab in ("frequencies", "report", "equations"):
            pane.tab = tab  # type: ignore[assignment]
            await pilot.pause()
            assert "! it protects nobody" in seen(pane.app), tab
