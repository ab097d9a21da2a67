"""The pane: one tab at a time, the keys of all of them, and what is asked of the simulator."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Final

from msgspec.structs import replace
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.geometry import Size
from textual.reactive import reactive
from textual.widgets import Static

from ....charts.kinds import KINDS
from ....charts.series import Panels, Plot
from ....messages import KeysProposed, SelectionsChanged
from ....session.draft import pointed_at
from ....session.snapshot import ChartSelection
from ....terminal.keyboard import RUN, key_of
from ....widgets.blank import PaneColumns, call_on_resize
from ....widgets.choice_bar import ChoiceBar, Choices
from ....widgets.cursor import Move, move_cursor
from ....widgets.plot import ChartView
from ....widgets.words import entitle, put
from .box import ChartBox
from .boxes import Boxes
from .headline import Headline, Warnings, border_title, show_options
from .shown import ChartInput
from .tab_views import TabViews
from .tabs import KEYS, WIDE, Tabs, charts_of, fitting

if TYPE_CHECKING:
    from ....charts.figures import ChartTable
    from ....session.draft import Draft
    from ....session.snapshot import Overlay, Snapshot


MOST_ZOOM: Final = 64.0


class ChartsPane(Vertical):
    """The pane Charts: one tab of charts, tables or texts about the draft and the run shown.

    draft : gives the closed forms.
    snapshot : the simulated values.
    overlays : other runs over them. Points of other settings than the draft's are muted until new
        ones arrive.
    Posts SelectionsChanged when other cells have to be measured than `selections` returned.
    """

    BORDER_TITLE = "4 Charts"
    BINDINGS: ClassVar[list[BindingType]] = KEYS

    # A repaint of the pane would send all that is in it: each chart knows what it has to send.
    draft: reactive[Draft | None] = reactive(None, always_update=True, init=False, repaint=False)
    snapshot: reactive[Snapshot | None] = reactive(None, init=False, repaint=False)
    overlays: reactive[tuple[Overlay, ...]] = reactive((), init=False, repaint=False)
    tab: reactive[str] = reactive("frequencies", init=False, repaint=False)
    cursor: reactive[int | None] = reactive(None, init=False, repaint=False)
    """The round of the campaign that is shown, from 0; None: all rounds pooled."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name for it
        super().__init__(id=id)
        self._tabs, self._columns = ChoiceBar(id="tabs"), PaneColumns(id="charts")
        self._claim, self._warnings = Headline(), Warnings()
        self._views, self._round = TabViews(), Static(id="round", markup=False)
        self._boxes = Boxes()
        self._behind = "frequencies"  # the chart whose numbers the table shows
        self._named = Tabs()
        self._shown, self._wide = ChartInput(), False
        self._at: Draft | None = None  # at the cell that a cursor points at
        self._pointed_from: Draft | None = None
        self._edits: tuple[tuple[str, Any], ...] = ()  # of the draft, to be there
        self._zoom = 1.0  # of the x-axis
        self._asked, self._offered = list[object](), list[bool | None]()

    def compose(self) -> ComposeResult:
        yield self._tabs
        yield self._claim
        yield self._warnings
        with self._columns:
            yield self._boxes["frequencies"]
        yield self._round
        yield self._views

    def on_mount(self) -> None:
        call_on_resize(self, self._show)

    async def mount_rest(self) -> None:
        """Mount the charts of the tabs that the first frame leaves out."""
        await self._boxes.mount(self._columns)
        self._show()

    def selections(self, draft: Draft) -> tuple[ChartSelection, ...]:
        """The cells to measure for the charts that are shown, the base cell first."""
        if draft.scenario is None:
            return ()
        self._point(draft)
        at = dict(self._edits) if self._at is not None else {}
        return self._boxes.selections(draft.scenario, self._needed_charts, at)

    def open_on(self, draft: Draft) -> None:
        """Show the tab that fits the subject of a scenario."""
        self.tab = self._named.open_on(draft)

    def show_sweep(self, draft: Draft) -> None:
        """Show the chart over the swept key if the tab shows only one cell of the sweep."""
        if self.tab == "frequencies" and draft.scenario is not None and draft.scenario.sweep:
            self.tab = self._named.open_on(draft)

    def tabs(self) -> Choices:
        """The names and titles of the tabs; of an invalid draft, those of the last valid one."""
        return self._named.names

    def current_chart(self) -> ChartView | None:
        """The chart with the focus, else the tab's first chart; None if it has none."""
        charts, focused = self._charts(), self.screen.focused
        return next((chart for chart in charts if chart is focused), charts[0] if charts else None)

    def as_text(self) -> str:
        """The content of the tab as text: charts as they are drawn, tables tab-separated."""
        charts, sheet = self._charts(), self._views.of(self.tab)
        if not charts:
            return sheet.as_text() if sheet is not None else ""
        focused = [chart for chart in charts if chart is self.screen.focused]
        return "\n".join(chart.as_text() for chart in focused or charts)

    def as_svg(self) -> str:
        """The current chart as an SVG picture; "" if the tab has no chart."""
        return chart.as_svg() if (chart := self.current_chart()) is not None else ""

    def table(self) -> ChartTable | None:
        """The numbers behind the chart that was shown last."""
        return self._boxes[self._behind].table(self._shown.data)

    def focus_first(self) -> None:
        """Put the focus on the chart, table or text of the tab."""
        if (target := self.current_chart() or self._views.first_field(self.tab)) is not None:
            self.screen.set_focus(target)

    def show_view(self, tab: str, view: str) -> None:
        """Show a view of a tab's chart."""
        self._boxes[tab].chosen["view"] = view
        self.tab = tab
        self._show()

    # Changes of the picture.

    def watch_draft(self) -> None:
        self.tab = self._named.follow(self.draft, self.tab)
        if self._behind not in (charts := self._with_table()) and charts:
            self._behind = charts[0]
        # What was simulated is marked as stale when the new is late, or will not come.
        self._show(mark=self.draft is not None and bool(self.draft.problems))

    def watch_snapshot(self) -> None:
        if self.cursor is not None and self.cursor >= self._round_count:
            self.cursor = None
        self._show()

    def watch_overlays(self) -> None:
        self._show()

    on_show = watch_cursor = watch_overlays

    async def watch_tab(self, before: str, after: str) -> None:
        if before in self._with_table():
            self._behind = before
        held, self._zoom = self.has_focus_within, 1.0
        if after not in self._boxes:
            await self._views.open(after)  # meanwhile a key may have gone to another pane
            held = held and (self.has_focus_within or self.screen.focused is None)
        self._show()
        if held:
            self.focus_first()

    def on_choice_bar_choice_made(self, message: ChoiceBar.ChoiceMade) -> None:
        message.stop()
        if message.choice == "source":
            self.action_view()
        elif message.bar is not self._tabs:
            return
        elif message.choice in KINDS:
            self.tab = message.choice
        else:
            self.action_option(message.choice)

    def on_chart_view_point_click(self, message: ChartView.PointClick) -> None:
        """Show the values at the clicked point; in the Timeline, the clicked round."""
        message.stop()
        timeline = self._boxes["timeline"]
        if message.view in timeline.charts() and (number := timeline.take_stop()) is not None:
            self.cursor = number
        self._show()

    def action_tab(self, by: int) -> None:
        names = [name for name, _ in self.tabs()]
        self.tab = names[(names.index(self.tab) + by) % len(names)]

    def action_view(self) -> None:
        """Show the next view of the chart, or the next chart beside the table."""
        if self.tab == "table":
            self._behind = self._next_behind
            self._show()
        else:
            self.action_option("view")

    def action_cohort(self, by: int) -> None:
        """Show another cohort's bits, another target, or another series at the cursor."""
        if (box := self._own) is not None:
            box.walk(by)
        self._show()

    def action_table(self) -> None:
        """Show the numbers behind the chart, or the chart again."""
        self.tab = self._behind if self.tab == "table" else "table"

    def action_axis(self) -> None:
        """Put the next variable on the x-axis; in the map, the next value of a third one."""
        self.action_option("axis" if self._box_with("axis") is not None else "layer")

    def _box_with(self, option: str) -> ChartBox | None:
        """The first chart on the screen that has an option of several values."""
        boxes = (self._boxes[name] for name in self._visible)
        return next((box for box in boxes if option in dict(box.switches())), None)

    def action_option(self, name: str) -> None:
        """Choose the next value of one of the chart's options."""
        if (box := self._box_with(name)) is not None:
            box.next_option(name)
        self._show()

    def action_zoom_axis(self, factor: float) -> None:
        """Zoom the x-axis around the cursor by a factor; 0 shows the full axis."""
        self._zoom = min(MOST_ZOOM, max(1.0, self._zoom * factor)) if factor else 1.0
        self._show()

    def action_cursor(self, how: Move, by: int = 0) -> None:
        """Move the cursor of the chart, else step through a campaign's rounds.

        Without either, move the cursor of the chart whose cell the tab shows.
        """
        own, chart = self._own, self._cursor_box
        if how == "pool" and own is not None and own.has_cursor:
            chart = own
        if chart is not None:
            chart.step(how, by)
            self._show()
        else:
            self.cursor = move_cursor(self.cursor, range(self._round_count), how, by)

    def action_take(self) -> None:
        """Open the chart of the stop at the cursor, or put its cell into the draft."""
        if (own := self._own) is not None and own.opens:
            own.open_stop()
            self._show()
        elif (chart := self._cursor_box) is not None and (edits := chart.at_cursor()):
            self.post_message(KeysProposed(edits, "the cell at the cursor", sweeps_stay=True))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Return False for keys that do nothing on this tab."""
        own, chart = self._own, self._cursor_box
        match action:
            case "axis":
                return any(self._box_with(name) is not None for name in ("axis", "layer"))
            case "option":
                return self._box_with(str(parameters[0])) is not None
            case "zoom_axis":
                return any(isinstance(each.chart, Plot | Panels) for each in self._charts())
            case "cohort":
                return own is not None and own.walks
            case "cursor" if parameters == ("pool",):
                ats = (self.cursor, own and own.at, chart and chart.at)
                return any(at is not None for at in ats)
            case "cursor" if chart is not None:
                return chart.points
            case "cursor":
                return self._scrubs
            case "take":
                return (own is not None and own.opens) or (chart is not None and chart.takes_cell)
            case "view":
                return self.tab == "table" or self._box_with("view") is not None
        return True

    @property
    def _round_count(self) -> int:
        rounds = self.snapshot.rounds if self.snapshot is not None else None
        return len(rounds) if rounds is not None else 0

    # What the tab shows, and what the keys move there.

    @property
    def _own(self) -> ChartBox | None:
        """The chart of the tab; None for a tab without a chart."""
        return self._boxes.get(self.tab)

    @property
    def _visible(self) -> tuple[str, ...]:
        """The charts that are on the screen, the tab's own one first."""
        return charts_of(self.tab, wide=self._wide, rounds=self._round_count > 0)

    @property
    def _needed_charts(self) -> tuple[str, ...]:
        """The charts on the screen, or the chart whose numbers the table shows."""
        return self._visible or ((self._behind,) if self.tab == "table" else ())

    @property
    def _scrubs(self) -> bool:
        """True if the charts on the screen show a single round."""
        follows = {"timeline", "frequencies"} & {*self._needed_charts}
        leads = self._own is not None and self._own.kind.leads
        return bool(follows) and self._round_count > 0 and not leads

    @property
    def _cursor_box(self) -> ChartBox | None:
        """The chart whose cursor the keys move; None if they step through rounds."""
        own = self._own
        if own is not None and own.kind.leads:
            return own
        return None if self._scrubs else self._boxes.pointing(self.tab) or own

    def _charts(self) -> list[ChartView]:
        """The chart widgets on the screen, those of the tab's own chart first."""
        return [chart for name in self._visible for chart in self._boxes[name].charts()]

    def _with_table(self) -> list[str]:
        """The names of the draft's charts, which all have a table of numbers."""
        return [name for name, _ in self.tabs() if name in self._boxes]

    @property
    def _next_behind(self) -> str:
        """The chart whose numbers the table shows next."""
        charts = self._with_table() or [self._behind]
        at = charts.index(self._behind) if self._behind in charts else -1
        return charts[(at + 1) % len(charts)]

    def _point(self, draft: Draft | None) -> None:
        """Bind the cell of the draft at a chart's cursor."""
        chart = self._boxes.pointing(self.tab)
        edits = tuple(chart.at_cursor()) if chart is not None else ()
        if (draft, edits) != (self._pointed_from, self._edits):
            self._pointed_from, self._edits = draft, edits
            self._at = pointed_at(draft, dict(edits)) if draft and edits else None

    # The picture follows from the state of the pane and of its charts; each draws what has changed.

    def _show(self, *, mark: bool = True) -> None:
        """Show the content of the tab. mark : mark estimates of other settings from now on."""
        if not self.is_mounted:
            return
        self._point(self.draft)
        keys = tuple(key for key, _ in self._edits)
        shown = ChartInput(
            self.draft, self.snapshot, self.overlays, self.cursor, self._at, keys,
            run_key=key_of(self.app, *RUN),
        )  # fmt: skip
        marked = shown.is_outdated if mark else self._shown.marked
        self._shown = shown = replace(shown, marked=marked)
        width, height = size = self.content_size
        self._wide = width >= WIDE
        visible = self._visible
        self._columns.display = bool(visible)
        claimed = self._claim.show(shown, self.tab, size, over_charts=bool(visible))
        room = Size(width // 2 - 1 if len(visible) > 1 else width, max(0, height - 1 - claimed))
        self._boxes.show(visible, self._columns, shown, room, self._zoom)
        self._views.display = not visible
        self._views.show(self.tab, shown, self._next_behind, self._boxes[self._behind])
        self._show_bars()
        if width:
            self._tell_selections()

    def _show_bars(self) -> None:
        """Update the rows around the charts: tabs, warnings, the round; and the key hints."""
        box, shown = self._own, self._shown
        self._tabs.choices = fitting(self.tabs(), self.content_size.width)
        self._tabs.selected = self.tab
        show_options(self, self._tabs, box.switches() if box is not None else ())
        entitle(self, border_title(self, shown))
        has_room = bool(self._visible) or self.tab in ("report", "equations")
        self._warnings.show(shown, has_room=has_room)
        put(self._round, shown.round_words)
        self._round.display = self._scrubs
        names = ("axis", "view", "cohort", "cursor", "take")
        pool = self.check_action("cursor", ("pool",))
        offered = [pool, self.check_action("option", ("pick",))]
        offered += [self.check_action(action, ()) for action in names]
        if offered != self._offered:
            self._offered = offered
            self.refresh_bindings()

    def _tell_selections(self) -> None:
        """Post SelectionsChanged if other cells have to be measured than before."""
        wanted = [*self._boxes.measurement_key(self._needed_charts), self._edits]
        if wanted != self._asked:
            self._asked = wanted
            if self._shown.scenario is not None:
                self.post_message(SelectionsChanged())
