"""The tabs without a chart: table, answer, one report, privacy, equations."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from textual.widget import Widget

from ....widgets.blank import Rows
from .shown import Shown

if TYPE_CHECKING:
    from ....widgets.number_table import FilteredTable
    from ..equations import EquationsView
    from ..privacy import PrivacyView
    from ..report import ReportView
    from .boxes import Box
    from .levels import LevelsView

    Sheet: TypeAlias = FilteredTable | ReportView | PrivacyView | EquationsView | LevelsView


class Sheets(Rows):
    """The view of one tab; each is made, and imported, when its tab is first shown."""

    DEFAULT_CSS = """
    Sheets > .sheet { height: 1fr; }
    """

    async def open(self, tab: str) -> None:
        """Make the view of a tab, whose name becomes its id, if it is not there."""
        if not self.query(f"#{tab}"):
            sheet = _made(tab)
            sheet.add_class("sheet")
            await self.mount(sheet)

    def of(self, tab: str) -> Sheet | None:
        """The view of a tab; None for those with charts, and until it is made."""
        sheets = (sheet for sheet in self.children if sheet.id == tab and sheet.is_mounted)
        return cast("Sheet | None", next(sheets, None))

    def first_field(self, tab: str) -> Widget | None:
        """The first widget of a tab that can take the focus."""
        sheet = self.of(tab)
        inside = sheet.query("*") if sheet is not None else ()
        return next((widget for widget in inside if widget.focusable), sheet)

    def show(
        self,
        tab: str,
        shown: Shown,
        source: str,
        charts: Box,
    ) -> None:
        """Hand the draft to the view of a tab, or the numbers of these charts, called `source`."""
        for sheet in self.children:
            sheet.display = sheet.id == tab
        view: Any = self.of(tab)
        if view is None:
            return
        if tab == "table":
            view.show(source, charts.numbers(shown), partial(charts.table, shown))
        elif tab == "levels":
            view.show(shown.followed, shown.empty)
        elif tab == "items":
            from ....charts.figures.levels import items_table

            followed = shown.followed
            table = None if followed is None else partial(items_table, followed)
            view.show(tab, followed, table or (lambda: None), empty=shown.empty)
        elif tab == "answer":
            from ....charts.figures.answers import answer_table

            cells = shown.cells("answer")
            words = "" if cells else "looking for the smallest attack …"
            view.show(tab, cells, partial(answer_table, cells), empty=words)
        else:
            draft = shown.at if tab == "report" and shown.at is not None else shown.draft
            if view.draft is not draft:
                view.draft = draft


def _made(tab: str) -> Sheet:
    match tab:
        case "table" | "answer" | "items":
            from ....widgets.number_table import FilteredTable

            return FilteredTable(id=tab)
        case "report":
            from ..report import ReportView

            return ReportView(id=tab)
        case "levels":
            from .levels import LevelsView

            return LevelsView(id=tab)
        case "privacy":
            from ..privacy import PrivacyView

            return PrivacyView(id=tab)
        case _:
            from ..equations import EquationsView

            return EquationsView(id=tab)
