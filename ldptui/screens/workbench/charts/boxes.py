"""The charts of all tabs: which a tab shows, whose cursor moves, and what they need of a run."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from textual.widget import Widget

from ....charts.kinds import KINDS
from ....session.snapshot import Selection
from ....widgets.cursor import CursorCharts
from .box import ChartBox, FrameBox
from .curve import CurveChart
from .curves import ErrorChart, GainChart, SuccessChart
from .frequencies import FrequencyCharts
from .map import MapChart
from .sheets import Sheets
from .shown import Shown
from .tabs import charts_of
from .timeline import TimelineCharts

if TYPE_CHECKING:
    from ldptui.core.scenario import Scenario


class Boxes:
    """The charts of each tab; `needed`: the tabs whose charts or numbers are looked at."""

    def __init__(self) -> None:
        self.gain = GainChart()
        self._curves: tuple[CurveChart, ...] = (self.gain, ErrorChart(), SuccessChart())
        self._map = MapChart()
        self.timeline = TimelineCharts()
        self.first = FrequencyCharts()
        self._by_name: dict[str, ChartBox] = {
            "timeline": self.timeline,
            "map": self._map,
            **{kind.name: FrameBox(kind) for kind in KINDS.values() if kind.drawn and kind.frame},
            "frequencies": self.first,
            **{curve.kind: curve for curve in reversed(self._curves)},
        }
        """From left to right."""
        self._walking: CursorCharts | None = None

    def __iter__(self) -> Iterator[tuple[str, ChartBox]]:
        return iter(self._by_name.items())

    def __getitem__(self, name: str) -> ChartBox:
        return self._by_name[name]

    def of(self, tab: str) -> ChartBox | None:
        """The charts of a tab, whose views, targets, … the keys go through."""
        return self._by_name.get(tab)

    async def mount(self, columns: Widget) -> None:
        """Put the charts that the first frame does without around the one that it has."""
        boxes = [*self._by_name.values()]
        for box in boxes:
            box.display = box is self.first
        at = boxes.index(self.first)
        await columns.mount(*boxes[:at], before=0)
        await columns.mount(*boxes[at + 1 :])

    def arrange(self, columns: Widget, tab: str) -> None:
        """Let the tab's own chart be the left one of two, the estimates with it on the right."""
        own = tab == "gain"
        self.gain.aside = not own
        columns.set_class(KINDS[tab].beside == "frequencies", "-second")
        columns.set_class(not own, "-last")  # the gain
        if not self.gain.is_attached:
            return
        if own and columns.children[0] is not self.gain:
            columns.move_child(self.gain, before=0)
        elif not own and columns.children[0] is self.gain:
            columns.move_child(self.gain, after=-1)

    def walking(self, tab: str) -> CursorCharts | None:
        """The chart whose cursor points at a cell: that of the tab, else the one used last."""
        here = self.of(tab)
        if here is not None and here.takes and here.walks:
            self._walking = here
        elif self._walking is not None and not self._walking.walks:
            self._walking = None
        return self._walking

    def curve(self, tab: str) -> CurveChart:
        """The chart whose scales the keys change."""
        return next((curve for curve in self._curves if curve.kind == tab), self.gain)

    def axed(self, tab: str) -> CurveChart | MapChart:
        """The chart of which a key changes the axis, or what is held fixed beside its axes."""
        return self._map if tab == "map" else self.curve(tab)

    @property
    def layered(self) -> bool:
        """True where the scenario sweeps more keys than a map has sides."""
        return bool(self._map.held)

    # What is simulated for them.

    def follow(self, scenario: Scenario | None) -> None:
        """Take the scenario whose closed forms are shown."""
        for curve in self._curves:
            curve.follow(scenario)

    def selections(
        self, scenario: Scenario, needed: Collection[str], at: Mapping[str, Any]
    ) -> tuple[Selection, ...]:
        """The cells to measure, the base first, as a preview measures them.

        at : the values of the cell that a cursor points at; empty for none.
        """
        from ....charts.curves import thin_out

        shown = [kind for kind in KINDS.values() if kind.name in needed]
        asked: dict[str, Any] = {kind.asks: True for kind in shown if kind.asks}
        chosen: list[Selection | None] = [Selection(**asked)]
        if at:
            there: dict[str, Any] = {
                kind.asks: True for kind in shown if kind.asks and kind.at_cell
            }
            chosen.append(Selection(dict(at), estimates=True, **there))
        chosen += [each.selection() for each in self._curves if each.kind in needed]
        chosen += [self._map.selection(scenario)] if "map" in needed else []
        chosen += [selection for kind in shown for selection in kind.cells(scenario)]
        return tuple(thin_out(each) for each in chosen if each is not None)

    def wanted(self, needed: Collection[str]) -> list[object]:
        """A value that is another one where other cells have to be measured."""
        curves = [curve for curve in self._curves if curve.kind in needed]
        wanted: list[object] = [(each.kind, each.variable and each.variable.key) for each in curves]
        others = ["map", "answer", *(kind.name for kind in KINDS.values() if kind.asks)]
        wanted += [self._map.held] if "map" in needed else []
        return [*wanted, *(name for name in others if name in needed)]


class Aim(Struct, frozen=True, eq=False):
    """A tab over all charts and sheets.

    wide : whether two charts stand side by side. behind : the chart of the table.
    """

    tab: str
    shown: Shown
    boxes: Boxes
    sheets: Sheets
    wide: bool
    behind: str

    @property
    def visible(self) -> tuple[str, ...]:
        """The charts that are on the screen, the tab's own ones first."""
        return charts_of(self.tab, wide=self.wide, rounds=self.shown.rounds is not None)

    @property
    def needed(self) -> frozenset[str]:
        """The tabs whose charts, or their numbers, are looked at."""
        return frozenset((self.tab, *self.visible, *[self.behind] * (self.tab == "table")))

    @property
    def scrubs(self) -> bool:
        """True if the charts on the screen follow a round."""
        follows = {"timeline", "frequencies"} & self.needed
        own = self.own
        return bool(follows) and self.shown.rounds is not None and not (own and own.leads)

    @property
    def own(self) -> CursorCharts | None:
        """The chart or the sheet of the tab, where that has a cursor."""
        sheet = self.sheets.of(self.tab)
        return sheet if isinstance(sheet, CursorCharts) else self.boxes.of(self.tab)

    @property
    def cursor(self) -> CursorCharts | None:
        """The chart whose cursor the keys move."""
        own = self.own
        if own is not None and own.leads:
            return own
        return None if self.scrubs else self.boxes.walking(self.tab) or own
