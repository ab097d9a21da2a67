"""The tabs of numbers and words: table, answer, items, one report, privacy, equations."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeAlias, cast

from textual.app import ComposeResult
from textual.geometry import Size
from textual.widget import Widget

from ....charts.kinds import KINDS, Kind
from ....terminal.keyboard import first_focus
from ....widgets.blank import Columns
from ....widgets.plot import ChartView
from .shown import Shown

if TYPE_CHECKING:
    from ....charts.figures.table import Frame
    from ....charts.series import Chart
    from ....widgets.number_table import FilteredTable
    from ..equations_view import EquationsView
    from ..privacy_view import PrivacyView
    from ..report_view import ReportView
    from .box import ChartBox

    Sheet: TypeAlias = FilteredTable | ReportView | PrivacyView | EquationsView

GAP: Final = 2
LEAST: Final = 40
"""Cells that the chart beside numbers has at least."""
WIDE: Final = 60
"""Cells from which on the words over a table have the room first."""
LOWEST: Final = 16
"""Rows that it has at least."""


class Sheets(Columns):
    """The view of one tab; each is made, and imported, when its tab is first shown.

    Numbers that leave room have their chart beside them.
    """

    DEFAULT_CSS = f"""
    Sheets > .sheet {{ height: 1fr; width: 1fr; }}
    Sheets > #beside {{ margin-left: {GAP}; display: none; }}
    """

    def __init__(self) -> None:
        super().__init__()
        self._chart = ChartView(id="beside")
        self._frame: Frame | None = None
        self._made_of: tuple[object, ...] = ()  # what the frame was made of

    def compose(self) -> ComposeResult:
        yield self._chart

    async def open(self, tab: str) -> None:
        """Make the view of a tab, whose name becomes its id, if it is not there."""
        if not self.query(f"#{tab}"):
            sheet = _made(tab)
            sheet.add_class("sheet")
            await self.mount(sheet, before=self._chart)

    def of(self, tab: str) -> Sheet | None:
        """The view of a tab; None for those with charts, and until it is made."""
        sheets = (sheet for sheet in self.children if sheet.id == tab and sheet.is_mounted)
        return cast("Sheet | None", next(sheets, None))

    def first_field(self, tab: str) -> Widget | None:
        """The first widget of a tab that can take the focus."""
        sheet = self.of(tab)
        return sheet and (first_focus(sheet) or sheet)

    def show(
        self,
        tab: str,
        shown: Shown,
        source: str,
        charts: ChartBox,
        size: Size,
    ) -> None:
        """Hand the draft to the view of a tab, or the numbers of these charts, called `source`.

        size : of the pane, whose first row has the tabs.
        """
        for sheet in self.query_children(".sheet"):
            sheet.display = sheet.id == tab
        view: Any = self.of(tab)
        if view is None:
            self._chart.display = False
            return
        self._hand(tab, view, shown, source, charts)
        self._place(tab, view, shown, charts, size)

    def _hand(self, tab: str, view: Any, shown: Shown, source: str, charts: ChartBox) -> None:
        """Show what the view of a tab is about."""
        kind = KINDS[tab]
        if tab == "table":
            view.show(source, charts.numbers(shown), partial(charts.table, shown))
        elif kind.frame:
            if tab == "answer":
                view.base, view.spite = shown.base, shown.spite
            numbers, frame = shown.numbers(kind), self._frame_of(kind, shown)
            words = "" if numbers else shown.waits_for(kind)
            view.show(tab, numbers, lambda: frame and frame.table, empty=words)
        else:
            draft = shown.at if tab == "report" and shown.at is not None else shown.draft
            if view.draft is not draft:
                view.draft = draft

    def _frame_of(self, kind: Kind, shown: Shown) -> Frame | None:
        """The numbers of a sheet and their chart, made once of the same values."""
        made_of = kind.name, shown.numbers(kind)
        if made_of != self._made_of:
            self._made_of, self._frame = made_of, kind.framed(made_of[1])
        return self._frame

    def _place(self, tab: str, view: Any, shown: Shown, charts: ChartBox, size: Size) -> None:
        """Put the chart of these numbers beside them, where both have room."""
        least, best = getattr(view, "needs", (size.width, size.width))
        needs = max(least, min(best, size.width - GAP - WIDE))
        room, chart = Size(max(0, size.width - GAP - needs), max(0, size.height - 1)), None
        if room.width >= LEAST and room.height >= LOWEST:
            if tab == "table":
                charts.show(shown, room)
                chart = charts.charts()[0].chart
            else:
                chart = self._picture_for(tab, shown)
        self._chart.display = chart is not None
        view.styles.width = "1fr" if chart is None else needs
        self._chart.chart = chart

    def _picture_for(self, tab: str, shown: Shown) -> Chart | None:
        """The chart of a tab that has none of its own."""
        kind = KINDS[tab]
        frame = self._frame_of(kind, shown) if kind.frame else None
        return None if frame is None else frame.chart


def _made(tab: str) -> Sheet:
    match tab:
        case "report":
            from ..report_view import ReportView

            return ReportView(id=tab)
        case "answer":
            from .answer import AnswerView

            return AnswerView(id=tab)
        case "privacy":
            from ..privacy_view import PrivacyView

            return PrivacyView(id=tab)
        case "equations":
            from ..equations_view import EquationsView

            return EquationsView(id=tab)
        case _:
            from ....widgets.number_table import FilteredTable

            return FilteredTable(id=tab)
