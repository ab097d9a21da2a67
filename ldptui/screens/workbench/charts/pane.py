"""The pane: one tab at a time, the keys of all of them, and what is asked of the simulator."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal

from msgspec.structs import replace
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.geometry import Size
from textual.reactive import reactive
from textual.widgets import Static

from ....charts.series import Panels, Plot
from ....messages import KeysProposed, SelectionsChanged
from ....session.draft import pointed_at
from ....terminal.keyboard import RUN, key_of
from ....text.format import percent, short
from ....widgets.blank import Columns, call_on_resize
from ....widgets.choice_bar import ChoiceBar, Choices
from ....widgets.cursor import Move, move_cursor
from ....widgets.form import BLOCK_S
from ....widgets.plot import ChartView
from ....widgets.words import entitle, put
from .boxes import Aim, Boxes
from .headline import Headline, Warnings, border_title
from .sheets import Sheets
from .shown import Shown
from .tabs import KEYS, WIDE, Tabs, fitting

if TYPE_CHECKING:
    from ....charts.figures import Table
    from ....session.draft import Draft
    from ....session.snapshot import Overlay, Selection, Snapshot


MOST_ZOOM: Final = 64.0


class ChartsPane(Vertical):
    """One tab at a time.

    `draft` gives the closed forms, `snapshot` what was simulated, `overlays` other runs over it.
    Points of other settings than the draft's are shown muted until the new ones arrive.
    Posts SelectionsChanged when other cells have to be measured than `selections` said.
    """

    BORDER_TITLE = "4 Charts"
    DEFAULT_CSS = """
    ChartsPane {
        border: round $foreground 25%;
        border-title-color: $text-muted;
        & #charts { height: 1fr; }
        & #charts.-wide.-last #gain-box { margin-left: 2; }
        & #charts.-wide.-second #frequencies { margin-left: 2; }
    }
    """
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
        self._tabs, self._columns = ChoiceBar(id="tabs"), Columns(id="charts")
        self._claim, self._warnings = Headline(), Warnings()
        self._sheets, self._round = Sheets(), Static(id="round", markup=False)
        self._boxes = Boxes()
        self._behind = "frequencies"  # the chart whose numbers the table shows
        self._named = Tabs()
        self._shown, self._wide = Shown(), False
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
            yield self._boxes.first
        yield self._round
        yield self._sheets

    def on_mount(self) -> None:
        call_on_resize(self, self._show)

    async def mount_rest(self) -> None:
        """The charts of all other tabs: the first frame would wait for them."""
        await self._boxes.mount(self._columns)
        self._show()

    def on_show(self) -> None:
        """Draw what has changed while the pane was hidden, and had no room."""
        self._show()

    def selections(self, draft: Draft) -> tuple[Selection, ...]:
        """The cells to measure for the charts that are shown; the base always comes first."""
        if (scenario := draft.scenario) is None:
            return ()
        self._boxes.follow(scenario)
        self._point(draft)
        at = dict(self._edits) if self._at is not None else {}
        return self._boxes.selections(scenario, self._aim.needed, at)

    def open_on(self, draft: Draft) -> None:
        """Show the tab that a scenario is about."""
        self.tab = self._named.open_on(draft)

    def show_sweep(self, draft: Draft) -> None:
        """Show the chart of what a run sweeps in place of that of one cell, which hides it."""
        if self.tab == "frequencies" and draft.scenario is not None and draft.scenario.sweep:
            self.tab = self._named.open_on(draft)

    def tabs(self) -> Choices:
        """The tabs that the draft has, each with its name; while it is broken, those before."""
        return self._named.names

    def current_chart(self) -> ChartView | None:
        """The chart with the focus, else the first one of the tab; None where there is none."""
        charts, focused = self._charts(), self.screen.focused
        return next((chart for chart in charts if chart is focused), charts[0] if charts else None)

    def as_text(self) -> str:
        """The content of the tab as text: charts as drawn, a table tab-separated."""
        charts, sheet = self._charts(), self._sheets.of(self.tab)
        if not charts:
            return sheet.as_text() if sheet is not None else ""
        focused = [chart for chart in charts if chart is self.screen.focused]
        return "\n".join(chart.as_text() for chart in focused or charts)

    def as_svg(self) -> str:
        """The current chart as an SVG picture; "" where there is none."""
        return chart.as_svg() if (chart := self.current_chart()) is not None else ""

    def table(self) -> Table | None:
        """The numbers behind the chart that was shown last."""
        return self._boxes[self._behind].table(self._shown)

    def focus_first(self) -> None:
        """Put the focus on what the tab shows."""
        if (target := self.current_chart() or self._sheets.first_field(self.tab)) is not None:
            self.screen.set_focus(target)

    # Changes of the picture.

    def watch_draft(self) -> None:
        self.tab = self._named.follow(self.draft, self.tab)
        if self._behind not in (charts := self._with_table()) and charts:
            self._behind = charts[0]
        # What was simulated is marked as stale when the new is late, not with every key.
        self._show(mark=False)
        if self.draft is not None and self.draft.problems:  # nothing new will come
            self.set_timer(BLOCK_S, lambda: self._show(mark=self._shown.invalid))

    def watch_snapshot(self) -> None:
        if self.cursor is not None and self.cursor >= self._round_count:
            self.cursor = None
        self._show()

    def watch_overlays(self) -> None:
        self._show()

    def watch_cursor(self) -> None:
        self._show()

    async def watch_tab(self, before: str, after: str) -> None:
        if before in self._with_table():
            self._behind = before
        held, self._zoom = self.has_focus_within, 1.0
        if self._boxes.of(after) is None:
            await self._sheets.open(after)  # meanwhile a key may have gone to another pane
            held = held and (self.has_focus_within or self.screen.focused is None)
        self._show()
        if held:
            self.focus_first()

    def on_choice_bar_chosen(self, message: ChoiceBar.Chosen) -> None:
        message.stop()
        match message.choice:
            case "view" | "source":
                self.action_view()
            case "axis":
                self.action_axis()
            case "cohort":
                self.action_cohort(1)
            case tab if message.bar is self._tabs:
                self.tab = tab
            case _:  # the bar of a chart, which knows already
                self._show()

    def on_chart_view_pointed(self, message: ChartView.Pointed) -> None:
        """The chart has moved its cursor; in the Timeline a click is the round there."""
        message.stop()
        if (number := self._boxes.timeline.round_at(message)) is not None:
            self.show_round(number)
        self._show()

    def action_tab(self, by: int) -> None:
        names = [name for name, _ in self.tabs()]
        self.tab = names[(names.index(self.tab) + by) % len(names)]

    def action_view(self) -> None:
        """The next view of a chart, or the next chart of the table."""
        box = self._boxes.of(self.tab)
        if self.tab == "table":
            charts = self._with_table()
            at = charts.index(self._behind) if self._behind in charts else -1
            self._behind = charts[(at + 1) % len(charts)]
        elif box is not None:
            box.next_view()
        self._show()

    def action_cohort(self, by: int) -> None:
        """Another cohort's bits, another target of the Timeline, another series at the cursor."""
        if (box := self._boxes.of(self.tab)) is not None:
            box.walk(by)
        self._show()

    def action_table(self) -> None:
        """The numbers behind the chart, and back."""
        self.tab = self._behind if self.tab == "table" else "table"

    def action_axis(self) -> None:
        """The next variable on the x-axis; in the map the next values of what is on no axis."""
        self._boxes.axed(self.tab).next_axis()
        self._show()

    def action_log(self, direction: Literal["x", "y"]) -> None:
        """Linear to logarithmic and back."""
        self._boxes.curve(self.tab).toggle_log(direction)
        self._show()

    def action_zoom_axis(self, factor: float) -> None:
        """Show a smaller part of the x-axis around the cursor, a larger one, or (0) all of it."""
        self._zoom = min(MOST_ZOOM, max(1.0, self._zoom * factor)) if factor else 1.0
        self._show()

    def action_pick(self) -> None:
        """One panel of the gain alone, the next one, and all of them again."""
        self._boxes.gain.pick()
        self._show()

    def action_cursor(self, how: Move, by: int = 0) -> None:
        """Move the cursor of the chart, else through a campaign's rounds.

        Where there is neither, the cursor of the chart that the tab follows.
        """
        own, chart = self._aim.own, self._aim.cursor
        if how == "pool" and own is not None and own.at is not None:
            chart = own
        if chart is not None:
            chart.step(how, by)
            self._show()
        else:
            self.cursor = move_cursor(self.cursor, range(self._round_count), how, by)

    def action_take(self) -> None:
        """Put the cell at the cursor into the draft: all other charts then show it."""
        if (chart := self._aim.cursor) is not None and (edits := chart.at_cursor()):
            self.post_message(KeysProposed(edits, "the cell at the cursor", sweeps_stay=True))

    def show_round(self, number: int | None) -> None:
        """Show one round of the campaign, from 0, and stay there; None: all of them pooled."""
        self.cursor = number

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Keys that do nothing on this tab are not offered."""
        box, own, chart = self._boxes.of(self.tab), self._aim.own, self._aim.cursor
        match action:
            case "axis" if self.tab == "map":
                return self._boxes.layered
            case "axis" | "log":
                curve = self._boxes.curve(self.tab)
                return curve.kind in self._aim.visible and curve.variable is not None
            case "zoom_axis":
                return any(isinstance(each.chart, Plot | Panels) for each in self._charts())
            case "pick":
                return self.tab == "gain" and self._boxes.gain.has_panels
            case "cohort":
                return box is not None and box.walks
            case "cursor" if parameters == ("pool",):
                ats = (self.cursor, own and own.at, chart and chart.at)
                return any(at is not None for at in ats)
            case "cursor" if chart is not None:
                return chart.points
            case "cursor":
                return self._aim.scrubs
            case "take":
                return chart is not None and chart.takes and chart.walks
            case "view":
                return self.tab == "table" or box is not None
        return True

    @property
    def _round_count(self) -> int:
        rounds = self.snapshot.rounds if self.snapshot is not None else None
        return len(rounds) if rounds is not None else 0

    @property
    def _round_words(self) -> str:
        """The round that is looked at: its number, its share of fakes and the ε spent so far."""
        rounds, at = self._shown.rounds, self.cursor
        if rounds is None or at is None or at >= len(rounds):
            return f"all {self._round_count} rounds"
        share, spent = percent(rounds.share[at]), short(rounds.spent[at])
        return f"round {at} of 0–{len(rounds) - 1} · β {share} · ε {spent}"

    @property
    def _aim(self) -> Aim:
        """What the tab shows, and what the keys move there."""
        return Aim(self.tab, self._shown, self._boxes, self._sheets, self._wide, self._behind)

    def _charts(self) -> list[ChartView]:
        """The charts on the screen, those that the tab is named after first."""
        return [chart for name in self._aim.visible for chart in self._boxes[name].charts()]

    def _with_table(self) -> list[str]:
        """The charts that the draft has, each with its numbers."""
        return [name for name, _ in self.tabs() if self._boxes.of(name) is not None]

    def _point(self, draft: Draft | None) -> None:
        """Look at the cell of a draft that a cursor points at."""
        chart = self._boxes.walking(self.tab)
        edits = tuple(chart.at_cursor()) if chart is not None else ()
        if (draft, edits) != (self._pointed_from, self._edits):
            self._pointed_from, self._edits = draft, edits
            self._at = pointed_at(draft, dict(edits)) if draft and edits else None

    # The picture follows from the state of the pane and of its charts; each draws what has changed.

    def _show(self, *, mark: bool = True) -> None:
        """Show what the tab has; `mark`: estimates of other settings as such from now on."""
        if not self.is_mounted:
            return
        self._point(self.draft)
        keys = tuple(key for key, _ in self._edits)
        shown = Shown(
            self.draft, self.snapshot, self.overlays, self.cursor, self._at, keys,
            run_key=key_of(self.app, *RUN),
        )  # fmt: skip
        marked = shown.outdated if mark else self._shown.marked
        self._shown = shown = replace(shown, marked=marked)
        self._boxes.follow(shown.scenario)
        width, height = size = self.content_size
        self._wide = width >= WIDE
        visible = self._aim.visible
        self._columns.display = bool(visible)
        self._columns.set_class(self._wide, "-wide")
        self._boxes.arrange(self._columns, self.tab)
        claimed = self._claim.show(shown, self.tab, size, over_charts=bool(visible))
        room = Size(width // 2 - 1 if len(visible) > 1 else width, max(0, height - 1 - claimed))
        for name, box in self._boxes:
            box.display = name in visible
            if box.display and box.is_mounted:
                box.show(shown, room)
                for chart in box.charts():
                    chart.zoom = self._zoom
        self._sheets.display = not visible
        self._sheets.show(
            self.tab, shown, self._behind, self._boxes[self._behind], Size(width, height - claimed)
        )
        self._show_bars()
        if width:
            self._tell_selections()

    def _show_bars(self) -> None:
        """The rows around the charts: tabs, warnings, the round; and the key hints."""
        box, shown = self._boxes.of(self.tab), self._shown
        self._tabs.choices = fitting(self.tabs(), self.content_size.width)
        self._tabs.selected = self.tab
        self._tabs.switches = box.switches() if box is not None else ()
        entitle(self, border_title(self, shown))
        self._warnings.show(shown, bool(self._aim.visible))
        put(self._round, self._round_words)
        self._round.display = self._aim.scrubs
        names = ("axis", "pick", "view", "cohort", "cursor", "take")
        pool = self.check_action("cursor", ("pool",))
        offered = [pool, *(self.check_action(action, ()) for action in names)]
        if offered != self._offered:
            self._offered = offered
            self.refresh_bindings()

    def _tell_selections(self) -> None:
        """Say so when other cells have to be measured than before."""
        wanted = [*self._boxes.wanted(self._aim.needed), self._edits]
        if wanted != self._asked:
            self._asked = wanted
            if self._shown.scenario is not None:
                self.post_message(SelectionsChanged())
