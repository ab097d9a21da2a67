"""Pane 4: what the protocol estimates, what an attack gains, and the numbers behind it.

The closed forms follow the draft at once; what was simulated comes with snapshots. Points of other
settings than the draft's are shown muted until the new ones arrive.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, Final, Literal, TypeVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.reactive import reactive
from textual.widget import Widget
from textual.widgets import Static

from ..format import percent, short
from ..messages import PartsChanged, RoundShown
from .blank import Area, Columns, Rows
from .choice_bar import ChoiceBar, Choices
from .fitting import fitted
from .plot import ChartView
from .transport_bar import TransportBar

if TYPE_CHECKING:
    from core.scenario import Scenario

    from ..curves import Curve, Variable
    from ..draft import Draft
    from ..figures import Quantity, Table
    from ..series import Bars, Plot
    from ..snapshot import BitCounts, CellView, Frequencies, Overlay, Part, Rounds, Snapshot

Tab = Literal[
    "frequencies", "gain", "error", "timeline", "answer", "report", "privacy", "table", "equations"
]
Chart = Literal["frequencies", "gain", "error", "timeline"]
View = Literal["both", "bars", "rank", "residuals", "bits"]
Course = Literal["estimates", "gain", "ranks", "top", "spent"]

TABS: Final[Choices] = (
    ("frequencies", "Frequencies"),
    ("gain", "Gain"),
    ("error", "Error"),
    ("timeline", "Timeline"),
    ("answer", "Answer"),
    ("report", "One report"),
    ("privacy", "Privacy"),
    ("table", "Table"),
    ("equations", "Equations"),
)
SHORTER: Final = {"report": "Report"}
"""Names of tabs in a pane so narrow that not all would be seen."""
CHARTS: Final[tuple[Chart, ...]] = ("frequencies", "gain", "error", "timeline")
VIEWS: Final[dict[View, str]] = {
    "both": "rank and bars",
    "bars": "bars",
    "rank": "rank",
    "residuals": "residuals",
    "bits": "bits",
}

COURSES: Final[dict[Course, str]] = {
    "estimates": "estimates",
    "gain": "gain",
    "ranks": "ranks",
    "top": "top k",
    "spent": "privacy",
}
"""What the Timeline shows over the rounds."""

ESTIMATES: Final = ("rank", "bits", "bars", "residuals")
"""The charts of the tab Frequencies."""

BESIDE: Final = 72
"""From this width the rank plot and the bars stand side by side."""

WIDE: Final = 128
"""From this width two of the tabs' charts stand side by side."""

STACKED: Final = 34
"""From this height the rank plot stands over the bars where it cannot stand beside them."""

BARS: Final = 40
"""The width at which bars still show an estimate and its change."""

LOADING = "loading …"
NO_ESTIMATE = "no estimate yet: ctrl+r runs the scenario"
NO_ATTACK = "No attack, so no gain. Pane 3 has the attacks: press 3."
PHASED = "The attack has phases: the Timeline shows the gain of every round."
NO_AXIS = "Nothing here can be varied: give the scenario a population with items and users."
NO_ROUNDS = (
    "One collection, so no rounds. A campaign has them: in pane 3 choose phases, or write "
    "[campaign] with rounds = 10 in its script."
)
OTHER = "not the present settings"


class ChartsPane(Vertical):
    """One tab at a time: Frequencies, Gain, Error, Timeline, One report, Table, Equations.

    `draft` gives the closed forms, `snapshot` what was simulated, `overlays` other runs over it.
    Posts PartsChanged when other parts have to be simulated than `parts` said before.
    """

    BORDER_TITLE = "4 Charts"
    DEFAULT_CSS = """
    ChartsPane {
        border: round $foreground 25%;
        border-title-color: $text-muted;
        & #charts { height: 1fr; }
        & #frequencies { width: 1fr; height: 1fr; layout: vertical; }
        & #frequencies.-beside { layout: horizontal; }
        & #frequencies.-beside #bars { margin-left: 1; }
        & #frequencies.-stacked #bars { margin-top: 1; }
        & .curve { width: 1fr; height: 1fr; }
        & #charts.-wide .curve { margin-left: 2; }
        & #charts.-wide #error-box, & #charts.-wide #timeline-box { margin-left: 0; }
        & #charts.-wide.-timeline #frequencies { margin-left: 2; }
        & #rounds-below { margin-top: 1; }
        & .sheet { height: 1fr; }
        & #warnings { height: auto; max-height: 4; color: $text-warning; }
        &:ansi #warnings { text-style: bold; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "left,h,left_square_bracket", "tab(-1)", "Tab before", show=False, id="charts.previous"
        ),
        Binding("right,l,right_square_bracket", "tab(1)", "Next tab", show=False, id="charts.next"),
        Binding("v", "view", "View", id="charts.view"),
        Binding("t", "table", "Table", id="charts.table"),
        Binding("a", "axis", "Axis", id="charts.axis"),
        Binding("x", "log('x')", "Log x", id="charts.log-x"),
        Binding("c", "log('y')", "Log y", id="charts.log-y"),
        Binding("j,down", "cohort(1)", "Next cohort, target", id="charts.next-cohort"),
        Binding(
            "k,up", "cohort(-1)", "Cohort, target before", show=False, id="charts.cohort-before"
        ),
        Binding("space", "play", "Play rounds", id="charts.play"),
        Binding("full_stop", "step(1)", "Step", id="charts.step", key_display=", ."),
        Binding("comma", "step(-1)", "Step back", show=False, id="charts.step-back"),
        Binding("p", "pool", "All rounds", id="charts.pool"),
        Binding("home", "round(0)", "First round", show=False, id="charts.first-round"),
        Binding("end", "round(-1)", "Last round", show=False, id="charts.last-round"),
        Binding("plus,equals_sign", "faster(1)", "Faster", show=False, id="charts.faster"),
        Binding("minus", "faster(-1)", "Slower", show=False, id="charts.slower"),
        Binding("J,pagedown", "cohort(10)", "10 cohorts on", show=False, id="charts.cohorts-on"),
        Binding("K,pageup", "cohort(-10)", "10 back", show=False, id="charts.cohorts-back"),
    ]

    # A repaint of the pane would send all that is in it: each chart knows what it has to send.
    draft: reactive[Draft | None] = reactive(None, always_update=True, init=False, repaint=False)
    snapshot: reactive[Snapshot | None] = reactive(None, init=False, repaint=False)
    overlays: reactive[tuple[Overlay, ...]] = reactive((), init=False, repaint=False)
    tab: reactive[Tab] = reactive("frequencies", init=False, repaint=False)
    view: reactive[View] = reactive("both", init=False, repaint=False)
    quantity: reactive[Quantity] = reactive("mse", init=False, repaint=False)
    cohort: reactive[int] = reactive(0, init=False, repaint=False)
    course: reactive[Course] = reactive("estimates", init=False, repaint=False)
    target: reactive[int | None] = reactive(None, init=False, repaint=False)
    """Of the Timeline's estimates, the place of the one target that is shown; None: all."""
    cursor: reactive[int | None] = reactive(None, init=False, repaint=False)
    """The round of the campaign that is shown, from 0; None: all rounds pooled."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name for it
        super().__init__(id=id)
        self._behind: Chart = "frequencies"  # the chart whose numbers the table shows
        self._axis: dict[str, str] = {}  # the key on the x-axis chosen by hand, by tab
        self._log: dict[tuple[str, str], bool] = {}  # by tab and direction, where chosen by hand
        self._axes: dict[str, tuple[Variable, ...]] = {"gain": (), "error": ()}
        self._curves: dict[str, tuple[object, tuple[Curve, ...]]] = {}
        self._scenario: Scenario | None = None
        self._swept: tuple[str, ...] = ()  # its keys
        self._marked_stale = False
        self._answered: object = None  # the cells whose answers are shown
        self._asked: tuple[object, ...] = ()
        self._tabled: tuple[object, ...] = ()  # what the table was made of

    def compose(self) -> ComposeResult:
        tabs = ChoiceBar(id="tabs")
        tabs.choices, tabs.selected = self._words_of_tabs(), self.tab
        yield tabs
        warnings = Static(id="warnings", markup=False)
        warnings.display = False
        yield warnings
        with Columns(id="charts"):
            with Rows(id="timeline-box", classes="curve"):
                yield ChartView(id="rounds", empty=LOADING)
                yield ChartView(id="rounds-below", empty="")
            with Area(id="frequencies"):
                yield ChartView(id="rank", empty=LOADING)
                yield ChartView(id="bits", empty=LOADING)
                yield ChartView(id="bars", empty=LOADING)
                yield ChartView(id="residuals", empty=LOADING)
            with Rows(id="error-box", classes="curve"):
                yield ChoiceBar(id="error-axis")
                yield ChartView(id="error", empty=LOADING)
            with Rows(id="gain-box", classes="curve"):
                yield ChoiceBar(id="gain-axis")
                yield ChartView(id="gain", empty=LOADING)
        # Before the first round is the place where all of them are pooled.
        bar = TransportBar(id="rounds-bar")
        bar.can_focus = False  # the pane has its keys
        yield bar

    def on_mount(self) -> None:
        self._lay_out()
        fitted(self, self._lay_out)

    # What the pane is asked for.

    def parts(self, draft: Draft, *, with_sweep: bool = False) -> tuple[Part, ...]:
        """What to simulate for the charts that are shown; the base cell always comes first.

        with_sweep : the curve with the scenario's sweep too, whether it is shown or not.
        """
        scenario = draft.scenario
        if scenario is None:
            return ()
        from .. import curves

        self._follow(scenario)
        found: list[Part | None] = [curves.base_part(scenario)]
        gain, error = self._variable("gain"), self._variable("error")
        if gain is not None and (with_sweep or self._needed("gain")):
            found.append(curves.gain_part(scenario, gain))
        from ..snapshot import Part

        if "goal" in scenario.document and (with_sweep or self.tab == "answer"):
            found.append(Part("answer", scenario.document))
        if error is not None and self._needed("error"):
            found.append(curves.error_part(scenario, error))
        return tuple(part for part in found if part is not None)

    def tabs(self) -> Choices:
        """The tabs that the draft has: what noise gives away is a panel of RAPPOR's."""
        cell = self.draft.cell if self.draft is not None else None
        rappor = cell is not None and cell.noise is not None
        goal = cell is not None and cell.goal is not None
        missing = {"privacy": not rappor, "answer": not goal}
        return tuple(one for one in TABS if not missing.get(one[0]))

    def _words_of_tabs(self) -> Choices:
        """The tabs as the bar names them, in less room where that is scarce."""
        narrow = 0 < self.content_size.width < 66
        return tuple(
            (name, SHORTER.get(name, words) if narrow else words) for name, words in self.tabs()
        )

    def current_chart(self) -> ChartView | None:
        """The chart with the focus, else the first one of the tab; None where there is none."""
        charts = self._tab_charts()
        focused = self.screen.focused
        if isinstance(focused, ChartView) and focused in charts:
            return focused
        return charts[0] if charts else None

    def as_text(self) -> str:
        """What the tab shows as text: charts as drawn, a table tab-separated."""
        if self.tab in ("table", "answer"):
            from .number_table import NumberTable

            return "".join(table.as_text() for table in self.query(NumberTable))
        focused, charts = self.screen.focused, self._tab_charts()
        if isinstance(focused, ChartView) and focused in charts:
            charts = [focused]
        if charts:
            return "\n".join(chart.as_text() for chart in charts)
        text = getattr(self._sheet(), "as_text", None)
        return text() if text is not None else ""

    def as_svg(self) -> str:
        """The current chart as an SVG picture; "" where there is none."""
        chart = self.current_chart()
        return chart.as_svg() if chart is not None else ""

    def table(self) -> Table | None:
        """The numbers behind the chart that was shown last."""
        from .. import figures

        if self._behind == "frequencies":
            bits = self._bits()
            if bits is not None and self.view == "bits":
                from ..figures.bits import bit_table

                return bit_table(bits)
            found, said = self._at_cursor(self.snapshot)
            if found is None:
                return None
            return _of_round(figures.frequency_table(found, self._overlays_at_cursor()), said)
        if self._behind == "timeline":
            return self._round_table()
        variable = self._variable(self._behind)
        if variable is None:
            return None
        curves, cells = self._closed_forms(self._behind), self._cells(self.snapshot, self._behind)
        overlays = self._overlaid(self._behind)
        if self._behind == "gain":
            return figures.gain_table(curves, cells, variable, overlays)
        return figures.error_table(curves, cells, variable, self.quantity, overlays)

    def focus_first(self) -> None:
        """Put the focus on what the tab shows."""
        target: Widget | None = self.current_chart()
        if target is None:
            sheet = self._sheet()
            inside = sheet.query("*") if sheet is not None else ()
            target = next((widget for widget in inside if widget.focusable), sheet)
        if target is not None:
            self.screen.set_focus(target)

    def _give_draft(self) -> None:
        """One report and Equations draw the draft themselves."""
        sheet = self._sheet()
        if sheet is not None and self.tab in ("report", "privacy", "equations"):
            sheet.draft = self.draft  # type: ignore[attr-defined]

    # What changes the picture.

    def watch_draft(self, draft: Draft | None) -> None:
        if not self.is_mounted:
            return
        scenario = draft.scenario if draft is not None else None
        bar = self.query_one("#tabs", ChoiceBar)
        if bar.choices != self._words_of_tabs():
            bar.choices = self._words_of_tabs()
            if self.tab not in dict(bar.choices):
                self.tab = "frequencies"
        if scenario is not None and scenario != self._scenario:
            self._follow(scenario)
            # What was simulated is marked as stale when the new is late, not with every key.
            self._show(simulated=self._frequencies(self.snapshot) is None)
        elif self._scenario is None:
            self._show()
        self._give_draft()

    def watch_snapshot(self, before: Snapshot | None, after: Snapshot | None) -> None:
        if before is not None and after is not None and after.frequencies is not None:
            seen = before.parts, before.frequencies, before.bits, self._marked_stale
            if seen == (after.parts, after.frequencies, after.bits, self._stale()):
                return  # a run that starts under the picture of the one before
        if not self.is_mounted:
            return
        came = (before is None or before.rounds is None) != (self._rounds() is None)
        self._load_rounds()
        if came or self._chart("bits").display != (self._view() == "bits"):
            self._lay_out()
        else:
            self._show()

    def watch_overlays(self) -> None:
        if self.is_mounted:
            self._show()

    def watch_quantity(self) -> None:
        self._show()

    def watch_cohort(self) -> None:
        self._lay_out()

    def watch_view(self) -> None:
        self._lay_out()

    def watch_cursor(self) -> None:
        self.post_message(RoundShown(self.cursor))
        self._tell_round()
        self._show()

    def watch_course(self) -> None:
        self._lay_out()

    def watch_target(self) -> None:
        self._lay_out()

    async def watch_tab(self, before: Tab, after: Tab) -> None:
        if before in CHARTS and not (before == "timeline" and self._one_round()):
            self._behind = before
        held = self.has_focus_within
        await self._mount_sheet(after)
        self._lay_out()
        self._give_draft()
        if held:
            self.focus_first()

    def action_tab(self, by: int) -> None:
        names = [name for name, _ in self.tabs()]
        self.tab = names[(names.index(self.tab) + by) % len(names)]  # type: ignore[assignment]

    def action_view(self) -> None:
        """The next view of the frequencies, of the error, or the next chart of the table."""
        if self.tab == "error":
            self.quantity = "std" if self.quantity == "mse" else "mse"
        elif self.tab == "timeline":
            courses = list(COURSES)
            self.course = courses[(courses.index(self.course) + 1) % len(courses)]
        elif self.tab == "table":
            charts = [one for one in CHARTS if one != "timeline" or not self._one_round()]
            at = charts.index(self._behind) if self._behind in charts else -1
            self._behind = charts[(at + 1) % len(charts)]
            self._show()
        elif "frequencies" in self._visible():
            views = self._views()
            here = views.index(self._view()) if self._view() in views else -1
            self.view = views[(here + 1) % len(views)]

    def action_cohort(self, by: int) -> None:
        """Another cohort's bits; in the Timeline another target alone, or all of them."""
        bits, rounds = self._bits(), self._rounds()
        if self.tab == "timeline" and rounds is not None:
            at = -1 if self.target is None else self.target
            at = (at + 1 + by) % (len(rounds.targets) + 1) - 1
            self.target = None if at < 0 else at
        elif bits is not None:
            self.cohort = min(max(self.cohort + by, 0), bits.shown - 1)

    def action_play(self) -> None:
        """Play the rounds one after the other, or pause."""
        self._bar.action_play()

    def action_step(self, by: int) -> None:
        """The next round, or the one before; before the first one all are pooled."""
        self._bar.action_step(by)

    def action_pool(self) -> None:
        """Back from one round to all of them pooled."""
        self.show_round(None)

    def action_round(self, number: int) -> None:
        """The first round (0) or the last one (-1)."""
        there = self._bar.transport
        if there is not None:
            self._bar.transport = there.to(there.moments[number])

    def action_faster(self, steps: int) -> None:
        self._bar.action_faster(steps)

    def on_transport_bar_moved(self, message: TransportBar.Moved) -> None:
        message.stop()
        self.cursor = message.come - 1 if message.come else None

    def action_table(self) -> None:
        """The numbers behind the chart, and back."""
        self.tab = self._behind if self.tab == "table" else "table"

    def action_axis(self) -> None:
        """The next variable on the x-axis."""
        tab = self._curve_tab()
        variables, current = self._axes[tab], self._variable(tab)
        if current is not None:
            at = (variables.index(current) + 1) % len(variables)
            self._choose_axis(tab, variables[at].key)

    def action_log(self, direction: Literal["x", "y"]) -> None:
        """Linear to logarithmic and back."""
        tab = self._curve_tab()
        self._log[tab, direction] = not self._is_log(tab, direction)
        self._show()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        """Keys that do nothing on this tab are not offered."""
        curve = self.tab in ("gain", "error") or (self._is_wide() and self.tab == "frequencies")
        if action in ("axis", "log"):
            return curve
        if action == "cohort" and self.tab == "timeline":
            return self.course == "estimates" and self._rounds() is not None
        if action == "cohort":
            return "frequencies" in self._visible() and self._view() == "bits"
        if action in ("play", "step", "pool", "round", "faster"):
            return self._scrubs()
        if action == "view":
            return self.tab in ("error", "timeline", "table") or "frequencies" in self._visible()
        return True

    def on_choice_bar_chosen(self, message: ChoiceBar.Chosen) -> None:
        message.stop()
        tab = "error" if message.bar.id == "error-axis" else "gain"
        match message.choice:
            case "view" | "source":
                self.action_view()
            case "cohort":
                self.action_cohort(1)
            case "quantity":
                self.quantity = "std" if self.quantity == "mse" else "mse"
            case "x" | "y" as direction:
                self._log[tab, direction] = not self._is_log(tab, direction)
                self._show()
            case choice if message.bar.id == "tabs":
                self.tab = choice  # type: ignore[assignment]
            case key:
                self._choose_axis(tab, key)

    # The arrangement.

    def _is_wide(self) -> bool:
        return self.content_size.width >= WIDE

    def _views(self) -> list[View]:
        missing = {"both"} if not self._room_for_both() else set()
        missing |= {"bits"} if self._no_bits() else set()
        return [view for view in VIEWS if view not in missing]

    def _view(self) -> View:
        """The view chosen, or where it cannot be shown now another one."""
        view = "both" if self.view == "bits" and self._no_bits() else self.view
        return "bars" if view == "both" and not self._room_for_both() else view

    def _no_bits(self) -> bool:
        """Whether the run shown has estimates, but of a protocol without Bloom filters."""
        return self._bits() is None and self._frequencies(self.snapshot) is not None

    def _bits(self) -> BitCounts | None:
        return self.snapshot.bits if self.snapshot is not None else None

    def _room_for_both(self) -> bool:
        return self._beside() or self._stacked()

    def _beside(self) -> bool:
        width = self.content_size.width
        return (width // 2 - 1 if self._is_wide() else width) >= BESIDE

    def _stacked(self) -> bool:
        return not self._beside() and self.content_size.height >= STACKED

    def _curve_tab(self) -> Literal["gain", "error"]:
        return "error" if self.tab == "error" else "gain"

    def _visible(self) -> tuple[str, ...]:
        """The chart boxes that are on the screen, the tab's own one first."""
        second: dict[Tab, tuple[str, ...]] = {
            "frequencies": ("gain",),
            "gain": ("frequencies",),
            "error": ("gain",),
            "timeline": ("frequencies",) if self._rounds() is not None else (),
        }
        if self.tab not in second:
            return ()
        return (self.tab, *(second[self.tab] if self._is_wide() else ()))

    def _needed(self, name: str) -> bool:
        return name in self._visible() or (self.tab == "table" and self._behind == name)

    def _tab_charts(self) -> list[ChartView]:
        """The charts of the tab that are on the screen, those it is named after first."""
        charts: list[ChartView] = []
        for name in self._visible():
            several = {"frequencies": ESTIMATES, "timeline": ("rounds", "rounds-below")}
            names = several.get(name, (name,))
            charts += [view for one in names if (view := self._chart(one)).display]
        return charts

    def _chart(self, name: str) -> ChartView:
        return self.query_one(f"#{name}", ChartView)

    def _sheet(self) -> Widget | None:
        """The widget of a tab that shows no chart; None for the others, and until it is made."""
        sheets = (sheet for sheet in self.query(".sheet") if sheet.id == self.tab)
        return next((sheet for sheet in sheets if sheet.is_mounted), None)

    async def _mount_sheet(self, tab: Tab) -> None:
        """Make the widget of a tab without charts when it is first shown."""
        if tab in CHARTS or self.query(f"#{tab}"):
            return
        sheet: Widget
        if tab in ("table", "answer"):
            from .number_table import FilteredTable

            sheet = FilteredTable(id=tab)
        elif tab == "report":
            from .report_view import ReportView

            sheet = ReportView(id=tab)
        elif tab == "privacy":
            from .privacy_view import PrivacyView

            sheet = PrivacyView(id=tab)
        else:
            from .equations_view import EquationsView

            sheet = EquationsView(id=tab)
        sheet.add_class("sheet")
        await self.mount(sheet)

    def _lay_out(self) -> None:
        """Show the boxes of the tab, and give the bars the width that they need."""
        if not self.is_mounted:
            return
        visible = self._visible()
        self.query_one("#charts").display = bool(visible)
        self.query_one("#charts").set_class(self._is_wide(), "-wide")
        self.query_one("#charts").set_class(self.tab == "timeline", "-timeline")
        self.query_one("#timeline-box").display = "timeline" in visible
        tall = self.content_size.height >= STACKED and self._rounds() is not None
        self._chart("rounds-below").display = tall
        self._bar.display = self._scrubs()
        self.query_one("#frequencies").display = "frequencies" in visible
        self.query_one("#gain-box").display = "gain" in visible
        self.query_one("#error-box").display = "error" in visible
        for sheet in self.query(".sheet"):
            sheet.display = sheet.id == self.tab
        box, view = self.query_one("#frequencies"), self._view()
        both = view == "both" or (view == "bits" and self._room_for_both())
        box.set_class(both and self._beside(), "-beside")
        box.set_class(both and self._stacked(), "-stacked")
        self._chart("rank").display = view in ("both", "rank")
        self._chart("bars").display = both or view == "bars"
        self._chart("residuals").display = view == "residuals"
        self._chart("bits").display = view == "bits"
        width = self.content_size.width // (2 if self._is_wide() else 1)
        beside = both and self._beside()
        self._chart("bars").styles.width = max(BARS, width * 48 // 100) if beside else "1fr"
        tabs = self.query_one("#tabs", ChoiceBar)
        tabs.choices, tabs.selected = self._words_of_tabs(), self.tab
        shown = "frequencies" in visible and self.tab in ("frequencies", "gain")
        tabs.switches = (("view", f"v {VIEWS[view]}"),) if shown else ()
        if shown and view == "bits":
            tabs.switches += (("cohort", "j k cohort"),)
        if self.tab == "timeline" and self._rounds() is not None:
            tabs.switches = (("view", f"v {COURSES[self.course]}"),)
            if self.course == "estimates":
                tabs.switches += (("cohort", "j k target"),)
        self._show()
        self.refresh_bindings()

    def _choose_axis(self, tab: str, key: str) -> None:
        self._axis[tab] = key
        self._log.pop((tab, "x"), None)  # each variable has a scale of its own
        self._show()

    def _tell_parts(self) -> None:
        """Say so when other parts have to be simulated than before."""
        wanted = tuple(
            (name, variable.key if (variable := self._variable(name)) is not None else "")
            for name in ("gain", "error")
            if self._needed(name)
        )
        wanted += (("answer", ""),) if self.tab == "answer" else ()
        if wanted != self._asked:
            self._asked = wanted
            if self._scenario is not None:
                self.post_message(PartsChanged())

    # The figures.

    def _follow(self, scenario: Scenario) -> None:
        """Take the scenario whose closed forms are shown."""
        if scenario == self._scenario:
            return
        from .. import curves

        self._scenario, sweep = scenario, scenario.sweep
        self._swept = tuple(sorted(sweep, key=lambda key: -len(sweep[key])))
        self._axes = {"gain": curves.axes(scenario), "error": curves.error_axes(scenario)}

    def _variable(self, tab: str) -> Variable | None:
        """The variable on the x-axis: chosen by hand, else swept over most values."""
        variables = self._axes[tab]
        keys = [self._axis.get(tab), *self._swept]
        by_key = {variable.key: variable for variable in variables}
        found = next((by_key[key] for key in keys if key in by_key), None)
        return found or (variables[0] if variables else None)

    def _is_log(self, tab: str, direction: str) -> bool:
        if (tab, direction) in self._log:
            return self._log[tab, direction]
        if direction == "y":
            return tab == "error"
        variable = self._variable(tab)
        return variable is not None and variable.log

    def _closed_forms(self, tab: str) -> tuple[Curve, ...]:
        """The curves of a tab, worked out once for each scenario, variable and spacing."""
        variable = self._variable(tab)
        if self._scenario is None or variable is None:
            return ()
        log = self._is_log(tab, "x")
        state = (self._scenario, variable, log)
        kept = self._curves.get(tab)
        if kept is None or kept[0] != state:
            from .. import curves

            make = curves.gain_curve if tab == "gain" else curves.error_curves
            kept = self._curves[tab] = (state, make(self._scenario, variable, log=log))
        return kept[1]

    @staticmethod
    def _cells(snapshot: Snapshot | None, part: str) -> tuple[CellView, ...]:
        return snapshot.parts.get(part, ()) if snapshot is not None else ()

    def _overlaid(self, part: str) -> list[tuple[str, tuple[CellView, ...]]]:
        return [(one.label, self._cells(one.snapshot, part)) for one in self.overlays]

    @staticmethod
    def _frequencies(snapshot: Snapshot | None) -> Frequencies | None:
        found = snapshot.frequencies if snapshot is not None else None
        return found if found is not None and found.trials > 0 else None

    def _empty(self) -> str:
        """Why there is no chart yet, and what to press."""
        snapshot = self.snapshot
        if snapshot is not None and snapshot.status == "failed":
            return snapshot.error or "the run failed"
        if snapshot is not None and snapshot.status == "running":
            return "waiting for the first trials …"
        return LOADING if self.draft is None else NO_ESTIMATE

    def _stale(self) -> bool:
        """Whether the frequencies shown are those of other settings than the draft's."""
        cell = self.draft.cell if self.draft is not None else None
        base = self._cells(self.snapshot, "base")
        if cell is None or not base:
            return False
        from ..figures import same_settings

        return not same_settings(base[0].parameters, cell.parameters)

    def _show(self, *, simulated: bool = True) -> None:
        """Draw what is visible; of what has no closed form nothing, if not `simulated`."""
        if not self.is_mounted or not self.content_size.width:
            return
        self._show_warnings()
        visible = self._visible()
        if simulated and "frequencies" in visible:
            self._show_frequencies()
        if simulated and "timeline" in visible:
            self._show_timeline()
        for tab in ("gain", "error"):
            if tab in visible:
                self._show_curve(tab)
        if self.tab == "table":
            self._show_table()
        elif self.tab == "answer":
            self._show_answer()
        self._tell_parts()

    def _show_warnings(self) -> None:
        """What makes the results doubtful, above the charts of them."""
        base = self._cells(self.snapshot, "base")
        said = (base[0].rappor or {}).get("warnings", ()) if base and not self._stale() else ()
        words = self.query_one("#warnings", Static)
        text = "\n".join(f"! {sentence}" for sentence in said)
        if str(words.content) != text:
            words.update(text)
        words.display = bool(text) and bool(self._visible())

    def _show_frequencies(self) -> None:
        (found, said), overlays = self._at_cursor(self.snapshot), self._overlays_at_cursor()
        views = {name: self._chart(name) for name in ESTIMATES}
        if found is None:
            words = self._empty()
            for view in views.values():
                if view.chart is not None:
                    view.chart = None
                if view.display:  # said once
                    view.empty, words = words, ""
            return
        from .. import figures

        self._marked_stale = self._stale()
        note = OTHER if self._marked_stale else ""
        if views["rank"].display:
            plot = figures.rank_plot(found, overlays, note=note)
            views["rank"].chart = _of_round(plot, said)
        if views["bars"].display and not views["bits"].display:
            rows, compact = self._bar_rows(), self._view() == "both" and self._beside()
            bars = figures.top_bars(found, rows, overlays=overlays, compact=compact, note=note)
            views["bars"].chart = _of_round(bars, said)
        if views["residuals"].display:
            base = self._cells(self.snapshot, "base")
            wanted = base[0].wanted if base else None
            columns = max(16, self.content_size.width // (2 if self._is_wide() else 1) - 12)
            plot = figures.residuals(found, columns, wanted, overlays=overlays, note=note)
            views["residuals"].chart = _of_round(plot, said)
        bits = self._bits()
        if views["bits"].display and bits is not None:
            from ..figures.bits import bit_bars, bit_plot

            cohort, attacked = min(self.cohort, bits.shown - 1), bool(found.targets)
            columns = max(8, self.content_size.width // (2 if self._is_wide() else 1) // 2 - 8)
            views["bits"].chart = bit_plot(bits, cohort, columns, attacked=attacked, note=note)
            if views["bars"].display:
                views["bars"].chart = bit_bars(bits, cohort, self._bar_rows(), attacked=attacked)

    def _bar_rows(self) -> int:
        """How many bars have room, at least."""
        height = self.content_size.height - 1
        if self._view() in ("both", "bits") and self._stacked():
            height = (height - 1) // 2
        return max(4, height - 4)  # title, heading, the rest, the note

    # The rounds of a campaign.

    def _rounds(self) -> Rounds | None:
        return self.snapshot.rounds if self.snapshot is not None else None

    @property
    def _bar(self) -> TransportBar:
        return self.query_one("#rounds-bar", TransportBar)

    def _scrubs(self) -> bool:
        """Whether what is on the screen follows a round."""
        shown = {"timeline", "frequencies"} & {*self._visible()}
        behind = self.tab == "table" and self._behind in ("timeline", "frequencies")
        return self._rounds() is not None and (bool(shown) or behind)

    def _load_rounds(self) -> None:
        """Let the bar have as many moments as there are rounds."""
        rounds, there = self._rounds(), self._bar.transport
        count = len(rounds) if rounds is not None else 0
        if count != (len(there.moments) if there is not None else 0):
            from ..transport import loaded

            self._bar.transport = loaded([0.0] * count) if count else None
            self._bar.display = self._scrubs()
            self.cursor = None
        self._tell_round()

    def show_round(self, number: int | None) -> None:
        """Show one round of the campaign, from 0, and stay there; None: all of them pooled."""
        there = self._bar.transport
        if there is not None:
            at = 0.0 if number is None else there.moments[number]
            self._bar.transport = replace(there.to(at), playing=False)

    def _tell_round(self) -> None:
        """In the bar: which round it is, what share of fakes it has and what it has cost."""
        rounds = self._rounds()
        if rounds is None:
            return
        count, at = len(rounds), self.cursor
        if at is None or at >= count:
            self._bar.about, self._bar.words = f"all {count} rounds", "space plays"
            return
        self._bar.about = f"round {at:>{len(str(count - 1))}} of 0–{count - 1}"
        share, spent = percent(rounds.share[at]), short(rounds.spent[at])
        self._bar.words = f"β {share}  ε {spent}"

    def _at_cursor(self, run: Snapshot | None) -> tuple[Frequencies | None, str]:
        """The frequencies of the round at the cursor, and which round that is, in words.

        Of very many rounds some are not kept: then those of the one before.
        """
        pooled = self._frequencies(run)
        if run is None or self.cursor is None or not run.round_frequencies:
            return pooled, ""
        from ..figures.rounds import kept

        at = kept(run.round_frequencies, self.cursor)
        count = len(run.rounds) if run.rounds is not None else 0
        if at is None or at >= count:
            return pooled, ""
        return run.round_frequencies[at], f"round {at} of 0–{count - 1}"

    def _overlays_at_cursor(self) -> tuple[Overlay, ...]:
        """The runs laid over, at the same round; while all are pooled, as they are."""
        if self.cursor is None:
            return self.overlays
        found = [(one, self._at_cursor(one.snapshot)) for one in self.overlays]
        return tuple(
            replace(one, snapshot=replace(one.snapshot, frequencies=frequencies))
            for one, (frequencies, said) in found
            if said
        )

    def _labels(self) -> dict[int, str]:
        found = self._frequencies(self.snapshot)
        return {} if found is None else dict(zip(found.items, found.labels, strict=True))

    def _top_k(self) -> int:
        cell = self._cells(self.snapshot, "base")[0]
        return min(int(cell.parameters.get("simulate.top_k", 20)), cell.domain_size)

    def _one_round(self) -> bool:
        """Whether there is one collection only: then the Timeline has nothing, not even a table."""
        cell = self.draft.cell if self.draft is not None else None
        return self._rounds() is None and cell is not None and not cell.rounds

    def _show_timeline(self) -> None:
        rounds, view, below = self._rounds(), self._chart("rounds"), self._chart("rounds-below")
        if rounds is None:
            view.empty = NO_ROUNDS if self._one_round() else self._empty()
            view.chart = below.chart = None
            return
        self._marked_stale = self._stale()
        view.chart = self._course(rounds, self.course)
        if below.display:
            courses = list(COURSES)
            after = courses[(courses.index(self.course) + 1) % len(courses)]
            below.chart = self._course(rounds, after)

    def _course(self, rounds: Rounds, course: Course) -> Plot:
        """One quantity over the rounds."""
        from ..figures import rounds as figures

        note, at = OTHER if self._marked_stale else "", self.cursor
        (cell, *_), top = self._cells(self.snapshot, "base"), self._top_k()
        match course:
            case "estimates":
                chosen = self.target if self.target in range(len(rounds.targets)) else None
                return figures.estimates(rounds, self._labels(), at, chosen, note=note)
            case "gain":
                return figures.gain(rounds, cell.metrics.get("gain"), at, note=note)
            case "ranks":
                return figures.ranks(rounds, self._labels(), cell.domain_size, top, at, note=note)
            case "top":
                return figures.in_top(rounds, top, at, note=note)
            case _:
                return figures.spent(rounds, cell.rappor is not None, at, note=note)

    def _round_table(self) -> Table | None:
        from ..figures.rounds import table

        rounds = self._rounds()
        return None if rounds is None else table(rounds, self._labels(), self._top_k())

    def _show_curve(self, tab: Literal["gain", "error"]) -> None:
        view, bar = self._chart(tab), self.query_one(f"#{tab}-axis", ChoiceBar)
        variable = self._variable(tab)
        bar.prefix = f"{tab} over  " if variable is not None else ""
        bar.gap = " · "
        bar.choices = tuple((one.key, one.symbol) for one in self._axes[tab])
        if variable is None:
            bar.switches = ()
            view.empty = self._why_no_curve(tab)
            if view.chart is not None:
                view.chart = None
            return
        bar.selected = variable.key
        log_x, log_y = self._is_log(tab, "x"), self._is_log(tab, "y")
        switches: Choices = (
            ("x", f"x {'log' if log_x else 'linear'}"),
            ("y", f"y {'log' if log_y else 'linear'}"),
        )
        if tab == "error":
            words = "MSE" if self.quantity == "mse" else "std"
            switches = (("quantity", words), *switches)
        bar.switches = switches
        view.chart = self._curve(tab, variable, log_x, log_y)

    def _why_no_curve(self, tab: str) -> str:
        if self._scenario is None:
            return LOADING
        if tab != "gain" or self._axes["gain"]:
            return NO_AXIS
        attack = self._scenario.document.get("attack", {})
        return PHASED if isinstance(attack, dict) and "phase" in attack else NO_ATTACK

    def _curve(self, tab: str, variable: Variable, log_x: bool, log_y: bool) -> Plot:
        from .. import figures

        curves, cells = self._closed_forms(tab), self._cells(self.snapshot, tab)
        overlays = self._overlaid(tab)
        if tab == "gain":
            return figures.gain_plot(
                curves, cells, variable, overlays=overlays, log_x=log_x, log_y=log_y
            )
        return figures.error_plot(
            curves, cells, variable, self.quantity, overlays=overlays, log_x=log_x, log_y=log_y
        )

    def _show_answer(self) -> None:
        from ..figures.answers import answer_table
        from .number_table import FilteredTable

        sheet, cells = self._sheet(), self._cells(self.snapshot, "answer")
        if isinstance(sheet, FilteredTable) and self._answered != cells:
            self._answered = cells
            sheet.show(answer_table(cells), "answer")
            if not cells:
                sheet.query_one(ChoiceBar).prefix = "looking for the smallest attack …"

    def _show_table(self) -> None:
        from .number_table import FilteredTable

        sheet = self._sheet()
        if not isinstance(sheet, FilteredTable):
            return  # it is being made
        # Thousands of numbers: made anew only when what they come from has changed.
        shown = self._bits() if self.view == "bits" else None
        state: tuple[object, ...] = (self._behind, shown or self._frequencies(self.snapshot))
        state = (*state, self.cursor)
        if self._behind == "timeline":
            state = (self._behind, self._rounds())
        elif self._behind != "frequencies":
            cells = self._cells(self.snapshot, self._behind)
            state = (self._behind, self.quantity, self._closed_forms(self._behind), cells)
        state = (*state, self.overlays)
        if state != self._tabled:
            self._tabled = state
            sheet.show(self.table(), self._behind)


Titled = TypeVar("Titled", "Plot", "Bars", "Table")


def _of_round(shown: Titled, said: str) -> Titled:
    """What is shown, with the round it is of in its title."""
    return replace(shown, title=f"{shown.title}, {said}") if said else shown
