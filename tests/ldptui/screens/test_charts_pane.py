"""Pane 4 in a small app: tabs, views, axes, what it asks to be simulated, what it shows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from support.chart_cases import QUICK, asked, scenario, snapshot
from support.charts_pane import (
    NARROW,
    NORMAL,
    QUICK_DRAFT,
    SMALL,
    WIDE,
    campaign,
    chart,
    showing,
    shown,
)
from support.waiting import seen
from textual.widgets import Static

from ldptui import scenarios
from ldptui.catalogue import metric_words
from ldptui.charts.curves import error_protocols
from ldptui.charts.series import Bars, Panels
from ldptui.core.experiment import compile
from ldptui.core.scenario import load
from ldptui.core.view import Ends, TrialEstimates
from ldptui.screens.workbench.charts import ChartsPane
from ldptui.screens.workbench.charts.headline import Headline
from ldptui.screens.workbench.charts.tabs import first_tab, tabs_of
from ldptui.session import draft as drafts
from ldptui.session.snapshot import ChartSelection, Overlay, Snapshot, with_rest
from ldptui.widgets.choice_bar import ChoiceBar
from ldptui.widgets.number_table import NumberTable
from ldptui.widgets.option_list import FilterInput


def edited(key: str, value: Any) -> drafts.Draft:
    return drafts.edit_key(QUICK_DRAFT, key, value)


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
        (NORMAL, ["bars", "rank"]),
        ((110, 20), ["bars", "rank"]),
        (NARROW, ["bars"]),
        (SMALL, ["bars"]),
        ((60, 40), ["bars", "rank"]),  # one over the other
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


# --- Cells


async def test_the_cells_follow_what_is_shown() -> None:
    async with showing(run=snapshot(scenario())) as (pane, pilot):
        app: Any = pane.app

        def swept() -> list[list[str]]:
            return [[*each.sweep] for each in pane.selections(QUICK_DRAFT)]

        assert (swept(), app.changes) == ([[]], 0)
        await pilot.press("right")
        assert (swept(), app.changes) == ([[], ["attack.share"]], 1)
        await pilot.press("t")
        assert (pane.tab, swept(), app.changes) == ("table", [[], ["attack.share"]], 1)
        await pilot.press("t", "right")
        # Every cell has the error without an attack: it is measured for none.
        assert (pane.tab, swept(), app.changes) == ("error", [[]], 2)


async def test_the_cells_can_be_run() -> None:
    async with showing(WIDE) as (pane, _):
        base, gain = (asked(QUICK_DRAFT.scenario, each) for each in pane.selections(QUICK_DRAFT))
        (cell,) = compile(base).cells
        assert cell.parameters == QUICK_DRAFT.cell.parameters  # type: ignore[union-attr]
        assert len(compile(gain).cells) == 11


def undotted(pane: ChartsPane) -> list[Any]:
    """The curves of the gain chart and their points, without the lines that bound them."""
    series_of = chart(pane, "gain").series
    return [series for series in series_of if series.style not in ("dotted", "floor")]


async def test_v_hides_the_lines_that_bound_a_gain() -> None:
    async with showing() as (pane, pilot):
        pane.tab = "gain"
        await pilot.pause()
        edges = [s.label for s in chart(pane, "gain").series if s.style == "dotted"]
        assert edges == ["no server can notice less than this"]
        await pilot.press("v")
        floors = [s.label for s in chart(pane, "gain").series if s.style == "floor"]
        assert floors == edges
        await pilot.press("v")
        dotted = [s.label for s in chart(pane, "gain").series if s.style == "dotted"]
        assert dotted == [
            "limit: proved coins, or no report",
            "limit: nobody notices",
            "limit: honest coins",
        ]
        assert chart(pane, "gain").levels
        await pilot.press("v")
        assert list(chart(pane, "gain").series) == undotted(pane)
        assert not chart(pane, "gain").levels
        await pilot.press("v")
        assert len(chart(pane, "gain").series) == len(undotted(pane)) + 1


async def test_another_axis_asks_for_other_cells() -> None:
    async with showing(run=snapshot(scenario(), "gain")) as (pane, pilot):
        await pilot.press("right", "x")
        assert "protocol.epsilon" in pane.selections(QUICK_DRAFT)[1].sweep
        app: Any = pane.app
        assert app.changes == 2
        assert chart(pane, "gain").x.label == "privacy budget ε"
        # Of what was simulated over β, one cell has the draft's β: it is a point of this curve too.
        line, points = undotted(pane)
        assert (line.label, list(points.x)) == ("MGA on OUE, closed form", [1.0])


async def test_the_swept_key_is_the_axis() -> None:
    text = QUICK + "\n[sweep]\n'protocol.epsilon' = [0.5, 1.0, 2.0]\n"
    draft = drafts.draft_of(text, Path())
    async with showing(draft=draft) as (pane, pilot):
        pane.tab = "gain"
        await pilot.pause()
        assert chart(pane, "gain").x.label == "privacy budget ε"
        assert pane.selections(draft)[1].sweep == {"protocol.epsilon": [0.5, 1.0, 2.0]}
        await pilot.press("x")
        assert chart(pane, "gain").x.label == "number of items d"


async def test_a_chosen_axis_stays_while_the_scenario_changes() -> None:
    async with showing() as (pane, pilot):
        await pilot.press("right", "x", "x")
        assert chart(pane, "gain").x.label == "number of items d"
        pane.draft = edited("protocol.epsilon", 2.0)
        await pilot.pause()
        assert chart(pane, "gain").x.label == "number of items d"


# --- What follows the draft and what follows the run


async def test_closed_forms_follow_the_draft_before_any_run() -> None:
    async with showing() as (pane, pilot):
        pane.tab = "gain"
        await pilot.pause()
        first = chart(pane, "gain").series[0].y[-1]
        pane.draft = edited("protocol.epsilon", 3.0)
        (line,) = undotted(pane)  # at once
        assert line.y[-1] < first


async def test_a_draft_that_is_not_valid_changes_nothing() -> None:
    async with showing(run=snapshot(scenario(), "gain")) as (pane, pilot):
        pane.tab = "gain"
        await pilot.pause()
        before = chart(pane, "gain")
        pane.draft = edited("protocol.epsilon", -1.0)
        assert pane.draft is not None
        assert pane.draft.problems
        await pilot.pause()
        assert chart(pane, "gain") is before


async def test_old_points_are_muted_until_new_ones_come() -> None:
    async with showing(run=snapshot(scenario(), "gain")) as (pane, pilot):
        pane.tab = "gain"
        await pilot.pause()
        assert [s.label for s in undotted(pane)][1:] == ["simulated"]
        changed = edited("protocol.epsilon", 2.0)
        pane.draft = changed
        assert [(s.label, s.tone) for s in undotted(pane)][1:] == [("other settings", "muted")]
        pane.snapshot = snapshot(changed.scenario, "gain", key=2)  # type: ignore[arg-type]
        assert [s.label for s in undotted(pane)][1:] == ["simulated"]


async def test_cells_are_drawn_while_their_closed_forms_are_worked_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("ldptui.charts.curves.closed.AT_ONCE", 0.0)
    monkeypatch.setattr("support.charts_pane.Shell.on_long_work", lambda *_: None)
    draft = edited("protocol.epsilon", 1.625)
    async with showing(draft=draft, run=snapshot(draft.scenario, "gain")) as (pane, pilot):  # type: ignore[arg-type]
        pane.tab = "gain"
        await pilot.pause()
        points = next(each for each in chart(pane, "gain").series if each.style == "points")
        assert len(points.x) > 1
        assert chart(pane, "gain").note.endswith("working out the closed forms …")


async def test_old_frequencies_say_so() -> None:
    async with showing(run=snapshot(scenario())) as (pane, _):
        assert "not the present settings" not in chart(pane, "bars").note
        changed = edited("protocol.epsilon", 2.0)
        before = pane.snapshot
        pane.draft = changed
        # Not with every key: most previews are over before it could be read.
        assert chart(pane, "bars").note == "mean of 20 trials ± standard error"
        pane.snapshot = with_rest(Snapshot(2, "running"), before)
        assert chart(pane, "bars").note.endswith("; not the present settings")
        pane.snapshot = snapshot(changed.scenario, key=2)  # type: ignore[arg-type]
        assert chart(pane, "bars").note == "mean of 20 trials ± standard error"


async def test_estimates_arrive_and_axes_stand_still() -> None:
    async with showing(run=snapshot(scenario(), status="running")) as (pane, pilot):
        bars: Bars = chart(pane, "bars")
        pane.snapshot = snapshot(scenario(), shift=0.001, status="running", key=1)
        await pilot.pause()
        moved: Bars = chart(pane, "bars")
        assert [bar.label for bar in moved.bars] == [bar.label for bar in bars.bars]
        assert moved.bars[0].value == pytest.approx(bars.bars[0].value + 0.001)


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


async def test_table_is_sorted_filtered_and_copied() -> None:
    async with showing(run=snapshot(scenario())) as (pane, pilot):
        await pilot.press("t")
        table = pane.query_one(NumberTable)
        assert pane.screen.focused is table
        assert len(table.rows) == 64
        await pilot.press("b", "b", "b")  # item, target, true
        assert [row[2] for row in table.rows] == sorted(
            (row[2] for row in table.rows), reverse=True
        )
        await pilot.press("slash", *"target")
        assert len(table.rows) == 5
        text = pane.as_text()
        assert text.count("\n") == 6
        assert text.startswith("item\t\ttrue\tbefore\tafter\t±\t")
        await pilot.press("escape")
        assert len(table.rows) == 64
        assert pane.screen.focused is table
        assert not pane.query_one(FilterInput).display


async def test_filter_takes_letters_that_are_keys_elsewhere() -> None:
    async with showing(run=snapshot(scenario())) as (pane, pilot):
        await pilot.press("t", "slash", *"vatsr")
        assert pane.tab == "table"
        assert pane.query_one(FilterInput).words == "vatsr"
        assert pane.query_one(NumberTable).rows == []


def field_row(pane: ChartsPane) -> str:
    """The words of the filter's row, its gaps closed."""
    field = pane.query_one(FilterInput)
    slash, count = (str(static.render()) for static in field.query(Static))
    return f"{slash} {field.words} {count}"


async def test_the_filter_of_the_table_has_its_sign_and_its_count() -> None:
    async with showing(run=snapshot(scenario())) as (pane, pilot):
        await pilot.press("t", "slash", *"target")
        field = pane.query_one(FilterInput)
        assert field_row(pane) == "/ target 5 of 64"
        await pilot.press("enter")
        assert pane.screen.focused is pane.query_one(NumberTable)
        assert field.display
        await pilot.press("escape")
        assert not field.display
        assert len(pane.query_one(NumberTable).rows) == 64


async def test_a_table_of_which_the_filter_leaves_nothing_says_so() -> None:
    async with showing(run=snapshot(scenario())) as (pane, pilot):
        await pilot.press("t", "slash", *"zebra")
        second = pane.query_one(NumberTable).render_line(1)
        assert second.text.rstrip() == "Nothing matches “zebra”."
        assert field_row(pane) == "/ zebra 0 of 64"


async def test_header_click_sorts() -> None:
    async with showing(run=snapshot(scenario())) as (pane, pilot):
        await pilot.press("t")
        table = pane.query_one(NumberTable)
        header = next(row for row in seen(pane.app).split("\n") if "after" in row)
        await pilot.click(table, offset=(header.index("after") - 1, 0))
        after = [row[4] for row in table.rows]
        assert after == sorted(after, reverse=True)  # type: ignore[type-var]
        await pilot.click(table, offset=(header.index("after") - 1, 0))
        assert [row[4] for row in table.rows] == after[::-1]


async def test_table_keeps_its_order_while_a_run_goes_on() -> None:
    async with showing(run=snapshot(scenario(), status="running")) as (pane, pilot):
        await pilot.press("t", "b")
        await pilot.press("down", "down")
        table = pane.query_one(NumberTable)
        items = [row[0] for row in table.rows]
        pane.snapshot = snapshot(scenario(), shift=0.01)
        await pilot.pause()
        assert [row[0] for row in table.rows] == items
        assert table.cursor == 2
        assert table.rows[0][3] != snapshot(scenario()).frequencies.clean.mean[0]  # type: ignore[union-attr]


async def test_table_scrolls_to_the_cursor() -> None:
    async with showing((76, 16), run=snapshot(scenario())) as (pane, pilot):
        await pilot.press("t", "G")
        table = pane.query_one(NumberTable)
        assert table.cursor == 63
        assert str(table.rows[63][0]) in seen(pane.app)
        assert table.render_line(0).text.startswith("item")  # the heading stays
        await pilot.press("g")
        assert table.scroll_y == 0


async def test_a_table_that_is_wider_scrolls_by_columns() -> None:
    async with showing((44, 16), run=snapshot(scenario(), "gain")) as (pane, pilot):
        await pilot.press("right", "t")
        table = pane.query_one(NumberTable)
        assert table.table is not None
        columns = [column.name for column in table.table.columns]
        assert "trials" not in table.render_line(0).text
        for _ in columns:
            await pilot.press("L")
        assert table.render_line(0).text.rstrip().endswith(columns[-1])
        last = table.table.columns[-1].text(table.rows[0][-1])
        assert table.render_line(1).text.split()[-1] == last


async def test_table_of_another_chart() -> None:
    async with showing(run=snapshot(scenario(), "gain", "error")) as (pane, pilot):
        await pilot.press("right", "t")
        table = pane.query_one(NumberTable)
        assert table.table is not None
        assert table.table.title.startswith("Gain over β; 95 %: ± × 2.09")
        assert len(table.rows) == 11  # the four lines that it is held against are columns
        await pilot.press("v")
        assert table.table.title.startswith("Mean squared error over ε")
        kinds = [kind.upper() for kind in error_protocols(scenario())]
        of_kinds = [row for row in table.table.rows if row[0] in kinds]
        assert len(of_kinds) == 11 * len(kinds) + 1  # and the base
        await pilot.press("t")
        assert pane.tab == "error"


@pytest.mark.every(3)
@pytest.mark.parametrize("tab", ["table", "report", "equations"])
async def test_news_while_a_tab_is_being_made(tab: Any) -> None:
    async with showing(run=snapshot(scenario())) as (pane, pilot):
        pane.tab = tab
        pane.snapshot = snapshot(scenario(), shift=0.01, key=2)
        pane.draft = edited("protocol.epsilon", 2.0)
        await pilot.pause()
        assert pane.tab == tab
        assert pane.query_one(f"#{tab}").display
        assert pane.as_text().strip()


async def test_the_table_is_made_anew_only_for_new_numbers() -> None:
    async with showing(run=snapshot(scenario())) as (pane, pilot):
        await pilot.press("t")
        table = pane.query_one(NumberTable)
        before = table.table
        pane.draft = edited("protocol.epsilon", 2.0)
        assert table.table is before
        pane.snapshot = snapshot(scenario(), shift=0.01, key=2)
        assert table.table is not before


async def test_text_and_picture_of_the_current_chart() -> None:
    async with showing(run=snapshot(scenario(), "gain")) as (pane, pilot):
        assert pane.as_text().startswith("Targets, top items")
        assert "Targets" in pane.as_svg()
        await pilot.press("right")
        assert pane.as_text().startswith("Gain of the attack")
        pane.tab = "table"
        await pilot.pause()
        assert pane.current_chart() is None
        assert pane.as_svg() == ""


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


# --- The rounds of a campaign


def test_there_is_a_timeline_only_of_a_campaign_and_single_trials_only_without() -> None:
    for draft, there in ((QUICK_DRAFT, "trials"), (campaign()[0], "timeline")):
        tabs = dict(tabs_of(draft))
        assert [name for name in ("trials", "timeline") if name in tabs] == [there]
    # Nor has one that is not valid yet.
    broken = drafts.draft_of("format = 1\n[protocol]\n", Path())
    assert (broken.cell, "timeline" in dict(tabs_of(broken))) == (None, False)


async def test_single_trials_are_asked_for_and_read_one_by_one() -> None:
    seen_trials = TrialEstimates(
        (7, 0), ("seven", "zero"), 1, (0.02, 0.2),
        {"clean": ((0.01, 0.03), (0.21, 0.19)), "attacked": ((0.11, 0.14), (0.18, 0.17))},
        {"clean": ((0.02, 0.01), (0.2, 0.01)), "attacked": ((0.12, 0.01), (0.18, 0.01))},
    )  # fmt: skip
    run = snapshot(scenario())
    async with showing(run=run) as (pane, pilot):
        assert not pane.selections(QUICK_DRAFT)[0].by_trial
        pane.tab = "trials"
        await pilot.pause()
        assert pane.selections(QUICK_DRAFT)[0].by_trial
        assert "waiting for the estimates of single trials" in seen(pane.app)
        pane.snapshot = replace(run, by_trial=seen_trials)
        await pilot.press("n", "n")
        drawn = next(each for each in chart(pane, "trials").series if each.label == "trial 2")
        assert sorted(drawn.x) == [0.03, 0.14, 0.17, 0.19]
        lines = [line for line in seen(pane.app).split("\n") if "seven" in line]
        read = lines[-1].strip("│").split()
        assert read == ["▸", "seven", "0.020", "0.030", "0.140", "+2.00"]
        await pilot.press("j", "t")
        assert len(pane.table().rows) == 4  # type: ignore[union-attr]
        assert pane.check_action("take", ()) is not True
        await pilot.press("t")
        two = (0.1, 0.2)
        ends = Ends(1000, 0.05, ("seven", "zero"), *[two] * 6, overturning=(0.02, None))
        pane.snapshot = replace(
            run, by_trial=seen_trials, frequencies=replace(run.frequencies, ends=ends)
        )
        await pilot.press("v", "n")
        assert chart(pane, "trials").title == "What one collection still tells (95 %)"
        assert "naive low" in seen(pane.app)
        assert [row[0] for row in pane.table().rows] == ["seven", "zero"]  # type: ignore[union-attr]


async def test_the_timeline_goes_round_its_views_and_the_metrics_in_python() -> None:
    draft, run = campaign()
    assert run.rounds is not None
    metrics = {**run.rounds.metrics, "far_off": run.rounds.metrics["mse"]}
    run = replace(run, rounds=replace(run.rounds, metrics=metrics))
    async with showing(draft=draft, run=run) as (pane, pilot):
        pane.tab = "timeline"
        await pilot.pause()
        views = []
        for _ in range(7):
            views.append(chart(pane, "timeline").title)
            await pilot.press("v")
        assert len(set(views)) == 6
        assert views[5] == "Far off over the rounds"
        assert views[0] == views[6]
        assert pane.selections(draft) == (ChartSelection(),)


async def test_targets_one_after_the_other() -> None:
    draft, run = campaign()
    assert run.rounds is not None
    async with showing(draft=draft, run=run) as (pane, pilot):
        pane.tab = "timeline"
        await pilot.pause()
        every = chart(pane, "timeline").title
        await pilot.press("j")
        assert f"target {run.rounds.targets[0]} " in chart(pane, "timeline").title
        await pilot.press("k", "k")
        assert f"target {run.rounds.targets[-1]} " in chart(pane, "timeline").title
        await pilot.press("j")
        assert chart(pane, "timeline").title == every


async def test_the_table_has_the_rounds() -> None:
    draft, run = campaign()
    async with showing(draft=draft, run=run) as (pane, pilot):
        pane.tab = "timeline"
        await pilot.pause()
        await pilot.press("t")
        assert len(pane.as_text().splitlines()) == 6
        assert "ε spent" in seen(pane.app)
        await pilot.press("t")
        assert pane.tab == "timeline"


async def test_rounds_that_come_and_go_lay_the_tab_out() -> None:
    draft, run = campaign()
    async with showing(WIDE, draft=draft, run=None) as (pane, pilot):
        pane.tab = "timeline"
        await pilot.pause()
        assert shown(pane) == ["timeline"]
        pane.snapshot = run
        await pilot.pause()
        assert "timeline-next" in shown(pane)
        pane.draft, pane.snapshot = QUICK_DRAFT, snapshot(scenario())
        await pilot.pause()
        assert pane.tab != "timeline"  # which a scenario without rounds does not have
        assert "timeline" not in shown(pane)


def test_rounds_stay_while_the_next_run_has_none_yet() -> None:
    _, run = campaign()
    starting = Snapshot(2, "running")
    assert with_rest(starting, run).rounds is run.rounds
    assert with_rest(starting, run).round_frequencies is run.round_frequencies
    other = replace(snapshot(scenario()), status="running")
    assert with_rest(other, run).rounds is None


def test_points_of_a_preview_stay_until_the_run_has_its_own() -> None:
    preview = snapshot(scenario(), "gain")
    base, second, *_ = preview.cells
    ours = replace(second, trials=7, parameters={**second.parameters, "trials": 90})
    run = with_rest(Snapshot(2, "running", full=True, cells=(ours,)), preview)
    assert len(run.cells) == len(preview.cells)
    assert run.table.at(second.parameters) == ours
    assert run.base_cell == base
    # Those of other settings are on no curve of the new ones.
    other = scenario(protocol__epsilon=2.5)
    changed = with_rest(replace(snapshot(other), status="running"), preview)
    assert [
        cell.parameters["protocol.epsilon"] for cell in changed.table.along("attack.share")
    ] == [2.5]


async def test_a_cursor_goes_through_the_rounds_and_the_frequencies_follow() -> None:
    draft, run = campaign()
    async with showing(draft=draft, run=run) as (pane, pilot):
        before = chart(pane, "bars")
        assert "all 5 rounds" in seen(pane.app)
        await pilot.press("full_stop", "full_stop")
        assert pane.cursor == 1
        assert "round 1 of 0–4" in seen(pane.app)
        assert chart(pane, "bars").title.endswith("round 1 of 0–4")
        third = run.round_frequencies[1]
        at = third.labels.index(chart(pane, "bars").bars[0].label)
        assert chart(pane, "bars").bars[0].value == third.attacked_estimates.mean[at]
        await pilot.press("t")
        assert pane.table() is not None
        assert "round 1 of 0–4" in str(pane.table() and pane.table().title)  # type: ignore[union-attr]
        await pilot.press("t")
        await pilot.press("comma")
        assert pane.cursor == 0
        await pilot.press("end")
        assert pane.cursor == 4
        await pilot.press("home")
        assert pane.cursor == 0
        await pilot.press("backspace")
        assert pane.cursor is None
        assert chart(pane, "bars").bars == before.bars
        pane.tab = "timeline"
        await pilot.pause()
        await pilot.click("#timeline", offset=(pane.size.width - 8, 8))
        assert pane.cursor == 4


async def test_the_cursor_is_drawn_and_only_where_there_are_rounds() -> None:
    draft, run = campaign()
    async with showing(draft=draft, run=run) as (pane, pilot):
        pane.tab = "timeline"
        await pilot.press("full_stop", "full_stop", "full_stop")
        assert chart(pane, "timeline").cursor == 2
        pane.tab = "gain"
        await pilot.pause()
        assert not pane.query_one("#round").display
        await pilot.press("full_stop")
        assert pane.cursor == 2
        pane.draft, pane.snapshot = QUICK_DRAFT, snapshot(scenario())
        await pilot.pause()
        assert pane.cursor is None
        pane.tab = "frequencies"
        await pilot.pause()
        assert not pane.query_one("#round").display


async def test_a_round_that_is_not_kept_shows_the_one_before() -> None:
    draft, run = campaign()
    thinned = replace(run, round_frequencies={0: run.round_frequencies[0]})
    async with showing(draft=draft, run=thinned) as (pane, pilot):
        await pilot.press("end")
        assert pane.cursor == 4
        assert chart(pane, "bars").title.endswith("round 0 of 0–4")
        laid = replace(snapshot(scenario()), key=2)
        pane.overlays = (Overlay("flat", laid),)
        await pilot.pause()
        assert chart(pane, "bars").title.endswith("round 0 of 0–4")
